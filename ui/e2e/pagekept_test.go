//go:build e2e && !headless && !js

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
)

// trapScript lets globalThis.trap = true trap the program: an import of it throws what a trap throws, in the midst of its
// work. It is evaluated before the page's scripts.
const trapScript = `{
	const instantiate = WebAssembly.instantiate;
	WebAssembly.instantiate = (module, imports) => {
		const clock = imports.gojs["runtime.nanotime1"];
		imports.gojs["runtime.nanotime1"] = (sp) => {
			if (globalThis.trap) {
				throw new WebAssembly.RuntimeError("unreachable");
			}
			clock(sp);
		};
		return instantiate(module, imports);
	};
}`

var keyP = pageKey{"KeyP", "p", 'P'}

// testKept promises that a lost picture, a reload and a trap leave the session paused at its tick, with the same hash and
// its keys, that a click lets it go on, and that a link that is opened afresh, another version of the program and a tab
// without storage start the link's session.
func (s *pageServer) testKept(t *testing.T) {
	for name, lose := range map[string]func(d *pageDriver){
		"context": func(d *pageDriver) {
			d.evaluate("document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context').loseContext()")
		},
		"reload": func(d *pageDriver) { d.evaluate("location.reload()") },
		"trap": func(d *pageDriver) {
			d.evaluate("globalThis.trap = true")
			d.waitText("document.getElementById('status').textContent", "The program has crashed.")
			d.evaluate("document.querySelector('#actions a').click()")
		},
	} {
		if name != "context" && !experiment.Long() {
			continue // after a lost context, too, the page loads itself again
		}
		t.Run(name, func(t *testing.T) { s.testLoss(t, lose) })
	}
	if experiment.Long() {
		t.Run("afresh", s.testAfresh)
	}
}

// testLoss holds keys, changes a setting, loses the page, and checks the session that comes back.
func (s *pageServer) testLoss(t *testing.T, lose func(d *pageDriver)) {
	d := s.open(t, "?scene=zen&panes=rewind,noprediction&network=latency=40ms", screenSize{960, 540, 1, false}, trapScript)
	d.keyDown(keyW)
	d.waitTicks(80)
	d.keyUp(keyW)
	d.pressKey(keyP)
	before := d.waitFrames().tick
	hash := d.hash(before)
	d.lose(lose)
	d.waitUntil("the moment of the loss", func(s windowState) bool { return s.frame >= 3 && s.tick >= before })
	if now := d.waitFrames().tick; now != before || d.hash(before) != hash {
		t.Fatalf("tick %d with hash %s before, tick %d with hash %s now", before, hash, now, d.hash(before))
	}

	// The keys that are pressed from now on go on the same tape.
	d.click("go on")
	d.waitTicks(30)
	again := d.state().tick
	d.lose(lose)
	d.waitUntil("the second loss", func(s windowState) bool { return s.frame >= 3 && s.tick >= again })
	d.click("tab Session")
	d.click("download tape")
	name := d.download(".tape")
	out, err := programCommand(t, filepath.Join(t.TempDir(), "report"), "play", "--verify", name).CombinedOutput()
	if err != nil || !strings.Contains(string(out), " match in ") {
		t.Errorf("%v: %s", err, out)
	}
	pressed := 0
	for _, e := range readTapeFile(t, name).Entries {
		for _, in := range e.Inputs {
			if in.Buttons&sim.Forward != 0 {
				pressed++
			}
		}
	}
	if pressed < 80 {
		t.Errorf("%d ticks forward, want at least 80", pressed)
	}
}

// lose loses the page, and waits for the next document. What the browser writes about the loss is no fault.
func (d *pageDriver) lose(how func(d *pageDriver)) {
	d.t.Helper()
	d.mu.Lock()
	loads, problems := d.loads, len(d.problems)
	d.mu.Unlock()
	how(d)
	d.waitUntil("another document", func(windowState) bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.loads > loads
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.problems = d.problems[:problems]
}

// testAfresh opens a link that has been left in the middle, and reloads where another version has kept the session, where
// nothing can be kept and where the storage is full.
func (s *pageServer) testAfresh(t *testing.T) {
	const link = "?compare=csp-clean"
	d := s.open(t, link, smallScreen)
	starts := func(what string, open func()) {
		t.Helper()
		d.waitTicks(60)
		d.lose(func(*pageDriver) { open() })
		first := d.waitUntil(what, func(s windowState) bool { return s.frame >= 1 })
		if d.waitTicks(5); first.tick >= 60 || d.evaluate("ghostcube.kept") != "null" {
			t.Errorf("%s: the first frames are of tick %d, and the page has kept %s", what, first.tick, d.evaluate("JSON.stringify(ghostcube.kept)"))
		}
	}
	reload := func() { d.evaluate("location.reload()") }
	starts("the link afresh", func() { d.run(chromedp.Navigate(s.address + link)) })
	starts("another version", func() {
		d.evaluate(`globalThis.addEventListener("pagehide", () => Object.keys(sessionStorage).forEach((name) =>
			sessionStorage.setItem(name, sessionStorage.getItem(name).replace(/"version":"[^"]*"/, '"version":"?v=0"'))))`)
		reload()
	})
	starts("a full storage", func() {
		d.evaluate("Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }")
		d.evaluate("sessionStorage.clear()")
		reload()
	})
	d.run(call(cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: `
		Object.defineProperty(globalThis, "sessionStorage", { get() { throw new DOMException("", "SecurityError"); } })`}))
	starts("no storage", func() {
		d.evaluate("sessionStorage.clear()")
		reload()
	})
	starts("no storage again", reload)
}
