package session

import (
	"slices"
	"strings"
	"testing"

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
