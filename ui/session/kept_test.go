package session

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/ui/plan"
)

// keptPage is what a page knows of a session.
type keptPage struct{ link, file, rest, place string }

// record makes a session keep itself in p.
func (p *keptPage) record(g *testSession) {
	g.Platform.InPage = true
	g.Platform.SetAddress, g.Platform.Describe = func(string, bool) {}, func(string, string) {}
	g.Platform.Remember = func(link, file, rest, place string) {
		if rest == "" {
			*p = keptPage{}
			return
		}
		if link != "" {
			p.link, p.file = link, file
		}
		p.rest, p.place = rest, place
	}
}

// tape returns the text of the tape so far.
func (p *keptPage) tape(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + p.rest
}

// restore opens the link of the kept session and leads it to its moment, as a page does that is loaded again.
func (p *keptPage) restore(t *testing.T, g *testSession) (*testSession, *keptPage) {
	t.Helper()
	x, err := plan.ParseLink(p.link)
	if err != nil {
		t.Fatal(err)
	}
	var again *testSession
	if x.Lesson == "" {
		again = playSettings(t, x.Settings)
	} else {
		again = playSettings(t, plan.Settings{})
		list, err := again.Library.Lessons()
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			if list[i].Name == x.Lesson {
				planned, err := again.Library.NewLesson(&list[i])
				if err != nil {
					t.Fatal(err)
				}
				if err := again.Start(planned); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	next := &keptPage{}
	next.record(again)
	if err := again.Kept.Restore(p.tape(t), p.place, "lost"); err != nil {
		t.Fatal(err)
	}
	for again.RunUp > 0 {
		if next.rest != "" {
			t.Fatal("a session that is being restored is kept, though the page has more of it")
		}
		if err := again.MakeRunUp(func() bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	for again.Past.Timeline.Remaining() > 0 {
		again.Past.Update()
	}
	again.Kept.update()
	return again, next
}

// same fails unless two sessions are at the same tick with the same hashes, title and settings.
func (g *testSession) same(t *testing.T, b *testSession) {
	t.Helper()
	if g.Lab.Ticks() != b.Lab.Ticks() || g.Lab.Hash() != b.Lab.Hash() {
		t.Errorf("tick %d with hash %016x is tick %d with hash %016x", g.Lab.Ticks(), g.Lab.Hash(), b.Lab.Ticks(), b.Lab.Hash())
	}
	if g.Title != b.Title || g.settings() != b.settings() || g.Settings() != b.Settings() || g.Past.Timeline.End() != b.Past.Timeline.End() {
		t.Errorf("%q %+v %+v\nis\n%q %+v %+v", g.Title, g.settings(), g.Settings(), b.Title, b.settings(), b.Settings())
	}
}

// TestKept promises that a session that a page has kept goes on at its tick with the same hash, as often as the page is
// loaded, and then runs as it would have: with keys and shots, knobs that no tick has seen yet, in the middle of a
// comparison's tape and after a key has stopped it, in the past, and in a lesson.
func TestKept(t *testing.T) {
	set := func(g *testSession, verb, name, value string) {
		g.Do(lab.Command{Verb: verb, Pane: lab.AllPanes, Name: name, Value: value})
	}
	comparison := plan.Settings{Compare: "csp-redundancy"}
	cases := map[string]struct {
		settings plan.Settings
		use      func(g *testSession)
	}{
		"keys": {plan.Settings{Panes: "rewind,snapshot", Scene: "zen", Network: "latency=75ms,loss=5%"}, func(g *testSession) {
			g.setButtons(sim.Forward|sim.Lift, 0)
			g.in.Shot = g.Controls.LevelShot()
			g.runTicks(t, 50)
			g.setButtons(0, 0)
			g.Controls.NudgeServer()
			g.runTicks(t, 31)
			set(g, "condition", "latency", "20ms") // on no tick yet
		}},
		"comparison": {comparison, func(g *testSession) { g.runTicks(t, 100) }},
		"knob":       {comparison, func(g *testSession) { g.runTicks(t, 70); set(g, "set", "smoothing", "none"); g.runTicks(t, 60) }},
		"taken over": {comparison, func(g *testSession) {
			g.runTicks(t, 64)
			g.TakeOver()
			g.setButtons(sim.Left, 0)
			g.runTicks(t, 1)
		}},
		"past": {comparison, func(g *testSession) { g.runTicks(t, 120); g.Past.SeekFully(33) }},
		"take": {comparison, func(g *testSession) {
			g.runTicks(t, 120)
			g.Past.SeekFully(33)
			set(g, "set", "smoothing", "none")
			g.runTicks(t, 9)
		}},
		"one tick": {plan.Settings{Panes: "rewind"}, func(g *testSession) { g.runTicks(t, 1) }},
		"lesson": {plan.Settings{}, func(g *testSession) {
			g.Lesson.GoTo(1)
			g.startNext(t)
			g.runTicks(t, 90)
		}},
		"lesson left": {plan.Settings{}, func(g *testSession) {
			g.Lesson.GoTo(1)
			g.startNext(t)
			g.runTicks(t, 30)
			g.Lesson.Leave()
			g.runTicks(t, 5)
		}},
	}
	for name, c := range cases {
		if experiment.Brief() && name != "keys" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			page := &keptPage{}
			g := playSettings(t, c.settings)
			page.record(g)
			c.use(g)
			g.Paused = true
			if _, err := g.Update(&g.in); err != nil {
				t.Fatal(err)
			}
			again, next := page.restore(t, g)
			g.same(t, again)
			if !again.Paused || again.PausedBy != "the browser took the graphics card away" {
				t.Errorf("paused %v by %q", again.Paused, again.PausedBy)
			}
			if want := page.tape(t); next.tape(t) != want || next.place != page.place || next.link != page.link {
				t.Errorf("%s %q\n%s\nis kept as %s %q\n%s", page.link, page.place, want, next.link, next.place, next.tape(t))
			}
			again, _ = next.restore(t, again)
			for _, s := range []*testSession{g, again} {
				s.Paused, s.in = false, Intents{}
				s.Past.GoLive()
				s.runTicks(t, 100)
			}
			g.same(t, again)
			b, err := again.Files.tapeSoFar()
			if err != nil {
				t.Fatal(err)
			}
			read, err := tape.Read(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			verify(t, read)
		})
	}
}

// TestKeptElsewhere promises that a session is not led to the moment of another one, nor by a tape or a place that is
// damaged, that other hashes than the tape's are told, and that the
// page forgets a session that ends.
func TestKeptElsewhere(t *testing.T) {
	page := &keptPage{}
	g := newTestSession(t, "rewind")
	page.record(g)
	g.runTicks(t, 10)
	text := page.tape(t)
	for want, try := range map[string]struct{ panes, text, place string }{
		"another session": {"snapshot", text, page.place},
		"not a tape":      {"rewind", "nonsense", page.place},
		"incomplete":      {"rewind", strings.TrimSuffix(text, "end 10\n"), page.place},
		"no place":        {"rewind", text, "10 11 false\n"},
		"no command":      {"rewind", text, "10 0 false\nsmash all x y\n"},
	} {
		other := newTestSession(t, try.panes)
		if err := other.Kept.Restore(try.text, try.place, "reload"); err == nil || !strings.Contains(err.Error(), want) || other.RunUp != 0 {
			t.Errorf("%v, want %s; a run-up to %d", err, want, other.RunUp)
		}
	}
	g.runTicks(t, 51)
	text = page.tape(t)
	i := strings.Index(text, "\n= ") + 3
	other := newTestSession(t, "rewind")
	if err := other.Kept.Restore(text[:i]+strings.Repeat("0", 16)+text[i+16:], page.place, "reload"); err != nil {
		t.Fatal(err)
	}
	if err := other.MakeRunUp(func() bool { return true }); err != nil || !strings.Contains(strings.Join(other.Notices.Texts(), "\n"), "another than before") {
		t.Errorf("%v; a session with another hash says %q", err, other.Notices.Texts())
	}
	g.Reset()
	if g.startNext(t); *page != (keptPage{}) {
		t.Errorf("the page has %+v of a session that has ended", page)
	}
}
