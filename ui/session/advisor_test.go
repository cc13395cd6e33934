package session

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/ui/advise"
)

// question returns the index of a question by its flag.
func question(t *testing.T, flag string) int {
	t.Helper()
	i := slices.IndexFunc(advise.Questions, func(q advise.Question) bool { return q.Flag == flag })
	if i < 0 {
		t.Fatalf("no question %s", flag)
	}
	return i
}

// TestAdvisor promises that an answer changes the advice, that a refused one changes nothing, and that a choice opens as the
// session of its tape with its pane first, on the network that was asked for, with all answers kept.
func TestAdvisor(t *testing.T) {
	s := newTestSession(t, "rewind")
	a := &s.Advisor
	before, err := a.Advice()
	if err != nil || len(before.Best) != 3 {
		t.Fatalf("%+v, %v", before, err)
	}
	if again, err := a.Advice(); again != before || err != nil {
		t.Error("the advice is made anew without a new answer")
	}
	for flag, answer := range map[string]string{"network": "wifi-bed", "players": "0", "cheating": "perhaps"} {
		a.SetAnswer(question(t, flag), answer)
		if now, _ := a.Advice(); now != before || s.lastNotice() == "" {
			t.Errorf("%s %s is taken; notice %q", flag, answer, s.lastNotice())
		}
		s.Notices.list = nil
	}
	a.SetAnswer(question(t, "players"), "4")
	a.SetAnswer(question(t, "touches"), "objects")
	a.SetAnswer(question(t, "network"), "wifi-bad, loss=5%")
	a.SetAnswer(question(t, "deterministic"), "yes")
	now, err := a.Advice()
	if err != nil || now.Setting.Tape != "four-players" || len(now.Best) != 3 {
		t.Fatalf("%+v, %v", now, err)
	}
	a.Open(1)
	s.startNext(t)
	if got := s.Plan; got.TapeName != "four-players" || len(got.Panes) != 2 || got.Panes[0] != s.Library.ExpandSpec(now.Best[1].Pane) ||
		got.Panes[1] != s.Library.ExpandSpec(now.Best[0].Pane) || got.Config.Network.Up.Loss != 0.05 {
		t.Errorf("%v of %s, loss %v", got.Panes, got.TapeName, got.Config.Network.Up.Loss)
	}
	if a.Shown(0) || !a.Shown(1) || a.Answer(question(t, "players")) != "4" {
		t.Errorf("shown %v, %v; players %s", a.Shown(0), a.Shown(1), a.Answer(question(t, "players")))
	}
	copied := ""
	s.Platform.CopyText = func(text string) error { copied = text; return nil }
	a.CopyCommand()
	if !strings.HasPrefix(copied, "ghostcube advise --players 4 --bodies 60 --touches objects ") || !strings.Contains(copied, "--network wifi-bad,loss=5% ") {
		t.Error(copied)
	}
	a.SetAnswer(question(t, "players"), "2")
	if a.Shown(1) {
		t.Error("the session shows a choice of another advice")
	}
}

// TestAdvisorBesideTakes promises that advice which is asked for while two takes are side by side changes neither, that its
// session has one take and none beside it, and that both takes are left as tapes.
func TestAdvisorBesideTakes(t *testing.T) {
	s := newTestSession(t, "rewind", "snapshot")
	s.playPast(t, 40)
	s.seekNow(t, 20)
	s.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "250ms"})
	s.Paused = false
	s.playPast(t, 10)
	s.Beside.Toggle()
	s.Beside.Follow()
	a, ours, other := &s.Advisor, s.Lab.Hash(), s.Beside.lab.Hash()
	a.SetAnswer(question(t, "network"), "wifi-bad")
	advice, err := a.Advice()
	if err != nil || !s.Beside.On() || s.Lab.Hash() != ours || s.Beside.lab.Hash() != other {
		t.Fatalf("%v; two takes: %v", err, s.Beside.On())
	}
	a.Open(0)
	if !s.Beside.On() || a.Shown(0) {
		t.Error("the takes are gone before the session has started")
	}
	s.startNext(t)
	shown, l := s.Shown()
	if s.Beside.On() || shown != &s.HUD || l != s.Lab || !a.Shown(0) || len(s.Past.Timeline.Takes()) != 1 || s.Beside.Number(0) != 0 ||
		s.Beside.Labels != [lab.MaxPanes]string{} {
		t.Errorf("another take is shown beside the advice: %v, takes: %d", s.Beside.On(), len(s.Past.Timeline.Takes()))
	}
	if now, err := a.Advice(); now != advice || err != nil {
		t.Error("the answers are gone")
	}
	s.playPast(t, 5)
	if s.Beside.On() || s.Lab.Ticks() != 5 {
		t.Errorf("tick %d", s.Lab.Ticks())
	}
	s.Beside.Toggle()
	if s.Beside.On() || !strings.Contains(s.lastNotice(), "there is one take") {
		t.Errorf("a take of the session before is shown; notice %q", s.lastNotice())
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	if files, err := filepath.Glob(filepath.Join(s.OutDir, "*.tape")); err != nil || len(files) != 3 {
		t.Errorf("the tapes %v, %v: want two of the takes, and one", files, err)
	}
}
