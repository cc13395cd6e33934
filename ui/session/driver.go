package session

import (
	"fmt"
	"slices"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/ui/timeline"
	"ghostcube/ui/tour"
)

// Driver decides the next tick of a session. Session.driver says which one does.
type Driver interface {
	// next returns the entry of the next tick. live is false if the session shows its past instead.
	next(in *Intents) (e lab.Entry, live bool, err error)

	// playing reports whether the players' intents have no part in the next tick.
	playing() bool

	// takeOver is called when a player presses a key.
	takeOver()

	// command is called with a command of the viewer, and reports whether it is to be applied and recorded.
	command(c lab.Command) bool

	// note says in the footer what drives the session.
	note() string
}

// course is what drives a take besides the keys.
type course struct {
	tapeTick int            // next tick of the plan's tape
	source   *timeline.Take // whose inputs and commands the take repeats; nil: none
	kept     *tape.Tape     // whose entries are made again, before anything else; nil: none
	changed  []lab.Command  // by the viewer since the take began: the source's commands that set the same are left out
	cause    lab.Command    // with which the take began; empty: with none
	named    int            // tick at which the take was named after it
}

// driver returns what decides the next tick.
func (s *Session) driver() Driver {
	if s.Remote != nil {
		return online{keys{s}}
	}
	t := s.Past.Timeline
	switch c := s.Past.courses[t.Take()]; {
	case t.Reviewing():
		return past{s}
	case c.kept != nil && int(s.Lab.Ticks()) < len(c.kept.Entries):
		return restored{s, c}
	case c.source != nil && int(s.Lab.Ticks()) < c.source.End():
		return repeat{s, c}
	case s.Lesson.Run != nil:
		return lesson{s}
	case s.tapeTick < s.tapeTicks:
		return planTape{s}
	}
	return keys{s}
}

// Playing reports whether a tape, an earlier take or the past drives the session.
func (s *Session) Playing() bool { return s.driver().playing() }

// TakeOver stops a tape; keys drive the session from now on. At a past moment that is playing they begin a new take.
func (s *Session) TakeOver() { s.driver().takeOver() }

// Footer returns the note of the footer: what drives the session. An embedded one has none.
func (s *Session) Footer() string {
	if s.Embed {
		return ""
	}
	return s.driver().note()
}

// byKind returns one of two texts: that for fingers or that for keys.
func (s *Session) byKind(touched, keys string) string {
	if s.touched() {
		return touched
	}
	return keys
}

// takeOverHint says how to stop a tape.
func (s *Session) takeOverHint() string {
	return s.byKind("touch the stick to take over", "press a key to take over")
}

// keys are the players.
type keys struct{ s *Session }

func (k keys) next(in *Intents) (lab.Entry, bool, error) {
	inputs := in.Inputs
	inputs[0].Shot, in.Shot = in.Shot, sim.Shot{}
	return lab.Entry{Inputs: inputs[:], Commands: k.s.Plan.Faults(int(k.s.Lab.Ticks()))}, true, nil
}

func (k keys) playing() bool            { return false }
func (k keys) takeOver()                {}
func (k keys) command(lab.Command) bool { return true }

func (k keys) note() string {
	return k.s.byKind("the stick rolls the cube, ? lists what touches do", "F1 lists all keys, W A S D roll, Space lifts, F nudges the server's cube")
}

// planTape is the tape of the plan. A key stops it.
type planTape struct{ s *Session }

func (p planTape) next(*Intents) (lab.Entry, bool, error) {
	s := p.s
	e := s.Plan.Entry(s.tapeTick)
	s.tapeTick++
	s.Ended = s.Embed && s.tapeTick == s.tapeTicks
	s.Paused = s.Paused || s.Plan.Happened() && s.tapeTick == s.tapeTicks
	return e, true, nil
}

func (p planTape) playing() bool            { return true }
func (p planTape) command(lab.Command) bool { return true }

func (p planTape) takeOver() {
	if p.s.Plan.Happened() {
		return
	}
	p.s.tapeTick = p.s.tapeTicks
	p.s.Notices.Post("tape stopped: you have control")
}

func (p planTape) note() string {
	s, rate := p.s, float64(p.s.Plan.Config.Rate)
	if s.Plan.Happened() {
		return fmt.Sprintf("%s, %.1f of %.1f s: the timeline goes back", s.Plan.Kind, float64(s.tapeTick)/rate, float64(s.tapeTicks)/rate)
	}
	return fmt.Sprintf("%s, %.1f of %.1f s: %s", s.Plan.TapeNote(), float64(s.tapeTick)/rate, float64(s.tapeTicks)/rate, s.takeOverHint())
}

// lesson is the tape of a lesson, but for a while after a key, and not before an action that is an input.
type lesson struct{ s *Session }

func (l lesson) next(in *Intents) (lab.Entry, bool, error) {
	if l.playing() {
		return planTape(l).next(in)
	}
	return keys(l).next(in)
}

func (l lesson) playing() bool {
	return l.s.Lesson.handTicks == 0 && !l.awaitsInput()
}

// awaitsInput reports whether the lesson waits for an action that is an input.
func (l lesson) awaitsInput() bool {
	run := l.s.Lesson.Run
	return run.Phase == tour.Before && run.Lesson.Action.Input()
}

func (l lesson) takeOver()                { l.s.Lesson.handTicks = handSeconds * l.s.Lab.Config().Rate }
func (l lesson) command(lab.Command) bool { return true }

func (l lesson) note() string {
	switch s := l.s; {
	case l.playing():
		return "a tape moves the cube: " + s.takeOverHint()
	case l.awaitsInput():
		return s.byKind("the stick rolls the cube", "W A S D or the arrows roll the cube")
	default:
		return fmt.Sprintf("you have control; the tape goes on %d s after your last %s", handSeconds, s.byKind("touch", "key"))
	}
}

// repeat is another take, whose inputs and commands the present one repeats but for what the viewer has changed.
type repeat struct {
	s *Session
	c *course
}

func (r repeat) next(*Intents) (lab.Entry, bool, error) {
	e := *r.c.source.Entry(int(r.s.Lab.Ticks()))
	e.Commands = slices.DeleteFunc(slices.Clone(e.Commands), func(c lab.Command) bool {
		return isViewCommand(c) || slices.ContainsFunc(r.c.changed, func(x lab.Command) bool { return setsSame(x, c) })
	})
	return e, true, nil
}

func (r repeat) playing() bool { return true }

func (r repeat) takeOver() {
	r.c.source = nil
	if r.s.Lesson.Run != nil {
		lesson{r.s}.takeOver()
	} else {
		planTape{r.s}.takeOver()
	}
}

func (r repeat) command(c lab.Command) bool {
	if !isViewCommand(c) {
		r.c.changed = append(r.c.changed, c)
	}
	return true
}

func (r repeat) note() string {
	return fmt.Sprintf("the inputs of take %d: %s", r.c.source.Number, r.s.takeOverHint())
}

// past shows earlier moments. A command or a key begins a new take there, and its end is where another driver goes on.
type past struct{ s *Session }

func (p past) next(in *Intents) (e lab.Entry, live bool, err error) {
	if shown, err := p.s.Past.step(); shown || err != nil {
		return e, false, err
	}
	return p.s.driver().next(in)
}

func (p past) playing() bool { return true }

func (p past) takeOver() {
	if !p.s.Paused && p.s.Past.Timeline.Remaining() == 0 && !p.s.Plan.Happened() {
		p.s.Past.branch("keys", &course{tapeTick: p.s.tapeTicks})
	}
}

func (p past) command(c lab.Command) bool {
	h := &p.s.Past
	if isViewCommand(c) {
		p.s.apply(c) // the tape does not need what the viewer sees of the past
		return false
	}
	if p.s.Plan.Happened() {
		p.s.Notices.Post(c.Verb + ": in the past of this session only the display can be changed")
		return false
	}
	at, now := h.Timeline.Take(), int(p.s.Lab.Ticks())
	return h.Timeline.Remaining() == 0 &&
		h.branch(commandText(c), &course{tapeTick: h.courses[at].tapeTick, source: at, changed: []lab.Command{c}, cause: c, named: now})
}

func (p past) note() string {
	if p.s.Plan.Happened() {
		return p.s.byKind("the past of a recorded session", "the past of a recorded session: End returns")
	}
	return p.s.byKind("the past: the stick or any change begins a new take here", "the past: W A S D or any change begins a new take here, End returns")
}
