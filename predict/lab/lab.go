// Package lab runs strategies side by side. All panes of a session share the input, the
// network and the clock; each pane runs one strategy.
//
// Everything a user can do is a Command. A session is a Config and a list of entries, one
// per tick, and the same session run twice gives the same bits. The lab reads no clock: it
// counts ticks, and time follows from them. It does not know how sessions are stored
// (lab/tape) or drawn (ui/stage).
package lab

import (
	"fmt"
	"slices"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab/probe"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// Seat is the side at which the players give their input.
type Seat uint8

// The seats.
const (
	AtClient Seat = iota // input travels to the server
	AtHost               // input acts on the server's world directly; the client is a spectator
)

var seatNames = []string{"client", "host"}

// String returns the seat's name.
func (s Seat) String() string { return seatNames[s] }

// SeatNamed returns the seat called name.
func SeatNamed(name string) (Seat, error) {
	if i := slices.Index(seatNames, name); i >= 0 {
		return Seat(i), nil
	}
	return 0, &link.UnknownNameError{Kind: "seat", Name: name, Choices: seatNames}
}

// MinRate and MaxRate bound the ticks per second of a session.
const (
	MinRate = 10
	MaxRate = probe.MaxRate
)

// MaxPanes is the largest number of panes in a session.
const MaxPanes = 4

// Config is the starting point of a session. Two labs with the same Config and the same
// entries end with the same Hash.
type Config struct {
	Scene   string // as scene.Named takes it
	Rate    int    // ticks per second, in [MinRate, MaxRate]
	Seat    Seat
	Network link.Network // its seed is the session's
}

// Validate reports an unknown scene or a rate out of range.
func (c *Config) Validate() error {
	if _, err := scene.Named(c.Scene); err != nil {
		return err
	}
	if c.Rate < MinRate || c.Rate > MaxRate {
		return fmt.Errorf("rate=%d: want %d to %d ticks per second", c.Rate, MinRate, MaxRate)
	}
	return nil
}

// Entry is one tick of a session.
type Entry struct {
	Inputs   []sim.Input // by player; missing players do nothing
	Commands []Command   // applied before the tick
}

// Lab is a running session.
type Lab struct {
	Panes []*Pane

	// Stopwatch returns the time since an arbitrary moment. It may be nil. Only the CPU
	// figures of the panes depend on it; no hash does.
	Stopwatch func() time.Duration

	// AtOnce calls do with each of the numbers 0 to n-1, in any order or several at the same time,
	// and returns when all have returned. Tick steps the panes with it. If it is nil, they are
	// stepped one after another, as they are with a Tap. Panes share nothing that a tick changes, so
	// no hash depends on it; CPU figures do, because cores share caches and memory.
	AtOnce func(n int, do func(i int))

	// Tap is called with every datagram that is sent in a pane opened after Tap was set.
	// It may be nil. It must not keep the bytes.
	Tap func(p *Pane, client int, d link.Direction, now time.Duration, datagram []byte)

	// OnHit is called by a lab of NewServer with each shot that it has resolved. It may be nil; the result is valid during the
	// call. Pass it to ShowHit of the shooter's lab.
	OnHit func(*predict.HitResult)

	config      Config
	network     link.Network
	tick        sim.Tick // ticks of the session so far; each world counts its own
	display     []DisplaySetting
	focus       int // index of a pane
	inputs      []sim.Input
	tickPane    func(i int)            // ticks a pane, for AtOnce
	clockFaults [maxClients]ClockFault // for panes that are opened later
	tracing     bool                   // panes record their datagrams
	remote      *remote                // nil: all sides run here
	merged      *merged                // nil: the panes run
}

// New returns a lab without panes. It panics if the config is not valid.
func New(c Config) *Lab {
	if err := c.Validate(); err != nil {
		panic("lab: New with a bad config: " + err.Error())
	}
	l := &Lab{config: c, network: c.Network}
	l.inputs = make([]sim.Input, l.newScene().Players)
	return l
}

// newScene builds the session's scene.
func (l *Lab) newScene() sim.Scene {
	s, err := scene.Named(l.config.Scene)
	if err != nil {
		panic(err)
	}
	return s
}

// Config returns the present scene, rate, seat and network, as commands have changed them.
func (l *Lab) Config() Config {
	c := l.config
	c.Network = l.network
	return c
}

// Network returns the present network, for reading.
func (l *Lab) Network() *link.Network { return &l.network }

// Players returns the number of players in the scene.
func (l *Lab) Players() int { return len(l.inputs) }

// Ticks returns the number of ticks so far.
func (l *Lab) Ticks() sim.Tick { return l.tick }

// Now returns the session time, which is counted in ticks.
func (l *Lab) Now() time.Duration {
	return time.Duration(l.tick) * time.Second / time.Duration(l.config.Rate)
}

// Open adds a pane that runs a spec, such as rewind:snapshot-every=4:smoothing=none, from
// the scene's start.
func (l *Lab) Open(spec string) (*Pane, error) {
	return l.open(spec, nil)
}

// open adds a pane that runs a spec from the present world of another pane's server, or from the scene's start if
// there is no other pane. The inputs of the last tick are those of that pane, and the clock faults those of all panes,
// so all go on from one moment.
func (l *Lab) open(spec string, other *Pane) (*Pane, error) {
	if len(l.Panes) == MaxPanes {
		return nil, fmt.Errorf("pane %q: %d panes are open: want at most %d", spec, MaxPanes, MaxPanes)
	}
	s, set, err := ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	sc := l.newScene()
	if err := checkBodyCount(s, &sc); err != nil {
		return nil, fmt.Errorf("pane %q: %w", spec, err)
	}
	p := &Pane{lab: l, clockFaults: l.clockFaults}
	p.Name, _ = CutTitle(spec)
	world := predict.NewWorld(sc, l.config.Rate)
	if other != nil {
		world.CopyFrom(other.ServerWorld)
		p.lastInputs = slices.Clone(other.lastInputs)
	}
	p.start(s, world)
	if err := p.applySettings(set); err != nil {
		return nil, fmt.Errorf("pane %q: %w", spec, err)
	}
	l.Panes = append(l.Panes, p)
	return p, nil
}

// checkBodyCount reports a scene with more bodies than the strategy can send.
func checkBodyCount(s *predict.Strategy, sc *sim.Scene) error {
	if n := len(sc.Boxes); s.MaxBodies > 0 && n > s.MaxBodies {
		others := strategiesThat(func(o *predict.Strategy) bool { return o.MaxBodies == 0 || o.MaxBodies >= n })
		return fmt.Errorf("scene %s has %d bodies; %s sends whole snapshots of at most %d: use %s",
			sc.Name, n, s.Name, s.MaxBodies, others)
	}
	return nil
}

// Tick applies the entry's commands and advances every pane by one tick. If a command is
// refused, Tick returns the first such error and advances all the same.
func (l *Lab) Tick(e Entry) error {
	var failed error
	for _, c := range e.Commands {
		if err := l.Apply(c); err != nil && failed == nil {
			failed = fmt.Errorf("tick %d: %s: %w", l.tick, c, err)
		}
	}
	clear(l.inputs)
	copy(l.inputs, e.Inputs)
	if l.merged != nil {
		l.tickMerged()
	} else if l.AtOnce != nil && l.Tap == nil && len(l.Panes) > 1 {
		if l.tickPane == nil {
			l.tickPane = func(i int) { l.Panes[i].tick() }
		}
		l.AtOnce(len(l.Panes), l.tickPane)
	} else {
		for _, p := range l.Panes {
			p.tick()
		}
	}
	l.tick++
	return failed
}

// restart restarts every pane from the scene's start with the same strategies, knobs and
// network. Session time continues, and so do the outcomes of datagrams.
func (l *Lab) restart() {
	l.inputs = make([]sim.Input, l.newScene().Players)
	for _, p := range l.Panes {
		p.restart()
	}
}

// Hash digests every world, drawn pose, counter and endpoint statistic of the session.
func (l *Lab) Hash() uint64 {
	h := digest(l.tick)
	for _, p := range l.Panes {
		h.addUint64(p.Hash())
	}
	return uint64(h)
}

// CopyFrom makes l an equal of o that shares no memory with it. The stopwatch, AtOnce and the tap
// are not copied, and neither are recorded datagrams. If l records them (TraceDatagrams) and o is
// an earlier or later moment of the same session, the records stay; otherwise call
// ForgetDatagrams.
func (l *Lab) CopyFrom(o *Lab) {
	l.config, l.network, l.tick, l.focus, l.clockFaults = o.config, o.network, o.tick, o.focus, o.clockFaults
	l.remote = o.remote.severed(l)
	l.display = append(l.display[:0], o.display...)
	l.inputs = append(l.inputs[:0], o.inputs...)
	for len(l.Panes) < len(o.Panes) {
		l.Panes = append(l.Panes, &Pane{lab: l})
	}
	l.Panes = l.Panes[:len(o.Panes)]
	if l.merged = nil; o.merged != nil {
		l.copyMerged(o.merged, o.Panes)
		return
	}
	for i := range o.Panes {
		l.Panes[i].copyFrom(o.Panes[i])
	}
}

// Fork returns a copy of the lab that shares no memory with it, for counterfactual runs and
// for videos. Its panes are stepped as those of the lab.
func (l *Lab) Fork() *Lab {
	f := &Lab{AtOnce: l.AtOnce}
	f.CopyFrom(l)
	return f
}
