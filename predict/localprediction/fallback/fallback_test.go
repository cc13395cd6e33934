package fallback

import (
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// run is a policy whose body is compared with the server's state in every tick.
type run struct {
	Policy
	tick   sim.Tick
	silent bool // no state arrives
}

func newRun(t *testing.T, knobs ...string) *run {
	t.Helper()
	env := predicttest.NewEnv(predicttest.Scene(t, "plain"), 60, 0)
	r := &run{}
	r.Declare(env)
	predicttest.SetKnobs(t, env.Knobs, knobs...)
	return r
}

// step runs some ticks. If metres is above 0, the body is corrected in the first.
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

// share returns the interpolated share of the drawn pose.
func (r *run) share() float32 {
	return r.Blend(geom.Pose{Rot: geom.Identity}, geom.Pose{Pos: geom.Vec3{X: 1}, Rot: geom.Identity}).Pos.X
}

// TestCorrections checks that enough corrections within the window switch to interpolation, unless they
// are small or rare or the policy is off; that the pose blends; and that a second without corrections
// switches back.
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
			t.Errorf("after half a second the interpolated share is %v", last)
		}
		r.step(90, 0)
		if r.Active() || r.share() != 0 || r.count("fallbacks") != 1 || r.count("fallback_ticks") < 55 {
			t.Errorf("it is not predicted again after two seconds: share %v, %v ticks", r.share(), r.count("fallback_ticks"))
		}
	}
}

// TestSilenceIsNotAgreement checks that a body is not drawn predicted again while no state arrives, and
// is when the states of enough ticks have agreed.
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

// TestBacksOff checks the growing recovery time: a body that is corrected three times every one and a
// half seconds, with pauses just long enough to recover, is switched only a few times; and it recovers
// when the corrections end.
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
		t.Error("it is not predicted again after ten seconds without corrections")
	}
}
