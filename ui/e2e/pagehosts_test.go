//go:build e2e && !headless && !js

package e2e

import (
	"encoding/binary"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"ghostcube/ui/page"
)

// hosts are folders of the server that stand for servers with habits of their own. Each changes the answer, or gives it and
// reports so.
var hosts = map[string]func(http.ResponseWriter, *http.Request) (answered bool){
	"encoded": func(w http.ResponseWriter, r *http.Request) bool { // labels .gz, so the browser decompresses it
		if strings.HasSuffix(r.URL.Path, ".gz") {
			w.Header().Set("Content-Encoding", "gzip")
		}
		return false
	},
	"single": func(w http.ResponseWriter, r *http.Request) bool { // answers every unknown file with its first page
		if strings.HasSuffix(r.URL.Path, page.ProgramFile) {
			r.URL.Path = "/"
		}
		return false
	},
	"damaged": func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, page.ProgramFile) {
			w.Write([]byte("version https://git-lfs.github.com/spec/v1"))
			return true
		}
		return false
	},
	"sandboxed": func(w http.ResponseWriter, r *http.Request) bool { // as an iframe with sandbox="allow-scripts"
		w.Header().Set("Content-Security-Policy", "sandbox allow-scripts")
		return false
	},
	"untyped": func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/plain")
		}
		return false
	},
}

// testHosts promises that the page starts on a server that labels the program as compressed, here with a control under the picture,
// and that it reports the cause on servers where it cannot start.
func (s *pageServer) testHosts(t *testing.T) {
	t.Run("encoded", func(t *testing.T) {
		d := s.open(t, "encoded/?panes=rewind&embed=1&knobs=latency", smallScreen) // testIdea turns controls by hand
		d.evaluate("(document.querySelector('#knobs input').value = 200, document.querySelector('#knobs input').dispatchEvent(new Event('input')))")
		d.waitText("document.querySelector('#knobs span').textContent", "200 ms")
	})
	for address, want := range map[string]string{
		s.address + "single/":                                  "a page of HTML instead of the program",
		s.address + "damaged/":                                 "is not the program",
		s.address + "sandboxed/":                               "needs allow-same-origin",
		s.address + "untyped/":                                 "has refused the page's scripts",
		"file://" + filepath.ToSlash(s.folder) + "/index.html": "load no program from a file",
	} {
		t.Run(filepath.Base(filepath.Dir(address+"x")), func(t *testing.T) {
			ctx, cancel := chromedp.NewContext(s.browser)
			defer cancel()
			if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
				t.Fatal(err)
			}
			text := ""
			for range 200 { // twenty seconds
				var err error
				if text, err = chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText")); err != nil {
					t.Fatal(err)
				}
				if strings.Contains(text, want) {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
			t.Errorf("the page says %q, want %q", text, want)
		})
	}
}

// testOffline promises that a second visit needs no network, and that a page of another version is loaded whole as soon as there
// is one again, also where its files arrive slowly, and then needs no network either.
func (s *pageServer) testOffline(t *testing.T) {
	const link = "?compare=csp-clean"
	d := s.open(t, link, smallScreen)
	d.waitText("navigator.serviceWorker.controller !== null", "true")
	d.waitText(`[...document.scripts].every((x) => new URL(x.src).search === document.querySelector("link").href.replace(/.*\?/, "?"))`, "true")
	s.down.Store(true)
	defer s.down.Store(false)
	d.visit(s.address + link)
	d.checkHash(link, 1)
	s.down.Store(false)

	version := d.evaluate("document.scripts[0].src.replace(/.*=/, '')")
	for _, name := range []string{"index.html", "offline.js"} {
		file := filepath.Join(s.folder, name)
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		defer os.WriteFile(file, b, 0o666)
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(b), version, "000000000000")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s.slow.Store(true) // the new worker comes while the program is on its way
	defer s.slow.Store(false)
	d.visit(s.address + link)
	d.waitText("document.scripts[0].src.replace(/.*=/, '')", "000000000000")
	d.waitText("caches.keys().then((k) => globalThis.kept = k.join()) && globalThis.kept", "ghostcube 000000000000")
	s.down.Store(true)
	d.visit(s.address + link)
	d.checkHash(link, 1)
}

// visit goes to an address and waits for frames from there.
func (d *pageDriver) visit(address string) {
	d.t.Helper()
	d.run(chromedp.Navigate(address))
	d.mu.Lock()
	d.reported.frame = 0
	d.mu.Unlock()
	d.waitUntil("the frames of another visit", func(s windowState) bool { return s.frame >= 3 })
}

// decodedLength is the header by which the server says how many bytes the browser gets that it decompresses.
const decodedLength = "X-Decoded-Length"

// gzipLength returns the number of bytes in a compressed file, which its last four bytes are.
func gzipLength(t *testing.T, name string) int {
	data, err := os.ReadFile(name)
	if err != nil || len(data) < 4 {
		t.Errorf("%s: %d bytes, %v", name, len(data), err)
		return 0
	}
	return int(binary.LittleEndian.Uint32(data[len(data)-4:]))
}
