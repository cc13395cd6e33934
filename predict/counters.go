package predict

import "time"

// Counters counts what only a strategy knows: corrections, ticks replayed, inputs
// that came late. The zero value is empty.
type Counters struct {
	// Stopwatch tells the time since some moment. It may be nil; only spans
	// look at it, and no hash looks at those.
	Stopwatch func() time.Duration

	counters []Counter
	spans    []Span
}

// Span is work whose time is measured if there is a stopwatch.
type Span struct {
	Name       string
	Count      int
	Total, Max time.Duration
}

// BeginSpan begins to measure. What it returns ends it, at Spent.
func (m *Counters) BeginSpan() time.Duration {
	if m.Stopwatch == nil {
		return 0
	}
	return m.Stopwatch()
}

// EndSpan adds the time since began to the span called name.
func (m *Counters) EndSpan(name string, began time.Duration) {
	if m.Stopwatch == nil {
		return
	}
	d := m.Stopwatch() - began
	for i := range m.spans {
		if s := &m.spans[i]; s.Name == name {
			s.Count, s.Total, s.Max = s.Count+1, s.Total+d, max(s.Max, d)
			return
		}
	}
	m.spans = append(m.spans, Span{name, 1, d, d})
}

// Spans returns the spans in the order in which they first came, for reading.
func (m *Counters) Spans() []Span { return m.spans }

// Counter is one line of a Meter.
type Counter struct {
	Name  string
	Help  string // a sentence with the unit in it
	Value float64
}

// Declare adds a count at zero, so that it is seen before anything happens. A
// name declared before stays as it is.
func (m *Counters) Declare(name, help string) {
	for i := range m.counters {
		if m.counters[i].Name == name {
			return
		}
	}
	m.counters = append(m.counters, Counter{Name: name, Help: help})
}

func (m *Counters) find(name string) *Counter {
	for i := range m.counters {
		if m.counters[i].Name == name {
			return &m.counters[i]
		}
	}
	panic("predict: the count " + name + " was not declared")
}

// Add adds x to the count called name, which has been declared.
func (m *Counters) Add(name string, x float64) { m.find(name).Value += x }

// Set sets the count called name, which has been declared, to x.
func (m *Counters) Set(name string, x float64) { m.find(name).Value = x }

// Value returns the count called name, or 0 if there is none.
func (m *Counters) Value(name string) float64 {
	for i := range m.counters {
		if m.counters[i].Name == name {
			return m.counters[i].Value
		}
	}
	return 0
}

// All returns the counts in the order in which they were declared, for
// reading.
func (m *Counters) All() []Counter { return m.counters }

// CopyFrom makes m an equal of o, all but the stopwatch.
func (m *Counters) CopyFrom(o *Counters) {
	m.counters = append(m.counters[:0], o.counters...)
	m.spans = append(m.spans[:0], o.spans...)
}
