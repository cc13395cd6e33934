package lab_test

import (
	"math"
	"slices"
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/predict/score"
)

// TestStandardErrors checks that the standard errors of a pane's measures are known after seven
// scored seconds, go on in a fork as in the original, and are unknown after a restart.
func TestStandardErrors(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "zen", "latency=75ms,jitter=20ms,loss=5%", AtClient), "rewind:corrections=off:contact-order=reordered")
	lagError := func(l *Lab) float64 {
		errors := l.Panes[0].StandardErrors(nil)
		i := slices.IndexFunc(l.Panes[0].Measures(nil), func(m score.Measure) bool { return m.Name == "lag_error_rms_m" })
		if len(errors) <= i {
			return math.Inf(1)
		}
		return errors[i]
	}
	labtest.Run(t, l, 500)
	f := l.Fork()
	labtest.Run(t, l, 100)
	labtest.Run(t, f, 100)
	if a, b := lagError(l), lagError(f); a != b || a <= 0 || math.IsInf(a, 1) {
		t.Errorf("standard error of %v m, in the fork %v", a, b)
	}
	labtest.Apply(t, l, "switch 1 rewind -")
	labtest.Run(t, l, 120)
	if e := lagError(l); !math.IsInf(e, 1) {
		t.Errorf("standard error of %v m two seconds after a restart", e)
	}
}
