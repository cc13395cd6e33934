//go:build e2e && !headless && !js

package e2e

import (
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// evaluate returns the text of an expression in the page.
func (d *pageDriver) evaluate(expression string) string {
	d.t.Helper()
	text, err := chromedp.Run(d.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

// waitText waits until an expression in the page has a text. While the page is being replaced it asks again.
func (d *pageDriver) waitText(expression, want string) {
	d.t.Helper()
	got, err := "", error(nil)
	for range 600 { // a minute
		if got, err = chromedp.Run(d.ctx, chromedp.Evaluate[string]("String("+expression+")")); err == nil && got == want {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	d.t.Fatalf("%s is %q (%v), want %q; problems %q", expression, got, err, want, d.seen())
}

// checkHistory starts another comparison and goes back: title, address and session are those of the first again. The picture has a
// name, and a text for screen readers says what the session does.
func (d *pageDriver) checkHistory(link string) {
	d.t.Helper()
	const first, second = "Redundant inputs at 25 % loss: without and with", "Prediction and rewind at 75 ms, no loss: no corrections"
	d.waitText("document.title", first+" - Ghostcube")
	d.waitText("document.getElementById('session').textContent", first+", playing")
	d.waitText("document.querySelector('canvas').getAttribute('role')", "application")
	d.waitText("document.activeElement.tagName", "CANVAS")
	before := d.evaluate("history.length")
	d.click("compare csp-clean")
	d.waitText("location.search", "?compare=csp-clean")
	d.waitText("document.title", second+" - Ghostcube")
	if after := d.evaluate("history.length"); after == before {
		d.t.Errorf("the history has %s entries before and after", after)
	}
	d.evaluate("history.back()")
	d.waitText("document.title", first+" - Ghostcube")
	if query := d.evaluate("location.search"); !strings.HasPrefix(query, link) {
		d.t.Errorf("the way back leads to %s", query)
	}
	d.waitUntil("the session before", func(s windowState) bool { return s.frame >= 3 && s.tick < 6*64 })
	d.checkHash(link, 1)
}
