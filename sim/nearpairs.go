package sim

import (
	"math"
	"slices"

	"ghostcube/sim/geom"
)

// nearPairs are the pairs of moving shapes whose enlarged bounds overlap. Enlarged bounds stay where they are as long as
// they contain the bounds of their shape, so most ticks compare near pairs alone and sweep nothing, as in Box2D. Each
// tick checks that they still do, and the pairs that it finds do not depend on which near pairs were kept, so these are
// no part of the state.
type nearPairs struct {
	valid    bool
	keys     []uint32       // sorted
	proxies  restingProxies // with enlarged bounds
	member   []bool         // by shape: it has a proxy
	enlarged []aabb         // by shape: bounds of its proxy, or noBounds
	bounds   []aabb         // by shape, of moving ones: in this tick
	left     []int32        // shapes that have left their enlarged bounds, or had none
	gone     bool           // a shape has come to rest that has a proxy
}

const (
	nearMargin = 0.05           // metres by which bounds are enlarged, on each side
	nearFast   = nearMargin / 4 // metres per tick: a faster body soon leaves them
	nearShare  = 4              // near pairs are kept while at most 1/nearShare of the shapes leave their bounds
)

// noBounds contain nothing.
var noBounds = aabb{
	geom.Vec3{X: math.MaxFloat32, Y: math.MaxFloat32, Z: math.MaxFloat32},
	geom.Vec3{X: -math.MaxFloat32, Y: -math.MaxFloat32, Z: -math.MaxFloat32},
}

// comeToRest notes that a shape moves no longer.
func (n *nearPairs) comeToRest(shape int32) {
	if n.valid && n.member[shape] {
		n.member[shape], n.enlarged[shape], n.gone = false, noBounds, true
	}
}

// addNearPairs adds the pairs of moving proxies from their near pairs, sorted, and reports whether it did. It
// does not if most bodies are so fast that keeping near pairs does not pay.
func (w *World) addNearPairs() bool {
	p := &w.broadPhase
	n := &p.near
	if len(n.bounds) != len(w.shapes) {
		*n = nearPairs{bounds: make([]aabb, len(w.shapes)), enlarged: make([]aabb, len(w.shapes)), member: make([]bool, len(w.shapes))}
	}
	n.left = n.left[:0]
	for i := range p.moving {
		x := &p.moving[i]
		n.bounds[x.shape] = x.aabb
		if n.valid && !n.enlarged[x.shape].contains(&x.aabb) {
			n.left = append(n.left, x.shape)
		}
	}
	if !n.valid || len(n.left) > len(p.moving)/nearShare {
		if n.valid = w.fastBodies() <= len(p.moving)/nearShare; !n.valid {
			return false
		}
		w.newNearPairs()
	} else if n.gone || len(n.left) > 0 {
		w.replaceNearPairs()
	}
	for _, key := range n.keys {
		if n.bounds[key>>16].overlaps(&n.bounds[key&0xffff]) {
			p.pairs = append(p.pairs, key)
		}
	}
	return true
}

// fastBodies returns the number of bodies that soon leave any enlarged bounds.
func (w *World) fastBodies() (count int) {
	for _, i := range w.activeBodies() {
		if w.state.Bodies[i].Linear.Scale(w.dt).LenSq() > nearFast*nearFast {
			count++
		}
	}
	return count
}

// newNearPairs finds all near pairs.
func (w *World) newNearPairs() {
	p := &w.broadPhase
	n := &p.near
	clear(n.member)
	for i := range n.enlarged {
		n.enlarged[i] = noBounds
	}
	n.proxies.proxies = n.proxies.proxies[:0]
	for i := range p.moving {
		n.add(p.moving[i].shape)
	}
	sortProxies(n.proxies.proxies, 0)
	n.proxies.setReach()
	w.sweepStrips(n.proxies.proxies)
	n.keys, n.gone = append(n.keys[:0], w.sortFound()...), false
	p.found = p.found[:0]
}

// add adds the proxy of a shape.
func (n *nearPairs) add(shape int32) {
	n.member[shape], n.enlarged[shape] = true, n.bounds[shape].grow(nearMargin)
	n.proxies.proxies = append(n.proxies.proxies, proxy{shape: shape, aabb: n.enlarged[shape]})
}

// replaceNearPairs replaces the near pairs of the shapes that have left their enlarged bounds, and removes those of
// shapes that have come to rest.
func (w *World) replaceNearPairs() {
	p := &w.broadPhase
	n := &p.near
	for _, shape := range n.left {
		n.enlarged[shape] = noBounds
	}
	n.keys = slices.DeleteFunc(n.keys, func(key uint32) bool {
		return n.enlarged[key>>16] == noBounds || n.enlarged[key&0xffff] == noBounds
	})
	kept := n.proxies.proxies[:0]
	for _, x := range n.proxies.proxies {
		if !n.member[x.shape] {
			continue
		}
		if n.enlarged[x.shape] == noBounds {
			x.aabb = n.bounds[x.shape].grow(nearMargin)
		}
		kept = append(kept, x)
	}
	n.proxies.proxies = kept
	for _, shape := range n.left {
		if !n.member[shape] {
			n.add(shape)
			n.enlarged[shape] = noBounds
		}
	}
	sortProxies(n.proxies.proxies, len(n.proxies.proxies)-len(kept))
	n.proxies.setReach()
	for _, shape := range n.left {
		w.enlarge(shape, n.bounds[shape].grow(nearMargin))
	}
	n.keys, n.gone = mergeKeys(n.keys, w.sortFound()), false
	p.found = p.found[:0]
}

// enlarge sets the enlarged bounds of a shape, and adds its pairs with all shapes that have some.
func (w *World) enlarge(shape int32, bounds aabb) {
	n := &w.broadPhase.near
	r := &n.proxies
	for i := r.firstReaching(0, bounds.lower.X); i < len(r.proxies) && r.proxies[i].lower.X <= bounds.upper.X; i++ {
		if other := r.proxies[i].shape; n.enlarged[other].overlaps(&bounds) {
			w.addPair(shape, other)
		}
	}
	n.enlarged[shape] = bounds
}

// mergeKeys inserts keys into others. Both are sorted, and so is the result. It reuses the memory of keys.
func mergeKeys(keys, more []uint32) []uint32 {
	i, j := len(keys)-1, len(more)-1
	keys = append(keys, more...)
	for k := len(keys) - 1; j >= 0; k-- {
		if i >= 0 && keys[i] > more[j] {
			keys[k] = keys[i]
			i--
		} else {
			keys[k] = more[j]
			j--
		}
	}
	return keys
}
