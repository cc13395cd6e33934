package window

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/plan"
)

// newTestGame returns a game without a window.
func newTestGame(t testing.TB, panes ...string) *game {
	t.Helper()
	return playSettings(t, plan.Settings{Panes: strings.Join(panes, ",")})
}

// playSettings returns a game of a session.
func playSettings(t testing.TB, s plan.Settings) *game {
	t.Helper()
	library := &plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons, LessonFiles: assets.Lessons}
	p, err := library.New(s, plan.Settings{}, "")
	if err != nil {
		t.Fatal(err)
	}
	g := &game{Options: Options{Plan: p, OutDir: t.TempDir(), Version: "1.2.3"}}
	g.Library = library
	g.panel.copyText = func(string) error { return nil }
	g.PlanComparison = func(name string) (*plan.Plan, error) {
		return library.New(plan.Settings{Compare: name}, plan.Settings{}, "")
	}
	t.Cleanup(func() { // a video that is still being written would come back into the folder that is being removed
		interrupt := make(chan os.Signal, 1)
		interrupt <- os.Interrupt
		if err := g.videos.waitAll(interrupt, io.Discard); err != nil {
			t.Error(err)
		}
	})
	if err := g.startPlan(p); err != nil {
		t.Fatal(err)
	}
	return g
}

// writeTape writes a tape of a scene without a network, and returns its file.
func writeTape(t *testing.T, lines string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hand.tape")
	if err := os.WriteFile(name, []byte("ghostcube tape 2\nscene zen\nnetwork perfect\n---\n"+lines), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// runTicks makes ticks with the present inputs.
func (g *game) runTicks(t *testing.T, n int) {
	t.Helper()
	for range n {
		if err := g.tick(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTwoPlayers promises that the second player's keys belong to that player where there are two, and to the
// first one where there is one.
func TestTwoPlayers(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.setButtons(sim.Forward, sim.Left)
	g.runTicks(t, 1)
	if g.lastInput.Buttons != sim.Forward|sim.Left {
		t.Errorf("the only player has the input %v", g.lastInput)
	}
	g.execute(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: "two-players"})
	g.execute(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "perfect"})
	g.setButtons(sim.Right, sim.Left)
	g.runTicks(t, 60)
	b := g.lab.Panes[0].ServerWorld.Bodies()
	if b[0].Pose.Pos.X < -5.8 || b[1].Pose.Pos.X > 5.8 {
		t.Errorf("the players went to %v and %v", b[0].Pose.Pos, b[1].Pose.Pos)
	}
}

// TestDueTicks holds the ticks per Update: one at full speed, fewer in slow motion, none or single steps
// while paused.
func TestDueTicks(t *testing.T) {
	g := newTestGame(t, "rewind")
	count := func(updates int) (n int) {
		for range updates {
			n += g.dueTicks()
		}
		return n
	}
	if n := count(60); n != 60 {
		t.Errorf("%d ticks in 60 updates", n)
	}
	g.scaleSpeed(0.5)
	g.scaleSpeed(0.5)
	if n := count(60); n != 15 {
		t.Errorf("%d ticks at speed 0.25", n)
	}
	for range 9 {
		g.scaleSpeed(0.5)
	}
	if s := g.settings().Speed; s != 1./16 {
		t.Errorf("the slowest is %g", s)
	}
	for range 9 {
		g.scaleSpeed(2)
	}
	if s := g.settings().Speed; s != 4 {
		t.Errorf("the fastest is %g", s)
	}
	if n := count(60); n != 240 {
		t.Errorf("%d ticks at speed 4", n)
	}
	g.paused = true
	if n := count(60); n != 0 {
		t.Errorf("%d ticks while paused", n)
	}
	g.pendingSteps = 2
	if n := count(60); n != 2 {
		t.Errorf("%d ticks for two steps", n)
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

// TestSelectCorrection promises that selecting a correction pauses the session and makes a callout for its
// body, until the session resumes, the same correction is selected again, or its pane is closed.
func TestSelectCorrection(t *testing.T) {
	g := newTestGame(t, "noprediction", "rewind")
	g.execute(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "latency=75ms"})
	g.runTicks(t, 100)
	g.nudgeServer()
	g.runTicks(t, 30)
	pane := g.lab.Panes[1]
	n := pane.Corrections.Total() - 1
	if n < 0 {
		t.Fatal("no correction")
	}
	if g.callout() != nil {
		t.Error("a callout without a selection")
	}
	g.toggleSelection(pane, 0)
	m := g.callout()
	if !g.paused || m == nil || m.Pane != 1 || m.Body != 0 || !strings.Contains(m.Lines[0], "body 0 was off in its position by 1 m") ||
		!strings.Contains(m.Lines[1], "Received in packet 100 of tick 101, sent at 1.667 s") || !strings.Contains(m.Lines[3], "forced fault: the server's cube was moved by 1 m") {
		t.Fatalf("%+v", m)
	}
	g.toggleSelection(pane, 0)
	if g.callout() != nil || !g.paused {
		t.Error("a second click does not clear the selection")
	}
	g.toggleSelection(pane, 0)
	g.paused = false
	if g.callout() != nil {
		t.Error("a callout while the session runs")
	}
	g.toggleSelection(pane, 0)
	g.execute(lab.Command{Verb: "close", Pane: 1})
	if g.callout() != nil {
		t.Error("a callout after its pane was closed")
	}
}

// TestClockFaults promises that keys cycle through the faults of the clients' clocks, that a freeze reaches
// all panes, and that faults of the options come once in their tick, with and without a tape.
func TestClockFaults(t *testing.T) {
	g := newTestGame(t, "rewind", "noprediction")
	for _, want := range []string{"500", "-500", "off", "500"} {
		if g.cycleClock("skew"); g.clockSetting("skew") != want {
			t.Errorf("skew %s, want %s", g.clockSetting("skew"), want)
		}
	}
	for _, want := range []string{"20", "144", "off"} {
		if g.cycleClock("fps"); g.clockSetting("fps") != want {
			t.Errorf("fps %s, want %s", g.clockSetting("fps"), want)
		}
	}
	g.freezeClients()
	for i, p := range g.lab.Panes {
		if got := p.DescribeClockFaults(); got != "skew +500 ppm, frozen" {
			t.Errorf("pane %d: %q", i, got)
		}
	}
	for _, tape := range []int{0, 5, 100} {
		s := plan.Settings{Fault: "nudge=1@66ms"}
		if tape > 0 {
			s.Tape = writeTape(t, fmt.Sprintf("%d\nend %d\n", tape, tape))
		}
		g := playSettings(t, s)
		g.runTicks(t, 4)
		before := g.lab.Panes[0].ServerWorld.Bodies()[0].Pose.Pos.X
		g.runTicks(t, 20)
		if by := g.lab.Panes[0].ServerWorld.Bodies()[0].Pose.Pos.X - before; by < 0.9 || by > 1.1 {
			t.Errorf("with a tape of %d ticks: moved by %v m", tape, by)
		}
	}
}

// TestShoot promises that a shot is in the input of the next tick and in no other, that it stops a tape as a
// key does, and that straight ahead is the direction of the camera.
func TestShoot(t *testing.T) {
	g := playSettings(t, plan.Settings{Panes: "rewind,snapshot", Network: "bursty", Tape: writeTape(t, "1000\nend 1000\n")})
	g.runTicks(t, 100)
	g.shoot(sim.Shot{Fired: true, Yaw: 77})
	if g.tapePlaying() {
		t.Error("the tape still plays")
	}
	g.setButtons(sim.Forward, 0)
	g.runTicks(t, 1)
	if !g.lastInput.Shot.Fired || g.lastInput.Shot.Yaw != 77 || g.lastInput.Buttons != sim.Forward {
		t.Errorf("the next tick has %+v", g.lastInput)
	}
	g.runTicks(t, 60)
	if g.lastInput.Shot.Fired {
		t.Errorf("a later tick has %+v", g.lastInput)
	}
	for i, p := range g.lab.Panes {
		if p.Shots.Total() != 1 || p.Shots.At(0).ResolvedTick == 0 {
			t.Errorf("pane %d: %d shots", i, p.Shots.Total())
		}
	}
	for yaw, want := range map[float64]uint16{0: 0, 90: sim.AimSteps / 4, -90: 3 * sim.AimSteps / 4, 180: sim.AimSteps / 2} {
		if s := levelShot(yaw); s.Yaw != want || s.Pitch != 0 || !s.Fired {
			t.Errorf("a camera with yaw %v shoots %+v", yaw, s)
		}
	}
}
