package codec

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// A whole world, as a joining client downloads it, is
//
//	tick, 32 bits
//	in a scene with vehicles or couplings: its attachments (CodeAttachments)
//	for each body: the body, with checks (CodeBody), and its owner, 8 bits: 255 for none
//
// It leaves out contacts and joints' impulses, which a client finds anew.

// noOwner stands for sim.NoPlayer.
const noOwner = 255

// AppendWorld appends a whole world to dst.
func AppendWorld(dst []byte, w *predict.World) []byte {
	var c quant.Coder
	c.BeginWrite(make([]byte, (32+attachmentBits(w.Scene())+len(w.Bodies())*(AwakeBits+bodyChecksBits+8)+63)/64*8))
	c.EnableChecks(true)
	c.Bits(uint32(w.Tick()), 32)
	attachments := w.Attachments()
	CodeAttachments(&c, &attachments, w.Scene())
	for i, b := range w.Bodies() {
		c.Group("bodies", i)
		c.AlignChecked()
		CodeBody(&c, &b, w.Scene())
		owner := uint32(noOwner)
		if o := w.Owners()[i]; o != sim.NoPlayer {
			owner = uint32(o) & 0xff
		}
		c.Bits(owner, 8)
	}
	if c.Err() != nil {
		panic("codec: a world does not fit: " + c.Err().Error())
	}
	return append(dst, c.FinishWrite()...)
}

// ReadWorld sets a world to one that AppendWorld has written. The data is untrusted: if it is
// malformed or cannot be of the scene, that is an error, and the world stays as it is.
func ReadWorld(data []byte, w *predict.World) error {
	var c quant.Coder
	c.BeginRead(data)
	c.EnableChecks(true)
	tick := sim.Tick(c.Bits(0, 32))
	attachments := sim.Attachments{}
	CodeAttachments(&c, &attachments, w.Scene())
	bodies, owners := make([]sim.Body, len(w.Bodies())), make([]int8, len(w.Bodies()))
	for i := range bodies {
		c.Group("bodies", i)
		c.AlignChecked()
		CodeBody(&c, &bodies[i], w.Scene())
		switch owner := c.Bits(0, 8); {
		case owner == noOwner:
			owners[i] = sim.NoPlayer
		case int(owner) < w.Scene().Players:
			owners[i] = int8(owner)
		default:
			c.Fail(predict.ErrMalformed)
		}
		if c.Err() != nil {
			return c.Err()
		}
	}
	if !c.AtEnd(len(data)) || tick > maxWorldTick {
		return predict.ErrMalformed
	}
	for i := range bodies {
		w.SetBody(i, bodies[i])
		w.SetOwner(i, owners[i])
	}
	w.SetTick(tick)
	w.SetAttachments(attachments)
	return nil
}

// maxWorldTick is the last tick of a downloaded world, far beyond any session.
const maxWorldTick = 1 << 31

// Start makes r continue from a world that the client has downloaded, so that snapshots may leave
// out bodies of it.
func (r *Receiver) Start(w *predict.World) {
	r.Tick, r.HasSnapshot = w.Tick(), true
	r.Bodies = append(r.Bodies[:0], w.Bodies()...)
	if a := w.Attachments(); a != r.Attachments {
		r.Attachments = a
		r.SetEncoding(w.Scene(), r.encoding, r.player)
	}
	r.LastInputs = append(r.LastInputs[:0], make([]sim.Input, w.Scene().Players)...)
}
