package window

import (
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// copied clicks a button of the part Share and returns the text that it copies.
func (g *game) copied(t *testing.T, button string) (text string) {
	t.Helper()
	g.panel.copyText = func(s string) error {
		text = s
		return nil
	}
	g.openPage(t, "Compare")
	g.click(t, button)
	return text
}

// openLink returns a game that a link has opened, at its moment.
func openLink(t *testing.T, text string) *game {
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
		g.execute(c)
	}
	g.Page, g.Embed = x.Page, x.Embed
	if g.runUp = x.Ticks(g.plan.Config.Rate); g.runUp > 0 {
		if err := g.makeRunUp(func() bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// TestCopiedLink promises that a copied link starts the same session with its changes and its display, and that it has
// no more than those.
func TestCopiedLink(t *testing.T) {
	g := playSettings(t, plan.Settings{Compare: "csp-redundancy"})
	g.runTicks(t, 30)
	if got := g.copied(t, "copy link"); got != "?compare=csp-redundancy" {
		t.Errorf("an unchanged comparison has the link %s", got)
	}
	g.paused = true
	if got := g.copied(t, "copy link"); got != "?compare=csp-redundancy&at=469ms" {
		t.Errorf("an unchanged comparison that is paused has the link %s", got)
	}
	g.execute(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "loss", Value: "7%"})
	g.execute(lab.Command{Verb: "set", Pane: 1, Name: "lead", Value: "3"})
	g.execute(stage.Show("color", "age"))
	g.Page = "https://example.org/lab/"
	text := g.copied(t, "copy link")
	if !strings.HasPrefix(text, "https://example.org/lab/?compare=csp-redundancy&panes=") || !strings.Contains(text, "&show=color=age") || strings.Contains(text, "&at=") {
		t.Errorf("a changed comparison has the link %s", text)
	}
	again := openLink(t, text)
	if specsOf(again) != specsOf(g) || again.settings() != g.settings() {
		t.Errorf("%s starts %s, want %s", text, specsOf(again), specsOf(g))
	}
	one, other := g.lab.Config(), again.lab.Config()
	if one.Network.String() != other.Network.String() {
		t.Errorf("%s has the network %s, want %s", text, other.Network.String(), one.Network.String())
	}
	if got := again.copied(t, "copy link"); got != text {
		t.Errorf("the session of %s has the link %s", text, got)
	}
	if line := g.copied(t, "copy frame"); !strings.HasPrefix(line, `<iframe src="https://example.org/lab/?compare=csp-redundancy&amp;panes=`) || !strings.Contains(line, `&amp;embed=1" width="640" height="360"`) || strings.Contains(line, "script") {
		t.Errorf("the line of a frame is %s", line)
	}
}

// TestLinkOfMoment promises that a link to a moment leads to the same hash, with the timeline before it, and that a
// session that keys have led elsewhere has no such link but with its tape.
func TestLinkOfMoment(t *testing.T) {
	g := playSettings(t, plan.Settings{Compare: "csp-redundancy", Network: "wifi-bad"})
	g.playPast(t, 500)
	g.seekNow(t, 321)
	hash := g.lab.Hash()
	text := g.copied(t, "copy link")
	again := openLink(t, text)
	if again.lab.Hash() != hash || again.lab.Ticks() != 321 || !again.paused || again.runUp != 0 {
		t.Errorf("%s leads to tick %d with hash %016x, want tick 321 with %016x", text, again.lab.Ticks(), again.lab.Hash(), hash)
	}
	if got := again.copied(t, "copy link"); got != text {
		t.Errorf("the moment of %s has the link %s", text, got)
	}
	if again.share.hashTick != 321 || strings.Join(again.share.hashes, " ") != strings.Join(g.share.hashes, " ") || len(again.share.hashes) != 2 {
		t.Errorf("tick %d and hashes %v, want %v", again.share.hashTick, again.share.hashes, g.share.hashes)
	}
	again.seekNow(t, 100) // the timeline goes back
	again.seekNow(t, 321)
	if again.lab.Hash() != hash {
		t.Error("the way back has another hash")
	}

	g.goLive()
	g.localInputs[0] = sim.Input{Buttons: sim.Left, Heading: 9}
	g.takeOver()
	g.paused = false
	g.playPast(t, 60)
	g.nudgeServer()
	g.execute(stage.Show("ghosts", "off"))
	g.localInputs[0] = sim.Input{}
	g.playPast(t, 40)
	g.paused = true
	if text := g.copied(t, "copy link"); strings.Contains(text, "at=") {
		t.Errorf("a session with keys has the link %s", text)
	}
	g.Page = ""
	if line := g.copied(t, "copy frame"); !strings.HasPrefix(line, `<iframe src="https://example.org/lab/?`) || !strings.Contains(line, `&amp;tape=deflate:`) || !strings.Contains(g.notices.list[len(g.notices.list)-1].text, "with your keys; put the address of your page in place of https://example.org/lab/") {
		t.Errorf("the line of a frame is %s", line)
	}
	text = g.copied(t, "copy link with tape")
	if len(text) > 2000 {
		t.Errorf("the link with the tape has %d characters", len(text))
	}
	again = openLink(t, text)
	if again.lab.Hash() != g.lab.Hash() || again.lab.Ticks() != g.lab.Ticks() || again.settings() != g.settings() {
		t.Errorf("%s leads to tick %d with hash %016x, want tick %d with %016x", text, again.lab.Ticks(), again.lab.Hash(), g.lab.Ticks(), g.lab.Hash())
	}
}

// TestLongTapeLink promises that a tape that is too long for a link is refused with what to do instead.
func TestLongTapeLink(t *testing.T) {
	g := newTestGame(t, "noprediction")
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		g.localInputs[0] = sim.Input{Buttons: sim.Buttons(1 + random.IntN(15)), Heading: uint8(random.IntN(256))}
		g.runTicks(t, 1)
	}
	if text := g.copied(t, "copy link with tape"); text != "" || !strings.Contains(g.notices.list[len(g.notices.list)-1].text, "longer than 8000 characters: send the session's tape as a file") {
		t.Errorf("%d characters; %v", len(text), g.notices.list)
	}
}

// TestLinkOfFile promises that the link of a session with a tape from a file has the tape, and not the name.
func TestLinkOfFile(t *testing.T) {
	g := playSettings(t, plan.Settings{Tape: writeTape(t, "30 W\n60 D\nend 90\n")})
	g.playPast(t, 70)
	g.paused = true
	text := g.copied(t, "copy link")
	again := openLink(t, text)
	if again.lab.Hash() != g.lab.Hash() || !strings.Contains(text, "tape=deflate:") {
		t.Errorf("%s leads to another session", text)
	}
}

// TestDroppedFiles promises that a dropped tape or settings file starts its session, that a dropped trace is that of
// the link, and that any other file is a notice that says what can be dropped.
func TestDroppedFiles(t *testing.T) {
	g := playSettings(t, plan.Settings{Scene: "plain"})
	use := func(name, text string) string {
		t.Helper()
		g.notices.list = nil
		g.useDropped(readDropped(fstest.MapFS{name: {Data: []byte(text)}}))
		if err := g.applyPanel(); err != nil {
			t.Fatal(err)
		}
		return g.notices.list[len(g.notices.list)-1].text
	}
	const hand = "ghostcube tape 2\nscene zen\nseed 5\nnetwork perfect\npane rewind\n---\n30 W\nend 30\n"
	note := use("hand.tape", hand)
	if c := g.lab.Config(); c.Scene != "zen" || c.Network.Seed != 5 || !g.tapePlaying() || note != "the session of hand.tape" {
		t.Errorf("%+v, notice %q", c, note)
	}
	g.runTicks(t, 30)
	if text := g.copied(t, "copy link"); !strings.HasPrefix(text, "?tape=deflate:") {
		t.Errorf("the session of a dropped tape has the link %s", text)
	}
	if note := use("room.TOML", "scene = \"katamari\"\npanes = [\"snapshot\"]\n"); g.lab.Config().Scene != "katamari" || specsOf(g) != "snapshot" {
		t.Errorf("%+v, notice %q", g.lab.Config(), note)
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
		{"big.toml", strings.Repeat("#", 64<<10+1), "big.toml: it has more than 64 kB"},
		{"photo.jpg", "x", "photo.jpg: want a tape (.tape), a settings file (.toml) or a trace (.csv)"},
		{"folder.tape/x", "x", "folder.tape: want a tape"},
	} {
		if note := use(x[0], x[1]); !strings.Contains(note, x[2]) {
			t.Errorf("%s: %s, want %s", x[0], note, x[2])
		}
	}
	if networkOf(g) != before || g.lab.Config().Scene != "katamari" {
		t.Error("a bad file has changed the session")
	}
}

func networkOf(g *game) string {
	c := g.lab.Config()
	return c.Network.String()
}
