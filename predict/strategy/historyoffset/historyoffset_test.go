package historyoffset

import (
	"math"
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/localprediction"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// rig is a client and a server.
type rig struct {
	*predicttest.Rig
	c *client
}

func newRig(t testing.TB, scene, network string, knobs ...string) *rig {
	t.Helper()
	r := predicttest.New(t, Strategy, predicttest.Config{Scene: scene, Network: network, Knobs: knobs})
	return &rig{Rig: r, c: r.Clients[0].Client.(*client)}
}

// TestPredictsWithoutError checks that nothing is corrected if the cube meets no remote body and the
// server has every input in time: the client tick in a snapshot is the tick in which the client
// sampled that input. The playout buffer absorbs jitter.
func TestPredictsWithoutError(t *testing.T) {
	for _, network := range []string{"perfect", "latency=75ms", "latency=250ms", "latency=75ms,loss=10%", "latency=75ms,jitter=10ms"} {
		r := newRig(t, "plain", network)
		r.Run(60, predicttest.NoInput)
		before := r.Counter("corrections") // from before the server used its inputs
		r.Run(900, predicttest.DriveAround)
		if n := r.Counter("corrections") - before; n != 0 {
			t.Errorf("%s: %v corrections: %+v", network, n, r.Corrections[0])
		}
		if ratio := r.Counter("inputs_consumed_ratio"); ratio < 0.999 {
			t.Errorf("%s: ratio %v", network, ratio)
		}
		if n := r.Counter("late_inputs") + r.Counter("skipped_inputs"); n != 0 {
			t.Errorf("%s: %v inputs late or skipped", network, n)
		}
		if depth := r.Counter("buffer_depth"); depth < 2 || depth > 6 {
			t.Errorf("%s: %v inputs in a buffer of 4", network, depth)
		}
		if offset := -r.c.Log.OwnTick(0); offset < -2 || offset > 2 {
			t.Errorf("%s: the input of client tick n is used in server tick n%+d", network, offset)
		}
	}
}

// TestDifferenceIsAppliedOnce checks that a difference is corrected once, in steps that become smaller
// and smaller. With a factor of 1, the corrections of a displacement of a metre add up to a metre, the
// cube does not overshoot, and 36 % remain after correction-steps sixtieths of a second.
func TestDifferenceIsAppliedOnce(t *testing.T) {
	r := newRig(t, "plain", "latency=100ms", "correction-factor", "1", "correction-steps", "20", "correct-by", "offset")
	r.Run(200, predicttest.NoInput)
	r.Displace(geom.Vec3{X: 1})
	var moved []float32 // metres, by tick
	first := -1
	at := r.c.Body().Pose.Pos.X
	for i := range 200 {
		r.Run(1, predicttest.NoInput)
		moved = append(moved, r.c.Body().Pose.Pos.X-at)
		if first < 0 && moved[i] > 0 {
			first = i
		}
	}
	if len(r.Corrections) == 0 {
		t.Fatal("nothing was corrected")
	}
	sum := float32(0)
	for _, f := range r.Corrections {
		sum += f.Shift
		if f.Cause != predict.CauseUnknown || f.Field != predict.Position && f.Field != predict.Linear {
			t.Errorf("the displacement is reported as %s, caused by %s", f.Describe(), f.Cause)
		}
	}
	if math.Abs(float64(sum)-1) > 0.01 {
		t.Errorf("%d corrections of %v m in total", len(r.Corrections), sum)
	}
	if rest := 1 - moved[first+19]; rest < 0.34 || rest > 0.38 {
		t.Errorf("%v m remain after 20 steps", rest)
	}
	for i := first + 1; i < len(moved)-1; i++ {
		step, last := moved[i]-moved[i-1], float32(1)
		if i > first+1 {
			last = moved[i-1] - moved[i-2]
		}
		if step < 0 || step > last+1e-4 && i < first+20 {
			t.Errorf("tick %d: a step of %v after one of %v", i, step, last)
			break
		}
	}
	if r.Distance(0) > 1e-4 || !r.c.Player.Pending.IsZero() {
		t.Errorf("the two worlds differ by %v m in the end", r.Distance(0))
	}
}

// TestHistoryIsShifted checks that a correction shifts every remembered state since the compared tick
// equally, and none before it, and that no tick is resimulated.
func TestHistoryIsShifted(t *testing.T) {
	r := newRig(t, "plain", "latency=100ms", "correction-factor", "1", "correct-by", "offset")
	r.Run(200, predicttest.NoInput)
	r.Displace(geom.Vec3{X: 1})
	for len(r.Corrections) == 0 {
		tick := r.ClientWorld().Tick()
		before := map[sim.Tick]float32{}
		for back := range sim.Tick(60) {
			before[tick-back] = r.c.Find(tick - back).Body.Pose.Pos.X
		}
		r.Run(1, predicttest.NoInput)
		if got := r.ClientWorld().Tick() - tick; got != 1 {
			t.Fatalf("%d ticks stepped in one", got)
		}
		if len(r.Corrections) == 0 {
			continue
		}
		shift := r.Corrections[0].Shift
		for at, x := range before {
			want := float32(0)
			if at >= r.c.Log.ComparedTick() {
				want = shift
			}
			if got := r.c.Find(at).Body.Pose.Pos.X - x; math.Abs(float64(got-want)) > 1e-5 {
				t.Errorf("tick %d, compared tick %d: shifted by %v, want %v", at, r.c.Log.ComparedTick(), got, want)
			}
		}
		if shift < 0.9 || tick-r.c.Log.ComparedTick() < 8 {
			t.Errorf("a shift of %v m, compared %d ticks back", shift, tick-r.c.Log.ComparedTick())
		}
	}
}

// TestLargeAtOnce checks that a correction longer than gradual-position-max is applied at once, except
// for gradual-remainder.
func TestLargeAtOnce(t *testing.T) {
	r := newRig(t, "plain", "latency=100ms", "correction-factor", "1", "gradual-position-max", "2", "correct-by", "offset")
	r.Run(200, predicttest.NoInput)
	for _, x := range []float32{1.5, 3} {
		r.Corrections = nil
		at := r.c.Body().Pose.Pos.X
		r.Displace(geom.Vec3{X: x})
		for len(r.Corrections) == 0 {
			r.Run(1, predicttest.NoInput)
		}
		moved, want := r.c.Body().Pose.Pos.X-at, x/30
		if x > 2 {
			want = x - 0.15
		}
		if geom.Abs(moved-want) > 0.01 {
			t.Errorf("displaced by %v m: %v m at once, want %v", x, moved, want)
		}
		r.Run(300, predicttest.NoInput)
	}
}

// TestSuddenVelocity checks that a sudden change of the server's velocity is corrected gradually, and
// that the client adopts the server's state if the difference is still large ten snapshots later.
func TestSuddenVelocity(t *testing.T) {
	for _, c := range []struct {
		speed  float32
		resets float64
	}{{9, 0}, {14, 1}} {
		r := newRig(t, "plain", "latency=100ms", "sudden-reset", "on", "correct-by", "offset")
		r.Run(200, predicttest.NoInput)
		r.ChangeBody(0, func(b *sim.Body) { b.Linear.X, b.Pose.Pos.Z = c.speed, 9 }) // in the air, without contacts
		r.Run(60, predicttest.NoInput)
		if n := r.Counter("resets"); n != c.resets {
			t.Errorf("at %v m/s: %v resets", c.speed, n)
		}
	}
}

// TestReset checks that a client that was paused for less than a second runs faster, and one that was
// paused for two seconds skips to the server's time and adopts the server's state.
func TestReset(t *testing.T) {
	for _, c := range []struct {
		ticks  int
		resets float64
	}{{45, 0}, {120, 1}} {
		r := newRig(t, "plain", "latency=100ms")
		r.Run(100, predicttest.NoInput)
		r.Displace(geom.Vec3{Y: 3})
		r.Paused = true
		r.Run(c.ticks, predicttest.NoInput)
		r.Paused = false
		r.Run(1, predicttest.NoInput)
		if n := r.Counter("resets"); n != c.resets {
			t.Fatalf("%v resets after a pause of %d ticks", n, c.ticks)
		}
		if c.resets == 0 && r.Clients[0].Env.SlewPPM <= 0 {
			t.Errorf("it does not run faster")
		}
		if c.resets > 0 && r.Corrections[len(r.Corrections)-1].Cause != predict.ClockReset {
			t.Errorf("cause %v", r.Corrections[len(r.Corrections)-1].Cause)
		}
		r.Run(280, predicttest.NoInput)
		if behind := math.Abs(r.Counter("clock_behind_ticks")); behind > 2 || r.Distance(0) > 1e-3 {
			t.Errorf("after a pause of %d ticks: %v ticks behind, the two worlds differ by %v m", c.ticks, behind, r.Distance(0))
		}
	}
}

// TestStarvation checks that states from the server's ticks without an input are not compared, that
// the cubes agree again afterwards, and that the cause of the corrections is reported.
func TestStarvation(t *testing.T) {
	r := newRig(t, "plain", "latency=50ms", "correct-by", "offset")
	r.Run(300, predicttest.DriveAround)
	r.SetNetwork("up.loss=100%")
	before := len(r.Corrections)
	r.Run(40, predicttest.DriveAround)
	if n := len(r.Corrections) - before; n != 0 {
		t.Errorf("%d corrections by ticks without an input", n)
	}
	r.SetNetwork("up.loss=0%")
	r.Run(60, predicttest.DriveAround)
	ownInputs := 0
	for _, f := range r.Corrections[before:] {
		if f.Cause == predict.LocalInput {
			ownInputs++
		}
	}
	if ownInputs == 0 || ownInputs == len(r.Corrections)-before {
		t.Errorf("%d of %d corrections are caused by an input that the server did not use", ownInputs, len(r.Corrections)-before)
	}
	if r.Counter("input_starved_ticks") < 20 || r.Counter("skipped_inputs") == 0 {
		t.Errorf("starved %v, skipped %v", r.Counter("input_starved_ticks"), r.Counter("skipped_inputs"))
	}
	r.Run(400, predicttest.NoInput)
	if r.Distance(0) > 1e-3 {
		t.Errorf("the two worlds differ by %v m in the end", r.Distance(0))
	}
}

// TestRemoteBodiesAreKinematic checks that the player's cube does not move a pile in the client's
// world: each body stays at its interpolated pose, and moves when the server's has moved.
func TestRemoteBodiesAreKinematic(t *testing.T) {
	r := newRig(t, "pile:layers=2", "latency=250ms")
	ahead := predicttest.Press(sim.Forward)
	w := r.ClientWorld()
	r.Run(200, predicttest.NoInput)
	start := append([]sim.Body(nil), w.Bodies()...)
	firstMoved := 0 // tick in which the server's pile first moves
	for range 300 {
		r.Run(1, ahead)
		for i := 1; i < len(start); i++ {
			d := r.ServerWorld().Bodies()[i].Pose.Pos.Sub(start[i].Pose.Pos).Len()
			if d > 0.01 && firstMoved == 0 {
				firstMoved = r.Tick
			}
			if moved := w.Bodies()[i].Pose.Pos.Sub(start[i].Pose.Pos).Len(); moved > 0.01 && (firstMoved == 0 || r.Tick < firstMoved+14) {
				t.Fatalf("tick %d: body %d has moved in the client's world, the first at the server in tick %d", r.Tick, i, firstMoved)
			}
			if w.Bodies()[i].Pose != r.c.Interpolated.Pose(i) {
				t.Fatalf("body %d is not at its interpolated pose", i)
			}
		}
	}
	if firstMoved == 0 {
		t.Fatal("the cube did not reach the pile")
	}
}

// FuzzRead sends arbitrary payloads to a client: none panics, or makes its body's state infinite.
func FuzzRead(f *testing.F) {
	r := newRig(f, "plain", "perfect")
	r.Run(100, predicttest.DriveAround)
	var c quant.Coder
	for _, h := range []codec.ConsumedHeader{
		{},
		{Consumed: input.Consumed{Source: input.SourceReceived, ClientTick: 99}, WaitedTicks: 4},
		{Consumed: input.Consumed{Source: input.SourceRepeated, ClientTick: 70000}, WaitedTicks: 63},
	} {
		c.BeginWrite(make([]byte, 128))
		h.Code(&c, 0)
		c.Bits(101, 16)
		input.CodeInput(&c, sim.Input{Buttons: 3})
		for range r.ClientWorld().Bodies() {
			c.Bool(false)
		}
		f.Add(append([]byte(nil), c.FinishWrite()...))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		r := newRig(t, "plain", "perfect")
		r.Run(30, predicttest.DriveAround)
		r.Peers[0].Endpoint.Send(payload)
		r.Run(30, predicttest.DriveAround)
		b := r.c.Body()
		if !b.Pose.Pos.IsFinite() || !b.Pose.Rot.IsFinite() || !b.Linear.IsFinite() || !b.Angular.IsFinite() {
			t.Errorf("%+v", b)
		}
		fields(false, payload, r.ClientWorld().Scene(), func(quant.Field) {})
	})
}

// TestInspectReportsEveryBody checks that the age and the motion of every body are reported, predicted or
// interpolated.
func TestInspectReportsEveryBody(t *testing.T) {
	r := newRig(t, "zen", "latency=75ms")
	r.Run(200, predicttest.DriveAround)
	var l predict.Inspection
	localprediction.Inspect(&l, r.Server, r.c)
	n := len(r.ClientWorld().Bodies())
	if len(l.Age) != n || len(l.Moving) != n || !l.Moving[0] {
		t.Errorf("%d ages and %d motions of %d bodies: %v", len(l.Age), len(l.Moving), n, l.Moving)
	}
}
