package remote

import (
	"time"

	"ghostcube/net/link"
)

// Conditions lay a simulated network over a real connection: what is sent and what arrives passes the simulation
// first, with all its outcomes. Before Set a Conditions of a wire alone lays nothing over it.
type Conditions struct {
	Wire
	ordered    bool // the wire is as TCP, and so is the simulation
	network    link.Network
	near, real *link.End // the end of the process, and that which meets the real wire; nil: nothing is laid over it
	now        time.Duration
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

// Set changes the simulated network and takes the packet outcomes of a seat; this end is the server's. Datagrams in flight
// arrive as scheduled.
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
	for d, ok := c.real.Receive(c.now); ok; d, ok = c.real.Receive(c.now) {
		_ = c.Wire.Send(c.now, d.Bytes) // what cannot be sent is lost
	}
	for d, ok := c.Wire.Receive(c.now); ok; d, ok = c.Wire.Receive(c.now) {
		_ = c.real.Send(c.now, d.Bytes)
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
