package lab

import (
	"math"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/score"
	"ghostcube/sim"
)

// span measures a pane from a tick on, beside its score. It is not part of the session: no hash covers it, and
// neither a fork nor a switched strategy has it.
type span struct {
	score    score.Score
	from     baseline
	counters []predict.CounterValue // at its start
	latency  responses              // at its start
}

// baseline is what the sums of a pane were when a measurement began.
type baseline struct {
	tick     sim.Tick
	bytes    [2]uint64 // on the wire, by direction
	replayed float64   // ticks
}

// present returns the pane's sums.
func (p *Pane) present() baseline {
	return baseline{
		tick:     p.lab.tick,
		bytes:    [2]uint64{p.wireBytes(link.Up), p.wireBytes(link.Down)},
		replayed: p.Counters.Total(predict.ReplayedTicks),
	}
}

// responses are inputs that were shown, and the sum of their times from key to screen.
type responses struct {
	inputs int
	sum    time.Duration
}

// StartSpan begins a measurement of the pane, in the place of the previous one, that leaves out the first settle
// ticks, at least 2.
func (p *Pane) StartSpan(settle int) {
	p.span = &span{
		score:    score.Score{Warmup: max(settle, 2)},
		from:     p.present(),
		counters: append([]predict.CounterValue(nil), p.Counters.All()...),
		latency:  p.responses(),
	}
}

// SpanStarted reports whether the pane has been measured since StartSpan. A pane that starts again is not measured.
func (p *Pane) SpanStarted() bool { return p.span != nil }

// wireBytes returns the bytes on the wire of the first client so far.
func (p *Pane) wireBytes(d link.Direction) uint64 { return p.Clients[0].WireBytes(d) }

// responses returns the inputs that were shown so far.
func (p *Pane) responses() responses {
	r := p.Latency.SinceStart().Response
	return responses{r.Inputs, r.Sum() * time.Duration(r.Inputs)}
}

// SpanMeasure returns a measure, the time from key to screen or a counter of the present span. A counter that only
// grows counts from the start of the span. OK is false without a span, and where there is too little evidence.
func (p *Pane) SpanMeasure(name string) score.Measure {
	none := score.Measure{Name: name}
	s := p.span
	if s == nil {
		return none
	}
	if name == "key_to_screen_ms" {
		r := p.responses()
		n := r.inputs - s.latency.inputs
		ms := float64(r.sum-s.latency.sum) / float64(max(n, 1)) / float64(time.Millisecond)
		return score.Measure{Name: name, Title: "key to screen, ms", Value: ms, OK: n > 0, Better: score.Lower}
	}
	p.spanScratch = s.score.Measures(p.spanScratch[:0], p.counts(&s.from))
	for _, m := range p.spanScratch {
		if m.Name == name {
			return m
		}
	}
	for i, c := range p.Counters.All() {
		if c.Name != name {
			continue
		}
		v := c.Value
		if !c.Level && i < len(s.counters) && s.counters[i].Name == name {
			v -= s.counters[i].Value
		}
		m := score.Measure{Name: name, Help: c.Help, Value: v, OK: true, Better: score.Lower}
		if v != math.Trunc(v) {
			m.Digits = 2
		}
		return m
	}
	return none
}
