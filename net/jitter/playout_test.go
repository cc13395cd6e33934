package jitter

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

const ms = time.Millisecond

// TestPlayoutDelay says that items come out in order, each its own time after
// the first came in plus the delay: the playout delay buffer of deterministic
// lockstep, with 100 ms at 60 a second.
func TestPlayoutDelay(t *testing.T) {
	p := NewPlayout[int](0, 60, 100*ms)
	if _, ok := p.Take(time.Hour); ok {
		t.Fatal("released before anything came")
	}
	start := 7 * time.Second
	for _, n := range []int64{2, 0, 1, 0, 3} {
		p.Put(start, n, int(n))
	}
	for n := range int64(4) {
		due := start + time.Duration(n)*time.Second/60 + 100*ms
		if at, ok := p.Due(n); !ok || at != due {
			t.Errorf("item %d is due at %v, want %v", n, at, due)
		}
		if _, ok := p.Take(due - 1); ok || p.Ready(due-1) != 0 {
			t.Errorf("item %d comes early", n)
		}
		if i, ok := p.Take(due); !ok || i.Tick != n || i.Value != int(n) {
			t.Errorf("item %d: %v %v", n, i, ok)
		}
	}
	if p.Stats != (PlayoutStats{Kept: 4, Again: 1, Released: 4}) {
		t.Errorf("%+v", p.Stats)
	}
}

// TestPlayoutHolds says that an item that is due and missing is waited for, with
// all behind it, and that when it comes four at most are released at once, so
// that who is behind catches up without falling further behind.
func TestPlayoutHolds(t *testing.T) {
	p := NewPlayout[int](100, 60, 50*ms)
	for n := int64(100); n < 130; n++ {
		if n != 102 {
			p.Put(0, n, int(n))
		}
	}
	now := time.Second
	for range 2 {
		p.Take(now)
	}
	if p.Ready(now) != 0 || p.Stats.Waited != 1 {
		t.Fatalf("102 is missing, and %d are ready", p.Ready(now))
	}
	if _, ok := p.Take(now); ok {
		t.Fatal("103 comes before 102")
	}
	if p.Put(now, 101, 0) != Late || p.Put(now, 102+playoutWindow, 0) != Far || p.Put(now, -1<<63, 0) != Late || p.Put(now, 1<<63-1, 0) != Far {
		t.Error("what is late or far is kept")
	}
	p.Put(now, 102, 102)
	for want := 102; want < 130; {
		n := p.Ready(now)
		if n != min(CatchUp, 130-want) {
			t.Fatalf("%d ready at %d", n, want)
		}
		for range n {
			if i, ok := p.Take(now); !ok || i.Value != want {
				t.Fatalf("%v %v, want %d", i, ok, want)
			}
			want++
		}
		now += time.Second / 60
	}
}

// TestPlayoutWithoutStalls says that a delay as long as the worst lateness
// leaves no item waited for, under any lateness, and that order always holds.
func TestPlayoutWithoutStalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		delay := time.Duration(rapid.IntRange(0, 200).Draw(t, "delay")) * ms
		rate := rapid.SampledFrom([]int{1, 7, 60, 64}).Draw(t, "rate")
		first := rapid.Int64Range(-1<<40, 1<<40).Draw(t, "first")
		p := NewPlayout[int64](first, rate, delay)
		p.Put(0, first, first)
		for n := first + 1; n < first+300; n++ {
			due, _ := p.Due(n)
			p.Put(due-delay+time.Duration(rapid.Int64Range(0, int64(delay)).Draw(t, "late")), n, n)
		}
		now := time.Duration(0)
		for want := first; want < first+300; {
			for range p.Ready(now) {
				if i, ok := p.Take(now); !ok || i.Tick != want || i.Value != want {
					t.Fatalf("%v %v, want %d", i, ok, want)
				}
				want++
			}
			now += time.Second / 60
		}
		if p.Stats.Waited != 0 {
			t.Fatalf("%+v", p.Stats)
		}
	})
}

func TestPlayoutCopyFrom(t *testing.T) {
	a, b := NewPlayout[int](0, 60, 0), NewPlayout[int](0, 30, 0)
	a.Put(0, 0, 1)
	b.CopyFrom(a)
	a.Take(0)
	if i, ok := b.Take(0); !ok || i.Value != 1 {
		t.Error("the copy shares its memory")
	}
}
