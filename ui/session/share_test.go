package session

import (
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// copied returns the text that one of the ways to copy a link copies.
func copied(g *testSession, link func()) (text string) {
	g.Platform.CopyText = func(s string) error {
		text = s
		return nil
	}
	link()
	return text
}

// openLink returns a game that a link has opened, at its moment.
func openLink(t *testing.T, text string) *testSession {
	t.Helper()
	x, err := plan.ParseLink(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	g := playSettings(t, x.Settings)
	show, err := stage.ParseShow(x.Show)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range show {
		g.Do(c)
	}
	g.Page, g.Embed = x.Page, x.Embed
	if g.RunUp = x.Ticks(g.Plan.Config.Rate); g.RunUp > 0 {
		if err := g.MakeRunUp(func() bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// TestCopiedLink promises that a copied link starts the same session with its changes and its display, and that it has
// no more than those.
func TestCopiedLink(t *testing.T) {
	experiment.Skip(t)
	g := playSettings(t, plan.Settings{Compare: "csp-redundancy"})
	g.runTicks(t, 30)
	if got := copied(g, g.Links.CopySettings); got != "?compare=csp-redundancy" {
		t.Errorf("an unchanged comparison has the link %s", got)
	}
	g.Paused = true
	if got := copied(g, g.Links.CopySettings); got != "?compare=csp-redundancy&at=469ms" {
		t.Errorf("an unchanged comparison that is paused has the link %s", got)
	}
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "loss", Value: "7%"})
	g.Do(lab.Command{Verb: "set", Pane: 1, Name: "lead", Value: "3"})
	g.Do(stage.Show("color", "age"))
	g.Page = "https://example.org/lab/"
	text := copied(g, g.Links.CopySettings)
	if !strings.HasPrefix(text, "https://example.org/lab/?compare=csp-redundancy&panes=") ||
		!strings.Contains(text, "&show=color=age") || strings.Contains(text, "&at=") {
		t.Errorf("a changed comparison has the link %s", text)
	}
	again := openLink(t, text)
	if specsOf(again) != specsOf(g) || again.Settings() != g.Settings() {
		t.Errorf("%s starts %s, want %s", text, specsOf(again), specsOf(g))
	}
	one, other := g.Lab.Config(), again.Lab.Config()
	if one.Network.String() != other.Network.String() {
		t.Errorf("%s has the network %s, want %s", text, other.Network.String(), one.Network.String())
	}
	if got := copied(again, again.Links.CopySettings); got != text {
		t.Errorf("the session of %s has the link %s", text, got)
	}
	if line := copied(g, g.Links.CopyFrame); !strings.HasPrefix(line, `<iframe src="https://example.org/lab/?compare=csp-redundancy&amp;panes=`) ||
		!strings.Contains(line, `&amp;embed=1" width="640" height="360"`) ||
		strings.Contains(line, "script") {
		t.Errorf("the line of a frame is %s", line)
	}
}

// TestLinkOfMoment promises that a link to a moment leads to the same hash, with the timeline before it, and that a
// session that keys have led elsewhere has no such link but with its tape.
func TestLinkOfMoment(t *testing.T) {
	experiment.Skip(t)
	g := playSettings(t, plan.Settings{Compare: "csp-redundancy", Network: "wifi-bad"})
	g.playPast(t, 500)
	g.seekNow(t, 321)
	hash := g.Lab.Hash()
	_, want := g.Links.Hashes()
	text := copied(g, g.Links.CopySettings)
	again := openLink(t, text)
	if again.Lab.Hash() != hash || again.Lab.Ticks() != 321 || !again.Paused || again.RunUp != 0 {
		t.Errorf("%s leads to tick %d with hash %016x, want tick 321 with %016x", text, again.Lab.Ticks(), again.Lab.Hash(), hash)
	}
	if got := copied(again, again.Links.CopySettings); got != text {
		t.Errorf("the moment of %s has the link %s", text, got)
	}
	tick, hashes := again.Links.Hashes()
	if tick != 321 || !slices.Equal(hashes, want) || len(hashes) != 2 {
		t.Errorf("tick %d and hashes %v, want %v", tick, hashes, want)
	}
	again.seekNow(t, 100) // the timeline goes back
	again.seekNow(t, 321)
	if again.Lab.Hash() != hash {
		t.Error("the way back has another hash")
	}

	g.Past.GoLive()
	g.in.Inputs[0] = sim.Input{Buttons: sim.Left, Heading: 9}
	g.TakeOver()
	g.Paused = false
	g.playPast(t, 60)
	g.Controls.NudgeServer()
	g.Do(stage.Show("ghosts", "off"))
	g.in.Inputs[0] = sim.Input{}
	g.playPast(t, 40)
	g.Paused = true
	if text := copied(g, g.Links.CopySettings); strings.Contains(text, "at=") {
		t.Errorf("a session with keys has the link %s", text)
	}
	g.Page = ""
	if line := copied(g, g.Links.CopyFrame); !strings.HasPrefix(line, `<iframe src="https://example.org/lab/?`) ||
		!strings.Contains(line, `&amp;tape=deflate:`) ||
		!strings.Contains(g.lastNotice(), "with your keys; put the address of your page in place of https://example.org/lab/") {
		t.Errorf("the line of a frame is %s", line)
	}
	text = copied(g, g.Links.CopyTape)
	if len(text) > 2000 {
		t.Errorf("the link with the tape has %d characters", len(text))
	}
	again = openLink(t, text)
	if again.Lab.Hash() != g.Lab.Hash() || again.Lab.Ticks() != g.Lab.Ticks() || again.Settings() != g.Settings() {
		t.Errorf("%s leads to tick %d with hash %016x, want tick %d with %016x", text, again.Lab.Ticks(), again.Lab.Hash(), g.Lab.Ticks(), g.Lab.Hash())
	}
}

// TestLongTapeLink promises that a tape that is too long for a link is refused with what to do instead.
func TestLongTapeLink(t *testing.T) {
	g := newTestSession(t, "noprediction")
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		g.in.Inputs[0] = sim.Input{Buttons: sim.Buttons(1 + random.IntN(15)), Heading: uint8(random.IntN(256))}
		g.runTicks(t, 1)
	}
	if text := copied(g, g.Links.CopyTape); text != "" || !strings.Contains(g.lastNotice(), "longer than 8000 characters: send the session's tape as a file") {
		t.Errorf("%d characters; %v", len(text), g.Notices.list)
	}
}

// TestLinkOfFile promises that the link of a session with a tape from a file has the tape, and not the name.
func TestLinkOfFile(t *testing.T) {
	g := playSettings(t, plan.Settings{Tape: writeTape(t, "30 W\n60 D\nend 90\n")})
	g.playPast(t, 70)
	g.Paused = true
	text := copied(g, g.Links.CopySettings)
	again := openLink(t, text)
	if again.Lab.Hash() != g.Lab.Hash() || !strings.Contains(text, "tape=deflate:") {
		t.Errorf("%s leads to another session", text)
	}
}

// TestDroppedFiles promises that a dropped tape or settings file starts its session, that a dropped trace is that of
// the link, and that any other file is a notice that says what can be dropped.
func TestDroppedFiles(t *testing.T) {
	g := playSettings(t, plan.Settings{Scene: "plain"})
	use := func(name, text string) string {
		t.Helper()
		g.Notices.list = nil
		g.Files.Use(name, []byte(text))
		if _, err := g.StartNext(); err != nil {
			t.Fatal(err)
		}
		return g.lastNotice()
	}
	const hand = "ghostcube tape 2\nscene zen\nseed 5\nnetwork perfect\npane rewind\n---\n30 W\nend 30\n"
	note := use("hand.tape", hand)
	if c := g.Lab.Config(); c.Scene != "zen" || c.Network.Seed != 5 || !g.Playing() || note != "the session of hand.tape" {
		t.Errorf("%+v, notice %q", c, note)
	}
	g.runTicks(t, 30)
	if text := copied(g, g.Links.CopySettings); !strings.HasPrefix(text, "?tape=deflate:") {
		t.Errorf("the session of a dropped tape has the link %s", text)
	}
	if note := use("room.TOML", "scene = \"katamari\"\npanes = [\"snapshot\"]\n"); g.Lab.Config().Scene != "katamari" || specsOf(g) != "snapshot" {
		t.Errorf("%+v, notice %q", g.Lab.Config(), note)
	}
	trace, err := g.Library.InlineTraces("trace=" + g.Library.TraceNames()[0])
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(g.Library.Traces, "traces/"+g.Library.TraceNames()[0]+".csv")
	if err != nil {
		t.Fatal(err)
	}
	if note := use("path.csv", string(text)); !strings.Contains(networkOf(g), trace) {
		t.Errorf("the network is %.200s; notice %q", networkOf(g), note)
	}
	before := networkOf(g)
	for _, x := range [][3]string{
		{"bad.tape", strings.Replace(hand, "30 W", "30 Q", 1), `bad.tape: line 7: input "Q": want letters`},
		{"empty.tape", "", "empty.tape: line 1: not a tape"},
		{"bad.toml", "\nscene = \"katamar\"\n", `bad.toml: line 2: scene: no scene "katamar"`},
		{"bad.csv", "x\n", "bad.csv: "},
	} {
		if note := use(x[0], x[1]); !strings.Contains(note, x[2]) {
			t.Errorf("%s: %s, want %s", x[0], note, x[2])
		}
	}
	if networkOf(g) != before || g.Lab.Config().Scene != "katamari" {
		t.Error("a bad file has changed the session")
	}
}

func networkOf(g *testSession) string {
	c := g.Lab.Config()
	return c.Network.String()
}

// TestLinkOfEmbedded promises that the link of an embedded session, from which the lab is opened, has the display settings
// of the session and not those of the layout, which would hide graphs and explanations in the lab.
func TestLinkOfEmbedded(t *testing.T) {
	g := playSettings(t, plan.Settings{Compare: "csp-smoothing"})
	g.Embed = true
	if err := g.Start(g.Plan); err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]func() (*plan.Link, error){"settings": g.Links.ToSettings, "tape": g.Links.WithTape} {
		if name == "tape" {
			g.Paused = false
			g.runTicks(t, 3)
		}
		x, err := link()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(x.Show, "graphs") || strings.Contains(x.Show, "explain") || !x.Embed {
			t.Errorf("the link with %s is %s", name, x.Query())
		}
	}
}
