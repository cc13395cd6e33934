package history

import (
	"slices"
	"testing"

	"ghostcube/sim"
)

// TestWrap says that a ring knows what it holds: not what was overwritten, not
// what never was, also where the ticks themselves wrap round.
func TestWrap(t *testing.T) {
	for _, start := range []sim.Tick{0, 1000, ^sim.Tick(0) - 100} {
		r := New[int](128)
		if r.Find(start) != nil {
			t.Fatal("an empty ring remembers")
		}
		for i := range 300 {
			*r.Insert(start + sim.Tick(i)) = i
			oldest := max(0, i-127)
			for _, j := range []int{oldest, i} {
				if p := r.Find(start + sim.Tick(j)); p == nil || *p != j {
					t.Fatalf("tick %d+%d is %v", start, j, p)
				}
			}
			if oldest > 0 && r.Find(start+sim.Tick(oldest-1)) != nil {
				t.Fatalf("tick %d+%d is still remembered", start, oldest-1)
			}
			if r.Find(start+sim.Tick(i+1)) != nil {
				t.Fatalf("tick %d+%d is remembered before it was", start, i+1)
			}
		}
		r.Reset()
		if r.Find(start+299) != nil {
			t.Error("Forget forgets nothing")
		}
	}
}

// TestCopyFrom says that a copy shares no memory.
func TestCopyFrom(t *testing.T) {
	a, b := New[[]int](8), New[[]int](8)
	*a.Insert(3) = []int{1, 2}
	*b.Insert(4) = []int{9}
	b.CopyFrom(&a, func(dst, src *[]int) { *dst = append((*dst)[:0], *src...) })
	(*a.Find(3))[0] = 7
	if b.Find(4) != nil || !slices.Equal(*b.Find(3), []int{1, 2}) {
		t.Error("not a copy")
	}
	c := New[int](4)
	d := New[int](4)
	*c.Insert(1) = 5
	d.CopyFrom(&c, CopyValue[int])
	if *d.Find(1) != 5 {
		t.Error("Plain")
	}
}
