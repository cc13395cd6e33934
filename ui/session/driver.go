package session

import (
	"fmt"
	"slices"

	"ghostcube/predict/lab"
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
	changed  []lab.Command  // by the viewer since the take began: the source's commands that set the same are left out
}

// driver returns what decides the next tick.
func (s *Session) driver() Driver {
	t := s.Past.Timeline
	switch c := s.Past.courses[t.Take()]; {
	case t.Reviewing():
		return past{s}
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

func (d keys) next(in *Intents) (lab.Entry, bool, error) {
	inputs := in.Inputs
	inputs[0].Shot, in.Shot = in.Shot, sim.Shot{}
	return lab.Entry{Inputs: inputs[:], Commands: d.s.Plan.Faults(int(d.s.Lab.Ticks()))}, true, nil
}

func (d keys) playing() bool            { return false }
func (d keys) takeOver()                {}
func (d keys) command(lab.Command) bool { return true }

func (d keys) note() string {
	return d.s.byKind("the stick rolls the cube, ? lists what touches do", "F1 lists all keys, W A S D roll, Space lifts, F nudges the server's cube")
}

// planTape is the tape of the plan. A key stops it.
type planTape struct{ s *Session }

func (d planTape) next(*Intents) (lab.Entry, bool, error) {
	s := d.s
	e := s.Plan.Entry(s.tapeTick)
	s.tapeTick++
	s.Ended = s.Embed && s.tapeTick == s.tapeTicks
	return e, true, nil
}

func (d planTape) playing() bool            { return true }
func (d planTape) command(lab.Command) bool { return true }

func (d planTape) takeOver() {
	d.s.tapeTick = d.s.tapeTicks
	d.s.Notices.Post("tape stopped: you have control")
}

func (d planTape) note() string {
	s, rate := d.s, float64(d.s.Plan.Config.Rate)
	return fmt.Sprintf("%s, %.1f of %.1f s: %s", s.Plan.TapeNote(), float64(s.tapeTick)/rate, float64(s.tapeTicks)/rate, s.takeOverHint())
}

// lesson is the tape of a lesson, but for a while after a key, and not before an action that is an input.
type lesson struct{ s *Session }

func (d lesson) next(in *Intents) (lab.Entry, bool, error) {
	if d.playing() {
		return planTape(d).next(in)
	}
	return keys(d).next(in)
}

func (d lesson) playing() bool {
	l := &d.s.Lesson
	return l.handTicks == 0 && !d.awaitsInput()
}

// awaitsInput reports whether the lesson waits for an action that is an input.
func (d lesson) awaitsInput() bool {
	run := d.s.Lesson.Run
	return run.Phase == tour.Before && run.Lesson.Action.Input()
}

func (d lesson) takeOver()                { d.s.Lesson.handTicks = handSeconds * d.s.Lab.Config().Rate }
func (d lesson) command(lab.Command) bool { return true }

func (d lesson) note() string {
	switch s := d.s; {
	case d.playing():
		return "a tape moves the cube: " + s.takeOverHint()
	case d.awaitsInput():
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

func (d repeat) next(*Intents) (lab.Entry, bool, error) {
	e := *d.c.source.Entry(int(d.s.Lab.Ticks()))
	e.Commands = slices.DeleteFunc(slices.Clone(e.Commands), func(c lab.Command) bool {
		return isViewCommand(c) || slices.ContainsFunc(d.c.changed, func(x lab.Command) bool { return setsSame(x, c) })
	})
	return e, true, nil
}

func (d repeat) playing() bool { return true }

func (d repeat) takeOver() {
	d.c.source = nil
	if d.s.Lesson.Run != nil {
		lesson{d.s}.takeOver()
	} else {
		planTape{d.s}.takeOver()
	}
}

func (d repeat) command(c lab.Command) bool {
	if !isViewCommand(c) {
		d.c.changed = append(d.c.changed, c)
	}
	return true
}

func (d repeat) note() string {
	return fmt.Sprintf("the inputs of take %d: %s", d.c.source.Number, d.s.takeOverHint())
}

// past shows what has been. A command or a key begins a new take there, and its end is where another driver goes on.
type past struct{ s *Session }

func (d past) next(in *Intents) (e lab.Entry, live bool, err error) {
	if shown, err := d.s.Past.step(); shown || err != nil {
		return e, false, err
	}
	return d.s.driver().next(in)
}

func (d past) playing() bool { return true }

func (d past) takeOver() {
	if p := &d.s.Past; !d.s.Paused && p.Timeline.Remaining() == 0 {
		p.branch("keys", &course{tapeTick: d.s.tapeTicks})
	}
}

func (d past) command(c lab.Command) bool {
	p := &d.s.Past
	if isViewCommand(c) {
		d.s.apply(c) // the tape does not need what the viewer sees of the past
		return false
	}
	at := p.Timeline.Take()
	return p.Timeline.Remaining() == 0 && p.branch(commandText(c), &course{tapeTick: p.courses[at].tapeTick, source: at, changed: []lab.Command{c}})
}

func (d past) note() string {
	return d.s.byKind("the past: the stick or any change begins a new take here", "the past: W A S D or any change begins a new take here, End returns")
}
