package history

import (
	"slices"
	"testing"

	"ghostcube/sim"
)

// TestWrap checks that a ring does not find a tick that was overwritten or never inserted, also where
// ticks wrap around.
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
				t.Fatalf("tick %d+%d is remembered before its insertion", start, i+1)
			}
		}
		r.Reset()
		if r.Find(start+299) != nil {
			t.Error("Reset forgets nothing")
		}
	}
}

// TestBetween checks that a range of ticks is in order, skips ticks that are not remembered, can be
// changed, and can end early.
func TestBetween(t *testing.T) {
	r := New[int](16)
	for _, tick := range []sim.Tick{3, 4, 6, 7, 9} {
		*r.Insert(tick) = int(tick)
	}
	var got []int
	for v := range r.Between(4, 8) {
		got = append(got, *v)
		*v += 100
	}
	if !slices.Equal(got, []int{4, 6, 7}) {
		t.Errorf("between 4 and 8: %v", got)
	}
	got = got[:0]
	for v := range r.Between(0, 20) {
		if got = append(got, *v); *v == 106 {
			break
		}
	}
	if !slices.Equal(got, []int{3, 104, 106}) {
		t.Errorf("until 106: %v", got)
	}
	var none Ring[int]
	for range none.Between(0, 5) {
		t.Error("an empty ring remembers")
	}
}

// TestTrail checks that a trail consists of the same ticks while they are remembered, in order.
func TestTrail(t *testing.T) {
	r := New[int](16)
	for now := sim.Tick(1); now < 40; now++ {
		*r.Insert(now) = int(now)
		var got, want []int
		for v := range r.Trail(now, 8, 4) {
			got = append(got, *v)
		}
		for _, tick := range []sim.Tick{now/4*4 - 8, now/4*4 - 4} {
			if tick > 0 && tick < now {
				want = append(want, int(tick))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("at %d: %v, want %v", now, got, want)
		}
	}
}

// TestCopyFrom checks that a copy shares no memory, also if the sizes of the rings differ.
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
	var d Ring[int]
	*c.Insert(1) = 5
	d.CopyFrom(&c, CopyValue[int])
	if *d.Find(1) != 5 {
		t.Error("a ring of another size is no copy")
	}
}
