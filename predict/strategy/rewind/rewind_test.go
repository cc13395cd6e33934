package rewind

import (
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// rig is a client, a server and a link between them.
type rig struct {
	t           *testing.T
	network     link.Network
	env         [2]*predict.Env // client, server
	c           *client
	s           *server
	endpoint    *packet.Endpoint
	clientLink  *link.End // the client's end
	peers       []predict.Peer
	tick        int
	corrections []predict.Correction
}

func newRig(t *testing.T, spec, network string, knobs ...string) *rig {
	t.Helper()
	r := &rig{t: t, network: link.Network{Seed: 1}}
	if err := r.network.Parse(network); err != nil {
		t.Fatal(err)
	}
	sc, err := scene.Named(spec)
	if err != nil {
		t.Fatal(err)
	}
	a, b := link.Pair(&r.network, 0)
	r.endpoint, r.clientLink = packet.NewEndpoint(a), a
	r.peers = []predict.Peer{{Endpoint: packet.NewEndpoint(b), Player: 0}}
	k, m := &predict.Knobs{}, &predict.Counters{}
	for i := range r.env {
		r.env[i] = &predict.Env{World: predict.NewWorld(sc, 60), Players: sc.Players, Player: -i, LastInputs: make([]sim.Input, sc.Players), Knobs: k, Counters: m}
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

// run steps both sides with scripted inputs.
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

// TestPredictsWithoutError checks that nothing is corrected where every input arrives in time,
// because the world is deterministic.
func TestPredictsWithoutError(t *testing.T) {
	experiment.Skip(t)
	for _, network := range []string{"perfect", "latency=75ms", "latency=75ms,jitter=30ms", "latency=250ms", "latency=75ms,loss=10%"} {
		for _, scene := range []string{"plain", "zen", "katamari:cubes=100", "pile:layers=2", "two-players", "turntable", "ship"} {
			r := newRig(t, scene, network)
			r.run(1200)
			if n := r.counter("corrections"); n != 0 {
				t.Errorf("%s, %s: %v corrections: %+v", scene, network, n, r.corrections[0])
			}
			if ratio := r.counter("inputs_consumed_ratio"); ratio < 0.999 {
				t.Errorf("%s, %s: ratio %v", scene, network, ratio)
			}
			if n := r.counter("late_inputs"); n != 0 {
				t.Errorf("%s, %s: %v late inputs", scene, network, n)
			}
		}
	}
}

// TestReplayUsesPastInputs checks that a replay steps the inputs of the replayed ticks. The client
// remembers the same inputs before and after a correction, and its world equals one that is stepped
// with them from the server's state.
func TestReplayUsesPastInputs(t *testing.T) {
	r := newRig(t, "zen", "latency=75ms")
	r.run(200)
	r.nudge()
	for len(r.corrections) == 0 {
		r.run(1)
	}
	correction := r.corrections[0]
	now := r.env[0].World.Tick()
	if correction.Body != 0 || correction.Amount < 0.9 || correction.Amount > 1.1 || correction.ReplayedTicks != int(now-correction.Tick) || correction.ReplayedTicks < 10 {
		t.Fatalf("%+v at tick %d", correction, now)
	}
	// The client's clock jumped when it joined; after that each of its ticks has the input of one
	// tick of the session.
	shift := int(now) - r.tick
	w := predict.NewWorld(*r.env[0].World.Scene(), 60)
	w.Load(r.c.stateHistory.Find(correction.Tick))
	for tick := correction.Tick; tick < now; tick++ {
		in := scriptedInput(int(tick) - shift)
		if got := r.c.inputHistory.Find(tick).input; got != in {
			t.Errorf("tick %d: remembered input %v, want %v", tick, got, in)
		}
		w.Step(in)
	}
	if got, want := r.env[0].World.Bodies()[0], w.Bodies()[0]; got != want {
		t.Errorf("the replay ends at %v, want %v", got.Pose, want.Pose)
	}
}

// TestCorrectionKeepsDrawnPose checks that in the tick of a correction the smoothed cubes are drawn
// where they would have been without it, to a millionth of a metre.
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
		// The second correction starts with the error offset of the first; b continues without it.
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
		var simulated, drawn float32
		for i := range va.Bodies {
			drawn = max(drawn, va.Bodies[i].Pos.Sub(vb.Bodies[i].Pos).Len())
			simulated = max(simulated, va.Simulated[i].Pos.Sub(vb.Simulated[i].Pos).Len())
		}
		if simulated < 1e-4 {
			t.Fatalf("%s: the correction corrected nothing", mode)
		}
		if (drawn <= 1e-6) != (mode != "none") {
			t.Errorf("%s: the drawn cubes moved by %g m, the simulated ones by %g", mode, drawn, simulated)
		}
	}
}

// TestOppositeQuaternions checks that q and -q are the same orientation.
func TestOppositeQuaternions(t *testing.T) {
	r := newRig(t, "plain", "perfect")
	r.run(100)
	past := r.c.stateHistory.Find(r.c.receiver.Tick)
	if body := r.c.firstMismatch(past); body >= 0 {
		t.Fatal("the states differ before the test")
	}
	r.c.receiver.Bodies[0].Pose.Rot = r.c.receiver.Bodies[0].Pose.Rot.Neg()
	if body := r.c.firstMismatch(past); body >= 0 {
		t.Error("-q differs from q")
	}
	r.c.receiver.Bodies[0].Pose.Rot = geom.AxisAngle(geom.Vec3{X: 1}, 0.02).Mul(r.c.receiver.Bodies[0].Pose.Rot)
	if body := r.c.firstMismatch(past); body != 0 {
		t.Error("a rotation by 0.02 rad is within the tolerance")
	}
}

// TestRefusesOldStates checks that a state that is repeated, older than the last, or outside the
// history changes nothing and is counted.
func TestRefusesOldStates(t *testing.T) {
	r := newRig(t, "plain", "latency=30ms,jitter=30ms,duplicate=20%")
	r.run(600)
	if n := r.counter("old_states"); n == 0 {
		t.Error("no state is late under two ticks of jitter")
	}
	if n := r.counter("corrections"); n != 0 {
		t.Errorf("%v corrections", n)
	}
	// With 1.2 s each way, states are about ticks that are forgotten.
	r = newRig(t, "plain", "latency=1200ms")
	r.run(300)
	r.nudge()
	before := r.env[0].World.Tick()
	r.run(300)
	if n := r.counter("states_outside_history"); n < 100 {
		t.Errorf("%v states outside the history", n)
	}
	if n := r.counter("corrections"); n != 0 || r.env[0].World.Tick() < before+300 {
		t.Errorf("%v corrections", n)
	}
}

// TestOnInput checks that with server-steps=on-input the world steps only when input arrives; all
// inputs are used in order; at 25 % loss a client with redundant inputs is never corrected, and one
// without is.
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
	stopped := r.env[1].World.Tick()
	r.run(30)
	if r.env[1].World.Tick() != stopped {
		t.Error("the server steps without input")
	}
	r = newRig(t, "plain", "latency=75ms,loss=25%", "server-steps", "on-input", "redundant", "off")
	r.run(1200)
	if n := r.counter("corrections"); n < 50 {
		t.Errorf("without redundancy %v corrections", n)
	}
}

// TestRecovers checks that after an outage of five seconds the client's clock finds the server
// again, and corrections end within a second and a half.
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
		t.Errorf("%v corrections later than 1.5 s after the outage", late)
	}
	if behind := r.counter("clock_behind_ticks"); behind < -2 || behind > 2 {
		t.Errorf("the clock is %v ticks off", behind)
	}
}
