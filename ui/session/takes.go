package session

import (
	"fmt"

	"ghostcube/predict/lab"
	"ghostcube/ui/timeline"
)

// branch begins a new take at the present moment of the past. cause says why, and c what drives it. It returns false, with
// a notice, where there are too many takes.
func (p *Past) branch(cause string, c *course) bool {
	s := p.session
	t := p.Timeline
	if !t.CanBranch() {
		s.Notices.Post(fmt.Sprintf("a session has at most %d takes: End returns to the end of this one", timeline.MaxTakes))
		return false
	}
	now := int(s.Lab.Ticks())
	p.EndReplay()
	commands := t.Branch(cause)
	s.tapeTick = c.tapeTick
	p.courses[t.Take()] = c
	p.Loop = [2]int{}
	p.startTape(now)
	for _, c := range commands {
		s.Do(c)
	}
	s.Notices.Post(takeText(t.Take()))
	return true
}

// takeText says that a take has begun.
func takeText(k *timeline.Take) string {
	return fmt.Sprintf("take %d begins here: %s", k.Number, k.Cause)
}

// renameSeconds is how long in seconds of the session a take is named after the newest value of what began it: a slider that
// is being dragged sets many, and is rarely held for longer at one.
const renameSeconds = 1

// renameTake names the present take by a command that has been recorded, if it sets anew what began the take.
func (p *Past) renameTake(c lab.Command) {
	k, s := p.Timeline.Take(), p.session
	at := p.courses[k]
	now := int(s.Lab.Ticks())
	if p.Timeline.Reviewing() || now-at.named > renameSeconds*s.Lab.Config().Rate ||
		c.Verb != at.cause.Verb || c.Pane != at.cause.Pane || c.Name != at.cause.Name {
		return
	}
	before := takeText(k)
	at.cause, at.named, k.Cause = c, now, commandText(c)
	s.Notices.replace(before, takeText(k))
}

// startTape ends the tape of the session and begins one of the present take with its first n ticks.
func (p *Past) startTape(n int) {
	s := p.session
	p.taped = p.Timeline.Take()
	if s.tape != nil { // the take before had a tick
		var err error
		if s.Platform.InPage {
			err = s.tape.Discard()
		} else {
			_, err = s.tape.keep()
		}
		if err != nil {
			s.Notices.Post("the tape of the take before: " + err.Error())
		}
		s.tape = nil
	}
	for i := p.Timeline.Start(); i < n; i++ {
		s.writeTape(*p.taped.Entry(i), false)
	}
	if s.tape != nil {
		s.tape.finalCheck = nil
		s.tape.saveFinalCheck()
	}
}

// NextTake shows the same moment in the next take.
func (p *Past) NextTake() {
	t := p.Timeline
	list := t.Takes()
	if p.session.refuses("another take") {
		return
	}
	if len(list) == 1 {
		p.session.Notices.Post("there is one take: change something at a past moment to begin another")
		return
	}
	p.ShowTake(list[t.Take().Number%len(list)])
}

// ShowTake shows the present moment, or the end, of a take.
func (p *Past) ShowTake(k *timeline.Take) {
	s := p.session
	t := p.Timeline
	p.endVideo()
	pending := p.leaveEnd()
	s.Paused = true
	if show := s.Settings(); show.Lanes != 0 { // a lane needs all datagrams of its span
		t.Lead = int((show.LaneSpan + 1) * float64(s.Lab.Config().Rate))
	}
	t.Show(k, pending)
	p.Loop = [2]int{}
}

// endRepeat ends the repetition of another take at the end of that one.
func (p *Past) endRepeat() {
	if c := p.courses[p.Timeline.Take()]; !p.Timeline.Reviewing() && c.source != nil && int(p.session.Lab.Ticks()) >= c.source.End() {
		c.source = nil
	}
}
