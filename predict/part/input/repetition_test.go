package input

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
)

// TestRepetitionEnds checks that a missing input is repeated for its time, whichever
// way the queue is asked, and that the next input that arrives begins anew. Before the first one the
// input of the start is repeated for as long as it takes.
func TestRepetitionEnds(t *testing.T) {
	repeat := Repetition{Enabled: true, Time: 50, Rate: 60} // three ticks
	for _, newest := range []bool{false, true} {
		q := newQueue(&predict.Counters{})
		q.Start(0, inputAt(7))
		pop := func(tick sim.Tick) sim.Input {
			if newest {
				return q.PopNewest(repeat)
			}
			return q.Pop(tick, repeat)
		}
		for tick := range sim.Tick(30) {
			if tick == 10 || tick == 11 || tick == 20 {
				q.insert(tick, inputAt(tick))
			}
			var want sim.Input
			switch {
			case tick < 10:
				want = inputAt(7)
			case tick == 10:
				want = inputAt(10)
			case tick >= 11 && tick < 15:
				want = inputAt(11)
			case tick >= 20 && tick < 24:
				want = inputAt(20)
			}
			if got := pop(tick); got != want {
				t.Errorf("newest %v, tick %d: %v, want %v", newest, tick, got, want)
			}
		}
	}
}

// TestReplayRepetitionEnds checks that a replay repeats an input for as many ticks as the first
// simulation would have, had the input been there, and that the present continues from it.
func TestReplayRepetitionEnds(t *testing.T) {
	repeat := Repetition{Enabled: true, Time: 50, Rate: 60} // three ticks
	q := newQueue(&predict.Counters{})
	q.Start(0, sim.Input{})
	q.insert(0, inputAt(1))
	for tick := range sim.Tick(8) {
		q.Pop(tick, repeat)
	}
	if q.Repeats() != 7 {
		t.Errorf("repeated for %d ticks", q.Repeats())
	}
	q.insert(2, inputAt(2))
	last, repeats := inputAt(1), 1
	for tick := sim.Tick(2); tick < 8; tick++ {
		in, n, _ := q.ReplayInput(tick, last, repeats, repeat)
		if want := inputAt(2); in != want && tick <= 5 || in != (sim.Input{}) && tick > 5 || n != int(tick-2) {
			t.Errorf("tick %d: %v, repeated for %d ticks", tick, in, n)
		}
		last, repeats = in, n
	}
	if in := q.Pop(8, repeat); in != (sim.Input{}) || q.Repeats() != 6 {
		t.Errorf("after the replay: %v, repeated for %d ticks", in, q.Repeats())
	}
}

// TestWaitingInputs checks that the waiting inputs are those up to the first that has not arrived, and
// that none has a shot, also if it arrives again before its turn.
func TestWaitingInputs(t *testing.T) {
	q := newQueue(&predict.Counters{})
	q.Start(10, sim.Input{})
	shot := sim.Input{Buttons: sim.Forward, Shot: sim.Shot{Fired: true, Yaw: 5}}
	for _, tick := range []sim.Tick{10, 11, 11, 12, 14} {
		q.insert(tick, shot)
	}
	for _, limit := range []int{2, 64} {
		got := q.AppendWaiting(nil, limit)
		if len(got) != min(limit, 3) {
			t.Errorf("%d inputs wait, of at most %d", len(got), limit)
		}
		for i, in := range got {
			if in != (sim.Input{Buttons: sim.Forward}) {
				t.Errorf("input %d is %+v", i, in)
			}
		}
	}
	if shots := q.PopShots(); len(shots) != 4 {
		t.Errorf("%d shots, want 4", len(shots))
	}
	q.Pop(10, repeatLast)
	if got := q.AppendWaiting(nil, 64); len(got) != 2 {
		t.Errorf("%d inputs wait", len(got))
	}
}

// TestActionStaysDown checks that an action button that is held through a gap does not go up in it, and
// that all other buttons do.
func TestActionStaysDown(t *testing.T) {
	for _, repeat := range []Repetition{{Enabled: true, Time: 50, Rate: 60}, {Rate: 60}} {
		last := sim.Input{Buttons: sim.Use | sim.Forward, Heading: 9}
		for ticks := 1; ticks <= 10; ticks++ {
			want := last
			if !repeat.Enabled || ticks > 3 {
				want = sim.Input{Buttons: sim.Use}
			}
			if got := repeat.Input(last, ticks); got != want {
				t.Errorf("%+v, tick %d: %v, want %v", repeat, ticks, got, want)
			}
		}
	}
}
