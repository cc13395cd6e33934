package window

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
	"ghostcube/ui/widget"
)

// playPast makes n ticks as Update does.
func (g *game) playPast(t *testing.T, n int) {
	t.Helper()
	for range n {
		g.past.wait()
		g.updatePast()
		if err := g.tick(); err != nil {
			t.Fatal(err)
		}
		g.followBeside()
		g.past.makeCheckpoint()
	}
	g.past.wait()
}

// seekNow shows a moment without waiting for further Updates.
func (g *game) seekNow(t *testing.T, tick int) {
	t.Helper()
	g.seek(tick)
	for g.past.timeline.Remaining() > 0 {
		g.updatePast()
	}
	if got := int(g.lab.Ticks()); got != tick || g.tickErr != nil {
		t.Fatalf("the session is at tick %d, want %d: %v", got, tick, g.tickErr)
	}
}

// TestTakes promises that a change at a past moment begins a take which repeats the inputs and the forced faults of
// the one it left, but for what the viewer has changed; that keys begin one without them; that each take keeps its
// course; and that each has a tape which replays to its hashes.
func TestTakes(t *testing.T) {
	g := newTestGame(t, "rewind", "lockstep")
	var hashes [][]uint64
	play := func(n int) {
		for range n {
			g.playPast(t, 1)
			k := g.past.timeline.Take().Number - 1
			for len(hashes) <= k {
				hashes = append(hashes, append([]uint64(nil), hashes[len(hashes)-1]...))
			}
			hashes[k] = append(hashes[k][:g.lab.Ticks()], g.lab.Hash())
		}
	}
	hashes = append(hashes, []uint64{g.lab.Hash()})
	g.localInputs[0] = sim.Input{Buttons: sim.Forward}
	play(100)
	g.execute(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "90ms"})
	play(20)
	g.nudgeServer()
	play(180)
	g.localInputs[0] = sim.Input{}

	g.seekNow(t, 80)
	g.execute(stage.Show("pitch", "50"))
	if n := len(g.past.timeline.Takes()); n != 1 {
		t.Fatalf("%d takes after a display setting, want 1", n)
	}
	g.execute(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "200ms"})
	if k := g.past.timeline.Take(); k.Number != 2 || k.From != 80 || k.Cause != "latency 200ms" || !g.tapePlaying() {
		t.Fatalf("%+v, want take 2 from tick 80 with the inputs of take 1", k)
	}
	g.paused = false
	play(220)
	if g.tapePlaying() {
		t.Error("take 2 goes on by itself after the end of take 1")
	}
	if got := g.lab.Network().String(); !strings.Contains(got, "200ms") {
		t.Errorf("network %s: the command of take 1 has undone the viewer's", got)
	}
	if f, ok := g.lab.Panes[0].LastFault(); !ok || f.SessionTick != 120 {
		t.Errorf("last fault %+v, want the one of take 1 in tick 120", f)
	}
	play(30)

	g.seekNow(t, 150)
	g.paused = false
	g.localInputs[0] = sim.Input{Buttons: sim.Left}
	g.takeOver()
	if k := g.past.timeline.Take(); k.Number != 3 || k.From != 150 || g.tapePlaying() {
		t.Fatalf("%+v, want take 3 from tick 150, driven by keys", k)
	}
	play(70)
	if g.lastInput.Buttons != sim.Left {
		t.Errorf("the last input of take 3 is %v", g.lastInput)
	}

	for _, number := range []int{1, 3, 2} { // all takes keep their course
		g.showTake(g.past.timeline.Takes()[number-1])
		for _, at := range []int{200, 79, 160} {
			g.seekNow(t, at)
			if got := g.lab.Hash(); got != hashes[number-1][at] {
				t.Errorf("take %d has the hash %016x after tick %d, want %016x", number, got, at, hashes[number-1][at])
			}
		}
	}
	g.goLive()
	play(10)
	if err := g.endSession(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(g.OutDir, "*.tape"))
	if err != nil || len(files) != 4 { // take 2 was continued after take 3
		t.Fatalf("the tapes %v, %v: want four", files, err)
	}
	lengths := map[int]bool{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		written, err := tape.Read(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lengths[len(written.Entries)] = true
		l, err := written.NewLab()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range written.Entries {
			if err := l.Tick(e); err != nil {
				t.Fatal(err)
			}
		}
		for check := range written.HashChecks {
			if written.HashChecks[check].Ticks == len(written.Entries) {
				if err := written.Verify(l, check); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	for _, n := range []int{300, 330, 220, 340} {
		if !lengths[n] {
			t.Errorf("no tape of %d ticks", n)
		}
	}
}

// TestReplayLast promises that F5 plays the last five seconds at an eighth of the speed, and that the session is live
// again at its end with the speed that it had.
func TestReplayLast(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.playPast(t, 400)
	hash := g.lab.Hash()
	g.replayLast()
	for g.past.timeline.Remaining() > 0 {
		g.updatePast()
	}
	if at := g.lab.Ticks(); at != 100 || g.settings().Speed != 1./8 || g.paused {
		t.Errorf("at tick %d with speed %v, paused: %v", at, g.settings().Speed, g.paused)
	}
	updates := 0
	for ; g.past.timeline.Reviewing() && updates < 5000; updates++ {
		for range g.dueTicks() {
			if !g.past.timeline.Reviewing() {
				break
			}
			if g.lab.Ticks() == 400 && g.lab.Hash() != hash {
				t.Error("the end of the session has another hash after a replay")
			}
			g.playPast(t, 1)
		}
	}
	if updates < 2390 || updates > 2420 || g.settings().Speed != 1 {
		t.Errorf("%d updates for five seconds, speed %v afterwards", updates, g.settings().Speed)
	}
}

// TestBarPointer promises that a press on the bar shows the moment below the pointer, that one near a mark goes to the
// mark, that a drag with Shift plays its span in a loop, and that the camera does not turn meanwhile.
func TestBarPointer(t *testing.T) {
	g := newTestGame(t, "rewind", "snapshot")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	g.playPast(t, 300)
	g.nudgeServer()
	g.playPast(t, 600)
	var list render.DrawList
	g.drawBar(&list)
	picture := g.pictureRect()
	if g.barHeight() == 0 || picture.H+g.barHeight() != 720 {
		t.Fatalf("a bar of %d pixels below a picture of %d", g.barHeight(), picture.H)
	}
	find := func(tick int) (x int) {
		for g.past.bar.TickAt(x) < tick {
			x++
		}
		return x
	}
	rowOf := func(pane int) (y int) {
		for y = picture.H; g.past.bar.PaneAt(y) != pane; y++ {
		}
		return y + 3
	}
	settle := func() {
		for g.past.timeline.Remaining() > 0 {
			g.updatePast()
		}
	}
	x := find(600)
	for _, _, _, near := g.past.bar.MarkAt(x, rowOf(1), g.past.timeline); near; _, _, _, near = g.past.bar.MarkAt(x, rowOf(1), g.past.timeline) {
		x++
	}
	if !g.pointAtBar(x, rowOf(1), capture{}, true, true, false, 0) {
		t.Error("the bar does not take the pointer")
	}
	settle()
	if at := int(g.lab.Ticks()); at != g.past.bar.TickAt(x) || !g.paused {
		t.Errorf("a press at tick %d shows tick %d", g.past.bar.TickAt(x), at)
	}
	g.pointAtBar(find(200), 10, capture{}, true, false, false, 0)
	settle()
	if at := int(g.lab.Ticks()); at != g.past.bar.TickAt(find(200)) {
		t.Errorf("a drag to tick 200 shows tick %d", at)
	}
	g.pointAtBar(find(200), 10, capture{}, false, false, false, 0)

	fault := g.past.timeline.NextMark(0, timeline.Corrections, 301, 900)
	if fault < 0 {
		t.Fatal("no correction after the nudge")
	}
	g.pointAtBar(find(fault), rowOf(0), capture{}, false, false, false, 0)
	if !strings.Contains(g.past.note, "in pane 1") {
		t.Errorf("the note %q about a correction", g.past.note)
	}
	g.pointAtBar(find(fault), rowOf(0), capture{}, true, true, false, 0)
	settle()
	if kind := g.past.timeline; kind.NextMark(0, timeline.Corrections, int(g.lab.Ticks()), int(g.lab.Ticks())+1) < 0 && kind.NextMark(0, timeline.Faults, int(g.lab.Ticks()), int(g.lab.Ticks())+1) < 0 {
		t.Errorf("a press near a mark shows tick %d, which has none", g.lab.Ticks())
	}
	g.pointAtBar(0, 0, capture{}, false, false, false, 0)

	g.pointAtBar(find(400), rowOf(0), capture{}, true, true, true, 0)
	g.pointAtBar(find(460), rowOf(0), capture{}, true, false, true, 0)
	g.pointAtBar(find(460), rowOf(0), capture{}, false, false, true, 0)
	settle()
	seen := map[int]int{}
	for range 200 {
		g.playPast(t, 1)
		for g.past.timeline.Remaining() > 0 {
			g.updatePast()
		}
		seen[int(g.lab.Ticks())]++
	}
	for n := range seen {
		if n < 395 || n > 465 {
			t.Errorf("the loop from 400 to 460 shows tick %d", n)
		}
	}
	if seen[430] < 2 {
		t.Errorf("tick 430 was shown %d times in 200 ticks of a loop", seen[430])
	}
}

// TestPastRandomOperations goes back and forth, branches and changes settings at random, and promises that the
// timeline never finds another hash than the session had.
func TestPastRandomOperations(t *testing.T) {
	g := newTestGame(t, "rewind", "lockstep", "snapshot", "statesync")
	random := rand.New(rand.NewPCG(11, 12))
	operations := []func(){
		func() { g.seek(random.IntN(int(g.lab.Ticks()) + 50)) },
		func() { g.skip(random.Float64()*4 - 2) },
		g.stepBack, g.step, g.replayLast, g.bookmark, g.nextTake, g.goLive, g.toggleBeside,
		func() { g.paused = !g.paused },
		func() { g.scaleSpeed(0.5) }, func() { g.scaleSpeed(2) },
		g.nudgeServer, g.freezeClients, g.focusNext, g.toggleRecording,
		func() {
			g.execute(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: []string{"0ms", "50ms", "150ms"}[random.IntN(3)]})
		},
		func() { g.switchStrategy(random.IntN(len(lab.Strategies))) },
		func() { g.setButtons(sim.Buttons(random.IntN(32)), 0); g.takeOver() },
		func() { g.execute(stage.Show("yaw", "30")) },
		func() { g.execute(lab.Command{Verb: "close", Pane: 3}) },
		func() { g.execute(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "animated"}) },
		func() {
			g.execute(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: []string{"zen", "two-players"}[random.IntN(2)]})
		},
		func() { g.execute(lab.Command{Verb: "restart", Pane: lab.AllPanes}) },
	}
	var f stage.Frame
	reviewed := 0
	for range 500 {
		g.past.wait()
		if random.IntN(4) == 0 {
			operations[random.IntN(len(operations))]()
		}
		g.updatePast()
		g.stage.Refresh(g.lab)
		for range g.dueTicks() {
			if err := g.tick(); err != nil {
				t.Fatal(err)
			}
		}
		if g.tickErr != nil {
			t.Fatal(g.tickErr)
		}
		if g.past.timeline.Reviewing() {
			reviewed++
		}
		g.followBeside()
		g.past.makeCheckpoint()
		shown, l := g.shown()
		shown.Compose(&f, l, stage.Rect{W: 640, H: 360}, g.stageOptions(g.title, g.alert()), 1)
	}
	g.past.wait()
	if reviewed < 50 || len(g.past.timeline.Takes()) < 3 {
		t.Errorf("%d of 500 updates in the past, %d takes: too few to show anything", reviewed, len(g.past.timeline.Takes()))
	}
	if err := g.endSession(); err != nil {
		t.Fatal(err)
	}
	g.videos.waitAll(make(chan os.Signal), new(bytes.Buffer))
}

// TestShowCorrection promises that a correction chosen in the panel or on the bar is shown at its tick, with ghosts of
// where its body was drawn before and is simulated now, and with an arrow between the two.
func TestShowCorrection(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	g.playPast(t, 200)
	g.nudgeServer()
	g.playPast(t, 200)
	p := g.lab.Panes[0]
	if p.Corrections.Total() == 0 {
		t.Fatal("no correction after a nudge")
	}
	n := p.Corrections.FirstIndex()
	x := *p.Corrections.At(n)
	compose := func() (lines, arrows int) {
		var f stage.Frame
		g.stage.Compose(&f, g.lab, g.pictureRect(), g.stageOptions("", ""), 1)
		for _, it := range f.Overlay.Items {
			if it.Kind == render.LineKind && it.Color != stage.CurveColor {
				arrows++
			}
		}
		return len(f.Viewports[0].Scene.Lines), arrows
	}
	for _, way := range []string{"bar", "panel"} {
		g.selected = nil
		g.goLive()
		if way == "bar" {
			g.showMark(0, timeline.Corrections, int(x.SessionTick)+1)
		} else {
			g.toggleSelection(p, n)
		}
		if g.selected == nil || g.selected.correction.SessionTick != x.SessionTick || g.lab.Ticks() != x.SessionTick+1 {
			t.Fatalf("%s: tick %d with the selection %+v, want the correction of tick %d", way, g.lab.Ticks(), g.selected, x.SessionTick)
		}
		if m := g.callout(); m == nil || !m.Corrected || !strings.Contains(m.Lines[len(m.Lines)-1], "m away") {
			t.Errorf("%s: the callout %+v", way, m)
		}
		if d := g.stage.CorrectionOffset(0, x.Body); d < 0.5*x.Shift || d > x.Shift+0.3 {
			t.Errorf("%s: the arrow is %.3f m long, and the correction moved the cube by %.3f m", way, d, x.Shift)
		}
		lines, arrows := compose()
		g.selected = nil
		without, none := compose()
		if lines < without+6 || arrows != none+2 {
			t.Errorf("%s: %d lines and %d arrows with the callout, %d and %d without", way, lines, arrows, without, none)
		}
	}
	g.seekFully(int(x.SessionTick) + 3)
	g.selected = &selection{p, n, x}
	if m := g.callout(); m == nil || m.Corrected {
		t.Errorf("two ticks after the correction the callout still has its arrow: %+v", m)
	}
}

// TestBeside promises that two takes are shown at one moment, each with the hash that it had then, whatever the viewer
// does, and that the names of the panes have the numbers of the takes.
func TestBeside(t *testing.T) {
	g := newTestGame(t, "rewind", "snapshot")
	var first []uint64
	for range 200 {
		first = append(first, g.lab.Panes[0].Hash())
		g.playPast(t, 1)
	}
	g.seekNow(t, 60)
	g.execute(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "250ms"})
	g.paused = false
	g.playPast(t, 100)
	g.toggleBeside()
	check := func() {
		t.Helper()
		g.followBeside()
		b := &g.beside
		if b.take == nil || b.take.Number != 1 || len(b.view.Panes) != 4 {
			t.Fatalf("take %+v with %d panes is shown", b.take, len(b.view.Panes))
		}
		if b.lab.Ticks() != g.lab.Ticks() || b.lab.Panes[0].Hash() != first[b.lab.Ticks()] {
			t.Errorf("take 1 is at tick %d, take 2 at %d, or take 1 has another hash", b.lab.Ticks(), g.lab.Ticks())
		}
		if b.view.Panes[2] != b.lab.Panes[0] || b.view.Panes[0] != g.lab.Panes[0] {
			t.Error("the panes are not those of take 2 and then those of take 1")
		}
		if b.labels != [lab.MaxPanes]string{"take 2: latency 250ms", "take 2: latency 250ms", "take 1", "take 1"} {
			t.Errorf("labels %q", b.labels)
		}
	}
	check()
	g.playPast(t, 20)
	check()
	g.seekNow(t, 90)
	check()
	var f stage.Frame
	shown, l := g.shown()
	shown.Compose(&f, l, stage.Rect{W: 1280, H: 660}, g.stageOptions("", ""), 1)
	labels := 0
	for _, it := range f.Overlay.Items {
		if strings.Contains(it.Text, ", take ") {
			labels++
		}
	}
	if labels != 4 {
		t.Errorf("%d panes are named by their takes, want 4", labels)
	}
	g.screen.w, g.screen.h, g.screen.scale = 1280, 3000, 1
	for i, page := range pages() {
		if page.name == "Score" {
			g.panel.page = i
		}
	}
	g.buildPanel(widget.Input{})
	var scores strings.Builder
	for _, it := range g.panel.ui.Body.Items {
		scores.WriteString(it.Text + "\n")
	}
	if text := scores.String(); !strings.Contains(text, "rewind (take 2)") || !strings.Contains(text, "snapshot (take 1)") {
		t.Errorf("the scores do not name the takes:\n%.400s", text)
	}
	g.nextTake() // take 1, which is the one beside it
	g.followBeside()
	if g.beside.take != nil {
		t.Error("a take is shown beside itself")
	}
}

// TestRecordPast promises that a video recorded in the past, of two takes side by side, ends with the hashes of both, and
// that a jump ends it.
func TestRecordPast(t *testing.T) {
	g := newTestGame(t, "rewind", "snapshot")
	g.playPast(t, 60)
	g.focusNext()
	g.playPast(t, 60)
	g.execute(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "lockstep"}) // a copy of pane 2
	g.playPast(t, 40)
	hashes := map[int]uint64{}
	g.seekNow(t, 20)
	g.execute(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "loss", Value: "0.2"})
	g.paused = false
	g.playPast(t, 150)
	g.showTake(g.past.timeline.Takes()[0])
	g.seekNow(t, 100)
	g.focusNext()
	g.toggleBeside()
	g.toggleRecording()
	for range 50 {
		g.playPast(t, 1)
		hashes[int(g.lab.Ticks())] = g.lab.Hash()
	}
	if !g.videos.recording() {
		t.Fatal("the recording ended by itself")
	}
	beside := g.beside.lab.Hash()
	at := int(g.lab.Ticks())
	g.seekNow(t, 30)
	if g.videos.recording() || g.videos.current == nil {
		t.Fatal("a jump does not end the video")
	}
	m := g.videos.current.recording
	<-g.videos.current.finished
	if err := g.videos.current.err; err != nil {
		t.Fatal(err)
	}
	if int(m.Lab.Ticks()) != at || m.Lab.Hash() != hashes[at] {
		t.Errorf("the video ends at tick %d with the hash %016x, want %d and %016x", m.Lab.Ticks(), m.Lab.Hash(), at, hashes[at])
	}
	if m.Beside == nil || m.Beside.Lab.Hash() != beside || m.Beside.Lab.Ticks() != m.Lab.Ticks() {
		t.Errorf("the other take of the video has another hash, or there is none: %+v", m.Beside)
	}
}
