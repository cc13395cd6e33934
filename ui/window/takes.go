package window

import (
	"fmt"
	"slices"

	"ghostcube/predict/lab"
	"ghostcube/ui/timeline"
)

// isFault reports whether a command forces a fault that passes.
func isFault(c lab.Command) bool { return c.ForcesFault() && c.Verb != "clock" }

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
	var err error
	if g.inPage {
		err = g.sessionTape.file.Discard()
	} else {
		_, err = g.sessionTape.close(g.lab)
	}
	if err != nil {
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
	if show := g.settings(); show.Lanes != 0 { // a lane needs all datagrams of its span
		t.Lead = int((show.LaneSpan + 1) * float64(g.lab.Config().Rate))
	}
	t.Show(k, pending)
	g.past.loop = [2]int{}
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

// paneText returns the name of a pane with a space, or nothing for all panes.
func paneText(pane int) string {
	if pane == lab.AllPanes {
		return ""
	}
	return fmt.Sprintf("pane %d ", pane+1)
}
