package session

import (
	"testing"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
)

// playPast makes n ticks as Update does.
func (g *testSession) playPast(t *testing.T, n int) {
	t.Helper()
	for range n {
		g.Past.Wait()
		g.Past.Update()
		if err := g.Tick(&g.in); err != nil {
			t.Fatal(err)
		}
		g.Beside.Follow()
		g.Past.MakeCheckpoint()
	}
	g.Past.Wait()
}

// seekNow shows a moment without waiting for further Updates.
func (g *testSession) seekNow(t *testing.T, tick int) {
	t.Helper()
	g.Past.Seek(tick)
	for g.Past.Timeline.Remaining() > 0 {
		g.Past.Update()
	}
	if got := int(g.Lab.Ticks()); got != tick || g.Err != nil {
		t.Fatalf("the session is at tick %d, want %d: %v", got, tick, g.Err)
	}
}

// TestReplayLast promises that F5 plays the last five seconds at an eighth of the speed, and that the session is live
// again at its end with the speed that it had.
func TestReplayLast(t *testing.T) {
	g := newTestSession(t, "rewind")
	g.playPast(t, 400)
	hash := g.Lab.Hash()
	g.Past.ReplayLast()
	for g.Past.Timeline.Remaining() > 0 {
		g.Past.Update()
	}
	if at := g.Lab.Ticks(); at != 100 || g.Settings().Speed != 1./8 || g.Paused {
		t.Errorf("at tick %d with speed %v, paused: %v", at, g.Settings().Speed, g.Paused)
	}
	updates := 0
	for ; g.Past.Timeline.Reviewing() && updates < 5000; updates++ {
		for range g.DueTicks() {
			if !g.Past.Timeline.Reviewing() {
				break
			}
			if g.Lab.Ticks() == 400 && g.Lab.Hash() != hash {
				t.Error("the end of the session has another hash after a replay")
			}
			g.playPast(t, 1)
		}
	}
	if updates < 2390 || updates > 2420 || g.Settings().Speed != 1 {
		t.Errorf("%d updates for five seconds, speed %v afterwards", updates, g.Settings().Speed)
	}
}

// TestPastKeepsTapePosition checks that a visit to the past remembers where the tape of the take was, that a take which
// repeats it goes on with the tape from there, and that a key begins no take while a moment is still being rebuilt.
func TestPastKeepsTapePosition(t *testing.T) {
	g := newTestSession(t, "rewind")
	g.playPast(t, 100)
	g.tapeTick, g.tapeTicks = 7, 7
	g.Past.Seek(80)
	timeline := g.Past.Timeline
	if c := g.Past.courses[timeline.Take()]; c.tapeTick != 7 {
		t.Errorf("the take remembers tick %d of the tape, want 7", c.tapeTick)
	}
	if g.Paused = false; timeline.Remaining() == 0 {
		t.Fatal("the moment is rebuilt at once")
	}
	if g.TakeOver(); len(timeline.Takes()) != 1 {
		t.Error("a key begins a take at a moment that is not rebuilt")
	}
	g.seekNow(t, 80)
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "90ms"})
	if c := g.Past.courses[timeline.Take()]; len(timeline.Takes()) != 2 || c.tapeTick != 7 {
		t.Errorf("%d takes, the newest goes on with tick %d of the tape, want 7", len(timeline.Takes()), c.tapeTick)
	}
}

// TestReplayIsOfferedOnce promises that the slow replay is offered after the first fault that the viewer forces, and neither
// again nor after a fault of the plan.
func TestReplayIsOfferedOnce(t *testing.T) {
	g := playSettings(t, plan.Settings{Panes: "rewind", FaultEvery: time.Second})
	offers := func(ticks int) (n int) {
		for range ticks {
			g.playPast(t, 1)
			n += len(g.Notices.Texts())
			g.Notices = Notices{}
		}
		return n
	}
	if n := offers(300); n != 0 {
		t.Errorf("%d messages after faults of the plan", n)
	}
	for i, want := range []int{1, 0, 0} {
		g.Controls.NudgeServer()
		if n := offers(200); n != want {
			t.Errorf("fault %d: %d messages, want %d", i+1, n, want)
		}
	}
}
