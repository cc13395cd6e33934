package lab_test

import (
	"math"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// spanSpecs are strategies whose servers step in each tick, and on input.
var spanSpecs = []string{"rewind", "rewind:server-steps=on-input:redundant=off", "lockstep:transport=tcp"}

// TestSpanFromStart checks that a span which begins with the session measures what the score does, and that neither it
// nor another one changes the session's hash.
func TestSpanFromStart(t *testing.T) {
	experiment.Skip(t)
	for _, spec := range spanSpecs {
		open := func() *Lab { return labtest.Open(t, labtest.Config(t, "zen", "csp-25-loss", AtClient), spec) }
		l, plain := open(), open()
		p := l.Panes[0]
		p.StartSpan(60)
		for i := range 600 {
			e := Entry{Inputs: []sim.Input{{Buttons: sim.Forward, Heading: uint8(i / 4)}}}
			for _, l := range []*Lab{l, plain} {
				labtest.Tick(t, l, e)
			}
		}
		for _, m := range p.Measures(nil) {
			if got := p.SpanMeasure(m.Name); got != m {
				t.Errorf("%s: %+v, want %+v", spec, got, m)
			}
		}
		for _, c := range p.Counters.All() {
			if got := p.SpanMeasure(c.Name); !got.OK || got.Value != c.Value {
				t.Errorf("%s: %s is %v, want %v", spec, c.Name, got.Value, c.Value)
			}
		}
		if l.Hash() != plain.Hash() {
			t.Errorf("%s: a span changes the hash", spec)
		}
	}
}

// TestSpanCountsFromItsStart checks that a later span counts only what happens in it: events, bandwidth and the time
// from key to screen; that a level is not counted; and that a switched strategy ends the span.
func TestSpanCountsFromItsStart(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "zen", "latency=75ms", AtClient), "rewind:smoothing=none")
	p := l.Panes[0]
	if m := p.SpanMeasure("corrections"); m.OK {
		t.Errorf("without a span: %+v", m)
	}
	run := func(ticks int, commands ...string) {
		labtest.Apply(t, l, commands...)
		for i := range ticks {
			labtest.Hold(t, l, 1, sim.Input{Buttons: sim.Forward, Heading: uint8(i / 4)})
		}
	}
	const nudge = "nudge all x 1"
	run(300, nudge)
	before := p.Counters.Value("corrections")
	p.StartSpan(0)
	sent := p.Clients[0].LinkCounters(link.Up).WireBytes
	run(300)
	for _, name := range []string{"corrections", "resimulated_ticks_per_minute", "path_error_max_m", "key_to_screen_ms"} {
		if m := p.SpanMeasure(name); !m.OK || m.Value > 1e-3 {
			t.Errorf("after the nudge: %s is %v (%v)", name, m.Value, m.OK)
		}
	}
	sent = p.Clients[0].LinkCounters(link.Up).WireBytes - sent
	if up, want := p.SpanMeasure("up_kbit_per_second"), float64(sent)*8/1000/5; sent == 0 || math.Abs(up.Value-want) > 1e-9 {
		t.Errorf("%v kbit/s up, want %v", up.Value, want)
	}
	p.StartSpan(0)
	run(120, nudge) // the first second counts, too
	if m := p.SpanMeasure("path_error_max_m"); before < 1 || p.SpanMeasure("corrections").Value < 1 || math.Abs(m.Value-1) > 0.1 {
		t.Errorf("with a nudge: %v corrections, %v before; path error %v", p.SpanMeasure("corrections").Value, before, m.Value)
	}
	if largest := p.SpanMeasure("correction_max_m").Value; largest != p.Counters.Value("correction_max_m") {
		t.Errorf("a level is counted: %v", largest)
	}
	if err := l.Apply(Command{Verb: "switch", Pane: 0, Name: "snapshot"}); err != nil || p.SpanMeasure("path_error_max_m").OK {
		t.Errorf("the span of another strategy, %v", err)
	}
}
