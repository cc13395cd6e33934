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
)

// rig is both halves with a link between them and nothing else.
type rig struct {
	t           testing.TB
	network     link.Network
	env         [2]*predict.Env // client, server
	c           *client
	s           *server
	up          *packet.Endpoint
	peers       []predict.Peer
	tick        int
	paused      bool // the client stands still
	corrections []predict.Correction
}

func newRig(t testing.TB, scene, weather string, knobs ...string) *rig {
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
	r.up = packet.NewEndpoint(a)
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

// run makes ticks of the server, and of the client as its pace says.
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

// TestPredictsWithoutError says that where the own cube meets nothing that others
// move, and no input is missed, nothing is ever corrected: the frame that the server
// names is the tick in which the client pressed the key. Jitter that the buffer does
// not take up is made good for by waiting once.
func TestPredictsWithoutError(t *testing.T) {
	for _, weather := range []string{"perfect", "latency=75ms", "latency=250ms", "latency=75ms,loss=10%", "latency=75ms,jitter=10ms"} {
		r := newRig(t, "plain", weather)
		r.run(60, noInput)
		before := r.counter("corrections") // of the ticks before it was heard
		r.run(900, keys)
		if n := r.counter("corrections") - before; n != 0 {
			t.Errorf("%s: %v corrections: %+v", weather, n, r.corrections[0])
		}
		if ratio := r.counter("inputs_consumed_ratio"); ratio < 0.999 {
			t.Errorf("%s: ratio %v", weather, ratio)
		}
		if n := r.counter("late_inputs") + r.counter("skipped_inputs"); n != 0 {
			t.Errorf("%s: %v inputs late or skipped", weather, n)
		}
		if depth := r.counter("buffer_depth"); depth < 2 || depth > 6 {
			t.Errorf("%s: %v inputs in a buffer of 4", weather, depth)
		}
		if late := -r.c.world.Log.OwnTick(0); late < -2 || late > 2 {
			t.Errorf("%s: inputs are used %d ticks after the server's tick of their number", weather, late)
		}
	}
}

// TestDifferenceIsAppliedOnce says that a difference is found once and given in doses that become
// smaller and smaller: with a factor of one a shove of a metre is corrections of a
// metre together, the cube goes there without passing it, and after so many
// sixtieths as there are steps 36 % are left.
func TestDifferenceIsAppliedOnce(t *testing.T) {
	r := newRig(t, "plain", "latency=100ms", "correction-factor", "1", "correction-steps", "20")
	r.run(200, noInput)
	r.displace(geom.Vec3{X: 1})
	var way []float32
	first := -1
	at := r.c.world.Body().Pose.Pos.X
	for i := range 200 {
		r.run(1, noInput)
		way = append(way, r.c.world.Body().Pose.Pos.X-at)
		if first < 0 && way[i] > 0 {
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
			t.Errorf("a shove is %s, because %s", f.Describe(), f.Cause)
		}
	}
	if math.Abs(float64(sum)-1) > 0.01 {
		t.Errorf("%d corrections of %v m together", len(r.corrections), sum)
	}
	if left := 1 - way[first+19]; left < 0.34 || left > 0.38 {
		t.Errorf("after 20 doses %v m are left", left)
	}
	for i := first + 1; i < len(way)-1; i++ {
		step, last := way[i]-way[i-1], float32(1)
		if i > first+1 {
			last = way[i-1] - way[i-2]
		}
		if step < 0 || step > last+1e-4 && i < first+20 {
			t.Errorf("tick %d: a step of %v after one of %v", i, step, last)
			break
		}
	}
	if r.distance() > 1e-4 || !r.c.world.Player.Pending.IsZero() {
		t.Errorf("they are %v m apart in the end", r.distance())
	}
}

// TestHistoryIsShifted says that a correction moves every later entry of the history
// by the same, and none before it, and that the tick goes on: none is made again.
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
			t.Fatalf("%d ticks made in one", got)
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
				t.Errorf("tick %d of %d, state of %d: shifted by %v, want %v", at, tick, r.c.world.Log.ComparedTick(), got, want)
			}
		}
		if shift < 0.9 || tick-r.c.world.Log.ComparedTick() < 8 {
			t.Errorf("a shift of %v m, %d ticks back", shift, tick-r.c.world.Log.ComparedTick())
		}
	}
}

// TestLargeAtOnce says that of a correction above gradual-position-max all is given at once
// but gradual-remainder, and the rest in doses.
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
			t.Errorf("a shove of %v m: %v m at once, want %v", x, moved, want)
		}
		r.run(300, noInput)
	}
}

// TestSuddenVelocity says that a velocity that changes all at once is followed in doses
// first, and if that has not helped ten states later, the server's state is taken as
// it is.
func TestSuddenVelocity(t *testing.T) {
	for _, c := range []struct {
		speed  float32
		resets float64
	}{{9, 0}, {14, 1}} {
		r := newRig(t, "plain", "latency=100ms", "sudden-reset", "on")
		r.run(200, noInput)
		b := r.env[1].World.Bodies()[0]
		b.Linear.X, b.Pose.Pos.Z, b.Asleep = c.speed, 9, false // in the air, where nothing else stops it
		r.env[1].World.SetBody(0, b)
		r.run(60, noInput)
		if n := r.counter("resets"); n != c.resets {
			t.Errorf("at %v m/s: %v resets", c.speed, n)
		}
	}
}

// TestReset says that a client that has stood still for less than a second is
// steered, and one that has for two seconds skips to the server's time and is where
// the server has its cube: forty ticks later, without keys, there is nothing between
// them.
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
			t.Fatalf("after %d ticks of standing still %v resets", c.ticks, n)
		}
		if c.resets == 0 && r.env[0].SlewPPM <= 0 {
			t.Errorf("it is not steered")
		}
		if c.resets > 0 && r.corrections[len(r.corrections)-1].Cause != predict.ClockReset {
			t.Errorf("why: %v", r.corrections[len(r.corrections)-1].Cause)
		}
		r.run(280, noInput)
		if behind := math.Abs(r.counter("clock_behind_ticks")); behind > 2 || r.distance() > 1e-3 {
			t.Errorf("%d ticks: %v ticks behind, %v m apart", c.ticks, behind, r.distance())
		}
	}
}

// TestStarvation says that what the server does while no input comes is compared with
// nothing, and that afterwards the cubes meet again; and whose fault it was.
func TestStarvation(t *testing.T) {
	r := newRig(t, "plain", "latency=50ms")
	r.run(300, keys)
	if err := r.network.Parse("up.loss=100%"); err != nil {
		t.Fatal(err)
	}
	before := len(r.corrections)
	r.run(40, keys)
	if n := len(r.corrections) - before; n != 0 {
		t.Errorf("%d corrections of ticks that nobody made", n)
	}
	if err := r.network.Parse("up.loss=0%"); err != nil {
		t.Fatal(err)
	}
	r.run(60, keys)
	blamed := 0
	for _, f := range r.corrections[before:] {
		if f.Cause == predict.LocalInput {
			blamed++
		}
	}
	if blamed == 0 || blamed == len(r.corrections)-before {
		t.Errorf("%d of %d corrections are of an input that the server did not use", blamed, len(r.corrections)-before)
	}
	if r.counter("input_starved_ticks") < 20 || r.counter("skipped_inputs") == 0 {
		t.Errorf("starved %v, skipped %v", r.counter("input_starved_ticks"), r.counter("skipped_inputs"))
	}
	r.run(400, noInput)
	if r.distance() > 1e-3 {
		t.Errorf("%v m apart in the end", r.distance())
	}
}

// TestRemoteBodiesAreKinematic says that what the player runs into stands in the client's world
// until the server has moved it, and that the player's cube does not move it by itself.
func TestRemoteBodiesAreKinematic(t *testing.T) {
	r := newRig(t, "pile:layers=2", "latency=250ms")
	ahead := func(int) sim.Input { return sim.Input{Buttons: sim.Forward} }
	w := r.env[0].World
	r.run(200, noInput)
	start := append([]sim.Body(nil), w.Bodies()...)
	met := 0 // the tick in which the server's pile first moves
	for range 300 {
		r.run(1, ahead)
		for i := 1; i < len(start); i++ {
			d := r.env[1].World.Bodies()[i].Pose.Pos.Sub(start[i].Pose.Pos).Len()
			if d > 0.01 && met == 0 {
				met = r.tick
			}
			if moved := w.Bodies()[i].Pose.Pos.Sub(start[i].Pose.Pos).Len(); moved > 0.01 && (met == 0 || r.tick < met+14) {
				t.Fatalf("tick %d: body %d has moved in the client's world, at the server the first did in tick %d", r.tick, i, met)
			}
			if w.Bodies()[i].Pose != r.c.world.Interpolated.Pose(i) {
				t.Fatalf("body %d is not where it is shown", i)
			}
		}
	}
	if met == 0 {
		t.Fatal("the pile was not met")
	}
}

// FuzzRead feeds payloads to a client: what is no state of this scene changes
// nothing.
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
