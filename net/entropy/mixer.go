package entropy

// maxInputs is the largest number of models in a mix.
const maxInputs = 6

// Mixer learns how much weight to give each of several models for one kind of bit (the
// logistic mixing of Mahoney's paq programs). The zero value weights them equally.
//
// Probabilities are mixed in the logistic domain, as logarithms of odds, so a confident
// model counts more than an unsure one. After each bit the weights follow the gradient
// of its cost.
type Mixer struct {
	weights [maxInputs]int32 // offsets from the initial weights, in 65536ths
}

const (
	initialWeightSum = 72000 // sum of the initial weights, in 65536ths
	learningRate     = 10
)

// maxLogit bounds the logarithm of the odds, which is in 256ths.
const maxLogit = 2047

// logisticTable holds probabilities in 65536ths for logarithms of odds from -8 to 8, in
// steps of a half.
var logisticTable = [33]int32{
	22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743,
	32768, 40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514,
}

// squash converts a logarithm of odds to a probability in 65536ths.
func squash(logit int32) int32 {
	logit = min(max(logit, -maxLogit), maxLogit)
	i, fraction := (logit+2048)>>7, (logit+2048)&127
	return (logisticTable[i]*(128-fraction) + logisticTable[i+1]*fraction) >> 7
}

// stretchTable holds the inverse of squash for probabilities in 4096ths.
var stretchTable = func() (t [4096]int16) {
	logit := int32(-maxLogit)
	for i := range t {
		for logit < maxLogit && squash(logit) < int32(i)<<4+8 {
			logit++
		}
		t[i] = int16(logit)
	}
	return
}()

// MixedBit codes a bit with the mixed prediction of several models, at most six. All of
// them learn the bit, and m learns how well each of them predicted it.
func (c *Coder) MixedBit(v bool, m *Mixer, models []*BitModel) bool {
	if c.err != nil {
		return v && c.writing
	}
	var logits [maxInputs]int32
	first := initialWeightSum / int32(len(models))
	sum := int64(0)
	for i, b := range models {
		logits[i] = int32(stretchTable[b.probability16()>>4])
		sum += int64(logits[i]) * int64(m.weights[i]+first)
	}
	one := squash(int32(min(max(sum>>16, -maxLogit), maxLogit)))
	v = c.codeBit(v, uint32(one))
	if c.err != nil {
		return v
	}
	err := -one
	if v {
		err += 1 << 16
	}
	for i, b := range models {
		m.weights[i] += int32((int64(logits[i])*int64(err)*learningRate + 1<<19) >> 20)
		b.update(v)
	}
	return v
}
