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
	drawn := c.parent.Drawn(c.Drawn())
	faster := c.parent.Change(to, &c.Player.Pending)
	c.remember()
	c.parent.Fade(drawn, c.Drawn(), faster)
}
