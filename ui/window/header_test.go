package window

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
)

// TestHeaderTexts promises that the title of each comparison, its network, and every alert stand in full in the head of
// the picture, apart from each other, in all windowSizes with the panel open.
func TestHeaderTexts(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind", "noprediction")
	comparisons, err := g.session.Library.Comparisons()
	if err != nil {
		t.Fatal(err)
	}
	g.runTicks(t, 100)
	alerts := []string{
		"", "paused (P resumes, N steps one tick)", "24 % of real time, coarse picture",
		"● recording, 112.3 s (R stops) · 24 % of real time", "24 % of real time · encoding video: 57 %",
	}
	for i := range comparisons {
		c := &comparisons[i]
		g.session.Do(lab.Command{Verb: "network", Pane: lab.AllPanes, Value: c.Settings.Network})
		for _, size := range windowSizes {
			g.screen.w, g.screen.h, g.screen.scale = size.w, size.h, size.scale
			for _, alert := range alerts {
				var f hud.Frame
				picture := g.pictureRect()
				g.session.HUD.Compose(&f, g.session.Lab, picture, g.stageOptions(c.Title, alert), 1)
				head, all := float32(0), ""
				var texts []render.Item
				for _, it := range f.Overlay.Items {
					switch {
					case head == 0 && it.Kind == render.RectKind && it.W == float32(picture.W) && it.Y == 0:
						head = it.H
					case it.Kind == render.TextKind && it.Y < head:
						right := it.X + it.Font.Width(it.Text)
						for _, other := range texts {
							if it.Y == other.Y && it.X < other.X+other.Font.Width(other.Text) && other.X < right {
								t.Errorf("%+v: %q covers %q", size, it.Text, other.Text)
							}
						}
						texts = append(texts, it)
						all += it.Text + "\n"
					}
				}
				if !strings.Contains(all, c.Title) || !strings.Contains(all, alert) || strings.Contains(all, "…") {
					t.Errorf("%+v, alert %q: %q", size, alert, all)
				}
			}
		}
	}
}

// TestFooterNote promises that the note of the footer ends at a clause, and not with an ellipsis, in all windowSizes.
func TestFooterNote(t *testing.T) {
	experiment.Skip(t)
	g := playSettings(t, plan.Settings{Compare: "prediction"})
	g.runTicks(t, 100)
	for _, size := range windowSizes {
		g.screen.w, g.screen.h, g.screen.scale = size.w, size.h, size.scale
		for range 2 {
			var f hud.Frame
			g.session.HUD.Compose(&f, g.session.Lab, g.pictureRect(), g.stageOptions("", ""), 1)
			found := false
			note, _, _ := strings.Cut(g.session.Footer(), ",")
			for _, it := range f.Overlay.Items {
				if strings.HasPrefix(it.Text, note) {
					found = true
					if strings.Contains(it.Text, "…") {
						t.Errorf("%+v: %q", size, it.Text)
					}
				}
			}
			if !found && size.w > 1100 {
				t.Errorf("%+v: no note %q", size, note)
			}
			g.session.TakeOver() // the note of a session that keys drive
		}
		if err := g.start(g.session.Plan); err != nil {
			t.Fatal(err)
		}
		g.runTicks(t, 100)
	}
}
