package window

import (
	"io"
	"os"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
)

// newTestGame returns a game without a window.
func newTestGame(t testing.TB, panes ...string) *game {
	t.Helper()
	return playSettings(t, plan.Settings{Panes: strings.Join(panes, ",")})
}

// playSettings returns a game of a session.
func playSettings(t testing.TB, s plan.Settings) *game {
	t.Helper()
	library := &plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons, LessonFiles: assets.Lessons,
		PresetFiles: assets.Presets, TermFile: assets.Terms}
	p, err := library.New(s, plan.Settings{}, "")
	if err != nil {
		t.Fatal(err)
	}
	g := newGame(Options{Session: session.Options{
		OutDir: t.TempDir(), Version: "1.2.3", Library: library,
		PlanComparison: func(name string) (*plan.Plan, error) {
			return library.New(plan.Settings{Compare: name}, plan.Settings{}, "")
		},
	}})
	g.session.Platform.CopyText = func(string) error { return nil }
	t.Cleanup(func() { // a video that is still being written would come back into the folder that is being removed
		interrupt := make(chan os.Signal, 1)
		interrupt <- os.Interrupt
		if err := g.session.Videos.WaitAll(interrupt, io.Discard); err != nil {
			t.Error(err)
		}
	})
	if err := g.start(p); err != nil {
		t.Fatal(err)
	}
	return g
}

// start starts the session of a plan.
func (g *game) start(p *plan.Plan) error {
	err := g.session.Start(p)
	g.sessionStarted()
	return err
}

// playPast makes n ticks as Update does.
func (g *game) playPast(t *testing.T, n int) {
	t.Helper()
	for range n {
		g.session.Past.Wait()
		g.session.Past.Update()
		g.runTicks(t, 1)
		g.session.Beside.Follow()
		g.session.Past.MakeCheckpoint()
	}
	g.session.Past.Wait()
}

// setButtons holds buttons down.
func (g *game) setButtons(first, second sim.Buttons) {
	g.intents.Inputs = g.session.Controls.Inputs(first, second)
}

// runTicks makes ticks with the present inputs.
func (g *game) runTicks(t *testing.T, n int) {
	t.Helper()
	for range n {
		if err := g.session.Tick(&g.intents); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNumberText holds the numbers beside graphs, which never have an exponent.
func TestNumberText(t *testing.T) {
	for v, want := range map[float32]string{0: "0", 0.004: "0", 0.126: "0.13", 5: "5", 1.5: "1.5", 12.34: "12.3", 196: "196", 23600: "23600", -4.25: "-4.25"} {
		if got := numberText(v); got != want {
			t.Errorf("%v becomes %s, want %s", v, got, want)
		}
	}
}

// monitorSize is a monitor.
type monitorSize [2]int

func (m monitorSize) Size() (w, h int) { return m[0], m[1] }

// TestFitWindow promises that a window larger than its monitor, such as the usual one on a full-HD display at 200 %, gets a
// size that fits, with its proportions, and that others keep theirs.
func TestFitWindow(t *testing.T) {
	for _, c := range []struct {
		w, h    int
		monitor monitorSize
		fits    bool
	}{
		{1280, 720, monitorSize{1920, 1080}, true}, {1280, 720, monitorSize{1280, 720}, true}, {1280, 720, monitorSize{}, true},
		{1280, 720, monitorSize{960, 540}, false}, {1280, 720, monitorSize{1280, 700}, false}, {3840, 2160, monitorSize{1920, 1080}, false},
	} {
		w, h, ok := fitWindow(c.w, c.h, c.monitor)
		switch {
		case ok == c.fits:
			t.Errorf("%dx%d on %v: fitted %v", c.w, c.h, c.monitor, ok)
		case c.fits && (w != c.w || h != c.h):
			t.Errorf("%dx%d on %v became %dx%d", c.w, c.h, c.monitor, w, h)
		case !c.fits && (w > c.monitor[0]*9/10 || h > c.monitor[1]*9/10 || w*c.h/c.w-h > 1 || h-w*c.h/c.w > 1):
			t.Errorf("%dx%d on %v became %dx%d", c.w, c.h, c.monitor, w, h)
		}
	}
}
