package lab_test

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// allKnobs switches on every knob that decides which bodies are predicted or interpolated.
const allKnobs = ":predicted-bodies=joint-tree:joint-tree=relative:others=auto:fallback-corrections=3:fallback-dirty-ticks=6"

// TestKnobsCombine checks that the knobs of the predicting strategies work together: two runs
// and a fork are equal, ticks allocate nothing, no payload is rejected, and at rest the views
// equal the server's world.
func TestKnobsCombine(t *testing.T) {
	experiment.Skip(t)
	for _, x := range []struct{ spec, scene string }{
		{"relative" + allKnobs, "train:rods=8"}, {"relative" + allKnobs, "ship:platform=1"},
		{"relative:joint-tree=relative-position:fallback-corrections=3", "train:rods=8"},
		{"relative:predicted-bodies=joint-tree:chain-joints-max=4:joint-tree=relative:fallback-corrections=3", "train:rods=8"},
		{"historyoffset" + allKnobs, "trailer"},
	} {
		if experiment.Brief() && !strings.Contains(x.spec, allKnobs) {
			continue
		}
		allocatesNothing(t, x.scene, AtClient, x.spec)
		l := conforms(t, labtest.Config(t, x.scene, badNetwork, AtClient), x.spec, 300, 200, labtest.Run)
		if n := l.Panes[0].Counters.Value("rejected_payloads"); n != 0 {
			t.Errorf("%s in %s: %v rejected payloads", x.spec, x.scene, n)
		}
		restsAtServer(t, l, 900, 0.005, true)
	}
}
