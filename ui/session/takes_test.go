package session

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/hud"
	"ghostcube/ui/stage"
)

// TestTakes promises that a change at a past moment begins a take which repeats the inputs and the forced faults of
// the one it left, but for what the viewer has changed; that keys begin one without them; that each take keeps its
// course; and that each has a tape which replays to its hashes.
func TestTakes(t *testing.T) {
	experiment.Skip(t)
	g := newTestSession(t, "rewind", "lockstep")
	var hashes [][]uint64
	play := func(n int) {
		for range n {
			g.playPast(t, 1)
			k := g.Past.Timeline.Take().Number - 1
			for len(hashes) <= k {
				hashes = append(hashes, append([]uint64(nil), hashes[len(hashes)-1]...))
			}
			hashes[k] = append(hashes[k][:g.Lab.Ticks()], g.Lab.Hash())
		}
	}
	hashes = append(hashes, []uint64{g.Lab.Hash()})
	g.in.Inputs[0] = sim.Input{Buttons: sim.Forward}
	play(100)
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "90ms"})
	play(20)
	g.Controls.NudgeServer()
	play(180)
	g.in.Inputs[0] = sim.Input{}

	g.seekNow(t, 80)
	g.Do(stage.Show("pitch", "50"))
	if n := len(g.Past.Timeline.Takes()); n != 1 {
		t.Fatalf("%d takes after a display setting, want 1", n)
	}
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "200ms"})
	if k := g.Past.Timeline.Take(); k.Number != 2 || k.From != 80 || k.Cause != "latency 200ms" || !g.Playing() {
		t.Fatalf("%+v, want take 2 from tick 80 with the inputs of take 1", k)
	}
	g.Paused = false
	play(220)
	if g.Playing() {
		t.Error("take 2 goes on by itself after the end of take 1")
	}
	if got := g.Lab.Network().String(); !strings.Contains(got, "200ms") {
		t.Errorf("network %s: the command of take 1 has undone the viewer's", got)
	}
	if f, ok := g.Lab.Panes[0].LastFault(); !ok || f.SessionTick != 120 {
		t.Errorf("last fault %+v, want the one of take 1 in tick 120", f)
	}
	play(30)

	g.seekNow(t, 150)
	g.Paused = false
	g.in.Inputs[0] = sim.Input{Buttons: sim.Left}
	g.TakeOver()
	if k := g.Past.Timeline.Take(); k.Number != 3 || k.From != 150 || g.Playing() {
		t.Fatalf("%+v, want take 3 from tick 150, driven by keys", k)
	}
	play(70)
	if g.LastInput.Buttons != sim.Left {
		t.Errorf("the last input of take 3 is %v", g.LastInput)
	}

	for _, number := range []int{1, 3, 2} { // all takes keep their course
		g.Past.ShowTake(g.Past.Timeline.Takes()[number-1])
		for _, at := range []int{200, 79, 160} {
			g.seekNow(t, at)
			if got := g.Lab.Hash(); got != hashes[number-1][at] {
				t.Errorf("take %d has the hash %016x after tick %d, want %016x", number, got, at, hashes[number-1][at])
			}
		}
	}
	g.Past.GoLive()
	play(10)
	if err := g.End(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(g.OutDir, "*.tape"))
	if err != nil || len(files) != 4 { // take 2 was continued after take 3
		t.Fatalf("the tapes %v, %v: want four", files, err)
	}
	lengths := map[int]bool{}
	for _, name := range files {
		written := readTape(t, name)
		lengths[len(written.Entries)] = true
		verify(t, written)
	}
	for _, n := range []int{300, 330, 220, 340} {
		if !lengths[n] {
			t.Errorf("no tape of %d ticks", n)
		}
	}
}

// TestTakeFollowsASlider promises that a take that a slider begins is named after the value at which the slider ends, in the
// list of takes, in the message and beside another take; and that a later change does not rename it.
func TestTakeFollowsASlider(t *testing.T) {
	g := newTestSession(t, "rewind")
	g.playPast(t, 100)
	g.seekNow(t, 60)
	set := func(value string) {
		g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: value})
	}
	set("70ms")
	g.Beside.Toggle()
	g.Paused = false
	for _, value := range []string{"120ms", "200ms", "270ms"} {
		g.playPast(t, 5)
		set(value)
	}
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "jitter", Value: "5ms"})
	g.Beside.Follow()
	k, texts := g.Past.Timeline.Take(), g.Notices.Texts()
	if k.Number != 2 || k.Cause != "latency 270ms" || g.Beside.Labels[0] != "take 2: latency 270ms" {
		t.Errorf("take %d is named %q, its pane %q", k.Number, k.Cause, g.Beside.Labels[0])
	}
	if want := "take 2 begins here: latency 270ms"; !slices.Contains(texts, want) || len(texts) != 1 {
		t.Errorf("messages %q, want %q alone", texts, want)
	}
	g.playPast(t, renameSeconds*60+1)
	if set("40ms"); k.Cause != "latency 270ms" {
		t.Errorf("a change after the drag names the take %q", k.Cause)
	}
}

// TestBeside promises that two takes are shown at one moment, each with the hash that it had then, whatever the viewer
// does, and that the names of the panes have the numbers of the takes.
func TestBeside(t *testing.T) {
	experiment.Skip(t)
	g := newTestSession(t, "rewind", "snapshot")
	var first []uint64
	for range 200 {
		first = append(first, g.Lab.Panes[0].Hash())
		g.playPast(t, 1)
	}
	g.seekNow(t, 60)
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "250ms"})
	g.Paused = false
	g.playPast(t, 100)
	g.Beside.Toggle()
	b := &g.Beside
	check := func() {
		t.Helper()
		g.Beside.Follow()
		if b.take == nil || b.take.Number != 1 || len(b.view.Panes) != 4 {
			t.Fatalf("take %+v with %d panes is shown", b.take, len(b.view.Panes))
		}
		if b.lab.Ticks() != g.Lab.Ticks() || b.lab.Panes[0].Hash() != first[b.lab.Ticks()] {
			t.Errorf("take 1 is at tick %d, take 2 at %d, or take 1 has another hash", b.lab.Ticks(), g.Lab.Ticks())
		}
		if b.view.Panes[2] != b.lab.Panes[0] || b.view.Panes[0] != g.Lab.Panes[0] {
			t.Error("the panes are not those of take 2 and then those of take 1")
		}
		if b.Labels != [lab.MaxPanes]string{"take 2: latency 250ms", "take 2: latency 250ms", "take 1", "take 1"} {
			t.Errorf("labels %q", b.Labels)
		}
	}
	check()
	g.playPast(t, 20)
	check()
	g.seekNow(t, 90)
	check()
	var f hud.Frame
	shown, l := g.Shown()
	shown.Compose(&f, l, stage.Rect{W: 1280, H: 660}, hud.Options{PaneLabels: b.Labels}, 1)
	labels := 0
	for _, it := range f.Overlay.Items {
		if strings.Contains(it.Text, ", take ") {
			labels++
		}
	}
	if labels != 4 {
		t.Errorf("%d panes are named by their takes, want 4", labels)
	}
	g.Past.NextTake() // take 1, the other of the two
	g.Beside.Follow()
	if g.Beside.On() {
		t.Error("a take is shown beside itself")
	}
}

// TestBesideAfterEnd promises that a take which has ended before the one beside it says so, and nothing else, while the texts of
// the other one go on.
func TestBesideAfterEnd(t *testing.T) {
	g := newTestSession(t, "rewind")
	g.playPast(t, 120)
	g.seekNow(t, 60)
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "250ms"})
	g.Paused = false
	g.playPast(t, 5)
	g.Beside.Toggle()
	g.playPast(t, 60)
	g.Do(lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"})
	g.playPast(t, 30)
	g.Beside.Follow()
	shown, l := g.Shown()
	if own, other := shown.Event(0), shown.Event(1); !strings.HasPrefix(own, "forced fault") || other != "" {
		t.Errorf("events %q and %q, want the forced fault, and none", own, other)
	}
	var f hud.Frame
	shown.Compose(&f, l, stage.Rect{W: 1280, H: 660}, hud.Options{PaneLabels: g.Beside.Labels}, 1)
	ended := 0
	for _, it := range f.Overlay.Items {
		if strings.Contains(it.Text, "this take ended at 0:02.0") {
			ended++
		}
	}
	if ended != 1 {
		t.Errorf("%d panes say that their take has ended, want 1", ended)
	}
}

// TestRecordPast promises that a video recorded in the past, of two takes side by side, ends with the hashes of both, and
// that a jump ends it.
func TestRecordPast(t *testing.T) {
	experiment.Skip(t)
	g := newTestSession(t, "rewind", "snapshot")
	g.playPast(t, 60)
	g.Controls.FocusNext()
	g.playPast(t, 60)
	g.Do(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "lockstep"}) // a copy of pane 2
	g.playPast(t, 40)
	hashes := map[int]uint64{}
	g.seekNow(t, 20)
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "loss", Value: "0.2"})
	g.Paused = false
	g.playPast(t, 150)
	g.Past.ShowTake(g.Past.Timeline.Takes()[0])
	g.seekNow(t, 100)
	g.Controls.FocusNext()
	g.Beside.Toggle()
	g.Videos.Toggle()
	for range 50 {
		g.playPast(t, 1)
		hashes[int(g.Lab.Ticks())] = g.Lab.Hash()
	}
	if !g.Videos.Recording() {
		t.Fatal("the recording ended by itself")
	}
	beside := g.Beside.lab.Hash()
	at := int(g.Lab.Ticks())
	g.seekNow(t, 30)
	if g.Videos.Recording() || g.Videos.current == nil {
		t.Fatal("a jump does not end the video")
	}
	m := g.Videos.current.recording
	<-g.Videos.current.finished
	if err := g.Videos.current.err; err != nil {
		t.Fatal(err)
	}
	if int(m.Lab.Ticks()) != at || m.Lab.Hash() != hashes[at] {
		t.Errorf("the video ends at tick %d with the hash %016x, want %d and %016x", m.Lab.Ticks(), m.Lab.Hash(), at, hashes[at])
	}
	if m.Beside == nil || m.Beside.Lab.Hash() != beside || m.Beside.Lab.Ticks() != m.Lab.Ticks() {
		t.Errorf("the other take of the video has another hash, or there is none: %+v", m.Beside)
	}
}

// TestLanesOfTakes promises that packet lanes have all datagrams of their span after a switch to another take.
func TestLanesOfTakes(t *testing.T) {
	experiment.Skip(t)
	g := newTestSession(t, "rewind")
	g.Do(stage.Show("lanes", "on"))
	g.Do(stage.Show("lane-span", "3"))
	g.playPast(t, 590)
	g.seekNow(t, 400)
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "250ms"})
	g.Paused = false
	g.playPast(t, 170)
	for range 2 {
		g.Past.NextTake()
		for g.Past.Timeline.Remaining() > 0 {
			g.Past.Update()
		}
		f := g.Lab.Panes[0].Datagrams().Flow(0, link.Up)
		first, end := f.Span(g.Lab.Now()-3*time.Second, g.Lab.Now())
		if end-first < 170 || f.At(first).SentAt > g.Lab.Now()-3*time.Second+50*time.Millisecond {
			t.Errorf("take %d, tick %d: %d datagrams of the last 3 s, want 180", g.Past.Timeline.Take().Number, g.Lab.Ticks(), end-first)
		}
	}
}
