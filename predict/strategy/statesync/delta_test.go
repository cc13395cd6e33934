package statesync

import (
	"math/bits"
	"slices"
	"testing"

	"ghostcube/net/quant"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestGolomb says that a count of any length reads as it was written, takes what
// countBits says, and is the longer the larger it is; and that no bits are read as
// a number beyond all.
func TestGolomb(t *testing.T) {
	var c quant.Coder
	for k := 0; k <= maxGolombWidth-4; k++ {
		last := 0
		for v := 0; v < 1<<22; v += 1 + v/7 {
			c.BeginWrite(make([]byte, 16))
			codeGolomb(&c, v, k)
			n := c.BitsProcessed()
			if c.Err() != nil || n != golombBits(v, k) || n < last {
				t.Fatalf("%d, length %d: %d bits, %d expected, %d before: %v", v, k, n, golombBits(v, k), last, c.Err())
			}
			last = n
			c.BeginRead(slices.Clone(c.FinishWrite()))
			if got := codeGolomb(&c, 0, k); got != v || c.Err() != nil {
				t.Fatalf("%d, length %d: read as %d: %v", v, k, got, c.Err())
			}
		}
	}
	c.BeginRead(make([]byte, 16))
	if got := codeGolomb(&c, 0, 3); c.Err() == nil || got != 0 {
		t.Errorf("clear bits are read as %d", got)
	}
	for d := -1000; d <= 1000; d++ {
		if v := zigzag(d); v < 0 || v > 2000 || unzigzag(v) != d {
			t.Fatalf("%d becomes %d and %d", d, v, unzigzag(v))
		}
	}
}

// TestParamsAdapt says that whatever is sent, after two dozen packets the
// lengths are those that carry it in the fewest bits, or one beside them.
func TestParamsAdapt(t *testing.T) {
	x := uint32(1)
	for size := range 15 {
		var sum paramTuner
		l := defaultParams
		values := make([]int, 300)
		for i := range values {
			x = x*1664525 + 1013904223
			values[i] = int(x>>8) & (1<<size - 1)
		}
		for range 24 {
			for _, v := range values {
				sum.add(deltaPosition, v, int(l[deltaPosition]), 0)
			}
			sum.adapt(&l)
		}
		best, least := 0, 1<<30
		for k := range 16 {
			n := 0
			for _, v := range values {
				n += golombBits(v, k)
			}
			if n < least {
				best, least = k, n
			}
		}
		if off := int(l[deltaPosition]) - best; off < -1 || off > 1 {
			t.Errorf("numbers of %d bits: a length of %d, the best is %d", size, l[deltaPosition], best)
		}
		if l[deltaRotation] != defaultParams[deltaRotation] {
			t.Errorf("the length of what is not sent becomes %d", l[deltaRotation])
		}
	}
}

// TestPredictor says that a body which is a part of the player's cube is expected
// where it comes to be, moves and turns with it; and one on its own where it flies,
// with the velocity that a constant acceleration gives it.
func TestPredictor(t *testing.T) {
	const seconds = 0.15
	then := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 3, Y: -2, Z: 1}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 0.4)}, Linear: geom.Vec3{X: 2}, Angular: geom.Vec3{Y: 3}}
	now := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 3.4, Y: -2, Z: 1.1}, Rot: geom.AxisAngle(geom.Vec3{Y: 1}, 0.5).Mul(then.Pose.Rot)}, Linear: geom.Vec3{X: 4, Z: 1}, Angular: geom.Vec3{Y: 5, Z: 1}}
	part := func(of *sim.Body) sim.Body {
		b := sim.Body{Pose: geom.Pose{Pos: of.Pose.Pos.Add(of.Pose.Rot.Rotate(geom.Vec3{X: 1, Y: 0.3})), Rot: of.Pose.Rot.Mul(geom.AxisAngle(geom.Vec3{X: 1}, 1))}, Angular: of.Angular}
		b.Linear = pointVelocity(of, b.Pose.Pos)
		return b
	}
	base, want := part(&then), part(&now)
	g := attachedPredictor(&base, &then, &now, seconds)
	p := geom.Pose{Pos: g.pos(), Rot: g.rot(g.pos())}
	if p.Pos.Sub(want.Pose.Pos).Len() > 1e-5 || p.Rot.Mul(want.Pose.Rot.Inverse()).Angle() > 1e-3 {
		t.Errorf("carried: expected at %v, it is at %v", p, want.Pose)
	}
	if v, w := g.linear(p.Pos), g.angular(p, want.Linear); v.Sub(want.Linear).Len() > 1e-3 || w.Sub(want.Angular).Len() > 1e-2 {
		t.Errorf("carried: expected to move by %v and %v, it moves by %v and %v", v, w, want.Linear, want.Angular)
	}
	base = sim.Body{Pose: geom.Pose{Rot: geom.Identity}, Linear: geom.Vec3{X: 3, Z: 1}}
	g = freePredictor(&base, seconds)
	if at := g.pos(); at.Sub(geom.Vec3{X: 0.45, Z: 0.15}).Len() > 1e-5 {
		t.Errorf("alone: expected at %v", at)
	}
	fallen := g.pos().SubScaled(0.5*9.81*seconds*seconds, geom.Vec3{Z: 1})
	if v := g.linear(fallen); v.Sub(geom.Vec3{X: 3, Z: 1 - 9.81*seconds}).Len() > 1e-3 {
		t.Errorf("alone: what falls is expected to move by %v", v)
	}
}

// fakeBaselines is a player's cube and what is known of it and of body 1.
type fakeBaselines struct {
	states [2]sim.Body
	tick   sim.Tick
	known  bool
}

func (p *fakeBaselines) baseline(body int, _ sim.Tick, _ uint32) (*sim.Body, sim.Tick) {
	if !p.known || body > 1 {
		return nil, 0
	}
	return &p.states[body], p.tick
}

func (p *fakeBaselines) playerAt(i int, t sim.Tick) *sim.Body {
	if !p.known || i != 0 || t != p.tick {
		return nil
	}
	return &p.states[0]
}

// TestEncodings holds every way to write an update against bodies that differ from what
// is known by anything from nothing to ten metres: what is read is what was sent, to
// the bit; and a reader that does not know the base loses what depends on it, and
// reads what follows.
func TestEncodings(t *testing.T) {
	sc := mustScene(t, "katamari:cubes=4")
	x := uint32(1)
	next := func(scale float32) float32 {
		x = x*1664525 + 1013904223
		return scale * (float32(int32(x)) / (1 << 31))
	}
	vec := func(scale float32) geom.Vec3 { return geom.Vec3{X: next(scale), Y: next(scale), Z: next(scale)} }
	for i := range 20_000 {
		f := format{velocities: i%5 != 0, quantised: true, positionSteps: i % 4, rotationBits: maxRotationBits - i%7, relative: true, delta: true}
		size := []float32{0, 0.001, 0.01, 0.1, 1, 10}[i%6]
		known := fakeBaselines{tick: 490, known: true}
		var now [2]sim.Body
		for j := range known.states {
			known.states[j] = f.roundTrip(sim.Body{
				Pose:   geom.Pose{Pos: geom.Vec3{X: next(200), Y: next(200), Z: 16 + next(15)}, Rot: geom.AxisAngle(geom.Vec3{X: 1}, next(3))},
				Linear: vec(size), Angular: vec(size),
			})
			now[j] = known.states[j]
			now[j].Pose.Pos = now[j].Pose.Pos.Add(vec(size))
			now[j].Pose.Rot = geom.AxisAngle(vec(1).Unit(), next(min(size, 3))).Mul(now[j].Pose.Rot).Unit()
			now[j].Linear, now[j].Angular = now[j].Linear.Add(vec(size)), now[j].Angular.Add(vec(size))
			now[j] = f.roundTrip(now[j])
		}
		for _, way := range []uint8{attachedDelta, initialState, zeroDelta, tumblingDelta, freeDelta, playerRelative, absolute} {
			m := message{tick: 500, players: 1, ackAge: 3, ackBits: 1<<32 - 1, updateCount: 3, rate: 60, format: f, baselines: &known, params: defaultParams}
			m.updates[0] = update{body: 0, state: now[0], encoding: freeDelta}
			body := now[1]
			body.Asleep = way > freeDelta && i%3 == 0 || way == freeDelta && i%3 == 1
			body = f.roundTrip(body)
			switch way {
			case initialState:
				body = f.roundTrip(sc.Boxes[1].Start)
			case zeroDelta:
				a := extrapolate(&known.states[1], 10/float32(60))
				body = f.roundTrip(a)
			case attachedDelta, tumblingDelta:
				u := update{body: 1, encoding: way}
				g, _ := m.predictor(&u)
				if (largestComponent(g.rot(body.Pose.Pos)) != f.quantise(&body).rot.Largest) != (way == tumblingDelta) {
					continue
				}
			}
			m.updates[1] = update{body: 1, state: body, encoding: way}
			m.updates[2] = update{body: 3, state: f.roundTrip(sc.Boxes[3].Start), encoding: initialState}
			var c quant.Coder
			c.BeginWrite(make([]byte, maxBytes))
			m.code(&c, &sc)
			data := slices.Clone(c.FinishWrite())
			for _, knows := range []bool{true, false} {
				known.known = knows
				o := message{rate: 60, baselines: &known}
				if err := o.read(&c, data, &sc, 450); err != nil {
					t.Fatalf("way %d, %v: %v", way, knows, err)
				}
				u, lost := &o.updates[1], !knows && way != initialState && way != absolute
				if u.encoding != way || u.missingBaseline != lost || !lost && u.state != body {
					t.Fatalf("way %d, %v: %+v was sent, %+v read", way, knows, body, u)
				}
				if last := &o.updates[2]; last.missingBaseline || last.state != m.updates[2].state {
					t.Fatalf("way %d, %v: after it %+v was sent, %+v read", way, knows, m.updates[2], last)
				}
			}
			known.known = true
		}
	}
}

// TestBitsMatchEstimate says that a packet of differences takes what was reckoned for it
// when its bodies were chosen, in whatever order they came, and not one that does
// not fit.
func TestBitsMatchEstimate(t *testing.T) {
	for _, level := range []string{"relative", "delta"} {
		r := newRig(t, "katamari:cubes=200", "latency=50ms,loss=10%", "compression", level)
		r.input = drivePulling
		r.run(300)
		for range 300 {
			r.run(1)
			m, p := r.s.scratch.message, &r.s.senders[0]
			m.tuner, m.baselines = nil, p
			m.params = p.state.params // of the next one
			size := func() int {
				p.scratch.coder.BeginMeasure()
				m.code(&p.scratch.coder, r.env[1].World.Scene())
				return p.scratch.coder.BitsProcessed()
			}
			m.updateCount = 0
			head := size()
			const most = 2000
			promised := p.chooseUpdates(&m, r.env[1].World, most, unowned)
			if n := size() - head; n != promised || n > most || m.updateCount < maxUpdates && n < most-300 {
				t.Fatalf("%s: %d updates in %d bits, %d promised, of %d", level, m.updateCount, n, promised, most)
			}
		}
	}
}

// TestAckBits says that whatever has not come is told, and that what has come is
// told in few bits.
func TestAckBits(t *testing.T) {
	for i := range uint32(32) {
		for _, heard := range []uint32{1<<32 - 1, 1, 1 << i, ^(1 << i), 0x8421_0f0f << (i / 2)} {
			m := message{ackBits: heard | 1}
			var c quant.Coder
			c.BeginWrite(make([]byte, 32))
			m.codeAckBits(&c)
			n := c.BitsProcessed()
			c.BeginRead(slices.Clone(c.FinishWrite()))
			o := message{}
			if o.codeAckBits(&c); o.ackBits != heard|1 || c.Err() != nil {
				t.Fatalf("%x becomes %x: %v", heard|1, o.ackBits, c.Err())
			}
			if most := 7 + 6*bits.OnesCount32(^heard); n > most {
				t.Errorf("%x takes %d bits", heard, n)
			}
		}
	}
}

// TestDeltaBitBreakdown says that of the bodies that a player carries the velocities take
// more than half of the bits, and all of it less than three quarters of a whole
// state. With -v it prints the bits of each field.
func TestDeltaBitBreakdown(t *testing.T) {
	r := newRig(t, "katamari", "latency=50ms,loss=5%", "compression", "delta")
	r.input = drivePulling
	r.run(900)
	sums, n := map[string]float64{}, 0.0
	for range 300 {
		r.run(1)
		m := r.s.scratch.message
		m.tuner = nil
		var c quant.Coder
		c.OnField(func(f quant.Field) {
			if f.Group == "updates" && m.updates[f.Index].encoding == attachedDelta {
				sums[f.Name] += float64(f.Bits)
			}
		})
		c.BeginMeasure()
		m.code(&c, r.env[1].World.Scene())
		for _, u := range m.updates[:m.updateCount] {
			if u.encoding == attachedDelta {
				n++
			}
		}
	}
	all := 0.0
	for _, name := range []string{"body", "encoding", "position", "rotation", "linear", "angular"} {
		t.Logf("%-8s %5.1f", name, sums[name]/n)
		all += sums[name] / n
	}
	f := format{rotationBits: maxRotationBits, quantised: true, velocities: true}
	if whole := float64(f.bodyBits(false) + plainIndexBits(r.env[1].World.Scene())); n < 3000 || all > 0.75*whole || sums["linear"]+sums["angular"] < 0.5*n*all {
		t.Errorf("%v updates of %v bits; whole ones have %v: %v", n, all, whole, sums)
	}
}
