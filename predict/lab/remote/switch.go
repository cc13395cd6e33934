package remote

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
)

// instructions are what Instruct takes.
var instructions = []string{"scene", "strategy", "panes", "set", "network", "say"}

// Instruct does what a line says, in the words of the command line: scene NAME, strategy SPEC (or panes SPEC) and
// set KNOB=VALUE ... go on with another session, network PLAYER CONDITIONS lays a simulated network over the connection of
// a player or of all, and say TEXT says a line to all. The error says what cannot be; then nothing has changed.
//
// All clients follow into another session: the next tick is the first of it. With another strategy or knob the world goes
// on, with another scene it begins.
func (s *Server) Instruct(line string) error {
	f := strings.Fields(line)
	if len(f) == 0 {
		return errors.New("no instruction: want " + strings.Join(instructions, ", "))
	}
	if want := map[string]int{"scene": 2, "strategy": 2, "panes": 2, "network": 3}[f[0]]; want > 0 && len(f) != want {
		return fmt.Errorf("%q: %d words after %s: want %d", line, len(f)-1, f[0], want-1)
	}
	next, spec := s.config.Session, s.config.Spec
	switch f[0] {
	case "scene":
		next.Scene = f[1]
	case "strategy", "panes":
		spec = f[1]
	case "set":
		if len(f) == 1 {
			return fmt.Errorf("%q: want a knob as name=value after set, such as snapshot-every=4", line)
		}
		spec += ":" + strings.Join(f[1:], ":")
	case "network":
		return s.setNetwork(f[1], f[2])
	case "say":
		return s.Say(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), f[0])))
	default:
		return &link.UnknownNameError{Kind: "instruction", Name: f[0], Choices: instructions}
	}
	return s.switchTo(next, spec)
}

// setNetwork lays a network over the connection of a player, by number, or of all. It ends with the connection.
func (s *Server) setNetwork(player, text string) error {
	var n link.Network
	if err := n.Parse(text); err != nil {
		return err
	}
	n.Seed = s.config.Seed
	first, end := 0, len(s.seats)
	if player != "all" {
		k, err := strconv.Atoi(player)
		if err != nil || k < 1 || k > end {
			return fmt.Errorf("network %s: want a player from 1 to %d, or all", player, end)
		}
		first, end = k-1, k
		if p := &s.seats[first]; p.guest == nil && p.name != "" {
			return fmt.Errorf("network %s: %s has left", player, p.name)
		}
	}
	if !slices.ContainsFunc(s.seats[first:end], func(p seat) bool { return p.guest != nil }) {
		return fmt.Errorf("network %s: nobody is playing there", player)
	}
	for i := first; i < end; i++ {
		if g := s.seats[i].guest; g != nil {
			g.conditions.Set(n, i)
			s.config.Log("network", "player", i+1, "name", g.name, "conditions", n.String())
		}
	}
	return nil
}

// Pump moves what the networks over the connections have delayed. It reports whether there are any, so that it has to be
// called often.
func (s *Server) Pump(now time.Duration) (often bool) {
	for i := range s.seats {
		if g := s.seats[i].guest; g != nil {
			g.conditions.Pump(now)
			often = often || g.conditions.near != nil
		}
	}
	return often
}

// switchTo goes on with another session.
func (s *Server) switchTo(next lab.Config, spec string) error {
	spec, err := withTransport(spec, s.config.Ordered)
	if err != nil {
		return err
	}
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
	start, err := lab.StartHash(&next)
	if err != nil {
		return err
	}
	var commands []lab.Command
	if next.Scene != s.config.Session.Scene {
		commands = append(commands, lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: next.Scene})
	}
	spec = strings.Replace(trial.Panes[0].Spec(), ":messages=reliable", "", 1) // each knob once, without what all have
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
	s.mesh = mesh{}
	for i := range s.seats {
		s.seats[i].wire.Wire = lab.CutWire{} // until begin
	}
	s.config.Log("switched", "scene", next.Scene, "strategy", spec)
	return nil
}
