package window

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
	"ghostcube/ui/tour"
	"ghostcube/ui/widget"
)

// lessonsOf returns all lessons.
func lessonsOf(t *testing.T, g *game) []plan.Lesson {
	t.Helper()
	list, err := g.Library.Lessons()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// bindingOf returns the binding with a label.
func bindingOf(label string) *binding {
	for _, group := range bindings {
		for i := range group {
			if group[i].label == label {
				return &group[i]
			}
		}
	}
	return nil
}

// act does what a lesson asks for, by the key that it names, by the keys of the player, or in the panel.
func (g *game) act(t *testing.T, x *plan.Lesson) {
	t.Helper()
	c := &x.Action.Command
	if x.Key != "" {
		b, index := bindingOf(x.Key), 0
		if b == nil {
			t.Fatalf("%s: no key %q", x.Name, x.Key)
		}
		key := strings.Split(x.Key, ",")[0]
		if c.Verb == "switch" {
			index = slices.Index(lab.StrategyNames(), c.Name)
			key = string(rune('1' + index))
		}
		if !strings.Contains(x.Do, "Press "+key+":") {
			t.Errorf("%s: %q does not name the key %s", x.Name, x.Do, key)
		}
		b.press(g, index, false)
		return
	}
	switch c.Verb {
	case "":
		g.takeOver()
		g.setButtons(sim.Forward, 0)
	case "set":
		if g.panel.ui.Focused() != "" || g.panel.page != 2 || !strings.Contains(x.Do, "page Strategy") || !strings.Contains(x.Do, c.Name) {
			t.Errorf("%s: page %d is open, and the lesson says %q", x.Name, g.panel.page, x.Do)
		}
		if c.Pane != g.lab.Focus() {
			if !strings.Contains(x.Do, "right pane") {
				t.Errorf("%s: %q does not say which pane", x.Name, x.Do)
			}
			g.execute(lab.Command{Verb: "focus", Pane: c.Pane})
			g.lay(t, widget.Input{})
		}
		g.setControl(t, c.Name, c.Value)
	case "condition":
		if !strings.Contains(x.Do, "page Network") {
			t.Errorf("%s: %q does not name the page", x.Name, x.Do)
		}
		g.setControl(t, c.Name, c.Value)
	}
}

// setControl sets a control of the open page: a number, a checkbox or a list.
func (g *game) setControl(t *testing.T, name, value string) {
	t.Helper()
	if slices.ContainsFunc(g.panel.controls, func(c control) bool { return c.name == name+" number" }) {
		g.typeText(t, name+" number", strings.TrimSuffix(value, "ms"))
		return
	}
	g.click(t, name)
	if value != "on" {
		g.click(t, name+" "+value)
	}
}

// TestTourInTheWindow plays every lesson as a viewer does: with the keys and controls that its words name, and checks
// that the lesson goes on and that its figures are there at the end. The order is that of the tour.
func TestTourInTheWindow(t *testing.T) {
	g := newTestGame(t, "rewind")
	list := lessonsOf(t, g)
	if testing.Short() { // all of them take a minute under the race detector
		list = list[:2]
	}
	g.lay(t, widget.Input{})
	for i := range list {
		x := &list[i]
		g.tourKey(0, false)
		g.lay(t, widget.Input{})
		g.lay(t, widget.Input{})
		if g.tour.run == nil || g.tour.run.Lesson.Name != x.Name {
			t.Fatalf("F2 does not start %s", x.Name)
		}
		g.runTicks(t, int(x.Seconds*60)+1)
		if g.tour.run.Phase != tour.Before || g.tour.run.BeforeSeconds != x.Seconds {
			t.Fatalf("%s: phase %v after %v s", x.Name, g.tour.run.Phase, g.tour.run.BeforeSeconds)
		}
		g.lay(t, widget.Input{})
		g.act(t, x)
		g.runTicks(t, 1)
		if g.tour.run.Phase != tour.After {
			t.Fatalf("%s: the action is not recognised; notices %v", x.Name, g.notices.list)
		}
		g.setButtons(0, 0)
		g.runTicks(t, int(x.Seconds*60)+1)
		if g.tour.run.Phase != tour.Done || slices.ContainsFunc(g.tour.run.After, func(m score.Measure) bool { return !m.OK }) {
			t.Errorf("%s: phase %v, %+v", x.Name, g.tour.run.Phase, g.tour.run.After)
		}
	}
	g.goToLesson(-1)
	g.lay(t, widget.Input{})
	if g.tour.run.Lesson.Name != list[len(list)-2].Name {
		t.Errorf("back leads to %s", g.tour.run.Lesson.Name)
	}
	g.tourKey(1, false)
	if g.tour.shown() || g.panel.knobFilter != "" || g.next != nil {
		t.Errorf("after the end: %+v, search %q", g.tour.run, g.panel.knobFilter)
	}
}

// TestCardCoversNothing checks that the card of each lesson, before and after the action, lies below the panes, that
// its texts are whole and lie in it, in all windowSizes, and that the panes keep their size when the lesson goes on.
func TestCardCoversNothing(t *testing.T) {
	g := newTestGame(t, "rewind")
	list := lessonsOf(t, g)
	for i := range list {
		m, err := g.Library.NewLesson(&list[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := g.startPlan(m); err != nil {
			t.Fatal(err)
		}
		for _, size := range windowSizes {
			g.screen.w, g.screen.h, g.screen.scale = size.w, size.h, size.scale
			var first stage.Rect
			for phase := range tour.Done + 1 {
				g.tour.run.Phase = phase
				g.lay(t, widget.Input{})
				picture, card := g.pictureRect(), g.cardBounds()
				if phase == tour.Before {
					first = picture
				}
				if picture != first || picture.Y+picture.H+g.barHeight() != card.Min.Y || card.Max.Y != size.h || card.Dx() != picture.W || picture.H < size.h*2/5 {
					t.Errorf("%s, %+v, %v: the picture is %v, the card %v", list[i].Name, size, phase, picture, card)
				}
				for k, u := range []*widget.UI{&g.tour.texts, &g.tour.figures} {
					if cut := u.Cut(); len(cut) > 0 {
						t.Errorf("%s, %+v: cut %q", list[i].Name, size, cut)
					}
					for _, it := range slices.Concat(u.Frame.Items, u.Body.Items) {
						checkCardItem(t, &list[i], size, k, &it, card)
					}
				}
			}
		}
	}
}

// checkCardItem checks that an item of a card lies in it, and that its text is whole.
func checkCardItem(t *testing.T, x *plan.Lesson, size windowSize, part int, it *render.Item, card image.Rectangle) {
	t.Helper()
	if it.Text == "" {
		return
	}
	top, bottom := it.Y-it.Font.Ascent(), it.Y-it.Font.Ascent()+it.Font.Height()
	if it.X < float32(card.Min.X) || it.X+it.Font.Width(it.Text) > float32(card.Max.X) || top < float32(card.Min.Y) || bottom > float32(card.Max.Y)-4*float32(size.scale) || strings.Contains(it.Text, "…") {
		t.Errorf("%s, %+v, part %d: %q lies at %v, %v to %v in %v", x.Name, size, part, it.Text, it.X, top, bottom, card)
	}
}

// TestHandAndTape checks that the tape of a lesson moves the player until a key does, and again some seconds after the
// last key, and that a lesson whose action is a key waits for it.
func TestHandAndTape(t *testing.T) {
	g := newTestGame(t, "rewind")
	list := lessonsOf(t, g)
	start := func(name string) {
		m, err := g.Library.NewLesson(&list[slices.IndexFunc(list, func(x plan.Lesson) bool { return x.Name == name })])
		if err == nil {
			err = g.startPlan(m)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	moved := func() (n int) {
		for range 120 {
			g.runTicks(t, 1)
			if g.lastInput.Buttons != 0 {
				n++
			}
		}
		return n
	}
	start("prediction")
	if moved() == 0 || !g.tapePlaying() {
		t.Error("the tape does not move the player")
	}
	g.takeOver()
	g.setButtons(sim.Right, 0)
	g.runTicks(t, 1)
	if g.lastInput.Buttons != sim.Right || !strings.Contains(g.footer(), "you have control") {
		t.Errorf("the hand has %v; footer %q", g.lastInput.Buttons, g.footer())
	}
	g.setButtons(0, 0)
	g.runTicks(t, handSeconds*60)
	if moved() == 0 || !g.tapePlaying() {
		t.Error("the tape does not go on after the hand")
	}
	start("no-prediction")
	g.runTicks(t, 600)
	if g.lastInput.Buttons != 0 || g.tour.run.Phase != tour.Before {
		t.Error("a lesson that waits for a key goes on without one")
	}
}

// TestOfferOnce checks that the first start offers the tour, that the next one in the same folder does not, that a
// session that was asked for is left alone, and that the offer ends by itself and with the tour.
func TestOfferOnce(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.lay(t, widget.Input{})
	whole := g.pictureRect().H
	g.offerTour()
	g.lay(t, widget.Input{})
	if !g.tour.offered || g.pictureRect().H >= whole || g.pictureRect().H < whole-50 {
		t.Fatalf("no offer: %v", g.pictureRect())
	}
	if _, err := os.Stat(filepath.Join(g.OutDir, offerMark)); err != nil {
		t.Error(err)
	}
	again := newTestGame(t, "rewind")
	again.OutDir = g.OutDir
	if again.offerTour(); again.tour.offered {
		t.Error("offered twice")
	}
	tape := playSettings(t, plan.Settings{Compare: "prediction"})
	if tape.offerTour(); tape.tour.offered {
		t.Error("offered in a comparison")
	}
	g.click(t, "tour not now")
	if g.tour.shown() || g.pictureRect().H != whole {
		t.Error("the offer stays")
	}
	g.OutDir = filepath.Join(g.OutDir, offerMark, "file", "below") // cannot be made
	g.offerTour()
	if !g.tour.offered {
		t.Error("no offer without a file")
	}
	g.runTicks(t, offerSeconds*60)
	if g.tour.offered {
		t.Error("the offer does not end")
	}
	g.offerTour()
	g.lay(t, widget.Input{})
	g.click(t, "tour start")
	if g.tour.run == nil || g.tour.offered {
		t.Error("the offer does not start the tour")
	}
}

// TestLessonAndPast checks that time spent in the past does not count for a lesson, that the measurement begins again after it,
// and that a take that begins before the action has not acted.
func TestLessonAndPast(t *testing.T) {
	g := newTestGame(t, "rewind")
	list := lessonsOf(t, g)
	m, err := g.Library.NewLesson(&list[1])
	if err == nil {
		err = g.startPlan(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	g.runTicks(t, 600)
	r := g.tour.run
	g.seekFully(200)
	g.paused = false
	g.runTicks(t, 60)
	if r.BeforeSeconds != 10 || g.lab.Ticks() != 260 {
		t.Errorf("in the past: %v s, tick %d", r.BeforeSeconds, g.lab.Ticks())
	}
	g.goLive()
	g.paused = false
	g.runTicks(t, 121)
	if r.BeforeSeconds != 2 || r.Phase != tour.Before || g.lab.Ticks() != 721 {
		t.Errorf("back at the end: %v s, %v, tick %d", r.BeforeSeconds, r.Phase, g.lab.Ticks())
	}
	g.act(t, &list[1])
	g.runTicks(t, 600)
	if r.Phase != tour.Done {
		t.Fatalf("phase %v", r.Phase)
	}
	g.seekFully(400)
	g.paused = false
	g.takeOver()
	g.setButtons(sim.Left, 0)
	g.runTicks(t, 62)
	if r.Phase != tour.Before || g.past.timeline.Reviewing() || g.lab.Panes[0].Strategy.Name != "noprediction" {
		t.Errorf("in a take before the action: %v, %s", r.Phase, g.lab.Panes[0].Strategy.Name)
	}
}
