package predicted

import (
	"ghostcube/predict/part/frame"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// interpolatedFrame returns the frame of a vessel as it is shown.
func (c *client) interpolatedFrame(id int) frame.Frame {
	if !c.relative {
		return frame.Frame{}
	}
	return c.parent.Interpolated(id)
}

// frame is that in which the own cube is predicted.
func (c *client) frame() *frame.Frame {
	if !c.relative {
		return &frame.Frame{}
	}
	return c.parent.Frame()
}

// currentParent is that of the own cube.
func (c *client) currentParent() int {
	if !c.relative {
		return frame.NoParent
	}
	return c.parent.Current()
}

// serverBodyIn returns the server's word of the own cube as a vessel saw it then.
func (c *client) serverBodyIn(id int) sim.Body {
	if !c.relative {
		return c.interpolated.Receiver().Bodies[c.env.Player]
	}
	return c.parent.ServerBody(id)
}

// adoptFirstParent takes the first state's word of a parent, and the own cube as it has it: a client
// that begins in a ship under way does not wait to be sure.
func (c *client) adoptFirstParent(news bool) {
	if c.relative && news && c.parent.First() {
		c.teleport(c.adoptServerParent())
	}
}

// moveWithParent moves the own cube as its parent has been moved since the last tick.
func (c *client) moveWithParent() {
	if !c.relative {
		return
	}
	if turn := c.parent.Carry(); turn != geom.Identity {
		c.own.Pending = c.own.Pending.Rotated(turn)
		c.own.ErrorOffset.Pos = turn.Rotate(c.own.ErrorOffset.Pos)
	}
}

// predictParent leaves or changes the parent by what the client's own world knows.
func (c *client) predictParent() {
	if !c.relative {
		return
	}
	if to, changed := c.parent.Predict(); changed {
		c.changeParent(to)
	}
}

// followServerParent takes the server's word of who the parent is, where that has known for a while
// another one than the client had for the same tick.
func (c *client) followServerParent(at sim.Tick) {
	e := c.history.Find(at)
	if !c.relative || e == nil || c.chain.Active() {
		return
	}
	if to, changed := c.parent.Follow(at, e.parent); changed {
		c.changeParent(to)
	}
}

// changeParent makes a vessel the parent, or none.
func (c *client) changeParent(to int) {
	w := c.env.World
	drawn := c.own.Drawn(w, c.env.Player)
	smooth := c.parent.Change(to, c.log.ServerTick(w.Tick()).Moment(), &c.own.Pending)
	c.record()
	if smooth && c.smooth.Mode != smoothing.None { // however far it is
		c.own.ErrorOffset.Absorb(drawn, c.playerBody().Pose)
	}
}

// shiftHistory adds a difference in the space of a parent to all entries from a tick on. Those
// of another parent get it turned: by how the two are shown now.
func (c *client) shiftHistory(d *smoothing.Shift, of int, from, to sim.Tick) {
	f := c.interpolatedFrame(of)
	all := f.ShiftToWorld(d)
	for e := range c.history.Between(from, to) {
		if e.parent == of {
			d.ApplyTo(&e.Body)
			continue
		}
		g := c.interpolatedFrame(e.parent)
		other := g.ShiftToLocal(&all)
		other.ApplyTo(&e.Body)
	}
	c.own.Pending.Add(&all)
	if c.relative {
		c.parent.CountCorrection(of)
	}
}

// adoptServerParent returns the server's word of the own cube in the picture of the parent that the
// server knows, which becomes the client's.
func (c *client) adoptServerParent() sim.Body {
	if !c.relative {
		return c.interpolated.Receiver().Bodies[c.env.Player]
	}
	return c.parent.AdoptServer()
}

// parentAtServerPose reports whether the parent is shown where the newest state has it: then what
// rests there is shown where the server has it, too.
func (c *client) parentAtServerPose() bool { return !c.relative || c.parent.AtServerPose() }
