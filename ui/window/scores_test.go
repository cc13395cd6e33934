package window

import (
	"strings"
	"testing"

	"ghostcube/ui/hud"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
	"ghostcube/ui/widget"
)

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
		above := []string{"key to screen now, ms", "path error RMS, m", "pops per minute", "bandwidth down, kbit/s", "bandwidth up, kbit/s"}[i]
		if top[above] == 0 || top[above] >= top[name] {
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

// TestCounterText promises that people can read every counter: 695,110 was shown as 6.9511e+05.
func TestCounterText(t *testing.T) {
	for v, want := range map[float64]string{
		695110: "695110", 695110.4: "695110", 12.34567: "12.346", 0: "0", -3: "-3", 0.25: "0.25", 1e9: "1000000000", 0.00001234: "0.000012", 9999.96: "10000",
	} {
		if got := counterText(v); got != want {
			t.Errorf("%v is shown as %s, want %s", v, got, want)
		}
	}
}

// TestGraphsAreNamed promises that every graph of the score page has a tooltip that begins with its title, and ends where small
// values can still be seen.
func TestGraphsAreNamed(t *testing.T) {
	l := stagetest.Session(t, "latency=75ms", "rewind")
	var h hud.HUD
	stagetest.Roll(t, &h, l, 2)
	largest := map[string]float32{"m": 0.1, "ms": 50, "kbit/s": 10, "ticks": 5, "inputs": 5, "bits": 50, "bytes": 50}
	for i := range hud.GraphCount {
		g := h.Graph(0, i)
		if !strings.HasPrefix(graphHelp[i], g.Title+": ") {
			t.Errorf("graph %q has the tooltip %q", g.Title, graphHelp[i])
		}
		if graphMinScale[i] <= 0 || graphMinScale[i] > largest[g.Unit] {
			t.Errorf("graph %q ends at %v %s or more", g.Title, graphMinScale[i], g.Unit)
		}
	}
}

// TestHeadlineList promises that the page View lists the quantities of headlines by their titles, all different, and that a
// word of a title, typed into the open list, finds it.
func TestHeadlineList(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.runTicks(t, 10)
	titles := headlineTitles()
	seen := map[string]bool{}
	for i, name := range stage.HeadlineNames() {
		if seen[titles[i]] || strings.Contains(titles[i], "_") && !strings.Contains(titles[i], "("+name+")") {
			t.Errorf("%s has the title %q", name, titles[i])
		}
		seen[titles[i]] = true
	}
	g.openPage(t, "View")
	g.focusPanel(false)
	var visited []string
	for g.panel.ui.Focused() != "headline" {
		if visited = append(visited, g.panel.ui.Focused()); len(visited) == 100 {
			t.Fatalf("Tab does not lead to the headline, but to %q", visited)
		}
		g.lay(t, widget.Input{Tab: true})
	}
	for _, r := range "downkbit" { // a space chooses, as Enter does
		g.lay(t, widget.Input{Text: string(r)})
	}
	g.lay(t, widget.Input{Enter: true})
	g.runTicks(t, 1)
	if got := g.session.Settings().Headline; got != "down_kbit_per_second" {
		t.Errorf("the headline is %q", got)
	}
}
