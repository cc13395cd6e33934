//go:build !headless

package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ghostcube/assets"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/plan"
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
		go reportMemory(file)
		main() // exits
	}
	os.Exit(m.Run())
}

// reportMemory writes a line about the program's memory every half second: the bytes that are in use after a
// garbage collection, and the number of goroutines.
func reportMemory(w io.Writer) {
	for range time.Tick(500 * time.Millisecond) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprintf(w, "memory %d goroutines %d\n", m.HeapAlloc, runtime.NumGoroutine())
	}
}

// windowDriver drives the program's window with xdotool, as a user would. It measures time in frames and ticks
// that the program reports, and finds controls by the names that the program reports, so it depends neither on
// the speed of the machine nor on the layout of the panel.
type windowDriver struct {
	t        *testing.T
	outDir   string
	cmd      *exec.Cmd
	output   bytes.Buffer // standard output of the program
	errors   bytes.Buffer // its standard error
	windowID string

	reported windowState // by the first lines of the report
	parsed   int         // their length in bytes
}

// windowState is what the program has reported so far.
type windowState struct {
	frame, tick int
	picture     image.Rectangle
	controls    map[string]image.Rectangle

	measurements     int // of the memory
	heap, goroutines int // by the last of them; bytes in use
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
	d.cmd.Stdout, d.cmd.Stderr = &d.output, &d.errors
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.cmd.Process.Kill() })
	d.waitUntil("the first frames", func(s windowState) bool { return s.frame >= 3 })
	// Another window of that name may be open, so search only those of the program's process.
	out, err := exec.Command("xdotool", "search", "--pid", strconv.Itoa(d.cmd.Process.Pid), "--name", "^Ghostcube$").Output()
	if err != nil || len(bytes.Fields(out)) == 0 {
		t.Fatalf("no window: %v\n%s%s", err, &d.output, &d.errors)
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
func (d *windowDriver) state() windowState {
	s := &d.reported
	file, err := os.Open(d.reportFile("--out"))
	if err != nil {
		return *s // before the first frame
	}
	defer file.Close()
	data, err := io.ReadAll(io.NewSectionReader(file, int64(d.parsed), math.MaxInt64-int64(d.parsed)))
	if err != nil {
		d.t.Fatal(err)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	d.parsed += len(data)
	for line := range strings.Lines(string(data)) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch kind {
		case "frame":
			fmt.Sscanf(rest, "%d tick %d", &s.frame, &s.tick)
		case "memory":
			fmt.Sscanf(rest, "%d goroutines %d", &s.heap, &s.goroutines)
			s.measurements++
		case "picture":
			s.picture, _ = parseRect(rest)
			s.controls = map[string]image.Rectangle{}
		case "control":
			r, name := parseRect(rest)
			s.controls[name] = r
		}
	}
	return *s
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
	d.t.Fatalf("no %s after two minutes; state %+v, output %s%s", what, d.state(), &d.output, &d.errors)
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
			d.t.Fatalf("the program failed: %v\n%s%s", err, &d.output, &d.errors)
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
	return readTapeFile(d.t, d.outputFile("session-*.tape"))
}

// readTapeFile reads a tape.
func readTapeFile(t *testing.T, name string) *tape.Tape {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	read, err := tape.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
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
	if !videoTicks.contains(frames) {
		t.Errorf("the video has %d frames, want %v", frames, videoTicks)
	}
	if _, err := exec.LookPath("ffprobe"); err == nil {
		out, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", m[1]).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != fmt.Sprint(frames) {
			t.Errorf("ffprobe counts %s frames, the program %d: %v", got, frames, err)
		}
	}
}

// tourFolder is the environment variable with the folder of the screenshots of a whole tour (TestWindowTour).
const tourFolder = "GHOSTCUBE_TOUR"

// TestWindowTour plays lessons of the tour in the window as a viewer does: it reads, does what the lesson says by key
// or in the panel, and goes on with F2. Without a folder for screenshots it plays three of them, and does not wait for
// the figures.
func TestWindowTour(t *testing.T) {
	library := plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons, LessonFiles: assets.Lessons}
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

// randomKeys are the keys that TestWindowRandomOperations presses, as xdotool names them. Those of videos, which
// take long to write, are apart.
var randomKeys = strings.Fields("w a s d space z q comma period e Up Down Left Right Return shift+Tab Tab 1 2 3 4 5 6 7 8 9 KP_5 f b shift+b x m j BackSpace " +
	"p n shift+n Prior Next Home End F5 F6 F7 F8 F9 bracketleft bracketright v g t o k l u y i c shift+c h F1 Escape F11 F12")

// randomTexts are typed into fields.
var randomTexts = []string{"7", "-3", "abc", "1e9", "lockstep", "0.5", "wifi", "prediction", "250", "12a"}

// randomOperations returns n operations as a chain of xdotool commands: keys, drags in the picture and on
// controls, wheel turns, shots, texts, resizes, and hiding and showing the window as a window manager minimises
// it.
func (d *windowDriver) randomOperations(random *rand.Rand, n int) (chain []string) {
	s := d.state()
	names := slices.Sorted(maps.Keys(s.controls))
	names = slices.DeleteFunc(names, func(name string) bool { return name == "record" })
	do := func(args ...string) { chain = append(chain, args...) }
	move := func(p image.Point) {
		do("mousemove", "--window", d.windowID, strconv.Itoa(max(p.X, 0)), strconv.Itoa(max(p.Y, 0)))
	}
	inside := func(r image.Rectangle) image.Point {
		return r.Min.Add(image.Pt(random.IntN(max(r.Dx(), 1)), random.IntN(max(r.Dy(), 1))))
	}
	pause := func() { do("sleep", strconv.FormatFloat(0.001+0.007*random.Float64(), 'f', 3, 64)) }
	press := func(button string) { // faster than click
		do("mousedown", button)
		pause()
		do("mouseup", button)
	}
	for range n {
		at := inside(s.picture)
		var control string
		if len(names) > 0 && random.IntN(4) > 0 {
			control = names[random.IntN(len(names))]
			at = inside(s.controls[control])
		}
		switch random.IntN(16) {
		case 0, 1, 2, 3:
			key := randomKeys[random.IntN(len(randomKeys))]
			do("keydown", key)
			pause()
			do("keyup", key)
		case 4, 5, 6, 7, 8, 9:
			move(at)
			press("1")
		case 10, 11:
			move(at)
			do("mousedown", "1")
			pause()
			move(at.Add(image.Pt(random.IntN(200)-100, random.IntN(80)-40)))
			pause()
			do("mouseup", "1")
		case 12:
			move(at)
			do("click", "--repeat", strconv.Itoa(1+random.IntN(3)), "--delay", "5", strconv.Itoa(4+random.IntN(2)))
		case 13:
			move(inside(s.picture))
			press("3")
		case 14:
			move(at)
			press("1")
			do(typing(randomTexts[random.IntN(len(randomTexts))])...)
			do("key", []string{"Return", "Escape"}[random.IntN(2)])
		case 15:
			if random.IntN(4) == 0 {
				do("windowunmap", d.windowID)
				pause()
				do("windowmap", d.windowID)
			} else {
				do("windowsize", d.windowID, strconv.Itoa(400+random.IntN(1500)), strconv.Itoa(300+random.IntN(750)), "windowmove", d.windowID, "0", "0")
			}
			do("windowfocus", d.windowID)
		}
		pause()
	}
	return chain
}

// typing returns the xdotool command that replaces a field's text.
func typing(text string) []string {
	command := []string{"key", "--delay", "5", "ctrl+a"}
	for _, letter := range text {
		switch letter {
		case '-':
			command = append(command, "minus")
		case '.':
			command = append(command, "period")
		default:
			command = append(command, string(letter))
		}
	}
	return command
}

// tap clicks a control without a pause.
func (d *windowDriver) tap(name string) {
	d.t.Helper()
	r := d.control(name)
	d.xdotool("mousemove", "--window", d.windowID, strconv.Itoa((r.Min.X+r.Max.X)/2), strconv.Itoa((r.Min.Y+r.Max.Y)/2), "click", "1")
	d.waitFrames()
}

// startClean brings the window from any state to a new session of the comparison csp-clean at 1280x720, with keys
// and clicks, as a user would.
func (d *windowDriver) startClean() {
	d.t.Helper()
	d.xdotool("windowmap", d.windowID, "windowsize", d.windowID, "1280", "720", "windowmove", d.windowID, "0", "0", "windowfocus", d.windowID)
	d.waitUntil("window of 1280x720", func(s windowState) bool { return max(s.picture.Max.Y, s.controls["timeline"].Max.Y) == 720 })
	d.xdotool("key", "Escape") // ends typing
	if len(d.waitFrames().controls) == 0 {
		d.xdotool("key", "h")
		d.waitFrames()
	}
	if _, open := d.state().controls["tab Compare"]; !open {
		d.tap("collapse")
	}
	d.startComparison("csp-clean")
}

// startComparison starts a comparison with the pointer and the filter of the panel.
func (d *windowDriver) startComparison(name string) {
	d.t.Helper()
	d.openPage("Compare")
	d.tap("filter comparisons")
	d.xdotool(typing(name)...)
	d.waitUntil("comparison in the list", func(s windowState) bool { _, listed := s.controls["compare "+name]; return listed })
	before := d.state().tick
	d.tap("compare " + name)
	d.xdotool("key", "Escape")
	d.waitUntil("new session", func(s windowState) bool { return s.tick != before })
	d.waitTicks(10)
}

// openPage opens a page of the panel and scrolls it to its top.
func (d *windowDriver) openPage(name string) {
	d.t.Helper()
	d.tap("tab " + name)
	at := d.control("tab View").Max.Add(image.Pt(-10, 200))
	d.xdotool("mousemove", "--window", d.windowID, strconv.Itoa(at.X), strconv.Itoa(at.Y), "click", "--repeat", "120", "--delay", "0", "4")
	d.waitFrames()
}

// rss returns the resident memory of the program in bytes, or 0 where it is not known.
func (d *windowDriver) rss() int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", d.cmd.Process.Pid))
	f := strings.Fields(string(data))
	if len(f) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(f[1])
	return pages * os.Getpagesize()
}

// settledMemory waits until the videos are written and garbage is collected, and returns the program's memory. The
// session is paused meanwhile, so that its timeline does not grow.
func (d *windowDriver) settledMemory(goroutines int) (heap, rss int) {
	d.t.Helper()
	d.xdotool("key", "p")
	defer d.xdotool("key", "p")
	d.waitUntil(fmt.Sprintf("state with at most %d goroutines", goroutines), func(s windowState) bool { return s.goroutines <= goroutines })
	first := d.state().measurements
	s := d.waitUntil("measurement of the memory", func(s windowState) bool { return s.measurements >= first+2 })
	return s.heap, d.rss()
}

// TestWindowRandomOperations performs 400 random operations in the window, or 1,000 with GHOSTCUBE_LONG, and records
// two videos meanwhile. It promises that the program then runs without an error, that every page can be reached and
// its controls and keys work, that memory and goroutines are as after the first 200 operations, and that the tapes of the sessions replay.
func TestWindowRandomOperations(t *testing.T) {
	// The buffers of the largest scene stay, so it comes first.
	d := startWindow(t, "--scene", "fleet", "--panes", "statesync,historyoffset", "--size", "1280x720")
	d.startClean()
	random := rand.New(rand.NewPCG(17, 1))
	operate := func(n int) {
		for range n / 10 {
			before := d.state()
			d.xdotool(d.randomOperations(random, 10)...)
			first := d.state().frame
			if s := d.waitUntil("frame", func(s windowState) bool { return s.frame > first }); s.tick == before.tick {
				d.xdotool("key", "p") // paused
			}
		}
	}
	record := func() {
		d.startClean()
		d.xdotool("key", "r")
		d.waitTicks(10)
		d.xdotool("key", "r")
	}
	d.waitUntil("measurement of the memory", func(s windowState) bool { return s.measurements > 0 })
	goroutines := d.state().goroutines + 2
	operate(200)
	record()
	heap, rss := d.settledMemory(goroutines)
	if os.Getenv("GHOSTCUBE_LONG") != "" {
		operate(800)
	} else {
		operate(200)
	}
	record()
	for range 8 { // a session of these has some 15 MB
		d.startComparison("techniques")
	}
	d.startComparison("csp-clean")
	heapAfter, rssAfter := d.settledMemory(goroutines)
	t.Logf("heap %d kB, later %d kB; resident %d MB, later %d MB", heap>>10, heapAfter>>10, rss>>20, rssAfter>>20)
	if heapAfter > heap+24<<20 {
		t.Errorf("the heap has grown from %d kB to %d kB", heap>>10, heapAfter>>10)
	}
	if rssAfter > rss+150<<20 {
		t.Errorf("the resident memory has grown from %d MB to %d MB", rss>>20, rssAfter>>20)
	}

	// Every page opens, and keys and clicks arrive.
	for _, page := range [][2]string{{"Compare", "scene"}, {"Network", "latency"}, {"Strategy", "strategy 1"}, {"Corrections", "collapse"}, {"Score", "collapse"}, {"View", "ghosts"}} {
		d.openPage(page[0])
		d.control(page[1])
	}
	d.pressKey("s") // ends the tape of the comparison
	d.tap("ghosts")
	forward := d.holdKey("w", 60)
	const taps = 10
	for range taps {
		d.xdotool("key", "f")
		d.waitFrames()
	}
	d.interrupt()
	if text := d.errors.String(); text != "" {
		t.Errorf("errors: %s", text)
	}
	if videos := d.outputFiles("video-*"); len(videos) < 2 {
		t.Errorf("videos %v, want two", videos)
	}
	tapes := d.outputFiles("session-*.tape")
	newest := slices.MaxFunc(tapes, func(a, b string) int { return modified(t, a).Compare(modified(t, b)) })
	for _, name := range tapes {
		if out, err := d.program("play", "--verify", name).CombinedOutput(); err != nil || !strings.Contains(string(out), " match in ") {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
	last := readTapeFile(t, newest)
	session, err := last.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	player := func() geom.Vec3 {
		return session.Panes[0].ServerWorld.Bodies()[0].Pose.Pos
	}
	held, nudges, ghosts := 0, 0, ""
	start := player()
	for _, e := range last.Entries {
		for _, c := range e.Commands {
			switch {
			case c.Verb == "nudge":
				nudges++
			case c.Verb == "show" && c.Name == "ghosts":
				ghosts, held, start = c.Value, 0, player()
			}
		}
		if err := session.Tick(e); err != nil {
			t.Fatal(err)
		}
		for _, in := range e.Inputs {
			if in.Buttons&sim.Forward != 0 {
				held++
			}
		}
	}
	if !forward.contains(held) || nudges != taps || ghosts != "off" {
		t.Errorf("%d ticks forward, want %v; %d nudges, want %d; ghosts %q, want off", held, forward, nudges, taps, ghosts)
	}
	if moved := player().Sub(start).Len(); moved < 1 {
		t.Errorf("the cube moved by %g m", moved)
	}
}

// modified returns the time at which a file was written last.
func modified(t *testing.T, name string) time.Time {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}
