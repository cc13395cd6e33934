//go:build !headless

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// focus presses Tab until a control of the panel has the keys.
func (d *windowDriver) focus(name string) {
	d.t.Helper()
	var seen []string
	for range 150 {
		d.pressKey("Tab")
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
	d.pressKey("Tab")
	if s := d.state(); s.focus != "tab Compare" {
		t.Fatalf("Tab leads to %q", s.focus)
	}
	d.pressKey("Right")
	d.pressKey("Right") // page Strategy
	d.focus("strategy 1")
	d.pressKey("Return")
	for _, key := range []string{"r", "e", "w"} {
		d.pressKey(key)
	}
	d.photograph("keyboard-list")
	d.pressKey("Return")
	d.focus("smoothing")
	d.pressKey("s") // single
	d.pressKey("Return")
	d.focus("smooth-factor")
	d.pressKey("Right")
	d.pressKey("shift+Left")
	d.photograph("keyboard-slider")
	d.focus("smooth-factor number")
	d.pressKey("0")
	d.pressKey("period")
	d.pressKey("7")
	d.pressKey("Return")
	d.focus("tab Strategy")
	d.pressKey("Left") // page Network
	d.focus("latency")
	for range 3 {
		d.pressKey("Right")
	}
	d.focus("record")
	d.pressKey("space")
	d.waitTicks(30)
	d.pressKey("space")
	d.photograph("keyboard-record")
	d.pressKey("Escape")
	if s := d.state(); s.focus != "" {
		t.Errorf("after Escape %q has the keys", s.focus)
	}
	moved := d.state().tick
	d.holdKey("d", 20)
	out := d.interrupt()
	if len(d.outputFiles("video-*.*")) == 0 {
		t.Errorf("no video: %s", out)
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
	if last["set smoothing"] != "single" || last["set smooth-factor"] != "0.7" {
		t.Errorf("smoothing %q, factor %q:\n%s", last["set smoothing"], last["set smooth-factor"], text)
	}
	if !strings.Contains(text, "latency 80ms") {
		t.Errorf("the latency is not 50 + 3 x 10 ms:\n%s", text)
	}
}
