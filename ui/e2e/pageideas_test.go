//go:build e2e && !headless && !js

package e2e

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
)

// testIdeas opens the page of every idea.
func (s *pageServer) testIdeas(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(s.folder, "ideas", "*.html"))
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
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
)

// testIdea promises that a click on the still of an idea's page starts the session, with picture and controls laid out; that every
// key named in the text changes the picture; and that each control works before and during play: by keyboard (Tab from the picture),
// by mouse, which returns the keys to the session, and by touch on a phone.
func (s *pageServer) testIdea(t *testing.T, file, name string) {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	link := ideaLink.FindSubmatch(b)
	if link == nil {
		t.Fatal("the page has no frame")
	}
	var knobs []string
	if m := ideaKnobs.FindSubmatch(link[1]); m != nil {
		knobs = strings.Split(string(m[1]), ",")
	}
	d := s.openTab(t, "ideas/"+name+".html", screenSize{680, 900, 1, false})
	d.clickOn("document.querySelector('.play summary')", 0.5)
	d.waitUntil("the frames of the embedded session", func(s windowState) bool { return s.frame >= 3 })
	frame := ideaFrame{d, "document.querySelector('iframe').contentDocument"}
	if got := frame.eval("body.clientWidth + 'x' + d.body.clientHeight"); got != "638x358" {
		t.Errorf("the picture has %s, want 638x358", got)
	}
	frame.checkKnobs(len(knobs))
	for i := range knobs {
		frame.turn(i, func(i int) {
			frame.eval(fmt.Sprintf("querySelectorAll('#knobs input')[%d].focus()", i))
			key := pageKey{"ArrowRight", "ArrowRight", 39}
			if frame.at(i) > 0.5 {
				key = pageKey{"ArrowLeft", "ArrowLeft", 37}
			}
			d.run(key.event(input.DispatchKeyEventTypeRawKeyDown), key.event(input.DispatchKeyEventTypeKeyUp))
		})
	}
	frame.click("large play")
	d.waitTicks(5)
	for i := range knobs {
		frame.turn(i, func(i int) { d.clickOn(frame.knob(i), 0.3+0.4*float64(1-int(frame.at(i)+0.5))) })
		d.waitText(frame.document+".activeElement.tagName", "CANVAS")
	}
	for _, m := range ideaKey.FindAllSubmatch(b, -1) {
		before := frame.eval("location.search")
		d.pressKey(pageKey{"Key" + string(m[1]), strings.ToLower(string(m[1])), int64(m[1][0])})
		d.waitText(frame.document+".location.search !== "+strconv.Quote(before), "true")
	}
	if len(knobs) > 0 {
		tab := pageKey{"Tab", "Tab", 9}
		d.run(tab.event(input.DispatchKeyEventTypeRawKeyDown), tab.event(input.DispatchKeyEventTypeKeyUp))
		d.waitText(frame.document+".activeElement.type", "range")
	}
	d.checkScreen("idea "+name, image.Pt(680, 900))

	d.scale = 2
	d.run(screenSize{390, 844, 2, true}.emulate())
	d.waitText(frame.document+".body.clientWidth", "356")
	frame.checkKnobs(len(knobs))
	for i := range knobs {
		frame.turn(i, func(i int) {
			x, y := d.placeOf(frame.knob(i), 0.1+0.7*float64(1-int(frame.at(i)+0.5)))
			point := []*input.TouchPoint{{X: x, Y: y}}
			d.run(call(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: point}),
				call(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}}))
		})
	}
	d.checkScreen("idea "+name+" phone", image.Pt(780, 1688))
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
		return [picture.width / picture.height > 1.3, ...wrong].join();
	})(%s)`, f.document), "true")
}

// click clicks a control of the session.
func (f ideaFrame) click(name string) {
	f.t.Helper()
	r := placed(f.t, f.pageDriver, name)
	b := f.boundsOf("document.querySelector('iframe')")
	f.clickAt(b[0]+float64(r.Min.X+r.Max.X)/2/f.scale, b[1]+float64(r.Min.Y+r.Max.Y)/2/f.scale)
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

// clickOn clicks an element at a share of its width.
func (d *pageDriver) clickOn(element string, share float64) {
	d.t.Helper()
	d.clickAt(d.placeOf(element, share))
}
