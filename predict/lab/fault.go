package lab

import (
	"fmt"
	"strings"
	"time"

	"ghostcube/predict"
)

// Fault is a forced fault and when it is to come.
type Fault struct {
	At      time.Duration // of the session's time
	Command Command
}

// faultNames are the forced faults that ParseFaults knows.
var faultNames = []string{"skew", "fps", "freeze", "blackout", "nudge"}

// ParseFaults reads forced faults of all panes, with commas between them, such as
// skew=500,fps=20@5s,2.freeze=2s@10s: a fault, its value, and behind @ the time at
// which it comes, at the beginning if that is not said. skew, fps and freeze are of
// the client whose number stands before them, or of all.
func ParseFaults(text string, c Config) ([]Fault, error) {
	var list []Fault
	if text == "" {
		return nil, nil
	}
	for _, s := range strings.Split(text, ",") {
		s = strings.TrimSpace(s)
		what, when, timed := strings.Cut(s, "@")
		f := Fault{Command: Command{Pane: AllPanes}}
		if timed {
			var err error
			if f.At, err = time.ParseDuration(when); err != nil || f.At < 0 {
				return nil, fmt.Errorf("fault %q: want a time such as 5s behind @", s)
			}
		}
		name, value, ok := strings.Cut(what, "=")
		if !ok {
			return nil, fmt.Errorf("fault %q: want name=value", s)
		}
		seat, bare, numbered := strings.Cut(name, ".")
		if !numbered {
			seat, bare = "", name
		}
		f.Command.Value = value
		switch {
		case bare == "skew" || bare == "fps":
			f.Command.Verb, f.Command.Name = "clock", name
		case bare == "freeze":
			f.Command.Verb, f.Command.Name = "freeze", seat
		case name == "blackout":
			f.Command.Verb = "blackout"
		case name == "nudge":
			f.Command.Verb, f.Command.Name = "nudge", "x"
		default:
			return nil, &predict.UnknownNameError{Kind: "fault", Name: name, Known: faultNames}
		}
		if err := New(c).Apply(f.Command); err != nil { // it has no panes, and a fault wants none to be checked
			return nil, fmt.Errorf("fault %q: %w", s, err)
		}
		list = append(list, f)
	}
	return list, nil
}
