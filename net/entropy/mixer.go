package entropy

// maxInputs is how many models may be mixed.
const maxInputs = 6

// Mixer learns which of several models to believe, for one kind of answer: a
// weight for each (the logistic mixing of Mahoney's paq programs). The zero
// value believes all of them equally.
//
// Chances are mixed as logarithms of odds, so that a model that is sure counts
// for more than one that is not; after each answer the weights move along the
// gradient of what it has cost.
type Mixer struct {
	weights [maxInputs]int32 // in 65536ths, beyond what they begin with
}

const (
	initialWeightSum = 72000 // of the weights to begin with, in 65536ths
	learningRate     = 10    // of the weights
)

// Odds are in 256ths of their natural logarithm, in [-oddsMost, oddsMost].
const maxLogit = 2047

// logisticTable are the chances in 65536ths for odds from -8 to 8, two to each.
var logisticTable = [33]int32{
	22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743,
	32768, 40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514,
}

// squash returns the chance in 65536ths of odds.
func squash(odds int32) int32 {
	odds = min(max(odds, -maxLogit), maxLogit)
	i, part := (odds+2048)>>7, (odds+2048)&127
	return (logisticTable[i]*(128-part) + logisticTable[i+1]*part) >> 7
}

// stretchTable are the odds for chances in 4096ths: squash the other way.
var stretchTable = func() (t [4096]int16) {
	odds := int32(-maxLogit)
	for i := range t {
		for odds < maxLogit && squash(odds) < int32(i)<<4+8 {
			odds++
		}
		t[i] = int16(odds)
	}
	return
}()

// MixedBit is one answer, by what several models have learned of its kind. All of
// them learn it, and m how far each was to be believed. There are at most
// MostInputs.
func (c *Coder) MixedBit(v bool, m *Mixer, in []*BitModel) bool {
	if c.err != nil {
		return v && c.writing
	}
	var odds [maxInputs]int32
	first := initialWeightSum / int32(len(in))
	sum := int64(0)
	for i, b := range in {
		odds[i] = int32(stretchTable[b.probability16()>>4])
		sum += int64(odds[i]) * int64(m.weights[i]+first)
	}
	chance := squash(int32(min(max(sum>>16, -maxLogit), maxLogit)))
	v = c.codeBit(v, uint32(chance))
	if c.err != nil {
		return v
	}
	miss := -chance
	if v {
		miss += 1 << 16
	}
	for i, b := range in {
		m.weights[i] += int32((int64(odds[i])*int64(miss)*learningRate + 1<<19) >> 20)
		b.update(v)
	}
	return v
}
