//go:build !js || headless

package cli

import (
	"math"
	"strings"
	"testing"

	"ghostcube/predict"
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
		"rewind.overshoot_m>1":     "1.2 in pane 1, rewind, mean of 3 sessions, of which 2 have a value, 95 % interval -1.9 to 4.4",
		"rewind.jerk_ratio>1":      "no value in pane 1, rewind",
		"rewind.pops_per_minute>0": "NaN in pane 1, rewind, mean of 3 sessions, 95 % interval NaN to NaN",
	} {
		list, err := parseAssertions([]string{text})
		need(err)
		holds, measured, err := list[0].judge(s, false)
		if measured != want || err != nil || holds != (list[0].measure == "overshoot_m") {
			t.Errorf("%s: %v, %s, %v", text, holds, measured, err)
		}
	}
}

// TestAssertionOfInterval checks that with --assert-interval both ends of the interval have to hold, that a mean without an interval
// fails, and that no rounded value is on the other side of the limit.
func TestAssertionOfInterval(t *testing.T) {
	s := &seedsResult{Seeds: []uint64{1, 2}, Panes: []seedsPane{{Spec: "rewind", Strategy: "rewind",
		Score: seedMeasures{{name: "overshoot_m", meanInterval: newMeanInterval([]float64{1, 2})},
			{name: "jerk_ratio", meanInterval: newMeanInterval([]float64{1})}}}}}
	for text, want := range map[string][2]bool{ // the mean, the interval of -4.85 to 7.85
		"1.overshoot_m<5": {true, false}, "1.overshoot_m<8": {true, true}, "1.overshoot_m>-4": {true, false}, "1.overshoot_m>=-5": {true, true},
		"1.overshoot_m=1.5": {true, false}, "1.jerk_ratio<2": {true, false},
	} {
		list, err := parseAssertions([]string{text})
		need(err)
		for i, interval := range []bool{false, true} {
			if holds, measured, err := list[0].judge(s, interval); holds != want[i] || err != nil {
				t.Errorf("%s, interval %v: %v, %s, %v", text, interval, holds, measured, err)
			}
		}
	}
	list, err := parseAssertions([]string{"1.overshoot_m<5"})
	need(err)
	if got := list[0].numberText(4.99999, -1) + " " + list[0].numberText(4.96, 1) + " " + list[0].numberText(4.123, 1); got != "4.99999 4.96 4.1" {
		t.Error(got)
	}
	refused(t, "--assert-interval: want --assert, and --seeds", "bench", "--assert-interval", "--assert", "1.jerk_ratio<2")
	refused(t, "want PANE.MEASURE, one of < <= > >= =", "bench", "--assert", "rewind.key_to_screen_ms!=5")
	refused(t, "did you mean pops_per_minute?", "bench", "--assert", "rewind.pops<5")
}

// TestAssertionOfMissingCounter checks assertions about a counter that only some of the sessions have, also not the first one: the
// mean and the interval are those of the others, and one value has no interval.
func TestAssertionOfMissingCounter(t *testing.T) {
	session := func(counters ...predict.CounterValue) *result {
		p := paneResult{Strategy: "rewind", Spec: "rewind", Counters: map[string]float64{}, counterList: counters}
		for _, c := range counters {
			p.Counters[c.Name] = c.Value
		}
		return &result{Panes: []paneResult{p}}
	}
	joins := func(n float64) predict.CounterValue { return predict.CounterValue{Name: "joins", Value: n} }
	s := mergeResults([]*result{session(), session(joins(1)), session(joins(2), predict.CounterValue{Name: "blocks", Value: 3})})
	for text, want := range map[string]struct {
		holds    [2]bool // of the mean, and in the interval
		measured string
	}{
		"1.joins<5":  {[2]bool{true, false}, "1.5 in pane 1, rewind, mean of 3 sessions, of which 2 have a value, 95 % interval -4.9 to 7.9"},
		"1.joins<8":  {[2]bool{true, true}, "1.5 in pane 1, rewind, mean of 3 sessions, of which 2 have a value, 95 % interval -4.9 to 7.9"},
		"1.blocks=3": {[2]bool{true, false}, "3 in pane 1, rewind, mean of 3 sessions, of which 1 have a value"},
	} {
		list, err := parseAssertions([]string{text})
		need(err)
		for i, interval := range []bool{false, true} {
			holds, measured, err := list[0].judge(s, interval)
			if interval && strings.Contains(text, "blocks") {
				want.measured += ", no interval"
			}
			if holds != want.holds[i] || measured != want.measured || err != nil {
				t.Errorf("%s, interval %v: %v, %s, %v", text, interval, holds, measured, err)
			}
		}
	}
}

// TestFigureNames checks that list measures knows every figure that an assertion takes, and no other name.
func TestFigureNames(t *testing.T) {
	for _, name := range append(figureNames(), "corrections", "repredictions") {
		if out := printed(t, "list", "measures", name); out == "" {
			t.Errorf("%s: nothing", name)
		}
	}
	refused(t, "did you mean rtt_ms?", "list", "measures", "rtt_sm")
}
