package window

import (
	"fmt"
	"image"
	"slices"
	"strings"

	"ghostcube/predict/lab/tape"
	"ghostcube/ui/stage"
)

// control is a named place of the panel that reacts to the pointer.
type control struct {
	name   string
	bounds image.Rectangle // pixels of the window
}

// layout is what a frame shows and where, for a test that drives the window with a real pointer.
type layout struct {
	picture  stage.Rect
	controls []control
}

// writeReport writes to Options.Report, for the frame that has just been drawn, its number, the ticks of the
// session, and, when they have changed, the places of the picture, the panel's controls and the timeline, and the control that has the keys. The lines of a
// frame are one call of Write.
//
//	picture 0 0 950 720
//	control 1075 413 188 19 latency, ms
//	focus latency, ms
//	frame 12 tick 340
func (g *game) writeReport(picture stage.Rect) {
	if g.Report == nil {
		return
	}
	var b strings.Builder
	s := &g.screen
	controls := g.panel.controls
	if h := g.bar.height(); h > 0 {
		controls = append(slices.Clip(controls), control{"timeline", image.Rect(picture.X, picture.Y+picture.H, picture.X+picture.W, picture.Y+picture.H+h)})
	}
	if g.screen.resumes() {
		controls = append(slices.Clip(controls), control{"go on", g.screen.resumeBounds(g.pictureRect())})
	}
	if g.session.Embed {
		for _, b := range g.embed.buttons {
			controls = append(slices.Clip(controls), control{b.name, b.bounds})
		}
	}
	if s.reported.picture != picture || !slices.Equal(s.reported.controls, controls) {
		s.reported = layout{picture, slices.Clone(controls)}
		fmt.Fprintf(&b, "picture %d %d %d %d\n", picture.X, picture.Y, picture.W, picture.H)
		for _, c := range controls {
			fmt.Fprintf(&b, "control %d %d %d %d %s\n", c.bounds.Min.X, c.bounds.Min.Y, c.bounds.Dx(), c.bounds.Dy(), c.name)
		}
	}
	if focus := g.panel.ui.Focused(); focus != s.reportedFocus {
		s.reportedFocus = focus
		fmt.Fprintf(&b, "focus %s\n", focus)
	}
	if now := int(g.session.Lab.Ticks()); g.session.Paused && s.pausedAt != now {
		s.pausedAt = now
		g.reportHash()
	}
	fmt.Fprintf(&b, "frame %d tick %d\n", s.frames, g.session.Lab.Ticks())
	g.report(b.String())
}

// reportHash writes the hash of the session after each second of it, and where it is paused, to Options.Report. It is that of
// lab.Hash.
//
//	hash 60 9a3c01f2b4d5e677
func (g *game) reportHash() {
	now, still := g.session.Lab.Ticks(), g.session.Paused && g.session.RunUp == 0
	if g.Report != nil && (still || tape.HashCheckDue(int(now), g.session.Lab.Config().Rate)) {
		g.report(fmt.Sprintf("hash %d %016x\n", now, g.session.Lab.Hash()))
	}
}

// report writes whole lines to Options.Report.
func (g *game) report(lines string) {
	if _, err := g.Report.Write([]byte(lines)); err != nil {
		panic("window: the report for a test: " + err.Error())
	}
}
