package playout

import (
	"slices"
	"testing"

	"ghostcube/sim"

	"pgregory.net/rapid"
)

// TestBufferMatchesSortedList runs a buffer beside a list that is sorted after every
// insertion, under any insertions and drops: both hold the same items, and every
// count up to a moment is the same.
func TestBufferMatchesSortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b, copied Buffer[sim.Tick]
		var list []sim.Tick
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			if rapid.IntRange(0, 3).Draw(t, "drop") == 0 {
				n := rapid.IntRange(0, len(list)).Draw(t, "n")
				b.Drop(n)
				list = list[n:]
			} else {
				tick := sim.Tick(rapid.IntRange(0, 60).Draw(t, "tick"))
				value := b.Insert(tick)
				if (value == nil) != slices.Contains(list, tick) {
					t.Fatalf("inserting %d into %v: %v", tick, list, value)
				}
				if value != nil {
					*value = 1000 + tick
					list = append(list, tick)
					slices.Sort(list)
				}
			}
			copied.CopyFrom(&b, nil)
			for _, b := range []*Buffer[sim.Tick]{&b, &copied} {
				if b.Len() != len(list) || (b.Newest() == nil) != (len(list) == 0) {
					t.Fatalf("%d items, want %v", b.Len(), list)
				}
				for i, tick := range list {
					if item := b.At(i); item.Tick != tick || item.Value != 1000+tick {
						t.Fatalf("item %d is %v, want %v", i, *item, list)
					}
				}
				m := sim.Moment(rapid.IntRange(-2*sim.MomentsPerTick, 70*sim.MomentsPerTick).Draw(t, "moment"))
				want := 0
				for _, tick := range list {
					if tick.Moment() <= m {
						want++
					}
				}
				if got := b.CountUntil(m); got != want {
					t.Fatalf("%d items until %d, want %d of %v", got, m, want, list)
				}
			}
		}
	})
}

// TestBufferKeepsMemory checks that inserting returns the memory of dropped values, in and
// out of order, so that a buffer of snapshots allocates nothing.
func TestBufferKeepsMemory(t *testing.T) {
	var b Buffer[[]int]
	next := sim.Tick(0)
	n := testing.AllocsPerRun(1000, func() {
		for _, ahead := range []sim.Tick{2, 0, 1} {
			v := b.Insert(next + ahead)
			*v = append((*v)[:0], 1, 2, 3, 4, 5, 6, 7, 8)
		}
		if next += 3; b.Len() > 9 {
			b.Drop(3)
		}
	})
	if n > 0.1 { // until all of the ring has been used
		t.Errorf("%v allocations", n)
	}
}

// TestBufferMisuse checks that indices out of range panic.
func TestBufferMisuse(t *testing.T) {
	for name, f := range map[string]func(b *Buffer[int]){
		"at":          func(b *Buffer[int]) { b.At(1) },
		"at negative": func(b *Buffer[int]) { b.At(-1) },
		"drop":        func(b *Buffer[int]) { b.Drop(2) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			var b Buffer[int]
			b.Insert(7)
			f(&b)
		}()
	}
}

func BenchmarkBuffer(b *testing.B) {
	var q Buffer[[64]byte]
	b.ReportAllocs()
	for t := sim.Tick(0); b.Loop(); t++ {
		q.Insert(t ^ 1)
		if q.Len() > 6 {
			q.Drop(1)
		}
	}
}
