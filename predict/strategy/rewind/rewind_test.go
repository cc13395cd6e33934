package rewind

import (
	"testing"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// rig is both halves with a link between them and nothing else.
type rig struct {
	t           *testing.T
	network     link.Network
	env         [2]*predict.Env // client, server
	c           *client
	s           *server
	endpoint    *packet.Endpoint
	clientLink  *link.End // the client's
	peers       []predict.Peer
	tick        int
	corrections []predict.Correction
}

func newRig(t *testing.T, scene, weather string, knobs ...string) *rig {
	t.Helper()
	r := &rig{t: t, network: link.Network{Seed: 1}}
	if err := r.network.Parse(weather); err != nil {
		t.Fatal(err)
	}
	sc, err := sim.SceneNamed(scene)
	if err != nil {
		t.Fatal(err)
	}
	a, b := link.Pair(&r.network, 0)
	r.endpoint, r.clientLink = packet.NewEndpoint(a), a
	r.peers = []predict.Peer{{Endpoint: packet.NewEndpoint(b), Player: 0}}
	k, m := &predict.Knobs{}, &predict.Counters{}
	for i := range r.env {
		r.env[i] = &predict.Env{World: sim.New(sc, 60), Players: sc.Players, Player: -i, LastInputs: make([]sim.Input, sc.Players), Knobs: k, Counters: m}
	}
	r.env[0].OnCorrection = func(c predict.Correction) { r.corrections = append(r.corrections, c) }
	r.s = newServer(r.env[1]).(*server)
	r.c = newClient(r.env[0]).(*client)
	for i := 0; i < len(knobs); i += 2 {
		if err := k.Set(knobs[i], knobs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// run makes ticks under scripted keys.
func (r *rig) run(ticks int) {
	for range ticks {
		now := time.Duration(r.tick) * time.Second / 60
		r.endpoint.Update(now)
		r.c.Tick(scriptedInput(r.tick), r.endpoint)
		r.peers[0].Endpoint.Update(now)
		r.s.Tick(nil, r.peers)
		r.tick++
	}
}

func scriptedInput(tick int) sim.Input {
	if tick < 60 {
		return sim.Input{}
	}
	return sim.Input{Buttons: []sim.Buttons{sim.Forward, sim.Right, sim.Back, sim.Left}[tick/25%4], Heading: uint8(tick / 10)}
}

func (r *rig) nudge() {
	b := r.env[1].World.Bodies()[0]
	b.Pose.Pos.X++
	b.Asleep = false
	r.env[1].World.SetBody(0, b)
}

func (r *rig) counter(name string) float64 { return r.env[0].Counters.Value(name) }

// TestPredictsWithoutError says that where nothing is lost nothing is ever
// corrected: the world is deterministic, and the inputs are there in time.
func TestPredictsWithoutError(t *testing.T) {
	for _, weather := range []string{"perfect", "latency=75ms", "latency=75ms,jitter=30ms", "latency=250ms", "latency=75ms,loss=10%"} {
		for _, scene := range []string{"plain", "zen", "katamari:cubes=100", "pile:layers=2", "two-players", "turntable", "ship"} {
			r := newRig(t, scene, weather)
			r.run(1200)
			if n := r.counter("corrections"); n != 0 {
				t.Errorf("%s, %s: %v corrections: %+v", scene, weather, n, r.corrections[0])
			}
			if ratio := r.counter("inputs_consumed_ratio"); ratio < 0.999 {
				t.Errorf("%s, %s: ratio %v", scene, weather, ratio)
			}
			if n := r.counter("late_inputs"); n != 0 {
				t.Errorf("%s, %s: %v late inputs", scene, weather, n)
			}
		}
	}
}

// TestReplayUsesPastInputs says that a replay steps what was pressed then: the
// client remembers the same inputs before and after a correction, and right
// after it stands where a world stands that is stepped with them from the
// server's state.
func TestReplayUsesPastInputs(t *testing.T) {
	r := newRig(t, "zen", "latency=75ms")
	r.run(200)
	r.nudge()
	for len(r.corrections) == 0 {
		r.run(1)
	}
	fix := r.corrections[0]
	now := r.env[0].World.Tick()
	if fix.Body != 0 || fix.Amount < 0.9 || fix.Amount > 1.1 || fix.ReplayedTicks != int(now-fix.Tick) || fix.ReplayedTicks < 10 {
		t.Fatalf("%+v at tick %d", fix, now)
	}
	// The client joined at a jump, after which each of its ticks took the
	// input of one tick of the session.
	shift := int(now) - r.tick
	w := sim.New(*r.env[0].World.Scene(), 60)
	w.Load(r.c.stateHistory.Find(fix.Tick))
	for tick := fix.Tick; tick < now; tick++ {
		in := scriptedInput(int(tick) - shift)
		if got := r.c.inputHistory.Find(tick).input; got != in {
			t.Errorf("tick %d: %v is remembered, %v was pressed", tick, got, in)
		}
		w.Step(in)
	}
	if got, want := r.env[0].World.Bodies()[0], w.Bodies()[0]; got != want {
		t.Errorf("the replay ends at %v, its inputs lead to %v", got.Pose, want.Pose)
	}
}

// TestCorrectionKeepsDrawnPose says that in the tick of a correction the drawn cubes
// are where they would have been without it, to a millionth of a metre.
func TestCorrectionKeepsDrawnPose(t *testing.T) {
	for _, mode := range []string{"single", "two-factor", "none"} {
		a, b := newRig(t, "zen", "latency=75ms", "smoothing", mode), newRig(t, "zen", "latency=75ms", "smoothing", mode)
		a.run(200)
		b.run(200)
		a.nudge()
		b.nudge()
		for len(a.corrections) == 0 {
			a.run(1)
			b.run(1)
		}
		// The second correction meets the offset of the first; b goes without it.
		a.run(5)
		b.run(5)
		a.nudge()
		b.nudge()
		b.env[0].Knobs.Set("corrections", "off")
		for n := len(a.corrections); len(a.corrections) == n; {
			a.run(1)
			b.run(1)
		}
		var va, vb predict.View
		a.c.View(&va)
		b.c.View(&vb)
		var raw, drawn float32
		for i := range va.Bodies {
			drawn = max(drawn, va.Bodies[i].Pos.Sub(vb.Bodies[i].Pos).Len())
			raw = max(raw, va.Simulated[i].Pos.Sub(vb.Simulated[i].Pos).Len())
		}
		if raw < 1e-4 {
			t.Fatalf("%s: the correction corrected nothing", mode)
		}
		if (drawn <= 1e-6) != (mode != "none") {
			t.Errorf("%s: the drawn cubes moved by %g m, the simulated ones by %g", mode, drawn, raw)
		}
	}
}

// TestOppositeQuaternions says that q and -q agree.
func TestOppositeQuaternions(t *testing.T) {
	r := newRig(t, "plain", "perfect")
	r.run(100)
	past := r.c.stateHistory.Find(r.c.receiver.Tick)
	if body := r.c.firstMismatch(past); body >= 0 {
		t.Fatal("they differ already")
	}
	r.c.receiver.Bodies[0].Pose.Rot = r.c.receiver.Bodies[0].Pose.Rot.Neg()
	if body := r.c.firstMismatch(past); body >= 0 {
		t.Error("-q is not q")
	}
	r.c.receiver.Bodies[0].Pose.Rot = geom.AxisAngle(geom.Vec3{X: 1}, 0.02).Mul(r.c.receiver.Bodies[0].Pose.Rot)
	if body := r.c.firstMismatch(past); body != 0 {
		t.Error("a turn by 0.02 passes")
	}
}

// TestRefusesOldStates says that a state that is repeated, older than the
// last, or about a tick that is no longer remembered changes nothing and is
// counted.
func TestRefusesOldStates(t *testing.T) {
	r := newRig(t, "plain", "latency=30ms,jitter=30ms,duplicate=20%")
	r.run(600)
	if n := r.counter("old_states"); n == 0 {
		t.Error("jitter of two ticks brings no state late")
	}
	if n := r.counter("corrections"); n != 0 {
		t.Errorf("%v corrections", n)
	}
	// Two seconds each way: the states that come speak of ticks that are gone.
	r = newRig(t, "plain", "latency=1200ms")
	r.run(300)
	r.nudge()
	before := r.env[0].World.Tick()
	r.run(300)
	if n := r.counter("states_outside_history"); n < 100 {
		t.Errorf("%v states outside the ring", n)
	}
	if n := r.counter("corrections"); n != 0 || r.env[0].World.Tick() < before+300 {
		t.Errorf("%v corrections", n)
	}
}

// TestOnInput says that the published way of stepping works as published:
// nothing comes, nothing steps; all inputs are used, in order; and a client
// with redundant inputs is never corrected at 25 % loss, one without is.
func TestOnInput(t *testing.T) {
	r := newRig(t, "plain", "latency=75ms,loss=25%", "server-steps", "on-input")
	r.run(1200)
	if n := r.counter("corrections"); n != 0 {
		t.Errorf("%v corrections", n)
	}
	if ratio := r.counter("inputs_consumed_ratio"); ratio != 1 {
		t.Errorf("ratio %v", ratio)
	}
	lag := int64(r.env[0].World.Tick()) - int64(r.env[1].World.Tick())
	if lag < 4 || lag > 12 {
		t.Errorf("the server is %d ticks behind", lag)
	}
	r.network.Blackout = time.Hour
	r.run(30)
	stands := r.env[1].World.Tick()
	r.run(30)
	if r.env[1].World.Tick() != stands {
		t.Error("the server steps without input")
	}
	r = newRig(t, "plain", "latency=75ms,loss=25%", "server-steps", "on-input", "redundant", "off")
	r.run(1200)
	if n := r.counter("corrections"); n < 50 {
		t.Errorf("without redundancy %v corrections", n)
	}
}

// TestRecovers says that after five seconds without a packet the client finds
// the server again, and that they agree within a second.
func TestRecovers(t *testing.T) {
	r := newRig(t, "zen", "latency=75ms")
	r.run(300)
	r.network.Blackout = 10 * time.Second
	r.run(300)
	n := r.counter("corrections")
	r.run(90)
	if r.counter("corrections") == n {
		t.Error("nothing was corrected")
	}
	n = r.counter("corrections")
	r.run(300)
	if late := r.counter("corrections") - n; late > 3 {
		t.Errorf("%v corrections a second and a half after the link came back", late)
	}
	if behind := r.counter("clock_behind_ticks"); behind < -2 || behind > 2 {
		t.Errorf("the clock is %v ticks off", behind)
	}
}
