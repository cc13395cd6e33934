package window

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ghostcube/assets"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/render/video"
	"ghostcube/sim"
	"ghostcube/ui/cli"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// runCommand runs the program's command line in a folder, as the worker of a page does.
func runCommand(t *testing.T, folder string, args ...string) string {
	t.Helper()
	t.Chdir(folder)
	var out, errors bytes.Buffer
	code := cli.Main(cli.Environment{Args: args, Stdout: &out, Stderr: &errors, Tapes: assets.Tapes, Traces: assets.Traces, Comparisons: assets.Comparisons, Lessons: assets.Lessons, Mechanisms: assets.Mechanisms})
	if code != 0 {
		t.Fatalf("%q: code %d: %s", args, code, &errors)
	}
	return out.String()
}

// TestVideoOfAnotherProgram promises that a video which another copy of the program writes from a tape, as a page has it
// written, is byte for byte the one that this copy writes: live with commands before the first tick and in the middle,
// and of the past, where the viewer has changed the display.
func TestVideoOfAnotherProgram(t *testing.T) {
	for name, scenario := range map[string]func(g *game, toggle func()){
		"live": func(g *game, toggle func()) {
			g.runTicks(t, 50)
			g.execute(lab.Command{Verb: "focus", Pane: 1})
			g.execute(stage.Show("split", "on"))
			g.runTicks(t, 20)
			g.localInputs = [2]sim.Input{{Buttons: sim.Forward}}
			g.nudgeServer()
			g.execute(stage.Show("yaw", "33.25"))
			toggle()
			g.execute(stage.Show("pitch", "40"))
			g.runTicks(t, 12)
			g.execute(lab.Command{Verb: "switch", Pane: 1, Name: "snapshot"})
			g.runTicks(t, 12)
			toggle()
		},
		"past": func(g *game, toggle func()) {
			g.runTicks(t, 40)
			g.execute(stage.Show("color", "age"))
			g.runTicks(t, 60)
			g.seekFully(60)
			g.execute(stage.Show("color", "player"))
			g.execute(stage.Show("yaw", "70"))
			toggle()
			g.runTicks(t, 20)
			toggle()
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			record := func(inPage bool, file string) (run *videoRun) {
				g := playSettings(t, plan.Settings{Panes: "rewind,noprediction", Network: "wifi-bad"})
				scenario(g, func() {
					f := video.Format{File: filepath.Join(folder, file), W: 320, H: 180, FPS: 60}
					switch {
					case !g.videos.recording() && inPage:
						g.inPage = true
						g.toggleRecording()
						run = g.videos.run
					case !g.videos.recording():
						g.toggleRecording()
					case inPage:
						run.prepare(&g.videos, f, "A title", false)
					default:
						if err := g.videos.stop(f, "A title", false); err != nil {
							t.Fatal(err)
						}
					}
				})
				if err := g.videos.waitAll(nil, io.Discard); err != nil {
					t.Fatal(err)
				}
				return run
			}
			record(false, "here.webm")
			run := record(true, "there.webm")
			if err := os.WriteFile(filepath.Join(folder, videoTape), run.tape.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			runCommand(t, folder, run.args...)
			here, err := os.ReadFile(filepath.Join(folder, "here.webm"))
			if err != nil {
				t.Fatal(err)
			}
			there, err := os.ReadFile(filepath.Join(folder, "there.webm"))
			if err != nil {
				t.Fatal(err)
			}
			if len(here) < 10000 || !bytes.Equal(here, there) {
				t.Errorf("%d bytes here, %d bytes there, and they differ", len(here), len(there))
			}
		})
	}
}

// TestTapeSoFar promises that the tape of a session that goes on is complete, and that it verifies: after a tick and
// commands that no tick has seen, after a second has passed, and while the past is shown. The session's own tape goes on
// undisturbed.
func TestTapeSoFar(t *testing.T) {
	g := newTestGame(t, "rewind", "snapshot")
	g.inPage = true
	g.deliverTape()
	if n := len(g.notices.list); n != 1 || !strings.Contains(g.notices.list[0].text, "no tick") {
		t.Errorf("notices %v", g.notices.list)
	}
	check := func(ticks int) {
		t.Helper()
		b, err := g.tapeSoFar()
		if err != nil {
			t.Fatal(err)
		}
		read, err := tape.Read(bytes.NewReader(b))
		if err != nil || read.Truncated || len(read.Entries) != ticks {
			t.Fatalf("%v: %d ticks, want %d: %s", err, len(read.Entries), ticks, b)
		}
		if last := read.HashChecks[len(read.HashChecks)-1]; last.Ticks != ticks {
			t.Errorf("the last hashes are of tick %d of %d", last.Ticks, ticks)
		}
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, videoTape), b, 0o666); err != nil {
			t.Fatal(err)
		}
		if out := runCommand(t, folder, "play", "--verify", videoTape); !strings.Contains(out, "match") {
			t.Error(out)
		}
	}
	g.runTicks(t, 1)
	check(1)
	g.localInputs = [2]sim.Input{{Buttons: sim.Forward}}
	g.runTicks(t, 30)
	g.nudgeServer() // on no tick yet
	check(31)
	g.runTicks(t, 29)
	check(60)
	g.runTicks(t, 43)
	g.seekFully(50)
	check(103)
	g.goLive()
	g.runTicks(t, 7)
	check(110)
	g.deliverTape()
	files, err := filepath.Glob(filepath.Join(g.OutDir, "tape-*.tape"))
	if err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}

// TestHiddenTab promises that a session stops while its tab is hidden and says so, that P lets it go on, and that a
// session which is paused or has not begun stays as it is.
func TestHiddenTab(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.pauseHidden(3 * time.Second)
	if g.paused || len(g.notices.list) != 0 {
		t.Error("a session that has not begun is paused")
	}
	g.runTicks(t, 10)
	g.accumulator = 0.9
	g.pauseHidden(0)
	if g.paused {
		t.Error("paused, though the tab was not hidden")
	}
	g.pauseHidden(12400 * time.Millisecond)
	if n := g.dueTicks(); !g.paused || n != 0 {
		t.Errorf("paused %v, %d ticks", g.paused, n)
	}
	if a := g.alert(); a != "paused: the tab was hidden for 12s (P resumes)" {
		t.Errorf("the header says %q", a)
	}
	g.paused = false // P
	if n := g.dueTicks(); n != 1 {
		t.Errorf("%d ticks after P", n)
	}
	g.paused = true
	g.pauseHidden(time.Second)
	if a := g.alert(); strings.Contains(a, "hidden") {
		t.Errorf("a paused session says %q", a)
	}
}

// TestWordsInPage promises that no text of the panel and no notice in a page speaks of a terminal or a folder, which a
// page does not have, and that the window on a desktop has none of the page's downloads.
func TestWordsInPage(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.inPage = true
	g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	g.runTicks(t, 10)
	var texts []string
	g.panel.ui.OnHelp = func(text string) { texts = append(texts, text) }
	for _, p := range pages() {
		g.openPage(t, p.name)
	}
	if cut := g.panel.ui.Cut(); len(cut) > 0 {
		t.Errorf("cut %q", cut)
	}
	g.openPage(t, "Compare")
	g.typeText(t, "preset name", "mine")
	g.click(t, "save preset")
	g.click(t, "download tape")
	g.click(t, "download preset")
	g.copyCommand()
	g.panel.copyText = func(string) error { return os.ErrPermission }
	g.copyCommand()
	for _, n := range g.notices.list {
		texts = append(texts, n.text)
	}
	if len(g.notices.list) != 4 || len(texts) < 100 {
		t.Errorf("%d texts, notices %v", len(texts), g.notices.list)
	}
	for _, text := range texts {
		text = strings.ReplaceAll(text, filepath.ToSlash(g.OutDir), "") // that of this test, which runs on a desktop
		if strings.Contains(text, "terminal") || strings.Contains(text, "folder") || strings.Contains(text, "ghostcube-out") {
			t.Errorf("a page says %q", text)
		}
	}
	g.click(t, "tab Score")
	g.inPage = false
	for _, p := range pages() {
		g.openPage(t, p.name)
		for _, c := range g.panel.controls {
			if strings.HasPrefix(c.name, "download") {
				t.Errorf("a window has %q", c.name)
			}
		}
	}
}

// TestPageRefusals promises that a page says why it writes no video of two takes, keeps a smaller past than a desktop, and
// drops the tape of a session that has ended.
func TestPageRefusals(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.inPage = true
	if g.memoryLimit() >= 400<<20 {
		t.Errorf("a page takes %d MiB", g.memoryLimit()>>20)
	}
	g.runTicks(t, 130)
	g.seekFully(60)
	g.nudgeServer() // begins a take
	g.runTicks(t, 10)
	g.toggleBeside()
	if g.beside.take == nil {
		t.Fatal("there is no other take")
	}
	g.toggleRecording()
	if last := g.notices.list[len(g.notices.list)-1].text; g.videos.recording() || !strings.Contains(last, "two takes") {
		t.Errorf("recording %v, notice %q", g.videos.recording(), last)
	}
	if err := g.endSession(); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(g.OutDir, "*.tape")); len(files) != 0 {
		t.Errorf("tapes of sessions that have ended: %v", files)
	}
	if err := g.startPlan(g.plan); err != nil || g.past.timeline.Budget != pageBudget {
		t.Errorf("%v, a budget of %d bytes", err, g.past.timeline.Budget)
	}
}
