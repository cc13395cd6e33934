package hud

import (
	"strings"
	"testing"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// TestCaptionShowsMissedInputs promises that the captions of all panes show the share of inputs on time where
// the inputs of one pane miss their ticks, and that none does elsewhere.
func TestCaptionShowsMissedInputs(t *testing.T) {
	for network, want := range map[string]int{"csp-25-loss": 2, "csp-75ms": 0} {
		l := stagetest.Session(t, network, "rewind:redundant=off", "rewind")
		var s HUD
		stagetest.Roll(t, &s, l, 400)
		f := s.frame(l)
		if captions := strings.Count(f.texts(), "% of inputs on time\n"); captions != want {
			t.Errorf("%s: %d captions with inputs on time, want %d", network, captions, want)
		}
	}
}

// TestNetworkText promises a text for every profile, and holds some texts.
func TestNetworkText(t *testing.T) {
	for _, p := range link.Profiles {
		w := link.Network{Up: p.Up, Down: p.Down}
		if s := networkText(&w); s == "" || strings.Contains(s, "%!") {
			t.Errorf("%s: %q", p.Name, s)
		}
	}
	for network, want := range map[string]string{
		"perfect": "perfect network", "swing-every=8s,swing=40ms": "varying latency",
		"latency=5ms,trace=us/20000:5012/4980/-": "5 ms latency, trace of 60ms",
		"trace=us/16667:50000/60000/-":           "trace of 50ms",
		"latency=75ms,up.loss=25%":               "75 ms latency, 25 % loss up",
		"3g":                                     "100 ms latency, jitter 40 ms (gamma), 1 % bursty loss, 330 kbit/s up, 780 kbit/s down",
	} {
		w := link.Network{}
		if err := w.Parse(network); err != nil || networkText(&w) != want {
			t.Errorf("%s: %q, want %q (%v)", network, networkText(&w), want, err)
		}
	}
}

// TestClockFaultIsShown promises that a caption describes the faults of the client's clock while there are some.
func TestClockFaultIsShown(t *testing.T) {
	l := stagetest.Session(t, "perfect", "rewind")
	texts := func() string {
		s, f := &HUD{}, Frame{}
		stagetest.Roll(t, s, l, 1)
		s.Compose(&f, l, Rect{W: 900, H: 600}, Options{}, 1)
		return f.texts()
	}
	const want = "skew +500 ppm, 20 fps"
	if strings.Contains(texts(), "ppm") {
		t.Error("a fault is shown where there is none")
	}
	for _, set := range [][2]string{{"skew", "500"}, {"fps", "20"}} {
		stagetest.Apply(t, l, lab.Command{Verb: "clock", Pane: lab.AllPanes, Name: set[0], Value: set[1]})
	}
	if s := texts(); !strings.Contains(s, want) {
		t.Errorf("the texts are\n%swant %q", s, want)
	}
}

// TestFallbackIsShown promises that a cube whose prediction is off has another colour in the client's picture
// until prediction resumes, that the legend explains it, and that the server's picture does not change.
func TestFallbackIsShown(t *testing.T) {
	l := stagetest.Session(t, "latency=100ms", "historyoffset:fallback-corrections=3")
	stagetest.Show(t, l, "split=on")
	var s HUD
	look := func() (client, server render.Color, explained bool) {
		f := s.frame(l)
		explained = strings.Contains(f.texts(), "\nprediction off\n")
		return f.Viewports[0].Scene.Cubes[0].Color, f.Viewports[1].Scene.Cubes[0].Color, explained
	}
	stagetest.Apply(t, l, lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: "plain"})
	stagetest.Rest(t, &s, l, 120, sim.Shot{})
	if client, server, explained := look(); client != stage.ClientColor || server != stage.ServerColor || !explained {
		t.Errorf("with prediction it is %v, the server's %v, explained: %v", client, server, explained)
	}
	for range 20 {
		stagetest.Apply(t, l, lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "0.3"})
		stagetest.Rest(t, &s, l, 4, sim.Shot{})
	}
	if client, server, _ := look(); client == stage.ClientColor || server != stage.ServerColor {
		t.Errorf("without prediction it is %v, the server's %v", client, server)
	}
	stagetest.Rest(t, &s, l, 240, sim.Shot{})
	if client, _, _ := look(); client != stage.ClientColor {
		t.Errorf("with prediction again it is %v", client)
	}
}

// TestSideLabels promises that the labels of the two sides lie in the corners of their own halves.
func TestSideLabels(t *testing.T) {
	l := stagetest.Session(t, "perfect", "rewind")
	stagetest.Show(t, l, "split=on")
	var s HUD
	stagetest.Roll(t, &s, l, 2)
	f := s.frame(l)
	found := f.count(func(it *render.Item) bool {
		right := it.X + it.Font.Width(it.Text)
		inPicture := it.Y < 200 // and not in the legend
		return inPicture && (it.Text == "client" && right >= 600 && right <= 632 || it.Text == "server" && it.X >= 640 && it.X <= 680)
	})
	if found != 2 {
		t.Errorf("%d labels in the corners of their sides, want 2", found)
	}
}

// TestWatcherIsLabelled promises that the picture of a watcher does not claim to be a client's.
func TestWatcherIsLabelled(t *testing.T) {
	l, err := lab.NewWatcher(lab.Config{Scene: "two-players", Rate: 60}, "rewind")
	if err != nil {
		t.Fatal(err)
	}
	stagetest.Show(t, l, "split=on")
	var s HUD
	stagetest.Rest(t, &s, l, 2, sim.Shot{})
	f := s.frame(l)
	if len(f.Viewports) != 1 {
		t.Errorf("%d pictures of the same poses", len(f.Viewports))
	}
	if found := f.count(func(it *render.Item) bool { return it.Text == "client" && it.Y < 200 }); found != 0 {
		t.Errorf("%d labels of a client, want none", found)
	}
}

// TestCaptionsFollowAPausedSession promises that a caption that is due only ten times a second shows a changed knob
// at once while the session is paused.
func TestCaptionsFollowAPausedSession(t *testing.T) {
	l := stagetest.Session(t, "latency=50ms", "rewind")
	var s HUD
	var f Frame
	stagetest.Roll(t, &s, l, 61)
	text := func() string {
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
		return paneTexts(&f, s.layouts[0].pane)
	}
	text()
	for range 2 { // as the window does in every Update
		s.Refresh(l)
	}
	stagetest.Apply(t, l, lab.Command{Verb: "set", Pane: 0, Name: "lead", Value: "9"})
	s.Refresh(l)
	if got := text(); !strings.Contains(got, "lead=9") {
		t.Errorf("a changed knob is not shown: %s", got)
	}
}

// TestCaptionClauses promises that a line of a caption that is too long ends at a clause in narrow panes.
func TestCaptionClauses(t *testing.T) {
	l := stagetest.Session(t, "latency=75ms", "noprediction", "rewind")
	var s HUD
	stagetest.Roll(t, &s, l, 60)
	stagetest.Apply(t, l, lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"})
	stagetest.Roll(t, &s, l, 60)
	var f Frame
	s.Compose(&f, l, Rect{W: 480, H: 600}, Options{}, 1)
	whole := f.count(func(it *render.Item) bool {
		return strings.Contains(it.Text, "correction") && !strings.Contains(it.Text, "…")
	})
	if all := strings.Count(f.texts(), "correction"); whole == 0 || whole != all {
		t.Errorf("%d of %d texts about corrections are whole", whole, all)
	}
}

// TestOpenJointsAreCaptioned promises that the caption says how far the joints of a chain have opened at most.
func TestOpenJointsAreCaptioned(t *testing.T) {
	l := stagetest.Open(t, lab.Config{Scene: "train:rods=8", Rate: 60, Seat: lab.AtHost}, "latency=100ms,down.outage=250ms,down.outage-every=2s", "animated")
	stagetest.Show(t, l, "joints=on")
	var s HUD
	stagetest.RollAndPull(t, &s, l, 300)
	f := s.frame(l)
	_, largest, _, _ := l.Panes[0].Score.JointSeparation()
	if want := "largest " + (&texts{}).gap(largest).end(); largest < 0.01 || !strings.Contains(paneTexts(&f, s.layouts[0].caption), want) {
		t.Errorf("no %q in %q", want, paneTexts(&f, s.layouts[0].caption))
	}
}
