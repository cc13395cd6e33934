package session

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
)

// TestPresets promises that a saved preset starts the same session, that --config reads it, and that the copied command
// line has the same settings.
func TestPresets(t *testing.T) {
	g := playSettings(t, plan.Settings{Compare: "lockstep-delay"})
	g.runTicks(t, 10)
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "up.loss", Value: "7%"})
	g.Do(lab.Command{Verb: "set", Pane: 0, Name: "catch-up", Value: "2"})
	g.Do(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "snapshot:interpolation=linear"})
	g.Do(lab.Command{Verb: "seed", Pane: lab.AllPanes, Value: "9223372036854775807"})
	want := g.settings()
	g.Files.SavePreset("class-3")
	text, err := os.ReadFile(g.Files.presetFile("class-3"))
	if err != nil {
		t.Fatalf("%v; notices %v", err, g.Notices.list)
	}
	read, err := g.Library.ReadSettings("class-3.toml", text)
	if err != nil || read != want {
		t.Errorf("%v: the preset\n%s\nis read as\n%+v, want\n%+v", err, text, read, want)
	}
	wantConfig, wantPanes := g.Lab.Config(), specsOf(g)
	g.StartComparison("csp-clean")
	g.startNext(t)
	g.Files.LoadPreset("class-3")
	g.startNext(t)
	if got := g.Lab.Config(); fmt.Sprint(got) != fmt.Sprint(wantConfig) || specsOf(g) != wantPanes || !g.Playing() {
		t.Errorf("the preset starts %+v with %s, want %+v with %s", got, specsOf(g), wantConfig, wantPanes)
	}
	var line string
	g.Platform.CopyText = func(text string) error {
		line = text
		return nil
	}
	g.Links.CopyCommand()
	for _, part := range []string{"--scene katamari",
		"--panes lockstep:playout=950ms:catch-up=2,snapshot:interpolation=linear", "up.loss=0.07", "--seat host",
		"--seed 9223372036854775807", "--tape katamari-ball"} {
		if !strings.Contains(line, part) {
			t.Errorf("the command line %s lacks %s", line, part)
		}
	}
}

// specsOf returns the panes of a session.
func specsOf(g *testSession) string {
	var list []string
	for _, p := range g.Lab.Panes {
		list = append(list, p.Spec())
	}
	return strings.Join(list, ",")
}
