package lab

import (
	"fmt"
	"slices"

	"ghostcube/predict"
	"ghostcube/sim"
)

// OpenRecorded adds a pane with a scene of its own, in which a strategy that is none of Strategies plays what happened
// elsewhere. Of the session only the display can be changed then, and the strategies and knobs of other panes. It panics if
// MaxPanes are open.
func (l *Lab) OpenRecorded(name string, s *predict.Strategy, sc sim.Scene) *Pane {
	if len(l.Panes) == MaxPanes {
		panic("lab: OpenRecorded with too many panes")
	}
	p := &Pane{Name: name, lab: l, recorded: true}
	p.start(s, predict.NewWorld(sc, l.config.Rate))
	l.Panes = append(l.Panes, p)
	return p
}

// Recorded reports whether a pane plays what happened elsewhere (OpenRecorded).
func (l *Lab) Recorded() bool { return slices.ContainsFunc(l.Panes, (*Pane).Recorded) }

// Recorded reports whether the pane plays what happened elsewhere (OpenRecorded).
func (p *Pane) Recorded() bool { return p.recorded }

// checkCommand refuses commands that change a session that has happened.
func (l *Lab) checkCommand(c *Command) error {
	switch {
	case l.merged == nil && !l.Recorded() || c.Verb == "show" || c.Verb == "focus":
		return nil
	case l.merged != nil:
		return fmt.Errorf("%s: this session has happened: only the display can be changed", c.Verb)
	case c.Verb != "switch" && c.Verb != "set":
		return fmt.Errorf("%s: the game has been played: only strategies, knobs and the display can be changed", c.Verb)
	case c.Pane < 0 || l.Panes[c.Pane].recorded:
		return fmt.Errorf("%s: this pane shows the game as it was: want another one", c.Verb)
	}
	return nil
}
