package session

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
)

// TestRandomOperations performs a thousand random operations on a session without a display: it goes back and forth,
// branches, changes settings, strategies and scenes, starts comparisons and lessons, and copies links. It promises that
// the program goes on without an error, that the timeline never finds another hash than the session had, and that the
// tapes of all sessions replay.
func TestRandomOperations(t *testing.T) {
	g := newTestSession(t, "rewind", "lockstep", "snapshot", "statesync")
	random := rand.New(rand.NewPCG(11, 12))
	oneOf := func(list ...string) string { return list[random.IntN(len(list))] }
	all := func(verb, name, value string) {
		g.Do(lab.Command{Verb: verb, Pane: lab.AllPanes, Name: name, Value: value})
	}
	play := func() { g.Paused = false }
	operations := []func(){
		func() { g.Past.Seek(random.IntN(int(g.Lab.Ticks()) + 50)) },
		func() { g.Past.Skip(random.Float64()*4 - 2) },
		func() { g.Past.Loop = [2]int{int(g.Lab.Ticks()) - random.IntN(20), int(g.Lab.Ticks())} },
		g.Past.StepBack, g.StepOnce, g.Past.ReplayLast, g.Past.Bookmark, g.Past.NextTake, g.Past.GoLive, g.Beside.Toggle,
		func() { g.Paused = !g.Paused }, play, play, play,
		func() { g.Controls.ScaleSpeed(0.5) }, func() { g.Controls.ScaleSpeed(2) },
		func() { g.Controls.NudgeServer() }, func() { g.Controls.FreezeClients() }, g.Controls.FocusNext, g.Videos.Toggle,
		func() { g.Controls.CycleClock(oneOf("skew", "fps")) },
		func() { g.Controls.CycleSetting(&stage.SettingTable[random.IntN(3)], random.IntN(2) == 0) },
		func() { g.Controls.MoveCamera(random.Float64()*400, random.Float64()*90, random.Float64()*60) },
		func() { g.Controls.SwitchStrategy(random.IntN(len(lab.Strategies))) },
		func() { g.setButtons(sim.Buttons(random.IntN(32)), 0); g.TakeOver() },
		func() { g.TakeOver(); g.in.Shot = g.Controls.LevelShot() },
		func() { all("condition", "latency", oneOf("0ms", "50ms", "150ms")) },
		func() { all("condition", "loss", oneOf("0", "0.1", "nonsense")) },
		func() { all("scene", oneOf("zen", "two-players"), "") },
		func() { all("restart", "", "") },
		func() { all("open", "animated", "") },
		func() { g.Do(lab.Command{Verb: "close", Pane: 3}) },
		func() { g.Selection.ShowMark(0, timeline.Corrections, random.IntN(g.Past.Timeline.End()+1)) },
		g.Links.CopySettings, g.Links.CopyTape, g.Links.CopyFrame, g.Links.CopyCommand, g.Files.DeliverTape,
		func() { g.Files.SaveSession("random") }, func() { g.Files.LoadSession("random") },
		func() { g.StartComparison(oneOf("csp-clean", "csp-redundancy")) },
		func() { g.Lesson.GoTo(1) }, g.Lesson.Leave, g.Lesson.Offer,
	}
	reviewed, takes, sessions, updates := 0, 0, 0, experiment.Pick(120, 1000, 1000)
	for range updates {
		g.Past.Wait()
		operations[random.IntN(len(operations))]()
		if g.Next != nil && random.IntN(8) > 0 {
			g.Next = nil // a new session has no past
		}
		started, err := g.StartNext()
		if err != nil {
			t.Fatal(err)
		}
		if started {
			sessions++
		}
		if _, err := g.Update(&g.in); err != nil {
			t.Fatal(err)
		}
		if g.Past.Timeline.Reviewing() {
			reviewed++
		}
		takes = max(takes, len(g.Past.Timeline.Takes()))
		if len(g.Footer()) == 0 || g.Past.Timeline.End() < int(g.Lab.Ticks()) {
			t.Fatalf("footer %q, tick %d of %d", g.Footer(), g.Lab.Ticks(), g.Past.Timeline.End())
		}
	}
	g.Past.Wait()
	if reviewed < updates/10 || takes < 2 || sessions < 1 {
		t.Errorf("%d of %d updates in the past, %d takes, %d sessions: too few to show anything", reviewed, updates, takes, sessions)
	}
	if err := g.End(); err != nil {
		t.Fatal(err)
	}
	tapes, err := filepath.Glob(filepath.Join(g.OutDir, "session-*.tape"))
	if err != nil || len(tapes) < sessions {
		t.Errorf("the tapes %v, %v", tapes, err)
	}
	for _, name := range tapes {
		verify(t, readTape(t, name))
	}
}
