//go:build e2e && !headless

package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab/capture"
	"ghostcube/sim/geom"
)

// TestWindowJoins joins a server, which is a process of its own, with a window, and presses a key: the player's cube moves
// at the server and, in the captures of both, on the screen. Leaving the window leaves the session.
func TestWindowJoins(t *testing.T) {
	experiment.Skip(t)
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name+".capture") }
	server, lines, log := startServer(t, folder, "--capture", file("server"))
	var join []string
	for len(join) == 0 && lines.Scan() {
		_, line, _ := strings.Cut(lines.Text(), "ghostcube ")
		join = strings.Fields(line)
	}
	d := startWindow(t, append(join, "--name", "ann", "--renderer", "software-half", "--capture", file("client"))...)
	d.waitTicks(60)
	d.xdotool("keydown", "w")
	d.waitUntil("a second of the key in the capture", func(windowState) bool { return pressedTicks(t, file("client")) >= 60 }) // none while frozen
	d.xdotool("keyup", "w")
	d.pressKey("Home") // the past is refused
	d.waitTicks(30)
	if folder := os.Getenv("WINDOW_PICTURES"); folder != "" {
		d.shot(filepath.Join(folder, "join.png"))
	}
	table := d.interrupt()
	if !strings.Contains(table, "path error, mm") {
		t.Errorf("the window leaves no table: %s", table)
	}
	log.wait(t, `msg=left player=1 .*the other side has closed`)
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server ends with %v: %s", err, log)
	}
	for _, name := range []string{"client", "server"} {
		start, end := replayCapture(t, file(name), 0)
		if moved := end.Sub(start).Len(); moved < 1 {
			t.Errorf("%s: the cube has moved by %v m in a second with the key down", name, moved)
		}
	}
}

// pressedTicks returns the number of ticks with a key down in a client's capture, which may still be written.
func pressedTicks(t *testing.T, name string) (n int) {
	t.Helper()
	for _, e := range readCapture(t, name).Tape.Entries {
		for _, in := range e.Inputs {
			if in.Buttons != 0 {
				n++
			}
		}
	}
	return n
}

// readCapture reads a capture.
func readCapture(t *testing.T, name string) *capture.Capture {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := capture.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// replayCapture runs a capture again, and returns where a player's cube is at the scene's start and, as that side has it, at
// the end.
func replayCapture(t *testing.T, name string, player int) (start, end geom.Vec3) {
	t.Helper()
	c := readCapture(t, name)
	r, err := c.Replay()
	if err != nil {
		t.Fatal(err)
	}
	start = r.Lab.Panes[0].ServerWorld.Bodies()[player].Pose.Pos
	for _, e := range c.Tape.Entries {
		r.BeforeTick()
		if err := r.Lab.Tick(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Tape.Verify(r.Lab, len(c.Tape.HashChecks)-1); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	p := r.Lab.Panes[0]
	if v := &p.Clients[0].View; len(v.Bodies) > player {
		return start, v.Bodies[player].Pos
	}
	return start, p.ServerWorld.Bodies()[player].Pose.Pos
}

// A processLog is what a process writes while it runs.
type processLog struct {
	mu   sync.Mutex
	text []byte
}

func (l *processLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	return len(p), nil
}

func (l *processLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// wait waits until the log matches a pattern. The test fails if that takes more than 20 s.
func (l *processLog) wait(t *testing.T, pattern string) {
	t.Helper()
	want := regexp.MustCompile(pattern)
	for range 2000 {
		if want.MatchString(l.String()) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the log has no %s: %s", pattern, l)
}

// startServer starts the command serve on the loopback, and returns it with the lines and the errors that it prints. It is killed
// at the end of the test.
func startServer(t *testing.T, folder string, args ...string) (server *exec.Cmd, lines *bufio.Scanner, log *processLog) {
	t.Helper()
	args = append([]string{"serve", "127.0.0.1:0", "--every", "0"}, args...)
	server, log = programCommand(t, filepath.Join(folder, "report"), args...), &processLog{}
	server.Stderr = log
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill() })
	return server, bufio.NewScanner(out), log
}
