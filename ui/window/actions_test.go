package window

import (
	"image"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/ui/widget"
)

// actor acts as a user does and counts the actions: keys, clicks, drags and typed texts.
type actor struct {
	t *testing.T
	g *game
	n int
}

func (a *actor) key(label string, shift bool) {
	a.n++
	bindingOf(label).press(a.g, 0, shift)
	a.g.lay(a.t, widget.Input{Shift: shift})
	a.g.lay(a.t, widget.Input{})
	a.g.lay(a.t, widget.Input{})
}

func (a *actor) click(control string) { a.n++; a.g.click(a.t, control) }

// drag presses a slider at its left end and releases it at three quarters of its length.
func (a *actor) drag(slider string) {
	a.n++
	r := a.g.bounds(a.t, slider)
	if !r.In(image.Rect(0, 0, a.g.screen.w, a.g.screen.h)) {
		a.t.Errorf("the slider %s lies at %v", slider, r)
	}
	y := (r.Min.Y + r.Max.Y) / 2
	from, to := image.Pt(r.Min.X+r.Dx()/8, y), image.Pt(r.Min.X+r.Dx()*3/4, y)
	a.g.lay(a.t, widget.Input{Pointer: from, Down: true, Pressed: true})
	a.g.lay(a.t, widget.Input{Pointer: to, Down: true})
	a.g.lay(a.t, widget.Input{Pointer: to})
	a.g.lay(a.t, widget.Input{})
}

func (a *actor) typed(text string) { a.n++; a.g.lay(a.t, widget.Input{Text: text}) }
func (a *actor) enter()            { a.n++; a.g.lay(a.t, widget.Input{Enter: true}); a.g.lay(a.t, widget.Input{}) }

// TestFewActions promises that in a fresh window of 1280x720 a strategy is one key away, and loss, a smoothing factor and the
// recording of a video with a title at most three keys, clicks, drags and typed texts.
func TestFewActions(t *testing.T) {
	experiment.Skip(t)
	for name, c := range map[string]struct {
		most int
		act  func(a *actor)
		done func(g *game) string // the value that the actions changed
		want string
	}{
		"strategy": {1, func(a *actor) { a.key("1 to 9", false) },
			func(g *game) string { return g.session.Lab.Panes[0].Strategy.Name }, "noprediction"},
		"loss": {2, func(a *actor) { a.click("tab Network"); a.drag("loss") },
			func(g *game) string { return strconv.FormatBool(g.session.Lab.Network().Up.Loss > 0) }, "true"},
		"smoothing factor": {2, func(a *actor) { a.click("tab Strategy"); a.drag("smooth-factor-small") },
			func(g *game) string {
				k := g.session.Lab.Panes[0].Knobs.Lookup("smooth-factor-small")
				return strconv.FormatBool(k.Value() != k.Default())
			}, "true"},
		"video with a title": {3, func(a *actor) { a.key("R, Shift R", true); a.typed("75 ms, without and with"); a.enter() },
			func(g *game) string {
				return string(g.session.Settings().Title) + strconv.FormatBool(g.session.Videos.Recording())
			}, "75 ms, without and withtrue"},
	} {
		g := newTestGame(t, "rewind")
		g.lay(t, widget.Input{})
		g.lay(t, widget.Input{})
		a := &actor{t: t, g: g}
		c.act(a)
		g.runTicks(t, 1)
		if got := c.done(g); got != c.want || a.n > c.most {
			t.Errorf("%s: %q after %d actions, want %q after %d; notices %v", name, got, a.n, c.want, c.most, g.session.Notices.Texts())
		}
		if name != "video with a title" {
			continue
		}
		g.runTicks(t, 5)
		if g.panel.ui.Focused() != "" {
			t.Errorf("after Enter the keys belong to %q", g.panel.ui.Focused())
		}
		a.key("R, Shift R", false)
		if g.session.Videos.Recording() {
			t.Error("R does not stop the video")
		}
	}
}

// TestTitleIsCancelled promises that Escape while the title of a video is typed begins none.
func TestTitleIsCancelled(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.lay(t, widget.Input{})
	a := &actor{t: t, g: g}
	a.key("R, Shift R", true)
	a.typed("nothing")
	g.lay(t, widget.Input{Escape: true})
	a.enter()
	if g.session.Videos.Recording() || g.session.Settings().Title != "" {
		t.Errorf("recording %t, title %q", g.session.Videos.Recording(), g.session.Settings().Title)
	}
}

// TestDigitBesideField promises that a digit typed after a press beside the fields of the panel, also at a past moment,
// switches no strategy and says why, until the pointer leaves the panel or presses a control.
func TestDigitBesideField(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.playPast(t, 90)
	g.openPage(t, "Network")
	digit := bindingOf("1 to 9")
	label := g.bounds(t, "loss number")
	beside := image.Pt(label.Min.X, label.Max.Y+1)
	press := func(at image.Point) {
		g.lay(t, widget.Input{Pointer: at, Down: true, Pressed: true})
		g.panel.notePress(&pointer{at: at, down: true, pressed: true})
		g.lay(t, widget.Input{Pointer: at})
		g.panel.notePress(&pointer{at: at})
	}
	name := func() string { return g.session.Lab.Panes[0].Strategy.Name }
	press(beside)
	digit.press(g, 0, false)
	if n := g.session.Notices.Texts(); name() != "rewind" || len(n) != 1 || !strings.Contains(n[0], "no field has the digit") {
		t.Errorf("beside a field: %s, notices %v", name(), n)
	}
	g.session.Past.SeekFully(30)
	digit.press(g, 0, false)
	if takes := len(g.session.Past.Timeline.Takes()); takes != 1 || name() != "rewind" {
		t.Errorf("at a past moment: %d takes, %s", takes, name())
	}
	g.session.Past.GoLive()
	g.panel.notePress(&pointer{at: image.Pt(100, 300)})
	if digit.press(g, 0, false); name() != "noprediction" {
		t.Errorf("over the picture the digit leaves %s", name())
	}
	press(beside)
	tab := g.bounds(t, "tab Network")
	press(tab.Min.Add(tab.Size().Div(2)))
	if digit.press(g, 1, false); name() != "rewind" {
		t.Errorf("after a press of a tab the digit leaves %s", name())
	}
}
