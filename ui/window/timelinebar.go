package window

import (
	"fmt"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/render"
	"ghostcube/ui/session"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
)

// timelineBar is the bar of the session's timeline.
type timelineBar struct {
	timeline.Bar
	session            *session.Session
	screen             *screen
	hidden             bool
	scrubbing, marking bool   // the pointer drags the cursor, or an end of the span that is looped
	note               string // about the mark under the pointer
}

// height returns the height of the bar in pixels; 0: it is hidden.
func (b *timelineBar) height() int {
	if b.hidden || b.screen.bare() || b.session.Past.Timeline == nil || b.session.Remote != nil {
		return 0
	}
	return min(timeline.BarHeight(len(b.session.Lab.Panes), b.screen.uiScale()), b.screen.h/4)
}

// update handles the pointer on the bar, and reports whether it is the bar's.
func (b *timelineBar) update(picture stage.Rect, p *pointer, capture capture) bool {
	past := &b.session.Past
	if b.height() == 0 {
		b.scrubbing, b.marking, b.note = false, false, ""
		b.Hover = -1
		return false
	}
	b.Layout(stage.Rect{X: picture.X, Y: picture.Y + picture.H, W: picture.W, H: b.height()}, b.screen.uiScale(), past.Timeline, b.session.Lab.Config().Rate)
	return b.pointAt(p.at.X, p.at.Y, capture, p.down, p.pressed, ebiten.IsKeyPressed(ebiten.KeyShift), p.wheel)
}

func wheelY() float64 { _, y := ebiten.Wheel(); return y }

// pointAt handles the pointer at a pixel of the window. down: the button is down; pressed: since this Update.
func (b *timelineBar) pointAt(x, y int, capture capture, down, pressed, shift bool, wheel float64) bool {
	past := &b.session.Past
	t, rate := past.Timeline, b.session.Lab.Config().Rate
	over := b.Contains(x, y) && !capture.pointer
	b.Hover, b.note = -1, ""
	if !down {
		if b.marking && past.Loop[0] > past.Loop[1] {
			past.Loop[0], past.Loop[1] = past.Loop[1], past.Loop[0]
		}
		if b.marking && past.Loop[0] < past.Loop[1] {
			b.session.Past.Seek(past.Loop[0])
			b.session.Paused = false
			b.session.Notices.Post("the span is played in a loop: a click on the bar ends that")
		}
		b.scrubbing, b.marking = false, false
	}
	if !over && !b.scrubbing && !b.marking {
		return false
	}
	at := min(max(b.TickAt(x), t.Start()), t.End())
	pane, kind, tick, near := b.MarkAt(x, y, t)
	b.Hover = at
	if near && !b.scrubbing {
		b.note = markNote(pane, kind, float64(tick)/float64(rate))
	}
	if over && wheel != 0 {
		b.Zoom(x, zoomFactor(wheel), t, rate)
	}
	switch {
	case pressed && over && shift:
		b.marking, past.Loop = true, [2]int{at, at}
	case pressed && over:
		b.scrubbing, past.Loop = true, [2]int{}
		past.EndReplay()
		if near {
			b.scrubbing = false
			b.session.Selection.ShowMark(pane, kind, tick)
		} else {
			b.session.Past.Seek(at)
		}
	case b.marking:
		past.Loop[1] = at
	case b.scrubbing && at != int(b.session.Lab.Ticks())+t.Remaining():
		b.session.Past.Seek(at)
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
var markNouns = [...]string{timeline.Losses: "loss", timeline.Corrections: "correction", timeline.Shots: "shot",
	timeline.Stalls: "stall", timeline.Effects: "effect", timeline.Withdrawn: "effect taken back",
	timeline.Faults: "forced fault", timeline.Bookmarks: "bookmark"}

// markNote describes a mark.
func markNote(pane int, k timeline.Kind, seconds float64) string {
	if k == timeline.Bookmarks {
		return fmt.Sprintf("bookmark at %.2f s: a click goes there", seconds)
	}
	return fmt.Sprintf("%s in pane %d at %.2f s: a click goes there", markNouns[k], pane+1, seconds)
}

// draw draws the bar.
func (b *timelineBar) draw(list *render.DrawList, picture stage.Rect) {
	past := &b.session.Past
	if b.height() == 0 {
		return
	}
	c := b.session.Lab.Config()
	b.Layout(stage.Rect{X: picture.X, Y: picture.Y + picture.H, W: picture.W, H: b.height()}, b.screen.uiScale(), past.Timeline, c.Rate)
	b.Draw(list, past.Timeline, &timeline.State{Playing: !b.session.Paused, Speed: b.session.Settings().Speed,
		Loop: past.Loop, Rate: c.Rate, Seeking: past.Timeline.Remaining(), Note: b.note, NoKeys: b.screen.touched})
}
