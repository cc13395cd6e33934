//go:build e2e && !headless

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tapKey presses a key and releases it at once, so that no machine is slow enough for it to repeat.
func (d *windowDriver) tapKey(key string) {
	d.t.Helper()
	d.xdotool("key", key)
	d.waitFrames()
}

// focus presses Tab until a control of the panel has the keys.
func (d *windowDriver) focus(name string) {
	d.t.Helper()
	var seen []string
	for range 150 {
		d.tapKey("Tab")
		s := d.state()
		if s.focus == name {
			return
		}
		seen = append(seen, s.focus)
	}
	d.t.Fatalf("Tab does not lead to %q, but to %q", name, seen)
}

// photograph saves a picture of the window into the folder of pictures, if there is one. F12 does not reach a program whose
// panel has the keys.
func (d *windowDriver) photograph(name string) {
	d.t.Helper()
	folder := os.Getenv(tourFolder)
	if folder == "" {
		return
	}
	d.waitFrames()
	if out, err := exec.Command("import", "-window", d.windowID, filepath.Join(folder, name+".png")).CombinedOutput(); err != nil {
		d.t.Fatalf("%v: %s", err, out)
	}
}

// TestWindowKeyboard uses the panel without the mouse: it chooses a strategy, a smoothing factor and a latency, and records a
// video. No key reaches the game meanwhile, and all do afterwards.
func TestWindowKeyboard(t *testing.T) {
	d := startWindow(t, "--panes", "noprediction", "--network", "latency=50ms")
	d.tapKey("Tab")
	if s := d.state(); s.focus != "tab Compare" {
		t.Fatalf("Tab leads to %q", s.focus)
	}
	d.tapKey("Right")
	d.tapKey("Right") // page Strategy
	d.focus("strategy 1")
	d.tapKey("Return")
	for _, key := range []string{"r", "e", "w"} {
		d.tapKey(key)
	}
	d.photograph("keyboard-list")
	d.tapKey("Return")
	d.focus("smoothing")
	d.tapKey("s") // single
	d.tapKey("Return")
	d.focus("smooth-factor")
	d.tapKey("Right")
	d.tapKey("shift+Left")
	d.photograph("keyboard-slider")
	d.focus("smooth-factor number")
	d.tapKey("0")
	d.tapKey("period")
	d.tapKey("7")
	d.tapKey("Return")
	d.focus("tab Strategy")
	d.tapKey("Left") // page Network
	d.focus("latency")
	for range 3 {
		d.tapKey("Right")
	}
	d.focus("record")
	d.tapKey("space")
	d.waitTicks(30)
	d.tapKey("space")
	d.photograph("keyboard-record")
	d.tapKey("Escape")
	if s := d.state(); s.focus != "" {
		t.Errorf("after Escape %q has the keys", s.focus)
	}
	for _, key := range []string{"ctrl+r", "alt+1", "super+c", "ctrl+f"} { // the system's, not the lab's
		d.tapKey(key)
	}
	moved := d.state().tick
	d.holdKey("d", 20)
	out := d.interrupt()
	if n := len(d.outputFiles("video-*.*")); n != 1 {
		t.Errorf("%d videos, want 1: %s", n, out)
	}
	var commands []string
	last := map[string]string{}
	for tick, e := range d.readTape().Entries {
		for _, in := range e.Inputs {
			if in.Buttons != 0 && tick < moved {
				t.Fatalf("tick %d, before %d: a key of the panel is the input %v", tick, moved, in)
			}
		}
		for _, c := range e.Commands {
			commands = append(commands, c.String())
			last[c.Verb+" "+c.Name] = c.Value
		}
	}
	text := strings.Join(commands, "\n")
	if !slices.ContainsFunc(commands, func(c string) bool { return strings.Contains(c, "switch") && strings.Contains(c, "rewind") }) {
		t.Errorf("no switch to rewind:\n%s", text)
	}
	for _, c := range commands {
		if strings.HasPrefix(c, "nudge") || strings.Contains(c, "noprediction") || strings.HasPrefix(c, "show") && strings.Contains(c, "color") {
			t.Errorf("a key with Ctrl, Alt or Super has the effect %s", c)
		}
	}
	if last["set smoothing"] != "single" || last["set smooth-factor"] != "0.7" {
		t.Errorf("smoothing %q, factor %q:\n%s", last["set smoothing"], last["set smooth-factor"], text)
	}
	if !strings.Contains(text, "latency 80ms") {
		t.Errorf("the latency is not 50 + 3 x 10 ms:\n%s", text)
	}
}
