//go:build e2e && !headless

package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ghostcube/assets"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/plan"
)

// TestWindow presses keys, drags a slider, clears a checkbox, switches a strategy, records a video and saves
// a screenshot, and checks that the files that the program writes contain all of it.
func TestWindow(t *testing.T) {
	d := startWindow(t, "--panes", "rewind,noprediction", "--size", "1280x720")
	forwardTicks := d.holdKey("w", 60)

	// The latency slider goes from 0 to 500 ms.
	d.click("tab Network")
	slider := d.control("latency")
	at := func(percent int) image.Point {
		return image.Pt(slider.Min.X+slider.Dx()*percent/100, (slider.Min.Y+slider.Max.Y)/2)
	}
	d.drag(at(20), at(60))

	// A drag in the picture turns the camera; one in the panel does not.
	picture := d.state().picture
	middle := picture.Min.Add(picture.Size().Div(2))
	d.drag(middle, middle.Add(image.Pt(100, -20)))

	d.click("tab View")
	d.click("ghosts")
	d.pressKey("0")
	d.pressKey("2") // the second pane's strategy: rewind
	d.pressKey("f")
	startBefore, startAfter := d.pressKey("r")
	rightTicks := d.holdKey("d", 120)
	stopBefore, stopAfter := d.pressKey("r")
	videoTicks := tickSpan{stopBefore - startAfter, stopAfter - startBefore}
	d.pressKey("F12")
	d.waitUntil("a screenshot", func(windowState) bool { return len(d.outputFiles("screenshot-*.png")) > 0 })
	d.waitFrames()
	output := d.interrupt()

	tape := d.readTape()
	if tape.Truncated {
		t.Error("the session tape is truncated")
	}
	out, err := d.program("play", "--verify", d.outputFile("session-*.tape")).CombinedOutput()
	if err != nil || !strings.Contains(string(out), " match in ") {
		t.Errorf("%v: %s", err, out)
	}
	values := map[string]string{} // last value of each command, by verb and name
	forward, right, turned := 0, 0, 0
	slidTick, cameraTick := -1, len(tape.Entries) // last tick of the slider, first of the camera
	for i, e := range tape.Entries {
		for _, in := range e.Inputs {
			if in.Buttons&sim.Forward != 0 {
				forward++
			}
			if in.Buttons&sim.Right != 0 {
				right++
			}
			if in.Heading != 0 {
				turned++
			}
		}
		for _, c := range e.Commands {
			values[c.Verb+" "+c.Name] = c.Value
			switch c.Verb + " " + c.Name {
			case "condition latency":
				slidTick = i
			case "show yaw", "show pitch", "show distance":
				cameraTick = min(cameraTick, i)
			}
		}
	}
	if !forwardTicks.contains(forward) || !rightTicks.contains(right) {
		t.Errorf("%d ticks forward, want %v; %d to the right, want %v", forward, forwardTicks, right, rightTicks)
	}
	if turned == 0 || values["show yaw"] == "" {
		t.Error("the camera did not turn")
	}
	if cameraTick <= slidTick {
		t.Errorf("the camera moved in tick %d, but the slider was dragged until tick %d", cameraTick, slidTick)
	}
	if latency, err := time.ParseDuration(values["condition latency"]); err != nil || latency < 270*time.Millisecond || latency > 330*time.Millisecond {
		t.Errorf("the slider set the latency to %q, want about 300ms", values["condition latency"])
	}
	if values["show ghosts"] != "off" {
		t.Errorf("the checkbox set ghosts to %q, want off", values["show ghosts"])
	}
	for _, v := range []string{"switch rewind", "nudge x", "focus "} {
		if _, ok := values[v]; !ok {
			t.Errorf("the tape has no command %q: %v", v, values)
		}
	}

	f, err := os.Open(d.outputFile("screenshot-*.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	screenshot, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if screenshot.Bounds() != image.Rect(0, 0, 1280, 720) {
		t.Errorf("the screenshot has bounds %v, want 1280x720", screenshot.Bounds())
	}
	if folder := os.Getenv("WINDOW_PICTURES"); folder != "" {
		exec.Command("cp", f.Name(), filepath.Join(folder, "window.png")).Run()
	}

	m := regexp.MustCompile(`video: (\S+), (\d+) frames`).FindStringSubmatch(output)
	if m == nil {
		t.Fatalf("the output names no video: %q", output)
	}
	frames, _ := strconv.Atoi(m[2])
	if !videoTicks.contains(frames) {
		t.Errorf("the video has %d frames, want %v", frames, videoTicks)
	}
	if _, err := exec.LookPath("ffprobe"); err != nil {
		t.Log("ffprobe is not installed, so the frames of the video are not counted; .ci/run installs it")
		return
	}
	counted, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", m[1]).CombinedOutput()
	if got := strings.TrimSpace(string(counted)); err != nil || got != fmt.Sprint(frames) {
		t.Errorf("ffprobe counts %s frames, the program %d: %v", got, frames, err)
	}
}

// tourFolder is the environment variable with the folder of the screenshots of a whole tour (TestWindowTour).
const tourFolder = "GHOSTCUBE_TOUR"

// TestWindowTour plays lessons of the tour in the window as a viewer does: it reads, does what the lesson says by key
// or in the panel, and goes on with F2. Without a folder for screenshots it plays three of them, and does not wait for
// the figures.
func TestWindowTour(t *testing.T) {
	library := plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons, LessonFiles: assets.Lessons,
		PresetFiles: assets.Presets, TermFile: assets.Terms}
	list, err := library.Lessons()
	if err != nil {
		t.Fatal(err)
	}
	folder := os.Getenv(tourFolder)
	args := []string{"--size", "1280x720"}
	if folder == "" {
		list = list[1:4]
	} else {
		args = append(args, "--renderer", "software")
	}
	d := startWindow(t, append(args, "--lesson", list[0].Name)...)
	for i := range list {
		x := &list[i]
		if i > 0 {
			d.pressKey("F2")
		}
		is := func(phase string) func(s windowState) bool {
			return func(s windowState) bool { _, ok := s.controls["lesson "+x.Name+" "+phase]; return ok }
		}
		d.waitUntil("lesson "+x.Name, is("before"))
		if folder != "" {
			d.waitTicks(int(x.Seconds*60) + 10)
			d.shot(filepath.Join(folder, fmt.Sprintf("%02d-%s-before.png", i+1, x.Name)))
		}
		d.doAction(&x.Action)
		if folder == "" {
			d.waitUntil("effect of "+x.Name, func(s windowState) bool { return is("after")(s) || is("done")(s) })
			continue
		}
		d.waitUntil("end of "+x.Name, is("done"))
		d.shot(filepath.Join(folder, fmt.Sprintf("%02d-%s-after.png", i+1, x.Name)))
	}
	d.pressKey("F3")
	d.waitUntil("the end of the tour", func(s windowState) bool { _, ok := s.controls["tour next"]; return !ok })
	d.interrupt()
}

// shot saves a screenshot to a file.
func (d *windowDriver) shot(name string) {
	d.t.Helper()
	before := len(d.outputFiles("screenshot-*.png"))
	d.pressKey("F12")
	d.waitUntil("a screenshot", func(windowState) bool { return len(d.outputFiles("screenshot-*.png")) > before })
	files := d.outputFiles("screenshot-*.png")
	slices.SortFunc(files, func(a, b string) int {
		x, _ := os.Stat(a)
		y, _ := os.Stat(b)
		return x.ModTime().Compare(y.ModTime())
	})
	d.waitFrames() // the file is complete
	if out, err := exec.Command("cp", files[len(files)-1], name).CombinedOutput(); err != nil {
		d.t.Fatalf("%v: %s", err, out)
	}
}

// doAction does the action of a lesson.
func (d *windowDriver) doAction(a *plan.Action) {
	d.t.Helper()
	c := &a.Command
	switch c.Verb {
	case "":
		d.holdKey("w", 60)
	case "switch":
		d.pressKey(strconv.Itoa(slices.Index(lab.StrategyNames(), c.Name) + 1))
	case "nudge":
		d.pressKey("f")
	default:
		if c.Pane > 0 { // the right pane
			picture := d.state().picture
			at := picture.Min.Add(image.Pt(picture.Dx()*3/4, picture.Dy()/3))
			d.drag(at, at)
		}
		controls := d.state().controls
		if _, ok := controls[c.Name+" number"]; ok {
			d.click(c.Name + " number")
			d.xdotool("key", "ctrl+a")
			d.waitFrames()
			d.xdotool("type", strings.TrimSuffix(c.Value, "ms"))
			d.waitFrames()
			d.xdotool("key", "Return")
			d.waitFrames()
			return
		}
		d.click(c.Name)
		if c.Value != "on" {
			d.click(c.Name + " " + c.Value)
		}
	}
}

// TestWindowEnds checks that SIGTERM leaves a whole tape of the session, that a killed window leaves one under its
// temporary name that lacks two seconds at most, and that a session in the same folder replaces neither.
func TestWindowEnds(t *testing.T) {
	const ticks = 200
	start := func(args ...string) *windowDriver {
		d := startWindow(t, append([]string{"--panes", "rewind", "--tape", "circle"}, args...)...)
		d.waitUntil("ticks", func(s windowState) bool { return s.tick >= ticks })
		return d
	}
	d := start()
	d.end(syscall.SIGTERM)
	whole := d.outputFile("session-*.tape")
	if x := readTapeFile(t, whole); x.Truncated || len(x.Entries) < ticks || strings.Contains(whole, ".part") {
		t.Errorf("%s has %d ticks, truncated: %v", whole, len(x.Entries), x.Truncated)
	}
	if out, err := d.program("play", "--verify", whole).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	folder := filepath.Dir(whole)
	before, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	d = start("--out", folder)
	if err := d.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	d.cmd.Wait()
	parts, err := filepath.Glob(filepath.Join(folder, "session-*.part.tape"))
	if err != nil || len(parts) != 1 {
		t.Fatalf("%q, %v", parts, err)
	}
	if x := readTapeFile(t, parts[0]); !x.Truncated || len(x.Entries) < ticks-120 {
		t.Errorf("%s has %d ticks, truncated: %v", parts[0], len(x.Entries), x.Truncated)
	}
	if after, err := os.ReadFile(whole); !bytes.Equal(before, after) {
		t.Errorf("the tape of the first session is lost: %v", err)
	}
}

// TestWindowPlaysTape checks that the tape of a comparison drives its session until a key is pressed, and
// that the session has the comparison's rate and panes.
func TestWindowPlaysTape(t *testing.T) {
	d := startWindow(t, "--compare", "csp-redundancy", "--renderer", "software-half")
	d.waitTicks(60)
	pressedBefore := d.state().tick
	d.holdKey("s", 1)
	released := d.state().tick
	d.waitTicks(60)
	d.interrupt()
	tape := d.readTape()
	if tape.Config.Rate != 64 || len(tape.Panes) != 2 {
		t.Errorf("the session has %+v and panes %v, want 64 ticks per second and two panes", tape.Config, tape.Panes)
	}
	first, last := len(tape.Entries), 0 // ticks with buttons down
	for i, e := range tape.Entries {
		for _, in := range e.Inputs {
			if in.Buttons != 0 {
				first, last = min(first, i), i
			}
		}
	}
	// The tape presses buttons from its first second on. No button is down after the key's release.
	if first >= pressedBefore || last < pressedBefore || last > released {
		t.Errorf("buttons are down from tick %d to %d of %d; the key was pressed after tick %d and released before tick %d",
			first, last, len(tape.Entries), pressedBefore, released)
	}
}
