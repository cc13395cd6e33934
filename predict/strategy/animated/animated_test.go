package animated

import (
	"math"
	"testing"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
	"ghostcube/smoothing"
)

// rig is a client, a server, the link between them, and the server's poses of the player's cube.
type rig struct {
	t           *testing.T
	network     link.Network
	env         [2]*predict.Env // client, server
	c           *client
	s           *server
	endpoint    *packet.Endpoint
	peers       []predict.Peer
	tick        int
	serverPoses []geom.Pose // of the player's cube, by tick
	idle        bool        // the player presses nothing
}

func newRig(t *testing.T, network string, knobs ...string) *rig {
	t.Helper()
	r := &rig{t: t, network: link.Network{Seed: 1}}
	r.setNetwork(network)
	sc, err := scene.Named("plain")
	if err != nil {
		t.Fatal(err)
	}
	a, b := link.Pair(&r.network, 0)
	r.endpoint = packet.NewEndpoint(a)
	r.peers = []predict.Peer{{Endpoint: packet.NewEndpoint(b), Player: 0}}
	k, m := &predict.Knobs{}, &predict.Counters{}
	for i := range r.env {
		r.env[i] = &predict.Env{World: predict.NewWorld(sc, 60), Players: 1, Player: -i, LastInputs: make([]sim.Input, 1), Knobs: k, Counters: m}
	}
	r.s = newServer(r.env[1]).(*server)
	r.c = newClient(r.env[0]).(*client)
	for i := 0; i < len(knobs); i += 2 {
		if err := k.Set(knobs[i], knobs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *rig) setNetwork(network string) {
	r.t.Helper()
	if err := r.network.Parse(network); err != nil {
		r.t.Fatal(err)
	}
}

// step steps both sides with the player moving right, and returns the client's view.
func (r *rig) step() *predict.View {
	now := time.Duration(r.tick) * time.Second / 60
	r.serverPoses = append(r.serverPoses, r.env[1].World.Bodies()[0].Pose)
	r.endpoint.Update(now)
	in := sim.Input{Buttons: sim.Right}
	if r.idle {
		in = sim.Input{}
	}
	r.c.Tick(in, r.endpoint)
	r.peers[0].Endpoint.Update(now)
	r.s.Tick(nil, r.peers)
	r.tick++
	var v predict.View
	r.c.View(&v)
	return &v
}

func (r *rig) counter(name string) float64 { return r.env[0].Counters.Value(name) }

// TestValidity checks that a body is drawn where it was T before the state that arrives, between
// two ticks too, because a position is reached when its validity ends; and the view claims that
// tick.
func TestValidity(t *testing.T) {
	for _, c := range []struct {
		validity string
		ticks    float64
	}{{"0ms", 0}, {"60ms", 3.6}, {"100ms", 6}, {"225ms", 13.5}} {
		r := newRig(t, "latency=100ms", "validity", c.validity)
		for range 300 {
			v := r.step()
			if r.tick < 100 {
				continue
			}
			// What arrives in tick n was sent in tick n-6, and is state n-5.
			moment := float64(r.tick-1-5) - c.ticks
			n := int(math.Floor(moment))
			want := smoothing.LerpPose(r.serverPoses[n], r.serverPoses[n+1], float32(moment-float64(n)))
			if d := v.Bodies[0].Pos.Sub(want.Pos).Len(); d > 1e-4 {
				t.Fatalf("T %s, tick %d: %v m from the server's pose at %v", c.validity, r.tick, d, moment)
			}
			if off := math.Abs(float64(v.Tick()) - moment); off > 0.51 {
				t.Fatalf("T %s: the view claims tick %d, want %v", c.validity, v.Tick(), moment)
			}
		}
		if r.counter("positions_late")+r.counter("positions_expired") > 0 {
			t.Errorf("T %s: positions are late although none is delayed", c.validity)
		}
	}
}

// TestExtrapolationStops checks that when positions stop arriving, the cube is extrapolated
// straight for half the measured round trip and then stops, and counters and note say both. Without
// extrapolation, or with a fixed length of it, it stops after that.
func TestExtrapolationStops(t *testing.T) {
	for _, c := range []struct {
		latency, mode, length string
		ticks                 float64
	}{
		{"latency=100ms", "half-rtt", "0", 6}, {"latency=250ms", "half-rtt", "0", 15}, {"latency=50ms", "half-rtt", "0", 3},
		{"latency=100ms", "none", "500ms", 0}, {"latency=100ms", "fixed", "500ms", 30},
	} {
		r := newRig(t, c.latency, "extrapolation", c.mode, "extrapolate", c.length)
		for range 200 {
			r.step()
		}
		if n := r.counter("extrapolated_ticks"); n > 4 {
			t.Errorf("%v: %v ticks extrapolated although everything arrives in time", c, n)
		}
		before := r.counter("extrapolated_ticks")
		r.setNetwork("down.loss=100%")
		frozen := 0
		var v, last *predict.View
		for range 100 {
			last, v = v, r.step()
			if last != nil && last.Bodies[0] == v.Bodies[0] {
				frozen++
			}
		}
		// The receiver has the last position that arrived.
		b := r.c.interpolated.Receiver().Bodies[0]
		beyond := v.Bodies[0].Pos.Sub(b.Pose.Pos).Len() / b.Linear.Len() * 60
		half := float64(r.endpoint.Stats.RTT) / 2 / float64(time.Second) * 60
		if c.mode == "half-rtt" && (math.Abs(half-c.ticks) > 1.1 || math.Abs(float64(beyond)-half) > 0.01) {
			t.Errorf("%v: it stopped %v ticks beyond, half the round trip is %v", c, beyond, half)
		}
		if c.mode != "half-rtt" && math.Abs(float64(beyond)-c.ticks) > 0.01 {
			t.Errorf("%v: it stopped %v ticks beyond", c, beyond)
		}
		if n := r.counter("extrapolated_ticks") - before; math.Abs(n-float64(beyond)) > 1 {
			t.Errorf("%v: %v ticks extrapolated, for %v", c, n, beyond)
		}
		if frozen < 50 || v.Note != "no positions: stopped" || r.counter("stopped_bodies") != 1 {
			t.Errorf("%v: stopped for %d ticks, note %q", c, frozen, v.Note)
		}
		var l predict.Inspection
		r.c.inspect(&l)
		if l.Age[0] < 60 || l.Moving[0] {
			t.Errorf("%v: age %d", c, l.Age[0])
		}
		r.setNetwork("down.loss=0%")
		for range 40 {
			v = r.step()
		}
		if v.Note != "" || r.counter("stopped_bodies") != 0 {
			t.Errorf("%v: note is still %q", c, v.Note)
		}
	}
}

// TestLateSnapshotOfRestingBody checks that a snapshot that arrives after its successor leaves a
// body that it does not include where it was before, not where the successor has it, so the cube
// starts to move on time.
func TestLateSnapshotOfRestingBody(t *testing.T) {
	r := newRig(t, "latency=50ms")
	r.idle = true
	for range 200 {
		r.step()
	}
	rest := r.env[1].World.Bodies()[0].Pose
	r.setNetwork("down.latency=90ms")
	r.step() // its snapshot arrives after the following one
	tick := float64(r.tick)
	r.setNetwork("down.latency=50ms")
	b := r.env[1].World.Bodies()[0]
	b.Pose.Pos.X++
	b.Asleep = false
	r.env[1].World.SetBody(0, b)
	before, moved := r.counter("old_states"), false
	for range 20 {
		v := r.step()
		moment := float64(r.tick-1-2) - 3.6 // what arrives in tick n is state n-2
		if x := v.Bodies[0].Pos.X - rest.Pos.X; moment <= tick && x != 0 {
			t.Errorf("at %v it is %v m away, but it rested until %v", moment, x, tick)
		} else if x > 0.9 {
			moved = true
		}
	}
	if r.counter("old_states") != before+1 || !moved {
		t.Errorf("%v snapshots out of order, moved %v", r.counter("old_states")-before, moved)
	}
}

// TestLatePositions checks that positions out of order but within their validity are used; beyond
// it some are late, which a counter and a note say; with a T above the jitter all are used again.
func TestLatePositions(t *testing.T) {
	for _, c := range []struct {
		network, validity string
		late              bool
	}{
		{"latency=100ms,jitter=10ms", "60ms", false},
		{"latency=100ms,jitter=60ms,reorder=20%,reorder-delay=50ms", "60ms", true},
		{"latency=100ms,jitter=60ms,reorder=20%,reorder-delay=50ms", "500ms", false},
	} {
		r := newRig(t, c.network, "validity", c.validity)
		noted := false
		for range 900 {
			noted = r.step().Note == "a late position was dropped" || noted
		}
		late := r.counter("positions_late")
		if (late > 0) != c.late || noted != c.late {
			t.Errorf("%v: %v late of %v, noted %v", c, late, r.counter("positions"), noted)
		}
		if r.counter("old_states") == 0 {
			t.Errorf("%v: all arrived in order", c)
		}
	}
}
