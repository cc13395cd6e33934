//go:build !headless && !js

package main

import (
	"context"

	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// testTyping types in the page faster than it draws, with a keyboard, an input method and the clipboard, and checks that
// all characters arrive once and in order, and that none of them has changed the session.
func (s *pageServer) testTyping(t *testing.T) {
	const link = "?panes=noprediction&seed=7&network=latency=75ms"
	d := s.open(t, link, screenSize{960, 540, 1, false})
	d.click("tab Compare")
	d.click("preset name")
	typed := "wasd-quick-brown-fox-jumps-over-7-dogs-x"
	first, start := d.state().frame, time.Now()
	d.typeText(typed)
	t.Logf("%.0f characters and %.1f frames a second", float64(len(typed))/time.Since(start).Seconds(), float64(d.state().frame-first)/time.Since(start).Seconds())
	d.waitFrames()
	d.savedPreset(typed)

	d.click("preset name")
	d.pressKey(pageKey{"End", "End", 35})
	for range 2 {
		d.pressKey(pageKey{"Backspace", "Backspace", 8})
	}
	d.savedPreset(strings.TrimSuffix(typed, "-x"))

	// The browser's own paste gives the text, so the page needs no permission to read the clipboard. The test needs one to
	// write it.
	d.run(chromedp.ActionFunc(func(ctx context.Context) error {
		return browser.GrantPermissions([]browser.PermissionType{browser.PermissionTypeClipboardSanitizedWrite}).
			WithOrigin(strings.TrimSuffix(s.address, "/")).Do(cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Browser))
	}), chromedp.Evaluate(`navigator.clipboard.writeText("from-outside\n")`, nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	d.click("preset name")
	control, keyV := pageKey{"ControlLeft", "Control", 17}, pageKey{"KeyV", "v", 'V'}
	d.keyDown(control)
	d.run(input.DispatchKeyEvent(input.KeyDown).WithCode(keyV.code).WithKey(keyV.key).WithWindowsVirtualKeyCode(keyV.n).WithModifiers(input.ModifierCtrl).WithCommands([]string{"paste"}))
	d.keyUp(keyV)
	d.keyUp(control)
	d.waitTicks(60)
	d.savedPreset("from-outside")

	// An input method composes and commits. The list below the field shows the first comparison that the filter finds.
	found := func(name string) {
		t.Helper()
		d.waitUntil(name, func(s windowState) bool {
			_, first := s.controls["compare csp-clean"]
			_, ok := s.controls["compare "+name]
			return ok && !first
		})
	}
	d.click("filter comparisons")
	d.run(input.ImeSetComposition("joint-ch", 8, 8))
	found("joint-chain-root")
	d.run(input.ImeSetComposition("lockstep-d", 10, 10))
	found("lockstep-delay")
	d.run(input.InsertText("lockstep-s"))
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
		d.run(input.DispatchKeyEvent(input.KeyDown).WithCode(code).WithKey(key).WithText(key).WithUnmodifiedText(key).WithWindowsVirtualKeyCode(int64(strings.ToUpper(key)[0])),
			input.DispatchKeyEvent(input.KeyUp).WithCode(code).WithKey(key).WithWindowsVirtualKeyCode(int64(strings.ToUpper(key)[0])))
	}
}

// savedPreset saves a preset under the name that was typed, and fails unless it is the wanted one.
func (d *pageDriver) savedPreset(want string) {
	d.t.Helper()
	d.click("save preset")
	d.waitFrames()
	d.wantPreset(want)
}

// wantPreset fails unless the only preset has the wanted name, and removes it.
func (d *pageDriver) wantPreset(want string) {
	d.t.Helper()
	var names []string
	d.run(chromedp.Evaluate(`Object.keys(localStorage).filter((k) => k.endsWith(".toml")).map((k) => k.replace(/.*\/|\.toml$/g, ""))`, &names))
	if len(names) != 1 || names[0] != want {
		d.t.Fatalf("the presets are %q, want %q", names, want)
	}
	d.run(chromedp.Evaluate(`localStorage.clear()`, nil))

}

// testTouchTyping taps a text field, which gives the keys to the keyboard of a phone, and checks that what it composes
// counts when another control is tapped, and that the keys go back to the program then.
func (s *pageServer) testTouchTyping(t *testing.T) {
	d := s.open(t, "?panes=noprediction&seed=7", screenSize{960, 600, 1, true})
	focused := func() (id string) {
		d.run(chromedp.Evaluate(`document.activeElement.id`, &id))
		return id
	}
	d.tap("preset name")
	if focused() != "ebitengine-textinput" {
		t.Fatalf("a tap on the field focuses %q", focused())
	}
	d.run(input.ImeSetComposition("pho", 3, 3))
	d.waitFrames()
	d.run(input.ImeSetComposition("phone-", 6, 6))
	d.waitFrames()
	d.run(input.InsertText("phone-7"))
	d.waitFrames()
	d.tap("save preset")
	d.wantPreset("phone-7")
	if d.waitFrames(); focused() == "ebitengine-textinput" {
		t.Error("the keyboard stays after the field is left")
	}
}

// tap touches a control of the panel with a finger.
func (d *pageDriver) tap(name string) {
	d.t.Helper()
	r, ok := d.state().controls[name]
	if !ok {
		d.t.Fatalf("the panel has no control %q: %v", name, d.state().controls)
	}
	at := &input.TouchPoint{X: float64(r.Min.X+r.Max.X) / 2 / d.scale, Y: float64(r.Min.Y+r.Max.Y) / 2 / d.scale}
	d.run(input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{at}))
	d.waitFrames()
	d.run(input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}))
	d.waitFrames()
	d.waitFrames()
}
