package window

import (
	"image"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
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
	list, err := g.session.Library.Lessons()
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
		g.session.TakeOver()
		g.setButtons(sim.Forward, 0)
	case "set":
		if g.panel.ui.Focused() != "" || g.panel.page != 2 || !strings.Contains(x.Do, "page Strategy") || !strings.Contains(x.Do, c.Name) {
			t.Errorf("%s: page %d is open, and the lesson says %q", x.Name, g.panel.page, x.Do)
		}
		if c.Pane != g.session.Lab.Focus() {
			if !strings.Contains(x.Do, "right pane") {
				t.Errorf("%s: %q does not say which pane", x.Name, x.Do)
			}
			g.session.Do(lab.Command{Verb: "focus", Pane: c.Pane})
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

// TestTourInTheWindow begins every lesson as a viewer does, with the keys and controls that its words name, and checks that
// the lesson recognises them. The first lesson is played to its end; TestLessonsAreTrue plays all. The order is that of
// the tour.
func TestTourInTheWindow(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind")
	list := lessonsOf(t, g)
	g.lay(t, widget.Input{})
	for i := range list {
		x := &list[i]
		g.tourKey(0, false)
		g.lay(t, widget.Input{})
		g.lay(t, widget.Input{})
		if g.session.Lesson.Run == nil || g.session.Lesson.Run.Lesson.Name != x.Name {
			t.Fatalf("F2 does not start %s", x.Name)
		}
		seconds := 1.
		if i == 0 {
			seconds = x.Seconds
		}
		run := g.session.Lesson.Run
		g.runTicks(t, int(seconds*60)+1)
		if run.Phase != tour.Before || run.BeforeSeconds != seconds {
			t.Fatalf("%s: phase %v after %v s", x.Name, run.Phase, run.BeforeSeconds)
		}
		g.lay(t, widget.Input{})
		g.act(t, x)
		g.runTicks(t, 1)
		if run.Phase != tour.After {
			t.Fatalf("%s: the action is not recognised; notices %v", x.Name, g.session.Notices.Texts())
		}
		g.setButtons(0, 0)
		if i > 0 {
			continue
		}
		g.runTicks(t, int(seconds*60)+1)
		if run.Phase != tour.Done || slices.ContainsFunc(run.After, func(m score.Measure) bool { return !m.OK }) {
			t.Errorf("%s: phase %v, %+v", x.Name, run.Phase, run.After)
		}
	}
	g.session.Lesson.GoTo(-1)
	g.lay(t, widget.Input{})
	if g.session.Lesson.Run.Lesson.Name != list[len(list)-2].Name {
		t.Errorf("back leads to %s", g.session.Lesson.Run.Lesson.Name)
	}
	g.tourKey(1, false)
	g.lay(t, widget.Input{})
	if g.session.Lesson.Shown() || g.panel.strategy.filter != "" || g.session.Next != nil {
		t.Errorf("after the end: %+v, search %q", g.session.Lesson.Run, g.panel.strategy.filter)
	}
}

// TestCardCoversNothing checks that the card of each lesson, before and after the action, lies below the panes, that
// its texts are whole and lie in it, in all windowSizes, and that the panes keep their size when the lesson goes on.
func TestCardCoversNothing(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind")
	list := lessonsOf(t, g)
	for i := range list {
		m, err := g.session.Library.NewLesson(&list[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := g.start(m); err != nil {
			t.Fatal(err)
		}
		for _, size := range windowSizes {
			g.screen.w, g.screen.h, g.screen.scale = size.w, size.h, size.scale
			var first stage.Rect
			for phase := range tour.Done + 1 {
				g.session.Lesson.Run.Phase = phase
				g.lay(t, widget.Input{})
				picture, card := g.pictureRect(), g.card.bounds()
				if phase == tour.Before {
					first = picture
				}
				if picture != first || picture.Y+picture.H+g.bar.height() != card.Min.Y || card.Max.Y != size.h || card.Dx() != picture.W || picture.H < size.h*2/5 {
					t.Errorf("%s, %+v, %v: the picture is %v, the card %v", list[i].Name, size, phase, picture, card)
				}
				for k, u := range []*widget.UI{&g.card.texts, &g.card.figures} {
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
	if it.X < float32(card.Min.X) || it.X+it.Font.Width(it.Text) > float32(card.Max.X) || top < float32(card.Min.Y) ||
		bottom > float32(card.Max.Y)-4*float32(size.scale) || strings.Contains(it.Text, "…") {
		t.Errorf("%s, %+v, part %d: %q lies at %v, %v to %v in %v", x.Name, size, part, it.Text, it.X, top, bottom, card)
	}
}

// TestOfferCard promises that the offer of the tour takes one line below the panes, and that its buttons hide it and start
// the first lesson.
func TestOfferCard(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.lay(t, widget.Input{})
	whole := g.pictureRect().H
	for _, button := range []string{"tour not now", "tour start"} {
		g.session.Lesson.Offered = true
		g.lay(t, widget.Input{})
		if h := g.pictureRect().H; h >= whole || h < whole-50 {
			t.Fatalf("the panes have %d of %d pixels", h, whole)
		}
		g.click(t, button)
		if g.session.Lesson.Offered {
			t.Errorf("%s: the offer stays", button)
		}
	}
	if g.session.Lesson.Run == nil {
		t.Error("the offer does not start the tour")
	}
}
