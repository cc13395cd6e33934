package relative

import (
	"ghostcube/predict/localprediction"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// moveWithParent moves the player's cube as its parent has moved since the last tick. The parent of
// the first snapshot is adopted at once, so that a client that joins in a moving ship is in its
// frame from the start.
func (c *client) moveWithParent(fresh bool) {
	if fresh && c.parent.StartsWithParent() {
		c.Teleport(c.parent.AdoptServer())
	}
	now := c.Env.World.Tick()
	c.parent.SetTickOffset(int64(c.Log.ServerTick(now)) - int64(now))
	turn := c.parent.MoveAlong()
	if turn == geom.Identity {
		return
	}
	c.Player.Pending = c.Player.Pending.Rotated(turn)
	c.Player.ErrorOffset.Pos = turn.Rotate(c.Player.ErrorOffset.Pos)
}

// followServer adopts the server's parent after it has differed from the client's in several
// snapshots. The newest one describes the client tick at, and ours is what is remembered of that.
func (c *client) followServer(at sim.Tick, ours *localprediction.Remembered) {
	if ours == nil || c.Chain.Active() {
		return
	}
	if to, changed := c.parent.Follow(at, ours.Parent); changed {
		c.ChangeParent(to)
	}
}
