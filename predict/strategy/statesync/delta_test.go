package statesync

import (
	"math/bits"
	"slices"
	"testing"

	"ghostcube/net/quant"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestCount says that a count of any length reads as it was written, takes what
// countBits says, and is the longer the larger it is; and that no bits are read as
// a number beyond all.
func TestCount(t *testing.T) {
	var c quant.Coder
	for k := 0; k <= longest-4; k++ {
		last := 0
		for v := 0; v < 1<<22; v += 1 + v/7 {
			c.Write(make([]byte, 16))
			count(&c, v, k)
			n := c.Processed()
			if c.Err() != nil || n != countBits(v, k) || n < last {
				t.Fatalf("%d, length %d: %d bits, %d expected, %d before: %v", v, k, n, countBits(v, k), last, c.Err())
			}
			last = n
			c.Read(slices.Clone(c.Data()))
			if got := count(&c, 0, k); got != v || c.Err() != nil {
				t.Fatalf("%d, length %d: read as %d: %v", v, k, got, c.Err())
			}
		}
	}
	c.Read(make([]byte, 16))
	if got := count(&c, 0, 3); c.Err() == nil || got != 0 {
		t.Errorf("clear bits are read as %d", got)
	}
	for d := -1000; d <= 1000; d++ {
		if v := folded(d); v < 0 || v > 2000 || unfolded(v) != d {
			t.Fatalf("%d becomes %d and %d", d, v, unfolded(v))
		}
	}
}

// TestLengthsFollow says that whatever is sent, after two dozen packets the
// lengths are those that carry it in the fewest bits, or one beside them.
func TestLengthsFollow(t *testing.T) {
	x := uint32(1)
	for size := range 15 {
		var sum tally
		l := usual
		values := make([]int, 300)
		for i := range values {
			x = x*1664525 + 1013904223
			values[i] = int(x>>8) & (1<<size - 1)
		}
		for range 24 {
			for _, v := range values {
				sum.add(basedPos, v, int(l[basedPos]), 0)
			}
			sum.settle(&l)
		}
		best, least := 0, 1<<30
		for k := range 16 {
			n := 0
			for _, v := range values {
				n += countBits(v, k)
			}
			if n < least {
				best, least = k, n
			}
		}
		if off := int(l[basedPos]) - best; off < -1 || off > 1 {
			t.Errorf("numbers of %d bits: a length of %d, the best is %d", size, l[basedPos], best)
		}
		if l[basedRot] != usual[basedRot] {
			t.Errorf("the length of what is not sent becomes %d", l[basedRot])
		}
	}
}

// TestGuesses says that a body which is a part of the player's cube is expected
// where it comes to be, moves and turns with it; and one on its own where it flies,
// with the velocity that a constant acceleration gives it.
func TestGuesses(t *testing.T) {
	const seconds = 0.15
	then := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 3, Y: -2, Z: 1}, Rot: geom.Turn(geom.Vec3{Z: 1}, 0.4)}, Linear: geom.Vec3{X: 2}, Angular: geom.Vec3{Y: 3}}
	now := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 3.4, Y: -2, Z: 1.1}, Rot: geom.Turn(geom.Vec3{Y: 1}, 0.5).Mul(then.Pose.Rot)}, Linear: geom.Vec3{X: 4, Z: 1}, Angular: geom.Vec3{Y: 5, Z: 1}}
	part := func(of *sim.Body) sim.Body {
		b := sim.Body{Pose: geom.Pose{Pos: of.Pose.Pos.Add(of.Pose.Rot.Rotate(geom.Vec3{X: 1, Y: 0.3})), Rot: of.Pose.Rot.Mul(geom.Turn(geom.Vec3{X: 1}, 1))}, Angular: of.Angular}
		b.Linear = fixed(of, b.Pose.Pos)
		return b
	}
	base, want := part(&then), part(&now)
	g := carriedBy(&base, &then, &now, seconds)
	p := geom.Pose{Pos: g.pos(), Rot: g.rot(g.pos())}
	if p.Pos.Sub(want.Pose.Pos).Len() > 1e-5 || p.Rot.Mul(want.Pose.Rot.Inverse()).Angle() > 1e-3 {
		t.Errorf("carried: expected at %v, it is at %v", p, want.Pose)
	}
	if v, w := g.linear(p.Pos), g.angular(p, want.Linear); v.Sub(want.Linear).Len() > 1e-3 || w.Sub(want.Angular).Len() > 1e-2 {
		t.Errorf("carried: expected to move by %v and %v, it moves by %v and %v", v, w, want.Linear, want.Angular)
	}
	base = sim.Body{Pose: geom.Pose{Rot: geom.Identity}, Linear: geom.Vec3{X: 3, Z: 1}}
	g = alone(&base, seconds)
	if at := g.pos(); at.Sub(geom.Vec3{X: 0.45, Z: 0.15}).Len() > 1e-5 {
		t.Errorf("alone: expected at %v", at)
	}
	fallen := g.pos().Minus(0.5*9.81*seconds*seconds, geom.Vec3{Z: 1})
	if v := g.linear(fallen); v.Sub(geom.Vec3{X: 3, Z: 1 - 9.81*seconds}).Len() > 1e-3 {
		t.Errorf("alone: what falls is expected to move by %v", v)
	}
}

// pair is a player's cube and what is known of it and of body 1.
type pair struct {
	then  [2]sim.Body
	tick  sim.Tick
	knows bool
}

func (p *pair) base(body int, _ sim.Tick, _ uint32) (*sim.Body, sim.Tick) {
	if !p.knows || body > 1 {
		return nil, 0
	}
	return &p.then[body], p.tick
}

func (p *pair) player(i int, t sim.Tick) *sim.Body {
	if !p.knows || i != 0 || t != p.tick {
		return nil
	}
	return &p.then[0]
}

// TestWays holds every way to write an update against bodies that differ from what
// is known by anything from nothing to ten metres: what is read is what was sent, to
// the bit; and a reader that does not know the base loses what depends on it, and
// reads what follows.
func TestWays(t *testing.T) {
	sc := named(t, "katamari:cubes=4")
	x := uint32(1)
	next := func(scale float32) float32 {
		x = x*1664525 + 1013904223
		return scale * (float32(int32(x)) / (1 << 31))
	}
	vec := func(scale float32) geom.Vec3 { return geom.Vec3{X: next(scale), Y: next(scale), Z: next(scale)} }
	for i := range 20_000 {
		f := form{velocities: i%5 != 0, quantised: true, coarse: i % 4, rotation: finest - i%7, relative: true, delta: true}
		size := []float32{0, 0.001, 0.01, 0.1, 1, 10}[i%6]
		known := pair{tick: 490, knows: true}
		var now [2]sim.Body
		for j := range known.then {
			known.then[j] = f.arrives(sim.Body{
				Pose:   geom.Pose{Pos: geom.Vec3{X: next(200), Y: next(200), Z: 16 + next(15)}, Rot: geom.Turn(geom.Vec3{X: 1}, next(3))},
				Linear: vec(size), Angular: vec(size),
			})
			now[j] = known.then[j]
			now[j].Pose.Pos = now[j].Pose.Pos.Add(vec(size))
			now[j].Pose.Rot = geom.Turn(vec(1).Unit(), next(min(size, 3))).Mul(now[j].Pose.Rot).Unit()
			now[j].Linear, now[j].Angular = now[j].Linear.Add(vec(size)), now[j].Angular.Add(vec(size))
			now[j] = f.arrives(now[j])
		}
		for _, way := range []uint8{carried, initial, expected, tumbled, free, near, whole} {
			m := message{tick: 500, players: 1, back: 3, heard: 1<<32 - 1, n: 3, rate: 60, form: f, bases: &known, lengths: usual}
			m.updates[0] = update{body: 0, state: now[0], kind: free}
			body := now[1]
			body.Asleep = way > free && i%3 == 0 || way == free && i%3 == 1
			body = f.arrives(body)
			switch way {
			case initial:
				body = f.arrives(sc.Boxes[1].Start)
			case expected:
				a := ahead(&known.then[1], 10/float32(60))
				body = f.arrives(a)
			case carried, tumbled:
				u := update{body: 1, kind: way}
				g, _ := m.guess(&u)
				if (largest(g.rot(body.Pose.Pos)) != f.numbers(&body).rot.Largest) != (way == tumbled) {
					continue
				}
			}
			m.updates[1] = update{body: 1, state: body, kind: way}
			m.updates[2] = update{body: 3, state: f.arrives(sc.Boxes[3].Start), kind: initial}
			var c quant.Coder
			c.Write(make([]byte, mostBytes))
			m.code(&c, &sc)
			data := slices.Clone(c.Data())
			for _, knows := range []bool{true, false} {
				known.knows = knows
				o := message{rate: 60, bases: &known}
				if err := o.read(&c, data, &sc, 450); err != nil {
					t.Fatalf("way %d, %v: %v", way, knows, err)
				}
				u, lost := &o.updates[1], !knows && way != initial && way != whole
				if u.kind != way || u.lost != lost || !lost && u.state != body {
					t.Fatalf("way %d, %v: %+v was sent, %+v read", way, knows, body, u)
				}
				if last := &o.updates[2]; last.lost || last.state != m.updates[2].state {
					t.Fatalf("way %d, %v: after it %+v was sent, %+v read", way, knows, m.updates[2], last)
				}
			}
			known.knows = true
		}
	}
}

// TestPromisedBits says that a packet of differences takes what was reckoned for it
// when its bodies were chosen, in whatever order they came, and not one that does
// not fit.
func TestPromisedBits(t *testing.T) {
	for _, level := range []string{"relative", "delta"} {
		r := newRig(t, "katamari:cubes=200", "latency=50ms,loss=10%", "level", level)
		r.input = gather
		r.run(300)
		for range 300 {
			r.run(1)
			m, p := r.s.message, &r.s.peers[0]
			m.tally, m.bases = nil, p
			m.lengths = p.lengths // of the next one
			size := func() int {
				p.coder.Measure()
				m.code(&p.coder, r.env[1].World.Scene())
				return p.coder.Processed()
			}
			m.n = 0
			head := size()
			const most = 2000
			promised := p.choose(&m, r.env[1].World, most, nobody)
			if n := size() - head; n != promised || n > most || m.n < mostUpdates && n < most-300 {
				t.Fatalf("%s: %d updates in %d bits, %d promised, of %d", level, m.n, n, promised, most)
			}
		}
	}
}

// TestUnheard says that whatever has not come is told, and that what has come is
// told in few bits.
func TestUnheard(t *testing.T) {
	for i := range uint32(32) {
		for _, heard := range []uint32{1<<32 - 1, 1, 1 << i, ^(1 << i), 0x8421_0f0f << (i / 2)} {
			m := message{heard: heard | 1}
			var c quant.Coder
			c.Write(make([]byte, 32))
			m.unheard(&c)
			n := c.Processed()
			c.Read(slices.Clone(c.Data()))
			o := message{}
			if o.unheard(&c); o.heard != heard|1 || c.Err() != nil {
				t.Fatalf("%x becomes %x: %v", heard|1, o.heard, c.Err())
			}
			if most := 7 + 6*bits.OnesCount32(^heard); n > most {
				t.Errorf("%x takes %d bits", heard, n)
			}
		}
	}
}

// TestWhereBitsGo says that of the bodies that a player carries the velocities take
// more than half of the bits, and all of it less than three quarters of a whole
// state. With -v it prints the bits of each field.
func TestWhereBitsGo(t *testing.T) {
	r := newRig(t, "katamari", "latency=50ms,loss=5%", "level", "delta")
	r.input = gather
	r.run(900)
	sums, n := map[string]float64{}, 0.0
	for range 300 {
		r.run(1)
		m := r.s.message
		m.tally = nil
		var c quant.Coder
		c.Watch(func(f quant.Field) {
			if f.Part == "updates" && m.updates[f.Index].kind == carried {
				sums[f.Name] += float64(f.Bits)
			}
		})
		c.Measure()
		m.code(&c, r.env[1].World.Scene())
		for _, u := range m.updates[:m.n] {
			if u.kind == carried {
				n++
			}
		}
	}
	all := 0.0
	for _, name := range []string{"body", "way", "position", "rotation", "linear", "angular"} {
		t.Logf("%-8s %5.1f", name, sums[name]/n)
		all += sums[name] / n
	}
	f := form{rotation: finest, quantised: true, velocities: true}
	if whole := float64(f.bits(false) + numberBits(r.env[1].World.Scene())); n < 3000 || all > 0.75*whole || sums["linear"]+sums["angular"] < 0.5*n*all {
		t.Errorf("%v updates of %v bits; whole ones have %v: %v", n, all, whole, sums)
	}
}
