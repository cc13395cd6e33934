package playout

import "ghostcube/sim"

// Span is the range of lateness of the packets in a span of time.
type Span struct {
	Any      bool // at least one packet has arrived
	Min, Max sim.Moment
}

// Add extends the span to the lateness of one more packet.
func (s *Span) Add(lateness sim.Moment) {
	if !s.Any {
		*s = Span{true, lateness, lateness}
		return
	}
	s.Min, s.Max = min(s.Min, lateness), max(s.Max, lateness)
}

// Arrivals records how late packets arrive, span by span.
type Arrivals struct {
	// SpanTicks is the length of a span.
	SpanTicks int

	// Early is how much earlier than the earliest of the first span a packet has to arrive to
	// end its span at once, because this cannot be jitter. 0: no packet does.
	Early sim.Moment

	// AllLateTicks is the time after which a span ends if all its packets were late: they
	// cannot be used, so the clock has to be set soon. 0: it does not.
	AllLateTicks int

	span     Span // that has not ended
	ticks    int  // of it
	hasFirst bool
	first    sim.Moment // lateness of the earliest packet of the first span
	drift    sim.Moment
}

// Add records the lateness of a packet.
func (a *Arrivals) Add(lateness sim.Moment) { a.span.Add(lateness) }

// Discard begins the span anew. A receiver that is changing its own pace discards with each
// packet, because the lateness is not that of the clocks then.
func (a *Arrivals) Discard() { a.span, a.ticks = Span{}, 0 }

// Tick counts a tick of the receiver. It returns the span that ends with it, which is empty
// if no packet arrived.
func (a *Arrivals) Tick() (ended Span, ok bool) {
	a.ticks++
	early := a.Early > 0 && a.hasFirst && a.span.Any && a.first-a.span.Min > a.Early
	late := a.AllLateTicks > 0 && a.ticks >= a.AllLateTicks && a.span.Any && a.span.Min > 0
	if a.ticks < a.SpanTicks && !early && !late {
		return Span{}, false
	}
	ended = a.span
	a.Discard()
	if ended.Any {
		if !a.hasFirst {
			a.hasFirst, a.first = true, ended.Min
		}
		a.drift = ended.Min - a.first
	}
	return ended, true
}

// Current returns the span that has not ended.
func (a *Arrivals) Current() Span { return a.span }

// First returns the lateness of the earliest packet of the first span. It reports false before the
// first span has ended.
func (a *Arrivals) First() (lateness sim.Moment, ok bool) { return a.first, a.hasFirst }

// Drift returns how much later the earliest packet of the last span arrived than that of
// the first. It grows if the sender's clock runs slower than the receiver's, or the path
// becomes longer.
func (a *Arrivals) Drift() sim.Moment { return a.drift }

// SetBack takes into account that the receiver has set its clock back: all packets are that
// much less late.
func (a *Arrivals) SetBack(by sim.Moment) {
	a.span.Min -= by
	a.span.Max -= by
	a.drift -= by
}
