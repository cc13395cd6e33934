//go:build !js || headless

package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"ghostcube/net/delta"
	"ghostcube/net/entropy"
	"ghostcube/net/quant"
	"ghostcube/ui/plan"
)

// pair is a rotation and its baseline, the rotation some snapshots before.
type pair struct{ now, base delta.Orientation }

// The largest number of pairs in a file, and the length of a usual line that is never exceeded, in bytes.
const (
	maxPairs    = 5_000_000
	maxPairLine = 100
)

// measurePairs prints the size of the pairs in a file by every scheme.
func (p *program) measurePairs(name string) error {
	f, err := plan.OpenFile(name, maxPairs*maxPairLine)
	if err != nil {
		return usageError{fmt.Errorf("--quaternions: %w", err)}
	}
	defer f.Close()
	pairs, err := readPairs(f)
	if err != nil {
		return usageError{fmt.Errorf("--quaternions=%s: %w", name, err)}
	}
	return printPairs(p.Stdout, name, pairs)
}

// readPairs reads pairs as text or as gzipped text.
func readPairs(in io.Reader) ([]pair, error) {
	b := bufio.NewReader(in)
	if head, err := b.Peek(2); err == nil && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		b = bufio.NewReader(z)
	}
	var pairs []pair
	s := bufio.NewScanner(b)
	for s.Scan() {
		x, err := parsePair(s.Text())
		if err != nil {
			if !s.Scan() && s.Err() != nil {
				break // the last line is incomplete because the file is
			}
			return nil, fmt.Errorf("line %d: %w", len(pairs)+1, err)
		}
		if len(pairs) == maxPairs {
			return nil, fmt.Errorf("line %d: want at most %d pairs", len(pairs)+1, maxPairs)
		}
		pairs = append(pairs, x)
	}
	if err := scanError(s, len(pairs), bufio.MaxScanTokenSize); err != nil {
		return nil, err
	}
	if len(pairs) == 0 {
		return nil, errors.New("the file has no pairs: want lines of largest,a,b,c now and before")
	}
	return pairs, nil
}

func parsePair(line string) (p pair, err error) {
	fields := strings.Split(strings.TrimSpace(line), ",")
	if len(fields) != 8 {
		return p, fmt.Errorf("%d numbers: want 8, largest,a,b,c now and before", len(fields))
	}
	var n [8]int
	for i, f := range fields {
		limit := delta.MaxComponent
		if i%4 == 0 {
			limit = 3
		}
		if n[i], err = strconv.Atoi(f); err != nil || n[i] < 0 || n[i] > limit {
			return p, fmt.Errorf("number %d: %q: want 0 to %d", i+1, f, limit)
		}
	}
	rotation := func(n []int) delta.Orientation {
		return delta.Orientation{Largest: uint8(n[0]), Smallest: [3]int16{int16(n[1]), int16(n[2]), int16(n[3])}}
	}
	p = pair{rotation(n[:4]), rotation(n[4:])}
	if !p.now.Valid() || !p.base.Valid() {
		return p, errors.New("not a rotation: the three smallest components are too large")
	}
	return p, nil
}

// printPairs prints the size of pairs by every scheme.
func printPairs(out io.Writer, name string, pairs []pair) error {
	n := float64(len(pairs))
	fmt.Fprintf(out, "%s: %d pairs, all decoded correctly\n\n", name, len(pairs))
	t := newTextTable(out)
	t.row("SCHEME", "BITS/PAIR", "OF ABSOLUTE", "DESCRIPTION")
	line := func(name string, bits float64, doc string) {
		t.row(name, fixed(bits/n, 2), fixed(100*bits/n/29, 1)+" %", doc)
	}
	for i := range delta.OrientationSchemes {
		s := &delta.OrientationSchemes[i]
		bits, err := measureScheme(s, pairs)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		line(s.Name, float64(bits), s.Doc)
	}
	line("entropy of differences", differenceEntropy(pairs), "lower bound for any code table of single differences")
	for _, c := range []pairCoding{
		{name: "arithmetic"},
		{name: "arithmetic, in packets", pairsPerPacket: pairsPerPacket},
		{name: "arithmetic, trained", pairsPerPacket: pairsPerPacket, trained: true},
		{name: "with previous motion", motion: true},
		{name: "with previous motion, in packets", motion: true, pairsPerPacket: pairsPerPacket},
	} {
		size, err := c.measure(pairs)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		line(c.name, float64(size*8), c.describe())
	}
	return t.close()
}

// measureScheme encodes pairs, decodes them, and returns the number of bits.
func measureScheme(s *delta.OrientationScheme, pairs []pair) (int, error) {
	var c quant.Coder
	c.BeginWrite(make([]byte, (len(pairs)*4+64)&^7))
	for _, p := range pairs {
		s.Code(&c, p.now, p.base)
	}
	bits := c.BitsProcessed()
	data := c.FinishWrite()
	if c.Err() != nil {
		return 0, c.Err()
	}
	c.BeginRead(data)
	for i, p := range pairs {
		if got := s.Code(&c, delta.Orientation{}, p.base); got != p.now || c.Err() != nil {
			return 0, fmt.Errorf("pair %d is decoded as %v: %w", i+1, got, errors.Join(c.Err(), errRoundTrip))
		}
	}
	return bits, nil
}

var errRoundTrip = errors.New("decoded differently from the original")

// differenceEntropy returns the bits of pairs at the entropy of the article's symbols:
// whether the largest component is the same; if it is, each of the three differences;
// otherwise 29 bits.
func differenceEntropy(pairs []pair) float64 {
	var counts [4][2*delta.MaxComponent + 1]int // by component; the last: whether the largest is another one
	whole := 0
	for _, p := range pairs {
		if p.now.Largest != p.base.Largest {
			counts[3][1]++
			whole++
			continue
		}
		counts[3][0]++
		for i := range p.now.Smallest {
			counts[i][delta.MaxComponent+int(p.now.Smallest[i])-int(p.base.Smallest[i])]++
		}
	}
	bits := float64(whole * 29)
	for i := range counts {
		total := 0
		for _, k := range counts[i] {
			total += k
		}
		for _, k := range counts[i] {
			if k > 0 {
				bits -= float64(k) * math.Log2(float64(k)/float64(total))
			}
		}
	}
	return bits
}

// pairsPerPacket is the assumed number of pairs in a packet. The recording does not contain
// it, but its rotations recur after about six times as many lines.
const pairsPerPacket = 36

// pairCoding is an arithmetic coding of pairs.
type pairCoding struct {
	name           string
	pairsPerPacket int  // 0: all pairs are in one packet
	trained        bool // packets are independent: each starts from a model of the other half of the file
	motion         bool // the rotation before the baseline is used where it has been sent
}

func (c *pairCoding) describe() string {
	switch {
	case c.trained:
		return fmt.Sprintf("independent packets of %d pairs, with a model trained on the other half of the file", c.pairsPerPacket)
	case c.pairsPerPacket > 0 && c.motion:
		return fmt.Sprintf("packets of %d pairs, with the previous motion from %d packets before or earlier", c.pairsPerPacket, baselineDistance)
	case c.pairsPerPacket > 0:
		return fmt.Sprintf("packets of %d pairs, each with the model %d packets before it", c.pairsPerPacket, baselineDistance)
	case c.motion:
		return "also uses the rotation before the baseline, where it has been sent"
	}
	return "all pairs in sequence, with an adaptive model"
}

// measure encodes pairs, decodes them, and returns the number of bytes. The decoder adapts
// to the pairs that it has decoded.
func (c *pairCoding) measure(pairs []pair) (int, error) {
	packet := c.pairsPerPacket
	if packet == 0 {
		packet = len(pairs)
	}
	out, in := c.newCoder(pairs, packet), c.newCoder(pairs, packet)
	got := make([]pair, len(pairs))
	for i := range pairs {
		got[i].base = pairs[i].base
	}
	buffer := make([]byte, packet*8+64)
	size := 0
	for first := 0; first < len(pairs); first += packet {
		last := min(first+packet, len(pairs))
		var w, r entropy.Coder
		w.BeginWrite(buffer)
		out.codePacket(&w, pairs, first, last)
		data := w.FinishWrite()
		if w.Err() != nil {
			return 0, w.Err()
		}
		r.BeginRead(bytes.Clone(data))
		in.codePacket(&r, got, first, last)
		if err := r.FinishRead(); err != nil {
			return 0, fmt.Errorf("pairs %d to %d: %w", first+1, last, err)
		}
		for i := first; i < last; i++ {
			if got[i] != pairs[i] {
				return 0, fmt.Errorf("pair %d: %w", i+1, errRoundTrip)
			}
		}
		size += len(data)
	}
	return size, nil
}

// pairCoder is the state of an encoder or decoder of pairs.
type pairCoder struct {
	coding         *pairCoding
	pairsPerPacket int
	models         [baselineDistance]delta.OrientationModel // of the last packets
	halfModels     [2]*delta.OrientationModel               // trained on each half
	firstHalfLen   int                                      // pairs in the first half
	lastIndex      map[delta.Orientation]int                // index of the last pair with a rotation
	learnedCount   int                                      // pairs before this one are in lastIndex
}

// newCoder returns a coder in its initial state, with models of both halves if the coding is
// trained.
func (c *pairCoding) newCoder(pairs []pair, packet int) *pairCoder {
	e := &pairCoder{coding: c, pairsPerPacket: packet, lastIndex: map[delta.Orientation]int{}}
	if c.trained {
		e.firstHalfLen = len(pairs) / packet / 2 * packet
		for i, half := range [][]pair{pairs[:e.firstHalfLen], pairs[e.firstHalfLen:]} {
			e.halfModels[i] = train(half)
		}
	}
	return e
}

// train returns a model that has adapted to pairs.
func train(pairs []pair) *delta.OrientationModel {
	m := new(delta.OrientationModel)
	var c entropy.Coder
	buffer := make([]byte, 4096)
	for _, p := range pairs {
		c.BeginWrite(buffer)
		m.Code(&c, p.now, p.base, nil)
	}
	return m
}

// codePacket encodes or decodes the pairs of a packet.
func (p *pairCoder) codePacket(c *entropy.Coder, pairs []pair, first, last int) {
	slot := &p.models[first/p.pairsPerPacket%baselineDistance]
	switch {
	case p.coding.trained && first < p.firstHalfLen:
		*slot = *p.halfModels[1]
	case p.coding.trained:
		*slot = *p.halfModels[0]
	}
	for i := first; i < last; i++ {
		if p.coding.pairsPerPacket == 0 {
			p.learn(pairs, i)
		} else if i == first {
			p.learn(pairs, first-(baselineDistance-1)*p.pairsPerPacket)
		}
		pairs[i].now = slot.Code(c, pairs[i].now, pairs[i].base, p.earlierBase(pairs, pairs[i].base))
	}
}

// learn adds the pairs before a number to lastIndex.
func (p *pairCoder) learn(pairs []pair, known int) {
	for ; p.learnedCount < known; p.learnedCount++ {
		p.lastIndex[pairs[p.learnedCount].now] = p.learnedCount
	}
}

// earlierBase returns the baseline that a baseline itself was coded against, or nil.
func (p *pairCoder) earlierBase(pairs []pair, base delta.Orientation) *delta.Orientation {
	const reach = 2000 // pairs: an equal rotation further back is probably another cube's
	if !p.coding.motion {
		return nil
	}
	if i, ok := p.lastIndex[base]; ok && p.learnedCount-i <= reach {
		return &pairs[i].base
	}
	return nil
}
