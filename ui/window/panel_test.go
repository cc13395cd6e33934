package window

import (
	"fmt"
	"image"
	"os"
	"slices"
	"strings"
	"testing"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
	"ghostcube/ui/widget"
)

// lay lays out the panel in a window, with the pointer outside unless in says otherwise, and applies its commands.
func (g *game) lay(t *testing.T, in widget.Input) {
	t.Helper()
	if g.screen.w == 0 {
		g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	}
	g.stage.Refresh(g.lab)
	g.buildPanel(in)
	g.buildCard(in)
	if err := g.applyPanel(); err != nil {
		t.Fatal(err)
	}
}

// openPage lays out a page of the panel.
func (g *game) openPage(t *testing.T, name string) {
	t.Helper()
	g.panel.page = slices.IndexFunc(pages(), func(p page) bool { return p.name == name })
	g.lay(t, widget.Input{})
	g.lay(t, widget.Input{})
}

// bounds returns the place of a control in the last layout, in pixels.
func (g *game) bounds(t *testing.T, name string) image.Rectangle {
	t.Helper()
	for _, c := range g.panel.controls {
		if c.name == name {
			return c.bounds
		}
	}
	t.Fatalf("no control %q in %v", name, g.panel.controls)
	return image.Rectangle{}
}

// click clicks the middle of a control.
func (g *game) click(t *testing.T, name string) {
	t.Helper()
	r := g.bounds(t, name)
	at := r.Min.Add(r.Size().Div(2))
	g.lay(t, widget.Input{Pointer: at, Down: true, Pressed: true})
	g.lay(t, widget.Input{Pointer: at})
	g.lay(t, widget.Input{})
}

// typeText replaces the text of a field.
func (g *game) typeText(t *testing.T, name, text string) {
	t.Helper()
	g.click(t, name)
	g.lay(t, widget.Input{Text: text})
	g.lay(t, widget.Input{Enter: true})
}

// windowSize is a size of the window in pixels, and the pixels per point of its display.
type windowSize struct {
	w, h  int
	scale float64
}

// windowSizes are the windows in which every text fits: three sizes in points at four scales of the display, and
// 1920x1080 pixels at all of them.
var windowSizes = func() (list []windowSize) {
	for _, scale := range []float64{1, 1.25, 1.5, 2} {
		for _, points := range [][2]float64{{900, 600}, {1280, 720}, {1920, 1080}} {
			list = append(list, windowSize{int(points[0] * scale), int(points[1] * scale), scale})
		}
		if scale > 1 {
			list = append(list, windowSize{1920, 1080, scale})
		}
	}
	return list
}()

// TestPanelTexts promises that no label, title, value or tooltip of any page is cut, and that each tooltip lies in
// the window, for every strategy, in all windowSizes.
func TestPanelTexts(t *testing.T) {
	sizes := windowSizes
	tooltips := map[string]bool{}
	var games []*game
	for _, s := range lab.Strategies {
		games = append(games, newTestGame(t, s.Name))
	}
	games = append(games, newTestGame(t, "snapshot", "rewind", "lockstep", "historyoffset"))
	for _, g := range games {
		comparisons, err := g.Library.Comparisons()
		if err != nil {
			t.Fatal(err)
		}
		g.Comparisons = comparisons
		g.execute(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "latency=123ms,jitter=17ms,loss=12.5%,bandwidth=1000000kbit,down.shape=uniform-positive"})
		g.runTicks(t, 20)
		g.nudgeServer()
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
					t.Errorf("%s, %s at %+v: cut %q", g.lab.Panes[0].Strategy.Name, p.name, size, cut)
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
	if len(tooltips) < 300 {
		t.Errorf("only %d tooltips", len(tooltips))
	}
	for _, size := range sizes {
		window := image.Rect(0, 0, size.w, size.h)
		var ui widget.UI
		for text := range tooltips {
			ui.Begin(widget.Input{Pointer: image.Pt(size.w-2, size.h-2)}, window, window, float32(size.scale))
			ui.Explain(window, text)
			ui.End()
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
	g := newTestGame(t, "rewind")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 3000, 1
	setup := "latency=50ms,reorder-delay=50ms,spike=100ms,bandwidth=256kbit,swing-every=8s,pause-every=4s,outage-every=9s"
	keys := map[string]bool{"rtt": true, "shape": true, "trace": true} // the first is another name of latency; the others are lists
	for _, group := range conditionGroups {
		for i := range group.list {
			c := &group.list[i]
			keys[c.key] = true
			for direction, name := range directionNames {
				g.execute(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: setup})
				g.panel.direction = direction
				g.openPage(t, "Network")
				g.typeText(t, c.key+" number", "12")
				w := g.lab.Network()
				up, down := c.get(&w.Up), c.get(&w.Down)
				if (up != 12) != (name == "down") || (down != 12) != (name == "up") {
					t.Errorf("12 for %s, %s, sets up to %g and down to %g; notices %v", c.key, name, up, down, g.notices.list)
				}
			}
		}
	}
	for _, p := range link.ParamHelp() {
		if !keys[p[0]] {
			t.Errorf("the condition %s has no control", p[0])
		}
	}
	g.panel.direction = 0
	for control, option := range map[string]string{"shape": "gamma", "trace": g.Library.TraceNames()[0]} {
		g.openPage(t, "Network")
		g.click(t, control)
		g.click(t, control+" "+option)
		if control == "shape" && g.lab.Network().Up.Shape.String() != option || control == "trace" && g.lab.Network().Down.Trace == nil {
			t.Errorf("%s was not set to %s; notices %v", control, option, g.notices.list)
		}
	}
}

// TestSeedField promises that letters in the seed's field change nothing and a number restarts with that seed.
func TestSeedField(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.openPage(t, "Compare")
	g.typeText(t, "seed", "12a")
	g.lay(t, widget.Input{Escape: true})
	if seed := g.lab.Network().Seed; seed != 1 {
		t.Errorf("letters set the seed %d", seed)
	}
	g.typeText(t, "seed", "18446744073709551615")
	if seed := g.lab.Network().Seed; seed != 1<<64-1 {
		t.Errorf("the seed is %d; notices %v", seed, g.notices.list)
	}
}

// TestKnobGroups promises that every knob of every strategy has one heading, and that no heading lists a knob that
// does not exist.
func TestKnobGroups(t *testing.T) {
	exists, listed := map[string]bool{}, map[string]int{}
	for _, s := range lab.Strategies {
		knobs, _ := lab.Describe(s)
		for _, k := range knobs.All() {
			exists[k.Name] = true
			if knobGroup(k.Name) == len(knobGroups) {
				t.Errorf("%s:%s has no group", s.Name, k.Name)
			}
		}
	}
	for _, group := range knobGroups {
		for _, name := range group.names {
			if listed[name]++; listed[name] > 1 || !exists[name] {
				t.Errorf("%s: %s is listed %d times and exists: %v", group.title, name, listed[name], exists[name])
			}
		}
	}
}

// TestKnobControls promises that a knob is set by keyboard, that its reset and the reset of all restore defaults, and
// that a knob without effect does not react.
func TestKnobControls(t *testing.T) {
	g := newTestGame(t, "noprediction", "rewind")
	g.execute(lab.Command{Verb: "focus", Pane: 1})
	g.screen.w, g.screen.h, g.screen.scale = 1280, 3000, 1
	g.openPage(t, "Strategy")
	value := func(name string) string { return g.lab.Panes[1].Knobs.Lookup(name).Value() }
	g.typeText(t, "lead number", "9")
	g.typeText(t, "snap-distance number", "1.25")
	if value("lead") != "9" || value("snap-distance") != "1.25" {
		t.Fatalf("lead %s, snap-distance %s; notices %v", value("lead"), value("snap-distance"), g.notices.list)
	}
	g.lay(t, widget.Input{})
	g.click(t, "reset lead")
	if value("lead") != "5" || value("snap-distance") != "1.25" {
		t.Errorf("after the reset of lead: lead %s, snap-distance %s", value("lead"), value("snap-distance"))
	}
	g.click(t, "reset all knobs")
	if changed := g.lab.Panes[1].Knobs.Changed(); len(changed) > 0 {
		t.Errorf("after the reset of all: %v", changed)
	}
	r := g.bounds(t, "smooth-factor") // needs smoothing=single
	g.lay(t, widget.Input{Pointer: r.Max.Sub(image.Pt(3, 3)), Down: true, Pressed: true})
	g.lay(t, widget.Input{})
	if value("smooth-factor") != "0.9" {
		t.Errorf("a knob without effect was set to %s", value("smooth-factor"))
	}
	g.panel.knobFilter = "smooth-turn"
	g.lay(t, widget.Input{})
	for _, c := range g.panel.controls {
		if c.name == "lead" {
			t.Error("a search for smooth-turn shows lead")
		}
	}
	g.bounds(t, "smooth-turn-small")
}

// TestTunedKnobs promises that a pane that returns to a strategy has the knobs that were tuned there, by key and by
// the panel's list, for each pane on its own.
func TestTunedKnobs(t *testing.T) {
	g := newTestGame(t, "rewind", "rewind")
	g.execute(lab.Command{Verb: "set", Pane: 0, Name: "lead", Value: "11"})
	g.switchStrategy(3)
	g.execute(lab.Command{Verb: "set", Pane: 0, Name: "snapshot-every", Value: "6"})
	g.switchStrategy(1)
	if spec := g.lab.Panes[0].Spec(); spec != "rewind:lead=11" {
		t.Errorf("back at rewind: %s", spec)
	}
	g.openPage(t, "Strategy")
	g.click(t, "strategy 1")
	g.click(t, "strategy 1 snapshot")
	if spec := g.lab.Panes[0].Spec(); spec != "snapshot:snapshot-every=6" {
		t.Errorf("back at snapshot: %s", spec)
	}
	if spec := g.lab.Panes[1].Spec(); spec != "rewind" {
		t.Errorf("the other pane: %s", spec)
	}
}

// TestPresets promises that a saved preset starts the same session, that --config reads it, and that the copied command
// line has the same settings.
func TestPresets(t *testing.T) {
	g := playSettings(t, plan.Settings{Compare: "lockstep-delay"})
	g.runTicks(t, 10)
	g.execute(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "up.loss", Value: "7%"})
	g.execute(lab.Command{Verb: "set", Pane: 0, Name: "catch-up", Value: "2"})
	g.execute(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "snapshot:interpolation=linear"})
	g.execute(lab.Command{Verb: "seed", Pane: lab.AllPanes, Value: "9223372036854775807"})
	want := g.sessionSettings()
	g.openPage(t, "Compare")
	g.typeText(t, "preset name", "class-3")
	g.click(t, "save preset")
	text, err := os.ReadFile(g.presetFile("class-3"))
	if err != nil {
		t.Fatalf("%v; notices %v", err, g.notices.list)
	}
	read, err := g.Library.ReadSettings("class-3.toml", text)
	if err != nil || read != want {
		t.Errorf("%v: the preset\n%s\nis read as\n%+v, want\n%+v", err, text, read, want)
	}
	wantConfig, wantPanes := g.lab.Config(), specsOf(g)
	g.startComparison("csp-clean")
	if err := g.applyPanel(); err != nil {
		t.Fatal(err)
	}
	g.loadPreset("class-3")
	if err := g.applyPanel(); err != nil {
		t.Fatal(err)
	}
	if got := g.lab.Config(); fmt.Sprint(got) != fmt.Sprint(wantConfig) || specsOf(g) != wantPanes || !g.tapePlaying() {
		t.Errorf("the preset starts %+v with %s, want %+v with %s", got, specsOf(g), wantConfig, wantPanes)
	}
	var line string
	g.panel.copyText = func(text string) error {
		line = text
		return nil
	}
	g.copyCommand()
	for _, part := range []string{"--scene katamari", "--panes lockstep:playout=950ms:catch-up=2,snapshot:interpolation=linear", "up.loss=0.07", "--seat host", "--seed 9223372036854775807", "--tape katamari-ball"} {
		if !strings.Contains(line, part) {
			t.Errorf("the command line %s lacks %s", line, part)
		}
	}
	if checkPresetName("../up") == nil || checkPresetName("a b") == nil || checkPresetName("Good-1") != nil {
		t.Error("names of presets")
	}
}

func specsOf(g *game) string {
	var list []string
	for _, p := range g.lab.Panes {
		list = append(list, p.Spec())
	}
	return strings.Join(list, ",")
}

// TestShownSettings promises that the copied command names the display settings that have changed.
func TestShownSettings(t *testing.T) {
	s := stage.DefaultSettings
	s.Yaw, s.Ages = 90, true
	if got := shownSettings(s, "plain", 1); got != "ages=on,yaw=90" {
		t.Errorf("%s", got)
	}
	s.Split = false
	if got := shownSettings(s, "plain", 2); got != "ages=on,yaw=90" {
		t.Errorf("with two panes: %s", got)
	}
}

// TestPaneLimit promises that a fifth pane cannot be added and the last one cannot be closed, and that both buttons say
// why.
func TestPaneLimit(t *testing.T) {
	g := newTestGame(t, "rewind")
	for i, want := range []int{2, 3, 4, 4} {
		g.openPage(t, "Strategy")
		if g.click(t, "add pane"); len(g.lab.Panes) != want {
			t.Errorf("press %d: %d panes, want %d", i, len(g.lab.Panes), want)
		}
	}
	for range 5 {
		g.openPage(t, "Strategy")
		g.click(t, "close pane")
	}
	if len(g.lab.Panes) != 1 || len(g.notices.list) > 0 {
		t.Errorf("%d panes, notices %v", len(g.lab.Panes), g.notices.list)
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

// TestComparisonFilter promises that all words of the filter have to occur, and that a click on an entry of the list
// starts its session.
func TestComparisonFilter(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.Comparisons, _ = g.Library.Comparisons()
	g.openPage(t, "Compare")
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
	if g.plan.Comparison == nil || g.plan.Comparison.Name != "lockstep-delay" {
		t.Errorf("the session is %+v", g.plan.Comparison)
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
	g := newTestGame(t, "rewind", "snapshot")
	g.Comparisons, _ = g.Library.Comparisons()
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
			if strings.HasPrefix(c.name, "compare ") && next(8) > 0 || c.name == "record" || c.name == "full screen" || c.name == "copy command" || strings.HasPrefix(c.name, "scene") {
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
		g.paused = false
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
	g.execute(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: "latency=75ms"})
	g.runTicks(t, 60)
	correct := func() int {
		g.nudgeServer()
		g.runTicks(t, 30)
		return g.lab.Panes[0].Corrections.Total() - 1
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
	if g.click(t, later); g.callout() == nil || !g.paused {
		t.Error("a click does not select the correction")
	}
}

// TestViewControls promises that every display setting has a control that sets it.
func TestViewControls(t *testing.T) {
	g := newTestGame(t, "rewind", "snapshot")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 2000, 1
	g.openPage(t, "View")
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		value := func() string {
			s := g.settings()
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
		default:
			g.typeText(t, d.Name, "pops_per_minute")
		}
		if value() == before {
			t.Errorf("the control of %s leaves it at %s; notices %v", d.Name, before, g.notices.list)
		}
	}
}
