package compact

import (
	"reflect"
	"testing"
)

// world is a value with everything that a copy may have.
type world struct {
	bodies  []body
	history [][]body // rows of one array
	flat    []body
	rings   []ring // each with memory of its own
	named   map[string]int
	scene   *scene // shared with copies
	self    *world
	any     any
	first   *ring // an element of watched
	watched []ring
}

type body struct {
	x, v   [3]float32
	asleep bool
}

type ring struct {
	tick  int
	slots []body
	title string
	next  *ring
	pad   [100]byte
}

type scene struct{ boxes []body }

func bodies(n int, v float32) []body {
	list := make([]body, n)
	for i := range list {
		list[i] = body{x: [3]float32{float32(i), v, 2}, v: [3]float32{v}, asleep: i%3 == 0}
	}
	return list
}

// newWorld returns a world in which one body moves with v.
func newWorld(s *scene, v float32) *world {
	w := &world{bodies: bodies(900, 0), flat: bodies(200, v), named: map[string]int{"a": 1}, scene: s, watched: make([]ring, 40)}
	w.bodies[17].v[0] = v
	w.history = [][]body{w.flat[:100], w.flat[100:]}
	for i := range 30 {
		w.rings = append(w.rings, ring{i, bodies(50, float32(i%4)), "ring", &ring{slots: bodies(80, v)}, [100]byte{1, byte(i)}})
	}
	w.rings[4].slots, w.rings[5].next = nil, nil
	w.first = &w.watched[3]
	w.watched[3] = ring{tick: 3, slots: bodies(60, v)}
	w.self, w.any = w, &ring{slots: bodies(70, v)}
	return w
}

// TestCopy takes copies apart, in one step and in many, and checks that they are whole again whenever they are filled: also
// where a slice lies in an element of another one, where two have the same memory, and where a pointer leads into one.
func TestCopy(t *testing.T) {
	shared := &scene{bodies(100, 0)}
	for _, step := range []int{1, 5000, 1 << 20} {
		s := NewStore()
		original, w, want := newWorld(shared, 1), newWorld(shared, 1), newWorld(shared, 1)
		c := s.New(w, original)
		for whole := c.Left(); ; {
			c.Fill()
			if w.first != &w.watched[3] || !reflect.DeepEqual(w, want) {
				t.Fatalf("steps of %d, with %d of %d bytes left: the copy has changed", step, c.Left(), whole)
			}
			c.Empty()
			if c.Left() == 0 {
				break
			}
			c.Take(step)
		}
		if w.bodies != nil || w.rings != nil || len(shared.boxes) != 100 || !reflect.DeepEqual(original, want) {
			t.Error("contents are still in the copy, or not in what it shares with others")
		}
		if c.Drop(); s.Size() != 0 || len(s.blocks) != 0 {
			t.Errorf("%d bytes are left in the store", s.Size())
		}
	}
}

// TestShare checks that equal blocks of copies are kept once, and stay as long as one of the copies does.
func TestShare(t *testing.T) {
	shared, s := &scene{bodies(100, 0)}, NewStore()
	take := func(v float32) (*world, *Copy) {
		w := newWorld(shared, v)
		c := s.New(w, newWorld(shared, v))
		c.Take(1 << 20)
		return w, c
	}
	_, first := take(1)
	size := s.Size()
	_, second := take(1)
	if s.Size() != size {
		t.Errorf("a second copy that is equal takes %d bytes more", s.Size()-size)
	}
	third, c := take(2)
	if more := s.Size() - size; more < 2*blockSize || more > size/2 {
		t.Errorf("a copy with another speed takes %d bytes more, the first one %d", more, size)
	}
	first.Drop()
	second.Drop()
	if c.Fill(); !reflect.DeepEqual(third, newWorld(shared, 2)) {
		t.Error("the copy that is left has changed")
	}
	c.Empty()
	if c.Drop(); s.Size() != 0 {
		t.Errorf("%d bytes are left in the store", s.Size())
	}
}
