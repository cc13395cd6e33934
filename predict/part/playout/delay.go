package playout

import "ghostcube/sim"

// Adapt returns the playout delay of the next tick where the arrivals want another than the
// present one: it grows at once, because something is late, and shrinks by at most shrink.
func Adapt(delay, wanted, shrink sim.Moment) sim.Moment {
	return max(wanted, delay-shrink)
}

// peakSpans is how many spans a Peak remembers.
const peakSpans = 5

// Peak is the delay policy of a receiver that waits for every packet: the delay that the
// latest packet of the last spans needed.
type Peak struct {
	spans [peakSpans]Span
	count int // of spans that have been added
}

// Add adds a span that has ended.
func (p *Peak) Add(s Span) {
	p.spans[p.count%peakSpans] = s
	p.count++
}

// Forget forgets all spans, but not that enough of them have been seen.
func (p *Peak) Forget() { p.spans = [peakSpans]Span{} }

// Wanted returns the greatest lateness of the last spans and of the current one.
func (p *Peak) Wanted(current Span) sim.Moment {
	for _, s := range p.spans {
		if s.Any {
			current.Add(s.Max)
		}
	}
	return current.Max
}

// Confident reports whether enough spans have been added for a small lateness to be more
// than luck.
func (p *Peak) Confident() bool { return p.count >= peakSpans }
