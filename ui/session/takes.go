package session

import (
	"fmt"
	"slices"

	"ghostcube/predict/lab"
	"ghostcube/ui/timeline"
)

// repeated returns the entry that the take repeats in the next tick. ok is false if it repeats none.
func (p *Past) repeated() (e lab.Entry, ok bool) {
	t := p.Timeline
	d, ok := p.drivers[t.Take()]
	if !ok || d.source == nil {
		return e, false
	}
	if now := int(p.session.Lab.Ticks()); now < d.source.End() {
		e = *d.source.Entry(now)
		e.Commands = slices.DeleteFunc(slices.Clone(e.Commands), func(c lab.Command) bool {
			return isViewCommand(c) || slices.ContainsFunc(d.changed, func(x lab.Command) bool { return setsSame(x, c) })
		})
		return e, true
	}
	d.source = nil
	p.drivers[t.Take()] = d
	return e, false
}

// repeating reports whether the take repeats the inputs of another one.
func (p *Past) repeating() bool {
	d := p.drivers[p.Timeline.Take()]
	return !p.Timeline.Reviewing() && d.source != nil && int(p.session.Lab.Ticks()) < d.source.End()
}

// branch begins a new take at the present moment of the past. cause says why. It returns false, with a notice, where
// there are too many takes.
func (p *Past) branch(cause string, changed lab.Command, byKeys bool) bool {
	s := p.session
	t := p.Timeline
	if !t.CanBranch() {
		s.Notices.Post(fmt.Sprintf("a session has at most %d takes: End returns to the end of this one", timeline.MaxTakes))
		return false
	}
	from, now := t.Take(), int(s.Lab.Ticks())
	old := p.drivers[from]
	p.EndReplay()
	commands := t.Branch(cause)
	d := driver{tapeTick: old.tapeTick, source: from}
	if byKeys {
		d = driver{tapeTick: s.tapeTicks}
	} else {
		d.changed = []lab.Command{changed}
	}
	s.tapeTick = d.tapeTick
	p.drivers[t.Take()] = d
	p.Loop = [2]int{}
	p.startTape(now)
	for _, c := range commands {
		s.Do(c)
	}
	s.Notices.Post(fmt.Sprintf("take %d begins here: %s", t.Take().Number, cause))
	return true
}

// startTape ends the tape of the session and begins one of the present take with its first n ticks.
func (p *Past) startTape(n int) {
	s := p.session
	p.taped = p.Timeline.Take()
	if s.tape != nil { // the take before had a tick
		var err error
		if s.Host.InPage {
			err = s.tape.file.Discard()
		} else {
			_, err = s.tape.close(s.Lab)
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
		s.tape.saveFinalCheck(s.Lab)
	}
}

// NextTake shows the same moment in the next take.
func (p *Past) NextTake() {
	t := p.Timeline
	list := t.Takes()
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
