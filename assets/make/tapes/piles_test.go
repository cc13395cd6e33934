package main

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestPush checks that the player crosses the pile from side to side, and that more than half
// of its cubes move by more than a metre.
func TestPush(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	var start []sim.Body
	moved := map[int]bool{}
	crossings, outside, awake, ticks := 0, geom.Vec3{}, 0, 0
	stepTape(t, "push", 5, func(w *predict.World, in []sim.Input) {
		b := w.Bodies()
		if start == nil {
			start = append(start, b...)
		}
		for i := 1; i < len(b); i++ {
			if b[i].Pose.Pos.Sub(start[i].Pose.Pos).Len() > 1 {
				moved[i] = true
			}
			if in != nil && !b[i].Asleep {
				awake++
			}
		}
		ticks++
		// Through is from 3.5 m on one side of the middle to 3.5 on the other.
		at := b[0].Pose.Pos
		at.Z = 0
		if at.Len() > 3.5 {
			if at.Dot(outside) < 0 {
				crossings++
			}
			outside = at
		}
	})
	labtest.Report(t, crossings < 5 || len(moved)*2 < len(start),
		"%d times through, %d cubes of %d moved, %.0f awake",
		crossings, len(moved), len(start)-1, float64(awake)/float64(ticks))
}

// TestOutage checks that the blackout covers all input, and that a dozen cubes or more move by
// more than a metre during it.
func TestOutage(t *testing.T) {
	dark, last := 0, 0
	for i, e := range loadTape(t, "outage").Entries {
		if len(e.Commands) > 0 {
			dark = i
		}
		if len(e.Inputs) > 0 && e.Inputs[0] != (sim.Input{}) {
			if dark == 0 {
				t.Error("there is input before the blackout")
			}
			last = i
		}
	}
	if dark == 0 || last >= dark+5*rate {
		t.Errorf("blackout from %d on, last input at %d", dark, last)
	}
	var start, end []sim.Body
	stepTape(t, "outage", 0, func(w *predict.World, in []sim.Input) {
		if w.Tick() == sim.Tick(dark) {
			start = append(start, w.Bodies()...)
		}
		if w.Tick() == sim.Tick(dark+5*rate) {
			end = append(end, w.Bodies()...)
		}
	})
	far := 0
	for i := 1; i < len(start); i++ {
		if end[i].Pose.Pos.Sub(start[i].Pose.Pos).Len() > 1 {
			far++
		}
	}
	labtest.Report(t, far < 12, "%d cubes moved by more than a metre", far)
}

// TestTwoPlayers checks that both players cross the pile and push the large cube: alone,
// against each other, and with changes of ownership.
func TestTwoPlayers(t *testing.T) {
	const prize = 2
	for _, late := range inputDelays() {
		var pushes [2]int // ticks at the moving prize, alone
		both, hands, crossed, moved := 0, 0, 0, 0
		owner := int8(sim.NoPlayer)
		stepTape(t, "two-players", late, func(w *predict.World, _ []sim.Input) {
			b := w.Bodies()
			if b[0].Pose.Pos.X > 3 && b[1].Pose.Pos.X < -3 {
				crossed = 1
			}
			moved = countMoved(w, prize+1, 0.5)
			if o := w.Owners()[prize]; o != sim.NoPlayer && o != owner {
				owner, hands = o, hands+1
			}
			const reach = 1.6 // metres between two centres
			p := b[prize].Pose.Pos
			zero, one := p.Sub(b[0].Pose.Pos).Len() < reach, p.Sub(b[1].Pose.Pos).Len() < reach
			switch {
			case b[prize].Linear.Len() < 0.1:
			case zero && one:
				both++
			case zero:
				pushes[0]++
			case one:
				pushes[1]++
			}
		})
		labtest.Report(t, crossed == 0 || moved < 30 || hands < 4 || pushes[0] < 60 || pushes[1] < 60 || both < 120,
			"%d ticks late: %v ticks alone, %d together, %d changes of ownership, %d cubes moved",
			late, pushes, both, hands, moved)
	}
}

// TestSamePile checks that both players reach the pile within half a second of each other and
// push it together for five seconds, and that most cubes move.
func TestSamePile(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, late := range inputDelays() {
		both, moved, tick := 0, 0, 0
		first := [2]int{-1, -1}
		stepTape(t, "same-pile", late, func(w *predict.World, _ []sim.Input) {
			b := w.Bodies()
			var at [2]bool
			moved = countMoved(w, 3, 0.5)
			for i := 3; i < len(b); i++ {
				for p := range at {
					at[p] = at[p] || b[i].Pose.Pos.Sub(b[p].Pose.Pos).Len() < 1.2
				}
			}
			for p := range at {
				if at[p] && first[p] < 0 {
					first[p] = tick
				}
			}
			if at[0] && at[1] {
				both++
			}
			tick++
		})
		t.Logf("%d ticks late: they arrive in ticks %v and push together in %d ticks, %d cubes moved", late, first, both, moved)
		if gap := first[0] - first[1]; both < 300 || moved < 40 || gap > 30 || gap < -30 {
			t.Errorf("%d ticks late: they arrive in ticks %v and push together in %d ticks, %d cubes moved", late, first, both, moved)
		}
	}
}

// TestBreak checks that most pucks move by a metre or more, and none across the rails.
func TestBreak(t *testing.T) {
	for _, late := range inputDelays() {
		var ended *predict.World
		stepTape(t, "billiards-break", late, func(w *predict.World, _ []sim.Input) { ended = w })
		players, out := ended.Scene().Players, 0
		moved := countMoved(ended, players, 1)
		for _, b := range ended.Bodies()[players:] {
			if geom.Abs(b.Pose.Pos.X) > 5 || geom.Abs(b.Pose.Pos.Y) > 10 {
				out++
			}
		}
		labtest.Report(t, moved < 12 || out > 0,
			"break, %d ticks late: %d of %d pucks moved by a metre, %d are outside",
			late, moved, len(ended.Bodies())-1, out)
	}
}

// TestFourPlayers checks that all four players travel and push cubes, and that neighbours meet.
func TestFourPlayers(t *testing.T) {
	t.Parallel()
	const players = 4
	for _, late := range inputDelays() {
		var last [players]geom.Vec3
		var travelled [players]float32 // metres
		moved, movingSum, ticks, meetings := 0, 0, 0, 0
		stepTape(t, "four-players", late, func(w *predict.World, _ []sim.Input) {
			b := w.Bodies()
			moved = countMoved(w, players, 1)
			for i := range b {
				if i < players && ticks == 0 {
					last[i] = b[i].Pose.Pos
				}
				if i >= players && b[i].Linear.Len() > 0.1 {
					movingSum++
				}
			}
			for i := range players {
				travelled[i] += b[i].Pose.Pos.Sub(last[i]).Len()
				last[i] = b[i].Pose.Pos
				if b[i].Pose.Pos.Sub(b[(i+1)%players].Pose.Pos).Len() < 1.8 {
					meetings++
				}
			}
			ticks++
		})
		t.Logf("%d ticks late: %v m, %d cubes moved by more than a metre, %d move on average, players meet in %d ticks",
			late, travelled, moved, movingSum/ticks, meetings)
		for i := range players {
			if travelled[i] < 109 {
				t.Errorf("player %d travels %g m", i, travelled[i])
			}
		}
		if moved < 40 || movingSum/ticks < 8 || meetings < 10 {
			t.Errorf("%d ticks late: %d cubes moved by more than a metre, %d move on average, players meet in %d ticks", late, moved, movingSum/ticks, meetings)
		}
	}
}

// TestEightPlayers checks that all eight players travel, and push cubes together.
func TestEightPlayers(t *testing.T) {
	t.Parallel()
	const players = 8
	for _, late := range inputDelays() {
		var last [players]geom.Vec3
		var travelled [players]float32 // metres
		moved, ticks := 0, 0
		stepTape(t, "eight-players", late, func(w *predict.World, _ []sim.Input) {
			moved = countMoved(w, players, 1)
			for i := range players {
				if at := w.Bodies()[i].Pose.Pos; ticks > 0 {
					travelled[i] += at.Sub(last[i]).Len()
				}
				last[i] = w.Bodies()[i].Pose.Pos
			}
			ticks++
		})
		t.Logf("%d ticks late: %v m, %d cubes moved by more than a metre", late, travelled, moved)
		for i := range players {
			labtest.Report(t, travelled[i] < 90, "player %d travels %g m", i, travelled[i])
		}
		labtest.Report(t, moved < 45, "%d ticks late: %d cubes moved by more than a metre", late, moved)
	}
}
