package entropy

// BitModel is what has been learned of one kind of answer: how often it was yes. The
// zero value has seen none and holds both for equally likely.
//
// The chance moves towards each answer by 1/(n+1.5) of the way after n of them,
// and by no less than 1/256: at first it is the mean of what has been seen, later
// mostly of the last few hundred.
type BitModel struct {
	// The chance of yes in 2^-24, less a half, above 8 bits of how many answers
	// have been seen: wraps.
	state uint32
}

const (
	initialProbability = 1 << 23 // the chance that a zero value stands for
	maxSeen            = 254
)

// adaptationRates are the shares of the way, in 65536ths, after so many answers.
var adaptationRates = func() (t [maxSeen + 1]uint32) {
	for n := range t {
		t[n] = 1 << 17 / uint32(2*n+3)
	}
	return
}()

// probability24 returns that of yes, in 2^-24.
func (m *BitModel) probability24() uint32 { return (m.state>>8 + initialProbability) & (1<<24 - 1) }

// probability16 returns the chance of yes in 65536ths, in [1, 65535].
func (m *BitModel) probability16() uint32 { return max(m.probability24()>>8, 1) }

// update moves the chance towards an answer.
func (m *BitModel) update(v bool) {
	p, seen := m.probability24(), m.state&0xff
	rate := uint64(adaptationRates[seen])
	if v {
		p += uint32(uint64(1<<24-1-p) * rate >> 16)
	} else {
		p -= uint32(uint64(p) * rate >> 16)
	}
	m.state = (p-initialProbability)<<8 | min(seen+1, maxSeen)
}

// Bit is one answer, by what m has learned of its kind; m learns it.
func (c *Coder) Bit(v bool, m *BitModel) bool {
	v = c.codeBit(v, m.probability16())
	if c.err == nil {
		m.update(v)
	}
	return v
}
