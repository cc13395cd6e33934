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

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// windowDriver drives the program's window as a hand would, with xdotool.
type windowDriver struct {
	t        *testing.T
	outDir   string
	cmd      *exec.Cmd
	output   bytes.Buffer
	windowID string
}

// startWindow opens the program's window, or skips.
func startWindow(t *testing.T, args ...string) *windowDriver {
	t.Helper()
	if testing.Short() {
		t.Skip("opens a window")
	}
	if os.Getenv("DISPLAY") == "" {
		t.Skip("no display here: .ci/run makes one")
	}
	if _, err := exec.LookPath("xdotool"); err != nil {
		t.Skip("no xdotool here: .ci/run installs it")
	}
	d := &windowDriver{t: t, outDir: t.TempDir()}
	program := filepath.Join(d.outDir, "ghostcube")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	d.cmd = exec.Command(program, append([]string{"--out", filepath.Join(d.outDir, "made")}, args...)...)
	d.cmd.Stdout, d.cmd.Stderr = &d.output, &d.output
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.cmd.Process.Kill() })
	for range 100 {
		time.Sleep(100 * time.Millisecond)
		// Another window of the name may be open: ours is the process's.
		out, err := exec.Command("xdotool", "search", "--pid", strconv.Itoa(d.cmd.Process.Pid), "--name", "^Ghostcube$").Output()
		if err == nil && len(bytes.Fields(out)) > 0 {
			d.windowID = string(bytes.Fields(out)[0])
			break
		}
	}
	if d.windowID == "" {
		t.Fatalf("no window after 10 s; said %s", &d.output)
	}
	time.Sleep(2 * time.Second) // until it has settled for a picture it can keep up with
	d.xdotool("windowfocus", d.windowID)
	return d
}

// xdotool is one call of xdotool.
func (d *windowDriver) xdotool(args ...string) {
	d.t.Helper()
	if out, err := exec.Command("xdotool", args...).CombinedOutput(); err != nil {
		d.t.Fatalf("xdotool %v: %v\n%s\n%s", args, err, out, &d.output)
	}
	time.Sleep(150 * time.Millisecond)
}

// movePointer moves the pointer to a place in the window.
func (d *windowDriver) movePointer(x, y int) {
	d.t.Helper()
	d.xdotool("mousemove", "--window", d.windowID, strconv.Itoa(x), strconv.Itoa(y))
}

// interrupt ends the program as Ctrl-C does, and returns what it said.
func (d *windowDriver) interrupt() string {
	d.t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGINT); err != nil {
		d.t.Fatal(err)
	}
	over := make(chan error)
	go func() { over <- d.cmd.Wait() }()
	select {
	case err := <-over:
		if err != nil {
			d.t.Fatalf("ended with %v\n%s", err, &d.output)
		}
	case <-time.After(60 * time.Second):
		d.t.Fatalf("does not end\n%s", &d.output)
	}
	return d.output.String()
}

// outputFile returns the only file of a kind that was made.
func (d *windowDriver) outputFile(pattern string) string {
	d.t.Helper()
	names, err := filepath.Glob(filepath.Join(d.outDir, "made", pattern))
	if err != nil || len(names) != 1 {
		d.t.Fatalf("%s: %v, %v\n%s", pattern, names, err, &d.output)
	}
	return names[0]
}

// readTape returns the tape of the session.
func (d *windowDriver) readTape() *lab.Tape {
	d.t.Helper()
	data, err := os.ReadFile(d.outputFile("session-*.tape"))
	if err != nil {
		d.t.Fatal(err)
	}
	tape, err := lab.ReadTape(bytes.NewReader(data))
	if err != nil {
		d.t.Fatal(err)
	}
	return tape
}

// TestWindow presses keys, drags a slider, switches a strategy, takes a film
// and a picture, and finds all of it in what the program leaves behind.
func TestWindow(t *testing.T) {
	d := startWindow(t, "--panes", "rewind,noprediction", "--size", "1280x720")
	d.xdotool("keydown", "w")
	time.Sleep(time.Second)
	d.xdotool("keyup", "w")

	// The slider of latency, from 100 ms to the right.
	d.movePointer(1115, 420)
	d.xdotool("mousedown", "1")
	for x := 1125; x <= 1195; x += 10 {
		d.movePointer(x, 420)
	}
	d.xdotool("mouseup", "1")

	// A drag beside the panel turns the camera; one in the panel does not.
	d.movePointer(240, 500)
	d.xdotool("mousedown", "1")
	d.movePointer(300, 480)
	d.movePointer(340, 480)
	d.xdotool("mouseup", "1")

	d.xdotool("key", "Tab")
	d.xdotool("key", "2") // the strategy of the second pane: rewind
	d.xdotool("key", "f")
	d.xdotool("key", "r")
	d.xdotool("keydown", "d")
	time.Sleep(2 * time.Second)
	d.xdotool("keyup", "d")
	d.xdotool("key", "r")
	d.xdotool("key", "F12")
	time.Sleep(500 * time.Millisecond)
	said := d.interrupt()

	tape := d.readTape()
	if tape.Truncated {
		t.Error("the tape has no end")
	}
	out, err := exec.Command(d.cmd.Path, "play", "--verify", d.outputFile("session-*.tape")).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "are the same here") {
		t.Errorf("%v: %s", err, out)
	}
	verbs := map[string]string{}
	forward, right, turned := 0, 0, 0
	slid, looked := -1, len(tape.Entries)
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
			verbs[c.Verb+" "+c.Name] = c.Value
			switch c.Verb + " " + c.Name {
			case "link latency":
				slid = i
			case "show yaw", "show pitch", "show distance":
				looked = min(looked, i)
			}
		}
	}
	// One second and two: what a key's repeat and a slow display leave of them.
	if forward < 40 || forward > 120 || right < 90 || right > 200 {
		t.Errorf("%d ticks forward, %d to the right", forward, right)
	}
	if turned == 0 || verbs["show yaw"] == "" {
		t.Error("the camera did not turn")
	}
	if looked <= slid {
		t.Errorf("the camera moved in tick %d, the slider until tick %d", looked, slid)
	}
	if got := verbs["link latency"]; got < "200ms" || got > "500ms" || len(got) != 5 {
		t.Errorf("the slider left %q", got)
	}
	for _, v := range []string{"switch rewind", "nudge x", "show focus"} {
		if _, ok := verbs[v]; !ok {
			t.Errorf("no %q on the tape: %v", v, verbs)
		}
	}

	f, err := os.Open(d.outputFile("picture-*.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if picture.Bounds() != image.Rect(0, 0, 1280, 720) {
		t.Errorf("the picture is %v", picture.Bounds())
	}
	if keep := os.Getenv("WINDOW_PICTURES"); keep != "" {
		exec.Command("cp", f.Name(), filepath.Join(keep, "window.png")).Run()
	}

	m := regexp.MustCompile(`film: (\S+), (\d+) pictures`).FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("no word of a film in %q", said)
	}
	pictures, _ := strconv.Atoi(m[2])
	if pictures < 100 || pictures > 240 {
		t.Errorf("the film of two seconds has %d pictures", pictures)
	}
	if _, err := exec.LookPath("ffprobe"); err == nil && strings.HasSuffix(m[1], ".mp4") {
		out, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", m[1]).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != fmt.Sprint(pictures) {
			t.Errorf("ffprobe counts %s pictures of %d: %v", got, pictures, err)
		}
	}
}

// TestWindowPlaysTape opens the window on a comparison, which a tape drives
// until a key is pressed.
func TestWindowPlaysTape(t *testing.T) {
	d := startWindow(t, "--compare", "csp-redundancy")
	time.Sleep(2 * time.Second)
	d.xdotool("keydown", "s")
	d.xdotool("keyup", "s")
	time.Sleep(2 * time.Second)
	d.interrupt()
	tape := d.readTape()
	if tape.Config.Rate != 64 || len(tape.Panes) != 2 {
		t.Errorf("the session is %+v of %v", tape.Config, tape.Panes)
	}
	driven, last := 0, len(tape.Entries)
	for i, e := range tape.Entries {
		for _, in := range e.Inputs {
			if in.Buttons != 0 {
				driven = i
			}
		}
	}
	// The tape rolls the cube at once; after the key's release nothing does. A slow
	// display makes fewer ticks of the four seconds.
	if driven < 30 || last-driven < 30 {
		t.Errorf("something is held until tick %d of %d", driven, last)
	}
}
