//go:build !js || headless

package cli

import (
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// TestSlowDown promises that the time around marked ticks is slow and no other, that overlapping spans are one, and that
// the speed is the usual one afterwards.
func TestSlowDown(t *testing.T) {
	entries := make([]lab.Entry, 600)
	entries[0].Commands = []lab.Command{stage.Show("speed", "2")}
	if slow := slowDown(entries, []int{100, 130, 590}, 60, 0.25, shownSpeed(entries[0].Commands)); slow != 130+90-70+40 {
		t.Errorf("%d ticks are slow", slow)
	}
	want := map[int]string{0: "2", 70: "0.25", 220: "2", 560: "0.25"}
	for i, e := range entries {
		got := ""
		for _, c := range e.Commands {
			got = c.Value
		}
		if got != want[i] {
			t.Errorf("tick %d sets the speed to %q, want %q", i, got, want[i])
		}
	}
}

// TestParseSlow compares speeds with their texts.
func TestParseSlow(t *testing.T) {
	for text, want := range map[string]float64{"1/4": 0.25, "0.5": 0.5, "1/16": 1. / 16} {
		if got, err := parseSlow(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "1/0", "1/32", "-1/4", "a/b", "NaN", "1/4/2"} {
		if got, err := parseSlow(text); err == nil {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
}
