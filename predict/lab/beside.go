package lab

// ShowBeside makes l show the panes of two other sessions of one moment, those of a first: all, or, where they are more
// than MaxPanes together, the focused pane of each. Everything else is that of a. l is for displays: it makes no ticks,
// and its panes belong to the other two.
func (l *Lab) ShowBeside(a, b *Lab) {
	panes := l.Panes[:0]
	if len(a.Panes)+len(b.Panes) > MaxPanes {
		panes = append(panes, a.Panes[a.focus], b.Panes[min(a.focus, len(b.Panes)-1)])
	} else {
		panes = append(append(panes, a.Panes...), b.Panes...)
	}
	*l = Lab{
		Panes: panes, focus: min(a.focus, len(panes)-1),
		config: a.config, network: a.network, tick: a.tick, inputs: a.inputs,
		display: a.display, tracing: a.tracing,
	}
}
