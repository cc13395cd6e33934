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
	awake := w.renewExtents()
	w.pairs = w.pairs[:0]
	if awake > crowd {
		w.sweepStrips()
	}
	e := w.extents
	// A sleeper need only be compared with those awake.
	next := int32(len(e))
	w.awakeNext[len(e)] = next
	for i := len(e) - 1; i >= 0; i-- {
		if e[i].awake {
			next = int32(i)
		}
		w.awakeNext[i] = next
	}
	for i := range e {
		a := &e[i]
		if !a.awake {
			for j := w.awakeNext[i+1]; int(j) < len(e) && e[j].lo.X <= a.hi.X; j = w.awakeNext[j+1] {
				if a.overlaps(&e[j]) {
					w.addPair(a.id, e[j].id)
				}
			}
			continue
		}
		if awake == len(e) && awake > crowd {
			break // all is awake, and has been found in the strips
		}
		for j := i + 1; j < len(e) && e[j].lo.X <= a.hi.X; j++ {
			if a.overlaps(&e[j]) && (awake <= crowd || !e[j].awake) {
				w.addPair(a.id, e[j].id)
			}
		}
	}
	w.sortPairs()
	if w.grouped {
		w.pairs = slices.DeleteFunc(w.pairs, w.passes)
	}
}

// passes reports whether the two of a pair pass through each other: because they
// are of one group, or of one body.
func (w *World) passes(key uint32) bool {
	a, b := int32(key>>16), int32(key&0xffff)
	g := w.solids[a].group
	return g != 0 && g == w.solids[b].group || w.body(a) == w.body(b)
}

// overlaps reports whether two extents overlap in y and z.
func (a *extent) overlaps(b *extent) bool {
	return a.lo.Y <= b.hi.Y && b.lo.Y <= a.hi.Y && a.lo.Z <= b.hi.Z && b.lo.Z <= a.hi.Z
}

// renewExtents brings the extents up to date, sorted along x, and returns how
// many are awake.
func (w *World) renewExtents() (awake int) {
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
		x.awake = !w.asleep(x.id)
		x.lo, x.hi = s.lo, s.hi
		if x.awake {
			w.stretch(x, &w.bodies[w.body(x.id)])
			awake++
		} else if w.driven(x.id) { // wakes what it meets
			c := w.carrier(x.id)
			x.lo, x.hi, x.awake = c.lo, c.hi, true
			awake++
		}
	}
	for i := 1; i < len(e); i++ { // nearly sorted already
		for j := i; j > 0 && e[j].lo.X < e[j-1].lo.X; j-- {
			e[j], e[j-1] = e[j-1], e[j]
		}
	}
	return awake
}

// crowd is the number of bodies awake from which strips are worth their making.
const crowd = 100

// Strips divide the world along y, so that a sweep along x compares a body only
// with those beside it. There are as many as a power of two, and strips that
// far apart share one, which costs time and nothing else.
const (
	strips     = 64
	stripWidth = 0.7 // metres: a little more than a small cube's diagonal
)

// strip returns the number of the strip that y lies in, never negative.
func strip(y float32) int32 {
	const far = 2000 // metres; no scene is as wide
	return int32(float32((geom.Clamp(y, -far, far) + far) * (1 / stripWidth)))
}

// sweepStrips adds the pairs of which both are awake.
func (w *World) sweepStrips() {
	for i := range w.strips {
		w.strips[i] = w.strips[i][:0]
	}
	for i := range w.extents {
		x := &w.extents[i]
		if !x.awake {
			continue
		}
		first := strip(x.lo.Y)
		last := min(strip(x.hi.Y), first+strips-1)
		for k := first; k <= last; k++ {
			w.strips[k&(strips-1)] = append(w.strips[k&(strips-1)], *x)
		}
	}
	for k := range w.strips {
		e := w.strips[k]
		for i := range e {
			a := &e[i]
			lo, hi := a.lo, a.hi
			for j := i + 1; j < len(e); j++ {
				b := &e[j]
				if b.lo.X > hi.X {
					break
				}
				if lo.Y > b.hi.Y || b.lo.Y > hi.Y || lo.Z > b.hi.Z || b.lo.Z > hi.Z {
					continue
				}
				// Two that share several strips are a pair in the first of them.
				if strip(max(lo.Y, b.lo.Y))&(strips-1) == int32(k) {
					w.addPair(a.id, b.id)
				}
			}
		}
	}
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

func (w *World) addPair(p, q int32) {
	if p > q {
		p, q = q, p
	}
	if most := w.movable(); int(q) >= most { // the one that stands still comes first
		p, q = q, p
		if int(q) >= most {
			return // a carrier passes through what stands still
		}
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
