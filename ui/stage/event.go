package stage

// Event returns the text that explains what has just happened in a pane, as the picture shows it for two seconds of
// shown time; empty: nothing has. The text is valid until the next Tick.
func (s *Stage) Event(pane int) string { return s.panes[pane].explain.event.text }
