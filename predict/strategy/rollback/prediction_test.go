package rollback

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
)

// TestFade checks that a fading input is pressed in a share of the ticks that falls to zero, half of them in all.
func TestFade(t *testing.T) {
	for _, ticks := range []int{1, 2, 9, 30, 100} {
		pressed, late := 0, 0
		for n := 1; n <= 2*ticks; n++ {
			in := fade(sim.Input{Buttons: sim.Left, Heading: 9}, n, ticks)
			if n <= ticks && in.Heading != 9 {
				t.Errorf("%d ticks after the last input its heading is %d", n, in.Heading)
			}
			if in.Buttons != 0 {
				if pressed++; n > ticks/2 {
					late++
				}
			}
			if n > ticks && in != (sim.Input{}) {
				t.Errorf("input %+v after %d of %d ticks", in, n, ticks)
			}
		}
		if pressed < ticks/2-1 || pressed > ticks/2+1 || 3*late > pressed+3 {
			t.Errorf("%d ticks: pressed in %d, %d of them in the second half", ticks, pressed, late)
		}
	}
	if fade(sim.Input{Buttons: sim.Left}, 1, 0) != (sim.Input{}) {
		t.Error("an input fades for no time")
	}
}

// TestPrediction checks the three predictions on a remote cube whose player holds a key: repeated, the client is
// right; without input or fading it rolls back all the time.
func TestPrediction(t *testing.T) {
	rollbacks := func(prediction string) float64 {
		r := newRig(t, "two-players", "latency=100ms", false, "prediction", prediction)
		r.input = func(player, _ int) sim.Input { return sim.Input{Buttons: sim.Forward} }
		r.run(t, 60)
		before := r.Counter("mispredicted_inputs")
		r.run(t, 300)
		return r.Counter("mispredicted_inputs") - before
	}
	if n := rollbacks("repeat"); n != 0 {
		t.Errorf("repeat: %v mispredicted inputs", n)
	}
	none, fades := rollbacks("none"), rollbacks("fade")
	if none < 590 || fades < 100 || fades > none {
		t.Errorf("none: %v, fade: %v mispredicted inputs of 600", none, fades)
	}
}

// TestInputDelay checks that each tick of input delay is a tick less to predict, that a delay that grows with the
// round trip leaves nothing to predict on a short one, and that no input is lost or doubled when it changes.
func TestInputDelay(t *testing.T) {
	experiment.Skip(t)
	ahead := func(network string, knobs ...string) (ticks, delay float64) {
		r := newRig(t, "two-players", network, false, knobs...)
		r.run(t, 300)
		r.requireProgress(t, 40)
		return r.Counter("unconfirmed_ticks"), r.Counter("input_delay_ticks")
	}
	none, _ := ahead("latency=100ms")
	some, _ := ahead("latency=100ms", "input-delay", "6")
	if none < 14 || none > 18 || some < none-7 || some > none-5 {
		t.Errorf("%v ticks beyond the last confirmed one, with an input delay of six %v", none, some)
	}
	if left, delay := ahead("latency=30ms", "input-delay", "15", "input-delay-grows", "on"); left > 2 || delay < 5 || delay > 8 {
		t.Errorf("at 30 ms a growing delay is %v ticks, and %v are predicted", delay, left)
	}
	if left, delay := ahead("latency=200ms", "input-delay", "4", "input-delay-grows", "on"); delay != 4 || left < 20 {
		t.Errorf("at 200 ms a growing delay is %v ticks, and %v are predicted", delay, left)
	}
	r := newRig(t, "two-players", "latency=40ms", false)
	for _, delay := range []string{"0", "7", "2", "15", "0"} {
		r.SetKnob("input-delay", delay)
		r.run(t, 120)
	}
	r.requireProgress(t, 20)
}
