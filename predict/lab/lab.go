// Package lab runs strategies side by side: one input, one weather, one clock,
// and a pane for each strategy.
//
// Everything a user can do is a Command, and a session is a Config and a list
// of entries, one for each tick: that is a Tape, and a tape run twice gives the
// same bits. The lab reads no clock. It counts ticks, and time follows from
// them.
package lab

import (
	"fmt"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab/probe"
	"ghostcube/sim"
)

// Seat says where the human sits.
type Seat uint8

// The seats.
const (
	AtClient Seat = iota // input travels to the server
	AtHost               // input enters the server's world, and the client only watches
)

var seatNames = []string{"client", "host"}

// String returns the seat's name.
func (s Seat) String() string { return seatNames[s] }

// SeatNamed returns the seat called name.
func SeatNamed(name string) (Seat, error) {
	for i, n := range seatNames {
		if n == name {
			return Seat(i), nil
		}
	}
	return 0, &predict.UnknownNameError{Kind: "seat", Name: name, Known: seatNames}
}

// MinRate and MaxRate bound the ticks per second of a session.
const (
	MinRate = 10
	MaxRate = probe.MaxRate
)

// MaxPanes is how many panes a session may have.
const MaxPanes = 4

// Config is what a session starts from. With the same Config and the same
// entries, two labs end in the same Hash.
type Config struct {
	Scene   string // as sim.SceneNamed takes it
	Rate    int    // ticks per second, in [MinRate, MaxRate]
	Seat    Seat
	Network link.Network // its seed is the session's
}

// Validate reports what is wrong with a Config.
func (c *Config) Validate() error {
	if _, err := sim.SceneNamed(c.Scene); err != nil {
		return err
	}
	if c.Rate < MinRate || c.Rate > MaxRate {
		return fmt.Errorf("rate=%d: want %d to %d ticks per second", c.Rate, MinRate, MaxRate)
	}
	return nil
}

// Entry is one tick of a session: what the players did in it, and what was
// commanded before it.
type Entry struct {
	Inputs   []sim.Input // index = player; players for whom there is none do nothing
	Commands []Command
}

// Lab is a running session.
type Lab struct {
	Panes []*Pane

	// Stopwatch tells the time since some moment. It may be nil; only the Cost
	// of the panes looks at it, and no hash does.
	Stopwatch func() time.Duration

	// Tap is shown every datagram that is sent in a pane opened after it was
	// set. It may be nil. It must not keep the bytes.
	Tap func(p *Pane, seat int, d link.Direction, now time.Duration, datagram []byte)

	config      Config
	network     link.Network
	tick        sim.Tick // of the session: ticks made, whatever the worlds' labels say
	display     []DisplaySetting
	focus       int // index of a pane
	inputs      []sim.Input
	clockFaults [maxClients]ClockFault // of panes that will be opened
}

// New returns a lab without panes. The config must be in order.
func New(c Config) *Lab {
	if err := c.Validate(); err != nil {
		panic("lab: New with a bad config: " + err.Error())
	}
	l := &Lab{config: c, network: c.Network}
	l.inputs = make([]sim.Input, l.newScene().Players)
	return l
}

// newScene returns the session's scene, new.
func (l *Lab) newScene() sim.Scene {
	s, err := sim.SceneNamed(l.config.Scene)
	if err != nil {
		panic(err)
	}
	return s
}

// Config returns what the session is now: scene, rate, seat and weather as
// commands have changed them.
func (l *Lab) Config() Config {
	c := l.config
	c.Network = l.network
	return c
}

// Network returns the present weather, for reading.
func (l *Lab) Network() *link.Network { return &l.network }

// Players returns how many players the scene has.
func (l *Lab) Players() int { return len(l.inputs) }

// Ticks returns how many ticks the session has made.
func (l *Lab) Ticks() sim.Tick { return l.tick }

// Now returns the session's time, counted in ticks.
func (l *Lab) Now() time.Duration {
	return time.Duration(l.tick) * time.Second / time.Duration(l.config.Rate)
}

// Open adds a pane that shows what a spec such as
// rewind:snapshot-every=4:smoothing=off says, from the scene's start.
func (l *Lab) Open(spec string) (*Pane, error) {
	if len(l.Panes) == MaxPanes {
		return nil, fmt.Errorf("pane %q: there are %d panes already, and no room for more", spec, MaxPanes)
	}
	s, set, err := ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	scene := l.newScene()
	if err := checkBodyCount(s, &scene); err != nil {
		return nil, fmt.Errorf("pane %q: %w", spec, err)
	}
	p := &Pane{lab: l, clockFaults: l.clockFaults}
	p.start(s, sim.New(scene, l.config.Rate))
	if err := p.applySettings(set); err != nil {
		return nil, fmt.Errorf("pane %q: %w", spec, err)
	}
	l.Panes = append(l.Panes, p)
	return p, nil
}

// checkBodyCount reports a scene that is too large for a strategy.
func checkBodyCount(s *predict.Strategy, scene *sim.Scene) error {
	if n := len(scene.Boxes); s.MaxBodies > 0 && n > s.MaxBodies {
		return fmt.Errorf("%s has %d bodies, and %s sends whole worlds, of %d at most: lockstep and statesync take any", scene.Name, n, s.Name, s.MaxBodies)
	}
	return nil
}

// Tick applies the entry's commands and advances every pane by one tick. A
// command that is refused is reported, and the tick is made all the same.
func (l *Lab) Tick(e Entry) error {
	var failed error
	for _, c := range e.Commands {
		if err := l.Apply(c); err != nil && failed == nil {
			failed = fmt.Errorf("tick %d: %s: %w", l.tick, c, err)
		}
	}
	clear(l.inputs)
	copy(l.inputs, e.Inputs)
	now := l.Now()
	for _, p := range l.Panes {
		p.tick(now, l.inputs)
	}
	l.tick++
	return failed
}

// Restart begins the session again from the scene's start, with the same
// strategies, knobs and weather. Its time goes on, and with it its fates.
func (l *Lab) restart() {
	l.inputs = make([]sim.Input, l.newScene().Players)
	for _, p := range l.Panes {
		p.restart()
	}
}

// Hash digests every world, drawn pose, meter and endpoint statistic of the
// session.
func (l *Lab) Hash() uint64 {
	h := digest(l.tick)
	for _, p := range l.Panes {
		h.addUint64(p.Hash())
	}
	return uint64(h)
}

// CopyFrom makes l an equal of o that shares nothing with it: a fork, for
// counterfactual runs, films and scrubbing. The stopwatch is not copied.
func (l *Lab) CopyFrom(o *Lab) {
	l.config, l.network, l.tick, l.focus, l.clockFaults = o.config, o.network, o.tick, o.focus, o.clockFaults
	l.display = append(l.display[:0], o.display...)
	l.inputs = append(l.inputs[:0], o.inputs...)
	for len(l.Panes) < len(o.Panes) {
		l.Panes = append(l.Panes, &Pane{lab: l})
	}
	l.Panes = l.Panes[:len(o.Panes)]
	for i := range o.Panes {
		l.Panes[i].copyFrom(o.Panes[i])
	}
}

// Fork returns a copy of the lab as it is now.
func (l *Lab) Fork() *Lab {
	f := &Lab{}
	f.CopyFrom(l)
	return f
}

// digest is a running hash of 64-bit words.
type digest uint64

func (d *digest) addUint64(u uint64) {
	x := (uint64(*d) ^ u) * 0x9E3779B97F4A7C15
	*d = digest(x ^ x>>32)
}
