package vp8

// Tokens are stored before they are coded, because a frame's probabilities are in its header: each is a bit
// with the index of its probability, or with the probability itself.
type token uint16

// fixedProb marks tokens that have their probability instead of its index.
const fixedProb token = 1 << 15

// tokens are those of a frame.
type tokens struct {
	list   []token
	counts [coefProbs][2]uint32 // of zeros and ones
}

func (t *tokens) reset() {
	t.list = t.list[:0]
	clear(t.counts[:])
}

func (t *tokens) add(prob, bit int) {
	t.list = append(t.list, token(prob<<1|bit))
	t.counts[prob][bit]++
}

func (t *tokens) addFixed(p uint8, bit int) {
	t.list = append(t.list, fixedProb|token(p)<<1|token(bit))
}

// extraBits are the probabilities of the bits that follow the six largest classes of levels.
var extraBits = [6][]uint8{
	{159},
	{165, 145},
	{173, 148, 140},
	{176, 155, 140, 135},
	{180, 157, 141, 134, 130},
	{254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129},
}

// addBlock adds the levels of a block from place first on (RFC 6386, section 13.2), and returns whether there are any,
// the context for its neighbours. context is that of the first level.
func (t *tokens) addBlock(b *block, kind, context, first int) uint8 {
	p := probIndex(kind, int(bandOf[first]), context)
	if b.end <= first {
		t.add(p, 0)
		return 0
	}
	t.add(p, 1)
	for i := first; ; {
		level := int(b.levels[i])
		i++
		if level == 0 { // no end follows a zero
			t.add(p+1, 0)
			p = probIndex(kind, int(bandOf[i]), 0)
			continue
		}
		t.add(p+1, 1)
		context := 2
		if level == 1 || level == -1 {
			context = 1
			t.add(p+2, 0)
		} else {
			t.add(p+2, 1)
			t.addLarge(p, max(level, -level))
		}
		sign := 0
		if level < 0 {
			sign = 1
		}
		t.addFixed(128, sign)
		if i == 16 {
			return 1
		}
		p = probIndex(kind, int(bandOf[i]), context)
		if i == b.end {
			t.add(p, 0)
			return 1
		}
		t.add(p, 1)
	}
}

// addLarge adds a magnitude above one.
func (t *tokens) addLarge(p, size int) {
	if size <= 4 {
		t.add(p+3, 0)
		if size == 2 {
			t.add(p+4, 0)
		} else {
			t.add(p+4, 1)
			t.add(p+5, size-3)
		}
		return
	}
	t.add(p+3, 1)
	class, least := 0, 5
	for class < 5 && size >= least+1<<len(extraBits[class]) {
		least += 1 << len(extraBits[class])
		class++
	}
	if class < 2 {
		t.add(p+6, 0)
		t.add(p+7, class)
	} else {
		t.add(p+6, 1)
		t.add(p+8, (class-2)>>1)
		t.add(p+9+(class-2)>>1, class&1)
	}
	extra := extraBits[class]
	for k, prob := range extra {
		t.addFixed(prob, (size-least)>>(len(extra)-1-k)&1)
	}
}

// code writes the tokens with the probabilities of coefficients.
func (t *tokens) code(b *boolCoder, probs *[coefProbs]uint8) {
	for _, k := range t.list {
		if k&fixedProb != 0 {
			b.put(int(k&1), uint8(k>>1))
		} else {
			b.put(int(k&1), probs[k>>1])
		}
	}
}
