package snapshot

import (
	"math"
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestPrecisionAtTheEdge promises that a body in the last corner of the scene, which no step of the grid reaches, is sent at the
// last one.
func TestPrecisionAtTheEdge(t *testing.T) {
	sc := predicttest.Scene(t, "plain")
	w := predict.NewWorld(sc, 60)
	corner := geom.Vec3{X: sc.HalfWidth, Y: -sc.HalfWidth, Z: sc.Height}
	for steps := range positionStepChoices {
		var out, in snapshot
		var c, reader quant.Coder
		var buffer []byte
		out.capture(w, quantised, precision{steps, 12}, quant.ShorterIndices, false)
		if out.isPacked() {
			continue // package delta
		}
		out.bodies[0].pose.Pos = corner
		out.write(&c, &buffer, &sc)
		if err := in.read(&reader, c.FinishWrite(), &sc, w.Tick(), nil); err != nil {
			t.Fatal(err)
		}
		if at, step := in.bodies[0].pose.Pos, 1/float32(int(64)<<steps); at.Sub(corner).Len() > 2*step {
			t.Errorf("%s steps per metre: at %v, want %v", positionStepChoices[steps], at, corner)
		}
	}
}

// TestPrecision checks the bits of a body and the errors of its pose at every level for which the
// precision may be set, against those that follow from the knobs: half a step of a position in each
// axis, and the bound of the rotation's width. Where the knobs have no effect, the bits are those of the
// default.
func TestPrecision(t *testing.T) {
	sc := predicttest.Scene(t, "katamari:cubes=30")
	w := predict.NewWorld(sc, 60)
	for i := range 100 {
		w.Step(sim.Input{Buttons: sim.Pull | sim.Buttons(1<<(i/30))})
	}
	for level := raw; level <= quantised; level++ {
		for _, p := range []precision{defaultPrecision, {0, 3}, {1, 7}, {3, 12}, {6, 9}, {6, 16}} {
			var out, in snapshot
			var c quant.Coder
			var buffer []byte
			out.capture(w, level, p, quant.ShorterIndices, false)
			p = p.at(level)
			if out.isPacked() {
				continue // package delta
			}
			out.write(&c, &buffer, &sc)
			position, rotation := 96, 128
			if level >= smallestThree {
				rotation = 2 + 3*p.rotationBits
			}
			if level == quantised {
				position = 2*(9+6+p.positionSteps) + 5 + 6 + p.positionSteps // 512 m twice, and 32 m, with 64 << index steps
			}
			bodies := float64(len(w.Bodies()))
			if got := out.breakdown.Rotation / bodies; got != float64(rotation) {
				t.Errorf("%s, %+v: %v bits of a rotation, want %d", levels[level], p, got, rotation)
			}
			if got := out.breakdown.Position / bodies; got != float64(position) {
				t.Errorf("%s, %+v: %v bits of a position, want %d", levels[level], p, got, position)
			}
			payload := c.FinishWrite()
			var reader quant.Coder
			if err := in.read(&reader, payload, &sc, w.Tick(), nil); err != nil || in.precision != p || in.level != level {
				t.Fatalf("%s, %+v: read as %s, %+v, %v", levels[level], p, levels[in.level], in.precision, err)
			}
			for i, b := range w.Bodies() {
				got := in.bodies[i].pose
				step, angle := float32(0), 0.0
				if level == quantised {
					step = 1 / float32(int(64)<<p.positionSteps)
				}
				if level >= smallestThree {
					angle = quant.SmallestThree(p.rotationBits).MaxAngleError()
				}
				d := got.Pos.Sub(b.Pose.Pos)
				if far := max(geom.Abs(d.X), geom.Abs(d.Y), geom.Abs(d.Z)); far > 0.5001*step {
					t.Fatalf("%s, %+v: body %d is %v m off, a step is %v", levels[level], p, i, far, step)
				}
				if a := float64(got.Rot.Mul(b.Pose.Rot.Inverse()).Angle()); a > angle+0.001 {
					t.Fatalf("%s, %+v: body %d is rotated by %v, want at most %v", levels[level], p, i, a, angle)
				}
			}
		}
	}
}

// TestPrecisionKnobs checks that the precision may change while a session runs, at any level, and that
// every snapshot is read.
func TestPrecisionKnobs(t *testing.T) {
	x := newPair(t, "katamari:cubes=30", "perfect", "compression", "quantised")
	bits := func() float64 { return x.Counter("bits_per_body") }
	run := func(knobs ...string) {
		for i := 0; i < len(knobs); i += 2 {
			x.SetKnob(knobs[i], knobs[i+1])
		}
		for range 20 {
			x.step(sim.Input{Buttons: sim.Pull | sim.Left})
		}
		if n := x.Counter("rejected_payloads"); n != 0 {
			t.Fatalf("%v: %v payloads rejected", knobs, n)
		}
	}
	run()
	usual := bits()
	run("rotation-bits", "5", "position-steps", "64")
	if b := bits(); b > usual-3*4-3*3+4 {
		t.Errorf("%v bits a body, %v at the default precision", b, usual)
	}
	run("rotation-bits", "16", "position-steps", "4096")
	if b := bits(); b < usual+3*7+3*3-4 {
		t.Errorf("%v bits a body, %v at the default precision", b, usual)
	}
	for _, level := range levels {
		run("compression", level)
	}
	run("compression", "quantised", "rotation-bits", "9", "position-steps", "512")
	if b := bits(); math.Abs(b-usual) > 0.5 {
		t.Errorf("%v bits a body again, want %v", b, usual)
	}
}
