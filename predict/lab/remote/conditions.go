package remote

import (
	"slices"
	"time"

	"ghostcube/net/link"
	"ghostcube/sim"
)

// Conditions lay a simulated network over a real connection: datagrams in both directions pass through the simulation, with
// all its outcomes. Until Set is called, a Conditions with only a Wire passes everything unchanged.
type Conditions struct {
	Wire
	ordered    bool // the wire behaves as TCP does, and so does the simulation
	network    link.Network
	near, real *link.End // the ends at the process and at the real wire; nil: there is no simulation
	now        time.Duration
	paths      []*overPath
}

// overPath is a direct path to another player with a network laid over it.
type overPath struct {
	Path
	near, real *link.End
	conditions *Conditions
}

// Over lays the network over a direct path to another player as well.
func (c *Conditions) Over(p Path, player int) Path {
	o := &overPath{Path: p, conditions: c}
	o.near, o.real = link.PeerPair(&c.network, (player+1)%sim.MaxPlayers, player)
	c.paths = append(c.paths, o)
	return o
}

// Send implements link.Wire.
func (o *overPath) Send(now time.Duration, b []byte) error {
	o.conditions.now = max(o.conditions.now, now)
	return o.near.Send(o.conditions.now, b)
}

// Receive implements link.Wire.
func (o *overPath) Receive(now time.Duration) (link.Datagram, bool) {
	o.conditions.Pump(now)
	return o.near.Receive(now)
}

// Close ends the path.
func (o *overPath) Close() error {
	o.conditions.paths = slices.DeleteFunc(o.conditions.paths, func(x *overPath) bool { return x == o })
	return o.Path.Close()
}

// NewConditions returns a wire with a network laid over it. Call Pump often: a delayed datagram goes on with the next
// call. Over an ordered wire the simulation is that of TCP, which loses nothing.
func NewConditions(n link.Network, w Wire, ordered bool) *Conditions {
	c := &Conditions{Wire: w, network: n, ordered: ordered}
	c.near, c.real = c.pair(0)
	return c
}

// pair returns the ends of the simulated link of a seat.
func (c *Conditions) pair(seat int) (client, server *link.End) {
	if c.ordered {
		return link.PairTCP(&c.network, seat)
	}
	return link.Pair(&c.network, seat)
}

// Set changes the simulated network. The first call starts the simulation, with the packet outcomes of a seat and this end as
// the server's. Datagrams in flight arrive as scheduled.
func (c *Conditions) Set(n link.Network, seat int) {
	c.network = n
	if c.near == nil {
		c.real, c.near = c.pair(seat)
	}
}

// String returns the network as it is written; empty: there is none.
func (c *Conditions) String() string {
	if c.near == nil {
		return ""
	}
	return c.network.String()
}

// Pump moves the datagrams that are due by now.
func (c *Conditions) Pump(now time.Duration) {
	if c.near == nil {
		return
	}
	c.now = max(c.now, now)
	pump(c.now, c.real, c.Wire)
	for _, o := range c.paths {
		pump(c.now, o.real, o.Path)
	}
}

// pump moves the datagrams that are due by now between a simulated link and the wire beneath it.
func pump(now time.Duration, a, b link.Wire) {
	for range 2 {
		for d, ok := a.Receive(now); ok; d, ok = a.Receive(now) {
			_ = b.Send(now, d.Bytes) // otherwise it is lost
		}
		a, b = b, a
	}
}

// Send implements link.Wire.
func (c *Conditions) Send(now time.Duration, b []byte) error {
	if c.near == nil {
		return c.Wire.Send(now, b)
	}
	c.now = max(c.now, now)
	return c.near.Send(c.now, b)
}

// Receive implements link.Wire.
func (c *Conditions) Receive(now time.Duration) (link.Datagram, bool) {
	if c.near == nil {
		return c.Wire.Receive(now)
	}
	c.Pump(now)
	return c.near.Receive(now)
}
