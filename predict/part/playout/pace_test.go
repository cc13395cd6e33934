package playout

import (
	"testing"

	"ghostcube/sim"
)

// TestPaceIsSoft checks that playback that runs out of items slows down over at least four ticks and ends at the
// last one, that it then gets faster by an eighth of a tick in a tick, or by a quarter after a shorter stop, and that it
// says when it is held and stands.
func TestPaceIsSoft(t *testing.T) {
	var p Pace
	p.Run()
	left, last, slow := 10*tick, tick, 0
	for i := range 30 {
		step := p.Step(tick, left)
		left -= step
		if last-step > tick/2 || step > last {
			t.Fatalf("tick %d: playback goes on by %v ticks after %v", i, step.Ticks(), last.Ticks())
		}
		if step > 0 && step < tick {
			slow++
		}
		if p.Held() != (step < tick) || p.Stands() != (step < tick/4) {
			t.Fatalf("tick %d: %v ticks, held %v, stands %v", i, step.Ticks(), p.Held(), p.Stands())
		}
		last = step
	}
	if left != 0 || slow < 4 {
		t.Errorf("%v ticks before the end it stops, after %d slower ticks", left.Ticks(), slow)
	}
	for i := range sim.Moment(8) { // it has stood for long
		if step, want := p.Step(3*tick/2, 60*tick), (i+1)*tick/8; step != want || p.Held() {
			t.Errorf("%d ticks later playback goes on by %v ticks, want %v; held %v", i, step.Ticks(), want.Ticks(), p.Held())
		}
	}
	p.Run()
	for range longStop - 1 {
		p.Step(tick, 0)
	}
	for i := range sim.Moment(8) {
		if step, want := p.Step(3*tick/2, 60*tick), min((i+1)*tick/4, 3*tick/2); step != want || p.Held() {
			t.Errorf("%d ticks after a short stop playback goes on by %v ticks, want %v; held %v", i, step.Ticks(), want.Ticks(), p.Held())
		}
	}
}

// TestCatchUp checks that playback that is behind catches up by less and less, by a least amount at the end, and
// never by more than it is behind.
func TestCatchUp(t *testing.T) {
	for _, c := range []struct{ behind, want sim.Moment }{{60 * tick, tick / 2}, {tick, tick / 20}, {tick / 100, tick / 100}, {0, 0}, {-tick, 0}} {
		if got := CatchUp(c.behind, 120, tick/20); got != c.want {
			t.Errorf("%v ticks behind it catches up by %v ticks, want %v", c.behind.Ticks(), got.Ticks(), c.want.Ticks())
		}
	}
	if got := CatchUp(tick, 0, tick/20); got != tick {
		t.Errorf("at once: by %v ticks", got.Ticks())
	}
}
