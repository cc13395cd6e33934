package entropy

// Bit is what has been learned of one kind of answer: how often it was yes. The
// zero value has seen none and holds both for equally likely.
//
// The chance moves towards each answer by 1/(n+1.5) of the way after n of them,
// and by no less than 1/256: at first it is the mean of what has been seen, later
// mostly of the last few hundred.
type Bit struct {
	// The chance of yes in 2^-24, less a half, above 8 bits of how many answers
	// have been seen: wraps.
	state uint32
}

const (
	half     = 1 << 23 // the chance that a zero value stands for
	seenMost = 254
)

// rates are the shares of the way, in 65536ths, after so many answers.
var rates = func() (t [seenMost + 1]uint32) {
	for n := range t {
		t[n] = 1 << 17 / uint32(2*n+3)
	}
	return
}()

// chance returns that of yes, in 2^-24.
func (m *Bit) chance() uint32 { return (m.state>>8 + half) & (1<<24 - 1) }

// of returns the chance of yes in 65536ths, in [1, 65535].
func (m *Bit) of() uint32 { return max(m.chance()>>8, 1) }

// learn moves the chance towards an answer.
func (m *Bit) learn(v bool) {
	p, seen := m.chance(), m.state&0xff
	rate := uint64(rates[seen])
	if v {
		p += uint32(uint64(1<<24-1-p) * rate >> 16)
	} else {
		p -= uint32(uint64(p) * rate >> 16)
	}
	m.state = (p-half)<<8 | min(seen+1, seenMost)
}

// Bit is one answer, by what m has learned of its kind; m learns it.
func (c *Coder) Bit(v bool, m *Bit) bool {
	v = c.bit(v, m.of())
	if c.failure == nil {
		m.learn(v)
	}
	return v
}
