package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/sim"
)

// ClockFault is a forced fault of a client's machine. The zero value is a machine without
// faults.
type ClockFault struct {
	// Skew is how much faster the client's clock runs than the session's, in parts per
	// million, in [-MaxSkew, MaxSkew].
	Skew int

	// FrameRate is the frame rate of the client's program per second, in [MinFrameRate,
	// MaxFrameRate]. In a frame the program receives packets and runs all ticks that are
	// due. With 0 it runs a frame for every tick.
	FrameRate int

	// FrozenUntil is the session tick up to which the program is frozen: it runs no ticks
	// and receives nothing. Its clock runs on: afterwards the client's Env says how many ticks
	// it has missed.
	FrozenUntil sim.Tick
}

// Bounds of a ClockFault.
const (
	MaxSkew      = 100_000 // parts per million
	MinFrameRate = 5       // per second
	MaxFrameRate = 1000
)

// maxFreeze is the longest freeze.
const maxFreeze = time.Minute

// maxClients is the largest number of clients of a pane.
const maxClients = sim.MaxPlayers

// frameTime returns the time of the client's newest frame at or before now, the beginning
// of tick t. A program with more frames than ticks runs its ticks in the newest frame, so
// packets that arrive after that frame wait for the next one.
func (c *ClockFault) frameTime(now time.Duration, t sim.Tick, rate int) time.Duration {
	if c.FrameRate == 0 {
		return now
	}
	return time.Duration(uint64(t)*uint64(c.FrameRate)/uint64(rate)) * time.Second / time.Duration(c.FrameRate)
}

// clockStep returns the client time that passes in a session tick, in millionths of a tick.
// slewPPM is the correction that the client requests, in parts per million.
func (c *ClockFault) clockStep(slewPPM int32) int64 {
	n := million + int64(slewPPM)
	return n + n*int64(c.Skew)/million
}

// describe returns the faults at tick t as text, empty if there are none.
func (c *ClockFault) describe(t sim.Tick) string {
	var list []string
	if c.Skew != 0 {
		list = append(list, fmt.Sprintf("skew %+d ppm", c.Skew))
	}
	if c.FrameRate != 0 {
		list = append(list, fmt.Sprintf("%d fps", c.FrameRate))
	}
	if t < c.FrozenUntil {
		list = append(list, "frozen")
	}
	return strings.Join(list, ", ")
}

// ClockFault returns the clock fault of a client.
func (p *Pane) ClockFault(client int) ClockFault { return p.clockFaults[client] }

// DescribeClockFaults returns the clock faults of the clients as text, empty if there are
// none.
func (p *Pane) DescribeClockFaults() string {
	var list []string
	for i := range p.Clients {
		if s := p.clockFaults[i].describe(p.lab.tick); s != "" {
			list = append(list, fmt.Sprintf("client %d: %s", i+1, s))
		}
	}
	faults := p.clockFaults[:len(p.Clients)]
	if !slices.ContainsFunc(faults, func(c ClockFault) bool { return c != faults[0] }) {
		return faults[0].describe(p.lab.tick)
	}
	return strings.Join(list, "; ")
}

// setClockFault sets the skew or the frame rate of the clients.
func (l *Lab) setClockFault(c Command) error {
	client, name, found := strings.Cut(c.Name, ".")
	if !found {
		client, name = "", c.Name
	}
	var set func(*ClockFault)
	n, err := strconv.Atoi(c.Value)
	off := c.Value == "off" // then n is 0
	switch name {
	case "skew":
		if !off && (err != nil || n < -MaxSkew || n > MaxSkew) {
			return fmt.Errorf("skew=%s: want %d to %d ppm, or off", c.Value, -MaxSkew, MaxSkew)
		}
		set = func(k *ClockFault) { k.Skew = n }
	case "fps":
		if !off && (err != nil || n < MinFrameRate || n > MaxFrameRate) {
			return fmt.Errorf("fps=%s: want %d to %d frames per second, or off", c.Value, MinFrameRate, MaxFrameRate)
		}
		set = func(k *ClockFault) { k.FrameRate = n }
	default:
		return &link.UnknownNameError{Kind: "clock setting", Name: name, Choices: []string{"skew", "fps"}}
	}
	return l.updateClockFaults(c.Pane, client, set)
}

// freeze freezes the clients' programs for a duration, starting now.
func (l *Lab) freeze(c Command) error {
	d, err := time.ParseDuration(c.Value)
	if err != nil || d <= 0 || d > maxFreeze {
		return fmt.Errorf("freeze %q: want a duration above 0s, up to %v", c.Value, maxFreeze)
	}
	until := l.tick + sim.Tick((d*time.Duration(l.config.Rate)+time.Second-1)/time.Second)
	return l.updateClockFaults(c.Pane, c.Name, func(k *ClockFault) { k.FrozenUntil = until })
}

// updateClockFaults changes the clock faults of one pane, or of all panes and those that are
// opened later. client is the number of one client, from 1, or empty for all clients.
func (l *Lab) updateClockFaults(pane int, client string, set func(*ClockFault)) error {
	first, last := 0, maxClients
	if client != "" {
		n, err := strconv.Atoi(client)
		if count := l.clientCount(); err != nil || n < 1 || n > count {
			return fmt.Errorf("client %q: want 1 to %d", client, count)
		}
		first, last = n-1, n
	}
	each := func(faults *[maxClients]ClockFault) {
		for i := first; i < last; i++ {
			set(&faults[i])
		}
	}
	if pane == AllPanes {
		each(&l.clockFaults)
	}
	return l.eachPane(pane, func(p *Pane) error { each(&p.clockFaults); return nil })
}

// clientCount returns the number of clients of a pane.
func (l *Lab) clientCount() int {
	if l.config.Seat == AtHost || !l.remote.runsServer() {
		return 1
	}
	return l.Players()
}

// playerOf returns the player whom a client of a pane controls, or -1 for a spectator.
func (l *Lab) playerOf(client int) int {
	switch {
	case l.config.Seat == AtHost:
		return -1
	case !l.remote.runsServer():
		return l.remote.player
	}
	return client
}

// addClockFaults digests the clock faults of a pane, if there are any.
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
