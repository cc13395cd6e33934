package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/sim/scene"
)

// Command changes a session between two ticks. Everything that a user can set, switch or
// break is a Command, so a tape records it.
type Command struct {
	Verb  string
	Pane  int // index of a pane, or AllPanes
	Name  string
	Value string
}

// AllPanes is the Pane of a command that concerns every pane or the whole session.
const AllPanes = -1

// String returns the command as text: verb, pane, name and value, with dashes for the empty
// ones.
func (c Command) String() string {
	pane := "all"
	if c.Pane >= 0 {
		pane = strconv.Itoa(c.Pane + 1)
	}
	return strings.Join([]string{c.Verb, pane, cmp.Or(c.Name, "-"), cmp.Or(c.Value, "-")}, " ")
}

// ParseCommand parses the text of a command. It checks the verb and the pane's number; name
// and value are checked by Apply.
func ParseCommand(line string) (Command, error) {
	f := strings.Fields(line)
	if len(f) != 4 {
		return Command{}, fmt.Errorf("command %.60q: want verb, pane (1, 2, ... or all), name and value, separated by spaces", line)
	}
	c := Command{Verb: f[0], Pane: AllPanes, Name: f[2], Value: f[3]}
	if f[1] != "all" {
		n, err := strconv.Atoi(f[1])
		if err != nil || n < 1 || n > MaxPanes {
			return Command{}, fmt.Errorf("command %.60q: pane %q: want 1 to %d or all", line, f[1], MaxPanes)
		}
		c.Pane = n - 1
	}
	if c.Name == "-" {
		c.Name = ""
	}
	if c.Value == "-" {
		c.Value = ""
	}
	if !slices.Contains(verbs, c.Verb) {
		return Command{}, unknownVerb(c.Verb)
	}
	return c, nil
}

// verbs are the verbs of all commands. docs/reference/tapes.md lists their names and values.
var verbs = []string{
	"switch", "set", "nudge", "condition", "network", "blackout", "clock", "freeze", "attack", "desync", "rejoin",
	"block", "drag", "scene", "seat", "seed", "open", "close", "focus", "restart", "show",
}

func unknownVerb(verb string) error {
	return &link.UnknownNameError{Kind: "command", Name: verb, Choices: verbs}
}

// Apply applies one command between two ticks, as the next Tick would. A command that is
// refused changes nothing.
func (l *Lab) Apply(c Command) error {
	err := l.apply(c)
	if err == nil {
		l.recordFault(c)
	}
	return err
}

func (l *Lab) apply(c Command) error {
	if c.Pane >= len(l.Panes) {
		return fmt.Errorf("there is no pane %d: want 1 to %d", c.Pane+1, len(l.Panes))
	}
	if err := cmp.Or(l.remote.checkCommand(&c), l.checkCommand(&c)); err != nil {
		return err
	}
	switch c.Verb {
	case "switch":
		return l.eachPane(c.Pane, func(p *Pane) error { return p.switchStrategy(c.Name) })
	case "set":
		return l.eachPane(c.Pane, func(p *Pane) error { return p.setKnob(c.Name, c.Value) })
	case "nudge":
		return l.nudge(c)
	case "condition":
		next := l.network
		if err := next.Parse(next.String() + "," + c.Name + "=" + c.Value); err != nil {
			return err
		}
		l.network = next
	case "network":
		return l.network.Parse(c.Value)
	case "blackout":
		d, err := time.ParseDuration(c.Value)
		if err != nil || d <= 0 || d > time.Minute {
			return fmt.Errorf("blackout %q: want a duration above 0s, up to 1m0s", c.Value)
		}
		l.network.Blackout = l.Now() + d
	case "clock":
		return l.setClockFault(c)
	case "freeze":
		return l.freeze(c)
	case "attack":
		return l.startAttack(c)
	case "block":
		return l.startBlock(c)
	case "rejoin":
		return l.rejoin(c)
	case "drag":
		return l.drag(c)
	case "desync":
		return l.eachPane(c.Pane, func(p *Pane) error { return p.setDesync(c.Name) })
	case "scene":
		sc, err := scene.Named(c.Name)
		if err != nil {
			return err
		}
		for _, p := range l.Panes {
			if err := checkBodyCount(p.Strategy, &sc); err != nil {
				return err
			}
		}
		l.config.Scene = c.Name
		l.restart()
	case "seat":
		s, err := SeatNamed(c.Name)
		if err != nil {
			return err
		}
		l.config.Seat = s
		l.restart()
	case "seed":
		n, err := strconv.ParseUint(c.Value, 10, 64)
		if err != nil {
			return fmt.Errorf("seed %q: want a whole number from 0", c.Value)
		}
		l.network.Seed = n
		l.restart()
	case "open":
		_, err := l.open(c.Name, l.Panes[l.focus])
		return err
	case "close":
		if c.Pane < 0 || len(l.Panes) == 1 {
			return fmt.Errorf("close: want the number of a pane, and at least one other pane")
		}
		l.Panes = slices.Delete(l.Panes, c.Pane, c.Pane+1)
		l.focus = min(l.focus, len(l.Panes)-1)
	case "focus":
		if c.Pane < 0 {
			return fmt.Errorf("focus: want one pane")
		}
		l.focus = c.Pane
	case "restart":
		l.restart()
	case "show":
		l.setDisplay(c.Name, c.Value)
	default:
		return unknownVerb(c.Verb)
	}
	return nil
}

// eachPane applies f to one pane or to all of them.
func (l *Lab) eachPane(pane int, f func(*Pane) error) error {
	if pane >= 0 {
		return f(l.Panes[pane])
	}
	for _, p := range l.Panes {
		if err := f(p); err != nil {
			return err
		}
	}
	return nil
}

// switchStrategy changes the pane's strategy. The server's world continues. Where that runs in another process, the client
// begins with the scene's start: what it has of the world is only for comparison.
func (p *Pane) switchStrategy(spec string) error {
	s, set, err := ParseSpec(spec)
	if err != nil {
		return err
	}
	if err := new(SpecValidator).validate(s, set); err != nil {
		return err
	}
	if err := checkBodyCount(s, p.ServerWorld.Scene()); err != nil {
		return err
	}
	p.Name, _ = CutTitle(spec)
	world := p.ServerWorld
	if !p.lab.remote.runsServer() {
		world = predict.NewWorld(p.lab.newScene(), p.lab.config.Rate)
	}
	p.start(s, world)
	return p.applySettings(set)
}

// setKnob sets a knob. If the sides cannot change it while they run, they start again from the server's world. If the
// format of the server's packets changes with it, those that are on their way are lost to the clients: nobody refuses them.
func (p *Pane) setKnob(name, value string) error {
	knob, format, before := p.Knobs.Lookup(name), p.Knobs.Format(), ""
	if knob != nil {
		before = knob.Value()
	}
	if err := p.Knobs.Set(name, value); err != nil {
		return err
	}
	if knob.Restarts() && knob.Value() != before {
		knobs := p.Knobs
		p.start(p.Strategy, p.ServerWorld)
		p.Knobs.CopyFrom(knobs)
		return nil
	}
	if p.Knobs.Format() != format {
		for i, s := range p.Clients {
			s.Endpoint.IgnoreInFlight(p.peers[i].Endpoint.Next())
		}
	}
	return nil
}

// nudge moves the first player's cube in the server's world. No client can predict that.
func (l *Lab) nudge(c Command) error {
	by, err := strconv.ParseFloat(c.Value, 32)
	if err != nil || math.IsNaN(by) || math.Abs(by) > 100 {
		return fmt.Errorf("nudge by %q: want metres from -100 to 100", c.Value)
	}
	if axes := []string{"x", "y", "z"}; !slices.Contains(axes, c.Name) {
		return &link.UnknownNameError{Kind: "axis", Name: c.Name, Choices: axes}
	}
	return l.eachPane(c.Pane, func(p *Pane) error {
		b := p.ServerWorld.Bodies()[0]
		at, s := &b.Pose.Pos, p.ServerWorld.Scene()
		*map[string]*float32{"x": &at.X, "y": &at.Y, "z": &at.Z}[c.Name] += float32(by)
		at.X = min(max(at.X, -s.HalfWidth), s.HalfWidth)
		at.Y = min(max(at.Y, -s.HalfWidth), s.HalfWidth)
		at.Z = min(max(at.Z, 0), s.Height)
		b.Asleep = false
		p.ServerWorld.SetBody(0, b)
		return nil
	})
}
