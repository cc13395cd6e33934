//go:build e2e && !headless && !js

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWindowTyping types a name in the window at forty characters a second while the program draws ten frames a second,
// edits it with the keys of a text field, copies and pastes it, and checks that the file saved under that name has it,
// and that not one of the keys has reached the game.
func TestWindowTyping(t *testing.T) {
	d := startWindow(t, "--panes", "rewind", "--size", "1280x720")
	d.click("tab Session")
	d.click("session name")
	typed := "wasd-quick-brown-fox-jumps-over-7-dogs-x"
	slow := d.slowDown(100 * time.Millisecond)
	d.xdotool("type", "--delay", "25", typed)
	slow()
	d.waitFrames()
	d.savedSession(typed)

	d.click("session name") // selects all
	d.xdotool("key", "End")
	d.waitFrames()
	d.xdotool("key", "ctrl+BackSpace") // the x
	d.waitFrames()
	d.xdotool("key", "BackSpace") // a dash
	d.waitFrames()
	d.xdotool("key", "ctrl+Left") // before dogs
	d.waitFrames()
	d.xdotool("type", "--delay", "25", "fast-")
	d.waitFrames()
	edited := "wasd-quick-brown-fox-jumps-over-7-fast-dogs"
	d.savedSession(edited)

	if _, err := exec.LookPath("xclip"); err == nil {
		d.click("session name")
		d.xdotool("key", "ctrl+x")
		d.waitUntil("the text in the clipboard", func(windowState) bool {
			out, _ := exec.Command("xclip", "-selection", "clipboard", "-out").Output()
			return string(out) == edited
		})
		copying := exec.Command("xclip", "-selection", "clipboard")
		copying.Stdin = strings.NewReader("from-outside\n")
		if err := copying.Run(); err != nil {
			t.Fatal(err)
		}
		d.xdotool("type", "--delay", "25", "a-")
		d.waitFrames()
		d.xdotool("key", "ctrl+v")
		d.waitTicks(120) // xclip takes a while
		d.xdotool("key", "ctrl+z")
		d.waitFrames()
		d.xdotool("key", "ctrl+shift+z")
		d.waitFrames()
		d.savedSession("a-from-outside")
	} else {
		t.Log("xclip is not installed, so nothing is cut and pasted")
	}

	d.interrupt()
	for i, e := range d.readTape().Entries {
		for player, in := range e.Inputs {
			if in.Buttons != 0 {
				t.Errorf("tick %d, player %d: the keys %v have reached the game", i, player, in.Buttons)
			}
		}
		for _, c := range e.Commands {
			if i == 0 { // of the start
				continue
			}
			t.Errorf("tick %d: the keys have caused %v", i, c)
		}
	}
}

// slowDown lets the program draw one frame and then holds it, again and again, until the returned function is called,
// which reports the frames per second of that time.
func (d *windowDriver) slowDown(hold time.Duration) (stop func()) {
	d.t.Helper()
	quit, ended := make(chan struct{}), make(chan string)
	go func() {
		start, first := time.Now(), d.state().frame
		for {
			select {
			case <-quit:
				ended <- fmt.Sprintf("%.1f frames a second", float64(d.state().frame-first)/time.Since(start).Seconds())
				return
			default:
			}
			frame := d.state().frame
			d.cmd.Process.Signal(syscall.SIGSTOP)
			time.Sleep(hold)
			d.cmd.Process.Signal(syscall.SIGCONT)
			for range 1000 {
				if d.state().frame > frame {
					break
				}
				time.Sleep(time.Millisecond)
			}
		}
	}()
	return func() {
		close(quit)
		d.t.Log("slowed down to", <-ended)
	}
}

// savedSession saves the session under the name that was typed, and fails unless it is the wanted one.
func (d *windowDriver) savedSession(want string) {
	d.t.Helper()
	d.click("save session")
	d.waitFrames()
	folder := filepath.Join(d.outDir, "output", "sessions")
	list, err := os.ReadDir(folder)
	if err != nil {
		d.t.Fatal(err)
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Name())
	}
	if len(names) != 1 || names[0] != want+".toml" {
		d.t.Fatalf("the saved sessions are %q, want %q", names, want)
	}
	if err := os.Remove(filepath.Join(folder, names[0])); err != nil {
		d.t.Fatal(err)
	}
}
