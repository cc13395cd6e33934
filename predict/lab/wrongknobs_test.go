package lab_test

import (
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
)

// wrongKnobs are wrong settings of statesync. Compared with the right ones, under the network
// conditions that they are for, each makes a measure or a counter larger by more than a
// factor.
var wrongKnobs = []struct {
	network string
	right   string
	wrong   []wrongKnob
}{
	{periodicOutage, "statesync", []wrongKnob{
		{"statesync:velocities=off", "path_error_rms_all_m", 1.3},
		{"statesync:inputs=off", "path_error_rms_all_m", 1.3},
		{"statesync:states=off", "path_error_rms_all_m", 10},
	}},
	{periodicOutage, "statesync", []wrongKnob{
		{"statesync:correction=blend", "path_error_rms_all_m", 3},
		{"statesync:priority=current", "update_wait_max_ms", 5},
		{"statesync:smoothing=none", "largest_pop_m", 2},
	}},
	{"latency=50ms,jitter=20ms,loss=5%", "statesync", []wrongKnob{
		{"statesync:jitter-buffer=0", "path_error_rms_all_m", 20},
	}},
	{"latency=50ms,bandwidth=160kbit,queue=2s", "statesync", []wrongKnob{
		{"statesync:congestion=off", "nominal_delay_mean_ms", 4},
	}},
	{"latency=50ms,loss=30%", "statesync:compression=quantised:budget=64", []wrongKnob{
		{"statesync:compression=quantised:budget=64:reliable-rest=off", "update_wait_max_ms", 1.5},
	}},
	{"latency=50ms", "statesync:smoothing=none", []wrongKnob{
		{"statesync:smoothing=none:compression=quantised", "pop_energy_all_m2", 3},
		{"statesync:smoothing=none:position-steps=512:rotation-bits=9", "correction_mean_m", 3},
	}},
}

const periodicOutage = "latency=50ms,down.outage=250ms,down.outage-every=3s"

type wrongKnob struct {
	spec      string
	measure   string
	minFactor float64
}

// TestWrongKnobs shows the purpose of each part of statesync on 15 s of the katamari ball, and
// prints the table of docs/notebook/statesync-parts.md.
func TestWrongKnobs(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, c := range wrongKnobs {
		specs := []string{c.right}
		for _, w := range c.wrong {
			specs = append(specs, w.spec)
		}
		panes := playKatamariBall(t, c.network, 15, specs...)
		for i, w := range c.wrong {
			right, is := measureOrCounter(t, panes[0], w.measure), measureOrCounter(t, panes[i+1], w.measure)
			t.Logf("%-75s %-22s %8.3g, not %8.3g", w.spec, w.measure, is, right)
			if !(is > w.minFactor*right) {
				t.Errorf("%s, %s: %s is %v, and %v with %s", c.network, w.spec, w.measure, is, right, c.right)
			}
		}
	}
}

// measureOrCounter returns the value of a measure or a counter.
func measureOrCounter(t *testing.T, p *Pane, name string) float64 {
	t.Helper()
	for _, c := range p.Counters.All() {
		if c.Name == name {
			return c.Value
		}
	}
	return measure(t, p, name)
}
