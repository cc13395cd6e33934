package sim

import (
	"cmp"
	"slices"

	"ghostcube/sim/geom"
)

// proxy is the bounding box of one solid in the sweep.
type proxy struct {
	aabb
	shape int32
	awake bool
}

// broadPhase finds the pairs of shapes whose bounds overlap.
type broadPhase struct {
	proxies   []proxy             // of all shapes, by the lower end along x
	nextAwake []int32             // by place among the proxies: that of the first one awake from there on
	strips    [stripCount][]proxy // those awake, by where they are along y
	pairs     []uint32            // keys, sorted
	sorted    []uint32            // memory for sorting them
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
	w.broadPhase.pairs = w.broadPhase.pairs[:0]
	strips := awake > minAwakeForStrips
	if strips {
		w.sweepStrips()
	}
	if all := awake == len(w.broadPhase.proxies); !strips || !all {
		w.sweepProxies(strips)
	}
	w.sortPairs()
	if w.hasFilterGroups {
		w.broadPhase.pairs = slices.DeleteFunc(w.broadPhase.pairs, w.neverCollide)
	}
}

// sweepProxies adds the pairs of which at least one is awake, or with strips those of
// which exactly one is: the others have been found there.
func (w *World) sweepProxies(strips bool) {
	w.indexAwake()
	proxies, nextAwake := w.broadPhase.proxies, w.broadPhase.nextAwake
	for i := range proxies {
		a := &proxies[i]
		if !a.awake {
			for j := nextAwake[i+1]; int(j) < len(proxies) && proxies[j].lower.X <= a.upper.X; j = nextAwake[j+1] {
				if a.overlapsYZ(&proxies[j].aabb) {
					w.addPair(a.shape, proxies[j].shape)
				}
			}
			continue
		}
		for j := i + 1; j < len(proxies) && proxies[j].lower.X <= a.upper.X; j++ {
			if a.overlapsYZ(&proxies[j].aabb) && (!strips || !proxies[j].awake) {
				w.addPair(a.shape, proxies[j].shape)
			}
		}
	}
}

// indexAwake notes which proxy is the next one awake, for a sleeper need only be compared
// with those.
func (w *World) indexAwake() {
	proxies, nextAwake := w.broadPhase.proxies, w.broadPhase.nextAwake
	next := int32(len(proxies))
	nextAwake[len(proxies)] = next
	for i := len(proxies) - 1; i >= 0; i-- {
		if proxies[i].awake {
			next = int32(i)
		}
		nextAwake[i] = next
	}
}

// neverCollide reports whether the two of a pair pass through each other: because they
// are of one group, or of one body.
func (w *World) neverCollide(key uint32) bool {
	a, b := int32(key>>16), int32(key&0xffff)
	g := w.shapes[a].filterGroup
	return g != 0 && g == w.shapes[b].filterGroup || w.bodyOf(a) == w.bodyOf(b)
}

// updateProxies brings the extents up to date, sorted along x, and returns how
// many are awake.
func (w *World) updateProxies() (awake int) {
	if len(w.broadPhase.proxies) != len(w.shapes) {
		w.newProxies()
	}
	proxies := w.broadPhase.proxies
	for i := range proxies {
		x := &proxies[i]
		x.aabb = w.shapes[x.shape].aabb
		x.awake = !w.asleep(x.shape)
		if x.awake {
			w.sweepProxy(x, &w.state.Bodies[w.bodyOf(x.shape)])
			awake++
		} else if w.isMovingCarrier(x.shape) { // wakes what it meets
			x.aabb, x.awake = w.carrierBounds[int(x.shape)-w.firstCarrierShape], true
			awake++
		}
	}
	sortProxies(proxies)
	return awake
}

// sortProxies sorts by the lower end along x what is nearly sorted already.
func sortProxies(proxies []proxy) {
	for i := 1; i < len(proxies); i++ {
		for j := i; j > 0 && proxies[j].lower.X < proxies[j-1].lower.X; j-- {
			proxies[j], proxies[j-1] = proxies[j-1], proxies[j]
		}
	}
}

// newProxies makes the proxies of all shapes, sorted along x.
func (w *World) newProxies() {
	p := &w.broadPhase
	p.proxies, p.nextAwake = p.proxies[:0], make([]int32, len(w.shapes)+1)
	for i := range w.shapes {
		p.proxies = append(p.proxies, proxy{shape: int32(i), aabb: w.shapes[i].aabb})
	}
	slices.SortFunc(p.proxies, func(a, b proxy) int { return cmp.Compare(a.lower.X, b.lower.X) })
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
	w.fillStrips()
	for k := range w.broadPhase.strips {
		strip := w.broadPhase.strips[k]
		for i := range strip {
			a := &strip[i]
			lo, hi := a.lower, a.upper
			for j := i + 1; j < len(strip); j++ {
				b := &strip[j]
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

// fillStrips puts every proxy awake into the strips that it reaches into.
func (w *World) fillStrips() {
	strips := &w.broadPhase.strips
	for i := range strips {
		strips[i] = strips[i][:0]
	}
	for i := range w.broadPhase.proxies {
		x := &w.broadPhase.proxies[i]
		if !x.awake {
			continue
		}
		first := stripOf(x.lower.Y)
		last := min(stripOf(x.upper.Y), first+stripCount-1)
		for k := first; k <= last; k++ {
			strips[k&(stripCount-1)] = append(strips[k&(stripCount-1)], *x)
		}
	}
}

// sweepProxy widens the bounds of a body that may move further in this tick than
// its contact margin sees, so that it cannot pass through what is in its way.
func (w *World) sweepProxy(x *proxy, b *Body) {
	travel := b.Linear.Scale(w.dt)
	if travel.LenSq() < fastTravelSq(w.shapes[x.shape].half) {
		return
	}
	x.aabb = x.sweep(travel)
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
	if bodyShapes := w.bodyShapeCount(); int(q) >= bodyShapes { // the one that stands still comes first
		p, q = q, p
		if int(q) >= bodyShapes {
			return // a carrier passes through what stands still
		}
	}
	w.broadPhase.pairs = append(w.broadPhase.pairs, pairKey(p, q))
}

// sortPairs sorts the pairs by key: by insertion while they are few, else by
// radix, 11 bits at a time.
func (w *World) sortPairs() {
	p := w.broadPhase.pairs
	if len(p) <= 64 {
		slices.Sort(p)
		return
	}
	if cap(w.broadPhase.sorted) < len(p) {
		w.broadPhase.sorted = make([]uint32, 2*len(p))
	}
	q := w.broadPhase.sorted[:len(p)]
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
	w.broadPhase.pairs, w.broadPhase.sorted = p, q
}
