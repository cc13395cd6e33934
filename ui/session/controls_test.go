package session

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// TestTwoPlayers promises that the second player's keys belong to that player where there are two, and to the
// first one where there is one.
func TestTwoPlayers(t *testing.T) {
	g := newTestSession(t, "rewind")
	g.setButtons(sim.Forward, sim.Left)
	g.runTicks(t, 1)
	if g.LastInput.Buttons != sim.Forward|sim.Left {
		t.Errorf("the only player has the input %v", g.LastInput)
	}
	g.Do(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: "two-players"})
	g.Do(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "perfect"})
	g.setButtons(sim.Right, sim.Left)
	g.runTicks(t, 60)
	b := g.Lab.Panes[0].ServerWorld.Bodies()
	if b[0].Pose.Pos.X < -5.8 || b[1].Pose.Pos.X > 5.8 {
		t.Errorf("the players went to %v and %v", b[0].Pose.Pos, b[1].Pose.Pos)
	}
}

// TestDueTicks holds the ticks per Update: one at full speed, fewer in slow motion, none or single steps
// while paused.
func TestDueTicks(t *testing.T) {
	g := newTestSession(t, "rewind")
	count := func(updates int) (n int) {
		for range updates {
			n += g.DueTicks()
		}
		return n
	}
	if n := count(60); n != 60 {
		t.Errorf("%d ticks in 60 updates", n)
	}
	g.Controls.ScaleSpeed(0.5)
	g.Controls.ScaleSpeed(0.5)
	if n := count(60); n != 15 {
		t.Errorf("%d ticks at speed 0.25", n)
	}
	for range 9 {
		g.Controls.ScaleSpeed(0.5)
	}
	if s := g.Settings().Speed; s != 1./16 {
		t.Errorf("the slowest is %g", s)
	}
	for range 9 {
		g.Controls.ScaleSpeed(2)
	}
	if s := g.Settings().Speed; s != 4 {
		t.Errorf("the fastest is %g", s)
	}
	if n := count(60); n != 240 {
		t.Errorf("%d ticks at speed 4", n)
	}
	g.runTicks(t, 1)
	g.accumulator = 0.9
	g.Hidden(time.Second)
	g.Hidden(0) // it is paused already
	if n := count(60); n != 0 {
		t.Errorf("%d ticks while paused", n)
	}
	g.pendingSteps = 2
	if n := count(60); n != 2 {
		t.Errorf("%d ticks for two steps", n)
	}
}

// TestSelectCorrection promises that selecting a correction pauses the session and makes a callout for its
// body, until the session resumes, the same correction is selected again, or its pane is closed.
func TestSelectCorrection(t *testing.T) {
	g := newTestSession(t, "noprediction", "rewind")
	g.Do(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "latency=75ms"})
	g.runTicks(t, 100)
	g.Controls.NudgeServer()
	g.runTicks(t, 30)
	pane := g.Lab.Panes[1]
	n := pane.Corrections.Total() - 1
	if n < 0 {
		t.Fatal("no correction")
	}
	if g.Selection.Callout() != nil {
		t.Error("a callout without a selection")
	}
	g.Selection.Toggle(pane, 0)
	m := g.Selection.Callout()
	if !g.Paused || m == nil || m.Pane != 1 || m.Body != 0 || !strings.Contains(m.Lines[0], "body 0 was off in position by 1 m") ||
		!strings.Contains(m.Lines[1], "Received in packet 100 of tick 101, sent at 1.667 s") ||
		!strings.Contains(m.Lines[3], "forced fault: the server's cube was moved by 1 m") {
		t.Fatalf("%+v", m)
	}
	g.Selection.Toggle(pane, 0)
	if g.Selection.Callout() != nil || !g.Paused {
		t.Error("a second click does not clear the selection")
	}
	g.Selection.Toggle(pane, 0)
	g.Paused = false
	if g.Selection.Callout() != nil {
		t.Error("a callout while the session runs")
	}
	g.Selection.Toggle(pane, 0)
	g.Do(lab.Command{Verb: "close", Pane: 1})
	if g.Selection.Callout() != nil {
		t.Error("a callout after its pane was closed")
	}
}

// TestClockFaults promises that keys cycle through the faults of the clients' clocks, that a freeze reaches
// all panes, and that faults of the options come once in their tick, with and without a tape.
func TestClockFaults(t *testing.T) {
	g := newTestSession(t, "rewind", "noprediction")
	for _, want := range []string{"500", "-500", "off", "500"} {
		if g.Controls.CycleClock("skew"); g.Controls.ClockSetting("skew") != want {
			t.Errorf("skew %s, want %s", g.Controls.ClockSetting("skew"), want)
		}
	}
	for _, want := range []string{"20", "144", "off"} {
		if g.Controls.CycleClock("fps"); g.Controls.ClockSetting("fps") != want {
			t.Errorf("fps %s, want %s", g.Controls.ClockSetting("fps"), want)
		}
	}
	g.Controls.FreezeClients()
	for i, p := range g.Lab.Panes {
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
		before := g.Lab.Panes[0].ServerWorld.Bodies()[0].Pose.Pos.X
		g.runTicks(t, 20)
		if by := g.Lab.Panes[0].ServerWorld.Bodies()[0].Pose.Pos.X - before; by < 0.9 || by > 1.1 {
			t.Errorf("with a tape of %d ticks: moved by %v m", tape, by)
		}
	}
}

// TestKillClient promises that the key kills the first client of all panes, with messages or without, and that it
// comes back in each.
func TestKillClient(t *testing.T) {
	g := newTestSession(t, "rewind:messages=unreliable", "lockstep", "statesync")
	g.runTicks(t, 30)
	g.Controls.KillClient()
	g.runTicks(t, 1)
	for i, p := range g.Lab.Panes {
		if note := p.Clients[0].View.Note; !strings.HasPrefix(note, "joining") {
			t.Errorf("pane %d: note %q", i, note)
		}
	}
	g.runTicks(t, 90)
	for i, p := range g.Lab.Panes {
		if n := p.Counters.Value("joins"); n != 1 || p.Clients[0].View.Note != "" {
			t.Errorf("pane %d: %v joins, note %q", i, n, p.Clients[0].View.Note)
		}
	}
}

// TestShoot promises that a shot is in the input of the next tick and in no other, that it stops a tape as a
// key does, and that straight ahead is the direction of the camera.
func TestShoot(t *testing.T) {
	g := playSettings(t, plan.Settings{Panes: "rewind,snapshot", Network: "bursty", Tape: writeTape(t, "1000\nend 1000\n")})
	g.runTicks(t, 100)
	g.TakeOver()
	g.in.Shot = sim.Shot{Fired: true, Yaw: 77}
	if g.Playing() {
		t.Error("the tape still plays")
	}
	g.setButtons(sim.Forward, 0)
	g.runTicks(t, 1)
	if !g.LastInput.Shot.Fired || g.LastInput.Shot.Yaw != 77 || g.LastInput.Buttons != sim.Forward {
		t.Errorf("the next tick has %+v", g.LastInput)
	}
	g.runTicks(t, 60)
	if g.LastInput.Shot.Fired {
		t.Errorf("a later tick has %+v", g.LastInput)
	}
	for i, p := range g.Lab.Panes {
		if p.Shots.Total() != 1 || p.Shots.At(0).ResolvedTick == 0 {
			t.Errorf("pane %d: %d shots", i, p.Shots.Total())
		}
	}
	for yaw, want := range map[float64]uint16{0: 0, 90: sim.AimSteps / 4, -90: 3 * sim.AimSteps / 4, 180: sim.AimSteps / 2} {
		g.Do(stage.Show("yaw", strconv.FormatFloat(yaw, 'g', -1, 64)))
		if s := g.Controls.LevelShot(); s.Yaw != want || s.Pitch != 0 || !s.Fired {
			t.Errorf("a camera with yaw %v shoots %+v", yaw, s)
		}
	}
}

// TestShownSettings promises that the copied command names the display settings that have changed.
func TestShownSettings(t *testing.T) {
	s := stage.DefaultSettings
	s.Yaw, s.Ages = 90, true
	if got := shownSettings(s, startSettings("plain", 1)); got != "ages=on,yaw=90" {
		t.Errorf("%s", got)
	}
	s.Split = false
	if got := shownSettings(s, startSettings("plain", 2)); got != "ages=on,yaw=90" {
		t.Errorf("with two panes: %s", got)
	}
}

// TestHeading promises that forward is the direction of the camera to half a step of the heading, for any yaw.
func TestHeading(t *testing.T) {
	for yaw := -725.0; yaw < 725; yaw += 0.37 {
		got := float64(cameraHeading(yaw)) * 360 / sim.HeadingSteps
		off := math.Mod(got-yaw+1080+180, 360) - 180
		if math.Abs(off) > 180.0/sim.HeadingSteps+1e-9 {
			t.Fatalf("a camera with yaw %g has the heading %g", yaw, got)
		}
	}
}

// TestTunedKnobs promises that a pane that returns to a strategy has the knobs that were tuned there, by key and by
// the panel's list, for each pane on its own.
func TestTunedKnobs(t *testing.T) {
	g := newTestSession(t, "rewind", "rewind")
	g.Do(lab.Command{Verb: "set", Pane: 0, Name: "lead", Value: "11"})
	g.Controls.SwitchStrategy(3)
	g.Do(lab.Command{Verb: "set", Pane: 0, Name: "snapshot-every", Value: "6"})
	g.Controls.SwitchStrategy(1)
	if spec := g.Lab.Panes[0].Spec(); spec != "rewind:lead=11" {
		t.Errorf("back at rewind: %s", spec)
	}
	g.Do(g.Controls.SwitchCommand(0, lab.Strategies[3].Name))
	if spec := g.Lab.Panes[0].Spec(); spec != "snapshot:snapshot-every=6" {
		t.Errorf("back at snapshot: %s", spec)
	}
	if spec := g.Lab.Panes[1].Spec(); spec != "rewind" {
		t.Errorf("the other pane: %s", spec)
	}
}

// TestNextScreen promises that the key for the next player's screen changes the focused pane alone, comes back to the first
// player, is a display setting of the session, which takes and tapes have, and says why it does nothing with one client.
func TestNextScreen(t *testing.T) {
	g := newTestSession(t, "rewind")
	before := len(g.newCommands)
	if g.Controls.NextScreen(); len(g.newCommands) > before || !strings.Contains(g.lastNotice(), "one client") {
		t.Errorf("with one client: %v, %q", g.newCommands, g.lastNotice())
	}
	g = playSettings(t, plan.Settings{Scene: "two-players", Panes: "rewind,rewind"})
	g.Do(lab.Command{Verb: "focus", Pane: 1})
	for _, want := range []string{"1:2:1", "1"} {
		g.Controls.NextScreen()
		if got := g.newCommands[len(g.newCommands)-1].String(); got != "show all player "+want {
			t.Errorf("the command %q, want %s", got, want)
		}
	}
	g.Controls.NextScreen()
	g.playPast(t, 30)
	hash := g.Lab.Hash()
	g.seekNow(t, 10)
	if got := g.Settings().Screens.String(); got != "1:2:1" {
		t.Errorf("in the past the screens are %s", got)
	}
	g.Past.GoLive()
	if g.Lab.Hash() != hash || !strings.Contains(g.lastNotice(), "player 2's screen") {
		t.Errorf("the hash changes, or the notice is %q", g.lastNotice())
	}
}
