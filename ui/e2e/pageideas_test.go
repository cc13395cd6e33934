//go:build e2e && !headless && !js

package e2e

import (
	"fmt"
	"html"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"ghostcube/ui/plan"
)

// testIdeas opens the page of every idea.
func (s *pageServer) testIdeas(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(s.folder, "ideas", "*.html"))
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	t.Run("a dead key", s.testDeadKey)
	t.Run("rolling", s.testRolling)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		if name != "index" {
			t.Run(name, func(t *testing.T) { s.testIdea(t, file, name) })
		}
	}
}

var (
	ideaLink  = regexp.MustCompile(`<iframe src="\.\./index\.html\?([^"]*)"`)
	ideaKnobs = regexp.MustCompile(`knobs=([^&"]*)`)
	ideaKey   = regexp.MustCompile(`\b[Kk]ey ([A-Z])\b`)
	ideaNamed = regexp.MustCompile(`\(([1-9]\.)?([a-z]+-[a-z]+|states|validity)\)|control ([a-z-]+)\b`)
)

// laptopTab and phoneTab are tabs that show a page of an idea; on the laptop its frame has 640x360 pixels.
var (
	laptopTab = screenSize{680, 900, 1, false}
	phoneTab  = screenSize{390, 844, 2, true}
)

// idea is the page of an idea.
type idea struct {
	name  string
	keys  []pageKey // that the text names
	knobs []string  // controls under the picture
}

// readIdea reads a page. Each control that the text names has to be under the picture.
func readIdea(t *testing.T, file, name string) *idea {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	link := ideaLink.FindSubmatch(b)
	if link == nil {
		t.Fatal("the page has no frame")
	}
	i := &idea{name: name}
	if m := ideaKnobs.FindSubmatch(link[1]); m != nil {
		i.knobs = strings.Split(string(m[1]), ",")
	}
	for _, m := range ideaKey.FindAllSubmatch(b, -1) {
		i.keys = append(i.keys, pageKey{"Key" + string(m[1]), strings.ToLower(string(m[1])), int64(m[1][0])})
	}
	for _, m := range ideaNamed.FindAllSubmatch(b, -1) {
		want := string(m[1]) + string(m[2])
		if len(m[3]) > 0 {
			want = settingKnob + string(m[3])
		}
		if !slices.Contains(i.knobs, want) {
			t.Errorf("the text names %s, and the controls are %q", want, i.knobs)
		}
	}
	return i
}

// settingKnob begins the name of a control for a display setting.
const settingKnob = "show."

// testIdea promises that a click on the still of an idea's page, or a tap, starts the session, with picture and controls laid out;
// that it plays and pauses; that every key named in the text changes the picture; and that each control works before and during play: by
// keyboard (Tab from the picture), by mouse, which returns the keys to the session, and by touch on a phone.
func (s *pageServer) testIdea(t *testing.T, file, name string) {
	i := readIdea(t, file, name)
	t.Run("laptop", func(t *testing.T) { s.testIdeaOnLaptop(t, i) })
	t.Run("phone", func(t *testing.T) { s.testIdeaOnPhone(t, i) })
}

// openIdea opens the page of an idea and starts its session by a click, or a tap.
func (s *pageServer) openIdea(t *testing.T, name string, size screenSize, scripts ...string) ideaFrame {
	t.Helper()
	d := s.openTab(t, "ideas/"+name+".html", size, scripts...)
	frame := ideaFrame{d, "document.querySelector('iframe').contentDocument"}
	d.waitText("document.readyState", "complete")
	d.evaluate("document.querySelector('.play').scrollIntoView({block: 'center'})")
	x, y := d.placeOf("document.querySelector('.play summary')", 0.5)
	if size.touch {
		d.tapAt(x, y)
	} else {
		d.clickAt(x, y)
	}
	d.waitUntil("the frames of the embedded session", func(s windowState) bool { return s.frame >= 3 })
	d.evaluate("document.querySelector('iframe').scrollIntoView({block: 'center'})")
	return frame
}

func (s *pageServer) testIdeaOnLaptop(t *testing.T, i *idea) {
	frame := s.openIdea(t, i.name, laptopTab)
	if got := frame.eval("body.clientWidth + 'x' + d.body.clientHeight"); got != "638x358" {
		t.Errorf("the picture has %s, want 638x358", got)
	}
	frame.checkKnobs(len(i.knobs))
	for n := range i.knobs {
		frame.turn(n, func(n int) {
			frame.eval(fmt.Sprintf("querySelectorAll('#knobs input')[%d].focus()", n))
			key := pageKey{"ArrowRight", "ArrowRight", 39}
			if frame.at(n) > 0.5 {
				key = pageKey{"ArrowLeft", "ArrowLeft", 37}
			}
			frame.run(key.event(input.DispatchKeyEventTypeRawKeyDown), key.event(input.DispatchKeyEventTypeKeyUp))
		})
	}
	frame.click("large play")
	frame.waitTicks(5)
	for n := range i.knobs {
		frame.turn(n, func(n int) { frame.clickOn(frame.knob(n), 0.3+0.4*float64(1-int(frame.at(n)+0.5))) })
		frame.waitText(frame.document+".activeElement.tagName", "CANVAS")
	}
	frame.waitTicks(30) // packets come, and gauges have figures
	frame.pause(frame.click)
	for _, key := range i.keys {
		if why := frame.pressSeen(key); why != "" {
			t.Errorf("the key %s: %s", key.key, why)
		}
	}
	if len(i.knobs) > 0 {
		tab := pageKey{"Tab", "Tab", 9}
		frame.run(tab.event(input.DispatchKeyEventTypeRawKeyDown), tab.event(input.DispatchKeyEventTypeKeyUp))
		frame.waitText(frame.document+".activeElement.type", "range")
	}
	frame.checkScreen("idea "+i.name, image.Pt(680, 900))
}

func (s *pageServer) testIdeaOnPhone(t *testing.T, i *idea) {
	frame := s.openIdea(t, i.name, phoneTab)
	frame.waitText(frame.document+".body.clientWidth", "356")
	frame.checkKnobs(len(i.knobs))
	frame.tap("large play")
	frame.waitTicks(30)
	byTouch := func(n int) {
		frame.turn(n, func(n int) { frame.tapAt(frame.placeOf(frame.knob(n), 0.1+0.7*float64(1-int(frame.at(n)+0.5)))) })
	}
	for n, name := range i.knobs {
		if !strings.HasPrefix(name, settingKnob) {
			byTouch(n)
		}
	}
	frame.pause(frame.tap)
	for n, name := range i.knobs {
		if strings.HasPrefix(name, settingKnob) {
			if why := frame.changes(func() { byTouch(n) }); why != "" {
				t.Errorf("the control %s: %s", name, why)
			}
		}
	}
	frame.checkScreen("idea "+i.name+" phone", image.Pt(780, 1688))
	before := frame.state().tick
	frame.tap("large play")
	frame.waitUntil("ticks after a pause", func(s windowState) bool { return s.tick > before })
}

// testDeadKey promises that the driver finds a key that does nothing: here one that the page keeps from the program.
func (s *pageServer) testDeadKey(t *testing.T) {
	frame := s.openIdea(t, "compression", laptopTab,
		`addEventListener("keydown", (e) => e.code === "KeyK" && e.stopImmediatePropagation(), { capture: true })`)
	frame.click("large play")
	frame.waitTicks(30)
	frame.pause(frame.click)
	if why := frame.pressSeen(pageKey{"KeyK", "k", 'K'}); why == "" {
		t.Error("the driver takes a dead key for one that works")
	}
	if why := frame.pressSeen(pageKey{"KeyL", "l", 'L'}); why != "" {
		t.Errorf("a key beside the dead one: %s", why)
	}
}

// testRolling promises what the list of all ideas says: after a click into a frame the keys W A S D roll the cube, so that the session
// becomes another one.
func (s *pageServer) testRolling(t *testing.T) {
	const name = "prediction"
	b, err := os.ReadFile(filepath.Join(s.folder, "ideas", name+".html"))
	if err != nil {
		t.Fatal(err)
	}
	link := html.UnescapeString(string(ideaLink.FindSubmatch(b)[1]))
	frame := s.openIdea(t, name, laptopTab)
	frame.click("large play")
	frame.waitTicks(5)
	for _, key := range []pageKey{keyW, {"KeyA", "a", 'A'}, {"KeyS", "s", 'S'}, {"KeyD", "d", 'D'}} {
		frame.keyDown(key)
		second := frame.waitTicks(5).tick/64 + 1
		frame.keyUp(key)
		l := sessionHere(t, "?"+link, second)
		if frame.hash(second*l.Config().Rate) == fmt.Sprintf("%016x", l.Hash()) {
			t.Errorf("after the key %s the session is the same", key.key)
		}
	}
}

// ideaFrame is the embedded session in the page of an idea.
type ideaFrame struct {
	*pageDriver
	document string // expression
}

// eval evaluates a property of the frame's document, in which d is the document.
func (f ideaFrame) eval(property string) string {
	f.t.Helper()
	return f.evaluate(fmt.Sprintf("((d) => d.%s)(%s)", property, f.document))
}

// knob is an expression for a control.
func (f ideaFrame) knob(i int) string {
	return fmt.Sprintf("%s.querySelectorAll('#knobs input')[%d]", f.document, i)
}

// shown returns the value that is written beside a control.
func (f ideaFrame) shown(i int) string {
	f.t.Helper()
	return f.evaluate(f.knob(i) + ".previousSibling.textContent")
}

// at returns where a control stands, in [0, 1].
func (f ideaFrame) at(i int) float64 {
	f.t.Helper()
	x, err := strconv.ParseFloat(f.evaluate(fmt.Sprintf("((k) => (k.value - k.min) / (k.max - k.min))(%s)", f.knob(i))), 64)
	if err != nil {
		f.t.Fatal(err)
	}
	return x
}

// turn turns a control, and waits until the session has another value.
func (f ideaFrame) turn(i int, how func(i int)) {
	f.t.Helper()
	before := f.shown(i)
	how(i)
	f.waitText(f.knob(i)+".previousSibling.textContent !== "+strconv.Quote(before), "true")
	if text := f.evaluate(f.knob(i) + ".getAttribute('aria-valuetext')"); text != f.shown(i) {
		f.t.Errorf("the value of control %d is %q for screen readers", i, text)
	}
}

// checkKnobs checks that the frame has as many controls, inside it, below the picture and large enough for fingers.
func (f ideaFrame) checkKnobs(n int) {
	f.t.Helper()
	f.waitText(f.document+".querySelectorAll('#knobs input').length", strconv.Itoa(n))
	if n == 0 {
		return
	}
	f.waitText(fmt.Sprintf(`((d) => {
		const picture = d.querySelector("canvas").getBoundingClientRect();
		const wrong = [...d.querySelectorAll("#knobs input")].map((k) => k.getBoundingClientRect()).filter((r) =>
			r.top < picture.bottom || r.bottom > d.defaultView.innerHeight || r.left < 0 || r.right > d.defaultView.innerWidth || r.width < 100 || r.height < 24);
		return [picture.height > 300, ...wrong].join();
	})(%s)`, f.document), "true")
}

// place returns the middle of a control of the session in the tab.
func (f ideaFrame) place(name string) (x, y float64) {
	f.t.Helper()
	r := placed(f.t, f.pageDriver, name)
	b := f.boundsOf("document.querySelector('iframe')")
	return b[0] + float64(r.Min.X+r.Max.X)/2/f.scale, b[1] + float64(r.Min.Y+r.Max.Y)/2/f.scale
}

// click clicks a control of the session.
func (f ideaFrame) click(name string) {
	f.t.Helper()
	f.clickAt(f.place(name))
}

// tap taps a control of the session.
func (f ideaFrame) tap(name string) {
	f.t.Helper()
	f.tapAt(f.place(name))
}

// pause pauses the session by its button, and waits until nothing moves.
func (f ideaFrame) pause(press func(name string)) {
	f.t.Helper()
	press("play")
	f.waitUntil("a pause", func(s windowState) bool { return !s.controls["large play"].Empty() })
	f.waitFrames()
}

// pressSeen presses a key while the session is paused, and returns why nothing was seen of it, or nothing.
func (f ideaFrame) pressSeen(key pageKey) string {
	f.t.Helper()
	return f.changes(func() {
		f.run(key.event(input.DispatchKeyEventTypeRawKeyDown))
		f.waitAnimationFrames() // or a slow frame misses it
		f.run(key.event(input.DispatchKeyEventTypeKeyUp))
	})
}

// waitAnimationFrames waits for some frames of the browser, also while a paused session draws none.
func (d *pageDriver) waitAnimationFrames() {
	d.t.Helper()
	d.evaluate("globalThis.drawn = 0")
	d.evaluate("(function next() { if (globalThis.drawn++ < 4) requestAnimationFrame(next); })()")
	d.waitText("globalThis.drawn > 4", "true")
}

// changes does something twice while the session is paused. It returns why the picture has not changed within ten seconds, and back, or
// nothing.
func (f ideaFrame) changes(toggle func()) string {
	f.t.Helper()
	b := f.boundsOf("document.querySelector('iframe')")
	px := func(points float64) int { return int(points * f.scale) }
	picture := image.Rect(px(b[0]), px(b[1]), px(b[0]+b[2]), px(b[1]+b[3]))
	picture.Max.Y -= px(plan.KnobsHeight * 2) // the controls, and the footer
	still := func() image.Image {
		before := f.screenshot()
		for range 20 {
			time.Sleep(500 * time.Millisecond)
			after := f.screenshot()
			if changedPixels(before, after, picture) == 0 {
				break
			}
			before = after
		}
		return before
	}
	const least = 100 // pixels
	before, n := still(), 0
	toggle()
	for try := 0; try < 20 && n < least; try++ {
		time.Sleep(500 * time.Millisecond)
		n = changedPixels(before, f.screenshot(), picture)
	}
	if n < least {
		return fmt.Sprintf("only %d pixels change", n)
	}
	n = changedPixels(before, still(), picture)
	toggle()
	back := n
	for try := 0; try < 20 && back > n/4; try++ {
		time.Sleep(500 * time.Millisecond)
		back = changedPixels(before, f.screenshot(), picture)
	}
	if back > n/4 {
		return fmt.Sprintf("%d pixels change, and %d stay changed when it is done again", n, back)
	}
	return ""
}

// boundsOf returns left, top, width and height of an element in the tab, wherever its frame is.
func (d *pageDriver) boundsOf(element string) (bounds [4]float64) {
	d.t.Helper()
	text := d.evaluate(fmt.Sprintf(`((e) => {
		const r = e.getBoundingClientRect();
		const outer = e.ownerDocument.defaultView.frameElement?.getBoundingClientRect();
		return [r.left + (outer?.left ?? 0), r.top + (outer?.top ?? 0), r.width, r.height].join(" ");
	})(%s)`, element))
	if _, err := fmt.Sscan(text, &bounds[0], &bounds[1], &bounds[2], &bounds[3]); err != nil {
		d.t.Fatalf("%s: %q: %v", element, text, err)
	}
	return bounds
}

// placeOf returns the place in the middle of an element's height and at a share of its width.
func (d *pageDriver) placeOf(element string, share float64) (x, y float64) {
	d.t.Helper()
	b := d.boundsOf(element)
	return b[0] + b[2]*share, b[1] + b[3]/2
}

// tapAt taps a place of the tab, in CSS pixels.
func (d *pageDriver) tapAt(x, y float64) {
	d.t.Helper()
	point := []*input.TouchPoint{{X: x, Y: y}}
	d.run(call(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: point}),
		call(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}}))
}

// clickOn clicks an element at a share of its width.
func (d *pageDriver) clickOn(element string, share float64) {
	d.t.Helper()
	d.clickAt(d.placeOf(element, share))
}
