package window

import (
	"errors"
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/ui/hud"
	"ghostcube/ui/session"
	"ghostcube/ui/stage"
	"ghostcube/ui/widget"
)

// TestPanelTexts promises that no label, title, value or tooltip of any page is cut, and that each tooltip lies in
// the window, for every strategy, in all windowSizes.
func TestPanelTexts(t *testing.T) {
	experiment.Skip(t)
	sizes := windowSizes
	tooltips := map[string]bool{}
	var games []*game
	for _, s := range lab.Strategies {
		games = append(games, newTestGame(t, s.Name))
	}
	games = append(games, newTestGame(t, "snapshot", "rewind", "lockstep", "historyoffset"))
	for _, g := range games {
		comparisons, err := g.session.Library.Comparisons()
		if err != nil {
			t.Fatal(err)
		}
		g.session.Comparisons = comparisons
		g.session.Do(lab.Command{Verb: "network", Pane: lab.AllPanes,
			Value: "latency=123ms,jitter=17ms,loss=12.5%,bandwidth=1000000kbit,down.shape=uniform-positive"})
		g.runTicks(t, 20)
		g.session.Controls.NudgeServer()
		g.runTicks(t, 20)
		g.panel.ui.OnHelp = func(text string) { tooltips[text] = true }
		for _, size := range sizes {
			g.screen.w, g.screen.h, g.screen.scale = size.w, size.h, size.scale
			for _, p := range pages() {
				if p.name == "Compare" && g != games[0] {
					continue
				}
				g.openPage(t, p.name)
				if cut := g.panel.ui.Cut(); len(cut) > 0 {
					t.Errorf("%s, %s at %+v: cut %q", g.session.Lab.Panes[0].Strategy.Name, p.name, size, cut)
				}
				view := g.panel.ui.View
				for _, it := range append(slices.Clone(g.panel.ui.Body.Items), g.panel.ui.Frame.Items...) {
					if it.Text != "" && (it.X < float32(view.Min.X) || it.X+it.Font.Width(it.Text) > float32(size.w)) {
						t.Errorf("%s at %+v: %q leaves the panel", p.name, size, it.Text)
					}
				}
			}
		}
	}
	for _, size := range sizes {
		window := image.Rect(0, 0, size.w, size.h)
		var ui widget.UI
		for text := range tooltips {
			ui.Update(widget.Input{Pointer: image.Pt(size.w-2, size.h-2)}, window, window, float32(size.scale), func() { ui.Explain(window, text) })
			for _, it := range ui.Popup.Items {
				if w := max(it.W, it.Font.Width(it.Text)); it.X < 0 || it.Y < 0 || it.X+w > float32(size.w) || it.Y+it.H > float32(size.h) {
					t.Errorf("%+v: the tooltip %q leaves the window", size, text)
					break
				}
			}
			if len(ui.Cut()) > 0 {
				t.Errorf("%+v: cut tooltip %q", size, ui.Cut())
			}
		}
	}
}

// TestEveryControlExplained promises a tooltip for every control of every page.
func TestEveryControlExplained(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "historyoffset", "statesync")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 6000, 1
	for _, p := range pages() {
		g.openPage(t, p.name)
		for _, c := range slices.Clone(g.panel.controls) {
			g.lay(t, widget.Input{Pointer: c.bounds.Min.Add(c.bounds.Size().Div(2))})
			if len(g.panel.ui.Popup.Items) == 0 {
				t.Errorf("%s: %q has no tooltip", p.name, c.name)
			}
		}
	}
}

// TestConditionControls promises a control for every condition of the network, and that each sets the condition that
// it names, in both directions or in one.
func TestConditionControls(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 3000, 1
	setup := "latency=50ms,reorder-delay=50ms,spike=100ms,bandwidth=256kbit,swing-every=8s,pause-every=4s,outage-every=9s,far-player=2"
	keys := map[string]bool{"rtt": true, "shape": true, "trace": true} // the first is another name of latency; the others are lists
	for _, group := range conditionGroups {
		for i := range group.list {
			c := &group.list[i]
			keys[c.key] = true
			for direction, name := range directionNames {
				g.session.Do(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: setup})
				g.panel.network.direction = direction
				g.openPage(t, "Network")
				value := min(12, c.max)
				g.typeText(t, c.key+" number", plainText(value))
				w := g.session.Lab.Network()
				up, down := c.get(&w.Up), c.get(&w.Down)
				if (up != value) != (name == "down") || (down != value) != (name == "up") {
					t.Errorf("%v for %s, %s, sets up to %g and down to %g; notices %v", value, c.key, name, up, down, g.session.Notices.Texts())
				}
			}
		}
	}
	for _, p := range link.ParamHelp() {
		if !keys[p[0]] {
			t.Errorf("the condition %s has no control", p[0])
		}
	}
	g.panel.network.direction = 0
	for control, option := range map[string]string{"shape": "gamma", "trace": g.session.Library.TraceNames()[0]} {
		g.openPage(t, "Network")
		g.click(t, control)
		g.click(t, control+" "+option)
		if control == "shape" && g.session.Lab.Network().Up.Shape.String() != option || control == "trace" && g.session.Lab.Network().Down.Trace == nil {
			t.Errorf("%s was not set to %s; notices %v", control, option, g.session.Notices.Texts())
		}
	}
}

// TestSeedField promises that letters in the seed's field change nothing and a number restarts with that seed.
func TestSeedField(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind")
	g.openPage(t, "Session")
	g.typeText(t, "seed", "12a")
	g.lay(t, widget.Input{Escape: true})
	if seed := g.session.Lab.Network().Seed; seed != 1 {
		t.Errorf("letters set the seed %d", seed)
	}
	g.typeText(t, "seed", "18446744073709551615")
	if seed := g.session.Lab.Network().Seed; seed != 1<<64-1 {
		t.Errorf("the seed is %d; notices %v", seed, g.session.Notices.Texts())
	}
}

// TestPaneLimit promises that a fifth pane cannot be added and the last one cannot be closed, and that both buttons say
// why.
func TestPaneLimit(t *testing.T) {
	g := newTestGame(t, "rewind")
	for i, want := range []int{2, 3, 4, 4} {
		g.openPage(t, "Strategy")
		if g.click(t, "add pane"); len(g.session.Lab.Panes) != want {
			t.Errorf("press %d: %d panes, want %d", i, len(g.session.Lab.Panes), want)
		}
	}
	for range 5 {
		g.openPage(t, "Strategy")
		g.click(t, "close pane")
	}
	if len(g.session.Lab.Panes) != 1 || len(g.session.Notices.Texts()) > 0 {
		t.Errorf("%d panes, notices %v", len(g.session.Lab.Panes), g.session.Notices.Texts())
	}
}

// remoteLab is a session whose server runs in another process, as far as the panel knows.
type remoteLab struct {
	session.Remote
	applied []lab.Command
	said    []string
	never   error // of every line
	busy    error // for now
}

func (r *remoteLab) Apply(c lab.Command) error { r.applied = append(r.applied, c); return nil }
func (r *remoteLab) Due() int                  { return 0 }
func (r *remoteLab) Label() string             { return "player 2" }
func (r *remoteLab) News() []string            { return nil }
func (r *remoteLab) CheckSay(string) error     { return r.never }

func (r *remoteLab) Say(text string) error {
	if r.busy == nil {
		r.said = append(r.said, text)
	}
	return r.busy
}

// TestPanelOfJoinedSession promises that what needs the whole session cannot be pressed in a joined one, and says why.
func TestPanelOfJoinedSession(t *testing.T) {
	g := newTestGame(t, "rewind")
	r := &remoteLab{}
	g.session.Remote = r
	tooltips := map[string]bool{}
	g.panel.ui.OnHelp = func(text string) { tooltips[text] = true }
	for page, names := range map[string][]string{
		"Strategy": {"pause", "step", "restart", "record", "add pane", "strategy 1"}, "Session": {"scene", "seat"},
	} {
		for _, name := range names {
			g.openPage(t, page)
			g.click(t, name)
			if g.session.Paused || g.session.Videos.Recording() || g.panel.ui.Open() || len(r.applied) > 0 || len(g.session.Notices.Texts()) > 0 {
				t.Fatalf("%s can be pressed: commands %v, notices %v", name, r.applied, g.session.Notices.Texts())
			}
		}
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(tooltips)), func(text string) bool { return strings.HasPrefix(text, g.session.Whole()) }) {
		t.Errorf("no tooltip says why: %v", tooltips)
	}
}

// TestTalk promises that a key leads to the field for a line to all players, from a hidden panel, too, that Enter says it, and
// that the keys are the player's again then. Where no one else is, the key says so.
func TestTalk(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.openPage(t, "Strategy")
	if g.talk(); len(g.session.Notices.Texts()) != 1 {
		t.Errorf("alone: notices %v", g.session.Notices.Texts())
	}
	r := &remoteLab{}
	g.session.Remote = r
	g.screen.hide()
	g.talk()
	g.lay(t, widget.Input{})
	g.lay(t, widget.Input{Text: "well met"})
	g.lay(t, widget.Input{Enter: true})
	g.lay(t, widget.Input{Text: "w"})
	g.lay(t, widget.Input{Enter: true})
	if !slices.Equal(r.said, []string{"well met"}) {
		t.Errorf("said %q", r.said)
	}
	g.talk()
	g.lay(t, widget.Input{})
	g.lay(t, widget.Input{Text: "too long"})
	r.never = errors.New("want 1 to 7")
	g.lay(t, widget.Input{Enter: true})
	if len(r.said) > 1 {
		t.Errorf("said %q", r.said)
	}
	r.never, r.busy = nil, errors.New("wait") // the line is still there, to be changed
	g.lay(t, widget.Input{Enter: true})
	r.busy = nil
	g.lay(t, widget.Input{})
	g.lay(t, widget.Input{})
	if !slices.Equal(r.said[1:], []string{"too long"}) {
		t.Errorf("said %q", r.said)
	}
}

// TestCollapse promises that the picture gets the room of a collapsed panel, and that its button brings it back.
func TestCollapse(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.openPage(t, "View")
	open := g.pictureRect()
	g.click(t, "collapse")
	if got := g.pictureRect(); got.W != 1280-collapsedWidth || open.W != 1280-panelWidth {
		t.Errorf("the picture is %d wide beside the panel and %d without", open.W, got.W)
	}
	g.click(t, "collapse")
	if got := g.pictureRect(); got != open {
		t.Errorf("after opening it again: %v, want %v", got, open)
	}
}

// TestComparisonFilter promises that all words of the filter have to occur, that a word of the field finds the comparisons of
// its strategy, and that a click on an entry of the list starts its session.
func TestComparisonFilter(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.session.Comparisons, _ = g.session.Library.Comparisons()
	g.openPage(t, "Compare")
	g.typeText(t, "filter comparisons", "ggpo 75 ms")
	g.lay(t, widget.Input{Escape: true})
	g.bounds(t, "compare rollback-input-delay")
	g.typeText(t, "filter comparisons", "lockstep one second")
	g.lay(t, widget.Input{Escape: true})
	var found []string
	for _, c := range g.panel.controls {
		if name, ok := strings.CutPrefix(c.name, "compare "); ok {
			found = append(found, name)
		}
	}
	if !slices.Contains(found, "lockstep-delay") || slices.Contains(found, "csp-clean") {
		t.Fatalf("found %v", found)
	}
	g.click(t, "compare lockstep-delay")
	if g.session.Plan.Comparison == nil || g.session.Plan.Comparison.Name != "lockstep-delay" {
		t.Errorf("the session is %+v", g.session.Plan.Comparison)
	}
}

// TestKeysAfterTyping promises that the key that ends typing, such as Enter, does not act on the player while it is
// still down.
func TestKeysAfterTyping(t *testing.T) {
	var p panel
	for i, c := range []struct {
		typing  bool
		pressed int
		want    bool
	}{{false, 1, false}, {true, 1, true}, {false, 1, true}, {false, 2, true}, {false, 0, false}, {false, 1, false}} {
		if got := p.keepKeys(c.typing, c.pressed); got != c.want {
			t.Errorf("step %d: %v, want %v", i, got, c.want)
		}
	}
}

// TestRandomOperations promises that random clicks, drags, wheel turns, typed texts and resizes on all pages neither
// stop the program nor leave a page of the panel out of reach.
func TestRandomOperations(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind", "snapshot")
	g.session.Comparisons, _ = g.session.Library.Comparisons()
	random := uint32(1)
	next := func(n int) int {
		random ^= random << 13
		random ^= random >> 17
		random ^= random << 5
		return int(random % uint32(n))
	}
	g.lay(t, widget.Input{})
	texts := []string{"7", "-3", "abc", "1e9", "lock", " ", "é", "\x00", "0.5", "wifi"}
	for i := range 1000 {
		if i%50 == 0 {
			g.screen.w, g.screen.h, g.screen.scale = 320+next(1600), 240+next(840), []float64{1, 1.25, 1.5, 2}[next(4)]
			g.lay(t, widget.Input{})
		}
		list := g.panel.controls
		at := image.Pt(next(g.screen.w), next(g.screen.h))
		if len(list) > 0 && next(8) > 0 {
			c := list[next(len(list))]
			if strings.HasPrefix(c.name, "compare ") && next(8) > 0 || c.name == "record" || c.name == "full screen" ||
				c.name == "copy command" || strings.HasPrefix(c.name, "scene") {
				continue // these work on the world, the screen or the terminal
			}
			at = c.bounds.Min.Add(image.Pt(next(c.bounds.Dx()), next(c.bounds.Dy())))
		}
		switch next(6) {
		case 0:
			g.lay(t, widget.Input{Pointer: at, Wheel: float64(next(7) - 3)})
		case 1:
			g.lay(t, widget.Input{Text: texts[next(len(texts))], Backspace: next(4) == 0, Left: next(3) == 0, SelectAll: next(5) == 0})
			g.lay(t, widget.Input{Enter: next(2) == 0, Escape: next(3) == 0})
		default:
			g.lay(t, widget.Input{Pointer: at, Down: true, Pressed: true})
			g.lay(t, widget.Input{Pointer: at.Add(image.Pt(next(200)-100, next(60)-30)), Down: true})
			g.lay(t, widget.Input{Pointer: at})
		}
		g.session.Paused = false
		if i%5 == 0 {
			g.runTicks(t, 1)
		}
	}
	g.screen.w, g.screen.h, g.screen.scale, g.screen.panelCollapsed = 1280, 720, 1, false
	g.lay(t, widget.Input{Escape: true})
	for i, p := range pages() {
		g.lay(t, widget.Input{})
		if g.click(t, "tab "+p.name); g.panel.page != i {
			t.Errorf("the page %s is out of reach", p.name)
		}
	}
}

// TestCorrectionList promises that new corrections appear at the top of the list, unless the pointer is over one: then
// the rows stay where they are, so that a click hits what the user sees.
func TestCorrectionList(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.session.Do(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "latency=75ms"})
	g.runTicks(t, 60)
	correct := func() int {
		g.session.Controls.NudgeServer()
		g.runTicks(t, 30)
		return g.session.Lab.Panes[0].Corrections.Total() - 1
	}
	g.openPage(t, "Corrections")
	empty := image.Pt(1200, 600)
	g.lay(t, widget.Input{Pointer: empty})
	newest := fmt.Sprint("correction ", correct())
	g.lay(t, widget.Input{Pointer: empty})
	r := g.bounds(t, newest)
	at := r.Min.Add(image.Pt(9, 9))
	g.lay(t, widget.Input{Pointer: at})
	later := fmt.Sprint("correction ", correct())
	g.lay(t, widget.Input{Pointer: at})
	if g.bounds(t, newest) != r {
		t.Errorf("%s moved under the pointer from %v to %v", newest, r, g.bounds(t, newest))
	}
	g.lay(t, widget.Input{Pointer: empty})
	g.lay(t, widget.Input{Pointer: empty})
	if g.bounds(t, later).Min != r.Min {
		t.Errorf("%s is at %v", later, g.bounds(t, later))
	}
	if g.click(t, later); g.session.Selection.Callout() == nil || !g.session.Paused {
		t.Error("a click does not select the correction")
	}
	g.click(t, newest)
	if g.bounds(t, later).Empty() || g.session.Lab.Panes[0].Corrections.Total() > g.session.Past.Corrections(g.session.Lab.Panes[0]).Total()-1 {
		t.Error("a click on an earlier correction takes the later one from the list")
	}
	at1 := g.session.Lab.Ticks()
	if g.click(t, later); g.session.Lab.Ticks() <= at1 {
		t.Errorf("a click on the later correction leads from tick %d to %d", at1, g.session.Lab.Ticks())
	}
}

// TestRowsNameUnits promises that no name of a condition ends in a comma, and that the knobs of a strategy keep the place of their
// sliders when they change.
func TestRowsNameUnits(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.openPage(t, "Network")
	if text := g.bodyText(); strings.Contains(text, "far-player,") || !strings.Contains(text, "far-player") {
		t.Errorf("the page says\n%s", text)
	}
	g.openPage(t, "Strategy")
	before := g.bounds(t, "smooth-factor-large")
	g.session.Do(lab.Command{Verb: "set", Pane: 0, Name: "smooth-factor-large", Value: "0.5"})
	g.lay(t, widget.Input{})
	if after := g.bounds(t, "smooth-factor-large"); after.Min.X != before.Min.X || after.Dx() != before.Dx() {
		t.Errorf("the control of a knob is at %v, changed at %v", before, after)
	}
}

// TestTitleField promises that a title typed on the page Session stands in the head, and with none the comparison's again.
func TestTitleField(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind")
	g.openPage(t, "Session")
	head := func() (texts string) {
		var f hud.Frame
		g.session.HUD.Compose(&f, g.session.Lab, stage.Rect{W: 1280, H: 720}, g.stageOptions("Without", ""), 1)
		for _, x := range f.Overlay.Items {
			texts += x.Text + "\n"
		}
		return texts
	}
	for _, title := range []string{"Two cubes, 100 ms", ""} {
		g.click(t, "video title")
		g.lay(t, widget.Input{Backspace: true})
		g.lay(t, widget.Input{Text: title})
		g.lay(t, widget.Input{Enter: true})
		if got := g.session.Settings().Title; string(got) != title || strings.Contains(head(), "Two cubes, 100 ms\n") != (title != "") ||
			strings.Contains(head(), "Without\n") != (title == "") {
			t.Errorf("%q typed: the title is %q, and the head has\n%s", title, got, head())
		}
	}
}

// TestViewControls promises that every display setting has a control that sets it.
func TestViewControls(t *testing.T) {
	g := newTestGame(t, "rewind", "snapshot")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 2000, 1
	g.openPage(t, "View")
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		if d.Name == "title" { // TestTitleField
			continue
		}
		value := func() string {
			s := g.session.Settings()
			return d.Value(&s)
		}
		before := value()
		switch options := d.Options(); {
		case len(options) == 2:
			g.click(t, d.Name)
		case len(options) > 2:
			g.click(t, d.Name)
			g.click(t, d.Name+" "+options[len(options)-1])
		case d.Max > d.Min:
			g.typeText(t, d.Name+" number", plainText(d.Max))
		case d.Name == "player":
			g.typeText(t, d.Name, "1:2")
		default:
			g.click(t, d.Name)
			g.click(t, d.Name+" "+headlineTitles()[1])
		}
		if value() == before {
			t.Errorf("the control of %s leaves it at %s; notices %v", d.Name, before, g.session.Notices.Texts())
		}
	}
}
