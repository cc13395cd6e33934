package sim

import (
	"cmp"
	"slices"

	"ghostcube/sim/geom"
)

// proxy is the bounding box of one solid in the sweep.
type proxy struct {
	lower, upper geom.Vec3
	shape        int32
	awake        bool
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
	awake := w.updateProxies()
	w.pairs = w.pairs[:0]
	if awake > minAwakeForStrips {
		w.sweepStrips()
	}
	e := w.proxies
	// A sleeper need only be compared with those awake.
	next := int32(len(e))
	w.nextAwake[len(e)] = next
	for i := len(e) - 1; i >= 0; i-- {
		if e[i].awake {
			next = int32(i)
		}
		w.nextAwake[i] = next
	}
	for i := range e {
		a := &e[i]
		if !a.awake {
			for j := w.nextAwake[i+1]; int(j) < len(e) && e[j].lower.X <= a.upper.X; j = w.nextAwake[j+1] {
				if a.overlaps(&e[j]) {
					w.addPair(a.shape, e[j].shape)
				}
			}
			continue
		}
		if awake == len(e) && awake > minAwakeForStrips {
			break // all is awake, and has been found in the strips
		}
		for j := i + 1; j < len(e) && e[j].lower.X <= a.upper.X; j++ {
			if a.overlaps(&e[j]) && (awake <= minAwakeForStrips || !e[j].awake) {
				w.addPair(a.shape, e[j].shape)
			}
		}
	}
	w.sortPairs()
	if w.hasFilterGroups {
		w.pairs = slices.DeleteFunc(w.pairs, w.neverCollide)
	}
}

// neverCollide reports whether the two of a pair pass through each other: because they
// are of one group, or of one body.
func (w *World) neverCollide(key uint32) bool {
	a, b := int32(key>>16), int32(key&0xffff)
	g := w.shapes[a].filterGroup
	return g != 0 && g == w.shapes[b].filterGroup || w.bodyOf(a) == w.bodyOf(b)
}

// overlaps reports whether two extents overlap in y and z.
func (a *proxy) overlaps(b *proxy) bool {
	return a.lower.Y <= b.upper.Y && b.lower.Y <= a.upper.Y && a.lower.Z <= b.upper.Z && b.lower.Z <= a.upper.Z
}

// updateProxies brings the extents up to date, sorted along x, and returns how
// many are awake.
func (w *World) updateProxies() (awake int) {
	if len(w.proxies) != len(w.shapes) {
		w.proxies = w.proxies[:0]
		for i := range w.shapes {
			w.proxies = append(w.proxies, proxy{shape: int32(i), lower: w.shapes[i].lower})
		}
		w.nextAwake = make([]int32, len(w.proxies)+1)
		slices.SortFunc(w.proxies, func(a, b proxy) int { return cmp.Compare(a.lower.X, b.lower.X) })
	}
	e := w.proxies
	for i := range e {
		x := &e[i]
		s := &w.shapes[x.shape]
		x.awake = !w.asleep(x.shape)
		x.lower, x.upper = s.lower, s.upper
		if x.awake {
			w.sweepProxy(x, &w.bodies[w.bodyOf(x.shape)])
			awake++
		} else if w.isMovingCarrier(x.shape) { // wakes what it meets
			c := w.carrierBoxOf(x.shape)
			x.lower, x.upper, x.awake = c.lower, c.upper, true
			awake++
		}
	}
	for i := 1; i < len(e); i++ { // nearly sorted already
		for j := i; j > 0 && e[j].lower.X < e[j-1].lower.X; j-- {
			e[j], e[j-1] = e[j-1], e[j]
		}
	}
	return awake
}

// minAwakeForStrips is the number of bodies awake from which strips are worth their making.
const minAwakeForStrips = 100

// Strips divide the world along y, so that a sweep along x compares a body only
// with those beside it. There are as many as a power of two, and strips that
// far apart share one, which costs time and nothing else.
const (
	stripCount = 64
	stripWidth = 0.7 // metres: a little more than a small cube's diagonal
)

// stripOf returns the number of the strip that y lies in, never negative.
func stripOf(y float32) int32 {
	const far = 2000 // metres; no scene is as wide
	return int32(float32((geom.Clamp(y, -far, far) + far) * (1 / stripWidth)))
}

// sweepStrips adds the pairs of which both are awake.
func (w *World) sweepStrips() {
	for i := range w.strips {
		w.strips[i] = w.strips[i][:0]
	}
	for i := range w.proxies {
		x := &w.proxies[i]
		if !x.awake {
			continue
		}
		first := stripOf(x.lower.Y)
		last := min(stripOf(x.upper.Y), first+stripCount-1)
		for k := first; k <= last; k++ {
			w.strips[k&(stripCount-1)] = append(w.strips[k&(stripCount-1)], *x)
		}
	}
	for k := range w.strips {
		e := w.strips[k]
		for i := range e {
			a := &e[i]
			lo, hi := a.lower, a.upper
			for j := i + 1; j < len(e); j++ {
				b := &e[j]
				if b.lower.X > hi.X {
					break
				}
				if lo.Y > b.upper.Y || b.lower.Y > hi.Y || lo.Z > b.upper.Z || b.lower.Z > hi.Z {
					continue
				}
				// Two that share several strips are a pair in the first of them.
				if stripOf(max(lo.Y, b.lower.Y))&(stripCount-1) == int32(k) {
					w.addPair(a.shape, b.shape)
				}
			}
		}
	}
}

// sweepProxy widens the bounds of a body that may move further in this tick than
// its contact margin sees, so that it cannot pass through what is in its way.
func (w *World) sweepProxy(x *proxy, b *Body) {
	way := b.Linear.Scale(w.dt)
	if way.LenSq() < fastTravelSq(w.shapes[x.shape].half) {
		return
	}
	x.lower = geom.Vec3{X: x.lower.X + min(0, way.X), Y: x.lower.Y + min(0, way.Y), Z: x.lower.Z + min(0, way.Z)}
	x.upper = geom.Vec3{X: x.upper.X + max(0, way.X), Y: x.upper.Y + max(0, way.Y), Z: x.upper.Z + max(0, way.Z)}
}

// fastTravelSq is the squared way in one tick from which a box counts as fast: a
// quarter of its smallest side. Anything slower overlaps what it hits for at
// least one tick, deep enough to be pushed back and not so deep as to be
// pushed out on the other side.
func fastTravelSq(half geom.Vec3) float32 {
	h := float32(min(half.X, half.Y, half.Z) * 0.5)
	return float32(h * h)
}

func (w *World) addPair(p, q int32) {
	if p > q {
		p, q = q, p
	}
	if most := w.bodyShapeCount(); int(q) >= most { // the one that stands still comes first
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
	if cap(w.pairsScratch) < len(p) {
		w.pairsScratch = make([]uint32, 2*len(p))
	}
	q := w.pairsScratch[:len(p)]
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
	w.pairs, w.pairsScratch = p, q
}
