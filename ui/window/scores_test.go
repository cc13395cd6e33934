package window

import (
	"slices"
	"strings"
	"testing"

	"ghostcube/predict/score"
)

// TestBars checks the lengths of bars for each order of values, and that there are none where values cannot be
// compared. score.Best has a test of its own.
func TestBars(t *testing.T) {
	for _, c := range []struct {
		better  score.Better
		values  []float64 // below -200: unknown
		lengths []float32
		best    int // of values without noise
	}{
		{score.Lower, []float64{2, 8, 4}, []float32{0.25, 1, 0.5}, 0},
		{score.Lower, []float64{0, 8}, []float32{0, 1}, 0},
		{score.Lower, []float64{3, 3}, nil, -1},
		{score.Lower, []float64{1, 1, 2}, []float32{0.5, 0.5, 1}, -1},
		{score.NearZero, []float64{-160, 40}, []float32{1, 0.25}, 1},
		{score.NearOne, []float64{0.25, 2}, []float32{1, 0.5}, 1},
		{score.Neither, []float64{1, 2}, nil, -1},
		{score.Lower, []float64{5, -999}, nil, -1},
		{score.Lower, []float64{5, -999, 10}, []float32{0.5, 0, 1}, 0},
	} {
		var values []*score.Measure
		for _, v := range c.values {
			values = append(values, &score.Measure{Value: v, OK: v > -200, Better: c.better})
		}
		best := score.Best(values, make([]float64, len(values)))
		if lengths := barLengths(values); !slices.Equal(lengths, c.lengths) || best != c.best {
			t.Errorf("%v of %v: %v, best %d", c.better, c.values, lengths, best)
		}
	}
}

// TestScoresLead promises that the page of scores leads with the figures that lead every display, and that the
// distances from the server now come last.
func TestScoresLead(t *testing.T) {
	g := newTestGame(t, "noprediction", "rewind")
	g.runTicks(t, 200)
	g.openPage(t, "Score")
	top := map[string]float32{}
	for _, it := range g.panel.ui.Body.Items {
		top[it.Text] = it.Y
	}
	for i, name := range []string{"path error RMS, m", "pops per minute", "bandwidth down, kbit/s", "bandwidth up, kbit/s", "All measures"} {
		above := []string{"key to screen, ms", "path error RMS, m", "pops per minute", "bandwidth down, kbit/s", "bandwidth up, kbit/s"}[i]
		if top[name] == 0 || top[above] >= top[name] {
			t.Errorf("%q is at %v, %q at %v", above, top[above], name, top[name])
		}
	}
	for name, y := range top {
		if strings.HasPrefix(name, "lag error") && y < top["All measures"] {
			t.Errorf("%q leads", name)
		}
	}
}

// TestScoresNameTakes promises that the columns of the scores have the numbers of the takes that are shown beside each
// other.
func TestScoresNameTakes(t *testing.T) {
	g := newTestGame(t, "rewind", "snapshot")
	g.playPast(t, 60)
	g.session.Past.SeekFully(20)
	g.session.Controls.NudgeServer() // begins a take
	g.playPast(t, 10)
	g.session.Beside.Toggle()
	g.screen.w, g.screen.h, g.screen.scale = 1280, 3000, 1
	g.openPage(t, "Score")
	var scores strings.Builder
	for _, it := range g.panel.ui.Body.Items {
		scores.WriteString(it.Text + "\n")
	}
	if text := scores.String(); !strings.Contains(text, "rewind (take 2)") || !strings.Contains(text, "snapshot (take 1)") {
		t.Errorf("the scores do not name the takes:\n%.400s", text)
	}
}
