package sim

import (
	"math"
	"slices"

	"ghostcube/sim/geom"
)

// lanes are the values of a block's four contacts.
type lanes [4]float32

// vecLanes are the vectors of a block's four contacts.
type vecLanes struct{ x, y, z lanes }

func (v *vecLanes) set(i int32, a geom.Vec3) { v.x[i], v.y[i], v.z[i] = a.X, a.Y, a.Z }
func (v *vecLanes) at(i int32) geom.Vec3     { return geom.Vec3{X: v.x[i], Y: v.y[i], Z: v.z[i]} }

// contactBlock are four contacts of which no two share a body that reacts, for a processor that computes four lanes at a
// time. Its lanes do what contactConstraint does, operation by operation, so their results have the same bits.
type contactBlock struct {
	a, b   [4]int32 // indices of solver bodies
	counts [4]int32 // of points, descending; the points that a lane has less than the first change nothing

	normal, t1, t2                              vecLanes
	invMassA, invMassB, invMass                 lanes // 1/kg, the last one of both together
	friction                                    lanes
	friction1, friction2, twistImpulse          lanes
	tangentMass11, tangentMass12, tangentMass22 lanes
	twistMass                                   lanes
	massScale, rate, impulseScale               lanes // of the soft contact; rate is biasRate * massScale
	a1, a2, b1, b2, na, nb                      vecLanes
	points                                      [4]blockPoint
}

// blockPoint are the points with one index of four contacts.
type blockPoint struct {
	sa, sb                                               vecLanes
	separation, now, normalMass, normalImpulse, leverArm lanes
}

// contactBlocks are the contacts of a step in blocks.
type contactBlocks struct {
	used   bool // in this step
	never  bool // contacts are solved one by one, for tests
	blocks []contactBlock
	slots  []int32 // by position in the solving order: 4 * block + lane

	roundOf []int32    // by body: the round after that of its last contact
	rounds  []int32    // by position in the solving order
	next    [][5]int32 // by round and 4 - number of points: the next free slot
}

// inUse reports whether this step solves contacts in blocks. Programs for other processors contain no code of blocks.
func (c *contactBlocks) inUse() bool { return hasBlocks && c.used }

// Blocks pay off from a number of contacts on, and if half of their lanes are in use.
const (
	minForBlocks  = 8
	minLanesInUse = 2
)

// useBlocks assigns the contacts in solving order to blocks and reports whether it did. Contacts with carriers change
// their body before and after they are solved, which blocks do not.
func (w *World) useBlocks() bool {
	if !hasBlocks || w.solver.blocks.never || len(w.carrierBoxes) > 0 || len(w.solver.contactOrder) < minForBlocks {
		return false
	}
	w.assignSlots()
	t := &w.solver.blocks
	return aligned(t.blocks) && len(w.solver.contactOrder) >= minLanesInUse*len(t.blocks)
}

// assignSlots sorts the contacts in solving order into rounds, in which no body has two contacts, and fills blocks with
// the contacts of one round. All contacts of a body keep their order, so the results are the same.
func (w *World) assignSlots() {
	s, t := &w.solver, &w.solver.blocks
	n := int32(len(w.state.Bodies))
	if len(t.roundOf) == 0 {
		t.roundOf, t.next = make([]int32, n), make([][5]int32, 0, 32)
	}
	for _, k := range s.contactOrder {
		a, b := w.state.manifolds[k].shapes()
		t.roundOf[w.bodyOf(b)] = 0
		if a = w.bodyOf(a); a < n {
			t.roundOf[a] = 0
		}
	}
	room := max(len(s.contactOrder), 64)
	t.rounds, t.slots, t.next = slices.Grow(t.rounds[:0], room), slices.Grow(t.slots[:0], room), t.next[:0]
	for _, k := range s.contactOrder {
		m := &w.state.manifolds[k]
		a, b := m.shapes()
		a, b = w.bodyOf(a), w.bodyOf(b)
		round := t.roundOf[b]
		if a < n {
			round = max(round, t.roundOf[a])
			t.roundOf[a] = round + 1
		}
		t.roundOf[b] = round + 1
		if int(round) == len(t.next) {
			t.next = append(t.next, [5]int32{})
		}
		t.rounds = append(t.rounds, round)
		t.next[round][4-m.pointCount]++
	}
	first := int32(0)
	for i := range t.next {
		first = (first + 3) &^ 3
		for j, count := range t.next[i] {
			t.next[i][j] = first
			first += count
		}
	}
	first = (first + 3) &^ 3
	for i, round := range t.rounds {
		slot := &t.next[round][4-w.state.manifolds[s.contactOrder[i]].pointCount]
		t.slots = append(t.slots, *slot)
		*slot++
	}
	t.grow(int(first / 4))
}

// grow makes room for a number of blocks.
func (c *contactBlocks) grow(count int) {
	if cap(c.blocks) < count {
		c.blocks = make([]contactBlock, count, max(count+count/2, 16))
	}
	c.blocks = c.blocks[:count]
}

// prepareBlocks prepares the contacts in solving order, in blocks.
func (w *World) prepareBlocks(contactSoft, staticSoft *softness) {
	s, t := &w.solver, &w.solver.blocks
	s.contacts = append(s.contacts[:0], contactConstraint{})
	c := &s.contacts[0]
	for i, k := range s.contactOrder {
		a, b := w.state.manifolds[k].shapes()
		w.prepareContact(c, k, a, b)
		soft := contactSoft
		if c.static {
			soft = staticSoft
		}
		t.blocks[t.slots[i]>>2].set(t.slots[i]&3, c, w.solver.bodies, soft)
	}
	s.contacts = s.contacts[:0]
	empty := contactConstraint{a: int32(len(w.state.Bodies)), b: int32(len(w.state.Bodies))}
	for i := range t.next { // the rest of each round's last block
		for slot := t.next[i][4]; slot&3 != 0; slot++ {
			t.blocks[slot>>2].set(slot&3, &empty, w.solver.bodies, &rigid)
		}
	}
	for i := range t.blocks {
		t.blocks[i].clearPoints()
	}
}

// set makes a lane of the block a contact.
func (c *contactBlock) set(i int32, from *contactConstraint, bodies []solverBody, soft *softness) {
	c.a[i], c.b[i] = from.a, from.b
	c.normal.set(i, from.normal)
	c.t1.set(i, from.t1)
	c.t2.set(i, from.t2)
	ma, mb := bodies[from.a].invMass, bodies[from.b].invMass
	c.invMassA[i], c.invMassB[i], c.invMass[i] = ma, mb, ma+mb
	c.friction[i], c.friction1[i], c.friction2[i], c.twistImpulse[i] = from.friction, from.friction1, from.friction2, from.twistImpulse
	c.tangentMass11[i], c.tangentMass12[i], c.tangentMass22[i], c.twistMass[i] = from.tangentMass11, from.tangentMass12, from.tangentMass22, from.twistMass
	c.massScale[i], c.rate[i], c.impulseScale[i] = soft.massScale, float32(soft.massScale*soft.biasRate), soft.impulseScale
	c.a1.set(i, from.a1)
	c.a2.set(i, from.a2)
	c.b1.set(i, from.b1)
	c.b2.set(i, from.b2)
	c.na.set(i, from.na)
	c.nb.set(i, from.nb)
	for k := range from.pointCount {
		p, to := &from.points[k], &c.points[k]
		to.sa.set(i, p.sa)
		to.sb.set(i, p.sb)
		to.separation[i], to.normalMass[i], to.normalImpulse[i], to.leverArm[i] = p.separation, p.normalMass, p.normalImpulse, p.leverArm
	}
	c.counts[i] = from.pointCount
}

// clearPoints clears the points that a lane has less than the first.
func (c *contactBlock) clearPoints() {
	for i := int32(1); i < 4; i++ {
		for k := c.counts[i]; k < c.counts[0]; k++ {
			c.points[k].clear(i)
		}
	}
}

// negativeZero added to a number gives the number, even if that is -0.
var negativeZero = geom.Vec3{X: float32(math.Copysign(0, -1)), Y: float32(math.Copysign(0, -1)), Z: float32(math.Copysign(0, -1))}

// clear makes a lane a point that changes nothing.
func (p *blockPoint) clear(i int32) {
	p.sa.set(i, geom.Vec3{})
	p.sb.set(i, negativeZero)
	p.separation[i], p.now[i], p.normalMass[i], p.normalImpulse[i], p.leverArm[i] = 0, 0, 0, 0, 0
}

// storeBlocks stores the impulses of the blocks in the manifolds.
func (w *World) storeBlocks() {
	t := &w.solver.blocks
	for i, k := range w.solver.contactOrder {
		m, lane := &w.state.manifolds[k], t.slots[i]&3
		b := &t.blocks[t.slots[i]>>2]
		for p := range m.pointCount {
			index := p
			if w.Settings.SolveOrderSeed != 0 {
				index = m.pointCount - 1 - p
			}
			m.points[index].normalImpulse = b.points[p].normalImpulse[lane]
		}
		m.frictionImpulse = b.t1.at(lane).Scale(b.friction1[lane]).AddScaled(b.friction2[lane], b.t2.at(lane))
		m.twistImpulse = b.twistImpulse[lane]
	}
}
