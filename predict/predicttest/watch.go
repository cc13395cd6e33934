package predicttest

import (
	"strings"
	"testing"

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

// SameRecord fails at the first line in which two records differ.
func SameRecord(t testing.TB, guide, client string) {
	t.Helper()
	a, b := strings.Split(guide, "\n"), strings.Split(client, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("line %d of the record: the guide %q, the client %q", i+1, a[min(i, len(a)-1)], b[min(i, len(b)-1)])
		}
	}
}
