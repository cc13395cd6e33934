package lab_test

import (
	"fmt"
	"strings"
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// TestParseFaults checks the commands and times of a list of forced faults, and the errors of
// wrong ones.
func TestParseFaults(t *testing.T) {
	t.Parallel()
	c := labtest.Config(t, "two-players", "perfect", AtClient)
	list, err := ParseFaults("skew=-500, 2.fps=20@5s,freeze=2s@1.5s,1.freeze=300ms,blackout=5s@1m,nudge=-1@2s,fps=off", c)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list {
		got = append(got, fmt.Sprint(f.At, " ", f.Command))
	}
	want := "0s clock all skew -500; 5s clock all 2.fps 20; 1.5s freeze all - 2s; 0s freeze all 1 300ms; " +
		"1m0s blackout all - 5s; 2s nudge all x -1; 0s clock all fps off"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
	for text, want := range map[string]string{
		"skew":             "want name=value",
		"skew=1e4":         "-100000 to 100000",
		"fps=3":            "5 to 1000",
		"3.fps=20":         "1 to 2",
		"0.freeze=2s":      "1 to 2",
		"freeze=2":         "above 0s",
		"2.burst=2s":       `no fault "2.burst"`,
		"nudge=far":        "-100 to 100",
		"slow=1":           "there are skew, fps, freeze, blackout, nudge, forge, replay, false-fragments, forge-acks, desync, rejoin, block",
		"forge=0":          "1 to 32767",
		"replay=5":         "above 0s",
		"false-fragments=": "1 to 100000",
		"forge-acks=0":     "1 to 100000",
		"2.forge=5":        `no fault "2.forge"`,
		"fps=20@5":         "a time such as 5s",
		"fps=20@-5s":       "a time such as 5s",
		"fps=20,,":         "want name=value",
		"blackout=1s@1s@":  "a time such as 5s",
	} {
		if _, err := ParseFaults(text, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}
