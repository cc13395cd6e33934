package window

import (
	"fmt"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/render"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
)

// barHeight returns the height of the bar in pixels; 0: it is hidden.
func (g *game) barHeight() int {
	if g.past.hidden || g.bare() || g.past.timeline == nil {
		return 0
	}
	return min(timeline.BarHeight(len(g.lab.Panes), g.screen.uiScale()), g.screen.h/4)
}

// updateBar handles the pointer on the bar, and reports whether it is the bar's.
func (g *game) updateBar(capture capture) bool {
	h, s := &g.past, &g.screen
	if g.barHeight() == 0 {
		h.scrubbing, h.marking, h.note = false, false, ""
		h.bar.Hover = -1
		return false
	}
	picture := g.pictureRect()
	h.bar.Layout(stage.Rect{X: picture.X, Y: picture.Y + picture.H, W: picture.W, H: g.barHeight()}, s.uiScale(), h.timeline, g.lab.Config().Rate)
	p := &g.pointer
	return g.pointAtBar(p.at.X, p.at.Y, capture, p.down, p.pressed, ebiten.IsKeyPressed(ebiten.KeyShift), p.wheel)
}

func wheelY() float64 { _, y := ebiten.Wheel(); return y }

// pointAtBar handles the pointer at a pixel of the window. down: the button is down; pressed: since this Update.
func (g *game) pointAtBar(x, y int, capture capture, down, pressed, shift bool, wheel float64) bool {
	h := &g.past
	t, rate := h.timeline, g.lab.Config().Rate
	over := h.bar.Contains(x, y) && !capture.pointer
	h.bar.Hover, h.note = -1, ""
	if !down {
		if h.marking && h.loop[0] > h.loop[1] {
			h.loop[0], h.loop[1] = h.loop[1], h.loop[0]
		}
		if h.marking && h.loop[0] < h.loop[1] {
			g.seek(h.loop[0])
			g.paused = false
			g.notices.post("the span is played in a loop: a click on the bar ends that")
		}
		h.scrubbing, h.marking = false, false
	}
	if !over && !h.scrubbing && !h.marking {
		return false
	}
	at := min(max(h.bar.TickAt(x), t.Start()), t.End())
	pane, kind, tick, near := h.bar.MarkAt(x, y, t)
	h.bar.Hover = at
	if near && !h.scrubbing {
		h.note = markNote(pane, kind, float64(tick)/float64(rate))
	}
	if over && wheel != 0 {
		h.bar.Zoom(x, zoomFactor(wheel), t, rate)
	}
	switch {
	case pressed && over && shift:
		h.marking, h.loop = true, [2]int{at, at}
	case pressed && over:
		h.scrubbing, h.loop = true, [2]int{}
		h.endReplay(g)
		if near {
			h.scrubbing = false
			g.showMark(pane, kind, tick)
		} else {
			g.seek(at)
		}
	case h.marking:
		h.loop[1] = at
	case h.scrubbing && at != int(g.lab.Ticks())+t.Remaining():
		g.seek(at)
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

// showMark goes to a mark. A correction is explained in the picture.
func (g *game) showMark(pane int, k timeline.Kind, tick int) {
	g.seekFully(tick)
	if k != timeline.Corrections || pane >= len(g.lab.Panes) {
		return
	}
	p := g.lab.Panes[pane]
	for n := p.Corrections.Total() - 1; n >= p.Corrections.FirstIndex(); n-- {
		if x := p.Corrections.At(n); int(x.SessionTick)+1 == tick {
			g.selected = &selection{p, n, *x}
			return
		}
	}
}

// drawBar draws the bar.
func (g *game) drawBar(list *render.DrawList) {
	h := &g.past
	if g.barHeight() == 0 {
		return
	}
	picture := g.pictureRect()
	c := g.lab.Config()
	h.bar.Layout(stage.Rect{X: picture.X, Y: picture.Y + picture.H, W: picture.W, H: g.barHeight()}, g.screen.uiScale(), h.timeline, c.Rate)
	h.bar.Draw(list, h.timeline, &timeline.State{Playing: !g.paused, Speed: g.settings().Speed, Loop: h.loop, Rate: c.Rate, Seeking: h.timeline.Remaining(), Note: h.note, NoKeys: g.touch.shown})
}
