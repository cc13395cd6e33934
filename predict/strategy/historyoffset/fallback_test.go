package historyoffset

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// drawn is where the own body is shown.
func (r *rig) drawn() geom.Vec3 {
	var v predict.View
	r.c.View(&v)
	return v.Bodies[0].Pos
}

// predictedPose is where the own body would be shown if it were predicted.
func (r *rig) predictedPose() geom.Vec3 { return r.c.world.Drawn().Pos }

// displaceOften moves the server's cube aside by 20 cm so many times, every so many ticks, to
// and fro.
func (r *rig) displaceOften(n, every int, in func(int) sim.Input) {
	for i := range n {
		r.displace(geom.Vec3{X: 0.2 - float32(0.4*float32(i%2))})
		r.run(every, in)
	}
}

// TestFallback says that a cube that is corrected too often is shown where the server
// had it, as all others are, says so, and is shown ahead again when nothing has been
// corrected for a while, without the history being begun anew; that the picture goes
// over in small steps both times; and that without the policy it is shown ahead all
// the time.
func TestFallback(t *testing.T) {
	for _, off := range []string{"0", "5"} {
		r := newRig(t, "plain", "latency=100ms", "fallback-corrections", off)
		r.run(120, noInput)
		r.displaceOften(8, 10, noInput)
		var v predict.View
		r.c.View(&v)
		if off == "0" {
			if r.counter("fallbacks") != 0 || len(v.Fallback) > 0 || v.Note != "" || !v.Predicted[0] {
				t.Errorf("never is not never: %q, %v", v.Note, v.Fallback)
			}
			continue
		}
		if r.counter("fallbacks") != 1 || !v.Fallback[0] || v.Predicted[0] || v.Note == "" || len(v.Trail) > 0 {
			t.Fatalf("after 8 shoves it is not switched off: %q, %v", v.Note, v.Fallback)
		}
		r.run(30, noInput)
		if d := r.drawn().Sub(r.c.world.Interpolated.Pose(0).Pos).Len(); d > 0 {
			t.Errorf("it is shown %v m from where it was", d)
		}
		r.run(200, noInput)
		v.Reset()
		r.c.View(&v)
		if v.Fallback[0] || !v.Predicted[0] || v.Note != "" || r.counter("fallbacks") != 1 {
			t.Errorf("it does not come back: %q", v.Note)
		}
		if r.drawn() != r.c.world.Drawn().Pos || r.counter("resets") > 0 || r.distance() > 0.001 {
			t.Errorf("it is not shown as it is predicted, or not where it should be: %v m apart", r.distance())
		}
		if r.counter("fallback_ticks") == 0 || r.counter("fallback_corrections") == 0 {
			t.Error("nothing is counted")
		}
	}
}

// TestFallbackBlends says that a cube that hovers along at full speed, and is pushed aside,
// is switched without a leap: while its picture goes over to the late one, four metres
// behind, and back, its steps change by no more than 5 cm from one tick to the next.
func TestFallbackBlends(t *testing.T) {
	r := newRig(t, "plain", "latency=100ms", "fallback-corrections", "2", "fallback-correction-min", "0.03")
	ahead := func(int) sim.Input { return sim.Input{Buttons: sim.Forward | sim.Lift} }
	r.run(120, noInput)
	r.run(200, ahead)
	if r.counter("fallbacks") > 0 {
		t.Fatal("it is switched off before it is pushed")
	}
	var last, step geom.Vec3
	worst, apart := float32(0), float32(0)
	for i := 0; i < 400 && (r.counter("fallback_ticks") == 0 || r.drawn() != r.predictedPose()); i++ {
		if i == 60 {
			b := r.env[1].World.Bodies()[0]
			b.Linear.X += 3
			r.env[1].World.SetBody(0, b)
		}
		r.run(1, ahead)
		at := r.drawn()
		if i > 1 {
			worst = max(worst, at.Sub(last).Sub(step).Len())
		}
		last, step = at, at.Sub(last)
		apart = max(apart, r.c.world.Body().Pose.Pos.Sub(at).Len())
	}
	if r.counter("fallbacks") != 1 || r.drawn() != r.predictedPose() || apart < 4 {
		t.Fatalf("switched %v times, for %v ticks, by %v m", r.counter("fallbacks"), r.counter("fallback_ticks"), apart)
	}
	if worst > 0.05 {
		t.Errorf("a step differs by %v m from the one before", worst)
	}
}

// TestInputsDuringFallback says that the server's cube goes the same way whatever the client
// shows: no input is lost or comes later while the prediction is off, or when it
// changes.
func TestInputsDuringFallback(t *testing.T) {
	a, b := newRig(t, "plain", "latency=100ms,loss=5%"), newRig(t, "plain", "latency=100ms,loss=5%", "fallback-corrections", "3")
	for i := range 60 {
		for _, r := range []*rig{a, b} {
			if i%12 < 4 {
				r.displaceOften(1, 20, keys)
			} else {
				r.run(20, keys)
			}
		}
		if a.env[1].World.Bodies()[0] != b.env[1].World.Bodies()[0] {
			t.Fatalf("tick %d: the server's cubes differ", a.tick)
		}
	}
	if b.counter("fallbacks") < 1 || b.counter("fallback_ticks") < 300 || b.counter("inputs_consumed_ratio") != a.counter("inputs_consumed_ratio") {
		t.Errorf("switched off %v times, ratio %v", b.counter("fallbacks"), b.counter("inputs_consumed_ratio"))
	}
}

// drive drives the sled for two seconds, and then leaves it alone.
func drive(tick int) sim.Input {
	if tick >= 120 && tick < 240 && tick%8 < 3 {
		return sim.Input{Buttons: sim.Right}
	}
	return sim.Input{}
}

// TestDirtyCollisions says that what lies in a sled and is held where it was stops the sled in the
// client's world, which shakes, and so it does in the picture without the policy; that
// with it the picture goes as smoothly as the server's sled, is late and says why; and
// that it is ahead again when the sled has stood for a while.
func TestDirtyCollisions(t *testing.T) {
	shakes := map[string]float32{}
	for _, dirty := range []string{"0", "6"} {
		r := newRig(t, "hauler", "latency=100ms", "fallback-dirty-ticks", dirty)
		r.run(100, drive)
		var last, step geom.Vec3
		for r.tick < 330 {
			r.run(1, drive)
			at := r.drawn()
			if r.tick > 135 { // the policy needs a moment
				shakes[dirty] = max(shakes[dirty], at.Sub(last).Sub(step).Len())
			}
			last, step = at, at.Sub(last)
		}
		if dirty == "0" {
			continue
		}
		if r.counter("dirty_ticks") < 20 {
			t.Errorf("%v dirty ticks", r.counter("dirty_ticks"))
		}
		if r.counter("fallbacks") != 1 {
			t.Errorf("switched off %v times", r.counter("fallbacks"))
		}
		r.run(180, drive)
		if r.c.world.Fallback.Active() || r.distance() > 0.01 {
			t.Errorf("standing, it is %q, %v m apart", r.c.world.Fallback.Note(), r.distance())
		}
	}
	if shakes["0"] < 2*shakes["6"] || shakes["6"] > 0.03 {
		t.Errorf("steps change by at most %v m from one to the next without and with", shakes)
	}
}
