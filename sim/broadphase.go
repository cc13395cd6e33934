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
}

// broadPhase finds pairs of shapes with overlapping bounds.
type broadPhase struct {
	moving  []proxy               // of awake bodies and moving carriers, sorted by lower.X
	resting restingProxies        // of sleeping bodies
	fixed   restingProxies        // of static boxes and carriers that do not move
	atRest  []bool                // by shape: it is in resting or fixed
	strips  []proxy               // those that are swept, strip by strip along y
	starts  [stripCount + 1]int32 // of strips
	near    nearPairs             // of moving
	pairs   []uint32              // pair keys, sorted
	found   []uint32              // those that sweeps have found, before they are sorted
	sorted  []uint32              // scratch of sortFound
}

// restingProxies are proxies that stay where they are from tick to tick.
type restingProxies struct {
	proxies []proxy   // sorted by lower.X
	reach   []float32 // the largest upper.X of each proxy and those before it
	added   int       // proxies at the end that have yet to be sorted in
	changed bool      // a proxy is to be removed or to get new bounds
}

// pairKey identifies a pair of shapes. Sorted by key, pairs of bodies come first, in the order of
// their indices, then pairs with static and carrier boxes, then pairs with the ground. The low half
// is always a shape of a body.
func pairKey(a, b int32) uint32 { return uint32(a)<<16 | uint32(b) }

// findPairs finds the pairs of shapes with overlapping bounds and at least one awake body, sorted
// by key. It sweeps along x: proxies are sorted by their lower bound, and each is compared with the
// proxies that begin before it ends. Pairs of sleeping bodies are no pairs, so the proxies of
// sleeping bodies stay as they are. The order of the last tick only makes sorting faster; the
// result is a function of the state.
func (w *World) findPairs() {
	w.updateProxies()
	p := &w.broadPhase
	p.pairs, p.found = p.pairs[:0], p.found[:0]
	if len(p.moving) <= minAwakeForStrips {
		w.sweepMoving()
	} else if !w.addNearPairs() {
		w.sweepStrips(p.moving)
	}
	w.sweepResting(&p.resting)
	w.sweepResting(&p.fixed)
	p.pairs = mergeKeys(p.pairs, w.sortFound())
	if w.hasFilterGroups {
		p.pairs = slices.DeleteFunc(p.pairs, w.neverCollide)
	}
}

// sweepMoving adds the pairs of moving proxies.
func (w *World) sweepMoving() {
	moving := w.broadPhase.moving
	for i := range moving {
		a := &moving[i]
		for j := i + 1; j < len(moving) && moving[j].lower.X <= a.upper.X; j++ {
			if a.overlapsYZ(&moving[j].aabb) {
				w.addPair(a.shape, moving[j].shape)
			}
		}
	}
}

// sweepResting adds the pairs of a moving proxy and one at rest.
func (w *World) sweepResting(r *restingProxies) {
	first := 0
	for i := range w.broadPhase.moving {
		a := &w.broadPhase.moving[i]
		first = r.firstReaching(first, a.lower.X)
		for j := first; j < len(r.proxies) && r.proxies[j].lower.X <= a.upper.X; j++ {
			if b := &r.proxies[j]; b.upper.X >= a.lower.X && a.overlapsYZ(&b.aabb) {
				w.addPair(a.shape, b.shape)
			}
		}
	}
}

// firstReaching returns the index of the first proxy at or after index from that reaches x, in metres. No proxy before
// from does. It looks near from first, because the next moving proxy is usually not far away.
func (r *restingProxies) firstReaching(from int, x float32) int {
	step := 1
	for from+step <= len(r.reach) && r.reach[from+step-1] < x {
		from += step
		step *= 2
	}
	for end := min(from+step, len(r.reach)); from < end; {
		if middle := int(uint(from+end) / 2); r.reach[middle] < x {
			from = middle + 1
		} else {
			end = middle
		}
	}
	return from
}

// neverCollide reports whether the shapes of a pair belong to the same filter group or body, or one
// of them to a player who drives a vehicle.
func (w *World) neverCollide(key uint32) bool {
	a, b := int32(key>>16), int32(key&0xffff)
	g := w.shapes[a].filterGroup
	return g != 0 && g == w.shapes[b].filterGroup || w.bodyOf(a) == w.bodyOf(b) || w.drives(w.bodyOf(a)) || w.drives(w.bodyOf(b))
}

// updateProxies brings the proxies up to date: those of moving shapes, and those of bodies that have fallen asleep,
// have woken or have been moved in their sleep.
func (w *World) updateProxies() {
	p := &w.broadPhase
	if len(p.atRest) != len(w.shapes) {
		w.newProxies()
	}
	before := len(p.moving)
	for _, i := range w.activeBodies() {
		w.updateRest(&p.resting, i, !w.state.Bodies[i].Asleep)
		for k := w.firstSubShape[i]; k < w.firstSubShape[i+1]; k++ {
			w.updateRest(&p.resting, int32(len(w.state.Bodies))+k, !w.state.Bodies[i].Asleep)
		}
	}
	for i := range w.carrierBoxes {
		shape := int32(w.firstCarrierShape + i)
		if moving := w.isMovingCarrier(shape); moving || !p.atRest[shape] || w.activity.disturbed {
			w.updateRest(&p.fixed, shape, moving)
		}
	}
	added, kept := len(p.moving)-before, p.moving[:0]
	for i := range p.moving {
		if x := &p.moving[i]; !p.atRest[x.shape] {
			x.aabb = w.movingBounds(x.shape)
			kept = append(kept, *x)
		} else {
			p.near.comeToRest(x.shape)
		}
	}
	p.moving = kept
	sortProxies(p.moving, added)
	w.settleProxies(&p.resting)
	w.settleProxies(&p.fixed)
}

// updateRest moves the proxy of a shape to those at rest or to the moving ones, if it is not among them, or notes that
// its bounds at rest may be others.
func (w *World) updateRest(r *restingProxies, shape int32, moving bool) {
	p := &w.broadPhase
	switch {
	case moving && p.atRest[shape]:
		p.atRest[shape], r.changed = false, true
		p.moving = append(p.moving, proxy{shape: shape})
	case !moving && p.atRest[shape]:
		r.changed = true
	case !moving:
		p.atRest[shape] = true
		r.proxies = append(r.proxies, proxy{shape: shape, aabb: w.shapes[shape].aabb})
		r.added++
	}
}

// settleProxies removes the proxies of shapes that move now, and sorts the others by their present bounds.
func (w *World) settleProxies(r *restingProxies) {
	if !r.changed && r.added == 0 {
		return
	}
	kept := r.proxies[:0]
	for i := range r.proxies {
		x := &r.proxies[i]
		if w.broadPhase.atRest[x.shape] {
			if body := w.bodyOf(x.shape); int(body) >= len(w.state.Bodies) || w.activity.inList[body] {
				x.aabb = w.shapes[x.shape].aabb
			}
			kept = append(kept, *x)
		}
	}
	r.proxies = kept
	sortProxies(r.proxies, r.added)
	r.changed, r.added = false, 0
	r.setReach()
}

// setReach sets the reach of the sorted proxies.
func (r *restingProxies) setReach() {
	r.reach = r.reach[:0]
	for i := range r.proxies {
		reach := r.proxies[i].upper.X
		if i > 0 {
			reach = max(reach, r.reach[i-1])
		}
		r.reach = append(r.reach, reach)
	}
}

// movingBounds returns the bounds in this tick of a shape of an awake body or a moving carrier.
func (w *World) movingBounds(shape int32) aabb {
	if i := int(shape) - w.firstCarrierShape; i >= 0 {
		return w.carrierBounds[i]
	}
	return w.sweptBounds(shape, &w.state.Bodies[w.bodyOf(shape)])
}

// maxInsertions is the number of new proxies up to which insertion sort is the fastest.
const maxInsertions = 8

// sortProxies sorts by lower.X. Insertion sort is fast because the order hardly changes from tick
// to tick, unless many proxies at the end are new.
func sortProxies(proxies []proxy, added int) {
	if added > maxInsertions {
		slices.SortFunc(proxies, func(a, b proxy) int { return cmp.Compare(a.lower.X, b.lower.X) })
		return
	}
	for i := 1; i < len(proxies); i++ {
		for j := i; j > 0 && proxies[j].lower.X < proxies[j-1].lower.X; j-- {
			proxies[j], proxies[j-1] = proxies[j-1], proxies[j]
		}
	}
}

// newProxies creates the proxies of all shapes, at rest.
func (w *World) newProxies() {
	p := &w.broadPhase
	p.atRest = make([]bool, len(w.shapes))
	for i := range w.shapes {
		r := &p.resting
		if i >= w.bodyShapeCount() {
			r = &p.fixed
		}
		w.updateRest(r, int32(i), false)
	}
}

// minAwakeForStrips is the number of moving proxies above which building strips pays off.
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

// sweepStrips adds the pairs of many proxies, which are sorted by lower.X.
func (w *World) sweepStrips(proxies []proxy) {
	w.fillStrips(proxies)
	p := &w.broadPhase
	for k := range stripCount {
		strip := p.strips[p.starts[k]:p.starts[k+1]]
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

// fillStrips adds each proxy to the strips that it overlaps, in the order of the proxies.
func (w *World) fillStrips(proxies []proxy) {
	p := &w.broadPhase
	var next [stripCount]int32 // first the lengths of strips
	for i := range proxies {
		first, last := stripsOf(&proxies[i])
		for k := first; k <= last; k++ {
			next[k&(stripCount-1)]++
		}
	}
	all := int32(0)
	for k, n := range next {
		p.starts[k], next[k] = all, all
		all += n
	}
	p.starts[stripCount] = all
	p.strips = slices.Grow(p.strips[:0], int(all))[:all]
	for i := range proxies {
		first, last := stripsOf(&proxies[i])
		for k := first; k <= last; k++ {
			at := &next[k&(stripCount-1)]
			p.strips[*at] = proxies[i]
			*at++
		}
	}
}

// stripsOf returns the first and the last strip that a proxy overlaps.
func stripsOf(x *proxy) (first, last int32) {
	first = stripOf(x.lower.Y)
	return first, min(stripOf(x.upper.Y), first+stripCount-1)
}

// sweptBounds returns the bounds of a shape. It extends those of a fast body along its displacement in this tick, so
// that it cannot pass through other shapes.
func (w *World) sweptBounds(shape int32, b *Body) aabb {
	s := &w.shapes[shape]
	travel := w.frame.worldVelocity(w.bodyOf(shape), b).Scale(w.dt)
	if travel.LenSq() < fastTravelSq(s.half) {
		return s.aabb
	}
	return s.sweep(travel)
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
	w.broadPhase.found = append(w.broadPhase.found, pairKey(p, q))
}

// sortFound returns the pairs that have been found, sorted by key, until the next sweep: short lists by comparison, longer
// ones by radix sort with 11 bits per pass.
func (w *World) sortFound() []uint32 {
	p := w.broadPhase.found
	if len(p) <= 64 {
		slices.Sort(p)
		return p
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
	w.broadPhase.found, w.broadPhase.sorted = p, q
	return p
}
