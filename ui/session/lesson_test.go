package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/tour"
)

// TestHandAndTape checks that the tape of a lesson moves the player until a key does, and again some seconds after the
// last key, and that a lesson whose action is a key waits for it.
func TestHandAndTape(t *testing.T) {
	g := newTestSession(t, "rewind")
	list, err := g.Library.Lessons()
	if err != nil {
		t.Fatal(err)
	}
	start := func(name string) {
		m, err := g.Library.NewLesson(&list[slices.IndexFunc(list, func(x plan.Lesson) bool { return x.Name == name })])
		if err == nil {
			err = g.Start(m)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	moved := func() (n int) {
		for range 120 {
			g.runTicks(t, 1)
			if g.LastInput.Buttons != 0 {
				n++
			}
		}
		return n
	}
	start("prediction")
	if moved() == 0 || !g.Playing() {
		t.Error("the tape does not move the player")
	}
	g.TakeOver()
	g.setButtons(sim.Right, 0)
	g.runTicks(t, 1)
	if g.LastInput.Buttons != sim.Right || !strings.Contains(g.Footer(), "you have control") {
		t.Errorf("the hand has %v; footer %q", g.LastInput.Buttons, g.Footer())
	}
	g.setButtons(0, 0)
	if g.runTicks(t, handSeconds*60-10); g.Playing() {
		t.Error("the tape goes on too soon after the hand")
	}
	g.runTicks(t, 10)
	if moved() == 0 || !g.Playing() {
		t.Error("the tape does not go on after the hand")
	}
	tapeTick := g.tapeTick
	if (repeat{g.Session, &course{}}).takeOver(); g.tapeTick != tapeTick || g.Playing() {
		t.Errorf("a key in a repeated take: the tape is at tick %d of %d, was at %d", g.tapeTick, g.tapeTicks, tapeTick)
	}
	start("no-prediction")
	g.runTicks(t, 600)
	if g.LastInput.Buttons != 0 || g.Lesson.Run.Phase != tour.Before {
		t.Error("a lesson that waits for a key goes on without one")
	}
}

// TestLessonAndPast checks that time spent in the past does not count for a lesson, that the measurement begins again after it,
// and that a take that begins before the action has not acted.
func TestLessonAndPast(t *testing.T) {
	experiment.Skip(t)
	g := newTestSession(t, "rewind")
	list, err := g.Library.Lessons()
	if err != nil {
		t.Fatal(err)
	}
	m, err := g.Library.NewLesson(&list[1])
	if err == nil {
		err = g.Start(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	g.runTicks(t, 600)
	r := g.Lesson.Run
	g.Past.SeekFully(200)
	g.Paused = false
	g.runTicks(t, 60)
	if r.BeforeSeconds != 10 || g.Lab.Ticks() != 260 {
		t.Errorf("in the past: %v s, tick %d", r.BeforeSeconds, g.Lab.Ticks())
	}
	g.Past.GoLive()
	g.Paused = false
	g.runTicks(t, 121)
	if r.BeforeSeconds != 2 || r.Phase != tour.Before || g.Lab.Ticks() != 721 {
		t.Errorf("back at the end: %v s, %v, tick %d", r.BeforeSeconds, r.Phase, g.Lab.Ticks())
	}
	g.Do(list[1].Action.Command)
	g.runTicks(t, 600)
	if r.Phase != tour.Done {
		t.Fatalf("phase %v", r.Phase)
	}
	g.Past.SeekFully(400)
	g.Paused = false
	g.TakeOver()
	g.setButtons(sim.Left, 0)
	g.runTicks(t, 62)
	if r.Phase != tour.Before || g.Past.Timeline.Reviewing() || g.Lab.Panes[0].Strategy.Name != "noprediction" {
		t.Errorf("in a take before the action: %v, %s", r.Phase, g.Lab.Panes[0].Strategy.Name)
	}
}

// TestOfferOnce checks that the first start offers the tour, that the next one in the same folder does not, that a
// session that was asked for is left alone, and that the offer ends by itself and with the tour.
func TestOfferOnce(t *testing.T) {
	experiment.Skip(t)
	g := newTestSession(t, "rewind")
	g.Lesson.Offer()
	if !g.Lesson.Offered {
		t.Fatal("no offer")
	}
	if _, err := os.Stat(filepath.Join(g.OutDir, offerMark)); err != nil {
		t.Error(err)
	}
	again := newTestSession(t, "rewind")
	again.OutDir = g.OutDir
	if again.Lesson.Offer(); again.Lesson.Offered {
		t.Error("offered twice")
	}
	tape := playSettings(t, plan.Settings{Compare: "prediction"})
	if tape.Lesson.Offer(); tape.Lesson.Offered {
		t.Error("offered in a comparison")
	}
	if g.Lesson.Leave(); g.Lesson.Shown() {
		t.Error("the offer stays")
	}
	g.OutDir = filepath.Join(g.OutDir, offerMark, "file", "below") // cannot be made
	g.Lesson.Offer()
	if !g.Lesson.Offered {
		t.Error("no offer without a file")
	}
	g.runTicks(t, offerSeconds*60)
	if g.Lesson.Offered {
		t.Error("the offer does not end")
	}
	g.Lesson.Offer()
	g.Lesson.GoTo(1)
	g.startNext(t)
	if g.Lesson.Run == nil || g.Lesson.Offered {
		t.Error("the offer does not start the tour")
	}
}
