//go:build e2e && !headless && !js

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// articleOf writes a page with one frame for a link.
func (s *pageServer) articleOf(t *testing.T, name, link string) {
	t.Helper()
	text := `<!DOCTYPE html><title>article</title><link rel="icon" href="icon.svg"><iframe src="index.html?` + link + `" width="640" height="412"></iframe>`
	if err := os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// openArticle opens such a page.
func (s *pageServer) openArticle(t *testing.T, name string) ideaFrame {
	t.Helper()
	d := s.openTab(t, name, laptopTab)
	d.waitUntil("the frames of the embedded session", func(s windowState) bool { return s.frame >= 3 })
	return ideaFrame{d, "document.querySelector('iframe').contentDocument"}
}

// testLessonControls promises that a lesson in a frame has controls under its picture, that its title stays while they are turned, and
// that reset gives them their values back.
func (s *pageServer) testLessonControls(t *testing.T) {
	s.articleOf(t, "lesson.html", "lesson=redundant-inputs&amp;embed=1&amp;knobs=redundant,loss")
	f := s.openArticle(t, "lesson.html")
	f.checkKnobs(2)
	title := f.eval("title")
	f.click("large play")
	f.waitTicks(5)
	redundant, loss := f.shown(0), f.shown(1)
	for i := range 2 {
		f.turn(i, func(i int) { f.clickOn(f.knob(i), 0.3+0.4*float64(1-int(f.at(i)+0.5))) })
	}
	f.waitTicks(20)
	if got := f.eval("title"); got != title {
		t.Errorf("the title was %q and is %q", title, got)
	}
	f.click("reset")
	f.waitText(f.knob(0)+".previousSibling.textContent", redundant)
	f.waitText(f.knob(1)+".previousSibling.textContent", loss)
	f.checkScreen("lesson with controls", f.screenshot().Bounds().Size())
}

// testReloadWhileTurning reloads an article, and then the frame alone, while a hand is at a control of the session: it comes back
// paused with the value that the control had, and takes controls, clicks and keys.
func (s *pageServer) testReloadWhileTurning(t *testing.T) {
	s.articleOf(t, "turning.html", "compare=csp-clean&amp;embed=1&amp;knobs=latency,loss")
	f := s.openArticle(t, "turning.html")
	f.click("large play")
	for _, reload := range []string{"location.reload()", "document.querySelector('iframe').contentWindow.location.reload()"} {
		f.waitTicks(20)
		before := f.shown(0)
		to := 0.2 + 0.6*float64(1-int(f.at(0)+0.5))
		x, y := f.placeOf(f.knob(0), f.at(0))
		mouse := func(kind input.DispatchMouseEventType, x float64) {
			t.Helper()
			f.run(call(input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1}))
		}
		mouse(chromedp.MousePressed, x)
		mouse(chromedp.MouseMoved, x+1)
		there, _ := f.placeOf(f.knob(0), to)
		mouse(chromedp.MouseMoved, there)
		f.waitText(f.knob(0)+".previousSibling.textContent !== "+strconv.Quote(before), "true")
		f.waitTicks(5)
		turned, ticks := f.shown(0), f.state().tick
		const old = "document.querySelector('iframe')?.contentWindow?.old"
		f.evaluate("document.querySelector('iframe').contentWindow.old = 1")
		f.evaluate(reload)
		f.waitText("typeof "+old, "undefined")
		mouse(chromedp.MouseMoved, there+5)
		mouse(chromedp.MouseReleased, there+5)
		f.waitUntil("a pause", func(s windowState) bool { return s.frame >= 3 && s.tick >= ticks && !s.controls["large play"].Empty() })
		f.checkKnobs(2)
		if got := f.shown(0); got != turned {
			t.Errorf("%s: the control was at %s and is at %s", reload, turned, got)
		}
		f.turn(1, func(i int) { f.clickOn(f.knob(i), 0.3+0.4*float64(1-int(f.at(i)+0.5))) })
		f.click("large play")
	}
	f.waitTicks(5)
	f.pressKey(keyP)
	f.waitUntil("a pause by key", func(s windowState) bool { return !s.controls["large play"].Empty() })
}
