//go:build !headless

package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
)

// reportVariable is the environment variable with the name of the file into which the program reports its
// frames (ui/window, Options.Report). If it is set, the test binary runs the program instead of the tests.
const reportVariable = "GHOSTCUBE_TEST_REPORT"

func TestMain(m *testing.M) {
	if name := os.Getenv(reportVariable); name != "" {
		file, err := os.Create(name)
		if err != nil {
			panic(err)
		}
		windowReport = file
		main() // exits
	}
	os.Exit(m.Run())
}

// windowDriver drives the program's window with xdotool, as a user would. It measures time in frames and ticks
// that the program reports, and finds controls by the names that the program reports, so it depends neither on
// the speed of the machine nor on the layout of the panel.
type windowDriver struct {
	t        *testing.T
	outDir   string
	cmd      *exec.Cmd
	output   bytes.Buffer
	windowID string
}

// windowState is what the program has reported so far.
type windowState struct {
	frame, tick int
	picture     image.Rectangle
	controls    map[string]image.Rectangle
}

// startWindow opens the program's window, or skips the test.
func startWindow(t *testing.T, args ...string) *windowDriver {
	t.Helper()
	if testing.Short() {
		t.Skip("opens a window")
	}
	if os.Getenv("DISPLAY") == "" {
		t.Skip("DISPLAY is not set; .ci/run starts a display")
	}
	if _, err := exec.LookPath("xdotool"); err != nil {
		t.Skip("xdotool is not installed; .ci/run installs it")
	}
	d := &windowDriver{t: t, outDir: t.TempDir()}
	d.cmd = d.program(append([]string{"--out", filepath.Join(d.outDir, "output")}, args...)...)
	d.cmd.Stdout, d.cmd.Stderr = &d.output, &d.output
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.cmd.Process.Kill() })
	d.waitUntil("the first frames", func(s windowState) bool { return s.frame >= 3 })
	// Another window of that name may be open, so search only those of the program's process.
	out, err := exec.Command("xdotool", "search", "--pid", strconv.Itoa(d.cmd.Process.Pid), "--name", "^Ghostcube$").Output()
	if err != nil || len(bytes.Fields(out)) == 0 {
		t.Fatalf("no window: %v\n%s", err, &d.output)
	}
	d.windowID = string(bytes.Fields(out)[0])
	d.xdotool("windowfocus", d.windowID)
	d.waitFrames()
	return d
}

// program returns a command that runs the program with arguments.
func (d *windowDriver) program(args ...string) *exec.Cmd {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), reportVariable+"="+d.reportFile(args[0]))
	return cmd
}

// reportFile returns the report file of a run whose first argument is first. For the window it is --out.
func (d *windowDriver) reportFile(first string) string {
	return filepath.Join(d.outDir, "report-"+strings.Trim(first, "-"))
}

// state returns the newest frame and layout that the window has reported.
func (d *windowDriver) state() (s windowState) {
	data, _ := os.ReadFile(d.reportFile("--out")) // does not exist before the first frame
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	for line := range strings.Lines(string(data)) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch kind {
		case "frame":
			fmt.Sscanf(rest, "%d tick %d", &s.frame, &s.tick)
		case "picture":
			s.picture, _ = parseRect(rest)
			s.controls = map[string]image.Rectangle{}
		case "control":
			r, name := parseRect(rest)
			s.controls[name] = r
		}
	}
	return s
}

// parseRect parses left, top, width and height, and returns the rest of the line.
func parseRect(text string) (r image.Rectangle, rest string) {
	f := strings.SplitN(text+" ", " ", 5)
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(f[i])
	}
	return image.Rect(n[0], n[1], n[0]+n[2], n[1]+n[3]), strings.TrimSpace(f[4])
}

// waitUntil waits until the reported state fulfils a condition, at most two minutes.
func (d *windowDriver) waitUntil(what string, done func(windowState) bool) windowState {
	d.t.Helper()
	for range 12000 { // two minutes
		if s := d.state(); done(s) {
			return s
		}
		time.Sleep(10 * time.Millisecond)
	}
	d.t.Fatalf("no %s after two minutes; state %+v, output %s", what, d.state(), &d.output)
	panic("unreachable")
}

// waitFrames waits until the window has read all key and pointer events so far and has drawn their effects.
// The frame in progress may have read its events earlier; the next one has not.
func (d *windowDriver) waitFrames() windowState {
	d.t.Helper()
	first := d.state().frame
	return d.waitUntil("two frames", func(s windowState) bool { return s.frame >= first+2 })
}

// waitTicks waits until the session has run n more ticks.
func (d *windowDriver) waitTicks(n int) windowState {
	d.t.Helper()
	first := d.state().tick
	return d.waitUntil(fmt.Sprint(n, " ticks"), func(s windowState) bool { return s.tick >= first+n })
}

// xdotool runs xdotool.
func (d *windowDriver) xdotool(args ...string) {
	d.t.Helper()
	if out, err := exec.Command("xdotool", args...).CombinedOutput(); err != nil {
		d.t.Fatalf("xdotool %v: %v\n%s\n%s", args, err, out, &d.output)
	}
}

// tickSpan is a range of tick counts, both bounds included.
type tickSpan struct{ min, max int }

func (s tickSpan) contains(n int) bool { return s.min <= n && n <= s.max }

// holdKey holds a key down for some ticks and returns bounds of the number of ticks in which it was down.
func (d *windowDriver) holdKey(key string, ticks int) tickSpan {
	d.t.Helper()
	before := d.state().tick
	d.xdotool("keydown", key)
	down := d.waitFrames().tick
	last := d.waitTicks(ticks).tick
	d.xdotool("keyup", key)
	after := d.waitFrames().tick
	// The X server repeats a held key as releases and presses. The window may see some of them, so up to a
	// quarter of the ticks may miss the key.
	return tickSpan{(last - down) * 3 / 4, after - before}
}

// pressKey presses a key once and returns the ticks before and after it took effect.
func (d *windowDriver) pressKey(key string) (before, after int) {
	d.t.Helper()
	before = d.state().tick
	d.xdotool("keydown", key)
	after = d.waitFrames().tick
	d.xdotool("keyup", key)
	d.waitFrames()
	return before, after
}

// control returns the bounds of a control of the panel.
func (d *windowDriver) control(name string) image.Rectangle {
	d.t.Helper()
	s := d.state()
	r, ok := s.controls[name]
	if !ok {
		d.t.Fatalf("the panel has no control %q: %v", name, s.controls)
	}
	return r
}

// drag moves the pointer from one point to another with the left button down.
func (d *windowDriver) drag(from, to image.Point) {
	d.t.Helper()
	const steps = 4
	d.movePointer(from)
	d.xdotool("mousedown", "1")
	d.waitFrames()
	for i := range steps {
		d.movePointer(from.Add(to.Sub(from).Mul(i + 1).Div(steps)))
	}
	d.xdotool("mouseup", "1")
	d.waitFrames()
}

// click clicks a control.
func (d *windowDriver) click(name string) {
	d.t.Helper()
	r := d.control(name)
	middle := r.Min.Add(r.Size().Div(2))
	d.drag(middle, middle)
}

// movePointer moves the pointer to a point of the window.
func (d *windowDriver) movePointer(p image.Point) {
	d.t.Helper()
	d.xdotool("mousemove", "--window", d.windowID, strconv.Itoa(p.X), strconv.Itoa(p.Y))
	d.waitFrames()
}

// interrupt ends the program as Ctrl-C does, and returns its output.
func (d *windowDriver) interrupt() string {
	d.t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGINT); err != nil {
		d.t.Fatal(err)
	}
	exited := make(chan error)
	go func() { exited <- d.cmd.Wait() }()
	select {
	case err := <-exited:
		if err != nil {
			d.t.Fatalf("the program failed: %v\n%s", err, &d.output)
		}
	case <-time.After(120 * time.Second):
		d.t.Fatalf("the program runs two minutes after the interrupt\n%s", &d.output)
	}
	return d.output.String()
}

// outputFiles returns the output files that match a pattern.
func (d *windowDriver) outputFiles(pattern string) []string {
	d.t.Helper()
	names, err := filepath.Glob(filepath.Join(d.outDir, "output", pattern))
	if err != nil {
		d.t.Fatal(err)
	}
	return names
}

// outputFile returns the only output file that matches a pattern.
func (d *windowDriver) outputFile(pattern string) string {
	d.t.Helper()
	names := d.outputFiles(pattern)
	if len(names) != 1 {
		d.t.Fatalf("%s: %d files, want 1: %v\n%s", pattern, len(names), names, &d.output)
	}
	return names[0]
}

// readTape returns the tape of the session.
func (d *windowDriver) readTape() *tape.Tape {
	d.t.Helper()
	data, err := os.ReadFile(d.outputFile("session-*.tape"))
	if err != nil {
		d.t.Fatal(err)
	}
	read, err := tape.Read(bytes.NewReader(data))
	if err != nil {
		d.t.Fatal(err)
	}
	return read
}

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
	d.pressKey("Tab")
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
	wantFrames := videoTicks
	if strings.HasSuffix(m[1], ".gif") { // 25 frames per second
		wantFrames = tickSpan{videoTicks.min * 25 / 60, videoTicks.max*25/60 + 1}
	}
	if !wantFrames.contains(frames) {
		t.Errorf("the video has %d frames, want %v", frames, wantFrames)
	}
	if _, err := exec.LookPath("ffprobe"); err == nil && strings.HasSuffix(m[1], ".mp4") {
		out, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", m[1]).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != fmt.Sprint(frames) {
			t.Errorf("ffprobe counts %s frames, the program %d: %v", got, frames, err)
		}
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
		t.Errorf("buttons are down from tick %d to %d of %d; the key was pressed after tick %d and released before tick %d", first, last, len(tape.Entries), pressedBefore, released)
	}
}
