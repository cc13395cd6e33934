package sim

import "slices"

// activity is the list of the bodies that a step looks at. In most scenes most bodies sleep. A step takes no time for
// them: their proxies and manifolds stay where they are.
type activity struct {
	listed bool // list is complete; otherwise the next step lists all bodies, as with new scratch
	// The awake bodies, those that fell asleep in the last step, and those that touch has added since. Ascending,
	// unless touch has added one.
	list     []int32
	inList   []bool // by body
	unsorted bool
	// A body has woken, or something else has changed than by steps of awake bodies: a sleeping body, a contact, the
	// setting of a body. Then manifolds of sleeping bodies may be those of awake ones now, and islands may differ.
	disturbed bool
	dozed     bool // a body has fallen asleep since manifolds were last sorted into those at rest and the others
}

func newActivity(bodies int) activity {
	return activity{list: make([]int32, 0, bodies), inList: make([]bool, bodies)}
}

// touch notes that body i is about to be changed other than by the solver, or has been.
func (w *World) touch(i int32) {
	a := &w.activity
	if a.listed && !a.inList[i] {
		a.inList[i], a.unsorted = true, true
		a.list = append(a.list, i)
	}
	if w.state.Bodies[i].Asleep {
		a.disturbed = true
	}
}

// activeBodies returns the bodies that this step looks at, ascending: all that are awake, and some that are not.
func (w *World) activeBodies() []int32 {
	a := &w.activity
	if !a.listed {
		w.listAll()
	}
	if a.unsorted {
		slices.Sort(a.list)
		a.unsorted = false
	}
	return a.list
}

// listAll makes this step look at all bodies.
func (w *World) listAll() {
	a := &w.activity
	a.list = a.list[:0]
	for i := range w.state.Bodies {
		if w.steps(int32(i)) {
			a.list = append(a.list, int32(i))
			a.inList[i] = true
		}
	}
	a.listed, a.unsorted, a.disturbed = true, false, true
}

// settleActivity ends a step: the next one looks at the bodies that are awake, and at those whose proxies have yet to
// be told that they sleep.
func (w *World) settleActivity() {
	a := &w.activity
	list := w.activeBodies()
	a.list = list[:0]
	for _, i := range list {
		if w.state.Bodies[i].Asleep && w.broadPhase.atRest[i] {
			a.inList[i] = false
		} else {
			a.list = append(a.list, i)
		}
	}
	a.disturbed = false
}
