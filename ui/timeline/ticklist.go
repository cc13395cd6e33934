package timeline

import "slices"

// A tickList has ticks in ascending order, none twice.
type tickList []int32

// add adds n, or does nothing if it is there.
func (t *tickList) add(n int) {
	if i, found := slices.BinarySearch(*t, int32(n)); !found {
		*t = slices.Insert(*t, i, int32(n))
	}
}

// remove removes n, or does nothing if it is not there.
func (t *tickList) remove(n int) {
	if i, found := slices.BinarySearch(*t, int32(n)); found {
		*t = slices.Delete(*t, i, i+1)
	}
}

// within returns those in [from, to).
func (t tickList) within(from, to int) tickList {
	first, _ := slices.BinarySearch(t, int32(from))
	end, _ := slices.BinarySearch(t, int32(to))
	return t[first:max(first, end)]
}
