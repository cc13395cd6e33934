package historyoffset

import (
	"math"
	"testing"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// rig is both sides with a link between them.
type rig struct {
	t           testing.TB
	network     link.Network
	env         [2]*predict.Env // client, server
	c           *client
	s           *server
	up          *packet.Endpoint
	peers       []predict.Peer
	tick        int
	paused      bool // the client is not called
	corrections []predict.Correction
}

func newRig(t testing.TB, spec, network string, knobs ...string) *rig {
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
	r.up = packet.NewEndpoint(a)
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

// run runs ticks of the server, and of the client at the pace that it requests.
func (r *rig) run(ticks int, in func(tick int) sim.Input) {
	due := int64(0)
	for range ticks {
		now := time.Duration(r.tick) * time.Second / 60
		if !r.paused {
			r.up.Update(now)
			for due += 1_000_000 + int64(r.env[0].SlewPPM); due >= 1_000_000; due -= 1_000_000 {
				r.c.Tick(in(r.tick), r.up)
			}
		}
		r.peers[0].Endpoint.Update(now)
		r.s.Tick(nil, r.peers)
		r.tick++
	}
}

func noInput(int) sim.Input { return sim.Input{} }

func keys(tick int) sim.Input {
	if tick < 60 {
		return sim.Input{}
	}
	return sim.Input{Buttons: []sim.Buttons{sim.Forward, sim.Right, sim.Back, sim.Left}[tick/25%4], Heading: uint8(tick / 10)}
}

// displace moves the server's cube.
func (r *rig) displace(by geom.Vec3) {
	b := r.env[1].World.Bodies()[0]
	b.Pose.Pos = b.Pose.Pos.Add(by)
	b.Asleep = false
	r.env[1].World.SetBody(0, b)
}

func (r *rig) counter(name string) float64 { return r.env[0].Counters.Value(name) }

func (r *rig) distance() float32 {
	return r.c.world.Body().Pose.Pos.Sub(r.env[1].World.Bodies()[0].Pose.Pos).Len()
}

// TestPredictsWithoutError checks that nothing is corrected if the cube meets no remote body and the
// server has every input in time: the client tick in a snapshot is the tick in which the client
// sampled that input. The playout buffer absorbs jitter.
func TestPredictsWithoutError(t *testing.T) {
	for _, network := range []string{"perfect", "latency=75ms", "latency=250ms", "latency=75ms,loss=10%", "latency=75ms,jitter=10ms"} {
		r := newRig(t, "plain", network)
		r.run(60, noInput)
		before := r.counter("corrections") // from before the server used its inputs
		r.run(900, keys)
		if n := r.counter("corrections") - before; n != 0 {
			t.Errorf("%s: %v corrections: %+v", network, n, r.corrections[0])
		}
		if ratio := r.counter("inputs_consumed_ratio"); ratio < 0.999 {
			t.Errorf("%s: ratio %v", network, ratio)
		}
		if n := r.counter("late_inputs") + r.counter("skipped_inputs"); n != 0 {
			t.Errorf("%s: %v inputs late or skipped", network, n)
		}
		if depth := r.counter("buffer_depth"); depth < 2 || depth > 6 {
			t.Errorf("%s: %v inputs in a buffer of 4", network, depth)
		}
		if offset := -r.c.world.Log.OwnTick(0); offset < -2 || offset > 2 {
			t.Errorf("%s: the input of client tick n is used in server tick n%+d", network, offset)
		}
	}
}

// TestDifferenceIsAppliedOnce checks that a difference is corrected once, in steps that become smaller
// and smaller. With a factor of 1, the corrections of a displacement of a metre add up to a metre, the
// cube does not overshoot, and 36 % remain after correction-steps sixtieths of a second.
func TestDifferenceIsAppliedOnce(t *testing.T) {
	r := newRig(t, "plain", "latency=100ms", "correction-factor", "1", "correction-steps", "20")
	r.run(200, noInput)
	r.displace(geom.Vec3{X: 1})
	var moved []float32 // metres, by tick
	first := -1
	at := r.c.world.Body().Pose.Pos.X
	for i := range 200 {
		r.run(1, noInput)
		moved = append(moved, r.c.world.Body().Pose.Pos.X-at)
		if first < 0 && moved[i] > 0 {
			first = i
		}
	}
	if len(r.corrections) == 0 {
		t.Fatal("nothing was corrected")
	}
	sum := float32(0)
	for _, f := range r.corrections {
		sum += f.Shift
		if f.Cause != predict.CauseUnknown || f.Field != predict.Position && f.Field != predict.Linear {
			t.Errorf("the displacement is reported as %s, caused by %s", f.Describe(), f.Cause)
		}
	}
	if math.Abs(float64(sum)-1) > 0.01 {
		t.Errorf("%d corrections of %v m in total", len(r.corrections), sum)
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
	if r.distance() > 1e-4 || !r.c.world.Player.Pending.IsZero() {
		t.Errorf("the two worlds differ by %v m in the end", r.distance())
	}
}

// TestHistoryIsShifted checks that a correction shifts every remembered state since the compared tick
// equally, and none before it, and that no tick is resimulated.
func TestHistoryIsShifted(t *testing.T) {
	r := newRig(t, "plain", "latency=100ms", "correction-factor", "1")
	r.run(200, noInput)
	r.displace(geom.Vec3{X: 1})
	for len(r.corrections) == 0 {
		tick := r.env[0].World.Tick()
		before := map[sim.Tick]float32{}
		for back := range sim.Tick(60) {
			before[tick-back] = r.c.history.Find(tick - back).body.Pose.Pos.X
		}
		r.run(1, noInput)
		if got := r.env[0].World.Tick() - tick; got != 1 {
			t.Fatalf("%d ticks stepped in one", got)
		}
		if len(r.corrections) == 0 {
			continue
		}
		shift := r.corrections[0].Shift
		for at, x := range before {
			want := float32(0)
			if at >= r.c.world.Log.ComparedTick() {
				want = shift
			}
			if got := r.c.history.Find(at).body.Pose.Pos.X - x; math.Abs(float64(got-want)) > 1e-5 {
				t.Errorf("tick %d, compared tick %d: shifted by %v, want %v", at, r.c.world.Log.ComparedTick(), got, want)
			}
		}
		if shift < 0.9 || tick-r.c.world.Log.ComparedTick() < 8 {
			t.Errorf("a shift of %v m, compared %d ticks back", shift, tick-r.c.world.Log.ComparedTick())
		}
	}
}

// TestLargeAtOnce checks that a correction longer than gradual-position-max is applied at once, except
// for gradual-remainder.
func TestLargeAtOnce(t *testing.T) {
	r := newRig(t, "plain", "latency=100ms", "correction-factor", "1", "gradual-position-max", "2")
	r.run(200, noInput)
	for _, x := range []float32{1.5, 3} {
		r.corrections = nil
		at := r.c.world.Body().Pose.Pos.X
		r.displace(geom.Vec3{X: x})
		for len(r.corrections) == 0 {
			r.run(1, noInput)
		}
		moved, want := r.c.world.Body().Pose.Pos.X-at, x/30
		if x > 2 {
			want = x - 0.15
		}
		if geom.Abs(moved-want) > 0.01 {
			t.Errorf("displaced by %v m: %v m at once, want %v", x, moved, want)
		}
		r.run(300, noInput)
	}
}

// TestSuddenVelocity checks that a sudden change of the server's velocity is corrected gradually, and
// that the client adopts the server's state if the difference is still large ten snapshots later.
func TestSuddenVelocity(t *testing.T) {
	for _, c := range []struct {
		speed  float32
		resets float64
	}{{9, 0}, {14, 1}} {
		r := newRig(t, "plain", "latency=100ms", "sudden-reset", "on")
		r.run(200, noInput)
		b := r.env[1].World.Bodies()[0]
		b.Linear.X, b.Pose.Pos.Z, b.Asleep = c.speed, 9, false // in the air, without contacts
		r.env[1].World.SetBody(0, b)
		r.run(60, noInput)
		if n := r.counter("resets"); n != c.resets {
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
		r.run(100, noInput)
		r.displace(geom.Vec3{Y: 3})
		r.paused = true
		r.run(c.ticks, noInput)
		r.paused = false
		r.run(1, noInput)
		if n := r.counter("resets"); n != c.resets {
			t.Fatalf("%v resets after a pause of %d ticks", n, c.ticks)
		}
		if c.resets == 0 && r.env[0].SlewPPM <= 0 {
			t.Errorf("it does not run faster")
		}
		if c.resets > 0 && r.corrections[len(r.corrections)-1].Cause != predict.ClockReset {
			t.Errorf("cause %v", r.corrections[len(r.corrections)-1].Cause)
		}
		r.run(280, noInput)
		if behind := math.Abs(r.counter("clock_behind_ticks")); behind > 2 || r.distance() > 1e-3 {
			t.Errorf("after a pause of %d ticks: %v ticks behind, the two worlds differ by %v m", c.ticks, behind, r.distance())
		}
	}
}

// TestStarvation checks that states from the server's ticks without an input are not compared, that
// the cubes agree again afterwards, and that the cause of the corrections is reported.
func TestStarvation(t *testing.T) {
	r := newRig(t, "plain", "latency=50ms")
	r.run(300, keys)
	if err := r.network.Parse("up.loss=100%"); err != nil {
		t.Fatal(err)
	}
	before := len(r.corrections)
	r.run(40, keys)
	if n := len(r.corrections) - before; n != 0 {
		t.Errorf("%d corrections by ticks without an input", n)
	}
	if err := r.network.Parse("up.loss=0%"); err != nil {
		t.Fatal(err)
	}
	r.run(60, keys)
	ownInputs := 0
	for _, f := range r.corrections[before:] {
		if f.Cause == predict.LocalInput {
			ownInputs++
		}
	}
	if ownInputs == 0 || ownInputs == len(r.corrections)-before {
		t.Errorf("%d of %d corrections are caused by an input that the server did not use", ownInputs, len(r.corrections)-before)
	}
	if r.counter("input_starved_ticks") < 20 || r.counter("skipped_inputs") == 0 {
		t.Errorf("starved %v, skipped %v", r.counter("input_starved_ticks"), r.counter("skipped_inputs"))
	}
	r.run(400, noInput)
	if r.distance() > 1e-3 {
		t.Errorf("the two worlds differ by %v m in the end", r.distance())
	}
}

// TestRemoteBodiesAreKinematic checks that the player's cube does not move a pile in the client's
// world: each body stays at its interpolated pose, and moves when the server's has moved.
func TestRemoteBodiesAreKinematic(t *testing.T) {
	r := newRig(t, "pile:layers=2", "latency=250ms")
	ahead := func(int) sim.Input { return sim.Input{Buttons: sim.Forward} }
	w := r.env[0].World
	r.run(200, noInput)
	start := append([]sim.Body(nil), w.Bodies()...)
	firstMoved := 0 // tick in which the server's pile first moves
	for range 300 {
		r.run(1, ahead)
		for i := 1; i < len(start); i++ {
			d := r.env[1].World.Bodies()[i].Pose.Pos.Sub(start[i].Pose.Pos).Len()
			if d > 0.01 && firstMoved == 0 {
				firstMoved = r.tick
			}
			if moved := w.Bodies()[i].Pose.Pos.Sub(start[i].Pose.Pos).Len(); moved > 0.01 && (firstMoved == 0 || r.tick < firstMoved+14) {
				t.Fatalf("tick %d: body %d has moved in the client's world, the first at the server in tick %d", r.tick, i, firstMoved)
			}
			if w.Bodies()[i].Pose != r.c.world.Interpolated.Pose(i) {
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
	r.run(100, keys)
	var c quant.Coder
	for _, h := range []codec.ConsumedHeader{{}, {Consumed: input.Consumed{Source: input.SourceReceived, ClientTick: 99}, WaitedTicks: 4}, {Consumed: input.Consumed{Source: input.SourceRepeated, ClientTick: 70000}, WaitedTicks: 63}} {
		c.BeginWrite(make([]byte, 128))
		h.Code(&c, 0)
		c.Bits(101, 16)
		input.CodeInput(&c, sim.Input{Buttons: 3})
		for range r.env[0].World.Bodies() {
			c.Bool(false)
		}
		f.Add(append([]byte(nil), c.FinishWrite()...))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		r := newRig(t, "plain", "perfect")
		r.run(30, keys)
		r.peers[0].Endpoint.Send(payload)
		r.run(30, keys)
		b := r.c.world.Body()
		if !b.Pose.Pos.IsFinite() || !b.Pose.Rot.IsFinite() || !b.Linear.IsFinite() || !b.Angular.IsFinite() {
			t.Errorf("%+v", b)
		}
		fields(false, payload, r.env[0].World.Scene(), func(quant.Field) {})
	})
}
