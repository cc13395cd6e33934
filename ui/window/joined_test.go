package window

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/remote"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
	"ghostcube/ui/widget"
)

// joinedWire is an end of a connection that ends with its first Close.
type joinedWire struct {
	link.Wire
	err *error
}

func (w joinedWire) Err() error { return *w.err }

func (w joinedWire) Close() error {
	*w.err = errors.New("the other side has left")
	return nil
}

// joinedGame is the window of a client whose server is not part of its session, in simulated time. It implements
// session.Remote.
type joinedGame struct {
	*game
	server *remote.Server
	client *remote.Client
	now    time.Duration
}

func (g *joinedGame) Lab() *lab.Lab              { return g.client.Lab }
func (g *joinedGame) Due() int                   { return g.client.Due(g.now) }
func (g *joinedGame) Apply(c lab.Command) error  { return g.client.Apply(c) }
func (g *joinedGame) Label() string              { return "player 1" }
func (g *joinedGame) Silence() time.Duration     { return g.client.Silence(g.now) }
func (g *joinedGame) CheckSay(text string) error { return remote.CheckChat(text) }
func (g *joinedGame) Say(text string) error      { return g.client.Say(text, g.now) }
func (g *joinedGame) News() []string             { return g.client.News() }

func (g *joinedGame) Tick(in sim.Input) error {
	return g.client.Step(g.now, func(sim.Tick) sim.Input { return in })
}

// join returns the window of a client of a server, which may watch.
func join(t *testing.T, watch bool) *joinedGame {
	t.Helper()
	g := &joinedGame{}
	t.Cleanup(func() { g.session.Past.Wait() })
	const version = "1.2.3"
	var err error
	g.server, err = remote.NewServer(remote.ServerConfig{Session: lab.Config{Scene: "two-players", Rate: 60}, Spec: "rewind", Version: version}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var left error
	client, server := link.Pair(&link.Network{}, 0)
	g.server.Connect(joinedWire{server, &left}, "ann", 0)
	config := remote.ClientConfig{Name: "ann", Version: version, Ghost: true, Watch: watch}
	if g.client, err = remote.NewClient(config, joinedWire{client, &left}, 0); err != nil {
		t.Fatal(err)
	}
	for g.client.Lab == nil {
		g.now += time.Second / 60
		g.server.Advance(g.now)
		if err := g.client.Step(g.now, nil); err != nil {
			t.Fatal(err)
		}
	}
	library := &plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons, LessonFiles: assets.Lessons,
		PresetFiles: assets.Presets, TermFile: assets.Terms}
	p, err := library.New(plan.Settings{Scene: "two-players", Panes: "rewind", Network: "perfect"}, plan.Settings{}, "")
	if err != nil {
		t.Fatal(err)
	}
	g.game = newGame(Options{Session: session.Options{OutDir: t.TempDir(), Version: version, Library: library, Remote: g,
		PlanComparison: func(name string) (*plan.Plan, error) {
			return library.New(plan.Settings{Compare: name}, plan.Settings{}, "")
		},
	}})
	g.session.Platform.CopyText = func(string) error { return nil }
	if err := g.start(p); err != nil {
		t.Fatal(err)
	}
	g.advance(t, 60)
	return g
}

// advance lets the time of some ticks pass at the server and in the window.
func (g *joinedGame) advance(t *testing.T, ticks int) {
	t.Helper()
	for range ticks {
		g.now += time.Second / 60
		g.server.Advance(g.now)
		g.session.Past.Wait()
		if err := g.applyPanel(); err != nil {
			t.Fatal(err)
		}
		if _, err := g.session.Update(&g.intents); err != nil {
			t.Fatal(err)
		}
	}
}

// whole checks that the client is still what the server expects: its side, its clock and its session.
func (g *joinedGame) whole(t *testing.T, what string, pane *lab.Pane, started sim.Tick) {
	t.Helper()
	before := g.client.Lab.Ticks()
	g.advance(t, 2)
	l := g.session.Lab
	fault := pane.ClockFault(0)
	fault.FrameRate = 0
	if l != g.client.Lab || len(l.Panes) != 1 || l.Panes[0] != pane || pane.StartTick() != started || pane.Spec() != "rewind:messages=reliable" ||
		fault != (lab.ClockFault{}) || l.Config().Scene != "two-players" || l.Network().String() != (&link.Network{}).String() ||
		l.Ticks() != before+2 || g.session.Paused || g.session.Settings().Speed != 1 || g.session.LostText() != "" {
		t.Fatalf("%s: %s from tick %d, clock %+v, scene %s, network %s, %d ticks made, paused %t",
			what, pane.Spec(), pane.StartTick(), fault, l.Config().Scene, l.Network(), l.Ticks()-before, g.session.Paused)
	}
}

// TestJoinedKeys presses every key of the list in a session that has been joined. Those that need both sides in one process
// are refused with a message that says why, whatever has been pressed before, and none of them harms the client.
func TestJoinedKeys(t *testing.T) {
	g := join(t, false)
	pane, started := g.session.Lab.Panes[0], g.session.Lab.Panes[0].StartTick()
	refusals := []string{"the server ", "not possible", "the network is a real one", "faults are forced", "the server's world", "need", "no "}
	local := keys{ebiten.KeyEnd, ebiten.KeyF9, ebiten.KeyDigit0, ebiten.KeyNumpad0, ebiten.KeyF3} // there is nothing for them to do
	for _, group := range bindings {
		for _, b := range group {
			if b.press == nil || slices.Contains(b.keys, ebiten.KeyF11) {
				continue
			}
			for i, key := range b.keys {
				for _, shift := range []bool{false, true} {
					g.advance(t, 1)
					for len(g.session.Notices.Texts()) > 0 { // those before are no answer
						g.session.Notices = session.Notices{}
					}
					b.press(g.game, i, shift)
					g.whole(t, b.label, pane, started)
					text := strings.Join(g.session.Notices.Texts(), "\n")
					refused := slices.ContainsFunc(refusals, func(s string) bool { return strings.Contains(text, s) })
					if b.alone && !slices.Contains(local, key) && !refused {
						t.Errorf("%s, key %d, shift %t: %q says nothing of a refusal", b.label, i, shift, text)
					} else if !b.alone && refused && key != ebiten.KeyF10 {
						t.Errorf("%s, key %d, shift %t: %q", b.label, i, shift, text)
					}
				}
			}
		}
	}
}

// TestJoinedPanel clicks every control of every page of the panel in a session that has been joined, and every option of its
// lists: none of them harms the client.
func TestJoinedPanel(t *testing.T) {
	experiment.Skip(t)
	g := join(t, false)
	pane, started := g.session.Lab.Panes[0], g.session.Lab.Panes[0].StartTick()
	for _, page := range pages() {
		g.openPage(t, page.name)
		for _, c := range slices.Clone(g.panel.controls) {
			at := c.bounds.Min.Add(c.bounds.Size().Div(2))
			if !at.In(g.screen.panelBounds()) || at.Y >= g.screen.h || c.name == "collapse" {
				continue
			}
			g.panel.page = slices.IndexFunc(pages(), func(p joinedPage) bool { return p.name == page.name })
			for range 2 { // the second click chooses an option of an open list
				g.lay(t, widget.Input{Pointer: at, Down: true, Pressed: true})
				g.lay(t, widget.Input{Pointer: at})
				g.whole(t, page.name+", "+c.name, pane, started)
			}
			g.lay(t, widget.Input{Escape: true})
		}
	}
}

// joinedPage is page, whose name a loop shadows.
type joinedPage = page

// TestJoinedHelp checks that the list of keys leaves out keys that cannot work.
func TestJoinedHelp(t *testing.T) {
	for _, c := range []struct {
		joined, watches bool
		has, lacks      string
	}{
		{false, false, "1 to 9|X, Shift X|Space, lower pad button|F10", ""},
		{true, false, "Space, lower pad button|F10|'|right click", "1 to 9|X, Shift X|M|P, start|Backspace|F8|R, Shift R"},
		{true, true, "F10|'|wheel", "1 to 9|Space, lower pad button|right click|M"},
	} {
		var labels []string
		blank := 0
		for _, row := range keyHelp(c.joined, c.watches) {
			labels = append(labels, row[0])
			if blank++; row[0] != "" {
				blank = 0
			}
			if blank > 1 {
				t.Errorf("%+v: two empty rows: %q", c, labels)
			}
		}
		for _, label := range strings.Split(c.has, "|") {
			if !slices.Contains(labels, label) {
				t.Errorf("%+v: no %q", c, label)
			}
		}
		for _, label := range strings.Split(c.lacks, "|") {
			if label != "" && slices.Contains(labels, label) {
				t.Errorf("%+v: %q", c, label)
			}
		}
	}
}

// TestJoinedTouch promises that on a screen for fingers a joined session has no button and no row of its list that cannot work, and a
// watcher none of a player.
func TestJoinedTouch(t *testing.T) {
	for _, watch := range []bool{false, true} {
		g := join(t, watch)
		g.frameOf(windowSize{390, 844, 1})
		g.screen.touched = true
		g.placeTouchControls()
		var labels []string
		for _, a := range g.touch.actions {
			labels = append(labels, a.label)
		}
		want := "lift pull shoot ? panel"
		if watch {
			want = "? panel"
		}
		if got := strings.Join(labels, " "); got != want || g.touch.places.stick.Empty() != watch {
			t.Errorf("watching %t: the buttons %q, want %q; stick %v", watch, got, want, g.touch.places.stick)
		}
		for _, row := range helpRows(true, true, watch) {
			if slices.Contains([]string{"nudge", "pause", "play", "drag on the timeline", "tap a pane"}, row[0]) || watch && strings.Contains(row[1], "cube") {
				t.Errorf("watching %t: %q", watch, row)
			}
		}
	}
}

// TestJoinedSilence stops the server: after a second the window says that the connection is lost.
func TestJoinedSilence(t *testing.T) {
	g := join(t, false)
	if text := g.screen.alert(); strings.Contains(text, "connection lost") {
		t.Errorf("a server that speaks: %q", text)
	}
	g.now += 1100 * time.Millisecond
	if text := g.screen.alert(); !strings.Contains(text, "connection lost: nothing from the server for 1 s") {
		t.Errorf("after 1.1 s without a datagram: %q", text)
	}
}

// TestJoinedChat promises that lines of chat do not cover the net graph.
func TestJoinedChat(t *testing.T) {
	g := join(t, false)
	g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	g.session.Notices.Post("bob: hello to all of you, who are many, and to all others who may be watching this")
	f := &g.screen.frame
	g.session.HUD.Compose(f, g.session.Lab, g.pictureRect(), g.stageOptions("", ""), 1)
	if f.NetGraph.H == 0 {
		t.Fatal("no net graph")
	}
	var l render.DrawList
	drawNotices(&l, g.session.Notices.Texts(), g.screen.noticesRect(g.pictureRect()), g.screen.uiScale())
	for _, it := range l.Items {
		if it.Kind == render.RectKind && it.Y+it.H > float32(f.NetGraph.Y) {
			t.Errorf("a line of chat reaches down to %v, the net graph begins at %d", it.Y+it.H, f.NetGraph.Y)
		}
	}
}

// TestWatcher promises that a watcher gets no figure that nobody has measured, one picture, the players' colours, and F10
// to look at each of them.
func TestWatcher(t *testing.T) {
	g := join(t, true)
	g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	g.openPage(t, "Score")
	compose := func() string {
		f := &g.screen.frame
		g.session.HUD.Refresh(g.session.Lab)
		g.session.HUD.Compose(f, g.session.Lab, g.pictureRect(), g.stageOptions("", ""), 1)
		g.lay(t, widget.Input{})
		text := ""
		for _, list := range []*render.DrawList{&f.Overlay, &g.panel.ui.Frame, &g.panel.ui.Body} {
			for _, it := range list.Items {
				text += it.Text + "\n"
			}
		}
		return text
	}
	text := compose()
	for _, no := range []string{"RTT 0", "down 0", "0.000", "same inputs", "space", "overshoot", "replayed"} {
		if strings.Contains(text, no) {
			t.Errorf("%q in %q", no, text)
		}
	}
	if n := len(g.screen.frame.Viewports); n != 1 {
		t.Errorf("%d pictures", n)
	}
	for _, yes := range []string{"player 1", "player 2", "F10"} {
		if !strings.Contains(text, yes) {
			t.Errorf("no %q in %q", yes, text)
		}
	}
	for _, player := range []string{"at player 2", "at player 1"} {
		g.session.Controls.NextScreen()
		g.advance(t, 20)
		if text := compose(); !strings.Contains(text, player) {
			t.Errorf("F10 does not look %s: %q", player, text)
		}
	}
}
