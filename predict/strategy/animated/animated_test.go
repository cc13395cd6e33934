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
)

// rig is both halves with a link between them, and where the server's cube was.
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
	idle        bool        // the player does nothing
}

func newRig(t *testing.T, weather string, knobs ...string) *rig {
	t.Helper()
	r := &rig{t: t, network: link.Network{Seed: 1}}
	r.setNetwork(weather)
	sc, err := sim.SceneNamed("plain")
	if err != nil {
		t.Fatal(err)
	}
	a, b := link.Pair(&r.network, 0)
	r.endpoint = packet.NewEndpoint(a)
	r.peers = []predict.Peer{{Endpoint: packet.NewEndpoint(b), Player: 0}}
	k, m := &predict.Knobs{}, &predict.Counters{}
	for i := range r.env {
		r.env[i] = &predict.Env{World: sim.New(sc, 60), Players: 1, Player: -i, LastInputs: make([]sim.Input, 1), Knobs: k, Counters: m}
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

func (r *rig) setNetwork(weather string) {
	r.t.Helper()
	if err := r.network.Parse(weather); err != nil {
		r.t.Fatal(err)
	}
}

// step makes a tick, in which the player goes on to the right, and returns the
// picture before the server's half of it.
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

// TestValidity says that what is drawn is where the cube was T before what arrives,
// between two ticks too: a position is reached when its validity ends. And that the
// view claims that tick.
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
			// What arrives in tick n was sent in tick n-6, and is the state n-5.
			moment := float64(r.tick-1-5) - c.ticks
			n := int(math.Floor(moment))
			want := geom.LerpPose(r.serverPoses[n], r.serverPoses[n+1], float32(moment-float64(n)))
			if d := v.Bodies[0].Pos.Sub(want.Pos).Len(); d > 1e-4 {
				t.Fatalf("T %s, tick %d: %v m from where it was at %v", c.validity, r.tick, d, moment)
			}
			if off := math.Abs(float64(v.Tick) - moment); off > 0.51 {
				t.Fatalf("T %s: the view claims tick %d, it is of %v", c.validity, v.Tick, moment)
			}
		}
		if r.counter("positions_late")+r.counter("positions_expired") > 0 {
			t.Errorf("T %s: late where nothing is", c.validity)
		}
	}
}

// TestExtrapolationStops says that when nothing comes any more the cube goes on
// straight for half the measured round trip, and then stands, and that both are said;
// and that without extrapolation, or with one of its own length, it stops there.
func TestExtrapolationStops(t *testing.T) {
	for _, c := range []struct {
		latency, way, length string
		ticks                float64
	}{
		{"latency=100ms", "half-rtt", "0", 6}, {"latency=250ms", "half-rtt", "0", 15}, {"latency=50ms", "half-rtt", "0", 3},
		{"latency=100ms", "none", "500ms", 0}, {"latency=100ms", "fixed", "500ms", 30},
	} {
		r := newRig(t, c.latency, "extrapolation", c.way, "extrapolate", c.length)
		for range 200 {
			r.step()
		}
		if n := r.counter("extrapolated_ticks"); n > 4 {
			t.Errorf("%v: %v ticks extrapolated where all comes in time", c, n)
		}
		before := r.counter("extrapolated_ticks")
		r.setNetwork("down.loss=100%")
		still := 0
		var v, last *predict.View
		for range 100 {
			last, v = v, r.step()
			if last != nil && last.Bodies[0] == v.Bodies[0] {
				still++
			}
		}
		// The last position has come; what is known of it is in the receiver.
		b := r.c.interpolated.Receiver().Bodies[0]
		beyond := v.Bodies[0].Pos.Sub(b.Pose.Pos).Len() / b.Linear.Len() * 60
		half := float64(r.endpoint.Stats.RTT) / 2 / float64(time.Second) * 60
		if c.way == "half-rtt" && (math.Abs(half-c.ticks) > 1.1 || math.Abs(float64(beyond)-half) > 0.01) {
			t.Errorf("%v: it stopped %v ticks beyond, half the round trip is %v", c, beyond, half)
		}
		if c.way != "half-rtt" && math.Abs(float64(beyond)-c.ticks) > 0.01 {
			t.Errorf("%v: it stopped %v ticks beyond", c, beyond)
		}
		if n := r.counter("extrapolated_ticks") - before; math.Abs(n-float64(beyond)) > 1 {
			t.Errorf("%v: %v ticks extrapolated, for %v", c, n, beyond)
		}
		if still < 50 || v.Note != "no positions: stopped" || r.counter("stopped_bodies") != 1 {
			t.Errorf("%v: it stood for %d ticks, and says %q", c, still, v.Note)
		}
		var l predict.Inspection
		r.c.Inspect(&l)
		if l.Age[0] < 60 || l.Moving[0] {
			t.Errorf("%v: age %d", c, l.Age[0])
		}
		r.setNetwork("down.loss=0%")
		for range 40 {
			v = r.step()
		}
		if v.Note != "" || r.counter("stopped_bodies") != 0 {
			t.Errorf("%v: it still says %q", c, v.Note)
		}
	}
}

// TestLateSnapshotOfRestingBody says that a snapshot that comes after the next one says of a
// body that did not travel with it that it was as before, and not as it is in the next:
// the cube sets out when it did.
func TestLateSnapshotOfRestingBody(t *testing.T) {
	r := newRig(t, "latency=50ms")
	r.idle = true
	for range 200 {
		r.step()
	}
	rest := r.env[1].World.Bodies()[0].Pose
	r.setNetwork("down.latency=90ms")
	r.step() // its snapshot, of the next tick, comes after the one that follows
	of := float64(r.tick)
	r.setNetwork("down.latency=50ms")
	b := r.env[1].World.Bodies()[0]
	b.Pose.Pos.X++
	b.Asleep = false
	r.env[1].World.SetBody(0, b)
	old, moved := r.counter("old_states"), false
	for range 20 {
		v := r.step()
		moment := float64(r.tick-1-2) - 3.6 // what arrives in tick n is the state n-2
		if x := v.Bodies[0].Pos.X - rest.Pos.X; moment <= of && x != 0 {
			t.Errorf("at %v it has gone %v m, and it stood until %v", moment, x, of)
		} else if x > 0.9 {
			moved = true
		}
	}
	if r.counter("old_states") != old+1 || !moved {
		t.Errorf("%v snapshots out of order, moved %v", r.counter("old_states")-old, moved)
	}
}

// TestLatePositions says that positions that come in the wrong order but within
// their validity are none too late; that beyond it some are, which is counted and
// said; and that a T above the jitter has them all used again.
func TestLatePositions(t *testing.T) {
	for _, c := range []struct {
		weather, validity string
		late              bool
	}{
		{"latency=100ms,jitter=10ms", "60ms", false},
		{"latency=100ms,jitter=60ms,reorder=20%,reorder-delay=50ms", "60ms", true},
		{"latency=100ms,jitter=60ms,reorder=20%,reorder-delay=50ms", "500ms", false},
	} {
		r := newRig(t, c.weather, "validity", c.validity)
		noted := false
		for range 900 {
			noted = r.step().Note == "a late position was dropped" || noted
		}
		late := r.counter("positions_late")
		if (late > 0) != c.late || noted != c.late {
			t.Errorf("%v: %v late of %v, noted %v", c, late, r.counter("positions"), noted)
		}
		if r.counter("old_states") == 0 {
			t.Errorf("%v: all came in order", c)
		}
	}
}
