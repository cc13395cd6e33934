package session

import (
	"fmt"
	"slices"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// Do applies a command of the viewer and records it for the tape. A command that is refused becomes a notice and is not
// recorded.
func (s *Session) Do(c lab.Command) (recorded bool) {
	recorded = s.driver().command(c) && s.record(c)
	if recorded {
		s.retitle(c)
	}
	if recorded && s.Remote == nil {
		s.Past.renameTake(c)
		if isFault(c) {
			s.Past.offerReplay()
		}
	}
	return recorded
}

// retitle changes the title after a command. One that turns a single condition or knob of a comparison is named behind its title; after
// any other, but one of the view or within a lesson, the title is true no longer.
func (s *Session) retitle(c lab.Command) {
	if !beginsAnew(c) && (s.Lesson.Run != nil || isViewCommand(c)) {
		return
	}
	full := s.Plan.Title()
	if s.Title == full {
		s.turned = s.turned[:0]
	} else if len(s.turned) == 0 {
		return // it is gone
	}
	s.Title = ""
	if first := append(s.turned, c)[0]; c.Verb != "condition" && c.Verb != "set" || c.Verb != first.Verb || c.Name != first.Name {
		s.turned = s.turned[:0]
		return
	}
	s.turned = append(slices.DeleteFunc(s.turned, func(x lab.Command) bool { return x.Pane == c.Pane }), c)
	if text := s.turned.text(s.Lab); text != "" && full != "" {
		s.Title = full + ", " + text
	}
}

// turned are the commands that have turned one condition or knob of a comparison: the last one of each pane.
type turned []lab.Command

// text names the condition, or the knob of one pane, or of all panes that have it. Otherwise it is empty.
func (t turned) text(l *lab.Lab) string {
	c := t[0]
	if len(t) == 1 && (c.Verb == "condition" || len(l.Panes) > 1) {
		return commandText(c)
	}
	for i, p := range l.Panes {
		same := func(x lab.Command) bool { return (x.Pane == i || x.Pane == lab.AllPanes) && x.Value == c.Value }
		if p.Knobs.Lookup(c.Name) != nil && !slices.ContainsFunc(t, same) {
			return ""
		}
	}
	c.Pane = lab.AllPanes
	return commandText(c)
}

// record applies a command and adds it to the next entry. ok is false if it was refused.
func (s *Session) record(c lab.Command) (ok bool) {
	if s.tape != nil && len(s.newCommands) == 0 {
		s.tape.saveFinalCheck()
	}
	if !s.apply(c) {
		return false
	}
	s.newCommands = append(s.newCommands, c)
	return true
}

// beginsAnew reports whether a command begins another session.
func beginsAnew(c lab.Command) bool {
	return c.Verb == "scene" || c.Verb == "seat" || c.Verb == "seed" || c.Verb == "restart"
}

// apply applies a command to the lab. One that is refused becomes a notice.
func (s *Session) apply(c lab.Command) (ok bool) {
	err := stage.CheckCommand(c)
	switch {
	case err != nil:
	case s.Remote != nil:
		err = s.Remote.Apply(c)
	default:
		err = s.Lab.Apply(c)
	}
	if err != nil {
		s.Notices.Post(err.Error())
	}
	return err == nil
}

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
	if a.Verb == "drag" { // one hand holds one body
		return b.Verb == "drag"
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

// commandText describes a command as the cause of a take.
func commandText(c lab.Command) string {
	switch c.Verb {
	case "condition":
		return c.Name + " " + c.Value
	case "network":
		return "network " + c.Value
	case "set":
		return paneText(c.Pane) + c.Name + " " + c.Value
	case "switch", "drag":
		text := paneText(c.Pane) + c.Name
		if c.Verb == "drag" {
			text = "drag " + text
		}
		return text
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
