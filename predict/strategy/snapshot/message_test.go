package snapshot

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestSnapshotRoundTrip checks that a world's visible state arrives bit for bit in the article's
// 225 and 321 bits a body, who touches it included; a truncated or extended payload is rejected.
func TestSnapshotRoundTrip(t *testing.T) {
	for _, c := range []struct {
		scene      string
		velocities bool
		bits       int // a body
	}{
		{"katamari:cubes=20", false, 225}, {"katamari:cubes=20", true, 321},
		{"katamari:cubes=20:players=3", true, 322}, {"katamari:cubes=20:players=4", false, 227},
	} {
		sc := predicttest.Scene(t, c.scene)
		w := predict.NewWorld(sc, 60)
		touched := 0
		for i := range 120 {
			w.Step(sim.Input{Buttons: sim.Pull | sim.Buttons(1<<(i/30))}, sim.Input{Buttons: sim.Left})
			touched = 0
			for _, p := range w.TouchedBy() {
				if p != sim.NoPlayer {
					touched++
				}
			}
		}
		if touched < 2 || touched == len(w.Bodies()) {
			t.Fatalf("%s: %d bodies are touched", c.scene, touched)
		}
		var k quant.Coder
		var buffer []byte
		var out, in snapshot
		out.capture(w, raw, defaultPrecision, quant.ShorterIndices, c.velocities)
		out.write(&k, &buffer, &sc)
		if want := 17 + c.bits*len(w.Bodies()); k.BitsProcessed() != want {
			t.Errorf("%s: %d bits, want %d", c.scene, k.BitsProcessed(), want)
		}
		payload := slices.Clone(k.FinishWrite())
		if !c.velocities {
			for i := range out.bodies {
				out.bodies[i].linear = geom.Vec3{}
			}
		}
		if err := in.read(&k, payload, &sc, w.Tick(), nil); err != nil || in.tick != w.Tick() || !slices.Equal(in.bodies, out.bodies) {
			t.Errorf("%s: read and written snapshots differ (%v)", c.scene, err)
		}
		for n := range payload {
			if in.read(&k, payload[:n], &sc, 0, nil) == nil {
				t.Fatalf("%s: %d of %d bytes are accepted", c.scene, n, len(payload))
			}
		}
		if in.read(&k, append(payload, 0), &sc, 0, nil) == nil {
			t.Errorf("%s: a trailing byte is accepted", c.scene)
		}
	}
}

// TestRejectsMalformed checks that payloads with values that no world has are counted and change
// nothing.
func TestRejectsMalformed(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	r := newRig(t, 60, "interpolation", "none")
	before := *r.run(10, nil)
	rejected := 0
	for _, corrupt := range []func(*bodyState){
		func(l *bodyState) { l.pose.Pos.X = nan },
		func(l *bodyState) { l.pose.Pos.Y = 300 },
		func(l *bodyState) { l.pose.Pos.Z = -0.1 },
		func(l *bodyState) { l.pose.Rot = geom.Quat{} },
		func(l *bodyState) { l.pose.Rot.W = inf },
		func(l *bodyState) { l.linear.Z = nan },
		func(l *bodyState) { l.linear.X = -5000 },
	} {
		r.motion = func(s float64) bodyState {
			l := straightLine(s)
			corrupt(&l)
			return l
		}
		v := r.run(1, nil)
		rejected++
		if int(r.Counter("rejected_payloads")) != rejected ||
			v.Bodies[0] != before.Bodies[0] || v.LastReceived[0] != before.LastReceived[0] || v.Tick() != before.Tick() {
			t.Errorf("payload %d: %v rejected", rejected, r.Counter("rejected_payloads"))
		}
	}
}

// TestFields checks that decoding a payload's fields reports every bit of it, and fails where
// reading does.
func TestFields(t *testing.T) {
	r := newRig(t, 60)
	s := snapshot{tick: 5, velocities: true, bodies: []bodyState{straightLine(0.1)}}
	var c quant.Coder
	var buffer []byte
	s.write(&c, &buffer, r.scene)
	bits := 0
	names := map[string]int{}
	see := func(f quant.Field) {
		bits += f.Bits
		names[f.Name]++
	}
	if err := Strategy.Fields(false, c.FinishWrite(), r.scene, see); err != nil || bits != c.BitsProcessed() {
		t.Errorf("%d bits reported, want %d (%v)", bits, c.BitsProcessed(), err)
	}
	want := map[string]int{"tick": 1, "packed": 1, "velocities": 1, "touched": 1, "position": 3, "rotation": 4, "linear": 3}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if Strategy.Fields(false, c.FinishWrite()[:20], r.scene, see) == nil {
		t.Error("the fields of a truncated payload are accepted")
	}
}

// FuzzRead sends a client arbitrary payloads: it never draws what no world could contain.
func FuzzRead(f *testing.F) {
	r := newRig(f, 60)
	var c quant.Coder
	payload := func(tick int, velocities bool) []byte {
		s := snapshot{tick: sim.Tick(tick), velocities: velocities, bodies: []bodyState{straightLine(r.seconds(float64(tick)))}}
		var buffer []byte
		s.write(&c, &buffer, r.scene)
		return c.FinishWrite()
	}
	var first [10][]byte
	for i := range first {
		first[i] = payload(i, true)
	}
	f.Add(payload(12, true), uint8(0))
	f.Add(payload(12, false), uint8(3))
	f.Add([]byte{}, uint8(9))
	for l := smallestThree; l <= arithmetic; l++ {
		s := snapshot{tick: 12, level: l, precision: defaultPrecision, velocities: l < quantised, bodies: []bodyState{straightLine(r.seconds(12))}}
		var buffer []byte
		if l < quantised {
			s.write(&c, &buffer, r.scene)
			f.Add(slices.Clone(c.FinishWrite()), uint8(l))
			continue
		}
		ends := newDeltaPeer()
		payload, number := s.writePacked(&c, &buffer, r.scene, &ends)
		f.Add(slices.Clone(payload), uint8(l))
		ends.writer.Acknowledge(number)
		s.bodies[0] = straightLine(r.seconds(13))
		s.tick++
		payload, _ = s.writePacked(&c, &buffer, r.scene, &ends)
		f.Add(slices.Clone(payload), uint8(l))
	}
	f.Fuzz(func(t *testing.T, payload []byte, ticks uint8) {
		env := predicttest.NewEnv(*r.scene, 60, -1)
		c := newClient(env).(*client)
		step := func(payload []byte) {
			c.now++
			c.expectedTick++
			c.receive(payload)
			c.drawInterpolated()
		}
		for _, p := range first {
			step(p)
		}
		step(payload)
		_ = Strategy.Fields(false, payload, r.scene, func(quant.Field) {})
		for range ticks {
			step(first[9])
		}
		// Between two valid positions a curve may leave the world, but by no more than its
		// velocities explain.
		if p := c.drawn[0]; !p.Pos.IsFinite() || p.Pos.Len() > 1000 || geom.Abs(p.Rot.Dot(p.Rot)-1) > 0.01 {
			t.Errorf("drawn: %+v", p)
		}
	})
}
