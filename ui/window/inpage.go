package window

import (
	"image"
	"time"

	"ghostcube/render"
	"ghostcube/ui/session"
	"ghostcube/ui/timeline"
)

// memoryLimit returns the memory in bytes from which the garbage collector should work harder.
func memoryLimit(o *session.Options) int64 {
	if o.Embed {
		return embedMemory
	}
	if o.Platform.InPage {
		return 2 * session.PageBudget
	}
	return timeline.MemoryLimit
}

// pauseHidden pauses a session whose tab was hidden for some time; the header says so. A browser calls no Update
// meanwhile.
func (g *game) pauseHidden(away time.Duration) {
	if away == 0 {
		return
	}
	// The time that has passed belongs neither to the session nor to the measures of the machine.
	g.screen.ticksSince, g.screen.tickStart, g.screen.pace.last, g.screen.realTime = time.Time{}, time.Time{}, time.Time{}, realTime{}
	g.session.Hidden(away)
}

// resumes reports whether a button over the panes lets the session go on: the page has paused it, and no button for fingers
// is there.
func (g *game) resumes() bool {
	return g.session.Paused && g.session.PausedBy != "" && !g.session.Embed && !g.screen.touched && !g.screen.hidden
}

// resumeBounds is the square of that button.
func (g *game) resumeBounds() image.Rectangle {
	picture := g.pictureRect()
	upper, lower := edgesOf(g.screen.frame.Viewports, picture)
	middle, radius := image.Pt(picture.X+picture.W/2, (upper+lower)/2), int(embedPlay*g.screen.uiScale())
	return image.Rectangle{middle, middle}.Inset(-radius)
}

// updateResume reacts to the pointer, and reports whether it belongs to the button.
func (g *game) updateResume() (captured bool) {
	if !g.resumes() || !g.pointer.pressed || !g.pointer.at.In(g.resumeBounds()) {
		return false
	}
	g.session.Paused = false
	return true
}

// drawResume draws the button.
func (g *game) drawResume(l *render.DrawList) {
	if g.resumes() {
		r := g.resumeBounds()
		drawLargePlay(l, r.Min.Add(r.Size().Div(2)), r.Dx()/2, g.screen.uiScale())
	}
}
