package window

import (
	"slices"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
)

// newTurned returns an embedded game with controls under its picture, and their lines as the page was told them last.
func newTurned(t *testing.T, panes, knobs string) (g *game, lines func() [][]string) {
	t.Helper()
	g = newEmbedded(t, plan.Settings{Panes: panes, Tape: "circle", Network: "latency=75ms,loss=7%"})
	offered := ""
	g.knobs.offer = func(text string, _ func(int, float64)) { offered = text }
	g.session.Knobs = knobs
	g.session.Reset()
	if err := g.applyPanel(); err != nil {
		t.Fatal(err)
	}
	return g, func() (list [][]string) {
		g.knobs.update()
		for line := range strings.SplitSeq(offered, "\n") {
			list = append(list, strings.Split(line, "\t"))
		}
		return list
	}
}

// TestLiveKnobs promises that the controls under an embedded picture have name, range, value and unit, that what is turned is a
// command on the tape, in each pane that has the knob, that the session played again keeps it and a reset does not, and that a
// wrong name is a message beside the others.
func TestLiveKnobs(t *testing.T) {
	g, lines := newTurned(t, "rewind:smoothing=single,noprediction,rewind:smoothing=single", "loss,smooth-factor,1.smothing")
	values := func(want ...string) {
		t.Helper()
		var got []string
		for _, l := range lines()[:2] {
			got = append(got, l[1]+" "+l[6])
		}
		if !slices.Equal(got, want) {
			t.Errorf("the page shows %q, want %q", got, want)
		}
	}
	values("loss 7 %", "smooth-factor 0.9")
	l := lines()
	if range0 := strings.Join(l[0][:6], " "); range0 != "0 loss 0 60 1 7" || l[0][7] == "" || !strings.HasSuffix(l[2][0], "did you mean smoothing?") {
		t.Errorf("the page is told %q", l)
	}
	g.press(t, "large play")
	g.knobs.turned(0, 20)
	g.knobs.turned(1, 0.6)
	g.knobs.turned(1, 0.5)
	g.knobs.turned(2, 1)
	g.knobs.turned(-1, 1)
	values("loss 20 %", "smooth-factor 0.5")
	g.updateFrame(t, nowhere, false)
	want := []lab.Command{
		{Verb: "condition", Pane: lab.AllPanes, Name: "loss", Value: "20%"},
		{Verb: "set", Pane: 0, Name: "smooth-factor", Value: "0.5"},
		{Verb: "set", Pane: 2, Name: "smooth-factor", Value: "0.5"},
	}
	take := g.session.Past.Timeline.Take()
	if got := take.Entry(take.End() - 1).Commands; !slices.Equal(got, want) {
		t.Errorf("the tape has %v, want %v", got, want)
	}

	g.session.Ended, g.session.Paused = true, false
	g.updateFrame(t, nowhere, false)
	if n := g.session.Lab.Ticks(); n > 1 {
		t.Fatalf("tick %d of a session that is played again", n)
	}
	values("loss 20 %", "smooth-factor 0.5")
	g.press(t, "reset")
	values("loss 7 %", "smooth-factor 0.9")
}

// TestLiveKnobKinds promises that knobs of every kind can be turned, and that no value that the page may send does harm.
func TestLiveKnobKinds(t *testing.T) {
	g, lines := newTurned(t, "rewind,statesync", "smoothing,2.states,1.snapshot-every")
	for _, turn := range []struct {
		index int
		value float64
		want  string
	}{
		{0, 1, "single"}, {0, 99, "two-factor"}, {0, -1, "none"}, {1, 0, "off"}, {1, 1, "on"}, {2, 4, "4"}, {2, 1e9, "4"}, {2, 0.5, "4"},
	} {
		g.knobs.turned(turn.index, turn.value)
		if got := lines()[turn.index][6]; got != turn.want {
			t.Errorf("control %d turned to %v is %s, want %s", turn.index, turn.value, got, turn.want)
		}
	}
}
