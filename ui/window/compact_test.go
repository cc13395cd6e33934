package window

import (
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
	"ghostcube/ui/widget"
)

// compactSizes are a phone held upright and on its side, at the scales of its display.
var compactSizes = []windowSize{{390, 844, 1}, {1170, 2532, 3}, {844, 390, 1}, {2532, 1170, 3}, {780, 1688, 2}, {320, 568, 1}}

// frameOf composes the picture of a game in a window of a size, and returns its places.
func (g *game) frameOf(size windowSize) (f *hud.Frame, picture stage.Rect) {
	g.screen.resize(size.w, size.h, size.scale)
	g.session.HUD.Refresh(g.session.Lab)
	picture, f = g.pictureRect(), &g.screen.frame
	g.session.HUD.Compose(f, g.session.Lab, picture, g.stageOptions(g.session.Title, g.screen.alert()), 1)
	return f, picture
}

// checkTexts checks that no text of a list leaves a rectangle and that no two of them overlap.
func checkTexts(t *testing.T, what string, list *render.DrawList, at stage.Rect) {
	t.Helper()
	type box struct {
		text           string
		x0, y0, x1, y1 float32
	}
	var boxes []box
	for _, it := range list.Items {
		if it.Kind != render.TextKind || it.Text == "" {
			continue
		}
		b := box{it.Text, it.X, it.Y - float32(it.Font.Size)*0.7, it.X + it.Font.Width(it.Text), it.Y}
		if b.x0 < float32(at.X) || b.x1 > float32(at.X+at.W)+1 || b.y0 < float32(at.Y) || b.y1 > float32(at.Y+at.H) {
			t.Errorf("%s: %q leaves the picture: %+v in %v", what, it.Text, b, at)
		}
		for _, o := range boxes {
			if b.x0 < o.x1-0.5 && o.x0 < b.x1-0.5 && b.y0 < o.y1-0.5 && o.y0 < b.y1-0.5 {
				t.Errorf("%s: %q covers %q", what, b.text, o.text)
			}
		}
		boxes = append(boxes, b)
	}
}

// TestCompactPanes promises that on a phone, upright and on its side, with one to four panes, no text of header,
// captions, legend, footer and timeline leaves the window or covers another, that panes stand one above the other on
// the upright one, and that the pictures keep a fifth of the window's height, or a seventh with four panes.
func TestCompactPanes(t *testing.T) {
	experiment.Skip(t)
	for _, panes := range [][]string{{"rewind"}, {"rewind", "noprediction"}, {"rewind", "noprediction", "snapshot"},
		{"rewind", "noprediction", "snapshot", "statesync"}} {
		g := newTestGame(t, panes...)
		g.session.Do(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "latency=123ms,jitter=17ms,loss=12.5%,bandwidth=1000000kbit"})
		g.runTicks(t, 200)
		for _, touched := range []bool{false, true} {
			g.screen.touched = touched
			for _, size := range compactSizes {
				f, picture := g.frameOf(size)
				var list render.DrawList
				list.Append(&f.Overlay)
				g.bar.draw(&list, g.pictureRect())
				checkTexts(t, strings.Join(panes, ","), &list, stage.Rect{W: picture.W, H: size.h})
				upright := size.h > size.w
				height := 0
				for i := range f.Viewports {
					v := &f.Viewports[i]
					if upright && v.Side == f.Viewports[0].Side && len(panes) < 4 || i == 0 {
						height += v.H
					}
				}
				if height < size.h/5 && len(panes) < 4 || height < size.h/7 {
					t.Errorf("%v at %+v: the pictures have %d pixels", panes, size, height)
				}
			}
		}
	}
}

// TestSheet promises that on a narrow window the panel is closed at first and lies over the panes when it is opened,
// with its close button in the window, that the panes keep their size, and that a window that becomes wide has its panel
// beside the panes again.
func TestSheet(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.screen.resize(1280, 720, 1)
	if g.screen.panelCollapsed || g.pictureRect().W != 1280-panelWidth {
		t.Errorf("wide: the panes have %d pixels", g.pictureRect().W)
	}
	for _, size := range compactSizes {
		for _, touched := range []bool{false, true} {
			g.screen.touched, g.panel.ui.Touch = touched, touched
			g.screen.resize(1280, 720, 1)
			g.screen.resize(size.w, size.h, size.scale)
			if !g.screen.panelCollapsed {
				t.Fatalf("%+v: the panel is open at first", size)
			}
			closed := g.pictureRect()
			if want := size.w; touched && closed.W != want {
				t.Errorf("%+v: the panes have %d pixels of %d", size, closed.W, want)
			}
			g.screen.panelCollapsed = false
			g.lay(t, widget.Input{})
			if open := g.pictureRect(); open != closed {
				t.Errorf("%+v: the open panel changes the panes from %v to %v", size, closed, open)
			}
			window := image.Rect(0, 0, size.w, size.h)
			if b := g.screen.panelBounds(); !b.In(window) || b.Dx() < int(320*size.scale) {
				t.Errorf("%+v: the panel is %v", size, b)
			}
			g.click(t, "collapse")
			if !g.screen.panelCollapsed {
				t.Errorf("%+v: the panel stays open", size)
			}
		}
	}
	g.screen.resize(1280, 720, 1)
	if g.screen.panelCollapsed {
		t.Error("the window is wide again, and its panel is closed")
	}
}

// TestTouchTargets promises that every control of every page is at least 40 points high for a finger, and that the
// panel's texts are whole on a phone.
func TestTouchTargets(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind", "snapshot")
	comparisons, err := g.session.Library.Comparisons()
	if err != nil {
		t.Fatal(err)
	}
	g.session.Comparisons = comparisons
	g.runTicks(t, 100)
	g.screen.touched, g.panel.ui.Touch = true, true
	for _, size := range []windowSize{{390, 6000, 1}, {1170, 18000, 3}, {350, 6000, 1}} {
		g.screen.resize(size.w, size.h, size.scale)
		g.screen.panelCollapsed = false
		for _, p := range pages() {
			g.openPage(t, p.name)
			for _, c := range g.panel.controls {
				if strings.HasPrefix(c.name, "scrollbar") || strings.HasPrefix(c.name, "correction ") {
					continue
				}
				if float64(c.bounds.Dy()) < 40*size.scale-1 || float64(c.bounds.Dx()) < 38*size.scale {
					t.Errorf("%s at %+v: %q has %v", p.name, size, c.name, c.bounds.Size())
				}
			}
			if cut := g.panel.ui.Cut(); len(cut) > 0 {
				t.Errorf("%s at %+v: cut %q", p.name, size, cut)
			}
		}
	}
}

// TestTouchPlaces promises that stick and buttons lie in the pictures of the panes, apart from each other, on phones, a
// tablet and a desktop, with and without vehicles in the scene.
func TestTouchPlaces(t *testing.T) {
	experiment.Skip(t)
	for _, s := range []plan.Settings{{Panes: "rewind"}, {Panes: "rewind,noprediction"},
		{Panes: "rewind,noprediction,snapshot"}, {Compare: "relative-boarding"}, {Scene: "train"}} {
		g := playSettings(t, s)
		g.screen.touched = true
		g.runTicks(t, 5)
		for _, size := range append(slices.Clone(compactSizes), windowSize{1280, 720, 1}, windowSize{1640, 2360, 2}) {
			f, picture := g.frameOf(size)
			g.placeTouchControls()
			p := &g.touch.places
			upper, lower := edgesOf(f.Viewports, picture)
			inside := image.Rect(picture.X, upper, picture.X+picture.W, lower)
			places := append(slices.Clone(p.buttons), touchPlace{p.rest, p.radius})
			for i, b := range places {
				if r := image.Rect(b.center.X-b.radius, b.center.Y-b.radius, b.center.X+b.radius, b.center.Y+b.radius); !r.In(inside) {
					t.Errorf("%+v at %+v: control %d of %d is at %v, the pictures at %v", s, size, i, len(places), r, inside)
				}
				if float64(b.radius) < 20*size.scale {
					t.Errorf("%+v: a button of %d pixels", size, 2*b.radius)
				}
				for k, o := range places[:i] {
					if distance(b.center, o.center) < float64(b.radius+o.radius) {
						t.Errorf("%+v at %+v: the controls %d and %d overlap", s, size, k, i)
					}
				}
			}
		}
	}
}

// TestTouchPlays promises that fingers move the cube, shoot, pause and turn the camera as keys and mouse do, that this
// goes on the tape, and that they stop a tape.
func TestTouchPlays(t *testing.T) {
	g := playSettings(t, plan.Settings{Panes: "rewind", Tape: "circle"})
	g.frameOf(windowSize{390, 844, 1})
	step := func(down ...finger) {
		g.followFingers(down)
		g.applyTouch()
		g.controls.turnByTouch(g)
		if g.touch.buttons != 0 {
			g.session.TakeOver()
		}
		g.setButtons(g.touch.buttons, 0)
		g.runTicks(t, g.session.DueTicks())
	}
	button := func(label string) image.Point {
		g.placeTouchControls()
		for i, a := range g.touch.actions {
			if a.label == label {
				return g.touch.places.buttons[i].center
			}
		}
		t.Fatalf("no button %q", label)
		return image.Point{}
	}
	step()
	rest := g.touch.places.rest
	step(finger{1, rest})
	step(finger{1, rest.Add(image.Pt(40, 0))}, finger{2, button("lift")})
	if e := g.session.Past.Timeline.Take().Entry(int(g.session.Lab.Ticks()) - 1); len(e.Inputs) == 0 ||
		e.Inputs[0].Buttons != g.session.LastInput.Buttons || g.session.LastInput.Buttons == 0 || g.session.Playing() {
		t.Errorf("stick and lift: the entry %+v, the input %v, tape %v", e, g.session.LastInput.Buttons, g.session.Playing())
	}
	step()
	step(finger{3, button("shoot")})
	if !g.session.LastInput.Shot.Fired {
		t.Error("no shot")
	}
	step()
	yaw, at := g.session.Settings().Yaw, image.Pt(200, 250)
	step(finger{4, at})
	step(finger{4, at.Add(image.Pt(100, 0))})
	if g.session.Settings().Yaw == yaw {
		t.Error("a drag does not turn the camera")
	}
	step()
	before := g.session.Settings().Distance
	step(finger{5, at}, finger{6, at.Add(image.Pt(50, 0))})
	step(finger{5, at}, finger{6, at.Add(image.Pt(100, 0))})
	if d := g.session.Settings().Distance; math.Abs(d-before/2) > 0.1 {
		t.Errorf("two fingers that part to twice their distance zoom from %v to %v m", before, d)
	}
	step()
	step(finger{7, button("pause")})
	step()
	if !g.session.Paused {
		t.Error("not paused")
	}
	step(finger{8, button("play")})
	step()
	if g.session.Paused {
		t.Error("still paused")
	}
	step(finger{9, button("?")})
	step()
	if !g.controls.helpShown || len(g.touch.places.buttons) > 0 {
		t.Errorf("the list is not shown, or buttons are over it: %v", g.touch.places.buttons)
	}
	step(finger{10, at})
	step()
	if g.controls.helpShown {
		t.Error("a tap does not close the list")
	}
}

// TestTouchWords promises that nothing that a touched session shows names a key.
func TestTouchWords(t *testing.T) {
	for _, s := range []plan.Settings{{Panes: "rewind"}, {Tape: "circle"}} {
		g := playSettings(t, s)
		g.screen.touched = true
		g.runTicks(t, 20)
		check := func(text string) {
			for _, key := range []string{"F1", "W A S D", "(P", "(R", " key", "End ", "N step"} {
				if strings.Contains(text, key) {
					t.Errorf("%+v: %q names a key", s, text)
				}
			}
		}
		check(g.session.Footer())
		g.session.Paused = true
		check(g.screen.alert())
		g.session.Past.SeekFully(5)
		f, _ := g.frameOf(windowSize{844, 390, 1})
		var list render.DrawList
		list.Append(&f.Overlay)
		g.bar.draw(&list, g.pictureRect())
		for _, it := range list.Items {
			check(it.Text)
		}
		for _, row := range helpRows(g.screen.touched, false, false) {
			check(row[0])
		}
	}
}

// TestHelpFitsPhones promises that both lists lie inside the picture of a phone.
func TestHelpFitsPhones(t *testing.T) {
	check := func(rows [][2]string, sizes ...[2]int) {
		for _, size := range sizes {
			place := stage.Rect{W: size[0], H: size[1]}
			var l render.DrawList
			drawHelp(&l, rows, place)
			checkTexts(t, "list", &l, place)
		}
	}
	check(keyHelp(false, false), [2]int{1170, 2250}, [2]int{780, 1500}, [2]int{2532, 1000})
	check(touchHelp(false, false), [2]int{390, 750}, [2]int{1170, 2250}, [2]int{844, 330}, [2]int{640, 300})
}
