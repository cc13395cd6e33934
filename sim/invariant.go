package sim

import "fmt"

// CheckContacts returns an error if a pair of shapes has more than one manifold, or if the
// manifolds are not sorted. Every step relies on both: it finds a pair's last manifold in one pass,
// and a manifold that is kept twice would be kept in every later tick. Tests call it after steps.
func (w *World) CheckContacts() error {
	m := w.state.manifolds
	for i := 1; i < len(m); i++ {
		if m[i].key <= m[i-1].key {
			a, b := m[i].shapes()
			return fmt.Errorf("tick %d: the manifold of shapes %d and %d, number %d of %d, repeats or is out of order", w.state.Tick, a, b, i, len(m))
		}
	}
	return nil
}
