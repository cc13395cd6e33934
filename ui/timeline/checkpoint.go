package timeline

import (
	"cmp"
	"slices"

	"ghostcube/predict/lab"
	"ghostcube/ui/hud"
)

// Budget is the memory for checkpoints in bytes, by the estimate of checkpointSize, where Timeline.Budget sets none.
const Budget = 448 << 20

// MemoryLimit is the memory in bytes from which the garbage collector should work harder, so that a program with a full
// Budget stays below 1 GiB.
const MemoryLimit = 900 << 20

// checkpoint is a copy of the session after a number of ticks.
type checkpoint struct {
	take  *Take
	tick  int
	lab   *lab.Lab
	stage *hud.HUD
}

// checkpointSize estimates the memory of a checkpoint in bytes. Measured: 1.1 to 4.1 MB a pane in a scene of two
// bodies, 3.7 to 7.2 MB in one of 901.
func checkpointSize(l *lab.Lab) (n int) {
	for _, p := range l.Panes {
		n += 2<<20 + 6400*len(p.ServerWorld.Bodies())
	}
	return max(n, 1<<20)
}

// copy returns a checkpoint of the present.
func (t *Timeline) copy() *checkpoint {
	if t.reviewing {
		t.lab.SwapViewState(&t.recorded)
		defer t.lab.SwapViewState(&t.recorded)
	}
	return t.copyWith(t.stage)
}

// copyWith returns a checkpoint of the present with a stage that was forked earlier in the same tick.
func (t *Timeline) copyWith(s *hud.HUD) *checkpoint {
	c := &checkpoint{take: t.take.owner(t.now() - 1), tick: t.now(), lab: t.lab.Fork()}
	c.stage = s.Fork(c.lab)
	return c
}

// quickCheckpoint is the size in bytes of a checkpoint that is made every second. Larger ones, which take longer, are
// made less often: that of 10,000 bodies in two panes every five seconds.
const quickCheckpoint = 32 << 20

// checkpointTime reports whether the present second gets a checkpoint.
func (t *Timeline) checkpointTime() bool {
	interval := 1 + checkpointSize(t.lab)/quickCheckpoint
	return t.now()/t.lab.Config().Rate%interval == 0
}

// CheckpointDue reports whether Checkpoint has something to do.
func (t *Timeline) CheckpointDue() bool { return t.due != nil }

// Checkpoint copies the session if a checkpoint is due. It only reads the session, so it may run on another goroutine
// while the session is drawn, as long as nothing changes the session or uses the timeline until it returns.
func (t *Timeline) Checkpoint() {
	s := t.due
	if s == nil {
		return
	}
	t.due = nil
	if !t.hasCheckpoint(t.now()) {
		t.keep(t.copyWith(s))
	}
}

// hasCheckpoint reports whether there is a checkpoint of the present take at a tick.
func (t *Timeline) hasCheckpoint(n int) bool {
	return slices.ContainsFunc(t.checkpoints, func(c *checkpoint) bool { return c.tick == n && t.take.has(c) })
}

// keep adds a checkpoint, and forgets the least useful one if there are too many.
func (t *Timeline) keep(c *checkpoint) {
	t.checkpoints = append(t.checkpoints, c)
	slices.SortStableFunc(t.checkpoints, func(a, b *checkpoint) int {
		if a.take.Number != b.take.Number {
			return a.take.Number - b.take.Number
		}
		return a.tick - b.tick
	})
	limit := t.limit
	if limit == 0 {
		limit = min(max(cmp.Or(t.Budget, Budget)/checkpointSize(t.lab), minCheckpoints), maxCheckpoints)
	}
	for len(t.checkpoints) > limit {
		i := t.leastUseful()
		t.checkpoints = slices.Delete(t.checkpoints, i, i+1)
	}
}

// otherTakeShare is how much less checkpoints of other takes count.
const otherTakeShare = 4

// leastUseful returns the index of the checkpoint without which the time to rebuild a moment grows least in
// proportion to the moment's distance from the present one: so they lie dense near what the viewer looks at and
// sparse far away. The end of the present take is kept.
func (t *Timeline) leastUseful() (least int) {
	at, rate := t.now(), t.lab.Config().Rate
	lowest := -1.0
	for i, c := range t.checkpoints {
		if c.take == t.take && c.tick == t.End() && t.reviewing {
			continue
		}
		before, after := c.take.From, c.take.End()
		if i > 0 && t.checkpoints[i-1].take == c.take {
			before = t.checkpoints[i-1].tick
		}
		if i+1 < len(t.checkpoints) && t.checkpoints[i+1].take == c.take {
			after = t.checkpoints[i+1].tick
		}
		distance := max(at-c.tick, c.tick-at) + rate
		cost := float64(after-before) / float64(distance)
		if !t.take.has(c) {
			cost /= otherTakeShare
		}
		if lowest < 0 || cost < lowest {
			least, lowest = i, cost
		}
	}
	return least
}

// restore makes the session that of a checkpoint, with the viewer's view state.
func (t *Timeline) restore(c *checkpoint) {
	t.madeFrom = c.tick
	mine := t.lab.ViewState()
	t.lab.CopyFrom(c.lab)
	t.stage.CopyFrom(c.stage, t.lab)
	t.recorded = mine
	t.lab.SwapViewState(&t.recorded) // the lab gets the viewer's, recorded that of the moment
}

// latest returns the last checkpoint of a take at or before tick n.
func (t *Timeline) latest(k *Take, n int) *checkpoint {
	best := t.start
	for _, c := range t.checkpoints {
		if c.tick <= n && c.tick > best.tick && k.has(c) {
			best = c
		}
	}
	return best
}
