package predict

import "time"

// Counters count events that only a strategy sees, such as corrections, replayed ticks and late
// inputs. The zero value is empty.
type Counters struct {
	// Stopwatch returns the time since an arbitrary moment. It may be nil. Only spans use it, and
	// no hash covers spans.
	Stopwatch func() time.Duration

	counters []CounterValue
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

// CounterValue is a counter as a list shows it.
type CounterValue struct {
	Name  string
	Help  string // one sentence with the unit, at most 110 characters
	Value float64
	Level bool // set to values, and not counted up

	Quantity Quantity // that it counts
}

// Counter is a handle by which a side changes one counter of a Counters. A side's CopyFrom does not
// copy handles, because each fork of a session has its own.
type Counter struct {
	counters *Counters
	index    int
}

// New adds a counter at zero, so that it is listed before anything happens, and returns its handle.
// For a name that exists already it returns a handle of the same counter, so the clients of a pane
// count together.
func (m *Counters) New(name, help string) Counter {
	for i := range m.counters {
		if m.counters[i].Name == name {
			return Counter{m, i}
		}
	}
	m.counters = append(m.counters, CounterValue{Name: name, Help: help})
	return Counter{m, len(m.counters) - 1}
}

// Rejected returns the counter of rejected payloads, which most sides have.
func (m *Counters) Rejected() Counter {
	return m.New("rejected_payloads", "payloads rejected because they were malformed or far out of range")
}

// Inc adds 1.
func (c Counter) Inc() { c.Add(1) }

// Add adds x.
func (c Counter) Add(x float64) { c.counters.counters[c.index].Value += x }

// Set sets the counter to x.
func (c Counter) Set(x float64) {
	v := &c.counters.counters[c.index]
	v.Value, v.Level = x, true
}

// Max raises the counter to x if it is less.
func (c Counter) Max(x float64) {
	v := &c.counters.counters[c.index]
	v.Value, v.Level = max(v.Value, x), true
}

// Value returns the counter's value.
func (c Counter) Value() float64 { return c.counters.counters[c.index].Value }

// Lookup returns the counter called name. ok is false if there is none.
func (m *Counters) Lookup(name string) (value float64, ok bool) {
	for i := range m.counters {
		if m.counters[i].Name == name {
			return m.counters[i].Value, true
		}
	}
	return 0, false
}

// Value returns the counter called name, or 0 if there is none.
func (m *Counters) Value(name string) float64 {
	value, _ := m.Lookup(name)
	return value
}

// All returns the counters in the order in which they were declared. The slice is read-only.
func (m *Counters) All() []CounterValue { return m.counters }

// CopyFrom makes m a copy of o, except for the stopwatch.
func (m *Counters) CopyFrom(o *Counters) {
	m.counters = append(m.counters[:0], o.counters...)
	m.spans = append(m.spans[:0], o.spans...)
}
