package window

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/hud"
	"ghostcube/ui/stage"
)

// playPast makes n ticks as Update does.
func (g *game) playPast(t *testing.T, n int) {
	t.Helper()
	for range n {
		g.past.wait()
		g.updatePast()
		if err := g.tick(); err != nil {
			t.Fatal(err)
		}
		g.followBeside()
		g.past.makeCheckpoint()
	}
	g.past.wait()
}

// seekNow shows a moment without waiting for further Updates.
func (g *game) seekNow(t *testing.T, tick int) {
	t.Helper()
	g.seek(tick)
	for g.past.timeline.Remaining() > 0 {
		g.updatePast()
	}
	if got := int(g.lab.Ticks()); got != tick || g.tickErr != nil {
		t.Fatalf("the session is at tick %d, want %d: %v", got, tick, g.tickErr)
	}
}

// TestReplayLast promises that F5 plays the last five seconds at an eighth of the speed, and that the session is live
// again at its end with the speed that it had.
func TestReplayLast(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.playPast(t, 400)
	hash := g.lab.Hash()
	g.replayLast()
	for g.past.timeline.Remaining() > 0 {
		g.updatePast()
	}
	if at := g.lab.Ticks(); at != 100 || g.settings().Speed != 1./8 || g.paused {
		t.Errorf("at tick %d with speed %v, paused: %v", at, g.settings().Speed, g.paused)
	}
	updates := 0
	for ; g.past.timeline.Reviewing() && updates < 5000; updates++ {
		for range g.dueTicks() {
			if !g.past.timeline.Reviewing() {
				break
			}
			if g.lab.Ticks() == 400 && g.lab.Hash() != hash {
				t.Error("the end of the session has another hash after a replay")
			}
			g.playPast(t, 1)
		}
	}
	if updates < 2390 || updates > 2420 || g.settings().Speed != 1 {
		t.Errorf("%d updates for five seconds, speed %v afterwards", updates, g.settings().Speed)
	}
}

// TestPastRandomOperations goes back and forth, branches and changes settings at random, and promises that the
// timeline never finds another hash than the session had.
func TestPastRandomOperations(t *testing.T) {
	g := newTestGame(t, "rewind", "lockstep", "snapshot", "statesync")
	random := rand.New(rand.NewPCG(11, 12))
	operations := []func(){
		func() { g.seek(random.IntN(int(g.lab.Ticks()) + 50)) },
		func() { g.skip(random.Float64()*4 - 2) },
		g.stepBack, g.step, g.replayLast, g.bookmark, g.nextTake, g.goLive, g.toggleBeside,
		func() { g.paused = !g.paused },
		func() { g.scaleSpeed(0.5) }, func() { g.scaleSpeed(2) },
		g.nudgeServer, g.freezeClients, g.focusNext, g.toggleRecording,
		func() {
			g.execute(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: []string{"0ms", "50ms", "150ms"}[random.IntN(3)]})
		},
		func() { g.switchStrategy(random.IntN(len(lab.Strategies))) },
		func() { g.setButtons(sim.Buttons(random.IntN(32)), 0); g.takeOver() },
		func() { g.execute(stage.Show("yaw", "30")) },
		func() { g.execute(lab.Command{Verb: "close", Pane: 3}) },
		func() { g.execute(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "animated"}) },
		func() {
			g.execute(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: []string{"zen", "two-players"}[random.IntN(2)]})
		},
		func() { g.execute(lab.Command{Verb: "restart", Pane: lab.AllPanes}) },
	}
	var f hud.Frame
	reviewed := 0
	for range 500 {
		g.past.wait()
		if random.IntN(4) == 0 {
			operations[random.IntN(len(operations))]()
		}
		g.updatePast()
		g.stage.Refresh(g.lab)
		for range g.dueTicks() {
			if err := g.tick(); err != nil {
				t.Fatal(err)
			}
		}
		if g.tickErr != nil {
			t.Fatal(g.tickErr)
		}
		if g.past.timeline.Reviewing() {
			reviewed++
		}
		g.followBeside()
		g.past.makeCheckpoint()
		shown, l := g.shown()
		shown.Compose(&f, l, stage.Rect{W: 640, H: 360}, g.stageOptions(g.title, g.alert()), 1)
	}
	g.past.wait()
	if reviewed < 50 || len(g.past.timeline.Takes()) < 3 {
		t.Errorf("%d of 500 updates in the past, %d takes: too few to show anything", reviewed, len(g.past.timeline.Takes()))
	}
	if err := g.endSession(); err != nil {
		t.Fatal(err)
	}
	g.videos.waitAll(make(chan os.Signal), new(bytes.Buffer))
}
