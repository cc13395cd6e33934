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
	var names []string
	d.run(chromedp.Evaluate(`Object.keys(localStorage).filter((k) => k.endsWith(".toml")).map((k) => k.replace(/.*\/|\.toml$/g, ""))`, &names))
	if len(names) != 1 || names[0] != want {
		d.t.Fatalf("the presets are %q, want %q", names, want)
	}
	d.run(chromedp.Evaluate(`localStorage.clear()`, nil))

}
