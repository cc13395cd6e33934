//go:build e2e && !headless

package e2e

import (
	"fmt"
	"image"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// randomKeys are the keys that TestWindowRandomOperations presses, as xdotool names them. Those of videos, which
// take long to write, are apart.
var randomKeys = strings.Fields("w a s d space z q comma period e Up Down Left Right Return shift+Tab Tab " +
	"0 1 2 3 4 5 6 7 8 9 KP_5 f b shift+b x m j BackSpace " +
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
	d.waitFrames()
	d.xdotool("key", "Escape")                                          // the list of keys, if it is shown, would take the next press
	if _, offered := d.waitFrames().controls["tour not now"]; offered { // the offer takes a line for 45 s
		d.tap("tour not now")
	}
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
	before := d.state().restarts
	d.tap("compare " + name)
	// It runs up to a second and a half before its moment, which is 8 s in those that are chosen. Escape would stop it.
	d.waitUntil("comparison at its moment", func(s windowState) bool { return s.restarts > before && s.tick >= 385 })
	d.xdotool("key", "Escape")
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
	operate(800)
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
	for _, page := range [][2]string{{"Compare", "filter comparisons"}, {"Session", "scene"}, {"Network", "latency"}, {"Strategy", "strategy 1"},
		{"Corrections", "collapse"}, {"Score", "collapse"}, {"View", "ghosts"}} {
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
