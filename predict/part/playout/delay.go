package playout

import "ghostcube/sim"

// Adapt returns the playout delay that follows delay if a policy wants another: it grows at
// once, because packets are late, and shrinks by at most shrink.
func Adapt(delay, wanted, shrink sim.Moment) sim.Moment {
	return max(wanted, delay-shrink)
}

// peakSpans is the number of spans that a Peak remembers.
const peakSpans = 5

// Peak is the delay policy of a receiver that waits for every packet. It wants the delay that
// the latest packet of the last spans needed.
type Peak struct {
	spans [peakSpans]Span
	count int // spans that have been added
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

const (
	percentileSpans = 10 // spans that a Percentile remembers
	percentileTicks = 64 // greatest delay that it wants
)

// Percentile is the delay policy of a receiver that can do without some packets. It wants the
// delay that a share of the packets of the last spans needed, and one tick more. It compares
// each packet with the earliest of its span, so it needs no clock.
type Percentile struct {
	Percent int // of the packets are to be in time, in [1,100]

	span     lateTicks // the current one
	earliest int       // lateness of its earliest packet, ticks
	spans    [percentileSpans]lateTicks
	count    int // spans that have been added
}

// lateTicks is a histogram of packets by how much later than the earliest they arrived.
type lateTicks struct {
	packets [percentileTicks]uint16 // by ticks; the last bin has all later ones, too
	total   int
}

// Add records the lateness of a packet.
func (p *Percentile) Add(lateness sim.Moment) {
	late := int((lateness &^ (sim.MomentsPerTick - 1)) / sim.MomentsPerTick)
	if p.span.total == 0 {
		p.earliest = late
	}
	if earlier := p.earliest - late; earlier > 0 {
		p.span.shift(earlier)
		p.earliest = late
	}
	p.span.packets[min(late-p.earliest, percentileTicks-1)]++
	p.span.total++
}

// shift adds some ticks to the lateness of all packets.
func (l *lateTicks) shift(ticks int) {
	var shifted [percentileTicks]uint16
	for late, n := range l.packets {
		shifted[min(late+ticks, percentileTicks-1)] += n
	}
	l.packets = shifted
}

// Discard forgets the current span.
func (p *Percentile) Discard() { p.span = lateTicks{} }

// EndSpan ends the current span. A span without packets does not count.
func (p *Percentile) EndSpan() {
	if p.span.total > 0 {
		p.spans[p.count%percentileSpans] = p.span
		p.count++
	}
	p.Discard()
}

// Wanted returns the delay that the last spans needed, in whole ticks. It reports false
// before any packet has arrived.
func (p *Percentile) Wanted() (delay sim.Moment, ok bool) {
	var packets [percentileTicks]int
	left := 0
	for i := range p.spans {
		for late, n := range p.spans[i].packets {
			packets[late] += int(n)
		}
		left += p.spans[i].total
	}
	if left == 0 {
		return 0, false
	}
	left = left * p.Percent / 100
	late := 0
	for ; late < percentileTicks-1; late++ {
		if left -= packets[late]; left <= 0 {
			break
		}
	}
	return sim.Moment(late+1) * sim.MomentsPerTick, true
}

// Confident reports whether enough spans have been added for a small lateness to be more
// than luck.
func (p *Percentile) Confident() bool { return p.count >= percentileSpans }
