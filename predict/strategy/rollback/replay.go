package rollback

import (
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// worldTicks is the number of worlds that a client remembers: those of all ticks from the last confirmed one on,
// up to the limit of a rollback.
const worldTicks = 64

// steppedInputs are the inputs of all players that a tick was last stepped with, without shots.
type steppedInputs [sim.MaxPlayers]sim.Input

// rollback goes back to the first tick that was stepped with a wrong input, if there is one, and steps again up
// to the present. The error offsets absorb the difference.
func (c *client) rollback() {
	if !c.state.hasWrong {
		return
	}
	first, now := c.state.firstWrong, c.env.World.Tick()
	c.state.hasWrong = false
	if c.worlds.Find(first) == nil {
		return // not within the limit of a rollback: a client confirms what it has stepped, or not yet stepped
	}
	c.counters.rollbacks.Inc()
	c.counters.depthMax.Max(float64(now - first))
	c.counters.rolledBack.Add(float64(now - first))
	c.replay(first)
}

// replay steps again from a past tick up to the present.
func (c *client) replay(first sim.Tick) {
	w := c.env.World
	now, began := w.Tick(), c.env.Counters.BeginSpan()
	c.scratch.drawn = c.appendDrawn(c.scratch.drawn[:0])
	if !c.replaySelected(first, now) {
		c.replayAll(first, now)
	}
	for i, b := range w.Bodies() {
		c.settings.smoothing.Absorb(&c.errorOffsets[i], c.scratch.drawn[i], b.Pose)
	}
	c.env.Counters.EndSpan("rollback", began)
}

// replayAll loads the world of a tick and steps all of it again.
func (c *client) replayAll(first, now sim.Tick) {
	w := c.env.World
	w.Load(c.worlds.Find(first))
	for w.Tick() < now {
		c.step()
	}
}

// replaySelected steps only what can differ from the remembered worlds, and reports false if that is not possible. The
// checksums of the ticks between follow once these can no longer change.
func (c *client) replaySelected(first, now sim.Tick) bool {
	w := c.env.World
	for t := first; t < now; t++ {
		if c.worlds.Find(t) == nil || c.stepped.Find(t) == nil {
			return false
		}
	}
	if c.settings.solver.DropCacheEvery > 0 {
		return false
	}
	c.settings.solver.Apply(w.World)
	if !w.BeginReplay(&c.worlds.Find(first).State) {
		return false
	}
	for t := first; t < now; t++ {
		stepped := c.stepped.Find(t)
		c.scratch.was = append(c.scratch.was[:0], stepped[:len(c.scratch.inputs)]...)
		c.chooseInputs(t, stepped)
		w.Replay(c.worlds.Find(t), c.worldUntil(t+1, now), c.scratch.was, c.scratch.inputs)
		c.checksums.Forget(t + 1)
	}
	w.EndReplay()
	c.recordChecksums()
	return true
}

// worldUntil returns the remembered world of a tick before now.
func (c *client) worldUntil(t, now sim.Tick) *predict.State {
	if t < now {
		return c.worlds.Find(t)
	}
	return nil
}

// step saves the world and steps it by a tick.
func (c *client) step() {
	w := c.env.World
	t := w.Tick()
	w.Save(c.worlds.Insert(t))
	c.chooseInputs(t, c.stepped.Insert(t))
	c.settings.solver.Step(w, c.scratch.inputs...)
	c.recordChecksums()
}

// chooseInputs sets the inputs of all players with which a tick is stepped.
func (c *client) chooseInputs(t sim.Tick, stepped *steppedInputs) {
	*stepped = steppedInputs{}
	inputs := c.scratch.inputs
	for p := range inputs {
		stepped[p] = withoutShot(c.inputAt(t, p))
		inputs[p] = stepped[p]
		c.noteEvents(t, p, true)
	}
}

// recordChecksums remembers the checksums of the world, if they are used.
func (c *client) recordChecksums() {
	if c.settings.checksumEvery > 0 {
		c.checksums.Record(c.env.World)
	}
}

// appendDrawn appends the drawn poses of all bodies.
func (c *client) appendDrawn(dst []geom.Pose) []geom.Pose {
	for i, b := range c.env.World.Bodies() {
		dst = append(dst, c.errorOffsets[i].Apply(b.Pose))
	}
	return dst
}

// finish compares the checksums of the ticks that can no longer change, whose inputs are all confirmed and which
// were stepped with them.
func (c *client) finish() {
	final := min(c.known.confirmed, c.env.World.Tick())
	for t := c.state.final + 1; t <= final; t++ {
		if world := c.worlds.Find(t); world != nil && c.checksums.At(t) == 0 && c.settings.checksumEvery > 0 {
			c.checksums.RecordState(world)
		}
		c.desync.Compare(t, &c.checksums, &c.counters.desync)
	}
	c.state.final = max(c.state.final, final)
}

func (c *client) copyReplay(o *client) {
	c.stepped.CopyFrom(&o.stepped, history.CopyValue[steppedInputs])
	c.worlds.CopyFrom(&o.worlds, func(dst, src *predict.State) { dst.CopyFrom(src) })
	c.errorOffsets = append([]smoothing.ErrorOffset(nil), o.errorOffsets...)
}
