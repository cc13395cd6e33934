//go:build e2e && !headless && !js

package e2e

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"ghostcube/internal/experiment"
	"ghostcube/ui/cli"
	"ghostcube/ui/page"
)

// pageServer serves the page to a browser.
type pageServer struct {
	folder  string          // of the page's files
	bytes   int             // that a visitor loads before the first picture
	address string          // with a slash at the end
	browser context.Context // of the browser

	down atomic.Bool // it breaks all connections off
	slow atomic.Bool // the program takes three seconds
}

// slowWriter writes an answer in parts of 32 KiB, with a pause before each.
type slowWriter struct {
	http.ResponseWriter
	part time.Duration
}

func (w *slowWriter) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		time.Sleep(w.part)
		written := 0
		written, err = w.ResponseWriter.Write(b[:min(len(b), 32<<10)])
		n, b = n+written, b[written:]
	}
	return n, err
}

// startPage writes the page, serves it and starts a browser, or skips the test.
func startPage(t *testing.T) *pageServer {
	t.Helper()
	experiment.Skip(t)
	if testing.Short() {
		t.Skip("starts a browser")
	}
	name, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed; .ci/run installs it")
	}
	s := servePage(t)

	// The sandbox needs rights that a container does not have, and this browser opens no page but ours. SwiftShader
	// draws without a GPU.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(name), chromedp.NoSandbox,
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	s.browser = ctx
	return s
}

// servePage writes the page and serves it.
func servePage(t *testing.T) *pageServer {
	t.Helper()
	folder := t.TempDir()
	files, err := page.Write(t.Context(), page.Options{Folder: folder, Work: ".", Version: cli.Version})
	if err != nil {
		t.Fatal(err)
	}
	loaded := 0
	for _, f := range files {
		if !strings.Contains(f.Name, "/") {
			loaded += f.Gzip
		}
	}
	s := &pageServer{folder: folder, bytes: loaded}
	handler := http.FileServer(http.Dir(folder))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.down.Load() {
			panic(http.ErrAbortHandler)
		}
		if s.slow.Load() && strings.HasSuffix(r.URL.Path, page.ProgramFile) {
			w = &slowWriter{ResponseWriter: w, part: 3 * time.Second / 240}
		}
		w.Header().Set("Cache-Control", "no-store")
		if host, path, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); ok && hosts[host] != nil {
			r.URL.Path = "/" + path
			if hosts[host](w, r) {
				return
			}
			if w.Header().Get("Content-Encoding") != "" {
				w.Header().Set(decodedLength, strconv.Itoa(gzipLength(t, filepath.Join(folder, filepath.FromSlash(path)))))
			}
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.address = server.URL + "/"
	return s
}

// pageDriver drives the page in a browser, as a user would. Like windowDriver it measures time in frames and ticks, and
// finds controls by their names: the page reports both to the function ghostcubeReport.
type pageDriver struct {
	t     *testing.T
	ctx   context.Context // of the tab
	scale float64         // device pixels per CSS pixel

	mu        sync.Mutex
	reported  windowState
	hashes    map[int]string // of the session, by tick; without those from before it restarted
	loads     int            // of documents
	workers   int            // that were watched
	requests  map[network.RequestID]*request
	problems  []string          // everything on the console, failed requests, requests to other hosts
	names     map[string]string // of the downloads, by their identifiers
	downloads map[string]string // files of the finished downloads, by name
}

// request is a request of the page.
type request struct {
	url             string
	length, arrived int // bytes of the answer's body, if it says how many, and of those that came
}

// screenSize is a size of a browser's view.
type screenSize struct {
	w, h  int64   // CSS pixels
	scale float64 // device pixels per CSS pixel
	touch bool
}

// emulate is an action that gives the tab this size.
func (s screenSize) emulate() chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: s.w, Height: s.h, DeviceScaleFactor: s.scale, Mobile: s.touch}),
		call(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: s.touch}),
	)
}

// call is an action that sends a command to the tab.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// smallScreen is a size that a browser without a GPU draws several times a second.
var smallScreen = screenSize{640, 360, 1, false}

// open opens a link in a new tab, and waits for the first frames.
func (s *pageServer) open(t *testing.T, link string, size screenSize, scripts ...string) *pageDriver {
	t.Helper()
	d := s.openTab(t, link, size, scripts...)
	d.waitUntil("the first frames", func(s windowState) bool { return s.frame >= 3 })
	return d
}

// openTab opens an address in a new tab, and closes the tab at the end of the test. The test fails if anything was written to the
// console, a request failed or went to another host. Scripts are evaluated before the page's.
func (s *pageServer) openTab(t *testing.T, link string, size screenSize, scripts ...string) *pageDriver {
	t.Helper()
	ctx, cancel := chromedp.NewContext(s.browser)
	d := &pageDriver{t: t, ctx: ctx, scale: size.scale, hashes: map[int]string{}, requests: map[network.RequestID]*request{},
		names: map[string]string{}, downloads: map[string]string{}}
	t.Cleanup(func() {
		for _, p := range d.seen() {
			t.Errorf("%s: %s", link, p)
		}
		cancel()
	})
	folder := t.TempDir()
	err := chromedp.Listen(ctx, func(event any) { // it opens the tab, without a time limit, at whose end the tab would close
		d.notice(s.address, event)
		if e, ok := event.(*target.EventAttachedToTarget); ok && e.TargetInfo.Type == "worker" {
			go d.watchWorker(s.address, e.TargetInfo.TargetID)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := chromedp.ListenBrowser(ctx, func(event any) { d.noticeDownload(folder, event) }); err != nil {
		t.Fatal(err)
	}
	downloads := browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName, DownloadPath: folder, EventsEnabled: new(true)}
	if _, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, downloads); err != nil {
		t.Fatal(err)
	}
	d.run(
		call(storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: s.address, StorageTypes: "all"}),
		call(runtime.AddBinding, runtime.AddBindingParams{Name: "ghostcubeReport"}),
		size.emulate(),
	)
	for _, script := range scripts {
		d.run(call(cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script}))
	}
	d.run(chromedp.Navigate(s.address + link))
	return d
}

// watchWorker notices the events of a worker of the page. The worker may end at any time.
func (d *pageDriver) watchWorker(address string, id target.ID) {
	ctx, cancel := chromedp.NewContext(d.ctx, chromedp.WithTargetID(id))
	context.AfterFunc(d.ctx, cancel)
	if err := chromedp.Listen(ctx, func(event any) { d.notice(address, event) }); err == nil {
		d.mu.Lock()
		d.workers++
		d.mu.Unlock()
	}
}

// notice notices an event of the tab, or of a worker of it.
func (d *pageDriver) notice(address string, event any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	problem := func(format string, args ...any) { d.problems = append(d.problems, fmt.Sprintf(format, args...)) }
	switch e := event.(type) {
	case *runtime.EventExecutionContextsCleared: // another document begins
		d.loads++
		d.reported = windowState{restarts: d.reported.restarts}
		clear(d.hashes)
	case *runtime.EventBindingCalled:
		restarts := d.reported.restarts
		d.reported.read(e.Payload)
		if d.reported.restarts != restarts {
			clear(d.hashes)
		}
		if strings.HasPrefix(e.Payload, "hash ") {
			d.hashes[d.reported.hashTick] = d.reported.hash
		}
	case *runtime.EventConsoleAPICalled:
		var text []string
		for _, a := range e.Args {
			text = append(text, string(a.Value)+a.Description)
		}
		problem("console.%s: %s", e.Type, strings.Join(text, " "))
	case *runtime.EventExceptionThrown:
		problem("exception: %v", e.ExceptionDetails)
	case *log.EventEntryAdded: // violations of the content security policy, too
		problem("log: %s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *network.EventRequestWillBeSent:
		d.requests[e.RequestID] = &request{url: e.Request.URL}
		if !strings.HasPrefix(e.Request.URL, address) && !strings.HasPrefix(e.Request.URL, "blob:"+address) {
			problem("request to another host: %s", e.Request.URL)
		}
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			problem("status %d: %s", e.Response.Status, e.Response.URL)
		}
		if r := d.requests[e.RequestID]; r != nil {
			r.length, _ = strconv.Atoi(fmt.Sprint(cmp.Or(e.Response.Headers[decodedLength], e.Response.Headers["Content-Length"])))
		}
	case *network.EventDataReceived:
		if r := d.requests[e.RequestID]; r != nil {
			r.arrived += int(e.DataLength)
		}
	case *network.EventLoadingFailed:
		r := cmp.Or(d.requests[e.RequestID], &request{})
		switch {
		case e.Canceled && strings.HasSuffix(r.url, "/icon.svg"): // of the address that the page had
		case e.Canceled && r.length > 0 && r.arrived == r.length: // a body whose reader has all of it and does not wait for its end
		default:
			problem("a request failed: %s %s %s %s, canceled: %v, %d of %d bytes, after %d frames",
				e.Type, e.ErrorText, e.BlockedReason, r.url, e.Canceled, r.arrived, r.length, d.reported.frame)
		}
	}
}

// noticeDownload notices the downloads into a folder, whose files have identifiers as their names.
func (d *pageDriver) noticeDownload(folder string, event any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := event.(type) {
	case *browser.EventDownloadWillBegin:
		d.names[e.GUID] = e.SuggestedFilename
	case *browser.EventDownloadProgress:
		if e.State == browser.DownloadProgressStateCompleted {
			d.downloads[d.names[e.GUID]] = filepath.Join(folder, e.GUID)
		}
	}
}

// seen returns what should not have happened so far.
func (d *pageDriver) seen() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.problems)
}

// run runs actions in the tab, for two minutes at most.
func (d *pageDriver) run(actions ...chromedp.Action[chromedp.Void]) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.ctx, 2*time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		d.t.Fatal(err)
	}
}

// state returns the newest frame and layout that the page has reported.
func (d *pageDriver) state() windowState {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.reported
	s.controls = maps.Clone(s.controls)
	return s
}

// waitUntil waits until the reported state fulfils a condition, at most two minutes.
func (d *pageDriver) waitUntil(what string, done func(windowState) bool) windowState {
	d.t.Helper()
	for range 12000 { // two minutes
		if s := d.state(); done(s) {
			return s
		}
		time.Sleep(10 * time.Millisecond)
	}
	d.t.Fatalf("no %s after two minutes; state %+v, problems %q", what, d.state(), d.seen())
	panic("unreachable")
}

// waitFrames waits until the page has read all events so far and has drawn their effects.
func (d *pageDriver) waitFrames() windowState {
	d.t.Helper()
	first := d.state().frame
	return d.waitUntil("two frames", func(s windowState) bool { return s.frame >= first+2 })
}

// waitTicks waits until the session has run n more ticks.
func (d *pageDriver) waitTicks(n int) windowState {
	d.t.Helper()
	first := d.state().tick
	return d.waitUntil(fmt.Sprint(n, " ticks"), func(s windowState) bool { return s.tick >= first+n })
}

// hash returns the hash of the session after a tick, which has to be at the end of a second of the session.
func (d *pageDriver) hash(tick int) string {
	d.t.Helper()
	var hash string
	d.waitUntil(fmt.Sprint("hash of tick ", tick), func(windowState) bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		hash = d.hashes[tick]
		return hash != ""
	})
	return hash
}

// download waits for a download whose name has a suffix, and returns its file.
func (d *pageDriver) download(suffix string) string {
	d.t.Helper()
	var file string
	d.waitUntil("download of *"+suffix, func(windowState) bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		for name, f := range d.downloads {
			if strings.HasSuffix(name, suffix) {
				file = f
			}
		}
		return file != ""
	})
	return file
}

// pageKey is a key of the keyboard.
type pageKey struct {
	code string // of its place, as in KeyboardEvent.code
	key  string // what it types
	n    int64  // its Windows virtual key code
}

var (
	keyW = pageKey{"KeyW", "w", 'W'}
	keyR = pageKey{"KeyR", "r", 'R'}
)

// event is an action that presses or releases the key.
func (k pageKey) event(kind input.DispatchKeyEventType) chromedp.Action[chromedp.Void] {
	return call(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Code: k.code, Key: k.key, WindowsVirtualKeyCode: k.n})
}

// keyDown presses a key, and waits until the page has read it.
func (d *pageDriver) keyDown(k pageKey) windowState {
	d.t.Helper()
	d.run(k.event(input.DispatchKeyEventTypeRawKeyDown))
	return d.waitFrames()
}

// keyUp releases a key, and waits until the page has read it.
func (d *pageDriver) keyUp(k pageKey) windowState {
	d.t.Helper()
	d.run(k.event(input.DispatchKeyEventTypeKeyUp))
	return d.waitFrames()
}

// pressKey presses a key once and returns the ticks before and after it took effect.
func (d *pageDriver) pressKey(k pageKey) (before, after int) {
	d.t.Helper()
	before = d.state().tick
	after = d.keyDown(k).tick
	d.keyUp(k)
	return before, after
}

// click clicks a control of the panel.
func (d *pageDriver) click(name string) {
	d.t.Helper()
	r := placed(d.t, d, name)
	d.mouse(float64(r.Min.X+r.Max.X)/2/d.scale, float64(r.Min.Y+r.Max.Y)/2/d.scale, func() { d.waitFrames() })
}

// clickAt clicks a place of the tab, in CSS pixels.
func (d *pageDriver) clickAt(x, y float64) {
	d.t.Helper()
	d.mouse(x, y, func() {})
}

// mouse moves the pointer to a place of the tab, in CSS pixels, presses and releases. After each of them it waits.
func (d *pageDriver) mouse(x, y float64, wait func()) {
	d.t.Helper()
	for _, event := range []input.DispatchMouseEventType{chromedp.MouseMoved, chromedp.MousePressed, chromedp.MouseReleased} {
		p := input.DispatchMouseEventParams{Type: event, X: x, Y: y}
		if event != chromedp.MouseMoved {
			p.Button, p.ClickCount = input.MouseButtonLeft, 1
		}
		d.run(call(input.DispatchMouseEvent, p))
		wait()
	}
}

// drop drops files onto the middle of the picture.
func (d *pageDriver) drop(files ...string) {
	d.t.Helper()
	r := d.state().picture
	x, y := float64(r.Min.X+r.Max.X)/2/d.scale, float64(r.Min.Y+r.Max.Y)/2/d.scale
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: files, DragOperationsMask: 1} // copies
	for _, event := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver,
		input.DispatchDragEventTypeDrop} {
		d.run(call(input.DispatchDragEvent, input.DispatchDragEventParams{Type: event, X: x, Y: y, Data: data}))
	}
}

// screenshot returns what the tab shows.
func (d *pageDriver) screenshot() image.Image {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.ctx, 2*time.Minute)
	defer cancel()
	data, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		d.t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		d.t.Fatal(err)
	}
	return picture
}
