package lab

import "slices"

// ViewState is what of a session only its viewer sees: the display settings and the focus. No hash contains
// it, but the pane that an open command copies is the focused one, so a session that runs again needs the
// focus that it had.
type ViewState struct {
	display []DisplaySetting
	focus   int
}

// ViewState returns a copy of the session's present view state.
func (l *Lab) ViewState() ViewState {
	return ViewState{slices.Clone(l.display), l.focus}
}

// SwapViewState exchanges the session's view state with v. A focus beyond the last pane becomes the last pane.
func (l *Lab) SwapViewState(v *ViewState) {
	l.display, v.display = v.display, l.display
	l.focus, v.focus = v.focus, l.focus
	l.focus = max(min(l.focus, len(l.Panes)-1), 0)
}

// CommandsTo returns the commands that give a session with the view state v that of w. A setting that only v
// has keeps its value, because no command takes one back.
func (v *ViewState) CommandsTo(w *ViewState) (list []Command) {
	for _, s := range w.display {
		if !slices.Contains(v.display, s) {
			list = append(list, Command{Verb: "show", Pane: AllPanes, Name: s.Name, Value: s.Value})
		}
	}
	if v.focus != w.focus {
		list = append(list, Command{Verb: "focus", Pane: w.focus})
	}
	return list
}

// ForkWithFocus returns a fork of l with the focus of v, so that an open command copies the pane that it copied in
// the session from which v is.
func (l *Lab) ForkWithFocus(v *ViewState) *Lab {
	f := l.Fork()
	f.focus = max(min(v.focus, len(f.Panes)-1), 0)
	return f
}
