package sim

import (
	"cmp"
	"slices"

	"ghostcube/sim/geom"
)

// proxy is the bounding box of one shape in the broad phase.
type proxy struct {
	aabb
	shape int32
	awake bool
}

// broadPhase finds pairs of shapes with overlapping bounds.
type broadPhase struct {
	proxies []proxy // of all shapes, sorted by lower.X
	// For each index into proxies, the index of the first awake proxy at or after it.
	nextAwake []int32
	strips    [stripCount][]proxy // awake proxies, by position along y
	pairs     []uint32            // pair keys, sorted
	sorted    []uint32            // scratch of sortPairs
}

// pairKey identifies a pair of shapes. Sorted by key, pairs of bodies come first, in the order of
// their indices, then pairs with static and carrier boxes, then pairs with the ground. The low half
// is always a shape of a body.
func pairKey(a, b int32) uint32 { return uint32(a)<<16 | uint32(b) }

// findPairs finds the pairs of shapes with overlapping bounds and at least one awake body, sorted
// by key. It sweeps along x: proxies are sorted by their lower bound, and each is compared with the
// proxies that begin before it ends. The order of the last tick only makes sorting faster; the
// result is a function of the state.
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

// sweepProxies adds the pairs with at least one awake body. With strips it adds those with exactly
// one, because sweepStrips has found the others.
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

// indexAwake sets nextAwake: a sleeping proxy is compared with awake ones only.
func (w *World) indexAwake() {
	proxies, nextAwake := w.broadPhase.proxies, w.broadPhase.nextAwake
	firstAwake := int32(len(proxies))
	nextAwake[len(proxies)] = firstAwake
	for i := len(proxies) - 1; i >= 0; i-- {
		if proxies[i].awake {
			firstAwake = int32(i)
		}
		nextAwake[i] = firstAwake
	}
}

// neverCollide reports whether the shapes of a pair belong to the same filter group or body, or one
// of them to a player who drives a vehicle.
func (w *World) neverCollide(key uint32) bool {
	a, b := int32(key>>16), int32(key&0xffff)
	g := w.shapes[a].filterGroup
	return g != 0 && g == w.shapes[b].filterGroup || w.bodyOf(a) == w.bodyOf(b) || w.drives(w.bodyOf(a)) || w.drives(w.bodyOf(b))
}

// updateProxies updates the bounds of all proxies, sorts them along x and returns the number of
// awake ones.
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
		} else if w.isMovingCarrier(x.shape) { // a moving carrier wakes bodies
			x.aabb, x.awake = w.carrierBounds[int(x.shape)-w.firstCarrierShape], true
			awake++
		}
	}
	sortProxies(proxies)
	return awake
}

// sortProxies sorts by lower.X. Insertion sort is fast because the order hardly changes from tick
// to tick.
func sortProxies(proxies []proxy) {
	for i := 1; i < len(proxies); i++ {
		for j := i; j > 0 && proxies[j].lower.X < proxies[j-1].lower.X; j-- {
			proxies[j], proxies[j-1] = proxies[j-1], proxies[j]
		}
	}
}

// newProxies creates the proxies of all shapes, sorted along x.
func (w *World) newProxies() {
	p := &w.broadPhase
	p.proxies, p.nextAwake = p.proxies[:0], make([]int32, len(w.shapes)+1)
	for i := range w.shapes {
		p.proxies = append(p.proxies, proxy{shape: int32(i), aabb: w.shapes[i].aabb})
	}
	slices.SortFunc(p.proxies, func(a, b proxy) int { return cmp.Compare(a.lower.X, b.lower.X) })
}

// minAwakeForStrips is the number of awake proxies above which building strips pays off.
const minAwakeForStrips = 100

// Strips divide the world along y, so that a sweep along x compares a proxy only with its
// neighbours. The number of strips is a power of two; distant strips share an entry, which costs
// time and never correctness.
const (
	stripCount = 64
	stripWidth = 0.7 // metres; slightly more than a small cube's diagonal
)

// stripOf returns the index of the strip at y, in metres. It is never negative.
func stripOf(y float32) int32 {
	const far = 2000 // metres; larger than any scene
	return int32(float32((geom.Clamp(y, -far, far) + far) * (1 / stripWidth)))
}

// sweepStrips adds the pairs of awake bodies.
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
				// Proxies that share several strips form a pair in the first one only.
				if stripOf(max(lo.Y, b.lower.Y))&(stripCount-1) == int32(k) {
					w.addPair(a.shape, b.shape)
				}
			}
		}
	}
}

// fillStrips adds each awake proxy to the strips that it overlaps.
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

// sweepProxy extends the bounds of a fast body along its displacement in this tick, so that it
// cannot pass through other shapes.
func (w *World) sweepProxy(x *proxy, b *Body) {
	travel := b.Linear.Scale(w.dt)
	if travel.LenSq() < fastTravelSq(w.shapes[x.shape].half) {
		return
	}
	x.aabb = x.sweep(travel)
}

// fastTravelSq returns the squared displacement per tick, in square metres, above which a box
// counts as fast: a quarter of its smallest side. A slower box overlaps an obstacle for at least
// one tick, deep enough to be pushed out and not so deep that it leaves on the other side.
func fastTravelSq(half geom.Vec3) float32 {
	h := float32(min(half.X, half.Y, half.Z) * 0.5)
	return float32(h * h)
}

// addPair adds the pair of shapes p and q, unless neither belongs to a body that can move. A moving
// carrier counts as awake, so without this rule a kinematic body on it would be a pair in every
// tick, and, because both never wake, its last manifold would be kept beside the new one.
func (w *World) addPair(p, q int32) {
	if p > q {
		p, q = q, p
	}
	if bodyShapes := w.bodyShapeCount(); int(q) >= bodyShapes { // the body comes second
		p, q = q, p
		if int(q) >= bodyShapes || w.kinematic(w.bodyOf(q)) {
			return
		}
	}
	w.broadPhase.pairs = append(w.broadPhase.pairs, pairKey(p, q))
}

// sortPairs sorts the pairs by key: short lists by comparison, longer ones by radix sort with 11
// bits per pass.
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
	// After three passes the result is in the scratch slice.
	w.broadPhase.pairs, w.broadPhase.sorted = p, q
}
