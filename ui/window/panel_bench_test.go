package window

import (
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/ui/widget"
)

// BenchmarkPanel measures the layout of each page beside four panes of 901 bodies.
func BenchmarkPanel(b *testing.B) {
	for i, p := range pages() {
		b.Run(p.name, func(b *testing.B) {
			g := newTestGame(b, "rewind", "statesync", "historyoffset", "noprediction")
			g.session.Comparisons, _ = g.session.Library.Comparisons()
			g.session.Do(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: "katamari"})
			for range 60 {
				if err := g.session.Tick(&g.intents); err != nil {
					b.Fatal(err)
				}
			}
			g.panel.page = i
			g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
			g.session.HUD.Refresh(g.session.Lab)
			b.ReportAllocs()
			for b.Loop() {
				g.panel.build(widget.Input{})
			}
		})
	}
}
