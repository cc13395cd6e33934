package lab

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ghostcube/predict"
	"ghostcube/sim"
)

// ClockFault is what is wrong with the machine of a client: forced faults. The zero
// value is a machine on which nothing is.
type ClockFault struct {
	// Skew is by how many parts per million its clock is faster than the
	// session's, in [-MostSkew, MostSkew].
	Skew int

	// FrameRate is how many times a second its program goes round, in [MinFrames,
	// MaxFrames]: it reads what has come and makes the ticks that are due, all at
	// once. With 0 it does so whenever a tick is due.
	FrameRate int

	// FrozenUntil is the session's tick up to which the program stands still. It makes
	// no tick and reads nothing, and when it goes on it does not make up for it.
	FrozenUntil sim.Tick
}

// MostSkew bounds the skew of a clock, in parts per million; MinFrames and
// MaxFrames bound the frames per second of a program that does not keep up or
// runs ahead.
const (
	MaxSkew      = 10000
	MinFrameRate = 5
	MaxFrameRate = 1000
)

// maxFreeze is the longest that a client may be frozen at once.
const maxFreeze = time.Minute

// maxClients is how many clients a pane can have.
const maxClients = 4

// frameTime returns the time of the newest frame at or before now, the beginning of
// tick t. A program that goes round faster than it makes ticks makes them in
// the newest of its frames: what comes after that is read in the next one.
func (c *ClockFault) frameTime(now time.Duration, t sim.Tick, rate int) time.Duration {
	if c.FrameRate == 0 {
		return now
	}
	return time.Duration(uint64(t)*uint64(c.FrameRate)/uint64(rate)) * time.Second / time.Duration(c.FrameRate)
}

// clockStep is what a tick of the session adds to the client's clock at a pace, in
// millionths of a tick.
func (c *ClockFault) clockStep(pace int32) int64 {
	n := million + int64(pace)
	return n + n*int64(c.Skew)/million
}

// describe says what is wrong at tick t, or nothing.
func (c *ClockFault) describe(t sim.Tick) string {
	var list []string
	if c.Skew != 0 {
		list = append(list, fmt.Sprintf("clock %+d ppm", c.Skew))
	}
	if c.FrameRate != 0 {
		list = append(list, fmt.Sprintf("%d frames a second", c.FrameRate))
	}
	if t < c.FrozenUntil {
		list = append(list, "frozen")
	}
	return strings.Join(list, ", ")
}

// ClockFault returns what is wrong with the machine of a seat.
func (p *Pane) ClockFault(seat int) ClockFault { return p.clockFaults[seat] }

// DescribeClockFaults says in a few words what is wrong with the clients' machines, or
// nothing.
func (p *Pane) DescribeClockFaults() string {
	var list []string
	for i := range p.Clients {
		if s := p.clockFaults[i].describe(p.lab.tick); s != "" {
			list = append(list, fmt.Sprintf("client %d: %s", i+1, s))
		}
	}
	if len(list) < len(p.Clients) {
		return strings.Join(list, "; ")
	}
	for _, c := range p.clockFaults[1:len(p.Clients)] {
		if c != p.clockFaults[0] {
			return strings.Join(list, "; ")
		}
	}
	return p.clockFaults[0].describe(p.lab.tick)
}

// setClockFault sets one number of the clients' clocks.
func (l *Lab) setClockFault(c Command) error {
	seat, name, found := strings.Cut(c.Name, ".")
	if !found {
		seat, name = "", c.Name
	}
	var set func(*ClockFault)
	switch name {
	case "skew":
		n, err := strconv.Atoi(c.Value)
		if c.Value == "off" {
			n, err = 0, nil
		}
		if err != nil || n < -MaxSkew || n > MaxSkew {
			return fmt.Errorf("skew=%s: want %d to %d parts per million, or off", c.Value, -MaxSkew, MaxSkew)
		}
		set = func(k *ClockFault) { k.Skew = n }
	case "fps":
		n, err := strconv.Atoi(c.Value)
		if c.Value == "off" {
			n = 0
		} else if err != nil || n < MinFrameRate || n > MaxFrameRate {
			return fmt.Errorf("fps=%s: want %d to %d frames a second, or off", c.Value, MinFrameRate, MaxFrameRate)
		}
		set = func(k *ClockFault) { k.FrameRate = n }
	default:
		return &predict.UnknownNameError{Kind: "number of a clock", Name: name, Known: []string{"skew", "fps"}}
	}
	return l.updateClockFaults(c.Pane, seat, set)
}

// freeze lets the clients' programs stand still from now on for a time.
func (l *Lab) freeze(c Command) error {
	d, err := time.ParseDuration(c.Value)
	if err != nil || d <= 0 || d > maxFreeze {
		return fmt.Errorf("freeze %q: want a duration above 0s up to %v", c.Value, maxFreeze)
	}
	until := l.tick + sim.Tick((d*time.Duration(l.config.Rate)+time.Second-1)/time.Second)
	return l.updateClockFaults(c.Pane, c.Name, func(k *ClockFault) { k.FrozenUntil = until })
}

// updateClockFaults sets something of the clocks of a pane, or of all panes and those
// that will be opened: of one seat, counted from 1, or of all if seat is empty.
func (l *Lab) updateClockFaults(pane int, seat string, set func(*ClockFault)) error {
	first, last := 0, maxClients
	if seat != "" {
		n, err := strconv.Atoi(seat)
		if seats := l.clientCount(); err != nil || n < 1 || n > seats {
			return fmt.Errorf("client %q: want 1 to %d", seat, seats)
		}
		first, last = n-1, n
	}
	each := func(clocks *[maxClients]ClockFault) {
		for i := first; i < last; i++ {
			set(&clocks[i])
		}
	}
	if pane == AllPanes {
		each(&l.clockFaults)
	}
	return l.eachPane(pane, func(p *Pane) error { each(&p.clockFaults); return nil })
}

// clientCount is how many clients a pane has.
func (l *Lab) clientCount() int {
	if l.config.Seat == AtHost {
		return 1
	}
	return l.Players()
}

// addClockFaults digests what is wrong with the machines, if anything is.
func (d *digest) addClockFaults(p *Pane) {
	for i, c := range p.clockFaults[:len(p.Clients)] {
		if c.FrozenUntil <= p.lab.tick {
			c.FrozenUntil = 0
		}
		if c != (ClockFault{}) {
			d.addUint64(uint64(i))
			d.addUint64(uint64(int64(c.Skew)))
			d.addUint64(uint64(c.FrameRate))
			d.addUint64(uint64(c.FrozenUntil))
		}
	}
}
