package sim

// NearbyBodies appends to found the indices of the other bodies whose axis-aligned bounds come
// within reach metres of those of body i, in ascending order.
func (w *World) NearbyBodies(i int, reach float32, found []int32) []int32 {
	bounds := w.bodyBounds(i)
	for j := range w.state.Bodies {
		if j == i {
			continue
		}
		if b := w.bodyBounds(j); bounds.within(&b, reach) {
			found = append(found, int32(j))
		}
	}
	return found
}

// bodyBounds returns the bounds of all boxes of a body.
func (w *World) bodyBounds(i int) aabb {
	b := w.shapes[i].aabb
	for k := w.firstSubShape[i]; k < w.firstSubShape[i+1]; k++ {
		b = b.union(w.shapes[len(w.state.Bodies)+int(k)].aabb)
	}
	return b
}
