package relative

import (
	"ghostcube/predict/localprediction/frame"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// moveWithParent moves the player's cube as its parent has moved since the last tick. The parent of
// the first snapshot is adopted at once, so that a client that joins in a moving ship is in its
// frame from the start.
func (c *client) moveWithParent(fresh bool) {
	if fresh && c.parent.StartsWithParent() {
		c.teleport(c.parent.AdoptServer())
	}
	turn := c.parent.MoveAlong()
	if turn == geom.Identity {
		return
	}
	p := &c.world.Player
	p.Pending = p.Pending.Rotated(turn)
	p.ErrorOffset.Pos = turn.Rotate(p.ErrorOffset.Pos)
}

// followServer adopts the server's parent after it has differed from the client's in several
// snapshots. at is the client tick that the newest one describes.
func (c *client) followServer(at sim.Tick) {
	ours := c.history.Find(at)
	if ours == nil || c.world.Chain.Active() {
		return
	}
	if to, changed := c.parent.Follow(at, ours.parent); changed {
		c.changeParent(to)
	}
}

// leaveParent makes the world the parent.
func (c *client) leaveParent() {
	if c.parent.Current() != frame.NoParent {
		c.changeParent(frame.NoParent)
	}
}

// changeParent changes to another parent, or to frame.NoParent.
func (c *client) changeParent(to int) {
	drawn := c.world.Drawn()
	present := c.world.Log.ServerTick(c.env.World.Tick()).Moment()
	smooth := c.parent.Change(to, present, &c.world.Player.Pending)
	c.remember()
	if smooth {
		c.world.AbsorbAll(drawn)
	}
}

// shift adds a difference, given in the frame of a parent, to the states remembered from a tick on
// and to the pending correction. For a tick with another parent it is converted between the two
// frames as they are displayed now.
func (c *client) shift(d *smoothing.Shift, parent int, from sim.Tick) {
	f := c.parent.Interpolated(parent)
	world := f.ShiftToWorld(d)
	for past := range c.history.Between(from, c.env.World.Tick()) {
		if past.parent == parent {
			d.ApplyTo(&past.body)
			continue
		}
		other := c.parent.Interpolated(past.parent)
		local := other.ShiftToLocal(&world)
		local.ApplyTo(&past.body)
	}
	c.world.Player.Pending.Add(&world)
}
