package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ghostcube/net/link"
)

// Fault is a forced fault.
type Fault struct {
	At      time.Duration // session time at which it happens
	Command Command
}

// faultNames are the forced faults that ParseFaults takes.
var faultNames = []string{"skew", "fps", "freeze", "blackout", "nudge", "forge", "replay", "false-fragments", "forge-acks", "desync", "rejoin", "block"}

// ParseFaults parses forced faults of all panes, separated by commas, such as
// skew=500,fps=20@5s,2.freeze=2s@10s: a name, a value, and after @ the session time, which
// is 0 if it is left out. forge, replay, false-fragments and forge-acks are attacks on every connection. skew,
// fps and freeze may be preceded by the number of one client; otherwise they concern all clients.
func ParseFaults(text string, c Config) ([]Fault, error) {
	var list []Fault
	if text == "" {
		return nil, nil
	}
	for _, s := range strings.Split(text, ",") {
		s = strings.TrimSpace(s)
		setting, at, timed := strings.Cut(s, "@")
		f := Fault{Command: Command{Pane: AllPanes}}
		if timed {
			var err error
			if f.At, err = time.ParseDuration(at); err != nil || f.At < 0 {
				return nil, fmt.Errorf("fault %q: want a time such as 5s after @", s)
			}
		}
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, fmt.Errorf("fault %q: want name=value", s)
		}
		client, kind, numbered := strings.Cut(name, ".")
		if !numbered {
			client, kind = "", name
		}
		f.Command.Value = value
		switch {
		case kind == "skew" || kind == "fps":
			f.Command.Verb, f.Command.Name = "clock", name
		case name == "block" || name == "blackout":
			f.Command.Verb = name
		case name == "rejoin" || name == "desync":
			f.Command.Verb, f.Command.Name, f.Command.Value = name, value, ""
		case kind == "freeze":
			f.Command.Verb, f.Command.Name = "freeze", client
		case slices.Contains(attackKinds, name):
			f.Command.Verb, f.Command.Name = "attack", name
		case name == "nudge":
			f.Command.Verb, f.Command.Name = "nudge", "x"
		default:
			return nil, &link.UnknownNameError{Kind: "fault", Name: name, Choices: faultNames}
		}
		if err := New(c).Apply(f.Command); err != nil { // a lab without panes checks the values
			return nil, fmt.Errorf("fault %q: %w", s, err)
		}
		list = append(list, f)
	}
	return list, nil
}
