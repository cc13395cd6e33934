package window

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/render"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// guideFigures are figures by the words of which guides speak of them, and whether a session shows them.
var guideFigures = []struct {
	words *regexp.Regexp
	shown func(s *stage.Settings) bool
}{
	{regexp.MustCompile(`slots under`), func(s *stage.Settings) bool { return s.Slots }},
	{regexp.MustCompile(`\bcurve\b|red mark below`), func(s *stage.Settings) bool { return s.Graphs }},
	{regexp.MustCompile(`[Aa]n arrow|pink arrows`), func(s *stage.Settings) bool { return s.Lanes != stage.NoLanes }},
	{regexp.MustCompile(`The bars\W+show the bits|bits per cube`), func(s *stage.Settings) bool { return s.Packet }},
	{regexp.MustCompile(`Each colour is a stage`), func(s *stage.Settings) bool { return s.Latency }},
	{regexp.MustCompile(`The boxes`), func(s *stage.Settings) bool { return s.Parents }},
	{regexp.MustCompile(`marks\W.*at joints`), func(s *stage.Settings) bool { return s.Joints }},
	{regexp.MustCompile(`captions for each shot`), func(s *stage.Settings) bool { return s.Shots }},
	{regexp.MustCompile(`colours\W+show the path error`), func(s *stage.Settings) bool { return s.Coloring == stage.ByPathError }},
	{regexp.MustCompile(`yellow outline`), func(s *stage.Settings) bool { return s.Ghosts }},
}

var (
	guideSession = regexp.MustCompile("`(\\?[^`]+)`")
	guidePoints  = regexp.MustCompile(`(?s)## Watch for\n\n(.*?)\n\n`)
	namedKey     = regexp.MustCompile(`[Kk]ey ([A-Z])\b`)
)

// TestEmbedShowsWhatGuidesName promises that the session of every guide, embedded in the page of its idea, shows each figure that the
// guide's points name, takes each key that they name, and fits into the frame with them.
func TestEmbedShowsWhatGuidesName(t *testing.T) {
	experiment.Skip(t)
	files, err := filepath.Glob("../../docs/guides/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	found := map[int]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		session, points := guideSession.FindSubmatch(b), guidePoints.FindSubmatch(b)
		if session == nil || points == nil {
			t.Fatalf("%s has no session or no points", name)
		}
		link, err := plan.ParseLink(string(session[1]))
		if err != nil {
			t.Fatal(err)
		}
		g := newEmbedded(t, link.Settings)
		commands, err := stage.ParseShow(link.Show)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range commands {
			g.session.Do(c)
		}
		text := strings.Join(strings.Fields(string(points[1])), " ")
		settings := g.session.Settings()
		checkKnobs(t, name, g, link.Knobs)
		for i, f := range guideFigures {
			if words := f.words.FindString(text); words != "" {
				found[i] = true
				if !f.shown(&settings) {
					t.Errorf("%s: %q is not shown", name, words)
				}
			}
		}
		for _, m := range namedKey.FindAllStringSubmatch(text, -1) {
			if !takesEmbedded(m[1]) {
				t.Errorf("%s: the key %s does nothing", name, m[1])
			}
		}
		g.runTicks(t, 30)
		for _, size := range []windowSize{{640, 360, 1}, {712, 890, 2}} { // the frame on a laptop, and on a phone
			f, picture := g.frameOf(size)
			var l render.DrawList
			l.Append(&f.Overlay)
			g.embed.draw(&l, g.pointer.at)
			checkTexts(t, name, &l, picture)
			for _, it := range l.Items {
				if strings.Contains(it.Text, "pane too small") {
					t.Errorf("%s, %+v: %s", name, size, it.Text)
				}
			}
			for _, v := range f.Viewports {
				if v.H < size.h/10 {
					t.Errorf("%s, %+v: a picture is %d pixels high", name, size, v.H)
				}
			}
		}
	}
	for i, f := range guideFigures {
		if !found[i] {
			t.Errorf("no guide has %s any more", f.words)
		}
	}
}

// takesEmbedded reports whether a key does something in the embedded layout.
func takesEmbedded(name string) bool {
	for _, group := range bindings {
		for _, b := range group {
			for _, k := range b.keys {
				if b.embedded && !b.ctrl && k == settingKey(name) {
					return true
				}
			}
			for _, h := range b.hold {
				if h.key == settingKey(name) {
					return true
				}
			}
		}
	}
	return false
}

// checkKnobs checks that the controls under the picture exist, that each sets what it names, and that none is without effect.
func checkKnobs(t *testing.T, guide string, g *game, names string) {
	t.Helper()
	list, wrong := plan.LiveKnobs(names, g.session.Lab)
	for _, err := range wrong {
		t.Errorf("%s: %v", guide, err)
	}
	for i := range list {
		x := &list[i]
		before := g.knobs.control(x)
		value := before.low
		if value == before.value {
			value = before.high
		}
		g.knobs.set(x, before.textOf(value))
		if after := g.knobs.control(x); after.value != value || after.text == before.text {
			t.Errorf("%s: %s is %s after %v: %q", guide, x.Label, after.text, value, g.session.Notices.Texts())
		}
		g.knobs.set(x, before.text)
		for _, pane := range x.Panes {
			knobs := g.session.Lab.Panes[pane].Knobs
			if why := knobs.NoEffect(knobs.Lookup(x.Name)); why != "" {
				t.Errorf("%s: %s in pane %d: %s", guide, x.Label, pane+1, why)
			}
		}
	}
}
