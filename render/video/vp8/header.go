package vp8

// write appends the frame, whose macroblocks and tokens are known, to dst (RFC 6386, section 9).
func (e *Encoder) write(dst []byte) []byte {
	f := &e.frame
	b := &e.header
	b.reset(e.headerBytes[:0])
	if f.key {
		b.literal(0, 2) // BT.601, and reconstruction limits values
	}
	b.literal(0, 1) // no segments
	b.literal(0, 1) // the normal loop filter
	b.literal(f.filter, 6)
	b.literal(0, 3) // sharpness
	b.literal(1, 1) // the level differs between macroblocks
	b.putBool(f.key, 128)
	if f.key {
		b.literal(0, 4+1)          // as it is by reference, and for split intra macroblocks
		b.literal(1<<7|63<<1|1, 8) // none where there is no motion
		b.literal(0, 2)
	}
	b.literal(0, 2) // one partition of tokens
	b.literal(f.index, 7)
	b.literal(0, 5) // the same quantiser index for all kinds of blocks
	if f.key {
		b.literal(1, 1) // the next frame starts with these probabilities
	} else {
		b.literal(0, 1+1+2+2+1+1) // golden and alternative reference stay
		b.putBool(!f.discarded, 128)
		b.putBool(!f.discarded, 128) // the frame becomes the reference
	}
	e.writeCoefProbs(b)
	e.writeMacroblocks(b)
	e.headerBytes = b.flush()
	e.body.reset(e.bodyBytes[:0])
	e.tokens.code(&e.body, &e.probs.coefs)
	e.bodyBytes = e.body.flush()

	tag := len(e.headerBytes)<<5 | 1<<4
	if !f.key {
		tag |= 1
	}
	dst = append(dst, byte(tag), byte(tag>>8), byte(tag>>16))
	if f.key {
		dst = append(dst, 0x9d, 0x01, 0x2a, byte(e.config.W), byte(e.config.W>>8), byte(e.config.H), byte(e.config.H>>8))
	}
	dst = append(dst, e.headerBytes...)
	return append(dst, e.bodyBytes...)
}

// writeCoefProbs writes the changes of probabilities of coefficients that make the frame shorter.
func (e *Encoder) writeCoefProbs(b *boolCoder) {
	for i := range e.probs.coefs {
		n, old, keep := &e.tokens.counts[i], &e.probs.coefs[i], coefUpdateProbs[i]
		better := bestProb(n[0], n[1])
		update(b, n, old, better, keep, 8)
	}
}

// update writes the high bits of a better probability in the place of an old one, if that makes the frame shorter.
func update(b *boolCoder, counts *[2]uint32, old *uint8, better, keep uint8, bits int) {
	shorter := gain(counts[0], counts[1], *old, better) > int64(bits<<8+bitCost(1, keep)-bitCost(0, keep))
	if better == *old || !shorter {
		b.put(0, keep)
		return
	}
	b.put(1, keep)
	b.literal(int(better>>(8-bits)), bits)
	*old = better
}

// writeVectorProbs does the same with those of vectors.
func (e *Encoder) writeVectorProbs(b *boolCoder) {
	var counts [2][vectorProbs][2]uint32
	var memory [32]vectorBit
	for i := range e.mbs {
		if m := &e.mbs[i]; !m.intra && m.mode == modeNew {
			for c, v := range [2]int16{m.difference.y, m.difference.x} {
				for _, bit := range appendComponent(memory[:0], int(v)/2) {
					counts[c][bit.prob][bit.bit]++
				}
			}
		}
	}
	for c := range counts {
		for i, n := range counts[c] {
			old, keep := &e.probs.vectors[c][i], vectorUpdateProbs[c][i]
			better := max(bestProb(n[0], n[1])&^1, 1) // seven bits are written
			update(b, &n, old, better, keep, 7)
		}
	}
}

// writeMacroblocks writes the modes and vectors of all macroblocks.
func (e *Encoder) writeMacroblocks(b *boolCoder) {
	var empty, intra uint32
	for i := range e.mbs {
		if e.mbs[i].empty {
			empty++
		}
		if e.mbs[i].intra {
			intra++
		}
	}
	n := uint32(len(e.mbs))
	probFull, probIntra := bestProb(n-empty, empty), bestProb(intra, n-intra)
	b.literal(1, 1) // macroblocks say whether they are empty
	b.literal(int(probFull), 8)
	if !e.frame.key {
		b.literal(int(probIntra), 8)
		b.literal(255, 8) // the reference is nearly always the last frame
		b.literal(128, 8)
		b.literal(0, 2) // default probabilities of intra modes
		e.writeVectorProbs(b)
	}
	for i := range e.mbs {
		m := &e.mbs[i]
		b.putBool(m.empty, probFull)
		if e.frame.key {
			writeKeyModes(b, m)
			continue
		}
		b.putBool(!m.intra, probIntra)
		if m.intra {
			writeIntraModes(b, m)
		} else {
			b.put(0, 255) // the last frame
			e.writeMotion(b, m)
		}
	}
}

// writeKeyModes writes the modes of a macroblock of a key frame.
func writeKeyModes(b *boolCoder, m *macroblock) {
	b.put(1, 145) // whole macroblocks
	if m.mode < predictHorizontal {
		b.put(0, 156)
		b.put(int(m.mode), 163)
	} else {
		b.put(1, 156)
		b.put(int(m.mode-predictHorizontal), 128)
	}
	writeChromaMode(b, m.chromaMode, [3]uint8{142, 114, 183})
}

// writeIntraModes writes the modes of an intra macroblock of another frame.
func writeIntraModes(b *boolCoder, m *macroblock) {
	b.putBool(m.mode != predictDC, 112)
	switch m.mode {
	case predictVertical, predictHorizontal:
		b.put(0, 86)
		b.put(int(m.mode-predictVertical), 140)
	case predictTrueMotion:
		b.put(1, 86)
		b.put(0, 37)
	}
	writeChromaMode(b, m.chromaMode, [3]uint8{162, 101, 204})
}

func writeChromaMode(b *boolCoder, mode uint8, probs [3]uint8) {
	for k, p := range probs {
		b.putBool(int(mode) > k, p)
		if int(mode) <= k {
			return
		}
	}
}

// writeMotion writes the mode of a macroblock with motion, and its vector.
func (e *Encoder) writeMotion(b *boolCoder, m *macroblock) {
	for k, votes := range m.votes {
		b.putBool(int(m.mode) > k, modeProbs[votes][k])
		if int(m.mode) <= k {
			break
		}
	}
	if m.mode != modeNew {
		return
	}
	var memory [32]vectorBit
	for c, v := range [2]int16{m.difference.y, m.difference.x} {
		for _, bit := range appendComponent(memory[:0], int(v)/2) {
			b.put(int(bit.bit), e.probs.vectors[c][bit.prob])
		}
	}
}
