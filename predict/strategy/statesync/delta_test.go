package statesync

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/quant"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestPredictor checks that a body that is a part of the player's cube is predicted to move and
// turn with it, and a free one to fly on, with the velocity of a constant acceleration.
func TestPredictor(t *testing.T) {
	const seconds = 0.15
	then := sim.Body{
		Pose:    geom.Pose{Pos: geom.Vec3{X: 3, Y: -2, Z: 1}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 0.4)},
		Linear:  geom.Vec3{X: 2},
		Angular: geom.Vec3{Y: 3},
	}
	turned := geom.AxisAngle(geom.Vec3{Y: 1}, 0.5).Mul(then.Pose.Rot)
	now := sim.Body{
		Pose:    geom.Pose{Pos: geom.Vec3{X: 3.4, Y: -2, Z: 1.1}, Rot: turned},
		Linear:  geom.Vec3{X: 4, Z: 1},
		Angular: geom.Vec3{Y: 5, Z: 1},
	}
	part := func(of *sim.Body) sim.Body {
		b := sim.Body{Angular: of.Angular}
		b.Pose.Pos = of.Pose.Pos.Add(of.Pose.Rot.Rotate(geom.Vec3{X: 1, Y: 0.3}))
		b.Pose.Rot = of.Pose.Rot.Mul(geom.AxisAngle(geom.Vec3{X: 1}, 1))
		b.Linear = pointVelocity(of, b.Pose.Pos)
		return b
	}
	base, want := part(&then), part(&now)
	g := attachedPredictor(&base, &then, &now, seconds)
	p := geom.Pose{Pos: g.pos(), Rot: g.rot(g.pos())}
	if p.Pos.Sub(want.Pose.Pos).Len() > 1e-5 || p.Rot.Mul(want.Pose.Rot.Inverse()).Angle() > 1e-3 {
		t.Errorf("attached: predicted pose %v, want %v", p, want.Pose)
	}
	if v, w := g.linear(p.Pos), g.angular(p, want.Linear); v.Sub(want.Linear).Len() > 1e-3 || w.Sub(want.Angular).Len() > 1e-2 {
		t.Errorf("attached: predicted velocities %v and %v, want %v and %v", v, w, want.Linear, want.Angular)
	}
	base = sim.Body{Pose: geom.Pose{Rot: geom.Identity}, Linear: geom.Vec3{X: 3, Z: 1}}
	g = freePredictor(&base, seconds)
	if at := g.pos(); at.Sub(geom.Vec3{X: 0.45, Z: 0.15}).Len() > 1e-5 {
		t.Errorf("free: predicted pose %v", at)
	}
	fallen := g.pos().SubScaled(0.5*9.81*seconds*seconds, geom.Vec3{Z: 1})
	if v := g.linear(fallen); v.Sub(geom.Vec3{X: 3, Z: 1 - 9.81*seconds}).Len() > 1e-3 {
		t.Errorf("free: the predicted velocity of a falling body is %v", v)
	}
}

// fakeBaselines are the baselines of a player's cube and of body 1.
type fakeBaselines struct {
	states [2]sim.Body
	tick   sim.Tick
	known  bool
}

func (f *fakeBaselines) baseline(body int, _ sim.Tick, _ uint32) (*sim.Body, sim.Tick) {
	if !f.known || body > 1 {
		return nil, 0
	}
	return &f.states[body], f.tick
}

func (f *fakeBaselines) baselineAt(body int, t sim.Tick) *sim.Body {
	if !f.known || body > 1 || t != f.tick {
		return nil
	}
	return &f.states[body]
}

func (f *fakeBaselines) playerAt(i int, t sim.Tick) *sim.Body {
	if !f.known || i != 0 || t != f.tick {
		return nil
	}
	return &f.states[0]
}

// TestEncodings checks every encoding with bodies that differ from their baselines by nothing up to
// ten metres: the states are read exactly as sent; and a reader without the baselines loses only
// the updates that depend on them.
func TestEncodings(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	sc := predicttest.Scene(t, "katamari:cubes=4")
	x := uint32(1)
	next := func(scale float32) float32 {
		x = x*1664525 + 1013904223
		return scale * (float32(int32(x)) / (1 << 31))
	}
	vec := func(scale float32) geom.Vec3 { return geom.Vec3{X: next(scale), Y: next(scale), Z: next(scale)} }
	rounds := experiment.Pick(2_520, 10_080, 20_160) // 2,520 have six of every combination of format and size
	for i := range rounds {
		f := format{velocities: i%5 != 0, quantised: true, positionSteps: i % 4, rotationBits: maxRotationBits - i%7, relative: true, delta: true, deltaBase: i % 3}
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
		for _, encoding := range []uint8{attachedDelta, initialState, zeroDelta, tumblingDelta, freeDelta, playerRelative, absolute} {
			m := message{
				tick: 500, players: 1, ackAge: 3, ackBits: 1<<32 - 1, updateCount: 3, format: f, params: defaultParams,
				codingScratch: codingScratch{rate: 60, baselines: &known},
			}
			m.updates[0] = update{body: 0, state: now[0], encoding: freeDelta, baseTick: known.tick}
			body := now[1]
			body.Asleep = encoding > freeDelta && i%3 == 0 || encoding == freeDelta && i%3 == 1
			body = f.roundTrip(body)
			switch encoding {
			case initialState:
				body = f.roundTrip(sc.Boxes[1].Start)
			case zeroDelta:
				a := extrapolate(&known.states[1], 10/float32(60))
				body = f.roundTrip(a)
			case attachedDelta, tumblingDelta:
				u := update{body: 1, encoding: encoding, baseTick: known.tick}
				g, _ := m.predictor(&u)
				if (largestComponent(g.rot(body.Pose.Pos)) != f.quantise(&body).rot.Largest) != (encoding == tumblingDelta) {
					continue
				}
			}
			m.updates[1] = update{body: 1, state: body, encoding: encoding, baseTick: known.tick}
			m.updates[2] = update{body: 3, state: f.roundTrip(sc.Boxes[3].Start), encoding: initialState}
			var c quant.Coder
			c.BeginWrite(make([]byte, maxBytes))
			m.code(&c, &sc)
			data := slices.Clone(c.FinishWrite())
			for _, hasBaseline := range []bool{true, false} {
				known.known = hasBaseline
				o := message{codingScratch: codingScratch{rate: 60, baselines: &known}}
				if err := o.read(&c, data, &sc, 450); err != nil {
					t.Fatalf("encoding %d, baseline known %v: %v", encoding, hasBaseline, err)
				}
				u, lost := &o.updates[1], !hasBaseline && encoding != initialState && encoding != absolute
				if u.encoding != encoding || u.missingBaseline != lost || !lost && u.state != body {
					t.Fatalf("encoding %d, baseline known %v: %+v is read as %+v", encoding, hasBaseline, body, u)
				}
				if last := &o.updates[2]; last.missingBaseline || last.state != m.updates[2].state {
					t.Fatalf("encoding %d, baseline known %v: the next update %+v is read as %+v", encoding, hasBaseline, m.updates[2], last)
				}
			}
			known.known = true
		}
	}
}

// compression returns the knobs of a level of compression, which a delta base may follow.
func compression(level string) []string {
	level, base, _ := strings.Cut(level, " ")
	if base == "" {
		base = deltaBases[ackedBase]
	}
	return []string{"compression", level, "delta-base", base}
}

// TestBitsMatchEstimate checks that a packet takes as many bits as chooseUpdates estimates, in
// whatever order the bodies were chosen, and no more than available.
func TestBitsMatchEstimate(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	ticks := 300
	if experiment.Brief() {
		ticks = 100
	}
	for _, level := range []string{"relative", "delta", "delta offset", "delta sequence"} {
		r := newRig(t, "katamari:cubes=200", "latency=50ms,loss=10%", compression(level)...)
		r.input = drivePulling
		r.run(300)
		for range ticks {
			r.run(1)
			m, p := r.s.scratch.message, &r.s.senders[0]
			m.tuner, m.baselines = nil, p
			m.params = p.state.params // of the next packet
			size := func() int {
				p.scratch.coder.BeginMeasure()
				m.code(&p.scratch.coder, r.ServerWorld().Scene())
				return p.scratch.coder.BitsProcessed()
			}
			m.updateCount = 0
			headerBits := size()
			const available = 2000
			estimated := p.chooseUpdates(&m, r.ServerWorld(), available, unowned)
			if n := size() - headerBits; n != estimated || n > available || m.updateCount < maxUpdates && n < available-300 {
				t.Fatalf("%s: %d updates take %d bits, estimated %d, available %d", level, m.updateCount, n, estimated, available)
			}
		}
	}
}

// TestDeltaBases checks that a delta that names its baseline's packet by 5 bits reaches back 31 ticks
// from the newest acknowledged packet, one that names it by 16 bits farther, at the cost of 11 bits
// more; and that with little bandwidth more updates of the first kind are sent whole, because their
// baselines are too old.
func TestDeltaBases(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	var fallbacks, oldest [2]int
	for i, base := range []string{"offset", "sequence"} {
		r := newRig(t, "katamari:cubes=200", "latency=50ms,loss=5%", append(compression("delta "+base), "budget", "48", "congestion", "off")...)
		r.input = drivePulling
		for range 600 {
			r.run(1)
			m := &r.s.scratch.message
			acked := m.tick - sim.Tick(m.ackAge)
			for j := range m.updates[:m.updateCount] {
				if u := &m.updates[j]; u.isDelta() && acked > u.baseTick {
					oldest[i] = max(oldest[i], int(acked-u.baseTick))
				}
			}
		}
		fallbacks[i] = int(r.Counter("absolute_fallbacks"))
		if n := r.Counter("missing_baselines"); n > 0 {
			t.Errorf("%s: %v updates lack their baseline", base, n)
		}
	}
	if oldest[0] < maxAckOffset/2 || oldest[0] > maxAckOffset || oldest[1] <= maxAckOffset || oldest[1] > maxBaselineAge {
		t.Errorf("baselines of up to %v ticks before the newest acknowledged packet", oldest)
	}
	if fallbacks[1] == 0 || fallbacks[0] < 2*fallbacks[1] {
		t.Errorf("%v updates are sent whole because their baselines are too old", fallbacks)
	}
	size := func(base int) int {
		m := message{tick: 500, ackAge: 3, format: format{deltaBase: base}}
		var c quant.Coder
		c.BeginMeasure()
		m.codeBase(&c, &update{baseTick: 470})
		return c.BitsProcessed()
	}
	if got := [3]int{size(ackedBase), size(offsetBase), size(sequenceBase)}; got != [3]int{0, 5, 16} {
		t.Errorf("a baseline takes %v bits", got)
	}
}

// TestPlayerRelative checks which states are sent relative to a player's cube, by the knob
// player-relative: none, all, or only those that are shorter that way; and that of several players
// an untouched body is relative to the nearest one.
func TestPlayerRelative(t *testing.T) {
	t.Parallel()
	for i, want := range [][3]uint8{
		relativeNever:   {absolute, absolute, absolute},
		relativeAlways:  {playerRelative, playerRelative, playerRelative},
		relativeShorter: {playerRelative, absolute, playerRelative},
	} {
		r := newRig(t, "katamari:cubes=20:players=2", "latency=50ms", "compression", "relative", "player-relative", relativeModes[i])
		r.run(2)
		w, m, p := r.ServerWorld(), r.s.scratch.message, &r.s.senders[0]
		m.tuner, m.updateCount, m.relativeMode = nil, 0, r.s.settings.policy.relativeMode
		at := func(body int, x, speed float32) {
			b := w.Bodies()[body]
			v := geom.Vec3{X: speed, Y: -speed, Z: speed}
			b.Pose.Pos, b.Linear, b.Angular, b.Asleep = geom.Vec3{X: x, Y: 1, Z: 3}, v, v, false
			w.SetBody(body, b)
		}
		at(0, -100, 0)
		at(1, 100, 0)
		near, far, other := 5, 6, 7
		at(near, -101, 0.1)
		at(far, 250, 14)
		at(other, 99, 0.1)
		for j := range p.bodies {
			p.bodies[j].priority = int64(100 - j)
		}
		p.chooseUpdates(&m, w, 10_000, unowned)
		got := [3]uint8{m.find(near).encoding, m.find(far).encoding, m.find(other).encoding}
		if got != want {
			t.Errorf("%s: encodings %v, want %v", relativeModes[i], got, want)
		}
		if i > relativeNever && (m.find(near).player != 0 || m.find(other).player != 1) {
			t.Errorf("%s: relative to players %d and %d", relativeModes[i], m.find(near).player, m.find(other).player)
		}
		shorter := m.format.wholeBits(false) - p.updateBits(m.find(far), &m, w.Scene())
		if i == relativeAlways && (shorter >= 0 || p.scratch.relativeSaved <= shorter) {
			t.Errorf("the far body's update is %d bits shorter, all together %d", shorter, p.scratch.relativeSaved)
		}
	}
}

// TestAckBits checks that any acknowledgements survive a round trip, and that few missing packets
// take few bits.
func TestAckBits(t *testing.T) {
	for i := range uint32(32) {
		for _, acked := range []uint32{1<<32 - 1, 1, 1 << i, ^(1 << i), 0x8421_0f0f << (i / 2)} {
			m := message{ackBits: acked | 1}
			var c quant.Coder
			c.BeginWrite(make([]byte, 32))
			m.codeAckBits(&c)
			n := c.BitsProcessed()
			c.BeginRead(slices.Clone(c.FinishWrite()))
			o := message{}
			if o.codeAckBits(&c); o.ackBits != acked|1 || c.Err() != nil {
				t.Fatalf("%x is read as %x: %v", acked|1, o.ackBits, c.Err())
			}
			if maxBits := 7 + 6*bits.OnesCount32(^acked); n > maxBits {
				t.Errorf("%x takes %d bits", acked, n)
			}
		}
	}
}

// TestDeltaBitBreakdown checks that of the bodies attached to a player the velocities take more
// than half of the bits, and a whole update less than three quarters of an absolute one. With -v it
// prints the bits of each field.
func TestDeltaBitBreakdown(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	r := newRig(t, "katamari", "latency=50ms,loss=5%", "compression", "delta")
	r.input = drivePulling
	before, measured := 900, 300 // ticks
	if experiment.Brief() {
		before, measured = 600, 100
	}
	r.run(before)
	sums, n := map[string]float64{}, 0.0
	for range measured {
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
		m.code(&c, r.ServerWorld().Scene())
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
	whole := float64(f.bodyBits(false) + plainIndexBits(r.ServerWorld().Scene()))
	if int(n) < 10*measured || all > 0.75*whole || sums["linear"]+sums["angular"] < 0.5*n*all {
		t.Errorf("%v updates of %v bits; absolute ones have %v: %v", n, all, whole, sums)
	}
}

// TestAnyLossDecodes checks that under loss, delay, duplication and reordering every received
// message decodes to exactly the states that were sent, and never lacks a baseline; that most
// moving bodies are sent as deltas; and that every encoding is used.
func TestAnyLossDecodes(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	networks := []string{"perfect", "latency=50ms,loss=40%", "latency=80ms,jitter=80ms,reorder=20%,reorder-delay=200ms,duplicate=10%",
		"latency=100ms,outage=400ms,outage-every=1s", "latency=300ms,jitter=300ms,loss=5%"}
	ticks := 900
	if experiment.Brief() {
		ticks = 600
	}
	for k, level := range append(slices.Clone(levels), "delta offset", "delta sequence") {
		for i, network := range networks {
			if experiment.Brief() && i != 1+k%4 && (level != "delta" || i != 2) { // each form over one bad network, delta over two
				continue
			}
			if !experiment.Long() && (i+k)%2 != 0 && level != "delta" {
				continue
			}
			r := newRig(t, "katamari:cubes=120", network, append(compression(level), "budget", "192", "congestion", "off")...)
			r.Network.Seed, r.input = uint64(i+1), drivePulling
			var sent [historyTicks]message
			compared, based := 0, 0
			var counts [absolute + 1]int
			var got [historyTicks]sim.Tick
			for range ticks {
				r.run(1)
				m := &r.s.scratch.message
				sent[m.tick%historyTicks].copyFrom(m)
				for at := range sim.Tick(historyTicks) {
					o := &sent[at]
					c := r.c.packets.Find(o.tick)
					if c == nil || got[at] == o.tick || o.tick == 0 {
						continue
					}
					got[at] = o.tick
					if c.updateCount != o.updateCount || c.format != o.format {
						t.Fatalf("%s, %s: tick %d: %d updates, %d sent", level, network, o.tick, c.updateCount, o.updateCount)
					}
					for j := range o.updates[:o.updateCount] {
						a, b := &o.updates[j], &c.updates[j]
						if want := o.format.roundTrip(a.state); a.body != b.body || want != b.state || a.encoding != b.encoding || b.missingBaseline {
							t.Fatalf("%s, %s: tick %d: body %d is sent as %+v and read as %+v", level, network, o.tick, a.body, want, b)
						}
						compared++
						counts[b.encoding]++
						if b.isDelta() {
							based++
						}
					}
				}
			}
			if compared < 4000*ticks/900 {
				t.Errorf("%s, %s: %d updates compared", level, network, compared)
			}
			for encoding, n := range counts {
				if level == "delta" && i == 1 && n == 0 && encoding != absolute {
					t.Errorf("%s, %s: no update has encoding %d", level, network, encoding)
				}
			}
			share := float64(based) / float64(compared-counts[initialState])
			tooFew, unwanted := level == "delta" && i == 1 && share < 0.5, !strings.HasPrefix(level, "delta") && based > 0
			if tooFew || unwanted {
				t.Errorf("%s, %s: a share of %v of the updates are deltas", level, network, share)
			}
		}
	}
}

// TestMissingBaseline checks that an update with a missing baseline is lost alone: the other
// updates of its packet are read, and the body is soon sent without a baseline.
func TestMissingBaseline(t *testing.T) {
	r := newRig(t, "katamari:cubes=20", "latency=50ms", "compression", "delta")
	r.run(300)
	r.c.packets.Reset()
	r.run(160)
	lost := r.Counter("missing_baselines")
	if lost == 0 || r.Counter("rejected_payloads") > 0 {
		t.Errorf("%v updates lost, %v packets rejected", lost, r.Counter("rejected_payloads"))
	}
	r.run(100)
	if n := r.Counter("missing_baselines"); n > lost {
		t.Errorf("after three seconds updates are still lost: %v and %v", lost, n-lost)
	}
}
