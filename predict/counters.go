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
func (c *Counters) BeginSpan() time.Duration {
	if c.Stopwatch == nil {
		return 0
	}
	return c.Stopwatch()
}

// EndSpan adds the time since began to the span called name.
func (c *Counters) EndSpan(name string, began time.Duration) {
	if c.Stopwatch == nil {
		return
	}
	d := c.Stopwatch() - began
	for i := range c.spans {
		if s := &c.spans[i]; s.Name == name {
			s.Count, s.Total, s.Max = s.Count+1, s.Total+d, max(s.Max, d)
			return
		}
	}
	c.spans = append(c.spans, Span{name, 1, d, d})
}

// Spans returns the spans in order of first use. The slice is read-only.
func (c *Counters) Spans() []Span { return c.spans }

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
func (c *Counters) New(name, help string) Counter {
	for i := range c.counters {
		if c.counters[i].Name == name {
			return Counter{c, i}
		}
	}
	c.counters = append(c.counters, CounterValue{Name: name, Help: help})
	return Counter{c, len(c.counters) - 1}
}

// ClockJumps adds the counter of jumps of a client's clock.
func (c *Counters) ClockJumps() Counter {
	return c.New("clock_jumps", "jumps of the client's clock by whole ticks, after the first")
}

// Rejected returns the counter of rejected payloads, which most sides have.
func (c *Counters) Rejected() Counter {
	return c.New("rejected_payloads", "payloads malformed or out of range")
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

// Join makes c the counters of two sides of a session that ran apart: both count together, and a level is that of the side that
// has set it.
func (c *Counters) Join(client, server *Counters) {
	c.counters = append(c.counters[:0], client.counters...)
	for _, v := range server.counters {
		sum := &c.counters[c.New(v.Name, v.Help).index]
		switch {
		case !v.Level:
			sum.Value += v.Value
		case sum.Value == 0:
			sum.Value = v.Value
		}
		sum.Level, sum.Quantity = v.Level || sum.Level, v.Quantity
	}
}

// Replace gives the counters of o their values there.
func (c *Counters) Replace(o *Counters) {
	for _, v := range o.counters {
		c.counters[c.New(v.Name, v.Help).index] = v
	}
}

// Lookup returns the counter called name. ok is false if there is none.
func (c *Counters) Lookup(name string) (value float64, ok bool) {
	for i := range c.counters {
		if c.counters[i].Name == name {
			return c.counters[i].Value, true
		}
	}
	return 0, false
}

// Value returns the counter called name, or 0 if there is none.
func (c *Counters) Value(name string) float64 {
	value, _ := c.Lookup(name)
	return value
}

// All returns the counters in the order in which they were declared. The slice is read-only.
func (c *Counters) All() []CounterValue { return c.counters }

// CopyFrom makes c a copy of o, except for the stopwatch.
func (c *Counters) CopyFrom(o *Counters) {
	c.counters = append(c.counters[:0], o.counters...)
	c.spans = append(c.spans[:0], o.spans...)
}
