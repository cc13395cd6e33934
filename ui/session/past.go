package session

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/probe"
	"ghostcube/sim"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
)

// Past is the session's past: the timeline, and what plays on after a take began.
type Past struct {
	Timeline *timeline.Timeline
	Loop     [2]int // ticks between which the past is played; equal: none

	session *Session
	working sync.WaitGroup // of a checkpoint that is being made

	courses map[*timeline.Take]*course // of all takes
	taped   *timeline.Take             // the take of the session's tape

	wasPaused bool // before the visit to the past

	slowed     bool    // the last seconds play slowly
	speedAfter float64 // speed after that

	corrections     [lab.MaxPanes]probe.Corrections // of the panes at the end of a take, while the session shows its past
	correctionsFrom [lab.MaxPanes]sim.Tick          // at which those panes' strategies started
	correctionsTake *timeline.Take                  // whose they are

	offerAt int // tick at which the slow replay of a fault is offered; 0: none
}

// replaySeconds is the length of the slow replay, and replaySpeed its speed.
const (
	replaySeconds = 5
	replaySpeed   = 1. / 8
)

// thePast is what a session with a server in another process refuses.
const thePast = "going back"

// seekTime is the longest time that an Update rebuilds a past moment.
const seekTime = 10 * time.Millisecond

// PageBudget is the memory in bytes for checkpoints of the past in a page. A browser lets a page have less than a desktop
// lets a program, on a phone some hundred megabytes in all.
const PageBudget = 96 << 20

// start begins the timeline of the session that has just been opened.
func (p *Past) start() {
	s := p.session
	p.Wait()
	*p = Past{session: s, Timeline: timeline.New(s.Lab, &s.HUD), courses: map[*timeline.Take]*course{}}
	if s.Platform.InPage {
		p.Timeline.Budget = PageBudget
	}
	p.taped = p.Timeline.Take()
	p.courses[p.taped] = &course{}
}

// Wait waits for the checkpoint that is being made. Call it before anything changes the session.
func (p *Past) Wait() { p.working.Wait() }

// ticked adds a tick of the live session.
func (p *Past) ticked(e lab.Entry) {
	if p.session.Remote != nil {
		return // nothing leads its server there again
	}
	p.Timeline.Add(e)
}

// offerReplay has the slow replay offered a while after a fault that the viewer has forced, once in a run of the program.
func (p *Past) offerReplay() {
	s := p.session
	if s.replayOffered || s.Embed || s.touched() {
		return
	}
	s.replayOffered = true
	p.offerAt = int(offerDelay*float64(s.Lab.Config().Rate)) + p.Timeline.End()
}

// offerDelay is the time in seconds from a forced fault to the offer to see it again: then its effect is over.
const offerDelay = 2.5

// MakeCheckpoint makes a checkpoint, if one is due, while the frame is drawn.
func (p *Past) MakeCheckpoint() {
	if p.Timeline.CheckpointDue() {
		p.working.Go(p.Timeline.Checkpoint)
	}
}

// leaveEnd prepares the end of the take for a visit to the past, and returns the commands that no entry has yet.
func (p *Past) leaveEnd() (pending []lab.Command) {
	p.Wait() // a checkpoint may still be in the making
	s := p.session
	s.Grab.Release()
	if p.Timeline.Reviewing() {
		return nil
	}
	if s.tape != nil {
		s.tape.saveFinalCheck()
	}
	p.correctionsTake = p.Timeline.Take()
	for i, pane := range s.Lab.Panes {
		p.corrections[i].CopyFrom(&pane.Corrections.Log)
		p.correctionsFrom[i] = pane.StartTick()
	}
	p.courses[p.Timeline.Take()].tapeTick = s.tapeTick
	pending, s.newCommands = s.newCommands, nil
	return pending
}

// Corrections returns the corrections of a pane in the present take: while the session shows its past, also the later ones.
func (p *Past) Corrections(pane *lab.Pane) *probe.Corrections {
	i := slices.Index(p.session.Lab.Panes, pane)
	if i >= 0 && p.Timeline.Reviewing() && p.correctionsTake == p.Timeline.Take() && p.correctionsFrom[i] == pane.StartTick() &&
		p.corrections[i].Total() > pane.Corrections.Total() {
		return &p.corrections[i]
	}
	return &pane.Corrections
}

// Seek shows a moment of the session, and pauses there.
func (p *Past) Seek(tick int) {
	s := p.session
	if s.refuses(thePast) || !p.Timeline.Reviewing() && tick >= p.Timeline.End() {
		return
	}
	p.endVideo()
	if !p.Timeline.Reviewing() {
		p.wasPaused = s.Paused
	}
	s.Paused = true
	p.Timeline.Lead = 0
	p.Timeline.Seek(tick, p.leaveEnd())
	if s.Window != nil {
		s.Window.Jumped(min(max(tick, p.Timeline.Start()), p.Timeline.End()))
	}
}

// SeekFully shows a moment of the session at once, however long it takes to rebuild.
func (p *Past) SeekFully(tick int) {
	p.Seek(tick)
	for t := p.Timeline; t.Remaining() > 0; {
		if !p.rebuild(t.Continue(t.Remaining())) {
			return
		}
	}
}

// GoLive returns to the end of the take, where keys and tape drive the session. It runs if it did before the visit to the
// past.
func (p *Past) GoLive() {
	t := p.Timeline
	if !t.Reviewing() {
		p.session.Selection.end()
		return
	}
	p.SeekFully(t.End())
	if p.session.Err == nil {
		p.resume()
		p.session.Paused = p.wasPaused
		p.session.Selection.Clear()
	}
}

// rebuild takes the error of a rebuilt moment, and reports whether there was none.
func (p *Past) rebuild(err error) bool {
	if err != nil {
		p.session.Err = err
	}
	return err == nil
}

// resume ends the visit to the past at the end of the take.
func (p *Past) resume() {
	s := p.session
	p.EndReplay()
	commands := p.Timeline.Resume()
	s.tapeTick = p.courses[p.Timeline.Take()].tapeTick
	p.Loop = [2]int{}
	if p.taped != p.Timeline.Take() {
		p.startTape(p.Timeline.End())
	}
	for _, c := range commands {
		s.Do(c)
	}
}

// EndReplay gives the session the speed that it had before a slow replay.
func (p *Past) EndReplay() {
	if p.slowed {
		p.slowed = false
		p.session.Do(stage.Show("speed", strconv.FormatFloat(p.speedAfter, 'g', -1, 64)))
	}
}

// step shows the next tick of the past. At its end the session is live again, and at the end of the span that is
// looped it begins anew. done is false if the tick is to be made live.
func (p *Past) step() (done bool, err error) {
	s := p.session
	t := p.Timeline
	if t.Remaining() > 0 {
		return true, nil
	}
	now := int(s.Lab.Ticks())
	if p.Loop[0] < p.Loop[1] && now >= p.Loop[1] && !s.Paused {
		p.endVideo()
		t.Seek(p.Loop[0], nil)
		return true, nil
	}
	if now >= t.End() {
		p.resume()
		return false, nil
	}
	e := t.Take().Entry(now)
	if len(e.Inputs) > 0 {
		s.LastInput = e.Inputs[0]
	}
	s.Videos.add(withoutDisplay(*e))
	return true, t.Step()
}

// endVideo ends the recording of a video before the session goes elsewhere.
func (p *Past) endVideo() {
	s := p.session
	if s.Videos.Recording() {
		s.Videos.Toggle()
		s.Notices.Post("the video ends where the session goes to another moment")
	}
}

// Update rebuilds the moment that is sought, for at most seekTime, and offers the slow replay of a fault.
func (p *Past) Update() {
	s := p.session
	t := p.Timeline
	for start := time.Now(); t.Remaining() > 0 && time.Since(start) < seekTime; {
		if !p.rebuild(t.Continue(4)) {
			return
		}
	}
	if p.offerAt > 0 && t.End() >= p.offerAt && !t.Reviewing() {
		p.offerAt = 0
		s.Notices.Post(fmt.Sprintf("F5 plays the last %d s at an eighth of the speed", replaySeconds))
	}
}

// ReplayLast plays the last seconds slowly, up to the end of the take.
func (p *Past) ReplayLast() {
	s := p.session
	t, now := p.Timeline, int(s.Lab.Ticks())
	if s.refuses(thePast) {
		return
	}
	first := max(now-replaySeconds*s.Lab.Config().Rate, t.Start())
	if first == now {
		return
	}
	p.Seek(first)
	if !p.slowed {
		p.slowed, p.speedAfter = true, s.Settings().Speed
	}
	s.Do(stage.Show("speed", strconv.FormatFloat(replaySpeed, 'g', -1, 64)))
	s.Paused = false
}

// StepBack shows the tick before.
func (p *Past) StepBack() { p.Seek(int(p.session.Lab.Ticks()) - 1) }

// Skip shows the moment some seconds later, or earlier if they are negative.
func (p *Past) Skip(seconds float64) {
	s := p.session
	t := p.Timeline
	if s.refuses(thePast) {
		return
	}
	if n := int(s.Lab.Ticks()) + int(seconds*float64(s.Lab.Config().Rate)); n >= t.End() {
		p.GoLive()
	} else {
		p.Seek(n)
	}
}

// Bookmark sets a bookmark at the present moment or removes it.
func (p *Past) Bookmark() {
	if p.session.refuses(thePast) {
		return
	}
	text := "bookmark removed"
	if p.Timeline.Bookmark() {
		text = "bookmark"
	}
	p.session.Notices.Post(text)
}
