package fallback

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// run is a policy whose body is compared with the server's in every tick.
type run struct {
	Policy
	tick   sim.Tick
	silent bool // no state arrives
}

func newRun(t *testing.T, knobs ...string) *run {
	t.Helper()
	scene, err := sim.SceneNamed("plain")
	if err != nil {
		t.Fatal(err)
	}
	k := &predict.Knobs{}
	r := &run{}
	r.Declare(&predict.Env{World: sim.New(scene, 60), Knobs: k, Counters: &predict.Counters{}})
	for i := 0; i < len(knobs); i += 2 {
		if err := k.Set(knobs[i], knobs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// step makes ticks; in the first the body is corrected by so many metres.
func (r *run) step(ticks int, metres float32) {
	for i := range ticks {
		r.tick++
		r.Update()
		if r.silent {
			continue
		}
		r.AddComparison(r.tick)
		if i == 0 && metres > 0 {
			r.AddCorrection(metres)
		}
	}
}

func (r *run) count(name string) float64 { return r.env.Counters.Value(name) }

// share returns how much of the drawn pose is interpolated.
func (r *run) share() float32 {
	return r.Blend(geom.Pose{Rot: geom.Identity}, geom.Pose{Pos: geom.Vec3{X: 1}, Rot: geom.Identity}).Pos.X
}

// TestCorrections says that enough corrections within the window switch the drawing, small or rare
// ones do not, and that without the policy none does; that the pose blends; and that a second
// without one switches back.
func TestCorrections(t *testing.T) {
	for _, c := range []struct {
		max    string
		every  int
		metres float32
		active bool
	}{{"5", 10, 0.1, true}, {"5", 10, 0.01, false}, {"5", 16, 0.1, false}, {"0", 10, 0.1, false}} {
		r := newRun(t, "fallback-corrections", c.max)
		for range 5 {
			r.step(c.every, c.metres)
		}
		if r.Active() != c.active || (r.Note() != "") != c.active || r.Enabled() != (c.max != "0") {
			t.Errorf("%+v: active %v, note %q", c, r.Active(), r.Note())
		}
		if !c.active {
			continue
		}
		last := r.share()
		for range 30 {
			r.step(1, 0)
			if r.share() < last || r.share() > last+0.06 {
				t.Errorf("the share goes from %v to %v in a tick", last, r.share())
			}
			last = r.share()
		}
		if last != 1 {
			t.Errorf("after half a second %v of the pose are interpolated", last)
		}
		r.step(90, 0)
		if r.Active() || r.share() != 0 || r.count("fallbacks") != 1 || r.count("fallback_ticks") < 55 {
			t.Errorf("it is not back after two seconds: share %v, %v ticks", r.share(), r.count("fallback_ticks"))
		}
	}
}

// TestSilenceIsNotAgreement says that a body whose prediction is off stays so while no state
// arrives, and is drawn predicted again when enough of them have agreed.
func TestSilenceIsNotAgreement(t *testing.T) {
	r := newRun(t, "fallback-corrections", "5")
	for range 5 {
		r.step(10, 0.2)
	}
	r.silent = true
	if r.step(600, 0); !r.Active() {
		t.Error("it is predicted again although nothing has arrived")
	}
	r.silent = false
	if r.step(70, 0); r.Active() {
		t.Error("it is not predicted again")
	}
}

// TestBacksOff says that a body that is corrected thrice every one and a half seconds, so that
// every pause is just long enough to come back, is switched fewer and fewer times, and is back for
// good once it is left alone.
func TestBacksOff(t *testing.T) {
	r := newRun(t, "fallback-corrections", "3")
	r.step(120, 0)
	var times [2]float64
	for minute := range times {
		before := r.count("fallbacks")
		for range 40 {
			for range 3 {
				r.step(5, 0.2)
			}
			r.step(75+10*minute, 0)
		}
		times[minute] = r.count("fallbacks") - before
	}
	if times[0] > 8 || times[1] > 8 || times[0] < 2 {
		t.Errorf("switched %v times in 40 pauses", times)
	}
	if r.step(10*60, 0); r.Active() || r.share() != 0 {
		t.Error("it is not back after ten seconds of peace")
	}
}

// TestCopyFrom says that a copy decides as its model does and is independent of it.
func TestCopyFrom(t *testing.T) {
	a, b := newRun(t, "fallback-corrections", "3"), newRun(t)
	a.step(5, 0.2)
	a.step(5, 0.2)
	b.CopyFrom(&a.Policy)
	b.step(5, 0.2)
	b.step(1, 0)
	if !b.Active() || a.Active() {
		t.Errorf("the copy is active: %v, its model: %v", b.Active(), a.Active())
	}
}
