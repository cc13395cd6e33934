package score

import "strconv"

// Measure is one figure of a score, as JSON, tables and the panel show it.
type Measure struct {
	Name   string  // key in JSON: words joined by underscores, ending in the unit (Unit); never changes
	Title  string  // label of a table row, with the unit
	Help   string  // one sentence: what the measure says; its Definition says the rest
	Value  float64 // valid if OK
	OK     bool    // false if the value is undefined: null in JSON, a dash in a row
	Digits int     // digits after the decimal point in a row
	Better Better  // how two values compare
}

// The evidence that a measure needs: scored time, or motion of the server's cube where the measure
// is a share of that. Events a minute need more, because one event in a second is 60 a minute.
const (
	evidenceSeconds = 1 // seconds
	rateSeconds     = 5 // seconds, of events a minute
)

// lasting reports whether the score has lasted long enough for events a minute.
func (s *Score) lasting() bool { return s.Ticks >= rateSeconds*max(s.rate, 1) }

// Better says which of two values of a measure is better.
type Better uint8

// The orders of values.
const (
	Lower    Better = iota
	NearZero        // on either side
	NearOne         // on either side
	Neither         // the measure describes the session and is not a rating
)

// String returns the order in words.
func (b Better) String() string {
	return [...]string{"lower is better", "closer to 0 is better", "closer to 1 is better", "informational"}[b]
}

// Text returns the value as a table row shows it.
func (m *Measure) Text() string { return string(m.AppendText(nil)) }

// AppendText appends what Text returns to dst.
func (m *Measure) AppendText(dst []byte) []byte {
	if !m.OK {
		return append(dst, '-')
	}
	return strconv.AppendFloat(dst, m.Value, 'f', m.Digits, 64)
}

// scoredSecond reports whether a second has been scored.
func (s *Score) scoredSecond() bool { return s.Ticks >= evidenceSeconds*max(s.rate, 1) }

// freezable reports whether the server's cube has moved for a second.
func (s *Score) freezable() bool { return s.freezes.moving >= evidenceSeconds*max(s.rate, 1) }

// millis returns a number of ticks in milliseconds.
func (s *Score) millis(ticks float64) float64 { return ticks * 1000 / float64(max(s.rate, 1)) }

// Definition defines measures that answer one question. It stands beside the sums that they are computed from.
// docs/reference/measures.md and list measures print it.
type Definition struct {
	Group     string // heading that it stands under
	Title     string
	Measures  []Entry
	Text      string // in formulas r is the drawn position, s the server's (the ground truth), v a velocity, d* the display delay
	Formula   string // may be empty
	Undefined string // when the measures have no value, as the end of a sentence; may be empty
	Source    string // author, title and year; empty: our own
	Blind     string // what the measures do not see, without a full stop
}

// Entry declares a measure, and says how it is computed.
type Entry struct {
	Measure                                               // without a value
	value   func(*Score, Counts) (value float64, ok bool) // nil if a score cannot measure it
}

// of returns the measure of a score.
func (e *Entry) of(c *Score, n Counts) Measure {
	m := e.Measure
	m.Value, m.OK = e.value(c, n)
	return m
}

// Definitions lists all measures, in the order in which every display has them.
var Definitions = []*Definition{
	&keyToScreenDefinition,
	&displayDelayDefinition,
	&nominalDelayDefinition,
	&updateGapDefinition,
	&pathErrorDefinition,
	&pathErrorAllDefinition,
	&lagErrorDefinition,
	&popDefinition,
	&popsAllDefinition,
	&overshootDefinition,
	&freezeDefinition,
	&jerkDefinition,
	&overlapDefinition,
	&jointSeparationDefinition,
	&pathErrorAtJointsDefinition,
	&vehiclePathErrorDefinition,
	&inParentDefinition,
	&bandwidthDefinition,
	&replayedTicksDefinition,
	&divergenceDefinition,
}

var keyToScreenDefinition = Definition{
	Group: "Delay", Title: "Key to screen",
	Measures: []Entry{
		{
			Measure{Name: "key_to_screen_ms", Title: "key to screen, ms", Digits: 1, Better: Lower,
				Help: "time from a key press to the first frame that differs from a run without the press"},
			nil,
		},
	},
	Text: `
The time from a key press to the first frame that shows it. The session runs a second time without the key press, over
the same network with the same outcomes. The latency ends at the first tick in which the drawn poses of the two runs
differ by more than 1e-5 m; 0 is the tick of the press. It is the mean of up to ten key presses of the tape, from half a
second after its start, at least two seconds apart, each after a tick without any key.`,
	Undefined: "if the tape has no such key press",
	Blind:     "the operating system's input queue, the graphics card and the screen",
}

// KeyToScreen returns the latency from a key press to the screen. ticks is its mean; rate is in ticks per second; ok is
// false if no key press was measured. A Score cannot measure it, because it takes a second run of the session without
// the key press.
func KeyToScreen(ticks float64, ok bool, rate int) Measure {
	m := keyToScreenDefinition.Measures[0].Measure
	m.Value, m.OK = ticks*1000/float64(rate), ok
	return m
}

// Measures appends all measures but the latency from a key press to dst: the same ones in the same order, whatever the score has
// seen. n are the counts of the same time.
func (s *Score) Measures(dst []Measure, n Counts) []Measure {
	for _, d := range Definitions {
		for i := range d.Measures {
			if e := &d.Measures[i]; e.value != nil {
				dst = append(dst, e.of(s, n))
			}
		}
	}
	return dst
}

// Headline appends the measures that lead every display, after key to screen, to dst: path error and pops, the pops of all
// bodies if there are many, and the bandwidth. Only the path error has digits after the point.
func (s *Score) Headline(dst []Measure, n Counts, manyBodies bool) []Measure {
	dst = append(dst, pathErrorDefinition.Measures[0].of(s, n))
	rest := [...]*Entry{&popDefinition.Measures[0], &popsAllDefinition.Measures[0], &bandwidthDefinition.Measures[1], &bandwidthDefinition.Measures[0]}
	for i, e := range rest {
		if i == 1 && !manyBodies {
			continue
		}
		m := e.of(s, n)
		m.Digits = 0
		dst = append(dst, m)
	}
	return dst
}
