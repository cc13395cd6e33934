package historyoffset

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// drawn returns the position at which the client draws its cube.
func (r *rig) drawn() geom.Vec3 { return r.View().Bodies[0].Pos }

// predictedPosition returns the position at which the cube is drawn without fallback.
func (r *rig) predictedPosition() geom.Vec3 { return r.c.Drawn().Pos }

// displaceOften moves the server's cube back and forth by 20 cm, n times, at intervals of some ticks.
func (r *rig) displaceOften(n, every int, in func(int) sim.Input) {
	for i := range n {
		r.Displace(geom.Vec3{X: 0.2 - float32(0.4*float32(i%2))})
		r.Run(every, in)
	}
}

// TestFallback checks that a cube that is corrected too often is drawn interpolated, with a note, and
// predicted again after a time without corrections, without a reset of the history; and that
// without the policy it is always drawn predicted.
func TestFallback(t *testing.T) {
	for _, limit := range []string{"0", "5"} {
		r := newRig(t, "plain", "latency=100ms", "fallback-corrections", limit, "correct-by", "offset")
		r.Run(120, predicttest.NoInput)
		r.displaceOften(8, 10, predicttest.NoInput)
		var v predict.View
		r.c.View(&v)
		if limit == "0" {
			if r.Counter("fallbacks") != 0 || len(v.Fallback) > 0 || v.Note != "" || !v.Predicted[0] {
				t.Errorf("without the policy it falls back: %q, %v", v.Note, v.Fallback)
			}
			continue
		}
		if r.Counter("fallbacks") != 1 || !v.Fallback[0] || v.Predicted[0] || v.Note == "" || len(v.Trail) > 0 {
			t.Fatalf("after 8 corrections it is not interpolated: %q, %v", v.Note, v.Fallback)
		}
		r.Run(30, predicttest.NoInput)
		if d := r.drawn().Sub(r.c.Interpolated.Pose(0).Pos).Len(); d > 0 {
			t.Errorf("it is drawn %v m from its interpolated position", d)
		}
		r.Run(200, predicttest.NoInput)
		v.Reset()
		r.c.View(&v)
		if v.Fallback[0] || !v.Predicted[0] || v.Note != "" || r.Counter("fallbacks") != 1 {
			t.Errorf("it is not predicted again: %q", v.Note)
		}
		if r.drawn() != r.c.Drawn().Pos || r.Counter("resets") > 0 || r.Distance(0) > 0.001 {
			t.Errorf("it is not drawn predicted, or the two worlds differ by %v m", r.Distance(0))
		}
		if r.Counter("fallback_ticks") == 0 || r.Counter("fallback_corrections") == 0 {
			t.Error("the ticks or corrections of the fallback are not counted")
		}
	}
}

// TestFallbackBlends checks the blends of a cube that hovers at full speed and is pushed aside: while
// its drawn pose blends to the interpolated one, four metres behind, and back, its step changes by at
// most 5 cm from one tick to the next.
func TestFallbackBlends(t *testing.T) {
	r := newRig(t, "plain", "latency=100ms", "fallback-corrections", "2", "fallback-correction-min", "0.03", "correct-by", "offset")
	ahead := predicttest.Press(sim.Forward | sim.Lift)
	r.Run(120, predicttest.NoInput)
	r.Run(200, ahead)
	if r.Counter("fallbacks") > 0 {
		t.Fatal("it falls back before it is pushed")
	}
	var last, step geom.Vec3
	worst, apart := float32(0), float32(0)
	for i := 0; i < 400 && (r.Counter("fallback_ticks") == 0 || r.drawn() != r.predictedPosition()); i++ {
		if i == 60 {
			b := r.ServerWorld().Bodies()[0]
			b.Linear.X += 3
			r.ServerWorld().SetBody(0, b)
		}
		r.Run(1, ahead)
		at := r.drawn()
		if i > 1 {
			worst = max(worst, at.Sub(last).Sub(step).Len())
		}
		last, step = at, at.Sub(last)
		apart = max(apart, r.c.Body().Pose.Pos.Sub(at).Len())
	}
	if r.Counter("fallbacks") != 1 || r.drawn() != r.predictedPosition() || apart < 4 {
		t.Fatalf("%v fallbacks, %v ticks, %v m apart", r.Counter("fallbacks"), r.Counter("fallback_ticks"), apart)
	}
	if worst > 0.05 {
		t.Errorf("a step differs by %v m from the last one", worst)
	}
}

// TestInputsDuringFallback checks that the fallback does not change the server's cube: no input is
// lost or late because of it.
func TestInputsDuringFallback(t *testing.T) {
	a, b := newRig(t, "plain", "latency=100ms,loss=5%"), newRig(t, "plain", "latency=100ms,loss=5%", "fallback-corrections", "3")
	for i := range 60 {
		for _, r := range []*rig{a, b} {
			if i%12 < 4 {
				r.displaceOften(1, 20, predicttest.DriveAround)
			} else {
				r.Run(20, predicttest.DriveAround)
			}
		}
		if a.ServerWorld().Bodies()[0] != b.ServerWorld().Bodies()[0] {
			t.Fatalf("tick %d: the server's cubes differ", a.Tick)
		}
	}
	if b.Counter("fallbacks") < 1 || b.Counter("fallback_ticks") < 300 || b.Counter("inputs_consumed_ratio") != a.Counter("inputs_consumed_ratio") {
		t.Errorf("%v fallbacks, ratio %v", b.Counter("fallbacks"), b.Counter("inputs_consumed_ratio"))
	}
}

// drive drives the sled for two seconds.
func drive(tick int) sim.Input {
	if tick >= 120 && tick < 240 && tick%8 < 3 {
		return sim.Input{Buttons: sim.Right}
	}
	return sim.Input{}
}

// TestDirtyCollisions checks the policy with a cube that lies in the player's sled. In the client's
// world the cube is kinematic and in the past, so the predicted sled collides with it and jerks. With
// the policy the sled is drawn interpolated, without that jerk, and predicted again some time after
// it has stopped.
func TestDirtyCollisions(t *testing.T) {
	jerks := map[string]float32{}
	for _, dirty := range []string{"0", "6"} {
		r := newRig(t, "hauler", "latency=100ms", "fallback-dirty-ticks", dirty, "correct-by", "offset")
		r.Run(100, drive)
		var last, step geom.Vec3
		for r.Tick < 330 {
			r.Run(1, drive)
			at := r.drawn()
			if r.Tick > 135 { // after the blend has begun
				jerks[dirty] = max(jerks[dirty], at.Sub(last).Sub(step).Len())
			}
			last, step = at, at.Sub(last)
		}
		if dirty == "0" {
			continue
		}
		if r.Counter("dirty_ticks") < 20 {
			t.Errorf("%v dirty ticks", r.Counter("dirty_ticks"))
		}
		if r.Counter("fallbacks") != 1 {
			t.Errorf("%v fallbacks", r.Counter("fallbacks"))
		}
		r.Run(180, drive)
		if r.c.Fallback.Active() || r.Distance(0) > 0.01 {
			t.Errorf("at rest it has the note %q, and the two worlds differ by %v m", r.c.Fallback.Note(), r.Distance(0))
		}
	}
	if jerks["0"] < 2*jerks["6"] || jerks["6"] > 0.03 {
		t.Errorf("by fallback-dirty-ticks, a step changes by at most %v m", jerks)
	}
}
