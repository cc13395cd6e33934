package session

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/probe"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/hud"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
)

// TestShowCorrection promises that a correction chosen in the panel or on the bar is shown at its tick, with ghosts of
// where its body was drawn before and is simulated now, and with an arrow between the two, and that the session then goes
// on as before the visit, with no callout.
func TestShowCorrection(t *testing.T) {
	experiment.Skip(t)
	g := newTestSession(t, "rewind")
	g.playPast(t, 200)
	g.Controls.NudgeServer()
	g.playPast(t, 200)
	p := g.Lab.Panes[0]
	if p.Corrections.Total() == 0 {
		t.Fatal("no correction after a nudge")
	}
	n := p.Corrections.FirstIndex()
	x := *p.Corrections.At(n)
	compose := func() (lines, arrows int) {
		var f hud.Frame
		g.HUD.Compose(&f, g.Lab, stage.Rect{W: 930, H: 660}, hud.Options{Callout: g.Selection.Callout()}, 1)
		for _, it := range f.Overlay.Items {
			if it.Kind == render.LineKind && it.Color != stage.CurveColor {
				arrows++
			}
		}
		return len(f.Viewports[0].Scene.Lines), arrows
	}
	for _, way := range []string{"bar", "panel"} {
		g.Selection.Clear()
		g.Past.GoLive()
		if way == "bar" {
			g.Selection.ShowMark(0, timeline.Corrections, int(x.SessionTick)+1)
		} else {
			g.Selection.Toggle(p, n)
		}
		if g.Selection.pane != p || g.Selection.correction.SessionTick != x.SessionTick || g.Lab.Ticks() != x.SessionTick+1 {
			t.Fatalf("%s: tick %d with the selection %+v, want the correction of tick %d", way, g.Lab.Ticks(), g.Selection, x.SessionTick)
		}
		if m := g.Selection.Callout(); m == nil || !m.Corrected || !strings.Contains(m.Lines[len(m.Lines)-1], "m away") {
			t.Errorf("%s: the callout %+v", way, m)
		}
		if d := g.HUD.CorrectionOffset(0, x.Body); d < 0.5*x.Shift || d > x.Shift+0.3 {
			t.Errorf("%s: the arrow is %.3f m long, and the correction moved the cube by %.3f m", way, d, x.Shift)
		}
		lines, arrows := compose()
		g.Selection.Clear()
		without, none := compose()
		if lines < without+6 || arrows != none+2 {
			t.Errorf("%s: %d lines and %d arrows with the callout, %d and %d without", way, lines, arrows, without, none)
		}
	}
	for _, paused := range []bool{false, true} {
		g.Past.GoLive()
		g.Paused = paused
		g.Selection.Toggle(p, n)
		g.Past.GoLive()
		if g.Selection.Callout() != nil || g.Paused != paused {
			t.Errorf("after the visit to a correction the callout is %+v and the session paused %v, want %v", g.Selection.Callout(), g.Paused, paused)
		}
	}
	g.Past.SeekFully(int(x.SessionTick) + 3)
	g.Selection.set(p, n)
	if m := g.Selection.Callout(); m == nil || m.Corrected {
		t.Errorf("two ticks after the correction the callout still has its arrow: %+v", m)
	}
}

// TestEndAfterNewestCorrection promises that the key End goes on after a click on the correction of the last tick, which is no
// visit to the past, as it does after one of an earlier tick, and takes the callout away.
func TestEndAfterNewestCorrection(t *testing.T) {
	g := newTestSession(t, "rewind")
	g.playPast(t, 60)
	p := g.Lab.Panes[0]
	for _, paused := range []bool{false, true} {
		g.Paused = false
		before := p.Corrections.Total()
		g.Controls.NudgeServer()
		for range 120 {
			if g.playPast(t, 1); p.Corrections.Total() > before {
				break
			}
		}
		n := p.Corrections.Total() - 1
		if n < before || p.Corrections.At(n).SessionTick+1 != g.Lab.Ticks() {
			t.Fatalf("tick %d has no correction", g.Lab.Ticks())
		}
		g.Paused = paused
		g.Selection.Toggle(p, n)
		if g.Selection.Callout() == nil || !g.Paused || g.Past.Timeline.Reviewing() {
			t.Fatalf("callout %+v, paused %t", g.Selection.Callout(), g.Paused)
		}
		g.Past.GoLive()
		if g.Paused != paused || g.Selection.Callout() != nil {
			t.Errorf("after End the session is paused: %t, want %t; callout %+v", g.Paused, paused, g.Selection.Callout())
		}
	}
}

// TestCauseIsKnown promises that the text of a correction says what the laboratory knows where the client knows no cause, and
// that no length is printed as nothing.
func TestCauseIsKnown(t *testing.T) {
	c := &probe.Correction{Correction: predict.Correction{Packet: 697, Field: predict.Position, Amount: 0.000391, Shift: 0.00041, ReplayedTicks: 18}}
	text := strings.Join(CorrectionText(c, 60), "\n")
	for _, want := range []string{"by 0.000391 m", "shifted 0.00041 m", "Cause: same inputs, no forced fault, no loss before it: rounding"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	c.LostBefore = 2
	if text := causeText(c); !strings.Contains(text, "an earlier tick differed, whose state was lost; 2 packets") {
		t.Error(text)
	}
}

// TestLaterCorrectionsStay promises that the list of corrections keeps the later ones while the session shows an earlier one, and
// that one of them can be chosen there; and that a new take begins with those before it.
func TestLaterCorrectionsStay(t *testing.T) {
	g := newTestSession(t, "rewind")
	p := g.Lab.Panes[0]
	for range 3 {
		g.Controls.NudgeServer()
		g.playPast(t, 60)
	}
	n := p.Corrections.Total()
	if n < 3 {
		t.Fatalf("%d corrections", n)
	}
	ticks := make([]sim.Tick, n)
	for i := range n {
		ticks[i] = p.Corrections.At(i).SessionTick
	}
	for _, i := range []int{0, n - 1, 1} {
		g.Selection.Toggle(p, i)
		if list := g.Past.Corrections(p); list.Total() != n || g.Lab.Ticks() != ticks[i]+1 || list.At(n-1).SessionTick != ticks[n-1] {
			t.Fatalf("correction %d: %d in the list, want %d; tick %d, want %d", i, list.Total(), n, g.Lab.Ticks(), ticks[i]+1)
		}
		if m := g.Selection.Callout(); m == nil || m.Correction.SessionTick != ticks[i] {
			t.Errorf("correction %d has the callout %+v", i, m)
		}
	}
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "10ms"})
	if got, want := g.Past.Corrections(p).Total(), p.Corrections.Total(); got != want || got >= n {
		t.Errorf("the new take has %d corrections in the list, want %d", got, want)
	}
}

// TestLaterCorrectionsOfTakes promises that in the past of a take the list of corrections keeps the later ones of that take alone:
// also after another take was shown, which has others, or none at all.
func TestLaterCorrectionsOfTakes(t *testing.T) {
	g := newTestSession(t, "rewind")
	p := g.Lab.Panes[0]
	nudged := func(times int) (total int) {
		for range times {
			g.Controls.NudgeServer()
			g.playPast(t, 40)
		}
		return p.Corrections.Total()
	}
	first := nudged(6)
	g.seekNow(t, 70)
	shared := p.Corrections.Total()
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "90ms"})
	g.Paused = false
	second := nudged(1)
	takes := g.Past.Timeline.Takes()
	if len(takes) != 2 || first <= shared || second <= shared || first == second {
		t.Fatalf("%d takes, with %d and %d corrections, and %d shared", len(takes), first, second, shared)
	}
	for _, c := range []struct{ take, want int }{{1, second}, {0, first}, {1, second}} {
		if k := takes[c.take]; g.Past.Timeline.Take() != k {
			g.Past.ShowTake(k)
			g.Past.SeekFully(k.End())
		}
		g.Past.GoLive()
		g.seekNow(t, 50)
		list := g.Past.Corrections(p)
		if list.Total() != c.want || p.Corrections.Total() >= c.want {
			t.Errorf("take %d: %d corrections in the list, of which %d are earlier; want %d", c.take+1, list.Total(), p.Corrections.Total(), c.want)
		}
		for i := 1; i < list.Total(); i++ {
			if list.At(i-1).SessionTick > list.At(i).SessionTick {
				t.Errorf("take %d: correction %d is earlier than the one before", c.take+1, i)
			}
		}
	}
	g.Past.ShowTake(takes[0]) // from the past of take 2: how take 1 goes on is not known yet
	if list := g.Past.Corrections(p); list != &p.Corrections {
		t.Errorf("%d corrections in the list of a take that was not shown to its end, %d so far", list.Total(), p.Corrections.Total())
	}
}
