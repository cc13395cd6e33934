package window

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/assets"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/render"
	"ghostcube/render/video"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/recorder"
	"ghostcube/ui/stage"
)

// newTestGame returns a game without a window.
func newTestGame(t *testing.T, panes ...string) *game {
	t.Helper()
	return playSettings(t, plan.Settings{Panes: strings.Join(panes, ",")})
}

// playSettings returns a game of a session.
func playSettings(t *testing.T, s plan.Settings) *game {
	t.Helper()
	library := &plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons}
	p, err := library.New(s, plan.Settings{}, "")
	if err != nil {
		t.Fatal(err)
	}
	g := &game{Options: Options{Plan: p, OutDir: t.TempDir(), Version: "1.2.3"}}
	g.PlanComparison = func(name string) (*plan.Plan, error) {
		return library.New(plan.Settings{Compare: name}, plan.Settings{}, "")
	}
	if err := g.startPlan(p); err != nil {
		t.Fatal(err)
	}
	return g
}

// writeTape writes a tape of a scene without a network, and returns its file.
func writeTape(t *testing.T, lines string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hand.tape")
	if err := os.WriteFile(name, []byte("ghostcube tape 2\nscene zen\nnetwork perfect\n---\n"+lines), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// runTicks makes ticks with the present inputs.
func (g *game) runTicks(t *testing.T, n int) {
	t.Helper()
	for range n {
		if err := g.tick(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTwoPlayers promises that the second player's keys belong to that player where there are two, and to the
// first one where there is one.
func TestTwoPlayers(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.setButtons(sim.Forward, sim.Left)
	g.runTicks(t, 1)
	if g.lastInput.Buttons != sim.Forward|sim.Left {
		t.Errorf("the only player has the input %v", g.lastInput)
	}
	g.execute(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: "two-players"})
	g.execute(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "perfect"})
	g.setButtons(sim.Right, sim.Left)
	g.runTicks(t, 60)
	b := g.lab.Panes[0].ServerWorld.Bodies()
	if b[0].Pose.Pos.X < -5.8 || b[1].Pose.Pos.X > 5.8 {
		t.Errorf("the players went to %v and %v", b[0].Pose.Pos, b[1].Pose.Pos)
	}
}

// TestStick holds the buttons of stick positions.
func TestStick(t *testing.T) {
	for _, c := range []struct {
		x, y float64
		want sim.Buttons
	}{
		{0, 0, 0}, {0.3, 0.3, 0}, {0.2, -0.2, 0},
		{1, 0, sim.Right}, {-1, 0, sim.Left}, {0, -1, sim.Forward}, {0, 1, sim.Back},
		{0.7, -0.7, sim.Right | sim.Forward}, {-0.7, 0.7, sim.Left | sim.Back},
		{0.95, -0.3, sim.Right}, {0.3, 0.95, sim.Back},
	} {
		if got := stickButtons(c.x, c.y); got != c.want {
			t.Errorf("the stick at %g, %g presses %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// TestHeading promises that forward is the direction of the camera to half a step of the heading, for any yaw.
func TestHeading(t *testing.T) {
	for yaw := -725.0; yaw < 725; yaw += 0.37 {
		got := float64(cameraHeading(yaw)) * 360 / sim.HeadingSteps
		off := math.Mod(got-yaw+1080+180, 360) - 180
		if math.Abs(off) > 180.0/sim.HeadingSteps+1e-9 {
			t.Fatalf("a camera with yaw %g has the heading %g", yaw, got)
		}
	}
}

// TestSessionTape promises that a session writes a tape that replays to the same hashes with all its
// commands, that a tape whose end was never written lacks at most a second, and that the tape's own hash
// checks pass, also that of the last tick if commands follow it.
func TestSessionTape(t *testing.T) {
	g := newTestGame(t, "rewind", "noprediction")
	var hashes []uint64
	step := func(n int) {
		for range n {
			g.runTicks(t, 1)
			hashes = append(hashes, g.lab.Hash())
		}
	}
	step(30)
	g.localInputs = [2]sim.Input{{Buttons: sim.Forward, Heading: 3}}
	step(50)
	g.execute(lab.Command{Verb: "switch", Pane: 1, Name: "rewind:lead=8"})
	g.execute(lab.Command{Verb: "set", Pane: 0, Name: "smoothing", Value: "none"})
	g.execute(lab.Command{Verb: "set", Pane: 0, Name: "no-such-knob", Value: "1"}) // refused, so not on the tape
	g.nudgeServer()
	step(37)
	g.execute(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "noprediction"})
	g.localInputs = [2]sim.Input{}
	step(40)

	name := g.sessionTape.name
	check := func(when string, least int) {
		t.Helper()
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		written, err := tape.Read(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v\n%s", when, err, data)
		}
		if n := len(written.Entries); n < least || n > len(hashes) {
			t.Fatalf("%s: the tape has %d of %d ticks", when, n, len(hashes))
		}
		l, err := written.NewLab()
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for i, e := range written.Entries {
			if err := l.Tick(e); err != nil {
				t.Fatal(err)
			}
			if l.Hash() != hashes[i] {
				t.Fatalf("%s: the tape differs from the session in tick %d", when, i)
			}
			if next < len(written.HashChecks) && written.HashChecks[next].Ticks == i+1 {
				if err := written.Verify(l, next); err != nil {
					t.Errorf("%s: %v", when, err)
				}
				next++
			}
		}
		if n := len(written.Entries) / 60; next < n || len(written.HashChecks) != next || written.Version != "1.2.3" {
			t.Errorf("%s: %d of %d checks in %d seconds, version %q", when, next, len(written.HashChecks), n, written.Version)
		}
		if checked := written.HashChecks[len(written.HashChecks)-1].Ticks == len(written.Entries); !written.Truncated && !checked {
			t.Errorf("%s: the last tick has no hashes", when)
		}
		if strings.Contains(string(data), "no-such-knob") {
			t.Errorf("%s: a refused command is on the tape", when)
		}
	}
	check("without an end", len(hashes)-60)
	g.nudgeServer() // after the last tick, so not on the tape
	if err := g.shutdown(); err != nil {
		t.Fatal(err)
	}
	check("at the end", len(hashes))
	if len(g.notices.list) == 0 || !strings.Contains(g.notices.list[0].text, "no-such-knob") {
		t.Errorf("no notice of the refused command: %v", g.notices.list)
	}
}

// TestPanelStartsTheSessionOfTheFlag says that a comparison that is chosen in the panel is
// the session that --compare starts, whatever went on before: both leave the same tape,
// with its rate, its seed, its commands and its hashes.
func TestPanelStartsTheSessionOfTheFlag(t *testing.T) {
	tapeOf := func(g *game) string {
		g.runTicks(t, 330)
		name := g.sessionTape.name
		if err := g.shutdown(); err != nil {
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
	for _, name := range []string{"csp-smoothing", "statesync-outage", "lockstep-delay", "lag-compensation"} {
		want := tapeOf(playSettings(t, plan.Settings{Compare: name}))
		g := playSettings(t, plan.Settings{Panes: "noprediction,snapshot,rewind,lockstep", Seed: "9", Fault: "skew=500", Rate: "50", FaultEvery: time.Second})
		g.runTicks(t, 90)
		g.execute(lab.Command{Verb: "focus", Pane: 3})
		g.freezeClients()
		g.shoot(sim.Shot{Fired: true})
		g.startComparison(name)
		if err := g.applyPanel(); err != nil {
			t.Fatal(err)
		}
		if g.title == "" {
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
	alone, g := newTestGame(t, "rewind", "noprediction"), newTestGame(t, "rewind", "noprediction")
	for _, g := range []*game{alone, g} {
		g.runTicks(t, 100)
		g.localInputs = [2]sim.Input{{Buttons: sim.Forward}}
		g.nudgeServer()
		if g != alone {
			g.videos.start(g.lab, &g.stage, len(g.newCommands))
		}
		g.execute(stage.Show("yaw", "40"))
		g.runTicks(t, 77)
	}
	if len(g.videos.entries) != 77 {
		t.Fatalf("the recording has %d ticks", len(g.videos.entries))
	}
	job := &recorder.Job{Lab: g.videos.lab, Stage: g.videos.stage, Entries: g.videos.entries,
		Format: video.Format{File: filepath.Join(g.OutDir, "f%05d.png"), W: 160, H: 90, FPS: 60}}
	over := make(chan error)
	go func() { // while the session goes on
		r, err := recorder.Record(job)
		if err == nil && r.FrameCount != 77 {
			err = fmt.Errorf("%d frames", r.FrameCount)
		}
		over <- err
	}()
	want := g.lab.Hash()
	var f stage.Frame
	for range 30 {
		g.runTicks(t, 1)
		alone.runTicks(t, 1)
		g.stage.Compose(&f, g.lab, stage.Rect{W: 320, H: 180}, stage.Options{}, 0.5)
	}
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	if got := job.Lab.Hash(); got != want {
		t.Errorf("the video ended on %#x, the session was at %#x", got, want)
	}
	if g.lab.Hash() != alone.lab.Hash() {
		t.Error("the session changed by being recorded")
	}
	files, err := filepath.Glob(filepath.Join(g.OutDir, "f*.png"))
	if err != nil || len(files) != 77 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestUnusedFilenames promises that files of the same second do not overwrite each other, nor queued videos.
func TestUnusedFilenames(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.runTicks(t, 1)
	names := map[string]bool{}
	for range 4 {
		n := g.unusedFilename("screenshot", ".png")
		if names[n] {
			t.Fatalf("%s twice", n)
		}
		names[n] = true
		if err := os.WriteFile(n, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		g.toggleRecording()
		g.runTicks(t, 2)
		g.toggleRecording()
	}
	if err := g.videos.waitAll(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(g.OutDir, "video-*"))
	if len(files) != 3 {
		t.Errorf("three videos are %v", files)
	}
}

// TestEmptyVideo promises a notice for a video without ticks.
func TestEmptyVideo(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.runTicks(t, 3)
	g.toggleRecording()
	g.toggleRecording()
	if len(g.notices.list) != 1 || !strings.Contains(g.notices.list[0].text, "no ticks") {
		t.Errorf("notices %v", g.notices.list)
	}
	if g.videos.current != nil || g.videos.recording() {
		t.Error("an empty video is being written")
	}
}

// TestDueTicks holds the ticks per Update: one at full speed, fewer in slow motion, none or single steps
// while paused.
func TestDueTicks(t *testing.T) {
	g := newTestGame(t, "rewind")
	count := func(updates int) (n int) {
		for range updates {
			n += g.dueTicks()
		}
		return n
	}
	if n := count(60); n != 60 {
		t.Errorf("%d ticks in 60 updates", n)
	}
	g.scaleSpeed(0.5)
	g.scaleSpeed(0.5)
	if n := count(60); n != 15 {
		t.Errorf("%d ticks at speed 0.25", n)
	}
	for range 9 {
		g.scaleSpeed(0.5)
	}
	if s := g.settings().Speed; s != 1./16 {
		t.Errorf("the slowest is %g", s)
	}
	for range 9 {
		g.scaleSpeed(2)
	}
	if s := g.settings().Speed; s != 1 {
		t.Errorf("the fastest is %g", s)
	}
	g.paused = true
	if n := count(60); n != 0 {
		t.Errorf("%d ticks while paused", n)
	}
	g.pendingSteps = 2
	if n := count(60); n != 2 {
		t.Errorf("%d ticks for two steps", n)
	}
}

// TestTakeOver promises that the tape drives the session until a key does, and that regular faults stop
// meanwhile.
func TestTakeOver(t *testing.T) {
	g := playSettings(t, plan.Settings{Tape: writeTape(t, "1000 A\nend 1000\n"), FaultEvery: time.Second / 3})
	g.runTicks(t, 40)
	if g.lastInput.Buttons != sim.Left || len(g.notices.list) != 0 {
		t.Errorf("with the tape: input %v, notices %v", g.lastInput, g.notices.list)
	}
	g.takeOver()
	g.localInputs = [2]sim.Input{{Buttons: sim.Right}}
	g.runTicks(t, 1)
	if g.lastInput.Buttons != sim.Right || g.tapePlaying() {
		t.Errorf("after the tape: input %v", g.lastInput)
	}
}

// TestNumberText holds the numbers beside graphs, which never have an exponent.
func TestNumberText(t *testing.T) {
	for v, want := range map[float32]string{0: "0", 0.004: "0", 0.126: "0.13", 5: "5", 1.5: "1.5", 12.34: "12.3", 196: "196", 23600: "23600", -4.25: "-4.25"} {
		if got := numberText(v); got != want {
			t.Errorf("%v becomes %s, want %s", v, got, want)
		}
	}
}

// TestReadmeListsKeys promises that the README's table of keys is the list that F1 shows.
func TestReadmeListsKeys(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	table := "| key | does |\n|---|---|\n"
	for _, row := range keyHelp() {
		if row[0] != "" {
			table += "| " + row[0] + " | " + row[1] + " |\n"
		}
	}
	if !bytes.Contains(readme, []byte(table+"\n")) {
		t.Errorf("the README lacks this table:\n%s", table)
	}
}

// TestBindings promises that no key does two things, that a row's label names its letters, and that a row
// which reacts to keys has some.
func TestBindings(t *testing.T) {
	seen := map[ebiten.Key]string{}
	use := func(b *binding, k ebiten.Key, named bool) {
		if other, ok := seen[k]; ok {
			t.Errorf("%v belongs to %q and to %q", k, other, b.label)
		}
		seen[k] = b.label
		if name := k.String(); named && len(name) == 1 && !strings.Contains(b.label, name) {
			t.Errorf("the label %q does not name %s", b.label, name)
		}
	}
	for _, group := range bindings {
		for i := range group {
			b := &group[i]
			for _, k := range b.keys {
				use(b, k, true)
			}
			for _, k := range b.hold {
				use(b, k.key, true)
				use(b, k.second, false)
			}
			if b.label == "" || b.help == "" || (b.press == nil) != (len(b.keys) == 0) {
				t.Errorf("the row %q, %q has %d keys", b.label, b.help, len(b.keys))
			}
		}
	}
}

// TestDisplayKeys promises that the key of every display setting changes it, that Shift goes back, and that a
// whole round of presses restores it.
func TestDisplayKeys(t *testing.T) {
	g := newTestGame(t, "rewind")
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		if d.Key == "" {
			continue
		}
		value := func() string {
			show := g.settings()
			return d.Value(&show)
		}
		first := value()
		for k := range d.Options() {
			before := value()
			g.cycleSetting(d, false)
			after := value()
			g.cycleSetting(d, true)
			if after == before || value() != before {
				t.Errorf("%s: press %d sets %s to %s, and Shift sets %s", d.Name, k, before, after, value())
			}
			g.cycleSetting(d, false)
		}
		if value() != first {
			t.Errorf("%s: %s becomes %s in a whole round", d.Name, first, value())
		}
	}
}

// TestHelpFits promises that the list of keys lies inside the picture of usual windows.
func TestHelpFits(t *testing.T) {
	for _, place := range []stage.Rect{{W: 950, H: 720}, {W: 1280, H: 720}, {W: 1590, H: 1080}, {W: 900, H: 600}} {
		var l render.DrawList
		drawHelp(&l, place)
		for _, it := range l.Items {
			if it.X < 0 || it.Y < 0 || it.X+max(it.W, it.Font.Width(it.Text)) > float32(place.W) || it.Y+it.H > float32(place.H) {
				t.Errorf("%v: %q lies at %v, %v", place, it.Text, it.X, it.Y)
			}
		}
	}
}

// TestWrapText promises that texts break between words at the width, and end with an ellipsis after the last
// line.
func TestWrapText(t *testing.T) {
	f := render.Font{Size: 12}
	text := strings.Repeat("the server steps every tick ", 12)
	got := wrapText(f, text, 200, 4)
	if len(got) != 4 || !strings.HasSuffix(got[3], "…") {
		t.Errorf("%q", got)
	}
	for _, l := range got {
		if f.Width(l) > 200 {
			t.Errorf("%q has the width %g", l, f.Width(l))
		}
	}
	if got := wrapText(f, "short", 200, 4); len(got) != 1 || got[0] != "short" {
		t.Errorf("%q", got)
	}
}

// TestSelectCorrection promises that selecting a correction pauses the session and makes a callout for its
// body, until the session resumes, the same correction is selected again, or its pane is closed.
func TestSelectCorrection(t *testing.T) {
	g := newTestGame(t, "noprediction", "rewind")
	g.execute(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "latency=75ms"})
	g.runTicks(t, 100)
	g.nudgeServer()
	g.runTicks(t, 30)
	pane := g.lab.Panes[1]
	n := pane.Corrections.Total() - 1
	if n < 0 {
		t.Fatal("no correction")
	}
	if g.callout() != nil {
		t.Error("a callout without a selection")
	}
	g.toggleSelection(pane, 0)
	m := g.callout()
	if !g.paused || m == nil || m.Pane != 1 || m.Body != 0 || !strings.Contains(m.Lines[0], "body 0 was off in its position by 1 m") ||
		!strings.Contains(m.Lines[1], "Received in packet 100 of tick 101, sent at 1.667 s") || !strings.Contains(m.Lines[3], "unknown") {
		t.Fatalf("%+v", m)
	}
	g.toggleSelection(pane, 0)
	if g.callout() != nil || !g.paused {
		t.Error("a second click does not clear the selection")
	}
	g.toggleSelection(pane, 0)
	g.paused = false
	if g.callout() != nil {
		t.Error("a callout while the session runs")
	}
	g.toggleSelection(pane, 0)
	g.execute(lab.Command{Verb: "close", Pane: 1})
	if g.callout() != nil {
		t.Error("a callout after its pane was closed")
	}
}

// TestClockFaults promises that keys cycle through the faults of the clients' clocks, that a freeze reaches
// all panes, and that faults of the options come once in their tick, with and without a tape.
func TestClockFaults(t *testing.T) {
	g := newTestGame(t, "rewind", "noprediction")
	for _, want := range []string{"500", "-500", "off", "500"} {
		if g.cycleClock("skew"); g.clockSetting("skew") != want {
			t.Errorf("skew %s, want %s", g.clockSetting("skew"), want)
		}
	}
	for _, want := range []string{"20", "144", "off"} {
		if g.cycleClock("fps"); g.clockSetting("fps") != want {
			t.Errorf("fps %s, want %s", g.clockSetting("fps"), want)
		}
	}
	g.freezeClients()
	for i, p := range g.lab.Panes {
		if got := p.DescribeClockFaults(); got != "skew +500 ppm, frozen" {
			t.Errorf("pane %d: %q", i, got)
		}
	}
	for _, tape := range []int{0, 5, 100} {
		s := plan.Settings{Fault: "nudge=1@66ms"}
		if tape > 0 {
			s.Tape = writeTape(t, fmt.Sprintf("%d\nend %d\n", tape, tape))
		}
		g := playSettings(t, s)
		g.runTicks(t, 4)
		before := g.lab.Panes[0].ServerWorld.Bodies()[0].Pose.Pos.X
		g.runTicks(t, 20)
		if by := g.lab.Panes[0].ServerWorld.Bodies()[0].Pose.Pos.X - before; by < 0.9 || by > 1.1 {
			t.Errorf("with a tape of %d ticks: moved by %v m", tape, by)
		}
	}
}

// TestShoot promises that a shot is in the input of the next tick and in no other, that it stops a tape as a
// key does, and that straight ahead is the direction of the camera.
func TestShoot(t *testing.T) {
	g := playSettings(t, plan.Settings{Panes: "rewind,snapshot", Network: "bursty", Tape: writeTape(t, "1000\nend 1000\n")})
	g.runTicks(t, 100)
	g.shoot(sim.Shot{Fired: true, Yaw: 77})
	if g.tapePlaying() {
		t.Error("the tape still plays")
	}
	g.setButtons(sim.Forward, 0)
	g.runTicks(t, 1)
	if !g.lastInput.Shot.Fired || g.lastInput.Shot.Yaw != 77 || g.lastInput.Buttons != sim.Forward {
		t.Errorf("the next tick has %+v", g.lastInput)
	}
	g.runTicks(t, 60)
	if g.lastInput.Shot.Fired {
		t.Errorf("a later tick has %+v", g.lastInput)
	}
	for i, p := range g.lab.Panes {
		if p.Shots.Total() != 1 || p.Shots.At(0).ResolvedTick == 0 {
			t.Errorf("pane %d: %d shots", i, p.Shots.Total())
		}
	}
	for yaw, want := range map[float64]uint16{0: 0, 90: sim.AimSteps / 4, -90: 3 * sim.AimSteps / 4, 180: sim.AimSteps / 2} {
		if s := levelShot(yaw); s.Yaw != want || s.Pitch != 0 || !s.Fired {
			t.Errorf("a camera with yaw %v shoots %+v", yaw, s)
		}
	}
}

// TestDigitKeys promises the keys 1 to 9 above the letters, then those of the number pad.
func TestDigitKeys(t *testing.T) {
	list := digitKeys()
	want := keys{ebiten.KeyDigit1, ebiten.KeyDigit2, ebiten.KeyDigit3, ebiten.KeyDigit4, ebiten.KeyDigit5, ebiten.KeyDigit6, ebiten.KeyDigit7, ebiten.KeyDigit8, ebiten.KeyDigit9,
		ebiten.KeyNumpad1, ebiten.KeyNumpad2, ebiten.KeyNumpad3, ebiten.KeyNumpad4, ebiten.KeyNumpad5, ebiten.KeyNumpad6, ebiten.KeyNumpad7, ebiten.KeyNumpad8, ebiten.KeyNumpad9}
	if fmt.Sprint(list) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", list, want)
	}
}
