//go:build e2e && !headless && !js

package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/plan"
)

// maxBytes limits what a visitor loads before the first picture.
const maxBytes = 7_500_000

// TestPage opens links to sessions in a browser and uses the page: both panes move, keys and controls work, sessions
// have the same hashes as here, and files come and go. Nothing may be written to the browser's console. The page is within its
// budget.
func TestPage(t *testing.T) {
	s := startPage(t)
	if t.Logf("%d bytes", s.bytes); s.bytes > maxBytes {
		t.Errorf("a visitor loads %d bytes: want at most %d", s.bytes, maxBytes)
	}
	t.Run("comparisons", s.testComparisons)
	t.Run("links", s.testLinks)
	t.Run("keys", s.testKeys)
	t.Run("typing", s.testTyping)
	t.Run("touch typing", s.testTouchTyping)
	t.Run("hosts", s.testHosts)
	t.Run("offline", s.testOffline)
	t.Run("kept", s.testKept)
	t.Run("report", s.testReport)
	if experiment.Long() { // ui/window has the keys and controls of every guide, testHosts has a control in a page
		t.Run("joins", s.testJoins)
		t.Run("controls", func(t *testing.T) {
			t.Run("lesson", s.testLessonControls)
			t.Run("reload", s.testReloadWhileTurning)
		})
		t.Run("ideas", s.testIdeas)
	}
}

// testComparisons plays comparisons and a tape in one tab, since a tab takes ten seconds to open: both panes move; after another
// comparison the way back leads to the first; a click on the button of a comparison plays it from the start; and a dropped tape
// starts its session, and so does a row of the page of advice.
func (s *pageServer) testComparisons(t *testing.T) {
	const link = "?compare=csp-redundancy"
	d := s.open(t, link, screenSize{960, 640, 1, false})
	before := d.checkScreen("desktop", image.Pt(960, 640))
	d.waitTicks(60)
	after := d.screenshot()
	picture := d.state().picture
	for i := range 2 {
		// Captions and graphs are above and below the middle of a pane.
		pane := image.Rect(0, picture.Dy()/3, picture.Dx()/2, picture.Dy()*2/3).Add(image.Pt(picture.Dx()/2*i, 0)).Add(picture.Min)
		if n := changedPixels(before, after, pane); n < pane.Dx()*pane.Dy()/100 {
			t.Errorf("%d pixels of pane %d have changed within 60 ticks", n, i+1)
		}
	}
	d.checkHistory(link)

	d.click("compare csp-clean")
	d.waitUntil("csp-clean chosen", func(s windowState) bool {
		button, ok := s.controls["from the start"]
		return ok && button.Min.Y > s.controls["compare csp-clean"].Max.Y
	})
	// It is at its moment, where no tick is earlier than the last one before.
	d.waitUntil("the end of the run-up", func(s windowState) bool { return s.tick > 6*64 })
	restarts := d.state().restarts
	d.click("from the start")
	d.waitUntil("another session", func(s windowState) bool { return s.restarts > restarts })
	d.checkHash("?compare=csp-clean", 1)

	name := filepath.Join(t.TempDir(), "dropped.tape")
	if err := os.WriteFile(name, []byte(droppedTape), 0o666); err != nil {
		t.Fatal(err)
	}
	restarts = d.state().restarts
	d.drop(name)
	d.waitUntil("the dropped session", func(s windowState) bool { return s.restarts > restarts })
	inline, err := plan.InlineTape([]byte(droppedTape))
	if err != nil {
		t.Fatal(err)
	}
	d.checkHash("?tape="+inline, 1)

	restarts = d.state().restarts
	d.click("tab Advice")
	d.click("advice 1")
	d.waitUntil("a session of the advice", func(s windowState) bool { return s.restarts > restarts })
}

// changedPixels counts the pixels of a rectangle that differ between two pictures.
func changedPixels(a, b image.Image, r image.Rectangle) (n int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if a.At(x, y) != b.At(x, y) {
				n++
			}
		}
	}
	return n
}

// testLinks checks that a link opens the same session in the page, in this program and in the one without a window. The
// comparison's tab is that of testComparisons. A session is on a phone's screen.
func (s *pageServer) testLinks(t *testing.T) {
	inline, err := plan.InlineTape([]byte(droppedTape))
	if err != nil {
		t.Fatal(err)
	}
	headless := filepath.Join(t.TempDir(), "headless")
	if out, err := exec.Command("go", "build", "-tags", "headless", "-o", headless, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, link := range map[string]string{
		"comparison": "?compare=csp-redundancy",
		"settings":   "?scene=katamari:cubes=50&network=wifi-bad&panes=rewind,snapshot&seed=7&tape=katamari",
		"moment":     "?panes=rewind,statesync&at=3s&tape=" + inline,
	} {
		t.Run(name, func(t *testing.T) {
			seconds := 2
			if name == "moment" {
				seconds = 3
			}
			checkText(t, headless, link, seconds)
			switch name {
			case "settings":
				d := s.open(t, link, screenSize{390, 844, 2, true})
				d.checkHash(link, seconds)
				d.checkScreen("phone", image.Pt(780, 1688))
				if got := d.evaluate("getComputedStyle(document.querySelector('canvas')).touchAction"); got != "none" {
					t.Errorf("the browser takes touches of the picture: touch-action is %s", got)
				}
			case "moment":
				d := s.open(t, link, smallScreen)
				d.checkHash(link, seconds)
				if now := d.waitFrames().tick; now != seconds*60 {
					t.Errorf("the session is at tick %d, want %d", now, seconds*60)
				}
			}
		})
	}
}

// checkText checks the hashes that open --text prints for a link, by this program and by the one without a window.
func checkText(t *testing.T, headless, link string, seconds int) {
	t.Helper()
	if !strings.Contains(link, "&at=") {
		link += fmt.Sprintf("&at=%ds", seconds)
	}
	l := sessionHere(t, link, seconds)
	for _, cmd := range []*exec.Cmd{programCommand(t, filepath.Join(t.TempDir(), "report"), "open", "--text", link),
		exec.Command(headless, "open", "--text", link)} {
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for i, p := range l.Panes {
			if want := fmt.Sprintf("hash  %016x  pane %d,", p.Hash(), i+1); !strings.Contains(string(out), want) {
				t.Errorf("%s open --text prints no %q:\n%s", cmd.Path, want, out)
			}
		}
	}
}

// checkHash checks that the page's session has the hash of a link's session after some seconds of it.
func (d *pageDriver) checkHash(link string, seconds int) {
	d.t.Helper()
	l := sessionHere(d.t, link, seconds)
	if got, want := d.hash(seconds*l.Config().Rate), fmt.Sprintf("%016x", l.Hash()); got != want {
		d.t.Errorf("after %d s the page's hash is %s, that of %s is %s here", seconds, got, link, want)
	}
}

// sessionHere runs the session of a link for some seconds.
func sessionHere(t *testing.T, link string, seconds int) *lab.Lab {
	t.Helper()
	x, err := plan.ParseLink(link)
	if err != nil {
		t.Fatal(err)
	}
	library := plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons}
	p, err := library.New(x.Settings, plan.Settings{}, "")
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range p.UnattendedEntries(seconds * l.Config().Rate).All() {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// testKeys holds W, records a video, and downloads video and tape. The tape has the key, moves the cube, and is the same
// session here.
func (s *pageServer) testKeys(t *testing.T) {
	d := s.open(t, "?scene=zen&panes=rewind,noprediction", screenSize{960, 540, 1, false})
	before := d.state().tick
	down := d.keyDown(keyW).tick
	last := d.waitTicks(60).tick
	forward := tickSpan{last - down, d.keyUp(keyW).tick - before}
	startBefore, startAfter := d.pressKey(keyR)
	d.waitTicks(10)
	stopBefore, stopAfter := d.pressKey(keyR)
	frames := tickSpan{stopBefore - startAfter, stopAfter - startBefore}
	d.click("tab Session")
	d.click("download tape")
	name := d.download(".tape")
	out, err := programCommand(t, filepath.Join(t.TempDir(), "report"), "play", "--verify", name).CombinedOutput()
	if err != nil || !strings.Contains(string(out), " match in ") {
		t.Errorf("%v: %s", err, out)
	}
	read := readTapeFile(t, name)
	pressed := 0
	for _, e := range read.Entries {
		for _, in := range e.Inputs {
			if in.Buttons&sim.Forward != 0 {
				pressed++
			}
		}
	}
	if !forward.contains(pressed) {
		t.Errorf("the tape has %d ticks forward, want %v", pressed, forward)
	}
	l, err := read.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	place := func() geom.Vec3 { return l.Panes[0].ServerWorld.Bodies()[0].Pose.Pos }
	start := place()
	for _, e := range read.Entries {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
	}
	if moved := place().Sub(start).Len(); moved < 1 {
		t.Errorf("the cube has moved by %.2f m", moved)
	}

	video := d.download(".webm")
	if d.mu.Lock(); d.workers == 0 {
		t.Error("the worker that renders the video was not watched")
	}
	d.mu.Unlock()
	if _, err := exec.LookPath("ffprobe"); err != nil {
		t.Skip("ffprobe is not installed, so the frames of the video are not counted; .ci/run installs it")
	}
	probed, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=codec_name,nb_read_frames",
		"-of", "csv=p=0", video).CombinedOutput()
	var count int
	if _, scan := fmt.Sscanf(string(probed), "vp8,%d", &count); err != nil || scan != nil || !frames.contains(count) {
		t.Errorf("the video: %v: %s: want vp8 with %v frames", err, probed, frames)
	}
}

// droppedTape is a tape whose session differs from that of any link in this test.
const droppedTape = `ghostcube tape 2
scene zen
rate 60
seat client
seed 42
network latency=40ms,loss=0.1
pane rewind
pane noprediction
---
30 W
60 WD
30
60 SA
300
end 480
`

// pagePictures is the environment variable with the folder of the screenshots of the page, for eyes.
const pagePictures = "PAGE_PICTURES"

// checkScreen returns a screenshot, and checks that it has a size in pixels. With a folder it saves it there.
func (d *pageDriver) checkScreen(name string, want image.Point) image.Image {
	d.t.Helper()
	picture := d.screenshot()
	if got := picture.Bounds().Size(); got != want {
		d.t.Errorf("the screenshot has the size %v, want %v", got, want)
	}
	if folder := os.Getenv(pagePictures); folder != "" {
		savePicture(d.t, filepath.Join(folder, name+".png"), picture)
	}
	return picture
}

// savePicture writes a PNG file.
func savePicture(t *testing.T, name string, picture image.Image) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
