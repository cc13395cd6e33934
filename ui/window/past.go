package window

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"ghostcube/predict/lab"
	"ghostcube/render"
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

// isFault reports whether a command forces a fault that passes.
func isFault(c lab.Command) bool {
	return slices.Contains([]string{"nudge", "blackout", "freeze", "attack", "desync", "rejoin"}, c.Verb)
}

// isViewCommand reports whether a command changes only what the viewer sees.
func isViewCommand(c lab.Command) bool { return c.Verb == "show" || c.Verb == "focus" }

// setsSame reports whether two commands set the same.
func setsSame(a, b lab.Command) bool {
	network := func(c lab.Command) bool { return c.Verb == "network" || c.Verb == "condition" }
	if network(a) && network(b) {
		return a.Verb == "network" || b.Verb == "network" || a.Name == b.Name
	}
	pane := a.Pane == b.Pane || a.Pane == lab.AllPanes || b.Pane == lab.AllPanes
	switch {
	case a.Verb == "switch" && b.Verb == "set", a.Verb == "set" && b.Verb == "switch":
		return pane
	case a.Verb == "set":
		return b.Verb == "set" && pane && a.Name == b.Name
	}
	return a.Verb == b.Verb && pane && !isFault(a)
}

// repeated returns the entry that the take repeats in the next tick. ok is false if it repeats none.
func (g *game) repeated() (e lab.Entry, ok bool) {
	h := &g.past
	t := h.timeline
	d, ok := h.drivers[t.Take()]
	if !ok || d.source == nil {
		return e, false
	}
	if now := int(g.lab.Ticks()); now < d.source.End() {
		e = *d.source.Entry(now)
		e.Commands = slices.DeleteFunc(slices.Clone(e.Commands), func(c lab.Command) bool {
			return isViewCommand(c) || slices.ContainsFunc(d.changed, func(x lab.Command) bool { return setsSame(x, c) })
		})
		return e, true
	}
	d.source = nil
	h.drivers[t.Take()] = d
	return e, false
}

// repeating reports whether the take repeats the inputs of another one.
func (g *game) repeating() bool {
	d := g.past.drivers[g.past.timeline.Take()]
	return !g.past.timeline.Reviewing() && d.source != nil && int(g.lab.Ticks()) < d.source.End()
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

// branch begins a new take at the present moment of the past. cause says why. It returns false, with a notice, where
// there are too many takes.
func (g *game) branch(cause string, changed lab.Command, byKeys bool) bool {
	h := &g.past
	t := h.timeline
	if !t.CanBranch() {
		g.notices.post(fmt.Sprintf("a session has at most %d takes: End returns to the end of this one", timeline.MaxTakes))
		return false
	}
	from, now := t.Take(), int(g.lab.Ticks())
	old := h.drivers[from]
	h.endReplay(g)
	commands := t.Branch(cause)
	d := driver{tapeTick: old.tapeTick, source: from}
	if byKeys {
		d = driver{tapeTick: g.tapeTicks}
	} else {
		d.changed = []lab.Command{changed}
	}
	g.tapeTick = d.tapeTick
	h.drivers[t.Take()] = d
	h.loop = [2]int{}
	g.startTapeOfTake(now)
	for _, c := range commands {
		g.execute(c)
	}
	g.notices.post(fmt.Sprintf("take %d begins here: %s", t.Take().Number, cause))
	return true
}

// startTapeOfTake ends the tape of the session and begins one of the present take with its first n ticks.
func (g *game) startTapeOfTake(n int) {
	h := &g.past
	h.taped = h.timeline.Take()
	if g.sessionTape == nil {
		return
	}
	if err := g.sessionTape.close(g.lab); err != nil {
		g.notices.post("the tape of the take before: " + err.Error())
	}
	g.sessionTape = nil
	for i := h.timeline.Start(); i < n; i++ {
		g.writeTape(*h.taped.Entry(i), false)
	}
	if g.sessionTape != nil {
		g.sessionTape.finalCheck = nil
		g.sessionTape.saveFinalCheck(g.lab)
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

// nextTake shows the same moment in the next take.
func (g *game) nextTake() {
	t := g.past.timeline
	list := t.Takes()
	if len(list) == 1 {
		g.notices.post("there is one take: change something at a past moment to begin another")
		return
	}
	g.showTake(list[t.Take().Number%len(list)])
}

// showTake shows the present moment, or the end, of a take.
func (g *game) showTake(k *timeline.Take) {
	t := g.past.timeline
	g.endVideoAtJump()
	pending := g.leaveEnd()
	g.paused = true
	t.Show(k, pending)
	g.past.loop = [2]int{}
}

// barHeight returns the height of the bar in pixels; 0: it is hidden.
func (g *game) barHeight() int {
	if g.past.hidden || g.controls.uiHidden || g.past.timeline == nil {
		return 0
	}
	return min(timeline.BarHeight(len(g.lab.Panes), g.screen.uiScale()), g.screen.h/4)
}

// updateBar handles the pointer on the bar, and reports whether it is the bar's.
func (g *game) updateBar(capture capture) bool {
	h, s := &g.past, &g.screen
	if g.barHeight() == 0 {
		h.scrubbing, h.marking, h.note = false, false, ""
		h.bar.Hover = -1
		return false
	}
	picture := g.pictureRect()
	h.bar.Layout(stage.Rect{X: picture.X, Y: picture.Y + picture.H, W: picture.W, H: g.barHeight()}, s.uiScale(), h.timeline, g.lab.Config().Rate)
	x, y := ebiten.CursorPosition()
	return g.pointAtBar(x, y, capture, ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft), inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft), ebiten.IsKeyPressed(ebiten.KeyShift), wheelY())
}

func wheelY() float64 { _, y := ebiten.Wheel(); return y }

// pointAtBar handles the pointer at a pixel of the window. down: the button is down; pressed: since this Update.
func (g *game) pointAtBar(x, y int, capture capture, down, pressed, shift bool, wheel float64) bool {
	h := &g.past
	t, rate := h.timeline, g.lab.Config().Rate
	over := h.bar.Contains(x, y) && !capture.pointer
	h.bar.Hover, h.note = -1, ""
	if !down {
		if h.marking && h.loop[0] > h.loop[1] {
			h.loop[0], h.loop[1] = h.loop[1], h.loop[0]
		}
		if h.marking && h.loop[0] < h.loop[1] {
			g.seek(h.loop[0])
			g.paused = false
			g.notices.post("the span is played in a loop: a click on the bar ends that")
		}
		h.scrubbing, h.marking = false, false
	}
	if !over && !h.scrubbing && !h.marking {
		return false
	}
	at := min(max(h.bar.TickAt(x), t.Start()), t.End())
	pane, kind, tick, near := h.bar.MarkAt(x, y, t)
	h.bar.Hover = at
	if near && !h.scrubbing {
		h.note = markNote(pane, kind, float64(tick)/float64(rate))
	}
	if over && wheel != 0 {
		h.bar.Zoom(x, zoomFactor(wheel), t, rate)
	}
	switch {
	case pressed && over && shift:
		h.marking, h.loop = true, [2]int{at, at}
	case pressed && over:
		h.scrubbing, h.loop = true, [2]int{}
		h.endReplay(g)
		if near {
			h.scrubbing = false
			g.showMark(pane, kind, tick)
		} else {
			g.seek(at)
		}
	case h.marking:
		h.loop[1] = at
	case h.scrubbing && at != int(g.lab.Ticks())+t.Remaining():
		g.seek(at)
	}
	return true
}

// zoomFactor returns how many times longer the bar's span becomes by a turn of the wheel.
func zoomFactor(wheel float64) float64 {
	if wheel > 0 {
		return 1 / 1.4
	}
	return 1.4
}

// markNouns are the kinds of marks in the singular.
var markNouns = [...]string{timeline.Losses: "loss", timeline.Corrections: "correction", timeline.Shots: "shot", timeline.Stalls: "stall", timeline.Faults: "forced fault", timeline.Bookmarks: "bookmark"}

// markNote describes a mark.
func markNote(pane int, k timeline.Kind, seconds float64) string {
	if k == timeline.Bookmarks {
		return fmt.Sprintf("bookmark at %.2f s: a click goes there", seconds)
	}
	return fmt.Sprintf("%s in pane %d at %.2f s: a click goes there", markNouns[k], pane+1, seconds)
}

// showMark goes to a mark. A correction is explained in the picture.
func (g *game) showMark(pane int, k timeline.Kind, tick int) {
	g.seekFully(tick)
	if k != timeline.Corrections || pane >= len(g.lab.Panes) {
		return
	}
	p := g.lab.Panes[pane]
	for n := p.Corrections.Total() - 1; n >= p.Corrections.FirstIndex(); n-- {
		if x := p.Corrections.At(n); int(x.SessionTick)+1 == tick {
			g.selected = &selection{p, n, *x}
			return
		}
	}
}

// drawBar draws the bar.
func (g *game) drawBar(list *render.DrawList) {
	h := &g.past
	if g.barHeight() == 0 {
		return
	}
	picture := g.pictureRect()
	c := g.lab.Config()
	h.bar.Layout(stage.Rect{X: picture.X, Y: picture.Y + picture.H, W: picture.W, H: g.barHeight()}, g.screen.uiScale(), h.timeline, c.Rate)
	h.bar.Draw(list, h.timeline, &timeline.State{Playing: !g.paused, Speed: g.settings().Speed, Loop: h.loop, Rate: c.Rate, Seeking: h.timeline.Remaining(), Note: h.note})
}

// commandText describes a command as the cause of a take.
func commandText(c lab.Command) string {
	switch c.Verb {
	case "condition":
		return c.Name + " " + c.Value
	case "network":
		return "network " + c.Value
	case "set":
		return paneText(c.Pane) + c.Name + " " + c.Value
	case "switch":
		return paneText(c.Pane) + c.Name
	}
	text := c.Verb
	for _, s := range []string{c.Name, c.Value} {
		if s != "" {
			text += " " + s
		}
	}
	return text
}

// paneText names a pane before what is done to it; all panes need no word.
func paneText(pane int) string {
	if pane == lab.AllPanes {
		return ""
	}
	return fmt.Sprintf("pane %d ", pane+1)
}
