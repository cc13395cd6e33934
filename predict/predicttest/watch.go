package predicttest

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Traffic is what one tick of a client had to do with: its player's input, the payloads that it has read and those that
// it has sent, oldest first.
type Traffic struct {
	Input          sim.Input
	Received, Sent [][]byte
}

// watched is a client whose traffic somebody follows.
type watched struct {
	predict.Client
	probe *packet.Endpoint
	after func(*Traffic)
}

// Watch calls after behind each tick of a client, with its traffic.
func (r *Rig) Watch(client int, after func(*Traffic)) {
	c := r.Clients[client]
	c.Client = &watched{c.Client, packet.NewEndpoint(c.end), after}
}

// Tick runs the client's tick.
func (w *watched) Tick(in sim.Input, server *packet.Endpoint) {
	traffic := Traffic{Input: in}
	w.probe.CopyFrom(server)
	for p, ok := w.probe.Receive(); ok; p, ok = w.probe.Receive() {
		traffic.Received = append(traffic.Received, append([]byte(nil), p.Payload...))
	}
	server.Rewrite = func(payload []byte) []byte {
		traffic.Sent = append(traffic.Sent, append([]byte(nil), payload...))
		return payload
	}
	w.Client.Tick(in, server)
	server.Rewrite = nil
	w.after(&traffic)
}
