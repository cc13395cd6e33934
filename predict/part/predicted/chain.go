package predicted

import (
	"ghostcube/predict/part/correction"
	"ghostcube/predict/part/frame"
	"ghostcube/predict/part/jointchain"
	"ghostcube/sim/geom"
)

// updateChain brings what is predicted in line with the knobs.
func (c *client) updateChain() {
	player, chain := c.chain.Update()
	if player {
		jointchain.SetPredicted(c.env.World, &c.interpolated, c.env.Player, !c.chain.TooLong())
		c.history.Reset()
		c.own.Body = correction.Body{}
		c.leaveParent()
		c.record()
	}
	if chain {
		c.chain.End(&c.interpolated)
	}
	if chain && c.chain.Wanted() {
		c.leaveParent()
		c.chain.Begin(&c.interpolated)
	}
}

// leaveParent leaves the parent, if there is one: what hangs on the own cube is not in its
// space.
func (c *client) leaveParent() {
	if c.currentParent() != frame.NoParent {
		c.changeParent(frame.NoParent)
	}
}

// posedByTree reports whether body i is drawn where what it hangs on has it.
func (c *client) posedByTree(i int) bool {
	return c.interpolated.Tree() != nil && !c.interpolated.IsExcluded(i) && c.remote.Interpolated(i)
}

// posePredicted tells where the bodies are that are not shown, for those that hang on them; drawn
// says as they are drawn.
func (c *client) posePredicted(drawn bool) {
	if c.env.Player < 0 {
		return
	}
	for i := range c.env.World.Bodies() {
		if c.interpolated.IsExcluded(i) {
			c.interpolated.SetExcludedPose(i, c.predictedPose(i, drawn))
		}
	}
	if drawn {
		c.interpolated.PoseChildren()
	}
}

// predictedPose is where a body is that is stepped here, or is drawn.
func (c *client) predictedPose(i int, drawn bool) geom.Pose {
	if !drawn {
		return c.env.World.Bodies()[i].Pose
	}
	if p, ok := c.chain.Drawn(i); ok {
		return p
	}
	return c.own.Drawn(c.env.World, i)
}
