package hud

import (
	"errors"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// TestHeadline promises that the quantity of the headline is drawn large in every pane that has it, with its
// unit, its value in the score, and a dash where a strategy does not have it; and nothing while it is off.
func TestHeadline(t *testing.T) {
	l := stagetest.Katamari(t, "latency=50ms,loss=5%", "snapshot", "rewind")
	var s HUD
	stagetest.RollAndPull(t, &s, l, 240)
	large := func(setting string) (texts []string, all string) {
		stagetest.Show(t, l, "headline="+setting)
		stagetest.RollAndPull(t, &s, l, 60)
		f := s.frame(l)
		for _, it := range f.Overlay.Items {
			if it.Kind == render.TextKind {
				if all += it.Text + "\n"; it.Font.Size >= 26 {
					texts = append(texts, it.Text)
				}
			}
		}
		return texts, all
	}
	if texts, _ := large("off"); len(texts) != 0 {
		t.Errorf("without a headline: %q", texts)
	}
	for name, want := range map[string]struct{ unit, label string }{
		"down_kbit_per_second": {"kbit/s", "bandwidth down"}, "pops_all_per_minute": {"per minute", "pops, all bodies"},
		"bits_per_body": {"", "bits per body"}, "snapshot_age_ms": {"ms", "snapshot age"}, "corrections": {"", "corrections"},
	} {
		texts, all := large(name)
		if len(texts) != 2 || want.unit != "" && !strings.Contains(all, "\n"+want.unit+"\n") || !strings.Contains(all, want.label) {
			t.Errorf("%s: %q in\n%s", name, texts, all)
		}
	}
	texts, _ := large("down_kbit_per_second")
	for i, p := range l.Panes {
		for _, m := range p.Headline(nil) {
			if m.Name == "down_kbit_per_second" && texts[i] != m.Text() {
				t.Errorf("pane %d shows %s, and its score has %s", i+1, texts[i], m.Text())
			}
		}
	}
	if texts, _ := large("corrections"); texts[0] != "-" || texts[1] == "-" {
		t.Errorf("corrections of snapshot and rewind: %q", texts)
	}
	stagetest.Apply(t, l, lab.Command{Verb: "switch", Pane: 1, Name: "snapshot"})
	if texts, _ := large("corrections"); texts[1] != "-" {
		t.Errorf("after a switch to snapshot: %q", texts)
	}
}

// headlineNames returns the names that the error for an unknown headline suggests: all, the first of which is none.
func headlineNames(t *testing.T) []string {
	var unknown interface {
		Names() (kind, name string, known []string)
	}
	if err := stage.CheckCommand(stage.Show("headline", "?")); !errors.As(err, &unknown) {
		t.Fatal(err)
	}
	_, _, known := unknown.Names()
	return known
}

// TestHeadlineNames promises that every name works as a headline: it has a label or a unit, and its text is in
// the font.
func TestHeadlineNames(t *testing.T) {
	l := stagetest.Session(t, "perfect", "rewind")
	var s HUD
	stagetest.Roll(t, &s, l, 2)
	if n := len(headlineNames(t)); n < 100 {
		t.Fatalf("%d names", n)
	}
	for _, name := range headlineNames(t)[1:] {
		s.panes[0].updateHeadline(&stage.Settings{Headline: name}, true)
		if h := &s.panes[0].headline; h.name != name || h.value.text == "" || h.label == "" {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

// TestHeadlineTitles promises words for every headline: no underscore, and a unit where the name has one.
func TestHeadlineTitles(t *testing.T) {
	for name, want := range map[string]string{"path_error_rms_m": "path error RMS, m", "corrections": "corrections",
		"snapshot_age_ms": "snapshot age, ms", "down_kbit_per_second": "bandwidth down, kbit/s"} {
		if got := HeadlineTitle(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, name := range headlineNames(t) {
		if title := HeadlineTitle(name); title == "" || strings.Contains(title, "_") {
			t.Errorf("%s: %q", name, title)
		}
	}
}
