package predict

import "time"

// Counters are what only a strategy can count: corrections, replayed ticks, late inputs. The zero
// value is empty.
type Counters struct {
	// Stopwatch returns the time since an arbitrary moment. It may be nil. Only spans use it, and
	// no hash covers spans.
	Stopwatch func() time.Duration

	counters []Counter
	spans    []Span
}

// Span is a kind of work whose CPU time is measured if there is a stopwatch.
type Span struct {
	Name       string
	Count      int
	Total, Max time.Duration
}

// BeginSpan starts a measurement. Its result is for EndSpan.
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

// Spans returns the spans in order of first use. The slice is read-only.
func (m *Counters) Spans() []Span { return m.spans }

// Counter is one named number.
type Counter struct {
	Name  string
	Help  string // one sentence with the unit, at most 110 characters
	Value float64
}

// Declare adds a counter at zero, so that it is listed before anything happens. Declaring a name
// again changes nothing.
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
	panic("predict: counter " + name + " is not declared")
}

// Add adds x to the counter called name. It panics if the counter was not declared.
func (m *Counters) Add(name string, x float64) { m.find(name).Value += x }

// Set sets the counter called name to x. It panics if the counter was not declared.
func (m *Counters) Set(name string, x float64) { m.find(name).Value = x }

// Value returns the counter called name, or 0 if there is none.
func (m *Counters) Value(name string) float64 {
	for i := range m.counters {
		if m.counters[i].Name == name {
			return m.counters[i].Value
		}
	}
	return 0
}

// All returns the counters in the order in which they were declared. The slice is read-only.
func (m *Counters) All() []Counter { return m.counters }

// CopyFrom makes m a copy of o, except for the stopwatch.
func (m *Counters) CopyFrom(o *Counters) {
	m.counters = append(m.counters[:0], o.counters...)
	m.spans = append(m.spans[:0], o.spans...)
}
