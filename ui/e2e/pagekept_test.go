//go:build e2e && !headless && !js

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
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
		t.Run("frames", s.testFrames)
	}
}

// testFrames promises that sessions in two frames of a page are each where they were after a reload of the page, and begin anew when
// it is opened afresh.
func (s *pageServer) testFrames(t *testing.T) {
	const page = `<!DOCTYPE html><title>frames</title><link rel="icon" href="icon.svg">
<iframe src="index.html?compare=csp-clean&amp;embed=1" width="480" height="270"></iframe>
<iframe src="index.html?compare=csp-redundancy&amp;embed=1" width="480" height="270"></iframe>`
	if err := os.WriteFile(filepath.Join(s.folder, "frames.html"), []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	d := s.openTab(t, "frames.html", screenSize{1000, 320, 1, false})
	document := func(i int) string { return fmt.Sprintf("frames[%d].document", i) }
	state := func(i int) string {
		return fmt.Sprintf("(%s.getElementById('session')?.textContent ?? '').replace(/.*, (playing|paused)/, '$1')", document(i))
	}
	waitState := func(i int, want string) {
		t.Helper()
		d.waitText(state(i)+".startsWith("+strconv.Quote(want)+")", "true")
	}
	var before [2]string
	for i := range before {
		waitState(i, "paused at 0.00 s")
	}
	for i := range before {
		d.evaluate(document(i) + ".querySelector('canvas').focus()")
		for _, want := range []string{"playing", "paused at"} {
			d.run(keyP.event(input.DispatchKeyEventTypeRawKeyDown))
			waitState(i, want)
			d.run(keyP.event(input.DispatchKeyEventTypeKeyUp))
			time.Sleep(time.Duration(1+i) * time.Second) // the second one plays for longer
		}
		if before[i] = d.evaluate(state(i)); strings.HasPrefix(before[i], "paused at 0.00 s") {
			t.Fatalf("the session of frame %d has not run: %s", i, before[i])
		}
	}
	d.evaluate("globalThis.old = true")
	d.evaluate("location.reload()")
	d.waitText("typeof globalThis.old", "undefined")
	for i := range before {
		waitState(i, before[i])
	}
	d.run(chromedp.Navigate("about:blank"), chromedp.Navigate(s.address+"frames.html"))
	for i := range before {
		waitState(i, "paused at 0.00 s")
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
