package score

import "math"

// noiseBlocks is the number of one-second blocks from which the noise of a measure is known.
const noiseBlocks = 5

// noiseFactor is by how many standard errors two values must differ: 95 % of differences by chance
// are smaller.
const noiseFactor = 2

// Noise estimates the standard errors of measures from the spread over blocks of one second. A
// measure is a function of the whole session, such as a root mean square, so its value in one block
// is taken from the last two values of the session, k v(k) - (k-1) v(k-1) after k blocks: that is
// the block's own value for a mean, and close to it for smooth functions of means. The zero value
// is ready.
type Noise struct {
	blocks   int
	measures []measureNoise // in the order of the measures
}

// measureNoise are the block values of a measure so far.
type measureNoise struct {
	known  bool    // last is a value
	last   float64 // value of the measure after the last block
	count  int     // block values
	mean   float64
	square float64 // sum of squared deviations from the mean
}

// Add adds the measures after another block of one second. The list has the same measures in the
// same order each time.
func (n *Noise) Add(list []Measure) {
	n.blocks++
	for len(n.measures) < len(list) {
		n.measures = append(n.measures, measureNoise{})
	}
	k := float64(n.blocks)
	for i := range list {
		m, v := &n.measures[i], list[i].Value
		switch {
		case !list[i].OK:
			*m = measureNoise{}
			continue
		case m.known:
			block := float64(k*v) - float64((k-1)*m.last)
			m.count++
			deviation := block - m.mean
			m.mean += deviation / float64(m.count)
			m.square += float64(deviation * (block - m.mean))
		}
		m.known, m.last = true, v
	}
}

// StandardErrors appends the standard error of each measure to dst, in its unit, and +Inf where it is
// not known yet.
func (n *Noise) StandardErrors(dst []float64) []float64 {
	for i := range n.measures {
		m, e := &n.measures[i], math.Inf(1)
		if m.count >= noiseBlocks {
			e = math.Sqrt(m.square / float64(m.count-1) / float64(m.count))
		}
		dst = append(dst, e)
	}
	return dst
}

// CopyFrom makes n a copy of o that shares no memory with it.
func (n *Noise) CopyFrom(o *Noise) {
	n.blocks, n.measures = o.blocks, append(n.measures[:0], o.measures...)
}

// AppendBars appends the lengths of bars for several values of one measure to dst: 1 for the worst, 0 for the best possible
// value and for one that is unknown. It appends nothing where fewer than two values can be compared, or all are equal.
func AppendBars(dst []float32, values []*Measure) []float32 {
	worst, lowest, known := 0.0, math.Inf(1), 0
	for _, m := range values {
		if m.OK && m.Better != Neither {
			known++
			worst, lowest = max(worst, m.badness()), min(lowest, m.badness())
		}
	}
	if known < 2 || worst == lowest {
		return dst
	}
	for _, m := range values {
		length := 0.0
		if m.OK && m.Better != Neither {
			length = m.badness() / worst
		}
		dst = append(dst, float32(length))
	}
	return dst
}

// badness returns the distance of a value from the best possible one, at least 0.
func (m *Measure) badness() float64 {
	switch m.Better {
	case NearZero:
		return math.Abs(m.Value)
	case NearOne: // a ratio: 2 is as bad as 0.5
		if m.Value <= 0 {
			return math.MaxFloat32
		}
		return max(m.Value, 1/m.Value) - 1
	}
	return max(m.Value, 0)
}

// badnessError returns the standard error of the badness of a value with a standard error.
func (m *Measure) badnessError(e float64) float64 {
	if m.Better == NearOne && m.Value > 0 && m.Value < 1 {
		return e / float64(m.Value*m.Value)
	}
	return e
}

// Best returns the index of the best of several values of one measure, or -1 if there is none: if
// fewer than two are known, or if the best differs from another by less than the noise of both, or
// by less than a row shows. errors are their standard errors.
func Best(values []*Measure, errors []float64) int {
	best, known := -1, 0
	for i, m := range values {
		if !m.OK || m.Better == Neither {
			continue
		}
		if known++; best < 0 || m.badness() < values[best].badness() {
			best = i
		}
	}
	if known < 2 {
		return -1
	}
	for i, m := range values {
		if i == best || !m.OK {
			continue
		}
		a, b := m.badnessError(errors[i]), values[best].badnessError(errors[best])
		noise := math.Sqrt(float64(a*a) + float64(b*b))
		if !(m.badness()-values[best].badness() > float64(noiseFactor*noise)) || m.Text() == values[best].Text() {
			return -1
		}
	}
	return best
}
