package advise

import (
	"fmt"

	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
)

// Describe returns what Read wants to know of panes: what a library has under their names.
func Describe(library *plan.Library) func(name string) Pane {
	return func(name string) Pane {
		x := Pane{Name: name, Spec: library.ExpandSpec(name)}
		if s, _, err := lab.ParseSpec(x.Spec); err == nil {
			x.Strategy, x.NeedsExact = s.Name, s.Row != nil && s.Row.Determinism == "yes"
		}
		return x
	}
}

// ReadBuiltIn reads the built-in results.
func ReadBuiltIn(library *plan.Library) (*Evidence, error) {
	rows, err := Rows(BuiltIn)
	if err != nil {
		return nil, err
	}
	e, at, describe := newEvidence(), columnIndices(rows[0]), Describe(library)
	for i, row := range rows[1:] {
		if err := e.add(row, at, describe); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	for i := range e.Settings {
		e.Settings[i].Seconds = builtInSeconds(&e.Settings[i])
	}
	return e, nil
}

// builtInSeconds returns the length of the sessions of a built-in setting, which its plan has.
func builtInSeconds(s *Setting) float64 {
	switch {
	case s.Tape == "boarding-pilot":
		return 36
	case s.Players > 1 && s.Bodies == s.Players:
		return 20
	}
	return 8
}

// Panes returns the panes of the session that shows a choice: the first one beside the second, the others beside the first.
func (a *Advice) Panes(choice int) string {
	panes := a.Best[choice].Pane
	if len(a.Best) > 1 {
		panes += "," + a.Best[max(1-choice, 0)].Pane
	}
	return panes
}

// Session plans the session that shows a choice, on the network of the game.
func (a *Advice) Session(library *plan.Library, g *Game, choice int) (*plan.Plan, error) {
	return library.New(plan.Settings{Scene: a.Setting.Scene, Tape: a.Setting.Tape, Network: g.Network, Panes: a.Panes(choice)}, plan.Settings{}, "")
}

// Command returns the command line that gives the advice for answers to all Questions, and the flags that it has because
// the answer is empty.
func Command(answers []string) (line string, assumed []string) {
	line = "ghostcube advise"
	for i := range Questions {
		q := &Questions[i]
		answer := answers[i]
		if answer == "" {
			answer = q.Fallback
			assumed = append(assumed, "--"+q.Flag+" "+answer)
		}
		line += " --" + q.Flag + " " + answer
	}
	return line, assumed
}
