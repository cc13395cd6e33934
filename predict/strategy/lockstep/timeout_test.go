package lockstep

import (
	"testing"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
)

// disconnect replaces the link of a client by one that loses everything.
func (r *rig) disconnect(client int) {
	a, b := link.Pair(&link.Network{Up: link.Conditions{Loss: 1}, Down: link.Conditions{Loss: 1}}, client)
	*r.Clients[client].Endpoint, *r.Peers[client].Endpoint = *packet.NewEndpoint(a), *packet.NewEndpoint(b)
}

// TestTimeout checks that when a client's link fails, both sides of it give it up after the timeout:
// the server and the other client go on at the usual delay with the same world, the client's world
// stops, and its view says so. Without a timeout all wait.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for _, timeout := range []string{"0s", "2s"} {
		r := newRig(t, "two-players", "latency=50ms,jitter=10ms", false, "timeout", timeout)
		r.run(300)
		delay := r.c[0].streams[0].next - r.c[0].env.World.Tick()
		r.disconnect(1)
		r.run(100)
		if n := r.Counter("disconnects"); n != 0 {
			t.Errorf("timeout %s: %v disconnects after 1.7 s", timeout, n)
		}
		r.run(500)
		server, client, lost := r.s.env.World.Tick(), r.c[0].env.World.Tick(), r.c[1].env.World.Tick()
		var v predict.View
		r.c[1].View(&v)
		if timeout == "0s" {
			if server > 310 || client > 310 || r.Counter("disconnects") != 0 || v.Note != "waiting for input" {
				t.Errorf("without a timeout: the server is at tick %d, the client at %d, %v disconnects, note %q", server, client, r.Counter("disconnects"), v.Note)
			}
			continue
		}
		if server < 880 || client < 880 || lost > 310 {
			t.Errorf("the server is at tick %d, the other client at %d, the lost one at %d", server, client, lost)
		}
		if now := r.c[0].streams[0].next - client; now > delay+2 {
			t.Errorf("an input of the other client takes %d ticks, %d before", now, delay)
		}
		if n := r.Counter("disconnects"); n != 2 || v.Note != "disconnected: nothing received for 2 s" {
			t.Errorf("%v disconnects, note %q", n, v.Note)
		}
		if n := r.Counter("desyncs"); n != 0 || r.c[0].checksums.At(client) != r.s.checksums.At(client) {
			t.Errorf("the worlds differ: %v desyncs", n)
		}
	}
}

// TestTimeoutOfOneDirection checks that a client whose inputs are lost is given up although it
// receives the server's packets, that it stops as well, and that it cannot come back.
func TestTimeoutOfOneDirection(t *testing.T) {
	r := newRig(t, "plain", "latency=50ms", false, "timeout", "1s")
	r.run(120)
	r.Network.Up.Loss = 1
	r.run(180)
	r.Network.Up.Loss = 0
	at := r.c[0].env.World.Tick()
	r.run(300)
	if r.s.env.World.Tick() < 580 || r.c[0].env.World.Tick() != at || r.Counter("disconnects") != 2 {
		t.Errorf("the server is at tick %d, the client at %d after %d, %v disconnects", r.s.env.World.Tick(), r.c[0].env.World.Tick(), at, r.Counter("disconnects"))
	}
}
