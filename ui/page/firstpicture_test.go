package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// firstPictureLoads is the number of times that each program is loaded.
const firstPictureLoads = 5

// TestFirstPicture measures the time from navigation to the first picture, of the lab with two panes and of a program
// that only fills the screen by Ebitengine, both compiled, compressed and loaded in the same way. It needs chromium,
// which draws without a graphics card here, so only the ratio says something about other machines.
func TestFirstPicture(t *testing.T) {
	if os.Getenv("GHOSTCUBE_LONG") == "" {
		t.Skip("a measurement in a browser: set GHOSTCUBE_LONG=1 to run it")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed; .ci/run installs it")
	}
	source, err := findSource(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	lab, err := compile(t.Context(), source, "test")
	if err != nil {
		t.Fatal(err)
	}
	program, err := build(t.Context(), filepath.Join(source, "ui", "page", "testdata", "bare"), "test")
	if err != nil {
		t.Fatal(err)
	}
	bare, err := compress(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("lab %d bytes, bare program %d bytes compressed", len(lab[ProgramFile]), len(bare))
	// The page reports the time of its first picture to the server that it comes from.
	report := []byte("\n{ const ready = ghostcube.ready; ghostcube.ready = () => { ready(); fetch(`picture?ms=${performance.now()}`); }; }\n")
	load := func(query string, program []byte) float64 {
		times := make(chan float64, 1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name := r.URL.Path[1:]
			switch name {
			case "":
				name = "index.html"
			case "picture":
				ms, err := strconv.ParseFloat(r.FormValue("ms"), 64)
				if err != nil {
					t.Error(err)
				}
				select {
				case times <- ms:
				default:
				}
				return
			}
			b := lab[name]
			switch name {
			case ProgramFile:
				b = program
			case "page.js":
				b = append(slices.Clone(b), report...)
			}
			if b == nil {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", map[string]string{".js": "text/javascript", ".html": "text/html", ".css": "text/css",
				".svg": "image/svg+xml", ".gz": "application/gzip"}[filepath.Ext(name)])
			w.Header().Set("Content-Length", fmt.Sprint(len(b)))
			w.Write(b)
		}))
		defer server.Close()
		cmd := exec.Command(browser, "--headless=new", "--no-sandbox", "--no-first-run", "--disable-background-networking", "--use-angle=swiftshader",
			"--enable-unsafe-swiftshader", "--window-size=1280,720", "--user-data-dir="+t.TempDir(), server.URL+"/"+query)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			cmd.Process.Signal(os.Interrupt)
			cmd.Wait()
			time.Sleep(time.Second) // its helpers write into the folder that is removed
		}()
		select {
		case ms := <-times:
			return ms
		case <-time.After(3 * time.Minute):
			t.Fatal("no picture")
		}
		return 0
	}
	var labs, bares []float64
	for range firstPictureLoads {
		labs = append(labs, load("?compare=prediction", lab[ProgramFile]))
		bares = append(bares, load("", bare))
		t.Logf("first picture after %.0f ms; bare program %.0f ms", labs[len(labs)-1], bares[len(bares)-1])
	}
	slices.Sort(labs)
	slices.Sort(bares)
	t.Logf("medians %.0f and %.0f ms, ratio %.2f", labs[firstPictureLoads/2], bares[firstPictureLoads/2], labs[firstPictureLoads/2]/bares[firstPictureLoads/2])
}
