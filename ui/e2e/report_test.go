//go:build e2e && !headless && !js

package e2e

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"ghostcube/ui/cli"
	"ghostcube/ui/program"
)

// testReport opens the report of a sweep from the disk, on the screens of a laptop and a phone: the browser requests that one
// file, reports no problem, and nothing is wider than the screen, also with all details open.
func (s *pageServer) testReport(t *testing.T) {
	folder := t.TempDir()
	var out, errs bytes.Buffer
	args := []string{"sweep", "--panes", "noprediction,rewind:lead=1|3,shooter:contact-order=reordered", "--tapes", "circle,turns",
		"--networks", "wifi-bad;latency=75ms,jitter=10ms,loss=5%", "--seeds", "2", "--seconds", "6", "-o", folder}
	if code := cli.Main(program.Environment(args, &out, &errs)); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	ctx, cancel := chromedp.NewContext(s.browser)
	defer cancel()
	requests := 0
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			requests++
		case *runtime.EventConsoleAPICalled:
			t.Errorf("the report writes to the console: %s", e.Type)
		case *log.EventEntryAdded: // violations of the content security policy, too
			t.Errorf("log: %s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, size := range []screenSize{{1280, 800, 1, false}, {390, 844, 2, true}} {
		label := fmt.Sprintf("light, %d px wide", size.w)
		err := chromedp.Do(ctx, call(network.Enable, network.EnableParams{}), size.emulate(),
			chromedp.Navigate("file://"+filepath.ToSlash(filepath.Join(folder, "report.html"))))
		if err != nil {
			t.Fatalf("%s: %v", label, err)
		}
		s.savePicture(t, ctx, "report.html", label)
		const opened = `[...document.querySelectorAll("details")].map(d => d.open = true).length > 12 && document.querySelectorAll("svg").length === 4 &&
			document.documentElement.scrollWidth <= document.documentElement.clientWidth`
		fits, err := chromedp.Run(ctx, chromedp.Evaluate[bool](opened))
		if err != nil || !fits {
			t.Errorf("%s: wider than the screen, or without details and plots; %v", label, err)
		}
		s.savePicture(t, ctx, "report.html", label+", open")
		if requests != i+1 {
			t.Errorf("%s: %d requests, want one for each screen", label, requests)
		}
	}
}
