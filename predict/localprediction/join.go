package localprediction

import (
	"ghostcube/net/packet"
	"ghostcube/predict/localprediction/correction"
)

// Joining reports whether the client has lost everything and cannot predict yet; then it only acknowledges. When
// all bodies have reached their first received positions, the player's body starts from the server's
// state in the newest snapshot.
func (c *Client) Joining(fresh bool, server *packet.Endpoint) bool {
	if !c.Env.Joined || c.state.placed {
		return false
	}
	if !c.Interpolated.Started() || c.Env.Player >= 0 && !fresh {
		server.Send(nil)
		return true
	}
	if c.Env.Player < 0 {
		c.Env.Joined = false
		return false
	}
	w, in := c.Env.World, c.Snapshot()
	w.SetTick(in.Tick)
	w.SetAttachments(in.Attachments)
	w.SetHeldActions(in.LastInputs)
	c.ChoosePredicted()
	w.SetBody(c.vehicle.body, *c.ServerBody())
	c.forget()
	c.state.placed = true
	return false
}

// EndTick ends the client's tick. A client that has lost everything is drawn when a state has described one of
// its ticks: only then it knows in which tick the server uses an input of it, and where a moving player is.
// Corrections until then apply at once.
func (c *Client) EndTick() {
	if c.Env.Joined && c.Log.Located() {
		if b := c.Player.Corrected(c.Body()); b != *c.Body() {
			c.Env.World.SetBody(c.vehicle.body, b)
		}
		c.Player.Body = correction.Body{}
		c.Env.Joined = false
	}
	c.World.EndTick()
}
