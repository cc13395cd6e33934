//go:build e2e && !headless && !js

package e2e

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// TestSite opens the lab, and every page of the documentation and the ideas, in a browser, light and dark, on a laptop and on a phone: axe finds no
// accessibility error, nothing is wider than the screen, and nothing is written to the console. GHOSTCUBE_AXE names the file
// axe.min.js, which .ci/long installs.
func TestSite(t *testing.T) {
	axeFile := os.Getenv("GHOSTCUBE_AXE")
	if axeFile == "" {
		t.Skip("GHOSTCUBE_AXE is not set; .ci/long sets it")
	}
	axe, err := os.ReadFile(axeFile)
	if err != nil {
		t.Fatal(err)
	}
	s := startPage(t)
	var pages []string
	for _, folder := range []string{"docs", "ideas"} {
		err = filepath.WalkDir(filepath.Join(s.folder, folder), func(file string, d fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(file) == ".html" {
				name, _ := filepath.Rel(s.folder, file)
				pages = append(pages, filepath.ToSlash(name))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	pages = append(pages, "compare/csp-redundancy.html") // the others are like it
	if len(pages) < 50 {
		t.Fatalf("the site has %d pages: %v", len(pages), pages)
	}
	t.Run("axe finds errors", func(t *testing.T) {
		ctx, cancel := chromedp.NewContext(s.browser)
		defer cancel()
		if err := chromedp.Do(ctx, chromedp.Navigate("data:text/html,<html><img src='data:,'></html>")); err != nil {
			t.Fatal(err)
		}
		violations, err := runAxe(ctx, string(axe))
		if err != nil {
			t.Fatal(err)
		}
		if found := strings.Join(violations, "\n"); !strings.Contains(found, "image-alt") || !strings.Contains(found, "html-has-lang") {
			t.Errorf("a picture without a text in a page without a language: %q", found)
		}
	})
	for name, link := range map[string]string{
		"lab": "?compare=csp-redundancy", "knobs": "?compare=csp-smoothing&embed=1&knobs=latency,2.smooth-factor,no-such-knob",
	} {
		t.Run(name, func(t *testing.T) {
			d := s.open(t, link, smallScreen)
			violations, err := runAxe(d.ctx, string(axe))
			if err != nil || len(violations) > 0 {
				t.Errorf("%v: %s", err, strings.Join(violations, "\n"))
			}
		})
	}
	for _, name := range pages {
		t.Run(strings.TrimSuffix(name, ".html"), func(t *testing.T) { s.checkSitePage(t, name, string(axe)) })
	}
}

// runAxe runs axe in the page and returns what it finds, with up to five places each.
func runAxe(ctx context.Context, axe string) (violations []string, err error) {
	const run = `axe.run(document, {iframes: false}).then(r =>
		r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.target.join(" ")).slice(0, 5).join(", ")))`
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](axe+"; 0")); err != nil {
		return nil, err
	}
	return chromedp.Run(ctx, chromedp.Evaluate[[]string](run, chromedp.EvalAwaitPromise))
}

// checkSitePage checks a page of the site in both colour schemes and at two sizes.
func (s *pageServer) checkSitePage(t *testing.T, name, axe string) {
	ctx, cancel := chromedp.NewContext(s.browser)
	defer cancel()
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("exception: %s", e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			t.Errorf("the page writes to the console: %s", e.Type)
		case *network.EventResponseReceived:
			inside := strings.HasPrefix(e.Response.URL, s.address) || strings.HasPrefix(e.Response.URL, "data:") // pictures of the browser's own controls
			if e.Response.Status >= 400 || !inside {
				t.Errorf("%d %s", e.Response.Status, e.Response.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, size := range []screenSize{{1280, 800, 1, false}, {390, 844, 1, true}} {
			label := fmt.Sprintf("%s, %d px wide", scheme, size.w)
			err := chromedp.Do(ctx,
				call(network.Enable, network.EnableParams{}),
				call(network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/*.wasm*", Block: true}}}),
				size.emulate(),
				call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}),
				chromedp.Navigate(s.address+name),
			)
			if err != nil {
				t.Fatalf("%s: %v", label, err)
			}
			violations, err := runAxe(ctx, axe)
			if err != nil {
				t.Fatalf("%s: %v", label, err)
			}
			wide, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.documentElement.scrollWidth > document.documentElement.clientWidth`))
			if err != nil {
				t.Fatalf("%s: %v", label, err)
			}
			for _, v := range violations {
				t.Errorf("%s: %s", label, v)
			}
			if wide {
				t.Errorf("%s: wider than the screen", label)
			}
			s.savePicture(t, ctx, name, label)
		}
	}
}

// savePicture saves a screenshot of the top of a page where GHOSTCUBE_SITE names a folder.
func (s *pageServer) savePicture(t *testing.T, ctx context.Context, name, label string) {
	folder := os.Getenv("GHOSTCUBE_SITE")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	file := strings.NewReplacer("/", "-", ".html", "").Replace(name) + "-" + strings.NewReplacer(", ", "-", " px wide", "").Replace(label) + ".png"
	if err := os.WriteFile(filepath.Join(folder, file), picture, 0o666); err != nil {
		t.Fatal(err)
	}
}
