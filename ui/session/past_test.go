package session

import (
	"testing"
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
