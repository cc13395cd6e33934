package clock

import (
	"testing"
	"time"

	"ghostcube/sim"
)

// TestJitterKeepsPace checks that a client whose states arrive up to seven ticks late, one by one,
// is steered by the earliest of them: once it has found its aim, it keeps its pace.
func TestJitterKeepsPace(t *testing.T) {
	f := &Follower{}
	changes, own := 0, sim.Tick(0)
	for i := range 3600 {
		late := sim.Tick(uint64(i) * 0x9E3779B97F4A7C15 >> 61)
		own += sim.Tick(f.Sync(sim.Tick(1000+i)-late, own, 0, 150*time.Millisecond, 5, 60))
		own++
		if f.Tick(60) != 0 && i > 300 {
			changes++
		}
	}
	if changes > 0 {
		t.Errorf("the pace differs from the session's in %d of 3300 ticks", changes)
	}
	if ahead := int(own) - 4600; ahead < 12 || ahead > 16 {
		t.Errorf("%d ticks ahead, want a round trip of 9 and a lead of 5", ahead)
	}
}

// TestFollowsLongerPath checks that a client whose path has become longer notices about a second
// later, one whose path has become shorter at once, and that both settle.
func TestFollowsLongerPath(t *testing.T) {
	f := &Follower{}
	server, own, due, pace := sim.Tick(1000), sim.Tick(1000), int64(0), int32(0)
	late := sim.Tick(0)
	first := map[sim.Tick]int{} // tick of the first change of pace, by lateness
	for i := range 1200 {
		switch i {
		case 200:
			late = 10
		case 700:
			late = 0
		}
		for due += million + int64(pace); due > 0; due -= million {
			early := sim.Moment(max(million-due, 0)) * sim.MomentsPerTick / million
			own += sim.Tick(f.Sync(server-late, own, early, 0, 0, 60))
			own++
			if pace = f.Tick(60); pace != 0 && i > 100 && first[late] == 0 {
				first[late] = i
			}
		}
		server++
		if behind := int(server-late) - int(own); (i == 699 || i == 1199) && (behind < -2 || behind > 2) {
			t.Errorf("tick %d: it has not settled, and is %d behind", i, behind)
		}
	}
	if longer, shorter := first[10]-200, first[0]-700; longer < 40 || longer > 90 || shorter < 0 || shorter > 1 {
		t.Errorf("it changes its pace %d ticks after the path became longer, and %d after it became shorter", longer, shorter)
	}
}

// TestJumpsBack checks that a client that is ahead by more than a second, because its round trip was two
// seconds long before, jumps back to its aim once states have arrived for half a second, and
// that one that is less far ahead does not.
func TestJumpsBack(t *testing.T) {
	for _, trip := range []time.Duration{2 * time.Second, 900 * time.Millisecond} {
		f := &Follower{}
		own, back, backAt := sim.Tick(1000), 0, 0
		for i := range 300 {
			rtt := trip
			if i >= 120 {
				rtt = 50 * time.Millisecond
			}
			own += sim.Tick(f.Sync(sim.Tick(1000+i), own, 0, rtt, 0, 60))
			if n := f.JumpBack(60); n > 0 {
				back, backAt = back+n, i
				own -= sim.Tick(n)
			}
			own++
			if i > 119 {
				continue // the pace is not obeyed
			}
			f.Tick(60)
		}
		if trip > time.Second && (back != 117 || backAt != 120 || f.Behind() != 0) || trip < time.Second && back > 0 {
			t.Errorf("a trip that was %v: it jumps back by %d ticks after %d, and is %v behind", trip, back, backAt, f.Behind())
		}
	}
	f := &Follower{}
	f.Sync(1000, 1000, 0, 0, 0, 60)
	if f.Sync(1000, 1100, 0, 0, 0, 60); f.JumpBack(60) != 0 {
		t.Error("it jumps back because of one late state")
	}
}

// TestSyncLater checks that a client that is behind the server's states, while the round trip is
// unknown, jumps to their tick, and ahead of it as soon as the round trip is known.
func TestSyncLater(t *testing.T) {
	f := &Follower{}
	f.Sync(1000, 1000, 0, 0, 0, 60)
	if n := f.SyncLater(1010, 1020); n != 0 {
		t.Errorf("it jumps by %d although it is ahead", n)
	}
	if n := f.SyncLater(1100, 1020); n != 80 {
		t.Errorf("it jumps by %d, want 80", n)
	}
	if n := f.Sync(1106, 1106, 0, 100*time.Millisecond, 5, 60); n != 11 {
		t.Errorf("then it jumps by %d, want the trip of 6 and the lead of 5", n)
	}
}

// TestFollowsAfterFreeze checks that a client that has stood still jumps or hurries with the first
// state that arrives, although the last second of its own ticks says otherwise.
func TestFollowsAfterFreeze(t *testing.T) {
	for _, frozen := range []int{20, 120} {
		f := &Follower{}
		own := sim.Tick(1000)
		for i := range 200 {
			f.Sync(sim.Tick(1000+i), own, 0, 0, 0, 60)
			own++
			f.Tick(60)
		}
		jump := f.Sync(sim.Tick(1200+frozen), own, 0, 0, 0, 60)
		if pace := f.Tick(60); (jump == frozen) != (frozen > 60) || (pace > 0) != (frozen < 60) {
			t.Errorf("frozen for %d ticks: it jumps by %d, pace %d", frozen, jump, pace)
		}
		own += sim.Tick(jump)
		if f.Sync(sim.Tick(1200+frozen), own, 0, 0, 0, 60); jump > 0 && f.Behind() != 0 {
			t.Errorf("after its jump it is %v behind", f.Behind())
		}
	}
}

// TestNoisyRoundTrip checks that round trips that differ from their mean by a tick and a half, for some
// ticks each, do not steer the clock.
func TestNoisyRoundTrip(t *testing.T) {
	f := &Follower{}
	own := sim.Tick(1000)
	for i := range 1200 {
		trip := 150 * time.Millisecond
		if i > 100 {
			trip += time.Duration(i/6%2*54-27) * time.Millisecond
		}
		own += sim.Tick(f.Sync(sim.Tick(1000+i), own, 0, trip, 5, 60))
		own++
		if pace := f.Tick(60); pace != 0 {
			t.Fatalf("tick %d: pace %d", i, pace)
		}
	}
}
