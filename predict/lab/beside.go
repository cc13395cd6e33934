package lab

import "time"

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

// EndedAt returns the moment at which the session of pane i ended, and that it has: in a lab of ShowBeside one of the two may
// be longer.
func (l *Lab) EndedAt(i int) (at time.Duration, ended bool) {
	of := l.Panes[i].lab
	return of.Now(), of.tick < l.tick
}
