package sim

import "fmt"

// CheckContacts returns an error if a pair of shapes has more than one manifold, or if the
// manifolds are not sorted. Every step relies on both: it finds a pair's last manifold in one pass,
// and a manifold that is kept twice would be kept in every later tick. Tests call it after steps.
func (w *World) CheckContacts() error {
	i, last := 0, uint32(0)
	for m := range w.state.allManifolds() {
		if i > 0 && m.key <= last {
			a, b := m.shapes()
			return fmt.Errorf("tick %d: the manifold of shapes %d and %d, number %d, repeats or is out of order", w.state.Tick, a, b, i)
		}
		last = m.key
		i++
	}
	return nil
}
