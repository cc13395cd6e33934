package lab

import (
	"ghostcube/predict"
	"ghostcube/predict/lab/reliable"
	"ghostcube/sim"
)

// Freeze freezes all clients of the pane up to a tick of the session, as the command does,
// but without its text.
func (p *Pane) Freeze(until sim.Tick) {
	for i := range p.clockFaults {
		p.clockFaults[i].FrozenUntil = until
	}
}

// SlewPPM returns by how much the client asks for its clock to be faster, in parts per
// million.
func (c *Client) SlewPPM() int32 { return c.env.SlewPPM }

// ServerSide returns the strategy's server side.
func (p *Pane) ServerSide() predict.Server { return p.serverSide }

// Side returns the strategy's client side.
func (c *Client) Side() predict.Client { return c.side }

// ServerConnection returns the server's end of a client's connection, or nil if there is none.
func (p *Pane) ServerConnection(client int) *reliable.Connection { return p.connections[client].server }

// Verbs and AttackKinds are the verbs of all commands, and the names of the command attack.
var (
	Verbs       = verbs
	AttackKinds = attackKinds
)

// PacketFields returns the names of the fields in the packets of the server and then of the clients.
func (p *Pane) PacketFields() []string { return p.packetFields() }
