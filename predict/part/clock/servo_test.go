package clock

import (
	"testing"
	"time"

	"ghostcube/sim"
)

const million = 1_000_000

// ticks returns the moment of a number of ticks.
func ticks(n int) sim.Moment { return sim.Moment(n) * sim.MomentsPerTick }

// simulate runs a client with a Follower against a server, over a link of some ticks each way and
// with a state every few ticks. It returns how far ahead of the server the client was in each
// tick of the session.
func simulate(s *Follower, ticks, up, down, every int, trip time.Duration, change func(i int) time.Duration) (ahead []int) {
	server, client := sim.Tick(0), sim.Tick(0)
	type state struct {
		at   int
		tick sim.Tick
	}
	var flights []state
	due, pace := int64(0), int32(0)
	for i := range ticks {
		if change != nil {
			trip = change(i)
		}
		for due += million + int64(pace); due >= million; due -= million {
			for len(flights) > 0 && flights[0].at <= i {
				if i > up+down {
					client += sim.Tick(s.Sync(flights[0].tick, client, trip, 5, 60))
				}
				flights = flights[1:]
			}
			client++
			pace = s.Tick(60)
		}
		server++
		if i%every == 0 {
			flights = append(flights, state{i + down, server})
		}
		ahead = append(ahead, int(client)-int(server))
	}
	return ahead
}

// TestSync checks that a client is ahead by the path up and its lead at once, and stays there
// without moving.
func TestSync(t *testing.T) {
	for _, every := range []int{1, 4, 32} {
		s := &Follower{}
		ahead := simulate(s, 600, 5, 5, every, 150*time.Millisecond, nil)
		for i, a := range ahead[100:] {
			if a != ahead[100] {
				t.Fatalf("a state every %d ticks: ahead by %d and then, at tick %d, by %d", every, ahead[100], i+100, a)
			}
		}
		// A state is five ticks old when it arrives; a round trip of nine and a lead of five are added.
		if a := ahead[599]; a < 9 || a > 10 {
			t.Errorf("a state every %d ticks: ahead by %d", every, a)
		}
	}
}

// TestFollowsRTT checks that the client follows a round trip that changes by a few ticks,
// within two seconds and without swinging.
func TestFollowsRTT(t *testing.T) {
	for _, every := range []int{1, 4, 32} {
		s := &Follower{}
		ahead := simulate(s, 1800, 5, 5, every, 0, func(i int) time.Duration {
			switch {
			case i < 600:
				return 150 * time.Millisecond
			case i < 1200:
				return 300 * time.Millisecond
			}
			return 100 * time.Millisecond
		})
		first := ahead[599]
		if got := ahead[750] - first; got < 8 || got > 10 {
			t.Errorf("every %d: 9 ticks more of round trip, and %d ticks further ahead", every, got)
		}
		for i := 750; i < 1199; i++ {
			if ahead[i] != ahead[750] {
				t.Fatalf("every %d: still moving at tick %d", every, i)
			}
		}
		if got := ahead[1450] - ahead[1199]; got < -13 || got > -11 {
			t.Errorf("every %d: 12 ticks less of round trip, and %d ticks further ahead", every, got)
		}
		for i := 1450; i < 1800; i++ {
			if ahead[i] != ahead[1450] {
				t.Fatalf("every %d: still moving at tick %d", every, i)
			}
		}
	}
}

// TestIgnoresSmallJitter checks that a round trip that varies by less than a tick changes
// nothing.
func TestIgnoresSmallJitter(t *testing.T) {
	s := &Follower{}
	ahead := simulate(s, 600, 5, 5, 1, 0, func(i int) time.Duration {
		return 150*time.Millisecond + time.Duration(i*7%23-11)*time.Millisecond
	})
	for i := 100; i < 600; i++ {
		if ahead[i] != ahead[100] {
			t.Fatalf("it moved at tick %d", i)
		}
	}
}

// TestFirstSync checks that a client jumps to its aim when it is synchronised first, however
// near that is, and never back.
func TestFirstSync(t *testing.T) {
	for _, behind := range []int{0, 1, 5, 60, 10000, -1, -100} {
		s := &Servo{}
		if s.Synced() {
			t.Fatal("synchronised before the first time")
		}
		jump := s.Sync(ticks(behind), 60)
		left := sim.Moment(behind-max(behind, 0)) * sim.MomentsPerTick
		if jump != max(behind, 0) || s.Behind() != left || !s.Synced() {
			t.Errorf("%d ticks behind: it jumps by %d and is %v behind", behind, jump, s.Behind())
		}
	}
}

// TestFarAhead checks that a client that is far ahead slows down instead of jumping back.
func TestFarAhead(t *testing.T) {
	s := &Servo{}
	if jump := s.Sync(ticks(-195), 60); jump != 0 {
		t.Errorf("it jumps by %d", jump)
	}
	if pace := s.Tick(); pace != -fastSlewPPM {
		t.Errorf("pace %d", pace)
	}
	if s.Sync(ticks(35), 60); s.Tick() != fastSlewPPM {
		t.Error("far behind it does not hurry")
	}
	if jump := s.Sync(ticks(705), 60); jump != 705 {
		t.Errorf("far behind it jumps by %d", jump)
	}
}

// TestReset checks that a client changes its pace, and does not jump, as long as it is behind
// by no more than ResetBehind.
func TestReset(t *testing.T) {
	for _, c := range []struct{ reset, behind, jump int }{{0, 60, 0}, {0, 61, 61}, {30, 30, 0}, {30, 31, 31}, {90, 61, 0}} {
		s := &Servo{ResetBehind: sim.Moment(c.reset) * sim.MomentsPerTick}
		s.Sync(0, 60)
		if jump := s.Sync(ticks(c.behind), 60); jump != c.jump {
			t.Errorf("reset %d, behind by %d: it jumps by %d, want %d", c.reset, c.behind, jump, c.jump)
		}
		if pace := s.Tick(); (pace > 0) != (c.jump == 0) {
			t.Errorf("reset %d, behind by %d: pace %d", c.reset, c.behind, pace)
		}
	}
}

// TestSettles checks that a client that is off its aim by up to a second is back within five
// seconds, without swinging: it does not pass its aim by more than a tick, and never turns
// back. It tolerates a tick and a half, and may have been off by that before. Longer ticks
// bring it back from ahead, shorter ones from behind.
func TestSettles(t *testing.T) {
	for _, every := range []int{1, 4, 32} {
		for _, off := range []int{-60, -45, -31, -20, -8, -3, -2, 2, 3, 8, 20, 31, 45, 60} {
			s := &Follower{}
			const trip = 150 * time.Millisecond
			ahead := simulate(s, 1200, 5, 5, every, trip, func(i int) time.Duration {
				if i < 600 {
					return trip
				}
				return trip + time.Duration(off)*time.Second/60
			})
			aim := ahead[599] + off
			settled, turns, over := 0, 0, 0
			direction := 0
			for i := 600; i < 1200; i++ {
				away := aim - ahead[i]
				if away < -2 || away > 2 {
					settled = i + 1 - 600
				}
				step := ahead[i] - ahead[i-1]
				if step*direction < 0 {
					turns++
				}
				if step != 0 {
					direction = step
				}
				if away*off < 0 {
					over = max(over, away, -away)
				}
			}
			if settled > 300 || turns > 0 || over > 1 {
				t.Errorf("a state every %d ticks, %d ticks away: settled after %d ticks, %d turns, %d beyond its aim", every, off, settled, turns, over)
			}
		}
	}
}

// TestResetAtAnyRate checks that a client that is more than a second behind jumps, whatever the
// rate, and that one that is less behind does not.
func TestResetAtAnyRate(t *testing.T) {
	for _, rate := range []int{30, 60, 240} {
		for _, behind := range []int{rate - 1, rate, rate + 1, 10 * rate} {
			s := &Servo{}
			s.Sync(0, rate)
			jump := s.Sync(ticks(behind), rate)
			if want := map[bool]int{true: behind}[behind > rate]; jump != want {
				t.Errorf("%d ticks behind at %d a second: it jumps by %d, want %d", behind, rate, jump, want)
			}
			if s.Tick(); jump > 0 && s.Behind() != 0 {
				t.Errorf("after a jump it is %v behind", s.Behind())
			}
		}
	}
}

// TestClockSkew checks that over an hour a clock that is 500 ppm wrong is never more than two
// ticks off its aim, and is corrected rarely: once for each tick and a half or more.
func TestClockSkew(t *testing.T) {
	for _, ppm := range []int64{500, -500} {
		s := &Follower{}
		s.Sync(1000, 1000, 0, 0, 60)
		var server, client, due int64 = 1000, 1000, 0
		pace, times := int32(0), 0
		for range 60 * 3600 {
			step := million + int64(pace)
			for due += step + step*ppm/million; due >= million; due -= million {
				s.Sync(sim.Tick(server), sim.Tick(client), 0, 0, 60)
				client++
				was := pace
				if pace = s.Tick(60); pace != 0 && was == 0 {
					times++
				}
			}
			server++
			if away := server - client; away < -2 || away > 2 {
				t.Fatalf("%d ppm: %d ticks away", ppm, away)
			}
		}
		if drift := 108; times > drift || times < drift/3 {
			t.Errorf("%d ppm: corrected %d times for a drift of %d ticks", ppm, times, drift)
		}
	}
}

// TestGentle checks that a gentle servo brings a client back from either side without passing its aim, by no
// more than a per cent of its pace within three ticks of it, half a per cent from ahead, and slows one that is
// further ahead by a few per cent.
func TestGentle(t *testing.T) {
	for _, off := range []int{-25, -3, -2, 2, 3, 20} {
		s := &Follower{Servo: Servo{Gentle: true}}
		if s.SyncLater(1, 0); !s.Gentle {
			t.Fatal("a gentle servo is not gentle after a state before the round trip is known")
		}
		const trip = 150 * time.Millisecond
		ahead := simulate(s, 3000, 5, 5, 1, trip, func(i int) time.Duration {
			if away := s.Behind(); away <= 3*sim.MomentsPerTick && away >= -3*sim.MomentsPerTick && (s.pace > 10_000 || s.pace < -5_000) ||
				s.pace < -50_000 {
				t.Fatalf("%v behind: pace %d", away, s.pace)
			}
			if i < 600 {
				return trip
			}
			return trip + time.Duration(off)*time.Second/60
		})
		if got := ahead[2999] - ahead[599]; got < off-1 || got > off+1 {
			t.Errorf("%d ticks away: it moves by %d", off, got)
		}
		for i := 600; i < 3000; i++ {
			if passed := (ahead[i] - ahead[599] - off) * off; passed > max(off, -off) {
				t.Fatalf("%d ticks away: it passes its aim by %d", off, passed/off)
			}
		}
	}
}
