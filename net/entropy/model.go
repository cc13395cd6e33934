package entropy

// BitModel estimates the probability that a bit is set from the bits it has seen. The
// zero value has seen none and predicts both values equally.
//
// After n bits the estimate moves towards the next one by 1/(n+1.5) of the difference,
// and by at least 1/256: at first it is the mean of all bits, later mostly of the last
// few hundred.
type BitModel struct {
	// The upper 24 bits are the probability in 2^-24 minus one half, wrapping; the
	// lower 8 bits count the bits seen.
	state uint32
}

const (
	initialProbability = 1 << 23 // probability of the zero value
	maxSeen            = 254
)

// adaptationRates holds the fraction of the difference, in 65536ths, by the bits seen.
var adaptationRates = func() (t [1 << 8]uint32) {
	for n := range t {
		t[n] = 1 << 17 / uint32(2*n+3)
	}
	return
}()

// probability24 returns the probability of a set bit in 2^-24.
func (m *BitModel) probability24() uint32 { return (m.state>>8 + initialProbability) & (1<<24 - 1) }

// probability16 returns the probability of a set bit in 65536ths, in [1, 65535].
func (m *BitModel) probability16() uint32 { return max(m.probability24()>>8, 1) }

// update moves the estimate towards v.
func (m *BitModel) update(v bool) {
	far := uint32(0) // complements the probability, which is then that of a cleared bit
	if v {
		far = 1<<24 - 1
	}
	p, seen := m.probability24()^far, m.state&0xff
	p -= uint32(uint64(p) * uint64(adaptationRates[seen]) >> 16)
	m.state = (p^far-initialProbability)<<8 | min(seen+1, maxSeen)
}

// Bit codes a bit with the prediction of m, which then learns it.
func (c *Coder) Bit(v bool, m *BitModel) bool {
	v = c.codeBit(v, m.probability16())
	if c.err == nil {
		m.update(v)
	}
	return v
}
