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

// DueTicks returns the number of ticks to make in an update: one at full speed, or as many as a server in another process
// has made.
func (s *Session) DueTicks() int {
	if s.Remote != nil {
		return s.dueRemote()
	}
	if s.Paused {
		n := s.pendingSteps
		s.pendingSteps, s.accumulator = 0, 0
		return n
	}
	s.pendingSteps, s.PausedBy = 0, ""
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
	if s.Remote != nil {
		for _, message := range s.Remote.News() {
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
	s.Kept.update()
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
	s.PausedBy = fmt.Sprintf("the tab was hidden for %s", max(away.Round(time.Second), time.Second))
}

// Tick makes one tick of the session and records it, or shows the next one of its past.
func (s *Session) Tick(in *Intents) error {
	s.Past.endRepeat()
	from, live, err := s.driver().next(in)
	if !live || err != nil {
		return err
	}
	s.Grab.tick(s.Playing())
	for _, c := range from.Commands {
		s.record(c)
	}
	e := lab.Entry{Inputs: make([]sim.Input, s.Lab.Players())}
	copy(e.Inputs, from.Inputs)
	s.LastInput = e.Inputs[0]
	if made, err := s.makeTick(e); !made || err != nil {
		return err
	}
	if s.Window != nil {
		s.Window.Ticked()
	}
	s.HUD.Tick(s.Lab)
	e.Commands, s.newCommands = s.newCommands, nil
	s.Lesson.tick(e)
	s.Videos.add(e)
	s.Past.ticked(e)
	s.Beside.tick()
	s.writeTape(e, true)
	if s.RunUp == 0 {
		s.Kept.update()
	}
	return nil
}

// MakeRunUp makes ticks up to the moment RunUp while there is time, and ends the run-up there: the session is paused, but a
// comparison that was chosen plays on.
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
		if s.Kept.restored() {
			return nil
		}
		if s.playsOn {
			s.Paused = false
			s.Notices.Post(fmt.Sprintf("from %s, shortly before the effect", s.TimeText()))
			return nil
		}
		s.Notices.Post(fmt.Sprintf("paused at %s, as the link says: P plays on, the timeline goes back", s.TimeText()))
	}
	return nil
}

// RunUpText says how far the run-up is.
func (s *Session) RunUpText() string {
	return fmt.Sprintf("running to %.2f s: %d %% (Esc stops)", float64(s.RunUp)/float64(s.Lab.Config().Rate), 100*int(s.Lab.Ticks())/s.RunUp)
}
