package lab_test

import (
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// TestRedundantInputs checks that strategies whose clients draw the past use every input at 25 % loss
// if the server delays inputs and packets repeat them, and about as many as arrive otherwise; that
// important moves take fewer bits; and that without a delay, repetitions are not sent in vain.
func TestRedundantInputs(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, name := range []string{"noprediction", "snapshot", "animated"} {
		run := func(knobs string) (ratio, bits float64) {
			l := labtest.Open(t, labtest.Config(t, "plain", "latency=75ms,loss=25%", AtClient), name+knobs)
			labtest.Run(t, l, 900)
			m := l.Panes[0].Counters
			return m.Value("inputs_consumed_ratio"), m.Value("input_bits")
		}
		_, single := run("")
		_, all := run(":playout=4")
		for _, c := range []struct {
			knobs    string
			min, max float64 // share of the inputs used
			bits     float64 // at most
		}{
			{"", 0.7, 0.8, single},
			{":redundant=off", 0.7, 0.8, single},
			{":important-moves=on", 0.7, 0.8, single},
			{":playout=4", 0.995, 1, 2 * single},
			{":playout=4:important-moves=on", 0.995, 1, all - 1},
			{":playout=4:redundant=off", 0.7, 0.8, single},
			{":playout=4:redundant-max=1", 0.7, 0.8, single},
			{":playout=4:redundant-max=3", 0.95, 0.995, all - 1},
		} {
			if ratio, bits := run(c.knobs); ratio < c.min || ratio > c.max || bits > c.bits {
				t.Errorf("%s%s: a share of %.3f of the inputs is used, want %v to %v; %v bits, want at most %v", name, c.knobs, ratio, c.min, c.max, bits, c.bits)
			}
		}
	}
}
