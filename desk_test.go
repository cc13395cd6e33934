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

// desk drives the program's window as a hand would, with xdotool.
type desk struct {
	t      *testing.T
	out    string
	cmd    *exec.Cmd
	said   bytes.Buffer
	window string
}

// openDesk opens the program's window, or skips.
func openDesk(t *testing.T, args ...string) *desk {
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
	d := &desk{t: t, out: t.TempDir()}
	program := filepath.Join(d.out, "ghostcube")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	d.cmd = exec.Command(program, append([]string{"--out", filepath.Join(d.out, "made")}, args...)...)
	d.cmd.Stdout, d.cmd.Stderr = &d.said, &d.said
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.cmd.Process.Kill() })
	for range 100 {
		time.Sleep(100 * time.Millisecond)
		// Another window of the name may be open: ours is the process's.
		out, err := exec.Command("xdotool", "search", "--pid", strconv.Itoa(d.cmd.Process.Pid), "--name", "^Ghostcube$").Output()
		if err == nil && len(bytes.Fields(out)) > 0 {
			d.window = string(bytes.Fields(out)[0])
			break
		}
	}
	if d.window == "" {
		t.Fatalf("no window after 10 s; said %s", &d.said)
	}
	time.Sleep(2 * time.Second) // until it has settled for a picture it can keep up with
	d.do("windowfocus", d.window)
	return d
}

// do is one call of xdotool.
func (d *desk) do(args ...string) {
	d.t.Helper()
	if out, err := exec.Command("xdotool", args...).CombinedOutput(); err != nil {
		d.t.Fatalf("xdotool %v: %v\n%s\n%s", args, err, out, &d.said)
	}
	time.Sleep(150 * time.Millisecond)
}

// at moves the pointer to a place in the window.
func (d *desk) at(x, y int) {
	d.t.Helper()
	d.do("mousemove", "--window", d.window, strconv.Itoa(x), strconv.Itoa(y))
}

// close ends the program as Ctrl-C does, and returns what it said.
func (d *desk) close() string {
	d.t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGINT); err != nil {
		d.t.Fatal(err)
	}
	over := make(chan error)
	go func() { over <- d.cmd.Wait() }()
	select {
	case err := <-over:
		if err != nil {
			d.t.Fatalf("ended with %v\n%s", err, &d.said)
		}
	case <-time.After(60 * time.Second):
		d.t.Fatalf("does not end\n%s", &d.said)
	}
	return d.said.String()
}

// made returns the only file of a kind that was made.
func (d *desk) made(pattern string) string {
	d.t.Helper()
	names, err := filepath.Glob(filepath.Join(d.out, "made", pattern))
	if err != nil || len(names) != 1 {
		d.t.Fatalf("%s: %v, %v\n%s", pattern, names, err, &d.said)
	}
	return names[0]
}

// tape returns the tape of the session.
func (d *desk) tape() *lab.Tape {
	d.t.Helper()
	data, err := os.ReadFile(d.made("session-*.tape"))
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
	d := openDesk(t, "--panes", "rewind,noprediction", "--size", "1280x720")
	d.do("keydown", "w")
	time.Sleep(time.Second)
	d.do("keyup", "w")

	// The slider of latency, from 100 ms to the right.
	d.at(1115, 420)
	d.do("mousedown", "1")
	for x := 1125; x <= 1195; x += 10 {
		d.at(x, 420)
	}
	d.do("mouseup", "1")

	// A drag beside the panel turns the camera; one in the panel does not.
	d.at(240, 500)
	d.do("mousedown", "1")
	d.at(300, 480)
	d.at(340, 480)
	d.do("mouseup", "1")

	d.do("key", "Tab")
	d.do("key", "2") // the strategy of the second pane: rewind
	d.do("key", "f")
	d.do("key", "r")
	d.do("keydown", "d")
	time.Sleep(2 * time.Second)
	d.do("keyup", "d")
	d.do("key", "r")
	d.do("key", "F12")
	time.Sleep(500 * time.Millisecond)
	said := d.close()

	tape := d.tape()
	if tape.Cut {
		t.Error("the tape has no end")
	}
	out, err := exec.Command(d.cmd.Path, "play", "--verify", d.made("session-*.tape")).CombinedOutput()
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

	f, err := os.Open(d.made("picture-*.png"))
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
	d := openDesk(t, "--compare", "csp-redundancy")
	time.Sleep(2 * time.Second)
	d.do("keydown", "s")
	d.do("keyup", "s")
	time.Sleep(2 * time.Second)
	d.close()
	tape := d.tape()
	if tape.Config.Rate != 64 || len(tape.Open) != 2 {
		t.Errorf("the session is %+v of %v", tape.Config, tape.Open)
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
