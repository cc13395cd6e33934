package session

import (
	"os"
	"path/filepath"
	"slices"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
	"ghostcube/ui/tour"
)

// Lesson is the lesson of the tour in progress, or the offer of the tour.
type Lesson struct {
	Run     *tour.Run // nil: no lesson
	Offered bool      // the tour is offered

	session   *Session
	handTicks int // ticks for which the tape leaves the player to the hand
	offerEnd  int // tick of the session at which the offer ends
}

// offerMark is the file that says that the tour has been offered.
const offerMark = "tour-offered"

// handSeconds is the time without a key after which the tape of a lesson moves the player again.
const handSeconds = 3

// offerSeconds is the time for which a first start offers the tour.
const offerSeconds = 45

// start follows the session of a plan that has started.
func (l *Lesson) start() {
	s := l.session
	l.Run, l.handTicks = nil, 0
	if s.Plan.Lesson != nil {
		l.Run, l.Offered = tour.Start(s.Plan.Lesson, s.Lab), false
	}
}

// tick follows a tick that the lab has made.
func (l *Lesson) tick(e lab.Entry) {
	l.handTicks = max(l.handTicks-1, 0)
	if l.Offered && int(l.session.Lab.Ticks()) >= l.offerEnd {
		l.Offered = false
	}
	if l.Run != nil {
		l.Run.Tick(l.session.Lab, e)
	}
}

// Shown reports whether there is a card.
func (l *Lesson) Shown() bool { return l.Run != nil || l.Offered }

// Offer offers the tour, once for each folder of files. Where the mark cannot be written, it is offered again.
func (l *Lesson) Offer() {
	s := l.session
	if l.Run != nil || s.Plan.Comparison != nil || s.Plan.TapeName != "" {
		return
	}
	name := filepath.Join(s.OutDir, offerMark)
	if _, err := os.Stat(name); err == nil {
		return
	}
	if err := os.MkdirAll(s.OutDir, 0o777); err == nil {
		_ = atomicfile.WriteFile(name, []byte("The window has offered the tour. Without this file it does so again.\n"))
		_ = s.Platform.Keep(name)
	}
	l.Offered, l.offerEnd = true, offerSeconds*s.Lab.Config().Rate
}

// Index returns the index of the lesson in progress, or -1.
func (l *Lesson) Index(list []plan.Lesson) int {
	if l.Run == nil {
		return -1
	}
	return slices.IndexFunc(list, func(x plan.Lesson) bool { return x.Name == l.Run.Lesson.Name })
}

// GoTo starts the lesson that is by some places after the one in progress: the first one where there is none.
// After the last one the tour ends.
func (l *Lesson) GoTo(by int) {
	s := l.session
	list, err := s.Library.Lessons()
	if err != nil {
		s.Notices.Post(err.Error())
		return
	}
	i := max(l.Index(list)+by, 0)
	if i >= len(list) {
		l.Leave()
		s.Notices.Post("that was the last lesson: the page Compare has prepared sessions")
		return
	}
	p, err := s.Library.NewLesson(&list[i])
	if err != nil {
		s.Notices.Post(err.Error())
		return
	}
	s.Next = p
}

// Leave ends the tour, or its offer. The session goes on.
func (l *Lesson) Leave() {
	if l.Run != nil {
		l.session.Title = ""
	}
	l.Run, l.Offered = nil, false
}
