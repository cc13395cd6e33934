package session

import (
	"fmt"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Intents are what the players want in the next tick.
type Intents struct {
	Inputs [2]sim.Input // from keys, gamepads and touches, by player
	Shot   sim.Shot     // of the first player; the tick that has it clears it
}

// DueTicks returns the number of ticks to make in an update: one at full speed.
func (s *Session) DueTicks() int {
	if s.Paused {
		n := s.pendingSteps
		s.pendingSteps, s.accumulator = 0, 0
		return n
	}
	s.pendingSteps, s.Away = 0, 0
	s.accumulator += s.Settings().Speed
	n := int(s.accumulator)
	s.accumulator -= float64(n)
	return n
}

// Update does what is due in an update of a window, and returns the number of ticks that were due. Call Past.Wait before
// anything changes the session.
func (s *Session) Update(in *Intents) (ticks int, err error) {
	for _, message := range []string{s.Videos.Poll(), s.Reports.Poll()} {
		if message != "" {
			s.Notices.Post(message)
		}
	}
	s.Past.Update()
	s.HUD.Refresh(s.Lab)
	ticks = s.DueTicks()
	for range ticks {
		if err := s.Tick(in); err != nil {
			return ticks, err
		}
	}
	if s.Ended {
		s.Paused = true
	}
	if s.Err == nil {
		s.Beside.Follow()
	}
	if s.Err != nil {
		return ticks, s.Err
	}
	s.Links.UpdateAddress()
	s.Past.MakeCheckpoint()
	return ticks, nil
}

// StepOnce pauses the session and makes one tick of it.
func (s *Session) StepOnce() { s.Paused, s.pendingSteps = true, s.pendingSteps+1 }

// Hidden pauses a session whose window was hidden for some time, in which it was not updated.
func (s *Session) Hidden(away time.Duration) {
	s.accumulator = 0
	if s.Paused || s.Lab.Ticks() == 0 {
		return
	}
	s.Paused = true
	s.Away = max(away.Round(time.Second), time.Second)
}

// Tick makes one tick of the session and records it, or shows the next one of its past.
func (s *Session) Tick(in *Intents) error {
	if s.Past.Timeline.Reviewing() {
		if done, err := s.Past.step(); done || err != nil {
			return err
		}
	}
	inputs := in.Inputs[:]
	from, playing := s.nextEntry()
	if playing {
		s.repeats = true
		for _, c := range from.Commands {
			s.Do(c)
		}
		s.repeats = false
		inputs = from.Inputs
	}
	e := lab.Entry{Inputs: make([]sim.Input, s.Lab.Players())}
	copy(e.Inputs, inputs)
	if !playing {
		e.Inputs[0].Shot, in.Shot = in.Shot, sim.Shot{}
	}
	s.LastInput = e.Inputs[0]
	if !playing {
		for _, c := range s.Plan.Faults(int(s.Lab.Ticks())) {
			s.Do(c)
		}
	}
	if err := s.Lab.Tick(e); err != nil {
		return err
	}
	if s.Window != nil {
		s.Window.Ticked()
	}
	s.HUD.Tick(s.Lab)
	e.Commands, s.newCommands = s.newCommands, nil
	s.Lesson.tick(e)
	s.Videos.add(e)
	s.Past.ticked(e, s.Lab.Config().Rate)
	s.writeTape(e, true)
	return nil
}

// nextEntry returns the entry of the take that the present one repeats, or else of the tape. ok is false if neither
// drives the session.
func (s *Session) nextEntry() (e lab.Entry, ok bool) {
	if e, ok = s.Past.repeated(); ok || !s.tapeDue() {
		return e, ok
	}
	e = s.Plan.Entry(s.tapeTick)
	s.tapeTick++
	s.Ended = s.Embed && s.tapeTick == s.tapeTicks
	return e, true
}

// tapeDue reports whether the tape of the session, or that of a lesson, drives the next tick of the take.
func (s *Session) tapeDue() bool {
	if s.Lesson.Run != nil {
		return s.Lesson.tapeMoves()
	}
	return s.tapeTick < s.tapeTicks
}

// Playing reports whether a tape, an earlier take or the past drives the session.
func (s *Session) Playing() bool {
	return s.tapeDue() || s.Past.repeating() || s.Past.Timeline.Reviewing()
}

// TakeOver stops the tape; keys drive the session from now on. At a past moment that is playing they begin a new take.
func (s *Session) TakeOver() {
	if s.Past.Timeline.Reviewing() {
		if !s.Paused && s.Past.Timeline.Remaining() == 0 {
			s.Past.branch("keys", lab.Command{}, true)
		}
		return
	}
	if s.Lesson.Run != nil {
		if s.Past.repeating() {
			delete(s.Past.drivers, s.Past.Timeline.Take())
		}
		s.Lesson.handTicks = handSeconds * s.Lab.Config().Rate
		return
	}
	if s.Playing() {
		delete(s.Past.drivers, s.Past.Timeline.Take())
		s.tapeTick = s.tapeTicks
		s.Notices.Post("tape stopped: you have control")
	}
}

// MakeRunUp makes ticks up to the moment RunUp while there is time, and ends the run-up there.
func (s *Session) MakeRunUp(more func() bool) error {
	s.Paused = true
	for int(s.Lab.Ticks()) < s.RunUp && more() {
		s.Past.Wait()
		if err := s.Tick(&Intents{}); err != nil {
			return err
		}
		s.Past.MakeCheckpoint()
	}
	if int(s.Lab.Ticks()) >= s.RunUp {
		s.RunUp = 0
		s.Notices.Post(fmt.Sprintf("paused at %s, as the link says: P plays on, the timeline goes back", s.TimeText()))
	}
	return nil
}

// Footer returns the note of the footer: what drives the session.
func (s *Session) Footer() string {
	switch touched := s.touched(); {
	case s.Embed:
		return ""
	case s.Past.Timeline.Reviewing() && touched:
		return "the past: the stick or any change begins a new take here"
	case s.Past.Timeline.Reviewing():
		return "the past: W A S D or any change begins a new take here, End returns"
	case s.Past.repeating():
		return fmt.Sprintf("the inputs of take %d: %s", s.Past.drivers[s.Past.Timeline.Take()].source.Number, s.takeOverHint())
	case s.Lesson.Run != nil:
		return s.Lesson.footer()
	case s.Playing():
		rate := float64(s.Plan.Config.Rate)
		return fmt.Sprintf("%s, %.1f of %.1f s: %s", s.Plan.TapeNote(), float64(s.tapeTick)/rate, float64(s.tapeTicks)/rate, s.takeOverHint())
	case touched:
		return "the stick rolls the cube, ? lists what touches do"
	}
	return "F1 lists all keys, W A S D roll, Space lifts, F nudges the server's cube"
}

// takeOverHint says how to stop a tape.
func (s *Session) takeOverHint() string {
	if s.touched() {
		return "touch the stick to take over"
	}
	return "press a key to take over"
}
