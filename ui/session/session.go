// Package session is everything that a session in a window is, without a device: it runs a plan tick by tick, driven by
// keys, a tape, an earlier take, a lesson or its own past; it applies and records commands, writes the tape, and knows
// takes, videos, links and files. A window translates keys, touches and its panel into intents and commands, and draws.
package session

import (
	"errors"
	"fmt"
	"os"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// Options describe a session and what is around it.
type Options struct {
	OutDir  string // folder for videos, screenshots and tapes
	Version string // of the program, for tapes
	Embed   bool   // the panes alone, for articles: no tape is written, and the session ends with that of its plan
	Knobs   string // controls under the embedded picture, as plan.LiveKnobs takes them
	Page    string // address to which links belong, where the platform knows none; empty: none is known

	Comparisons []plan.Comparison // for the panel
	Library     *plan.Library     // for saved sessions and traces

	// PlanComparison returns the session of a comparison, as --compare starts it.
	PlanComparison func(name string) (*plan.Plan, error)

	Platform Platform
	Window   Window // nil: there is none
	Remote   Remote // of the first session; nil: all sides run here
}

// Platform is what a session takes from the machine around it, as ui/platform has it.
type Platform struct {
	InPage     bool // files are downloaded, and videos are written by another copy of the program
	Deliver    func(name string) (where string)
	Keep       func(name string) error
	CopyText   func(text string) error
	Address    func() string
	SetAddress func(query string, another bool)
	Describe   func(title, state string)
	Remember   func(link, file, rest, place string) // what Kept keeps; nil: nothing is kept
	Run        func(args []string, files map[string][]byte, wanted string, progress func(share float64)) (output string, file []byte, err error)
}

// Window is what a session asks of the window that shows it, or tells it.
type Window interface {
	Touched() bool       // it is used with fingers, so texts name no keys
	OverlayHidden() bool // a video has no overlay either
	Jumped(tick int)     // the session shows another moment
	Ticked()             // the session has made a tick
}

// Session is a session without a device.
type Session struct {
	Options
	Plan  *plan.Plan // of the session
	Next  *plan.Plan // of the session that StartNext starts; nil: none
	Title string     // of the lesson or comparison while it is true, for header and videos; empty: the scene's name stands there. See turned
	Lab   *lab.Lab
	HUD   hud.HUD

	Past      Past
	Beside    Beside
	Videos    Videos
	Lesson    Lesson
	Links     Links
	Files     Files
	Controls  Controls
	Reports   Reports
	Notices   Notices
	Selection Selection
	Grab      Grab
	Kept      Kept
	Advisor   Advisor

	Paused    bool
	PausedBy  string    // why the session is paused, if not by the viewer: the tab was hidden, the page was reloaded
	LastInput sim.Input // of the first player, in the last tick
	RunUp     int       // tick up to which the session runs at once; 0: it does not
	Ended     bool      // the tape of an embedded session has ended
	Err       error     // what the session cannot go on with
	Lost      error     // why the server in another process is there no longer

	replayOffered bool // in this run of the program

	halted       bool       // the session that starts next stays paused
	toMoment     *plan.Plan // runs up to the moment of its comparison when it starts
	playsOn      bool       // after the run-up
	tape         *Tape
	tapeTick     int           // next tick of the plan's tape
	tapeTicks    int           // length of that tape; then the keys drive the session
	pendingSteps int           // single ticks to make while paused
	accumulator  float64       // fraction of a tick that is due
	newCommands  []lab.Command // applied since the last tick
	turned       turned        // what the title names beside the comparison
}

// New returns a session that has not started.
func New(o Options) *Session {
	s := &Session{Options: o}
	s.Past.session, s.Beside.session, s.Videos.session, s.Lesson.session, s.Links.session = s, s, s, s, s
	s.Files.session, s.Controls.session, s.Reports.session, s.Selection.session, s.Grab.session, s.Kept.session = s, s, s, s, s, s
	s.Advisor.session = s
	return s
}

// Best returns the panes that the title calls the best, or nil if the session has been changed.
func (s *Session) Best() *stage.Best {
	if s.Title == "" || s.Title != s.Plan.Title() {
		return nil
	}
	return s.Plan.Best()
}

// Start starts the session of a plan. Nothing of the previous session remains.
func (s *Session) Start(p *plan.Plan) error {
	l, err := s.newLab(p)
	if err != nil {
		return err
	}
	start := time.Now()
	l.Stopwatch = func() time.Duration { return time.Since(start) }
	l.TraceDatagrams(!s.Embed) // so that lanes show the past, too, when they are switched on
	s.Plan, s.Lab, s.HUD, s.Title = p, l, hud.HUD{}, p.Title()
	s.tapeTick, s.tapeTicks = 0, p.Ticks(0)
	s.Paused, s.pendingSteps, s.accumulator = s.halted, 0, 0
	s.Ended, s.halted = false, false
	s.LastInput = sim.Input{}
	s.newCommands, s.turned, s.RunUp, s.playsOn = nil, nil, 0, false
	s.Selection.Clear()
	s.Controls.tuned = nil
	s.Grab.held = false
	s.Past.start()
	s.Beside.end()
	s.Links = Links{session: s, address: s.Links.address, another: s.Links.address != "", state: s.Links.state}
	s.Lesson.start()
	for _, c := range p.Display() {
		s.Do(c)
	}
	if s.Remote != nil {
		s.Do(stage.Show("net-graph", "on"))
	}
	if s.Embed {
		for _, c := range embedDisplay() {
			s.Do(c)
		}
	}
	if p.Notice != "" {
		s.Notices.Post(p.Notice)
	}
	return nil
}

// newLab returns the lab of a plan: that of the client of a session whose server runs in another process.
func (s *Session) newLab(p *plan.Plan) (*lab.Lab, error) {
	if s.Remote != nil {
		return s.Remote.Lab(), nil
	}
	return p.NewLab()
}

// embedDisplay sets the display settings of the embedded layout: what takes the room of the picture is left out. Links do
// not have them, because they come with embed=1.
func embedDisplay() []lab.Command {
	return []lab.Command{stage.Show("graphs", "off"), stage.Show("explain", "off")}
}

// StartNext starts the session that has been chosen, if there is one, and reports whether there was.
func (s *Session) StartNext() (started bool, err error) {
	p := s.Next
	if p == nil {
		return false, nil
	}
	if s.Remote != nil && s.Lost == nil {
		s.Next = nil
		s.refuses("another session")
		return false, nil
	}
	s.Remote, s.Lost = nil, nil
	s.Next = nil
	s.Kept.forget()
	if err := errors.Join(s.End(), s.Start(p)); err != nil || p != s.toMoment {
		return true, err
	}
	s.RunUp = max(int((p.Comparison.Moment-momentLead)*float64(p.Config.Rate)), 0)
	s.playsOn = true
	return true, nil
}

// momentLead is the time in seconds before the moment of a comparison at which it begins to be shown.
const momentLead = 1

// StartComparison plans a comparison, which StartNext starts.
func (s *Session) StartComparison(name string) {
	p, err := s.PlanComparison(name)
	if err != nil {
		s.Notices.Post(err.Error())
		return
	}
	s.Next = p
}

// ShowComparison plans a comparison, which StartNext starts and runs up to shortly before its moment.
func (s *Session) ShowComparison(name string) {
	s.Next = nil
	s.StartComparison(name)
	s.toMoment = s.Next
}

// Reset shows the first picture of the session again, and plays it if it has been playing.
func (s *Session) Reset() {
	s.Next, s.toMoment = s.Plan, nil
	s.halted = s.Paused
}

// End stops the recording of a video and closes the tape of the session.
func (s *Session) End() error {
	if s.Videos.Recording() {
		s.Videos.Toggle()
	}
	t := s.tape
	if t == nil {
		return nil
	}
	s.tape = nil
	if s.Platform.InPage { // nobody can get at it any more
		return t.Discard()
	}
	name, err := t.keep()
	if name != "" {
		fmt.Fprintf(os.Stdout, "session tape: %s\n", name)
	}
	return err
}

// Shutdown closes the tape, waits for the videos, and prints the names of the files. An interrupt ends the videos early.
func (s *Session) Shutdown(interrupt <-chan os.Signal) error {
	err := errors.Join(s.End(), s.Videos.WaitAll(interrupt, os.Stdout))
	s.Videos.print(os.Stdout)
	return err
}

// Settings returns the display settings of the session.
func (s *Session) Settings() stage.Settings { return stage.SettingsOf(s.Lab) }

// Shown returns the stage and the lab that a window draws: those of the session, or of two takes.
func (s *Session) Shown() (*hud.HUD, *lab.Lab) {
	if s.Beside.take != nil {
		return &s.Beside.hud, &s.Beside.view
	}
	return &s.HUD, s.Lab
}

// TimeText returns the present moment of the session.
func (s *Session) TimeText() string {
	return fmt.Sprintf("%.2f s", float64(s.Lab.Ticks())/float64(s.Lab.Config().Rate))
}

// touched reports whether texts name no keys.
func (s *Session) touched() bool { return s.Window != nil && s.Window.Touched() }
