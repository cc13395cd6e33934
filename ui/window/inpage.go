package window

import (
	"image"
	"time"

	"ghostcube/render"
	"ghostcube/ui/session"
	"ghostcube/ui/stage"
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
func (s *screen) resumes() bool {
	return s.session.Paused && s.session.PausedBy != "" && !s.session.Embed && !s.touched && !s.hidden
}

// resumeBounds is the square of that button over a picture.
func (s *screen) resumeBounds(picture stage.Rect) image.Rectangle {
	upper, lower := edgesOf(s.frame.Viewports, picture)
	middle, radius := image.Pt(picture.X+picture.W/2, (upper+lower)/2), int(embedPlay*s.uiScale())
	return image.Rectangle{middle, middle}.Inset(-radius)
}

// updateResume reacts to the pointer, and reports whether it belongs to the button.
func (g *game) updateResume() (captured bool) {
	if !g.screen.resumes() || !g.pointer.pressed || !g.pointer.at.In(g.screen.resumeBounds(g.pictureRect())) {
		return false
	}
	g.session.Paused = false
	return true
}

// drawResume draws the button.
func (s *screen) drawResume(l *render.DrawList, picture stage.Rect) {
	if s.resumes() {
		r := s.resumeBounds(picture)
		drawLargePlay(l, r.Min.Add(r.Size().Div(2)), r.Dx()/2, s.uiScale())
	}
}
