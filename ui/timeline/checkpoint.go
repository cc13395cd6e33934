package timeline

import (
	"cmp"
	"slices"

	"ghostcube/internal/compact"
	"ghostcube/predict/lab"
	"ghostcube/ui/hud"
)

// Budget is the memory for checkpoints in bytes where Timeline.Budget sets none.
const Budget = 128 << 20

// MemoryLimit is the memory in bytes from which the garbage collector should work harder, so that a program with a full
// Budget stays below 600 MB with what a window has outside of Go's memory.
const MemoryLimit = 384 << 20

// checkpoint is a copy of the session after a number of ticks.
type checkpoint struct {
	take *Take
	tick int
	moment
	contents *compact.Copy // of the moment; nil: all of it is there
}

// moment is a session at a tick.
type moment struct {
	lab   *lab.Lab
	stage *hud.HUD
}

// size returns the memory in bytes that a checkpoint has besides the store's, with what is still to be taken.
func (c *checkpoint) size() int { return c.contents.Left() + len(c.lab.Panes)*checkpointRest }

// checkpointRest is the memory in bytes of a pane of a checkpoint whose contents the store has. Measured: 0.3 to 0.6 MB with
// 901 bodies.
const checkpointRest = 512 << 10

// use calls f while a checkpoint has its contents.
func (c *checkpoint) use(f func()) {
	if c.contents != nil {
		c.contents.Fill()
		defer c.contents.Empty()
	}
	f()
}

// checkpointSize estimates the memory of a copy of the session in bytes. Measured: 1.1 to 4.1 MB a pane in a scene of two
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
	c := &checkpoint{take: t.take.owner(t.now() - 1), tick: t.now(), moment: moment{lab: t.lab.Fork()}}
	c.stage = s.Fork(c.lab)
	return c
}

// quickCheckpoint is the size in bytes of a checkpoint that is made every second. Larger ones, which take longer, are
// made less often: that of 10,000 bodies in two panes every five seconds.
const quickCheckpoint = 32 << 20

// checkpointTime reports whether the present second gets a checkpoint. On the way to a past moment seconds before it do
// whose distance is a power of two, because others would soon be forgotten.
func (t *Timeline) checkpointTime() bool {
	rate := t.lab.Config().Rate
	if left := t.Remaining() / rate; left&(left-1) != 0 {
		return false
	}
	interval := 1 + checkpointSize(t.lab)/quickCheckpoint
	return t.now()/rate%interval == 0
}

// CheckpointDue reports whether Checkpoint has something to do.
func (t *Timeline) CheckpointDue() bool { return t.due != nil || len(t.packing.waiting) > 0 }

// packedAtOnce is how many bytes of a checkpoint go into the store in a call of Checkpoint: a small part of a frame's time.
const packedAtOnce = 1 << 20

// Checkpoint copies the session if a checkpoint is due, or goes on with packing an earlier copy. It only reads the session,
// so it may run on another goroutine while the session is drawn, as long as nothing changes the session or uses the timeline
// until it returns.
func (t *Timeline) Checkpoint() {
	s := t.due
	if s == nil {
		t.packing.pack(packedAtOnce)
		return
	}
	t.due = nil
	if !t.hasCheckpoint(t.now()) {
		t.keep(t.copyWith(s), s)
	}
}

// hasCheckpoint reports whether there is a checkpoint of the present take at a tick.
func (t *Timeline) hasCheckpoint(n int) bool {
	return slices.ContainsFunc(t.checkpoints, func(c *checkpoint) bool { return c.tick == n && t.take.has(c) })
}

// keep adds a checkpoint of the present, whose stage was copied from s, and forgets the least useful ones if there are too
// many.
func (t *Timeline) keep(c *checkpoint, s *hud.HUD) {
	t.checkpoints = append(t.checkpoints, c)
	slices.SortStableFunc(t.checkpoints, func(a, b *checkpoint) int {
		if a.take.Number != b.take.Number {
			return a.take.Number - b.take.Number
		}
		return a.tick - b.tick
	})
	t.packing.add(c, &moment{t.lab, s})
	for len(t.packing.waiting) > maxUnpacked {
		t.packing.pack(c.size())
	}
	for len(t.checkpoints) > cmp.Or(t.limit, maxCheckpoints) || t.limit == 0 && len(t.checkpoints) > minCheckpoints && t.memory() > cmp.Or(t.Budget, Budget) {
		t.forget(t.leastUseful())
	}
}

// maxUnpacked is the number of checkpoints that may wait to be packed. While a past moment is rebuilt, there is a new one
// every second of the session.
const maxUnpacked = 1

// packing takes the contents out of checkpoints, bit by bit.
type packing struct {
	store   *compact.Store
	waiting []*checkpoint // those that still have contents of their own, oldest first
}

// add begins to pack a checkpoint, a copy of original. pack goes on.
func (p *packing) add(c *checkpoint, original *moment) {
	c.contents = p.store.New(&c.moment, original)
	p.waiting = append(p.waiting, c)
}

// pack goes on with the checkpoint that has waited longest, by about n bytes.
func (p *packing) pack(n int) {
	if len(p.waiting) == 0 {
		return
	}
	c := p.waiting[0]
	c.contents.Take(n)
	if c.contents.Left() == 0 {
		p.waiting = slices.Delete(p.waiting, 0, 1)
	}
}

// drop removes the contents of a checkpoint, which is lost.
func (p *packing) drop(c *checkpoint) {
	p.waiting = slices.DeleteFunc(p.waiting, func(w *checkpoint) bool { return w == c })
	c.contents.Drop()
}

// forget removes a checkpoint.
func (t *Timeline) forget(i int) {
	c := t.checkpoints[i]
	t.checkpoints = slices.Delete(t.checkpoints, i, i+1)
	t.packing.drop(c)
}

// memory returns the memory of all checkpoints in bytes.
func (t *Timeline) memory() int {
	n := t.packing.store.Size() + t.start.size()
	for _, c := range t.checkpoints {
		n += c.size()
	}
	return n
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
	c.use(func() {
		t.lab.CopyFrom(c.lab)
		t.stage.CopyFrom(c.stage, t.lab)
	})
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
