package remote

import (
	"fmt"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
)

// Instructions are the instructions that Switch takes, in the words of the command line.
const Instructions = "scene NAME, strategy SPEC (or panes SPEC), set KNOB=VALUE ..."

// Switch goes on with another scene, strategy or other knobs, as an instruction of one line says: see Instructions. All
// clients follow: the next tick of the session is the first of a new one. With another strategy or knob the world goes
// on, with another scene it begins. The error says what cannot be; then nothing has changed.
func (s *Server) Switch(line string) error {
	f := strings.Fields(line)
	if len(f) == 0 {
		return fmt.Errorf("no instruction: want %s", Instructions)
	}
	next, spec := s.config.Session, s.config.Spec
	switch f[0] {
	case "scene", "strategy", "panes":
		if len(f) != 2 {
			return fmt.Errorf("%q: want one word after %s", line, f[0])
		}
		if f[0] == "scene" {
			next.Scene = f[1]
		} else {
			spec = f[1]
		}
	case "set":
		if len(f) == 1 {
			return fmt.Errorf("%q: want a knob as name=value after set, such as snapshot-every=4", line)
		}
		spec += ":" + strings.Join(f[1:], ":")
	default:
		return &link.UnknownNameError{Kind: "instruction", Name: f[0], Choices: []string{"scene", "strategy", "panes", "set"}}
	}
	return s.switchTo(next, spec)
}

// switchTo goes on with another session.
func (s *Server) switchTo(next lab.Config, spec string) error {
	trial, err := lab.NewServer(next, spec, make([]link.Wire, len(s.seats[:cap(s.seats)])))
	if err != nil {
		return err
	}
	if err := trial.Panes[0].CanRejoin(); err != nil {
		return err
	}
	players := trial.Players()
	for i := range s.seats {
		if p := &s.seats[i]; p.guest != nil && i >= players {
			return fmt.Errorf("scene %s takes %d players: player %d, %s, is playing", next.Scene, players, i+1, p.name)
		}
	}
	start, err := startHash(&next)
	if err != nil {
		return err
	}
	var commands []lab.Command
	if next.Scene != s.config.Session.Scene {
		commands = append(commands, lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: next.Scene})
	}
	spec = trial.Panes[0].Spec() // once each knob, and no default
	commands = append(commands, lab.Command{Verb: "switch", Pane: 0, Name: spec})
	s.config.Recording.Applying()
	for _, c := range commands {
		if err := s.Lab.Apply(c); err != nil {
			panic("remote: " + err.Error()) // the trial is the same
		}
	}
	s.commands = append(s.commands, commands...)
	s.config.Session, s.config.Spec, s.startHash = next, spec, start
	s.seats = s.seats[:players]
	s.begins = s.Lab.Ticks()
	s.session = nextSession(s.session)
	for i := range s.seats {
		s.seats[i].wire.Wire = lab.CutWire{} // until begin
	}
	s.config.Log("switched", "scene", next.Scene, "strategy", spec)
	return nil
}
