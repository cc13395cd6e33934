package window

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
)

// past is the session's past: the timeline, its bar, and what plays on after a take began.
type past struct {
	timeline *timeline.Timeline
	bar      timeline.Bar
	hidden   bool           // the bar
	working  sync.WaitGroup // of a checkpoint that is being made

	scrubbing, marking bool   // the pointer drags the cursor, or an end of the span that is looped
	loop               [2]int // ticks; equal: none
	note               string // about the mark under the pointer

	drivers map[*timeline.Take]driver // at the ends of the takes that the session has left
	taped   *timeline.Take            // the take of the session's tape

	slowed     bool    // the last seconds play slowly
	speedAfter float64 // speed after that

	offerAt int // tick at which the slow replay of a fault is offered; 0: none
}

// driver is what gives the inputs of a take besides the keys.
type driver struct {
	tapeTick int            // next tick of the session's tape
	source   *timeline.Take // whose inputs and commands the take repeats; nil: none
	changed  []lab.Command  // by the viewer since the take began: the source's commands that set the same are left out
}

// replaySeconds is the length of the slow replay, and replaySpeed its speed.
const (
	replaySeconds = 5
	replaySpeed   = 1. / 8
)

// seekTime is the longest time that an Update rebuilds a past moment.
const seekTime = 10 * time.Millisecond

// start begins the timeline of the session that has just been opened.
func (h *past) start(g *game) {
	h.wait()
	hidden := h.hidden
	*h = past{hidden: hidden, timeline: timeline.New(g.lab, &g.stage), drivers: map[*timeline.Take]driver{}}
	if g.inPage {
		h.timeline.Budget = pageBudget
	}
	h.bar.Hover = -1
	h.taped = h.timeline.Take()
}

// wait waits for the checkpoint that is being made. Call it before anything changes the session.
func (h *past) wait() { h.working.Wait() }

// ticked adds a tick of the live session.
func (h *past) ticked(e lab.Entry, rate int) {
	h.timeline.Add(e)
	if slices.ContainsFunc(e.Commands, isFault) {
		h.offerAt = int(2.5*float64(rate)) + h.timeline.End()
	}
}

// makeCheckpoint makes a checkpoint, if one is due, while the frame is drawn.
func (h *past) makeCheckpoint() {
	if h.timeline.CheckpointDue() {
		h.working.Go(h.timeline.Checkpoint)
	}
}

// leaveEnd prepares the end of the take for a visit to the past, and returns the commands that no entry has yet.
func (g *game) leaveEnd() (pending []lab.Command) {
	h := &g.past
	if h.timeline.Reviewing() {
		return nil
	}
	if g.sessionTape != nil {
		g.sessionTape.saveFinalCheck(g.lab)
	}
	d := h.drivers[h.timeline.Take()]
	d.tapeTick = g.tapeTick
	h.drivers[h.timeline.Take()] = d
	pending, g.newCommands = g.newCommands, nil
	return pending
}

// seek shows a moment of the session, and pauses there.
func (g *game) seek(tick int) {
	h := &g.past
	if !h.timeline.Reviewing() && tick >= h.timeline.End() {
		return
	}
	g.endVideoAtJump()
	g.paused = true
	h.timeline.Lead = 0
	h.timeline.Seek(tick, g.leaveEnd())
	h.bar.Follow(min(max(tick, h.timeline.Start()), h.timeline.End()), h.timeline)
	g.screen.ticksSince = time.Time{}
}

// seekFully shows a moment of the session in this Update, however long it takes to rebuild.
func (g *game) seekFully(tick int) {
	g.seek(tick)
	for t := g.past.timeline; t.Remaining() > 0; {
		if !g.rebuild(t.Continue(t.Remaining())) {
			return
		}
	}
}

// goLive returns to the end of the take, where keys and tape drive the session.
func (g *game) goLive() {
	t := g.past.timeline
	if !t.Reviewing() {
		return
	}
	g.seekFully(t.End())
	if g.tickErr == nil {
		g.resume()
	}
}

// rebuild takes the error of a rebuilt moment, and reports whether there was none.
func (g *game) rebuild(err error) bool {
	if err != nil {
		g.tickErr = err
	}
	return err == nil
}

// resume ends the visit to the past at the end of the take.
func (g *game) resume() {
	h := &g.past
	h.endReplay(g)
	commands := h.timeline.Resume()
	g.tapeTick = h.drivers[h.timeline.Take()].tapeTick
	h.loop = [2]int{}
	if h.taped != h.timeline.Take() {
		g.startTapeOfTake(h.timeline.End())
	}
	for _, c := range commands {
		g.execute(c)
	}
}

// endReplay gives the session the speed that it had before a slow replay.
func (h *past) endReplay(g *game) {
	if h.slowed {
		h.slowed = false
		g.execute(stage.Show("speed", strconv.FormatFloat(h.speedAfter, 'g', -1, 64)))
	}
}

// stepPast shows the next tick of the past. At its end the session is live again, and at the end of the span that is
// looped it begins anew. done is false if the tick is to be made live.
func (g *game) stepPast() (done bool, err error) {
	h := &g.past
	t := h.timeline
	if t.Remaining() > 0 {
		return true, nil
	}
	now := int(g.lab.Ticks())
	if h.loop[0] < h.loop[1] && now >= h.loop[1] && !g.paused {
		g.endVideoAtJump()
		t.Seek(h.loop[0], nil)
		return true, nil
	}
	if now >= t.End() {
		g.resume()
		return false, nil
	}
	e := t.Take().Entry(now)
	if len(e.Inputs) > 0 {
		g.lastInput = e.Inputs[0]
	}
	g.videos.add(withoutDisplay(*e))
	return true, t.Step()
}

// endVideoAtJump ends the recording of a video before the session goes elsewhere.
func (g *game) endVideoAtJump() {
	if g.videos.recording() {
		g.toggleRecording()
		g.notices.post("the video ends where the session goes to another moment")
	}
}

// updatePast rebuilds the moment that is sought, for at most seekTime, and offers the slow replay of a fault.
func (g *game) updatePast() {
	h := &g.past
	t := h.timeline
	for start := time.Now(); t.Remaining() > 0 && time.Since(start) < seekTime; {
		if !g.rebuild(t.Continue(4)) {
			return
		}
	}
	if h.offerAt > 0 && t.End() >= h.offerAt && !t.Reviewing() {
		h.offerAt = 0
		if g.Embed || g.touch.shown {
			return
		}
		g.notices.post(fmt.Sprintf("F5 plays the last %d s at an eighth of the speed", replaySeconds))
	}
}

// replayLast plays the last seconds slowly, up to the end of the take.
func (g *game) replayLast() {
	h := &g.past
	t, now := h.timeline, int(g.lab.Ticks())
	first := max(now-replaySeconds*g.lab.Config().Rate, t.Start())
	if first == now {
		return
	}
	g.seek(first)
	if !h.slowed {
		h.slowed, h.speedAfter = true, g.settings().Speed
	}
	g.execute(stage.Show("speed", strconv.FormatFloat(replaySpeed, 'g', -1, 64)))
	g.paused = false
}

// stepBack shows the tick before.
func (g *game) stepBack() { g.seek(int(g.lab.Ticks()) - 1) }

// skip shows the moment some seconds later, or earlier if they are negative.
func (g *game) skip(seconds float64) {
	t := g.past.timeline
	if n := int(g.lab.Ticks()) + int(seconds*float64(g.lab.Config().Rate)); n >= t.End() {
		g.goLive()
	} else {
		g.seek(n)
	}
}

// bookmark sets a bookmark at the present moment or removes it.
func (g *game) bookmark() {
	h := &g.past
	text := "bookmark removed"
	if h.timeline.Bookmark() {
		text = "bookmark"
	}
	h.bar.Changed()
	g.notices.post(text)
}
