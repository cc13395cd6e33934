package localprediction

import "ghostcube/predict/localprediction/frame"

// leaveParent makes the world the parent.
func (c *Client) leaveParent() {
	if c.parent.Current() != frame.NoParent {
		c.ChangeParent(frame.NoParent)
	}
}

// ChangeParent changes to another parent, or to frame.NoParent.
func (c *Client) ChangeParent(to int) {
	drawn := c.Drawn()
	present := c.Log.ServerTick(c.Env.World.Tick()).Moment()
	smooth := c.parent.Change(to, present, &c.Player.Pending)
	c.remember()
	if smooth {
		c.absorbAll(drawn)
	}
}
