package lockstep

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
	p := newPlayoutBuffer[int](0, 60, 100*ms)
	if _, ok := p.Pop(time.Hour); ok {
		t.Fatal("released before anything came")
	}
	start := 7 * time.Second
	for _, n := range []int64{2, 0, 1, 0, 3} {
		p.Push(start, n, int(n))
	}
	for n := range int64(4) {
		due := start + time.Duration(n)*time.Second/60 + 100*ms
		if at, ok := p.DueTime(n); !ok || at != due {
			t.Errorf("item %d is due at %v, want %v", n, at, due)
		}
		if _, ok := p.Pop(due - 1); ok || p.CountReleasable(due-1, 4) != 0 {
			t.Errorf("item %d comes early", n)
		}
		if i, ok := p.Pop(due); !ok || i.Tick != n || i.Value != int(n) {
			t.Errorf("item %d: %v %v", n, i, ok)
		}
	}
	if p.Stats != (playoutStats{Accepted: 4, Duplicates: 1, Released: 4}) {
		t.Errorf("%+v", p.Stats)
	}
}

// TestPlayoutStalls says that an item that is due and missing is waited for, with
// all behind it, and that when it comes four at most are released at once, so
// that who is behind catches up without falling further behind.
func TestPlayoutStalls(t *testing.T) {
	p := newPlayoutBuffer[int](100, 60, 50*ms)
	for n := int64(100); n < 130; n++ {
		if n != 102 {
			p.Push(0, n, int(n))
		}
	}
	now := time.Second
	for range 2 {
		p.Pop(now)
	}
	if p.CountReleasable(now, 4) != 0 || p.Stats.Stalls != 1 {
		t.Fatalf("102 is missing, and %d are ready", p.CountReleasable(now, 4))
	}
	if _, ok := p.Pop(now); ok {
		t.Fatal("103 comes before 102")
	}
	if p.Push(now, 101, 0) != late || p.Push(now, 102+playoutCapacity, 0) != outOfRange || p.Push(now, -1<<63, 0) != late || p.Push(now, 1<<63-1, 0) != outOfRange {
		t.Error("what is late or far is kept")
	}
	p.Push(now, 102, 102)
	for want := 102; want < 130; {
		n := p.CountReleasable(now, 4)
		if n != min(4, 130-want) {
			t.Fatalf("%d ready at %d", n, want)
		}
		for range n {
			if i, ok := p.Pop(now); !ok || i.Value != want {
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
		p := newPlayoutBuffer[int64](first, rate, delay)
		p.Push(0, first, first)
		for n := first + 1; n < first+300; n++ {
			due, _ := p.DueTime(n)
			p.Push(due-delay+time.Duration(rapid.Int64Range(0, int64(delay)).Draw(t, "late")), n, n)
		}
		now := time.Duration(0)
		for want := first; want < first+300; {
			for range p.CountReleasable(now, 4) {
				if i, ok := p.Pop(now); !ok || i.Tick != want || i.Value != want {
					t.Fatalf("%v %v, want %d", i, ok, want)
				}
				want++
			}
			now += time.Second / 60
		}
		if p.Stats.Stalls != 0 {
			t.Fatalf("%+v", p.Stats)
		}
	})
}

func TestPlayoutCopyFrom(t *testing.T) {
	a, b := newPlayoutBuffer[int](0, 60, 0), newPlayoutBuffer[int](0, 30, 0)
	a.Push(0, 0, 1)
	b.CopyFrom(a)
	a.Pop(0)
	if i, ok := b.Pop(0); !ok || i.Value != 1 {
		t.Error("the copy shares its memory")
	}
}

// simulatePlayout plays n items of a sender whose clock differs from ours by ppm through
// a path, and returns how many ticks waited for an item that was due, after
// the first wait seconds, and the delay at the end.
func simulatePlayout(p *playoutBuffer[int], n, ppm int, wait int, path func(i int) time.Duration) (waited int, held time.Duration) {
	type flight struct {
		at time.Duration
		n  int
	}
	var under []flight
	for i := range n {
		sent := time.Duration(i) * time.Second / 60
		sent += sent / 1_000_000 * time.Duration(ppm)
		under = append(under, flight{sent + path(i), i})
	}
	next := 0
	for tick := 0; next < n; tick++ {
		now := time.Duration(tick) * time.Second / 60
		for _, f := range under {
			if f.at <= now && f.at > now-time.Second/60 {
				p.Push(now, int64(f.n), f.n)
			}
			if f.at > now+time.Second {
				break
			}
		}
		for len(under) > 100 && under[50].at < now-5*time.Second {
			under = under[50:]
		}
		if r := p.CountReleasable(now, 4); r > 0 {
			for range r {
				p.Pop(now)
				next++
			}
		} else if p.Stalled(now) && tick > wait*60 {
			waited++
		}
		if tick > n+6000 {
			break
		}
	}
	return waited, p.CurrentDelay()
}

// TestPlayoutCompensatesDrift says that with Follow a sender whose clock is 1000 parts
// per million slower or faster is played for ten minutes without waiting, and
// without it the slower one is waited for again and again.
func TestPlayoutCompensatesDrift(t *testing.T) {
	steady := func(int) time.Duration { return 80 * ms }
	for _, ppm := range []int{1000, -1000} {
		p := newPlayoutBuffer[int](0, 60, 50*ms)
		p.CompensateDrift = true
		if waited, _ := simulatePlayout(p, 36000, ppm, 10, steady); waited != 0 {
			t.Errorf("%d ppm: %d ticks wait", ppm, waited)
		}
		due, _ := p.DueTime(36000)
		sent := 600*time.Second + 600*time.Second/1_000_000*time.Duration(ppm)
		if away := due - sent - 80*ms - 50*ms; away < -20*ms || away > 20*ms {
			t.Errorf("%d ppm: the last item is due %v from where it should be", ppm, away)
		}
	}
	p := newPlayoutBuffer[int](0, 60, 50*ms)
	if waited, _ := simulatePlayout(p, 36000, 1000, 10, steady); waited < 30 { // 600 ms less 50, in ticks
		t.Errorf("a slower clock that is not followed: only %d ticks wait", waited)
	}
}

// TestPlayoutAdapts says that with Adapt the delay becomes what the link needs,
// up at once and down slowly, and that no item waits once it is there.
func TestPlayoutAdapts(t *testing.T) {
	// Every fifth item comes 90 ms later than the others.
	swaying := func(i int) time.Duration {
		if i%5 == 3 {
			return 130 * ms
		}
		return 40 * ms
	}
	for _, first := range []time.Duration{0, 100 * ms, 600 * ms} {
		p := newPlayoutBuffer[int](0, 60, first)
		p.Adaptive = true
		waited, held := simulatePlayout(p, 6000, 0, 30, swaying)
		if waited != 0 || held < 90*ms || held > 130*ms {
			t.Errorf("from %v: %d ticks wait, the delay ends at %v", first, waited, held)
		}
	}
	// A link that becomes worse, and better again.
	p := newPlayoutBuffer[int](0, 60, 20*ms)
	p.Adaptive = true
	simulatePlayout(p, 1200, 0, 0, func(i int) time.Duration {
		if i > 600 {
			return 240 * ms
		}
		return 40 * ms
	})
	if held := p.CurrentDelay(); held < 200*ms || held > 240*ms {
		t.Errorf("the path became 200 ms longer, and the delay is %v", held)
	}
	p.Adaptive = false
	if p.CountReleasable(time.Hour, 1); p.CurrentDelay() != 20*ms {
		t.Errorf("no longer adapted, the delay is %v", p.CurrentDelay())
	}
}

// TestPlayoutAfterFreeze says that with Follow a receiver that has stood still, so
// that all comes too early by its clock, plays items as late as before within
// seconds, and without it it stays behind by as long as it stood.
func TestPlayoutAfterFreeze(t *testing.T) {
	const delay, path = 50 * ms, 80 * ms
	for _, stood := range []time.Duration{200 * ms, 900 * ms, 3 * time.Second} {
		for _, follow := range []bool{true, false} {
			p := newPlayoutBuffer[int](0, 60, delay)
			p.CompensateDrift = follow
			next := 0
			for tick := range 60 * 20 {
				real := time.Duration(tick) * time.Second / 60
				now := min(real, 5*time.Second) + max(real-5*time.Second-stood, 0)
				for ; time.Duration(next)*time.Second/60+path <= real && (real < 5*time.Second || now > 5*time.Second); next++ {
					p.Push(now, int64(next), next)
				}
				for range p.CountReleasable(now, 4) {
					p.Pop(now)
				}
			}
			due, _ := p.DueTime(int64(next))
			away := due + stood - time.Duration(next)*time.Second/60 - path - delay
			want := time.Duration(0)
			if !follow {
				want = stood
			}
			if d := (away - want).Abs(); d > 30*ms {
				t.Errorf("after %v, following %v: items are due %v later than before, want %v", stood, follow, away, want)
			}
		}
	}
}
