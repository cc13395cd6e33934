package historyoffset

import (
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestOthersMoment checks that other bodies are drawn no later because states come rarely, or because there are none, and that
// their moment waits in an outage and catches up without a jump.
func TestOthersMoment(t *testing.T) {
	for _, c := range []struct{ scene, every string }{{"plain", "1"}, {"two-players", "12"}} {
		r := predicttest.New(t, Strategy, predicttest.Config{
			Scene: c.scene, Network: "latency=50ms", Knobs: []string{"snapshot-every", c.every, "extrapolation", "none"},
		})
		delay := func() float64 { return float64(r.ServerWorld().Tick()) - r.View().Others.Ticks() }
		r.Run(120, predicttest.Press(sim.Right))
		usual := 0.0
		for range 24 {
			r.Run(1, predicttest.Press(sim.Right))
			usual = max(usual, delay())
		}
		if usual > 3+3.6+0.5 {
			t.Errorf("%s, a state in %s ticks: the others are drawn %v ticks late", c.scene, c.every, usual)
		}
		r.SetNetwork("down.loss=100%")
		last, fastest := r.View().Others, sim.Moment(0)
		run := func(ticks int) {
			for range ticks {
				r.Run(1, predicttest.Press(sim.Right))
				fastest, last = max(fastest, r.View().Others-last), r.View().Others
			}
		}
		run(60)
		if late := delay(); late < 40 {
			t.Errorf("%s, a state in %s ticks: in an outage the others are drawn %v ticks late", c.scene, c.every, late)
		}
		r.SetNetwork("down.loss=0%")
		run(600)
		if late := delay(); late > usual+0.5 || fastest > 3*sim.MomentsPerTick/2 {
			t.Errorf("%s, a state in %s ticks: then %v ticks late, %v before; the moment goes on by up to %.2f ticks", c.scene, c.every, late, usual, fastest.Ticks())
		}
	}
}
