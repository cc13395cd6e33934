package entropy

// MostInputs is how many models may be mixed.
const MostInputs = 6

// Mixer learns which of several models to believe, for one kind of answer: a
// weight for each (the logistic mixing of Mahoney's paq programs). The zero
// value believes all of them equally.
//
// Chances are mixed as logarithms of odds, so that a model that is sure counts
// for more than one that is not; after each answer the weights move along the
// gradient of what it has cost.
type Mixer struct {
	weights [MostInputs]int32 // in 65536ths, beyond what they begin with
}

const (
	firstSum = 72000 // of the weights to begin with, in 65536ths
	learning = 10    // of the weights
)

// Odds are in 256ths of their natural logarithm, in [-oddsMost, oddsMost].
const oddsMost = 2047

// logistic are the chances in 65536ths for odds from -8 to 8, two to each.
var logistic = [33]int32{
	22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743,
	32768, 40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514,
}

// squash returns the chance in 65536ths of odds.
func squash(odds int32) int32 {
	odds = min(max(odds, -oddsMost), oddsMost)
	i, part := (odds+2048)>>7, (odds+2048)&127
	return (logistic[i]*(128-part) + logistic[i+1]*part) >> 7
}

// stretched are the odds for chances in 4096ths: squash the other way.
var stretched = func() (t [4096]int16) {
	odds := int32(-oddsMost)
	for i := range t {
		for odds < oddsMost && squash(odds) < int32(i)<<4+8 {
			odds++
		}
		t[i] = int16(odds)
	}
	return
}()

// Mix is one answer, by what several models have learned of its kind. All of
// them learn it, and m how far each was to be believed. There are at most
// MostInputs.
func (c *Coder) Mix(v bool, m *Mixer, in []*Bit) bool {
	if c.failure != nil {
		return v && c.writing
	}
	var odds [MostInputs]int32
	first := firstSum / int32(len(in))
	sum := int64(0)
	for i, b := range in {
		odds[i] = int32(stretched[b.of()>>4])
		sum += int64(odds[i]) * int64(m.weights[i]+first)
	}
	chance := squash(int32(min(max(sum>>16, -oddsMost), oddsMost)))
	v = c.bit(v, uint32(chance))
	if c.failure != nil {
		return v
	}
	miss := -chance
	if v {
		miss += 1 << 16
	}
	for i, b := range in {
		m.weights[i] += int32((int64(odds[i])*int64(miss)*learning + 1<<19) >> 20)
		b.learn(v)
	}
	return v
}
