// Package vp8 encodes pictures as VP8, the format of RFC 6386. It knows nothing of files.
//
// The encoder is made for rendered scenes: pictures without noise, in which large parts stand still and most
// of the rest moves with the camera. Its arithmetic is in integers, so that the same pictures give the same
// bytes on every machine. It uses a part of the format: macroblocks are predicted whole, from the frame before
// or from their neighbours.
package vp8

import (
	"fmt"
	"image"
)

// Config describes a stream.
type Config struct {
	W, H        int // pixels, 1 to MaxSide
	Quality     int // quantiser index of the frames from which most others are predicted: 0, the finest, to MaxQuality
	KeyInterval int // frames from one key frame to the next
}

// Bounds of a Config.
const (
	MaxSide    = 1<<14 - 1
	MaxQuality = 127
)

// macroblock is what the header of a frame says of 16x16 pixels.
type macroblock struct {
	intra      bool
	empty      bool // no coefficients
	mode       uint8
	chromaMode uint8 // of an intra macroblock
	vector     vector
	difference vector // modeNew: from the best nearby vector
	votes      [4]uint8
}

// frame is what holds for one frame.
type frame struct {
	key        bool
	discarded  bool // no frame is predicted from it
	index      int  // quantiser index
	span       int  // frames since the reference
	filter     int  // level of the loop filter
	lambda     int  // sum of absolute differences that a bit is worth
	quantisers *quantisers
}

// probs are the probabilities that one frame leaves to the next.
type probs struct {
	coefs   [coefProbs]uint8
	vectors [2][vectorProbs]uint8
}

// An Encoder encodes one stream.
type Encoder struct {
	config     Config
	mbsX, mbsY int
	count      int // frames so far
	frame      frame

	source, referenceSource *picture // the picture, and the one that reference shows
	current, reference      *picture // as a decoder reconstructs them
	half                    *halfPlanes

	mbs           []macroblock
	before        []vector // motion in the frame before
	beforeSpan    int      // frames over which that motion took place
	probs         probs
	tokens        tokens
	header, body  boolCoder
	headerBytes   []byte // memory of the partitions
	bodyBytes     []byte
	motion        search
	residual      residual
	aboveContexts []blockContexts
	leftContexts  blockContexts

	quantisers map[int]*[2]quantisers // by index: for inter and for intra macroblocks
}

// blockContexts say which blocks at an edge of a macroblock have levels.
type blockContexts struct {
	luma   [4]uint8
	chroma [2][2]uint8
	second uint8
}

// NewEncoder returns an encoder of a stream. It panics if the configuration is out of bounds.
func NewEncoder(c Config) *Encoder {
	if c.W < 1 || c.W > MaxSide || c.H < 1 || c.H > MaxSide || c.Quality < 0 || c.Quality > MaxQuality || c.KeyInterval < 1 {
		panic(fmt.Sprintf("vp8: no stream is of the form %+v", c))
	}
	x, y := (c.W+15)/16, (c.H+15)/16
	e := &Encoder{config: c, mbsX: x, mbsY: y, mbs: make([]macroblock, x*y), before: make([]vector, x*y), aboveContexts: make([]blockContexts, x)}
	e.source, e.referenceSource = newPicture(x, y), newPicture(x, y)
	e.current, e.reference = newPicture(x, y), newPicture(x, y)
	e.half = newHalfPlanes(&e.reference.y)
	e.quantisers = map[int]*[2]quantisers{}
	return e
}

// Encode appends the next frame to dst and returns the result, and whether it is a key frame, from which decoding can
// start. The picture has the size of the stream, in BT.601 with limited range, and 4:2:0 subsampling; Encode keeps
// no reference to it.
func (e *Encoder) Encode(dst []byte, im *image.YCbCr) (_ []byte, key bool) {
	e.source.y.load(im.Y, im.YStride, e.config.W, e.config.H)
	e.source.u.load(im.Cb, im.CStride, (e.config.W+1)/2, (e.config.H+1)/2)
	e.source.v.load(im.Cr, im.CStride, (e.config.W+1)/2, (e.config.H+1)/2)
	e.plan()
	saved := e.probs
	e.encodeMacroblocks()
	dst = e.write(dst)
	e.count++
	for i := range e.mbs {
		e.before[i] = e.mbs[i].vector
	}
	e.beforeSpan = e.frame.span
	if e.frame.discarded {
		e.probs = saved
	} else {
		e.smooth()
		e.current.extend()
		e.current, e.reference = e.reference, e.current
		e.source, e.referenceSource = e.referenceSource, e.source
		e.half.reset(&e.reference.y)
	}
	return dst, e.frame.key
}

// coarser is added to the quantiser index of a frame, by its place among 16. The fewer frames are predicted
// from one, the coarser it may be: errors in the first of 16 last longest, those in every second one are gone with the
// next. Measured on 10 s of a moving camera at 60 frames per second: 4.3 MB give 39.1 dB with one index, and 40.2 dB
// when every second frame alone is coarser.
var coarser = [16]int{0, 50, 36, 50, 30, 50, 36, 50, 20, 50, 36, 50, 30, 50, 36, 50}

// plan decides on the frame.
func (e *Encoder) plan() {
	n := e.count % e.config.KeyInterval
	f := frame{key: n == 0, discarded: n%2 == 1, index: min(e.config.Quality+coarser[n%16], MaxQuality), span: 1}
	if f.key {
		e.probs = probs{defaultCoefProbs, defaultVectorProbs}
	} else if !f.discarded {
		f.span = 2
	}
	q := e.quantisers[f.index]
	if q == nil {
		q = &[2]quantisers{newQuantisers(f.index, roundInter), newQuantisers(f.index, roundIntra)}
		e.quantisers[f.index] = q
	}
	f.quantisers = &q[0]
	if f.key {
		f.quantisers = &q[1]
	}
	f.filter = filterLevel(f.key, f.index)
	f.lambda = max(int(acSteps[f.index])/12, 1)
	e.frame = f
}

func (e *Encoder) encodeMacroblocks() {
	e.tokens.reset()
	clear(e.aboveContexts)
	for y := range e.mbsY {
		e.leftContexts = blockContexts{}
		for x := range e.mbsX {
			e.encodeMacroblock(x, y)
		}
	}
}

// encodeMacroblock predicts, transforms, and reconstructs a macroblock.
func (e *Encoder) encodeMacroblock(mbX, mbY int) {
	m := &e.mbs[mbY*e.mbsX+mbX]
	*m = macroblock{}
	y, c := e.source.y.at(16*mbX, 16*mbY), e.source.u.at(8*mbX, 8*mbY)
	if !e.frame.key {
		near := e.findNearby(mbX, mbY)
		m.votes = near.votes
		if e.unchanged(y, c) {
			m.empty = true
			copyPixels(e.current.y.pix[y:], e.current.y.stride, e.reference.y.pix[y:], e.reference.y.stride, 16)
			copyPixels(e.current.u.pix[c:], e.current.u.stride, e.reference.u.pix[c:], e.reference.u.stride, 8)
			copyPixels(e.current.v.pix[c:], e.current.v.stride, e.reference.v.pix[c:], e.reference.v.stride, 8)
			e.clearContexts(mbX)
			return
		}
		e.motion = search{e: e, x: 16 * mbX, y: 16 * mbY, mbX: mbX, mbY: mbY, near: near}
		e.motion.source.load(e.source.y.pix[y:], e.source.y.stride)
		e.motion.run(e.scaled(e.before[mbY*e.mbsX+mbX]))
	}
	if e.frame.key || e.motion.bestSAD > sadPoor {
		e.chooseIntra(m, mbX, mbY)
	}
	if m.intra {
		e.predictIntra(m, mbX, mbY)
	} else {
		e.predictInter(m, mbX, mbY)
	}
	r := &e.residual
	if m.empty = !r.transform(e, y, c); m.empty {
		e.clearContexts(mbX)
		return
	}
	r.reconstruct(e, y, c)
	e.addTokens(mbX)
}

// unchanged reports whether the source of a macroblock is that of the reference.
func (e *Encoder) unchanged(y, c int) bool {
	now, then := e.source, e.referenceSource
	return equalPixels(&now.y, &then.y, y, 16) && equalPixels(&now.u, &then.u, c, 8) && equalPixels(&now.v, &then.v, c, 8)
}

// scaled returns a vector of the frame before for the time between this one and its reference.
func (e *Encoder) scaled(v vector) vector {
	switch {
	case e.beforeSpan == 1 && e.frame.span == 2:
		v = vector{2 * v.x, 2 * v.y}
	case e.beforeSpan == 2 && e.frame.span == 1:
		v = vector{v.x / 4 * 2, v.y / 4 * 2}
	}
	return v
}

// chooseIntra makes a macroblock an intra one if that is better than the motion found.
func (e *Encoder) chooseIntra(m *macroblock, mbX, mbY int) {
	best := e.motion.bestCost - 6*e.frame.lambda
	if e.frame.key {
		best = 1 << 30
	}
	var source source16
	source.load(e.source.y.pix[e.source.y.at(16*mbX, 16*mbY):], e.source.y.stride)
	var predicted [16 * 16]byte
	for mode := uint8(predictDC); mode < intraModes; mode++ {
		if !intraAllowed(mode, mbX, mbY) {
			continue
		}
		predictIntra(&e.current.y, 16*mbX, 16*mbY, 16, mode, predicted[:], 16)
		if sad := sad16(&source, predicted[:], 16, best); sad < best {
			best = sad
			m.intra, m.mode = true, mode
		}
	}
}

// predictIntra predicts an intra macroblock into the current picture, and chooses its chroma mode.
func (e *Encoder) predictIntra(m *macroblock, mbX, mbY int) {
	p, s := e.current, e.source
	y, c := p.y.at(16*mbX, 16*mbY), p.u.at(8*mbX, 8*mbY)
	predictIntra(&p.y, 16*mbX, 16*mbY, 16, m.mode, p.y.pix[y:], p.y.stride)
	best := 1 << 30
	var predicted [8 * 8]byte
	for mode := uint8(predictDC); mode < intraModes; mode++ {
		if !intraAllowed(mode, mbX, mbY) {
			continue
		}
		predictIntra(&p.u, 8*mbX, 8*mbY, 8, mode, predicted[:], 8)
		sad := sad8(s.u.pix[c:], s.u.stride, predicted[:], 8)
		predictIntra(&p.v, 8*mbX, 8*mbY, 8, mode, predicted[:], 8)
		if sad += sad8(s.v.pix[c:], s.v.stride, predicted[:], 8); sad < best {
			best, m.chromaMode = sad, mode
		}
	}
	predictIntra(&p.u, 8*mbX, 8*mbY, 8, m.chromaMode, p.u.pix[c:], p.u.stride)
	predictIntra(&p.v, 8*mbX, 8*mbY, 8, m.chromaMode, p.v.pix[c:], p.v.stride)
}

// predictInter predicts a macroblock by the motion found into the current picture.
func (e *Encoder) predictInter(m *macroblock, mbX, mbY int) {
	m.mode, m.vector = uint8(e.motion.bestMode), e.motion.best
	if m.mode == modeNew {
		m.difference = m.vector.minus(e.motion.near.best)
	}
	p, r := e.current, e.reference
	y, c := p.y.at(16*mbX, 16*mbY), p.u.at(8*mbX, 8*mbY)
	predictInter(&r.y, 16*mbX, 16*mbY, 16, m.vector, p.y.pix[y:], p.y.stride)
	half := vector{halve(m.vector.x), halve(m.vector.y)}
	predictInter(&r.u, 8*mbX, 8*mbY, 8, half, p.u.pix[c:], p.u.stride)
	predictInter(&r.v, 8*mbX, 8*mbY, 8, half, p.v.pix[c:], p.v.stride)
}

// halve returns half of a component, rounded away from zero: chroma has half the size of luma.
func halve(v int16) int16 {
	if v < 0 {
		return (v - 1) / 2
	}
	return (v + 1) / 2
}

// clearContexts notes that a macroblock has no levels.
func (e *Encoder) clearContexts(mbX int) {
	e.leftContexts, e.aboveContexts[mbX] = blockContexts{}, blockContexts{}
}

// addTokens adds the levels of a macroblock.
func (e *Encoder) addTokens(mbX int) {
	r, t, left, above := &e.residual, &e.tokens, &e.leftContexts, &e.aboveContexts[mbX]
	any := t.addBlock(&r.second, secondOrder, int(left.second+above.second), 0)
	left.second, above.second = any, any
	for i := range r.luma {
		l, a := &left.luma[i>>2], &above.luma[i&3]
		any := t.addBlock(&r.luma[i], lumaWithoutDC, int(*l+*a), 1)
		*l, *a = any, any
	}
	for i := range r.chroma {
		l, a := &left.chroma[i>>2][i>>1&1], &above.chroma[i>>2][i&1]
		any := t.addBlock(&r.chroma[i], chroma, int(*l+*a), 0)
		*l, *a = any, any
	}
}
