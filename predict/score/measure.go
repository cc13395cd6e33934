package score

import "strconv"

// Measure is one figure of a score: what a report, a table and the panel show.
type Measure struct {
	Name   string  // of JSON: words joined by underscores and the unit; it never changes
	Title  string  // of a row: words and the unit. Empty: JSON has it, and a row another measure of the same thing
	Help   string  // a sentence: what it measures, and how to read it
	Value  float64 // if OK
	OK     bool    // false where it cannot be told: null in JSON, a dash in a row
	Digits int     // after the point, in a row
	Better Better
}

// Better says which of two values of a measure is the better one.
type Better uint8

// The ways to be better.
const (
	Lower    Better = iota
	NearZero        // on either side
	NearOne         // on either side
	Neither         // it describes, and does not judge
)

// Text returns the value as a row shows it.
func (m *Measure) Text() string {
	if !m.OK {
		return "-"
	}
	return strconv.FormatFloat(m.Value, 'f', m.Digits, 64)
}

// OwnLatency appends to dst the latency of the own input, in ticks of a session
// at a rate in ticks per second. It is no part of a card: it takes runs without
// a key to measure. ok is false if no key showed.
func OwnLatency(dst []Measure, ticks float64, ok bool, rate int) []Measure {
	return append(dst,
		Measure{"own_input_latency_ticks", "", "ticks from the tick of a key to the first picture that differs from one without the key", ticks, ok, 1, Lower},
		Measure{"own_input_latency_ms", "own input latency, ms", "time from the tick of a key to the first picture that differs from one without the key", ticks * 1000 / float64(rate), ok, 1, Lower},
	)
}

// Measures appends to dst all that the card tells, always the same ones in the
// same order.
func (c *Card) Measures(dst []Measure) []Measure {
	milli := func(ticks float64) float64 { return ticks * 1000 / float64(max(c.rate, 1)) }
	stale, still := c.Staleness()
	freezes, longest := c.Freezes()
	jerk, jerks := c.JerkRatio()
	jerkAll, jerksAll := c.JerkRatioAll()
	deepest, under := c.Floor()
	deepestTrue, underTrue := c.FloorTruth()
	return append(dst,
		Measure{"error_rms_m", "error RMS, m", "distance of the drawn cube from the true one now, root mean square", c.ErrorRMS(), true, 3, Lower},
		Measure{"error_max_m", "error max, m", "the largest distance of the drawn cube from the true one now", c.ErrorMax(), true, 3, Lower},
		Measure{"pops_per_minute", "pops per minute", "jumps of the drawn cube that the true one did not make", c.PopsPerMinute(), true, 1, Lower},
		Measure{"largest_pop_m", "largest pop, m", "the farthest of those jumps", c.LargestPop(), true, 3, Lower},
		Measure{"pop_energy_m2", "pop energy, m2", "sum of the squares of those jumps", c.PopEnergy(), true, 4, Lower},
		Measure{"staleness_ticks", "", "ticks that the drawn cube moves later than the true one; below 0: ahead of it", float64(stale), still, 0, NearZero},
		Measure{"staleness_ms", "staleness, ms", "how much later the drawn cube moves than the true one; below 0: ahead of it", milli(float64(stale)), still, 1, NearZero},
		Measure{"freeze_percent", "frozen, %", "share of ticks in which the drawn cube stands while the true one is under way", 100 * c.Frozen(), true, 2, Lower},
		Measure{"freezes", "freezes", "runs of such ticks that last 1/20 s or more", float64(freezes), true, 0, Lower},
		Measure{"longest_freeze_ms", "longest freeze, ms", "how long the longest of those runs lasts", milli(float64(longest)), true, 1, Lower},
		Measure{"jerk_ratio", "jerk, by the truth's", "RMS jerk of the drawn cube by that of the true one: 1 is as smooth, more is rougher", jerk, jerks, 2, NearOne},
		Measure{"jerk_ratio_all", "jerk, all bodies", "RMS jerk of all drawn bodies by that of the true ones: 1 is as smooth, more is rougher", jerkAll, jerksAll, 2, NearOne},
		Measure{"floor_deepest_m", "in the floor, m", "the deepest that any drawn body reached below the ground; read it beside the truth's", deepest, true, 3, Lower},
		Measure{"floor_bodies", "in the floor, bodies", "drawn bodies more than 2 cm below the ground, mean over ticks", under, true, 2, Lower},
		Measure{"floor_truth_deepest_m", "true in the floor, m", "the deepest that any true body reached below the ground: its contacts are soft", deepestTrue, true, 3, Neither},
		Measure{"floor_truth_bodies", "true in the floor, bodies", "true bodies more than 2 cm below the ground, mean over ticks", underTrue, true, 2, Neither},
	)
}
