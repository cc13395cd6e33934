package window

import (
	"time"

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
