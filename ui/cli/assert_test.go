//go:build !js || headless

package cli

import (
	"math"
	"testing"
)

// TestAssertionHolds checks every operator below, at and above its limit, and that NaN satisfies none.
func TestAssertionHolds(t *testing.T) {
	for operator, want := range map[string][3]bool{
		"<": {true, false, false}, "<=": {true, true, false}, "=": {false, true, false},
		">=": {false, true, true}, ">": {false, false, true},
	} {
		list, err := parseAssertions([]string{"rewind:smooth-speed=0.5.path_error_max_m" + operator + "1.5"})
		need(err)
		a := list[0]
		if a.pane != "rewind:smooth-speed=0.5" || a.measure != "path_error_max_m" {
			t.Errorf("%+v", a)
		}
		for i, v := range []float64{1.25, 1.5, 1.75} {
			if a.holds(v) != want[i] {
				t.Errorf("%v %s 1.5 is %v", v, operator, !want[i])
			}
		}
		if a.holds(math.NaN()) {
			t.Errorf("NaN %s 1.5 holds", operator)
		}
	}
}

// TestAssertionOfSomeSessions checks the text about a measure that only some of the sessions have, and that one which no
// session has fails.
func TestAssertionOfSomeSessions(t *testing.T) {
	mean := func(name string, values ...float64) seedMeasure {
		return seedMeasure{name: name, meanInterval: newMeanInterval(values)}
	}
	s := &seedsResult{Seeds: []uint64{1, 2, 3}, Panes: []seedsPane{{Spec: "rewind", Strategy: "rewind",
		Score: seedMeasures{mean("overshoot_m", 1, 1.5), mean("jerk_ratio"), mean("pops_per_minute", math.NaN(), 1, 1)}}}}
	for text, want := range map[string]string{
		"rewind.overshoot_m>1":     "1.25 in pane 1, rewind, mean of 3 sessions, of which 2 have a value, 95 % interval -1.9265 to 4.4265",
		"rewind.jerk_ratio>1":      "no value in pane 1, rewind",
		"rewind.pops_per_minute>0": "NaN in pane 1, rewind, mean of 3 sessions, 95 % interval NaN to NaN",
	} {
		list, err := parseAssertions([]string{text})
		need(err)
		holds, measured, err := list[0].judge(s)
		if measured != want || err != nil || holds != (list[0].measure == "overshoot_m") {
			t.Errorf("%s: %v, %s, %v", text, holds, measured, err)
		}
	}
}
