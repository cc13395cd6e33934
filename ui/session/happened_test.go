package session

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/plan"
)

// TestHappened opens a session that has happened: keys and commands change nothing, the past can be seen, it stops at its
// end, and neither a tape nor a link is made of it.
func TestHappened(t *testing.T) {
	experiment.Skip(t)
	c := lab.Config{Scene: "two-players", Rate: 60}
	var server []link.Wire
	for range 2 {
		server = append(server, lab.CutWire{})
	}
	newLab := func() *lab.Lab {
		s, err := lab.NewServer(c, "rewind", server)
		if err != nil {
			t.Fatal(err)
		}
		one, err := lab.NewClient(c, "rewind", 0, lab.CutWire{})
		if err != nil {
			t.Fatal(err)
		}
		made := func(n sim.Tick) sim.Tick { return n }
		tick := func(l *lab.Lab) error { return l.Tick(lab.Entry{}) }
		return lab.NewMerged(lab.Side{Lab: s, Tick: tick, Made: made}, []lab.Side{{Lab: one, Tick: tick, Made: made}})
	}
	s := &testSession{Session: New(Options{OutDir: t.TempDir(), Library: &plan.Library{}, Platform: testPlatform()})}
	if err := s.Start(plan.Happened("captures", c, []string{"player-1=rewind"}, "a.capture,b.capture", make([]lab.Entry, 90), newLab)); err != nil {
		t.Fatal(err)
	}
	update := func(n int) {
		for range n {
			s.Past.Wait()
			if _, err := s.Update(&s.in); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.setButtons(0, sim.Right)
	update(30)
	s.TakeOver()
	if s.Do(lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"}) {
		t.Error("the past can be nudged")
	}
	update(80)
	if n := s.Session.Lab.Ticks(); n != 90 || !s.Paused {
		t.Errorf("%d ticks of 90, paused %v", n, s.Paused)
	}
	s.Past.Seek(40)
	update(10)
	if n := s.Session.Lab.Ticks(); n != 40 {
		t.Errorf("the past is at tick %d, want 40", n)
	}
	if s.Do(lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"}) {
		t.Error("the past can be nudged")
	}
	if text := s.driver().note(); !strings.Contains(text, "past") || strings.Contains(text, "take") {
		t.Errorf("the past promises a take: %q", text)
	}
	if n := len(s.Past.Timeline.Takes()); n != 1 {
		t.Errorf("%d takes", n)
	}
	if _, err := s.Links.ToSettings(); err != plan.ErrHappened {
		t.Errorf("a link: %v", err)
	}
	if _, err := s.Links.WithTape(); err != plan.ErrHappened {
		t.Errorf("a link: %v", err)
	}
	if _, err := s.Files.tapeSoFar(); err != plan.ErrHappened || s.tape != nil {
		t.Errorf("a tape: %v", err)
	}
}
