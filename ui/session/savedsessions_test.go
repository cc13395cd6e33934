package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
)

// TestSavedSessions promises that a saved session starts the same session, that --config reads it, and that the copied command
// line has the same settings.
func TestSavedSessions(t *testing.T) {
	experiment.Skip(t)
	g := playSettings(t, plan.Settings{Compare: "lockstep-delay"})
	g.runTicks(t, 10)
	g.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "up.loss", Value: "7%"})
	g.Do(lab.Command{Verb: "set", Pane: 0, Name: "catch-up", Value: "2"})
	g.Do(lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "snapshot:interpolation=linear"})
	g.Do(lab.Command{Verb: "seed", Pane: lab.AllPanes, Value: "9223372036854775807"})
	want := g.settings()
	g.Files.SaveSession("class-3")
	text, err := os.ReadFile(g.Files.savedFile(savedFolder, "class-3"))
	if err != nil {
		t.Fatalf("%v; notices %v", err, g.Notices.list)
	}
	read, err := g.Library.ReadSettings("class-3.toml", text)
	if err != nil || read != want {
		t.Errorf("%v: the saved session\n%s\nis read as\n%+v, want\n%+v", err, text, read, want)
	}
	wantConfig, wantPanes := g.Lab.Config(), specsOf(g)
	g.StartComparison("csp-clean")
	g.startNext(t)
	g.Files.LoadSession("class-3")
	g.startNext(t)
	if got := g.Lab.Config(); fmt.Sprint(got) != fmt.Sprint(wantConfig) || specsOf(g) != wantPanes || !g.Playing() {
		t.Errorf("the saved session starts %+v with %s, want %+v with %s", got, specsOf(g), wantConfig, wantPanes)
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

// TestEarlierSavedSessions promises that the files of earlier versions are listed and start, and that one saved under the
// same name replaces them.
func TestEarlierSavedSessions(t *testing.T) {
	g := playSettings(t, plan.Settings{Panes: "rewind:lead=7"})
	g.Files.SaveSession("new")
	earlier := g.Files.savedFile(earlierFolder, "old")
	if err := os.MkdirAll(filepath.Dir(earlier), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(earlier, []byte("panes = [\"snapshot:extrapolate=50ms\"]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if list := g.Files.SavedSessions(); !slices.Equal(list, []string{"new", "old"}) {
		t.Errorf("saved sessions %q", list)
	}
	for _, want := range []string{"snapshot:extrapolate=50ms", "rewind:lead=7"} {
		g.Files.LoadSession("old")
		g.startNext(t)
		if got := specsOf(g); got != want {
			t.Errorf("the saved session starts %s, want %s; notices %v", got, want, g.Notices.list)
		}
		g.Files.LoadSession("new")
		g.startNext(t)
		g.Files.SaveSession("old")
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
