package window

import (
	"fmt"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/render"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
)

// timelineBar is the bar of the session's timeline.
type timelineBar struct {
	bar                timeline.Bar
	hidden             bool
	scrubbing, marking bool   // the pointer drags the cursor, or an end of the span that is looped
	note               string // about the mark under the pointer
}

// barHeight returns the height of the bar in pixels; 0: it is hidden.
func (g *game) barHeight() int {
	if g.bar.hidden || g.bare() || g.session.Past.Timeline == nil {
		return 0
	}
	return min(timeline.BarHeight(len(g.session.Lab.Panes), g.screen.uiScale()), g.screen.h/4)
}

// updateBar handles the pointer on the bar, and reports whether it is the bar's.
func (g *game) updateBar(capture capture) bool {
	b, past, s := &g.bar, &g.session.Past, &g.screen
	if g.barHeight() == 0 {
		b.scrubbing, b.marking, b.note = false, false, ""
		b.bar.Hover = -1
		return false
	}
	picture := g.pictureRect()
	b.bar.Layout(stage.Rect{X: picture.X, Y: picture.Y + picture.H, W: picture.W, H: g.barHeight()}, s.uiScale(), past.Timeline, g.session.Lab.Config().Rate)
	p := &g.pointer
	return g.pointAtBar(p.at.X, p.at.Y, capture, p.down, p.pressed, ebiten.IsKeyPressed(ebiten.KeyShift), p.wheel)
}

func wheelY() float64 { _, y := ebiten.Wheel(); return y }

// pointAtBar handles the pointer at a pixel of the window. down: the button is down; pressed: since this Update.
func (g *game) pointAtBar(x, y int, capture capture, down, pressed, shift bool, wheel float64) bool {
	b, past := &g.bar, &g.session.Past
	t, rate := past.Timeline, g.session.Lab.Config().Rate
	over := b.bar.Contains(x, y) && !capture.pointer
	b.bar.Hover, b.note = -1, ""
	if !down {
		if b.marking && past.Loop[0] > past.Loop[1] {
			past.Loop[0], past.Loop[1] = past.Loop[1], past.Loop[0]
		}
		if b.marking && past.Loop[0] < past.Loop[1] {
			g.session.Past.Seek(past.Loop[0])
			g.session.Paused = false
			g.session.Notices.Post("the span is played in a loop: a click on the bar ends that")
		}
		b.scrubbing, b.marking = false, false
	}
	if !over && !b.scrubbing && !b.marking {
		return false
	}
	at := min(max(b.bar.TickAt(x), t.Start()), t.End())
	pane, kind, tick, near := b.bar.MarkAt(x, y, t)
	b.bar.Hover = at
	if near && !b.scrubbing {
		b.note = markNote(pane, kind, float64(tick)/float64(rate))
	}
	if over && wheel != 0 {
		b.bar.Zoom(x, zoomFactor(wheel), t, rate)
	}
	switch {
	case pressed && over && shift:
		b.marking, past.Loop = true, [2]int{at, at}
	case pressed && over:
		b.scrubbing, past.Loop = true, [2]int{}
		past.EndReplay()
		if near {
			b.scrubbing = false
			g.session.Selection.ShowMark(pane, kind, tick)
		} else {
			g.session.Past.Seek(at)
		}
	case b.marking:
		past.Loop[1] = at
	case b.scrubbing && at != int(g.session.Lab.Ticks())+t.Remaining():
		g.session.Past.Seek(at)
	}
	return true
}

// zoomFactor returns how many times longer the bar's span becomes by a turn of the wheel.
func zoomFactor(wheel float64) float64 {
	if wheel > 0 {
		return 1 / 1.4
	}
	return 1.4
}

// markNouns are the kinds of marks in the singular.
var markNouns = [...]string{timeline.Losses: "loss", timeline.Corrections: "correction", timeline.Shots: "shot", timeline.Stalls: "stall", timeline.Faults: "forced fault", timeline.Bookmarks: "bookmark"}

// markNote describes a mark.
func markNote(pane int, k timeline.Kind, seconds float64) string {
	if k == timeline.Bookmarks {
		return fmt.Sprintf("bookmark at %.2f s: a click goes there", seconds)
	}
	return fmt.Sprintf("%s in pane %d at %.2f s: a click goes there", markNouns[k], pane+1, seconds)
}

// drawBar draws the bar.
func (g *game) drawBar(list *render.DrawList) {
	b, past := &g.bar, &g.session.Past
	if g.barHeight() == 0 {
		return
	}
	picture := g.pictureRect()
	c := g.session.Lab.Config()
	b.bar.Layout(stage.Rect{X: picture.X, Y: picture.Y + picture.H, W: picture.W, H: g.barHeight()}, g.screen.uiScale(), past.Timeline, c.Rate)
	b.bar.Draw(list, past.Timeline, &timeline.State{Playing: !g.session.Paused, Speed: g.session.Settings().Speed, Loop: past.Loop, Rate: c.Rate, Seeking: past.Timeline.Remaining(), Note: b.note, NoKeys: g.touch.shown})
}
