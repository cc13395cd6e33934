package codec

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// CodeAttachments reads, writes or measures a scene's attachments: for each player the index of its
// vehicle plus 1, in as many bits as the vehicles need, and for each coupling a bit that is set if it is
// open. A scene without either takes no bits. Attachments that the scene cannot have fail c when read.
func CodeAttachments(c *quant.Coder, a *sim.Attachments, scene *sim.Scene) {
	if !scene.HasActions() {
		return
	}
	c.Group("attachments", 0)
	if n := len(scene.Vehicles); n > 0 {
		c.Label("vehicle")
		for p := range scene.Players {
			a.Vehicle[p] = uint8(c.Int(int(a.Vehicle[p]), 0, n))
		}
	}
	c.Label("open")
	open := uint64(0)
	for k := range scene.Couplings {
		if c.Bool(a.Open>>k&1 != 0) {
			open |= 1 << k
		}
	}
	if c.Reading() {
		if a.Open = open; c.Err() == nil && !a.Valid(scene) {
			c.Fail(predict.ErrMalformed)
		}
	}
}

// attachmentBits returns the size of a scene's attachments, in bits, or slightly more.
func attachmentBits(scene *sim.Scene) int { return 4*scene.Players + len(scene.Couplings) }
