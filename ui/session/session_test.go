package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/sim"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/recorder"
	"ghostcube/ui/stage"
)

// TestSessionTape promises that a session writes a tape that replays to the same hashes with all its
// commands, that a tape whose end was never written lacks at most a second, and that the tape's own hash
// checks pass, also that of the last tick if commands follow it.
func TestSessionTape(t *testing.T) {
	g := newTestSession(t, "rewind", "noprediction")
	var hashes []uint64
	step := func(n int) {
		for range n {
			g.runTicks(t, 1)
			hashes = append(hashes, g.Lab.Hash())
		}
	}
	step(30)
	g.in.Inputs = [2]sim.Input{{Buttons: sim.Forward, Heading: 3}}
	step(50)
	g.Do(lab.Command{Verb: "switch", Pane: 1, Name: "rewind:lead=8"})
	g.Do(lab.Command{Verb: "set", Pane: 0, Name: "smoothing", Value: "none"})
	g.Do(lab.Command{Verb: "set", Pane: 0, Name: "no-such-knob", Value: "1"}) // refused, so not on the tape
	g.Controls.NudgeServer()
	step(37)
	g.Do(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "noprediction"})
	g.in.Inputs = [2]sim.Input{}
	step(40)

	name := g.tape.file.Part()
	check := func(when string, least int) {
		t.Helper()
		written := readTape(t, name)
		if n := len(written.Entries); n < least || n > len(hashes) {
			t.Fatalf("%s: the tape has %d of %d ticks", when, n, len(hashes))
		}
		verify(t, written, func(l *lab.Lab) {
			if n := l.Ticks(); l.Hash() != hashes[n-1] {
				t.Fatalf("%s: the tape differs from the session in tick %d", when, n-1)
			}
		})
		if n := len(written.Entries) / 60; len(written.HashChecks) < n || written.Version != "1.2.3" {
			t.Errorf("%s: %d checks in %d seconds, version %q", when, len(written.HashChecks), n, written.Version)
		}
		if checked := written.HashChecks[len(written.HashChecks)-1].Ticks == len(written.Entries); !written.Truncated && !checked {
			t.Errorf("%s: the last tick has no hashes", when)
		}
		for _, e := range written.Entries {
			if slices.ContainsFunc(e.Commands, func(c lab.Command) bool { return c.Name == "no-such-knob" }) {
				t.Errorf("%s: a refused command is on the tape", when)
			}
		}
	}
	check("without an end", len(hashes)-60)
	g.Controls.NudgeServer() // after the last tick, so not on the tape
	if err := g.Shutdown(nil); err != nil {
		t.Fatal(err)
	}
	name = strings.Replace(name, ".part", "", 1)
	check("at the end", len(hashes))
	if len(g.Notices.list) == 0 || !strings.Contains(g.Notices.list[0].text, "no-such-knob") {
		t.Errorf("no notice of the refused command: %v", g.Notices.list)
	}
}

// TestSessionTapeNames promises that two windows that start a session in the same second leave two whole tapes, and that a
// tape that could not be written to its end is left as far as it was.
func TestSessionTapeNames(t *testing.T) {
	g := newTestSession(t, "rewind")
	name := filepath.Join(g.OutDir, "session.tape")
	var names []string
	var list []*Tape
	for range 3 {
		f, err := atomicfile.CreateUnnamed(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, NewTape(f, "", g.Plan, g.Lab))
	}
	for range 60 {
		e := lab.Entry{Inputs: make([]sim.Input, 1)}
		if err := g.Lab.Tick(e); err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			if err := x.Add(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	list[2].err = errors.New("the disk is full")
	for i, x := range list {
		got, err := x.keep()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.Base(got))
		if read := readTape(t, got); len(read.Entries) != 60 || read.Truncated != (i == 2) {
			t.Errorf("%s: %d ticks, truncated %v", got, len(read.Entries), read.Truncated)
		}
	}
	if want := "session.tape session-2.tape session.part-3.tape"; strings.Join(names, " ") != want {
		t.Errorf("the tapes are %q, want %s", names, want)
	}
}

// TestPanelStartsTheSessionOfTheFlag says that a comparison that is chosen in the panel is
// the session that --compare starts, whatever went on before: both leave the same tape,
// with its rate, its seed, its commands and its hashes.
func TestPanelStartsTheSessionOfTheFlag(t *testing.T) {
	experiment.Skip(t)
	tapeOf := func(g *testSession) string {
		g.runTicks(t, 330)
		name := g.tape.file.Name()
		if err := g.Shutdown(nil); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	// At 64 ticks a second with forced faults, from a tape with a command, from the host's
	// seat, with two players.
	for _, name := range []string{"csp-smoothing", "lockstep-timeout", "lockstep-delay", "lag-compensation"} {
		want := tapeOf(playSettings(t, plan.Settings{Compare: name}))
		g := playSettings(t, plan.Settings{Panes: "noprediction,snapshot,rewind,lockstep", Seed: "9", Fault: "skew=500", Rate: "50", FaultEvery: time.Second})
		g.runTicks(t, 90)
		g.Do(lab.Command{Verb: "focus", Pane: 3})
		g.Controls.FreezeClients()
		g.TakeOver()
		g.in.Shot = sim.Shot{Fired: true}
		g.StartComparison(name)
		g.startNext(t)
		if g.Title == "" {
			t.Errorf("%s: it has no title", name)
		}
		if got := tapeOf(g); got != want {
			t.Errorf("%s: from the panel the tape is\n%.600s\nand from the flag\n%.600s", name, got, want)
		}
		if tapes, _ := filepath.Glob(filepath.Join(g.OutDir, "session-*.tape")); len(tapes) != 2 {
			t.Errorf("%s: the two sessions left the tapes %v", name, tapes)
		}
	}
}

// TestVideoSpan promises that a video has exactly the ticks between start and stop, that commands before the
// start are not applied twice, and that the session does not change by being recorded.
func TestVideoSpan(t *testing.T) {
	experiment.Skip(t)
	alone, g := newTestSession(t, "rewind", "noprediction"), newTestSession(t, "rewind", "noprediction")
	for _, g := range []*testSession{alone, g} {
		g.runTicks(t, 100)
		g.in.Inputs = [2]sim.Input{{Buttons: sim.Forward}}
		g.Controls.NudgeServer()
		if g != alone {
			g.Videos.start(g.Lab, g.Lab.Fork(), &g.HUD, g.Past.Timeline.Take(), len(g.newCommands))
		}
		g.Do(stage.Show("yaw", "40"))
		g.runTicks(t, 77)
	}
	if len(g.Videos.entries) != 77 {
		t.Fatalf("the recording has %d ticks", len(g.Videos.entries))
	}
	job := &recorder.Job{Lab: g.Videos.lab, Stage: g.Videos.hud, Entries: g.Videos.entries,
		Format: video.Format{File: filepath.Join(g.OutDir, "f%05d.png"), W: 160, H: 90, FPS: 60}}
	over := make(chan error)
	go func() { // while the session goes on
		r, err := recorder.Record(job)
		if err == nil && r.FrameCount != 77 {
			err = fmt.Errorf("%d frames", r.FrameCount)
		}
		over <- err
	}()
	want := g.Lab.Hash()
	var f hud.Frame
	for range 30 {
		g.runTicks(t, 1)
		alone.runTicks(t, 1)
		g.HUD.Compose(&f, g.Lab, stage.Rect{W: 320, H: 180}, hud.Options{}, 0.5)
	}
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	if got := job.Lab.Hash(); got != want {
		t.Errorf("the video ended on %#x, the session was at %#x", got, want)
	}
	if g.Lab.Hash() != alone.Lab.Hash() {
		t.Error("the session changed by being recorded")
	}
	files, err := filepath.Glob(filepath.Join(g.OutDir, "f*.png"))
	if err != nil || len(files) != 77 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestUnusedFilenames promises that files of the same second do not overwrite each other, nor queued Videos.
func TestUnusedFilenames(t *testing.T) {
	experiment.Skip(t)
	g := newTestSession(t, "rewind")
	g.runTicks(t, 1)
	names := map[string]bool{}
	for range 4 {
		n := g.Files.UnusedName("screenshot", ".png")
		if names[n] {
			t.Fatalf("%s twice", n)
		}
		names[n] = true
		if err := os.WriteFile(n, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		g.Videos.Toggle()
		g.runTicks(t, 2)
		g.Videos.Toggle()
	}
	if err := g.Videos.WaitAll(nil, io.Discard); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(g.OutDir, "video-*"))
	if len(files) != 3 {
		t.Errorf("three videos are %v", files)
	}
}

// TestEmptyVideo promises a notice for a video without ticks.
func TestEmptyVideo(t *testing.T) {
	experiment.Skip(t)
	g := newTestSession(t, "rewind")
	g.runTicks(t, 3)
	g.Videos.Toggle()
	g.Videos.Toggle()
	if len(g.Notices.list) != 1 || !strings.Contains(g.Notices.list[0].text, "no ticks") {
		t.Errorf("notices %v", g.Notices.list)
	}
	if g.Videos.current != nil || g.Videos.Recording() {
		t.Error("an empty video is being written")
	}
}

// TestTakeOver promises that the tape drives the session until a key does, and that regular faults stop
// meanwhile.
func TestTakeOver(t *testing.T) {
	g := playSettings(t, plan.Settings{Tape: writeTape(t, "1000 A\nend 1000\n"), FaultEvery: time.Second / 3})
	g.runTicks(t, 40)
	if g.LastInput.Buttons != sim.Left || len(g.Notices.list) != 0 {
		t.Errorf("with the tape: input %v, notices %v", g.LastInput, g.Notices.list)
	}
	g.TakeOver()
	g.in.Inputs = [2]sim.Input{{Buttons: sim.Right}}
	g.runTicks(t, 1)
	if g.LastInput.Buttons != sim.Right || g.Playing() {
		t.Errorf("after the tape: input %v", g.LastInput)
	}
}

// TestReadOnlyOutput promises that a session whose output folder cannot be created runs and ends without an
// error, and that one notice says that it has no tape.
func TestReadOnlyOutput(t *testing.T) {
	g := newTestSession(t, "rewind")
	file := filepath.Join(g.OutDir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	g.OutDir = filepath.Join(file, "below")
	g.runTicks(t, 130)
	g.Controls.NudgeServer()
	g.runTicks(t, 2)
	if n := g.Notices.list; len(n) != 1 || !strings.Contains(n[0].text, "no tape") {
		t.Errorf("notices %v", n)
	}
	if err := g.Shutdown(nil); err != nil {
		t.Error(err)
	}
}

// TestInterruptEndsVideos promises that the program says after its window has closed which videos it still
// writes, and that an interrupt ends the present one with what there is of it and drops the next.
func TestInterruptEndsVideos(t *testing.T) {
	experiment.Skip(t)
	g := newTestSession(t, "rewind")
	var files []string
	for range 2 {
		g.Videos.start(g.Lab, g.Lab.Fork(), &g.HUD, g.Past.Timeline.Take(), len(g.newCommands))
		g.runTicks(t, 600)
		files = append(files, filepath.Join(g.OutDir, fmt.Sprintf("video%d-%%03d.png", len(files))))
		if err := g.Videos.stop(video.Format{File: files[len(files)-1], W: 640, H: 360, FPS: 60}, "", false); err != nil {
			t.Fatal(err)
		}
	}
	interrupt := make(chan os.Signal, 1)
	interrupt <- os.Interrupt
	var out strings.Builder
	if err := g.Videos.WaitAll(interrupt, &out); err != nil {
		t.Fatal(err)
	}
	first, _ := filepath.Glob(filepath.Join(g.OutDir, "video0-*.png"))
	second, _ := filepath.Glob(filepath.Join(g.OutDir, "video1-*.png"))
	if len(first) >= 600 || len(second) != 0 {
		t.Errorf("%d and %d frames", len(first), len(second))
	}
	if !strings.Contains(out.String(), "2 videos left to write") {
		t.Errorf("it printed %q", out.String())
	}
	if m := g.Videos.messages; len(m) != 2 || !strings.Contains(strings.Join(m, " "), "not written: ") {
		t.Errorf("messages %q", m)
	}
}

// TestFooterOfATape promises that the footer says how far the tape is and how long.
func TestFooterOfATape(t *testing.T) {
	g := playSettings(t, plan.Settings{Tape: "circle"})
	g.runTicks(t, 90)
	if s := g.Footer(); !strings.HasPrefix(s, "tape circle, 1.5 of 6") {
		t.Errorf("the footer is %q", s)
	}
}

// TestComparisonShowsItsMoment promises that a comparison chosen in the panel plays from shortly before its moment, that it
// has the same world there as one that ran all the way, and that a reset plays it from its start.
func TestComparisonShowsItsMoment(t *testing.T) {
	experiment.Skip(t)
	g := newTestSession(t, "rewind")
	g.ShowComparison("csp-smoothing")
	g.startNext(t)
	rate, moment := g.Plan.Config.Rate, g.Plan.Comparison.Moment
	for g.RunUp > 0 {
		if err := g.MakeRunUp(func() bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	if at := float64(g.Lab.Ticks()) / float64(rate); g.Paused || at > moment-1 || at < moment-2 || g.Title == "" {
		t.Errorf("the comparison is shown from %.2f s, its moment is %v s; paused %v, title %q", at, moment, g.Paused, g.Title)
	}
	all := playSettings(t, plan.Settings{Compare: "csp-smoothing"})
	all.runTicks(t, int(g.Lab.Ticks()))
	if g.Lab.Hash() != all.Lab.Hash() {
		t.Error("its world is another one than that of a session that ran all the way")
	}
	for _, before := range []string{"nothing", "csp-smoothing"} {
		g.ShowComparison(before)
		g.StartComparison("csp-smoothing")
		g.startNext(t)
		if g.RunUp != 0 {
			t.Errorf("chosen after the moment of %s, a comparison runs up to tick %d", before, g.RunUp)
		}
	}
	g.Reset()
	g.startNext(t)
	if g.Lab.Ticks() != 0 || g.RunUp != 0 || g.Paused {
		t.Errorf("after a reset: tick %d, run-up to %d, paused %v", g.Lab.Ticks(), g.RunUp, g.Paused)
	}
}

// TestWrittenVideoIsPrinted promises that the terminal has the name of a video as soon as it has been written, and once.
func TestWrittenVideoIsPrinted(t *testing.T) {
	g := newTestSession(t, "rewind")
	v := &g.Videos
	v.start(g.Lab, g.Lab.Fork(), &g.HUD, g.Past.Timeline.Take(), len(g.newCommands))
	g.runTicks(t, 4)
	if err := v.stop(video.Format{File: filepath.Join(g.OutDir, "video-%03d.png"), W: 64, H: 64, FPS: 60}, "", false); err != nil {
		t.Fatal(err)
	}
	<-v.current.finished
	if message := v.Poll(); !strings.HasPrefix(message, "video: ") || v.printed != 1 {
		t.Errorf("the message %q, %d printed", message, v.printed)
	}
	var out strings.Builder
	if v.print(&out); out.Len() != 0 {
		t.Errorf("printed again: %q", out.String())
	}
}
