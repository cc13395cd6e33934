package rollback

import (
	"testing"

	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// TestCollector checks what a tick is stepped with: its own input, a late one, or the last one for a while.
func TestCollector(t *testing.T) {
	repeat := input.Repetition{Enabled: true, Time: 100, Rate: 60}
	press := func(b sim.Buttons) sim.Input { return sim.Input{Buttons: b} }
	shot := sim.Input{Buttons: sim.Lift, Shot: sim.Shot{Fired: true, Yaw: 7}}
	var c collector
	expect := func(at sim.Tick, want sim.Input, wantSent bool) {
		t.Helper()
		if in, sent := c.take(at, repeat); in != want || sent != wantSent {
			t.Errorf("tick %d: %+v, as sent: %v, want %+v, %v", at, in, sent, want, wantSent)
		}
	}
	c.add(100, press(sim.Left), 100)
	expect(100, press(sim.Left), true)
	expect(101, press(sim.Left), false) // repeated
	if !c.add(101, press(sim.Right), 102) || c.add(101, press(sim.Right), 102) {
		t.Error("an input is late once")
	}
	expect(102, press(sim.Right), false) // the late one is moved
	c.add(104, press(sim.Back), 104)
	c.add(103, shot, 104)
	expect(104, sim.Input{Buttons: sim.Back, Shot: shot.Shot}, false) // its shot is not lost
	c.add(106, press(sim.Pull), 107)
	c.add(105, press(sim.Use), 107)
	expect(107, press(sim.Pull|sim.Use), false) // the newest late one, with the action of the other
	for n := range sim.Tick(6) {
		expect(108+n, press(sim.Pull|sim.Use), false)
	}
	expect(114, sim.Input{Buttons: sim.Use}, false) // 100 ms are six ticks; an action stays down through a gap
	c.add(114+waitingTicks, press(sim.Left), 115)
	if _, ok := c.at(114); ok {
		t.Error("a newer input is taken for an old one")
	}
}

// TestLateInputReachesEverybody checks that an input which is late for its tick is used, that its sender rolls
// back too, and that all worlds are the same.
func TestLateInputReachesEverybody(t *testing.T) {
	r := newRig(t, "two-players", "latency=50ms", false)
	r.run(t, 200)
	late := r.Counter("late_inputs")
	r.SetNetwork("up.latency=130ms")
	r.run(t, 20)
	r.SetNetwork("up.latency=50ms")
	r.run(t, 300)
	if n := r.Counter("late_inputs") - late; n < 3 {
		t.Errorf("%v late inputs", n)
	}
	r.requireProgress(t, 20)
}
