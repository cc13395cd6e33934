//go:build e2e && !headless

package e2e

import (
	"bytes"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/internal/source"
	"ghostcube/predict/lab/tape"
	"ghostcube/ui/cli"
	"ghostcube/ui/program"
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
		go reportMemory(file)
		env := program.Environment(os.Args[1:], os.Stdout, os.Stderr)
		if open := env.OpenWindow; open != nil {
			env.OpenWindow = func(o *cli.WindowOptions) (bool, error) {
				o.Report = file
				return open(o)
			}
		}
		os.Exit(cli.Main(env))
	}
	source.EnterRoot()
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
	restarts    int // of the session, as far as frames show them
	picture     image.Rectangle
	controls    map[string]image.Rectangle
	focus       string // control of the panel that has the keys

	hashTick int    // tick of the session's last hash
	hash     string // sixteen hexadecimal digits

	measurements     int // of the memory
	heap, goroutines int // by the last of them; bytes in use
}

// startWindow opens the program's window, or skips the test.
func startWindow(t *testing.T, args ...string) *windowDriver {
	t.Helper()
	experiment.Skip(t)
	if os.Getenv("DISPLAY") == "" {
		t.Skip("DISPLAY is not set; .ci/run starts a display")
	}
	if _, err := exec.LookPath("xdotool"); err != nil {
		t.Skip("xdotool is not installed; .ci/run installs it")
	}
	d := &windowDriver{t: t, outDir: t.TempDir()}
	out := filepath.Join(d.outDir, "output")
	if i := slices.Index(args, "--out"); i >= 0 { // the flag may stand there once
		out, args = args[i+1], slices.Concat(args[:i], args[i+2:])
	}
	at := 0
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") { // a command
		at = len(args)
	}
	d.cmd = programCommand(t, d.reportFile("--out"), slices.Insert(args, at, "--out", out)...)
	d.cmd.Stdout, d.cmd.Stderr = &d.output, &d.errors
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.cmd.Process.Kill() })
	d.waitUntil("the first frames", func(s windowState) bool { return s.frame >= 3 })
	// Another window of that name may be open, so search only those of the program's process.
	found, err := exec.Command("xdotool", "search", "--pid", strconv.Itoa(d.cmd.Process.Pid), "--name", "^Ghostcube$").Output()
	if err != nil || len(bytes.Fields(found)) == 0 {
		t.Fatalf("no window: %v\n%s%s", err, &d.output, &d.errors)
	}
	d.windowID = string(bytes.Fields(found)[0])
	d.xdotool("windowfocus", d.windowID)
	d.waitFrames()
	return d
}

// program returns a command that runs the program with arguments.
func (d *windowDriver) program(args ...string) *exec.Cmd {
	d.t.Helper()
	return programCommand(d.t, d.reportFile(args[0]), args...)
}

// programCommand returns a command that runs the program with arguments and writes its report to a file.
func programCommand(t *testing.T, report string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), reportVariable+"="+report)
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
	s.read(string(data))
	return *s
}

// read reads whole lines of a report.
func (s *windowState) read(report string) {
	for line := range strings.Lines(report) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch kind {
		case "frame":
			before := s.tick
			fmt.Sscanf(rest, "%d tick %d", &s.frame, &s.tick)
			if s.tick < before {
				s.restarts++
			}
		case "memory":
			fmt.Sscanf(rest, "%d goroutines %d", &s.heap, &s.goroutines)
			s.measurements++
		case "hash":
			s.hash = ""
			fmt.Sscanf(rest, "%d %s", &s.hashTick, &s.hash)
		case "picture":
			s.picture, _ = parseRect(rest)
			s.controls = map[string]image.Rectangle{}
		case "focus":
			s.focus = rest
		case "control":
			r, name := parseRect(rest)
			s.controls[name] = r
		}
	}
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

// waiter is a driver of the window or of the page.
type waiter interface {
	state() windowState
	waitUntil(what string, done func(windowState) bool) windowState
}

// placed returns the bounds of a control of the panel. The controls of a page are placed one frame after the page has
// been chosen, so it waits for a few frames.
func placed(t *testing.T, d waiter, name string) image.Rectangle {
	t.Helper()
	last := d.state().frame + 10
	s := d.waitUntil("control or ten frames", func(s windowState) bool { return !s.controls[name].Empty() || s.frame >= last })
	if s.controls[name].Empty() {
		t.Fatalf("the panel has no control %q: %v", name, s.controls)
	}
	return s.controls[name]
}

// control returns the bounds of a control of the panel.
func (d *windowDriver) control(name string) image.Rectangle {
	d.t.Helper()
	return placed(d.t, d, name)
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
	return d.end(syscall.SIGINT)
}

// end ends the program by a signal after which it writes its files, and returns its output.
func (d *windowDriver) end(s syscall.Signal) string {
	d.t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
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
		d.t.Fatalf("the program runs two minutes after the signal\n%s", &d.output)
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
