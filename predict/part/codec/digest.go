package codec

import (
	"errors"
	"math"

	"ghostcube/net/quant"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
)

// A snapshot leaves out bodies that its receiver should have. If the sender is wrong about that, because an
// acknowledgement was forged, the receiver would draw old states for ever. So a snapshot that leaves out bodies has
// a digest of what the receiver must have after it, 8 bits. It depends on the tick: states that differ have equal
// digests once in 256 snapshots, not always.
//
//   - The digest of a whole snapshot is of all bodies. A receiver with another one drops the snapshot.
//   - A partial snapshot has the digest of a group, every 32nd body: 5 bits for the group, and for each body of it a
//     bit that is set if the receiver should have its present state. A receiver with another digest uses the
//     snapshot all the same, because the bodies in it are as they should be.
//
// In both cases it refuses the packet (packet.Endpoint.Refuse), and the sender begins again with whole states.
const (
	digestBits = 8
	groupBits  = 5
	groups     = 1 << groupBits
)

// errDigest is the error of a snapshot that does not fit what the receiver has.
var errDigest = errors.New("codec: bodies that are left out are not known")

// digest is a digest of the states of bodies.
type digest uint32

// newDigest returns the digest of no bodies at a tick.
func newDigest(t sim.Tick) digest { return digest(uint32(t)&(1<<tickBits-1))*2654435761 + 1 }

// add adds the state of body i as it is encoded.
func (d *digest) add(i int, b *sim.Body) {
	p, q, v, w := &b.Pose.Pos, &b.Pose.Rot, &b.Linear, &b.Angular
	d.addUint32(uint32(i))
	for _, x := range [...]float32{p.X, p.Y, p.Z, q.X, q.Y, q.Z, q.W} {
		d.addFloat(x)
	}
	if b.Asleep {
		d.addUint32(1)
		return
	}
	for _, x := range [...]float32{v.X, v.Y, v.Z, w.X, w.Y, w.Z} {
		d.addFloat(x)
	}
}

// addInexact adds body i, whose state the receiver cannot have bit for bit.
func (d *digest) addInexact(i int) { d.addUint32(^uint32(i)) }

// addFloat adds a number. Zeros of both signs are the same, as they are to a ChangeTracker.
func (d *digest) addFloat(x float32) {
	if x == 0 {
		d.addUint32(0)
		return
	}
	d.addUint32(math.Float32bits(x))
}

func (d *digest) addUint32(x uint32) {
	h := (uint32(*d) ^ x) * 0x85EBCA6B
	*d = digest(h ^ h>>15)
}

// bits returns the digest as it is sent.
func (d digest) bits() uint32 { return uint32(d*0xC2B2AE35) >> (32 - digestBits) }

// exact reports whether a receiver has exactly the state of body i that the tracker has. A relative body that
// does not fit its encoding arrives as a body in the world, and is relative to another pose there.
func (c *ChangeTracker) exact(i int) bool {
	return c.tree == nil || c.tree.Nodes[i].Parent == jointtree.None || fitsLocal(&c.bodies[i])
}

// addTo adds body i to a digest.
func (c *ChangeTracker) addTo(d *digest, i int) {
	if c.exact(i) {
		d.add(i, &c.bodies[i])
	} else {
		d.addInexact(i)
	}
}

// digest returns the digest of all bodies at a tick.
func (c *ChangeTracker) digest(t sim.Tick) uint32 {
	d := newDigest(t)
	for i := range c.bodies {
		c.addTo(&d, i)
	}
	return d.bits()
}

// newest returns the newest states of the bodies in the payload that was read last, and marks in r.exact those that
// equal the sender's.
func (r *Receiver) newest() []sim.Body {
	bodies := r.nextBodies
	if r.readTree != nil {
		bodies = r.nextLocals
	}
	for len(r.nextExact) < len(bodies) {
		r.nextExact = append(r.nextExact, false)
	}
	for i := range bodies {
		switch root := r.readTree == nil || r.readTree.Nodes[i].Parent == jointtree.None; {
		case root || r.included[i]:
			r.nextExact[i] = root || r.isRelative[i]
		default:
			r.nextExact[i] = i < len(r.exact) && r.exact[i]
		}
	}
	return bodies
}

// checkDigest reports whether the receiver has what the payload that was read last requires.
func (r *Receiver) checkDigest() bool {
	bodies := r.newest()
	if !r.hasDigest {
		return true
	}
	d := newDigest(r.readTick)
	for i := range bodies {
		switch {
		case r.partial && !r.inDigest(i):
		case r.nextExact[i]:
			d.add(i, &bodies[i])
		default:
			d.addInexact(i)
		}
	}
	return d.bits() == r.readDigest
}

// inDigest reports whether the digest of a partial snapshot includes body i.
func (r *Receiver) inDigest(i int) bool {
	return i%groups == r.digestGroup && i/groups < len(r.digestBodies) && r.digestBodies[i/groups]
}

// codeGroup reads or writes which bodies of a scene the digest of a partial snapshot includes: the group, and a bit
// for each body of it. It returns the bodies' bits, in the memory of list.
func codeGroup(c *quant.Coder, group, bodies int, list []bool) (int, []bool) {
	c.Group("digest", 0)
	c.Label("group")
	group = int(c.Bits(uint32(group), groupBits))
	n := max(bodies-group+groups-1, 0) / groups
	if c.Reading() {
		list = list[:0]
		for range n {
			list = append(list, false)
		}
	}
	for i := range n {
		c.Label("known")
		list[i] = c.Bool(list[i])
	}
	return group, list
}

// writeGroup writes the digest of the next group of a partial snapshot.
func (s *Sender) writeGroup(c *quant.Coder, changes *ChangeTracker, a *areaBroadcast, t sim.Tick) {
	p, list := &s.partial, a.scratch.known[:0]
	group := int(p.count % groups)
	d := newDigest(t)
	for i := group; i < len(changes.bodies); i += groups {
		known := a.scratch.included[i] || p.has(i, changes, a.start)
		if list = append(list, known); known {
			changes.addTo(&d, i)
		}
	}
	a.scratch.known = list
	codeGroup(c, group, len(changes.bodies), list)
	c.Label("digest")
	c.Bits(d.bits(), digestBits)
}

// readGroup reads what writeGroup writes.
func (r *Receiver) readGroup(c *quant.Coder, bodies int) {
	r.digestGroup, r.digestBodies = codeGroup(c, 0, bodies, r.digestBodies)
	c.Label("digest")
	r.readDigest, r.hasDigest = c.Bits(0, digestBits), true
}
