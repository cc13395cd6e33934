//go:build e2e && !headless && !js

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// testTyping types in the page faster than it draws, with a keyboard, an input method and the clipboard, and checks that
// all characters arrive once and in order, and that none of them has changed the session.
func (s *pageServer) testTyping(t *testing.T) {
	const link = "?panes=noprediction&seed=7&network=latency=75ms"
	d := s.open(t, link, screenSize{960, 540, 1, false})
	d.click("tab Session")
	d.click("session name")
	typed := "wasd-quick-brown-fox-jumps-over-7-dogs-x"
	first, start := d.state().frame, time.Now()
	d.typeText(typed)
	t.Logf("%.0f characters and %.1f frames a second", float64(len(typed))/time.Since(start).Seconds(), float64(d.state().frame-first)/time.Since(start).Seconds())
	d.waitFrames()
	d.savedSession(typed)

	d.click("session name")
	d.pressKey(pageKey{"End", "End", 35})
	for range 2 {
		d.pressKey(pageKey{"Backspace", "Backspace", 8})
	}
	d.savedSession(strings.TrimSuffix(typed, "-x"))

	// The browser's own paste gives the text, so the page needs no permission to read the clipboard. The test needs one to
	// write it.
	write := browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: "clipboard-write"},
		Setting: "granted", Origin: strings.TrimSuffix(s.address, "/")}
	if _, err := chromedp.CallBrowser(d.ctx, browser.SetPermission, write); err != nil {
		t.Fatal(err)
	}
	d.run(chromedp.Evaluate[chromedp.Void](`navigator.clipboard.writeText("from-outside\n")`, chromedp.EvalAwaitPromise))
	d.click("session name")
	control, keyV := pageKey{"ControlLeft", "Control", 17}, pageKey{"KeyV", "v", 'V'}
	d.keyDown(control)
	const withControl = 2
	d.run(call(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Code: keyV.code, Key: keyV.key,
		WindowsVirtualKeyCode: keyV.n, Modifiers: withControl, Commands: []string{"paste"}}))
	d.keyUp(keyV)
	d.keyUp(control)
	d.waitTicks(60)
	d.savedSession("from-outside")

	// An input method composes and commits. The list below the field shows the first comparison that the filter finds.
	found := func(name string) {
		t.Helper()
		d.waitUntil(name, func(s windowState) bool {
			_, first := s.controls["compare csp-clean"]
			_, ok := s.controls["compare "+name]
			return ok && !first
		})
	}
	d.click("tab Compare")
	d.click("filter comparisons")
	d.compose("joint-ch")
	found("joint-chain-root")
	d.compose("lockstep-d")
	found("lockstep-delay")
	d.run(call(input.InsertText, input.InsertTextParams{Text: "lockstep-s"}))
	d.waitFrames()
	d.typeText("low")
	found("lockstep-slowest")
	seconds := d.state().tick/60 + 2
	d.checkHash(link, seconds)
}

// typeText types characters with a key each, forty a second.
func (d *pageDriver) typeText(text string) {
	d.t.Helper()
	next := time.NewTicker(25 * time.Millisecond)
	defer next.Stop()
	for _, r := range text {
		<-next.C
		key, code := string(r), "Key"+strings.ToUpper(string(r))
		switch {
		case r == '-':
			code = "Minus"
		case r >= '0' && r <= '9':
			code = "Digit" + key
		}
		k := pageKey{code, key, int64(strings.ToUpper(key)[0])}
		d.run(call(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Code: code, Key: key, Text: key, UnmodifiedText: key,
			WindowsVirtualKeyCode: k.n}), k.event(input.DispatchKeyEventTypeKeyUp))
	}
}

// compose shows a text of an input method that is not typed yet.
func (d *pageDriver) compose(text string) {
	d.t.Helper()
	n := int64(len(text))
	d.run(call(input.ImeSetComposition, input.ImeSetCompositionParams{Text: text, SelectionStart: n, SelectionEnd: n}))
}

// evaluate returns the value of an expression in the page.
func evaluate[T any](d *pageDriver, expression string) T {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.ctx, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		d.t.Fatal(err)
	}
	return v
}

// savedSession saves the session under the name that was typed, and fails unless it is the wanted one.
func (d *pageDriver) savedSession(want string) {
	d.t.Helper()
	d.click("save session")
	d.waitFrames()
	d.wantSession(want)
}

// wantSession fails unless the only saved session has the wanted name, and removes it.
func (d *pageDriver) wantSession(want string) {
	d.t.Helper()
	names := evaluate[[]string](d, `Object.keys(localStorage).filter((k) => k.endsWith(".toml")).map((k) => k.replace(/.*\/|\.toml$/g, ""))`)
	if len(names) != 1 || names[0] != want {
		d.t.Fatalf("the saved sessions are %q, want %q", names, want)
	}
	d.run(chromedp.Evaluate[chromedp.Void](`localStorage.clear()`))
}

// testTouchTyping taps a text field, which gives the keys to the keyboard of a phone, and checks that what it composes
// counts when another control is tapped, and that the keys go back to the program then.
func (s *pageServer) testTouchTyping(t *testing.T) {
	d := s.open(t, "?panes=noprediction&seed=7", screenSize{960, 600, 1, true})
	focused := func() string { return evaluate[string](d, `document.activeElement.id`) }
	d.tap("tab Session")
	d.tap("session name")
	if focused() != "ebitengine-textinput" {
		t.Fatalf("a tap on the field focuses %q", focused())
	}
	d.compose("pho")
	d.waitFrames()
	d.compose("phone-")
	d.waitFrames()
	d.run(call(input.InsertText, input.InsertTextParams{Text: "phone-7"}))
	d.waitFrames()
	d.tap("save session")
	d.wantSession("phone-7")
	if d.waitFrames(); focused() == "ebitengine-textinput" {
		t.Error("the keyboard stays after the field is left")
	}
}

// tap touches a control of the panel with a finger.
func (d *pageDriver) tap(name string) {
	d.t.Helper()
	r := placed(d.t, d, name)
	at := &input.TouchPoint{X: float64(r.Min.X+r.Max.X) / 2 / d.scale, Y: float64(r.Min.Y+r.Max.Y) / 2 / d.scale}
	d.run(call(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: []*input.TouchPoint{at}}))
	d.waitFrames()
	d.run(call(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}}))
	d.waitFrames()
	d.waitFrames()
}
