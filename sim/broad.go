package sim

import (
	"cmp"
	"slices"

	"ghostcube/sim/geom"
)

// extent is the bounding box of one solid in the sweep.
type extent struct {
	lo, hi geom.Vec3
	id     int32
	awake  bool
}

// pairKey names a pair of solids so that sorting by key puts pairs of moving
// bodies first, in the order of their numbers, then those with what stands
// still, then those with the ground. The second half is always a moving body.
func pairKey(a, b int32) uint32 { return uint32(a)<<16 | uint32(b) }

// findPairs lists the pairs of solids whose bounds overlap and of which at
// least one is awake, sorted by key. It sweeps along x: the extents are sorted
// by their lower end, and each is compared with those that begin before it
// ends. Nothing but the state decides the result: the order of the last tick
// is only where sorting starts from.
func (w *World) findPairs() {
	if len(w.extents) != len(w.solids) {
		w.extents = w.extents[:0]
		for i := range w.solids {
			w.extents = append(w.extents, extent{id: int32(i), lo: w.solids[i].lo})
		}
		w.awakeNext = make([]int32, len(w.extents)+1)
		slices.SortFunc(w.extents, func(a, b extent) int { return cmp.Compare(a.lo.X, b.lo.X) })
	}
	e := w.extents
	for i := range e {
		x := &e[i]
		s := &w.solids[x.id]
		x.lo, x.hi, x.awake = s.lo, s.hi, false
		if int(x.id) < len(w.bodies) {
			b := &w.bodies[x.id]
			if x.awake = !b.Asleep; x.awake {
				w.stretch(x, b)
			}
		}
	}
	for i := 1; i < len(e); i++ { // nearly sorted already
		for j := i; j > 0 && e[j].lo.X < e[j-1].lo.X; j-- {
			e[j], e[j-1] = e[j-1], e[j]
		}
	}

	// A sleeper need only be compared with those awake.
	next := int32(len(e))
	w.awakeNext[len(e)] = next
	for i := len(e) - 1; i >= 0; i-- {
		if e[i].awake {
			next = int32(i)
		}
		w.awakeNext[i] = next
	}
	w.pairs = w.pairs[:0]
	for i := range e {
		a := &e[i]
		if a.awake {
			for j := i + 1; j < len(e) && e[j].lo.X <= a.hi.X; j++ {
				w.addPair(a, &e[j])
			}
			continue
		}
		for j := w.awakeNext[i+1]; int(j) < len(e) && e[j].lo.X <= a.hi.X; j = w.awakeNext[j+1] {
			w.addPair(a, &e[j])
		}
	}
	w.sortPairs()
}

// stretch widens the bounds of a body that may move further in this tick than
// its contact margin sees, so that it cannot pass through what is in its way.
func (w *World) stretch(x *extent, b *Body) {
	way := b.Linear.Scale(w.dt)
	if way.Len2() < fastWay2(w.solids[x.id].half) {
		return
	}
	x.lo = geom.Vec3{X: x.lo.X + min(0, way.X), Y: x.lo.Y + min(0, way.Y), Z: x.lo.Z + min(0, way.Z)}
	x.hi = geom.Vec3{X: x.hi.X + max(0, way.X), Y: x.hi.Y + max(0, way.Y), Z: x.hi.Z + max(0, way.Z)}
}

// fastWay2 is the squared way in one tick from which a box counts as fast: a
// quarter of its smallest side. Anything slower overlaps what it hits for at
// least one tick, deep enough to be pushed back and not so deep as to be
// pushed out on the other side.
func fastWay2(half geom.Vec3) float32 {
	h := float32(min(half.X, half.Y, half.Z) * 0.5)
	return float32(h * h)
}

func (w *World) addPair(a, b *extent) {
	if a.lo.Y > b.hi.Y || b.lo.Y > a.hi.Y || a.lo.Z > b.hi.Z || b.lo.Z > a.hi.Z {
		return
	}
	p, q := a.id, b.id
	if p > q {
		p, q = q, p
	}
	if int(q) >= len(w.bodies) { // the one that stands still comes first
		p, q = q, p
	}
	w.pairs = append(w.pairs, pairKey(p, q))
}

// sortPairs sorts the pairs by key: by insertion while they are few, else by
// radix, 11 bits at a time.
func (w *World) sortPairs() {
	p := w.pairs
	if len(p) <= 64 {
		slices.Sort(p)
		return
	}
	if cap(w.pairsSpare) < len(p) {
		w.pairsSpare = make([]uint32, 2*len(p))
	}
	q := w.pairsSpare[:len(p)]
	var count [2048]uint32
	for shift := uint(0); shift < 32; shift += 11 {
		clear(count[:])
		for _, k := range p {
			count[k>>shift&2047]++
		}
		sum := uint32(0)
		for i, c := range count {
			count[i] = sum
			sum += c
		}
		for _, k := range p {
			slot := &count[k>>shift&2047]
			q[*slot] = k
			*slot++
		}
		p, q = q, p
	}
	// Three passes: the result lies in what was the spare.
	w.pairs, w.pairsSpare = p, q
}
