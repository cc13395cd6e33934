package codec

import (
	"slices"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// A whole world, as a joining client downloads it, is
//
//	tick, 32 bits
//	in a scene with vehicles or couplings: its attachments (CodeAttachments)
//	for each body: the body, with checks (CodeBody), and its owner, 8 bits: 255 for none
//	if it is exact: the words of the hidden state (World.CodeHidden), each as one bit, and 32 more unless it is 0
//
// One that is not exact leaves out contacts, joints' impulses and sleep counters, for clients that do not step it. One
// that does needs every bit.

// noOwner stands for sim.NoPlayer.
const noOwner = 255

// AppendWorld appends a whole world to dst.
func AppendWorld(dst []byte, w *predict.World, exact bool) []byte {
	var c quant.Coder
	c.BeginMeasure()
	writeWorld(&c, w, exact)
	c.BeginWrite(make([]byte, (c.BitsProcessed()+63)/64*8))
	writeWorld(&c, w, exact)
	if c.Err() != nil {
		panic("codec: a world does not fit: " + c.Err().Error())
	}
	return append(dst, c.FinishWrite()...)
}

// writeWorld writes or measures a whole world.
func writeWorld(c *quant.Coder, w *predict.World, exact bool) {
	c.EnableChecks(true)
	c.Bits(uint32(w.Tick()), 32)
	attachments := w.Attachments()
	CodeAttachments(c, &attachments, w.Scene())
	for i, b := range w.Bodies() {
		c.Group("bodies", i)
		c.AlignChecked()
		CodeBody(c, &b, w.Scene())
		owner := uint32(noOwner)
		if o := w.Owners()[i]; o != sim.NoPlayer {
			owner = uint32(o) & 0xff
		}
		c.Bits(owner, 8)
	}
	if exact {
		var s predict.State
		w.Save(&s)
		codeHidden(c, w, &s)
	}
}

// codeHidden reads, writes or measures a hidden state. It reports whether it is possible.
func codeHidden(c *quant.Coder, w *predict.World, s *predict.State) (ok bool) {
	return w.CodeHidden(s, func(x uint32) uint32 {
		if !c.Bool(x != 0) {
			return 0
		}
		return c.Bits(x, 32)
	})
}

// ReadWorld sets a world to one that AppendWorld has written. The data is untrusted: if it is
// malformed or cannot be of the scene, that is an error, and the world stays as it is.
func ReadWorld(data []byte, w *predict.World, exact bool) error {
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
	var s predict.State
	w.Save(&s)
	if exact && (!codeHidden(&c, w, &s) || c.Err() != nil) || !c.AtEnd(len(data)) || tick > maxWorldTick {
		return predict.ErrMalformed
	}
	w.SetTick(tick)
	w.SetAttachments(attachments)
	for i := range bodies {
		w.SetBody(i, bodies[i])
		w.SetOwner(i, owners[i])
	}
	if exact {
		w.LoadHidden(&s)
	}
	return nil
}

// maxWorldTick is the last tick of a downloaded world, far beyond any session.
const maxWorldTick = 1 << 31

// Declare declares the knob of checks. A receiver of a client that has joined (Env.Joined) continues from the
// world that the client has downloaded, so that snapshots may leave out bodies of it.
func (r *Receiver) Declare(env *predict.Env) {
	DeclareChecks(env, &r.Checks)
	if !env.Joined {
		return
	}
	w := env.World
	r.Tick, r.HasSnapshot, r.Attachments = w.Tick(), true, w.Attachments()
	r.Bodies = append(r.Bodies[:0], w.Bodies()...)
	r.receivedAt = slices.Repeat([]sim.Tick{w.Tick()}, len(r.Bodies))
	r.LastInputs = append(r.LastInputs[:0], make([]sim.Input, w.Scene().Players)...)
}
