package remote

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
)

// instructions are the lines that Instruct accepts.
var instructions = []struct {
	name, arguments, help string
	words                 int // of the arguments; 0: any number
}{
	{"scene", "NAME[:PARAMETER=VALUE...]", "go on in another scene", 1},
	{"strategy", "NAME[:KNOB=VALUE...]", "go on with another strategy", 1},
	{"panes", "NAME[:KNOB=VALUE...]", "the same", 1},
	{"set", "KNOB=VALUE ...", "change knobs of the strategy", 0},
	{"network", "PLAYER CONDITIONS", "lay conditions over the connection of a player, by number or name, or of all: network 2 latency=75ms", 2},
	{"say", "TEXT", "say a line to all", 0},
}

// InstructionHelp returns the instructions with their syntax, a line each: what to print for help.
func InstructionHelp() (lines []string) {
	for _, x := range instructions {
		lines = append(lines, fmt.Sprintf("%-36s %s", x.name+" "+x.arguments, x.help))
	}
	return lines
}

// Instruct carries out a line, in the words of the command line: scene NAME, strategy SPEC (or panes SPEC) and
// set KNOB=VALUE ... switch to another session, network PLAYER CONDITIONS lays a simulated network over the connection of
// a player or of all, and say TEXT sends a line of chat to all. If it returns an error, nothing has changed.
//
// All clients follow into another session, of which the next tick is the first. With another strategy or knob the world
// continues; with another scene it starts anew.
func (s *Server) Instruct(line string) error {
	f := strings.Fields(line)
	var names []string
	for _, x := range instructions {
		names = append(names, x.name)
		if n := len(f) - 1; n >= 0 && f[0] == x.name && (x.words > 0 && n != x.words || n == 0) {
			return fmt.Errorf("%q: want %s %s", line, x.name, x.arguments)
		}
	}
	if len(f) == 0 {
		return errors.New("no instruction: want " + strings.Join(names, ", "))
	}
	next, spec := s.config.Session, s.config.Spec
	switch f[0] {
	case "scene":
		next.Scene = f[1]
	case "strategy", "panes":
		spec = f[1]
	case "set":
		for _, x := range f[1:] {
			if !strings.Contains(x, "=") {
				return fmt.Errorf("%q: want a knob as name=value, such as snapshot-every=4", x)
			}
		}
		spec += ":" + strings.Join(f[1:], ":")
	case "network":
		return s.setNetwork(f[1], f[2])
	case "say":
		return s.Say(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), f[0])))
	default:
		return &link.UnknownNameError{Kind: "instruction", Name: f[0], Choices: append(names, "help")}
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
		k, err := s.playerNamed(player)
		if err != nil {
			return fmt.Errorf("network %s: %w", player, err)
		}
		first, end = k, k+1
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

// playerNamed returns the index of a player, by number or name.
func (s *Server) playerNamed(text string) (player int, err error) {
	var names []string
	for i := range s.seats {
		if p := &s.seats[i]; p.guest != nil {
			if names = append(names, p.name); p.name == text {
				player = i + 1
			}
		}
	}
	if k, err := strconv.Atoi(text); err == nil && k >= 1 && k <= len(s.seats) {
		player = k
	}
	switch {
	case player == 0:
		return 0, fmt.Errorf("want all, a player from 1 to %d, or a player's name: %s", len(s.seats), cmp.Or(strings.Join(names, ", "), "nobody is playing"))
	case s.seats[player-1].guest == nil && s.seats[player-1].name != "":
		return 0, fmt.Errorf("%s has left", s.seats[player-1].name)
	case s.seats[player-1].guest == nil:
		return 0, errors.New("nobody is playing there")
	}
	return player - 1, nil
}

// Pump moves the datagrams that the networks over the connections have delayed. It reports whether there are such networks,
// so that it has to be called often.
func (s *Server) Pump(now time.Duration) (often bool) {
	for i := range s.seats {
		if g := s.seats[i].guest; g != nil {
			g.conditions.Pump(now)
			often = often || g.conditions.near != nil
		}
	}
	return often
}

// playersText returns a number of players as text.
func playersText(n int) string {
	if n == 1 {
		return "1 player"
	}
	return fmt.Sprintf("%d players", n)
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
			return fmt.Errorf("scene %s takes %s: player %d, %s, is playing", next.Scene, playersText(players), i+1, p.name)
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
