package rewind

import (
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// rig is a client and a server, and a player who drives around.
type rig struct {
	*predicttest.Rig
	c *client
	s *server
}

func newRig(t *testing.T, scene, network string, knobs ...string) *rig {
	t.Helper()
	r := predicttest.New(t, Strategy, predicttest.Config{Scene: scene, Network: network, Knobs: knobs})
	return &rig{Rig: r, c: r.Clients[0].Client.(*client), s: r.Server.(*server)}
}

func (r *rig) run(ticks int) { r.Run(ticks, predicttest.DriveAround) }

func (r *rig) nudge() { r.Displace(geom.Vec3{X: 1}) }

// TestPredictsWithoutError checks that nothing is corrected where every input arrives in time,
// because the world is deterministic.
func TestPredictsWithoutError(t *testing.T) {
	t.Parallel()
	networks := []string{"perfect", "latency=75ms", "latency=75ms,jitter=30ms", "latency=250ms", "latency=75ms,loss=10%"}
	for i, scene := range []string{"plain", "zen", "katamari:cubes=100", "pile:layers=2", "two-players", "turntable", "ship"} {
		for j, network := range networks {
			if experiment.Brief() && j != i%len(networks) { // each scene over one network
				continue
			}
			r := newRig(t, scene, network)
			r.run(experiment.Pick(600, 1200, 1200))
			if n := r.Counter("corrections"); n != 0 {
				t.Errorf("%s, %s: %v corrections: %+v", scene, network, n, r.Corrections[0])
			}
			if ratio := r.Counter("inputs_consumed_ratio"); ratio < 0.999 {
				t.Errorf("%s, %s: ratio %v", scene, network, ratio)
			}
			if n := r.Counter("late_inputs"); n != 0 {
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
	for len(r.Corrections) == 0 {
		r.run(1)
	}
	correction := r.Corrections[0]
	now := r.ClientWorld().Tick()
	if correction.Body != 0 || correction.Amount < 0.9 || correction.Amount > 1.1 ||
		correction.ReplayedTicks != int(now-correction.Tick) || correction.ReplayedTicks < 10 {
		t.Fatalf("%+v at tick %d", correction, now)
	}
	// The client's clock jumped when it joined; after that each of its ticks has the input of one
	// tick of the session.
	shift := int(now) - r.Tick
	w := predict.NewWorld(*r.ClientWorld().Scene(), 60)
	w.Load(r.c.stateHistory.Find(correction.Tick))
	for tick := correction.Tick; tick < now; tick++ {
		in := predicttest.DriveAround(int(tick) - shift)
		if got := r.c.inputHistory.Find(tick).input; got != in {
			t.Errorf("tick %d: remembered input %v, want %v", tick, got, in)
		}
		w.Step(in)
	}
	if got, want := r.ClientWorld().Bodies()[0], w.Bodies()[0]; got != want {
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
		for len(a.Corrections) == 0 {
			a.run(1)
			b.run(1)
		}
		// The second correction starts with the error offset of the first; b continues without it.
		a.run(5)
		b.run(5)
		a.nudge()
		b.nudge()
		b.SetKnob("corrections", "off")
		for n := len(a.Corrections); len(a.Corrections) == n; {
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
	if n := r.Counter("old_states"); n == 0 {
		t.Error("no state is late under two ticks of jitter")
	}
	if n := r.Counter("corrections"); n != 0 {
		t.Errorf("%v corrections", n)
	}
	// With memory for 100 ticks and 1.2 s each way, states are about ticks that are forgotten.
	r = newRig(t, "plain", "latency=1200ms")
	r.run(1)
	r.c.stateHistory.maxBytes = 100 * r.c.stateHistory.largest
	r.run(299)
	r.nudge()
	before := r.ClientWorld().Tick()
	r.run(300)
	if n := r.Counter("states_outside_history"); n < 100 {
		t.Errorf("%v states outside the history", n)
	}
	if n := r.Counter("corrections"); n != 0 || r.ClientWorld().Tick() < before+300 {
		t.Errorf("%v corrections", n)
	}
}

// TestCorrectsAtAnyRoundTrip checks that a client corrects however long the round trip is and
// however short its ticks are: it remembers 16 s.
func TestCorrectsAtAnyRoundTrip(t *testing.T) {
	for _, c := range []struct {
		network string
		rate    int
	}{{"latency=1100ms", 60}, {"latency=340ms", 240}, {"latency=3s", 30}} {
		r := &rig{Rig: predicttest.New(t, Strategy, predicttest.Config{Network: c.network, Rate: c.rate})}
		r.c = r.Clients[0].Client.(*client)
		r.run(13 * c.rate)
		r.nudge()
		r.run(8 * c.rate)
		n := r.Counter("corrections")
		r.run(4 * c.rate)
		if late, outside := r.Counter("corrections")-n, r.Counter("states_outside_history"); n == 0 || late != 0 || outside != 0 {
			t.Errorf("%s at %d ticks per second: %v corrections, %v of them late, %v states outside the history", c.network, c.rate, n+late, late, outside)
		}
		if note := r.View().Note; note != "" {
			t.Errorf("%s: note %q", c.network, note)
		}
	}
}

// TestNotesFullHistory checks that a client that remembers less than the round trip says so in its
// view, with the reason, and corrects again when the round trip is shorter.
func TestNotesFullHistory(t *testing.T) {
	r := newRig(t, "plain", "latency=1100ms")
	r.run(1)
	r.c.stateHistory.maxBytes = 100 * r.c.stateHistory.largest
	r.run(400)
	if note := r.View().Note; !strings.Contains(note, "memory") || r.Counter("states_outside_history") < 100 {
		t.Errorf("note %q", note)
	}
	r.SetNetwork("latency=75ms")
	r.run(400)
	r.nudge()
	r.run(60)
	if note := r.View().Note; note != "" || r.Counter("corrections") == 0 {
		t.Errorf("after the round trip became shorter: note %q, %v corrections", note, r.Counter("corrections"))
	}
	r = newRig(t, "plain", "latency=8500ms")
	r.run(2000)
	if note := r.View().Note; !strings.Contains(note, "16 s") {
		t.Errorf("round trip of 17 s: note %q", note)
	}
}

// TestHistoryKeepsLittle checks that the remembered worlds are those since the newest received
// state, and that their memory is used again.
func TestHistoryKeepsLittle(t *testing.T) {
	r := newRig(t, "zen", "latency=75ms")
	r.run(600)
	h := &r.c.stateHistory
	if n := int(h.next - h.oldest); n > 20 || n < 10 || h.oldest != r.c.receiver.Tick {
		t.Errorf("%d ticks remembered at a lead of %d", n, r.c.env.World.Tick()-r.c.receiver.Tick)
	}
	allocated := len(h.free)
	r.run(600)
	if len(h.free) != allocated {
		t.Errorf("%d states allocated, and then %d", allocated, len(h.free))
	}
	r.Network.Blackout = time.Hour
	r.run(17 * 60)
	if n := int(h.next - h.oldest); n != 16*60 {
		t.Errorf("%d ticks remembered in an outage", n)
	}
}

// TestOnInput checks that with server-steps=on-input the world steps only when input arrives; all
// inputs are used in order; at 25 % loss a client with redundant inputs is never corrected, and one
// without is.
func TestOnInput(t *testing.T) {
	r := newRig(t, "plain", "latency=75ms,loss=25%", "server-steps", "on-input")
	r.run(1200)
	if n := r.Counter("corrections"); n != 0 {
		t.Errorf("%v corrections", n)
	}
	if ratio, gaps := r.Counter("inputs_consumed_ratio"), r.Counter("input_gaps"); ratio != 1 || gaps != 0 {
		t.Errorf("ratio %v, %v ticks skipped", ratio, gaps)
	}
	lag := int64(r.ClientWorld().Tick()) - int64(r.ServerWorld().Tick())
	if lag < 4 || lag > 12 {
		t.Errorf("the server is %d ticks behind", lag)
	}
	r.Network.Blackout = time.Hour
	r.run(30)
	stopped := r.ServerWorld().Tick()
	r.run(30)
	if r.ServerWorld().Tick() != stopped {
		t.Error("the server steps without input")
	}
	r = newRig(t, "plain", "latency=75ms,loss=25%", "server-steps", "on-input", "redundant", "off")
	r.run(1200)
	if mean, largest := r.Counter("correction_mean_m"), r.Counter("correction_largest_mean_m"); largest < mean || largest == 0 {
		t.Errorf("the body that a correction moves most moves by %v m, the player's by %v m", largest, mean)
	}
	if n := r.Counter("corrections"); n < 50 {
		t.Errorf("without redundancy %v corrections", n)
	}
	if n, lost := r.Counter("input_gaps"), r.Counter("inputs_consumed_ratio"); n < 240 || n > 360 || lost < 0.7 || lost > 0.8 {
		t.Errorf("without redundancy %v of 1200 ticks skipped, %v of the inputs used", n, lost)
	}
}

// TestRecovers checks that after an outage of five seconds the client's clock finds the server
// again, and corrections end within a second and a half.
func TestRecovers(t *testing.T) {
	r := newRig(t, "zen", "latency=75ms")
	r.run(300)
	r.Network.Blackout = 10 * time.Second
	r.run(300)
	n := r.Counter("corrections")
	r.run(90)
	if r.Counter("corrections") == n {
		t.Error("nothing was corrected")
	}
	n = r.Counter("corrections")
	r.run(300)
	if late := r.Counter("corrections") - n; late > 3 {
		t.Errorf("%v corrections later than 1.5 s after the outage", late)
	}
	if behind := r.Counter("clock_behind_ticks"); behind < -2 || behind > 2 {
		t.Errorf("the clock is %v ticks off", behind)
	}
}

// TestSkippedTicksRepeat checks that the ticks of a jump repeat the last input for the knob repeat-time and no longer,
// as the server does, and that the next input begins anew.
func TestSkippedTicksRepeat(t *testing.T) {
	r := newRig(t, "plain", "perfect", "repeat-time", "100ms") // six ticks
	r.Run(30, predicttest.Press(sim.Right))
	for range 2 {
		from := r.ClientWorld().Tick()
		for range 20 {
			r.c.advanceSkipped()
		}
		for i := range sim.Tick(20) {
			want := sim.Input{}
			if i < 6 {
				want.Buttons = sim.Right
			}
			if got := r.c.inputHistory.Find(from + i).input; got != want {
				t.Errorf("skipped tick %d has the input %v, want %v", i, got, want)
			}
		}
		r.c.advance(sim.Input{Buttons: sim.Right})
	}
}

// TestTrail checks that the trail consists of the poses that the player's cube had at the start of every
// second of the last 160 ticks, oldest first.
func TestTrail(t *testing.T) {
	r := newRig(t, "zen", "latency=75ms")
	poses := map[sim.Tick]geom.Pose{}
	for range 400 {
		poses[r.ClientWorld().Tick()] = r.ClientWorld().Bodies()[0].Pose
		r.run(1)
	}
	var v predict.View
	r.c.View(&v)
	if len(v.Trail) != predict.TrailTicks/predict.TrailStep {
		t.Fatalf("%d poses", len(v.Trail))
	}
	last := r.ClientWorld().Tick()
	for i, pose := range v.Trail {
		at := last&^(predict.TrailStep-1) - predict.TrailTicks + sim.Tick(i*predict.TrailStep)
		if pose != poses[at] {
			t.Fatalf("pose %d of the trail is %v, want that of tick %d, %v", i, pose.Pos, at, poses[at].Pos)
		}
	}
}

// TestReplaysSelectively checks that a replay steps only what can differ, and everything after a change from outside.
func TestReplaysSelectively(t *testing.T) {
	r := newRig(t, "katamari:cubes=60", "latency=60ms")
	r.run(120)
	w := r.c.env.World
	now := w.Tick()
	past := r.c.stateHistory.Find(now - 5)
	if past == nil || !r.c.replaySelected(past, false) || w.Tick() != now {
		t.Error("a replay is not selective")
	}
	b := w.Bodies()[1]
	b.Linear.X++
	w.SetBody(1, b)
	if past != nil && r.c.replaySelected(past, false) {
		t.Error("a replay is selective after a change from outside")
	}
}

// TestAdoptsPastInputs checks that a client that has just joined steps a tick again which the server has stepped with
// another input than the client, as a snapshot says that has the inputs of earlier ticks, and that it does so once.
func TestAdoptsPastInputs(t *testing.T) {
	r := newRig(t, "plain", "latency=75ms")
	r.run(200)
	c, now := r.c, r.ClientWorld().Tick()
	const back = 10 // ticks from the snapshot to the other input
	snapshot := now - 2
	other := sim.Input{Buttons: sim.Lift}
	var past [2 * back][sim.MaxPlayers]sim.Input
	for i := range past {
		past[i][0] = c.inputHistory.Find(snapshot - 2*back + sim.Tick(i)).input
	}
	past[back][0] = other
	want := predict.NewWorld(*r.ClientWorld().Scene(), 60)
	want.Load(c.stateHistory.Find(snapshot - back))
	for tick := want.Tick(); tick < now; tick++ {
		in := c.inputHistory.Find(tick).input
		if tick == snapshot-back {
			in = other
		}
		want.Step(in)
	}
	c.remote.newest.Collect(0, nil, nil)
	c.remote.newest.Prepend(0, 1, past[:])
	c.remote.learn(snapshot, []sim.Input{{}}, 0)
	for range 2 {
		c.adoptPast(snapshot)
		if got := c.inputHistory.Find(snapshot - back).input; got != other || r.Counter("repredictions") != 1 {
			t.Errorf("the input is %+v after %v replays, want %+v after one", got, r.Counter("repredictions"), other)
		}
		if got, want := r.ClientWorld().Bodies()[0], want.Bodies()[0]; got != want || r.ClientWorld().Tick() != now {
			t.Errorf("the replay ends in tick %d at %v, want %d, %v", r.ClientWorld().Tick(), got.Pose, now, want.Pose)
		}
	}
}
