package clock

import (
	"testing"
	"time"

	"ghostcube/sim"
)

// drive runs a client with a servo against a server over a link of some ticks
// each way, with a state every few ticks, and returns how far the client was
// ahead of the server in each tick of the session.
func drive(s *Servo, ticks, up, down, every int, trip time.Duration, change func(i int) time.Duration) (ahead []int) {
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
		for due += one + int64(pace); due >= one; due -= one {
			for len(flights) > 0 && flights[0].at <= i {
				if i > up+down {
					client += sim.Tick(s.Aim(flights[0].tick, client, trip, 5, 60))
				}
				flights = flights[1:]
			}
			client++
			pace = s.Tick()
		}
		server++
		if i%every == 0 {
			flights = append(flights, state{i + down, server})
		}
		ahead = append(ahead, int(client)-int(server))
	}
	return ahead
}

// TestAim says that a client comes to be ahead by the way up and its lead, at
// once, and stays there without moving.
func TestAim(t *testing.T) {
	for _, every := range []int{1, 4, 32} {
		s := &Servo{}
		ahead := drive(s, 600, 5, 5, every, 150*time.Millisecond, nil)
		for i, a := range ahead[100:] {
			if a != ahead[100] {
				t.Fatalf("a state every %d ticks: ahead by %d and then, at tick %d, by %d", every, ahead[100], i+100, a)
			}
		}
		// A state is five ticks old when it comes; nine of round trip and five of lead on top.
		if a := ahead[599]; a < 9 || a > 10 {
			t.Errorf("a state every %d ticks: ahead by %d", every, a)
		}
	}
}

// TestFollows says that the client follows a round trip that changes by a few
// ticks, within two seconds and without swinging.
func TestFollows(t *testing.T) {
	for _, every := range []int{1, 4, 32} {
		s := &Servo{}
		ahead := drive(s, 1800, 5, 5, every, 0, func(i int) time.Duration {
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

// TestNoise says that a round trip that sways by less than a tick moves
// nothing.
func TestNoise(t *testing.T) {
	s := &Servo{}
	ahead := drive(s, 600, 5, 5, 1, 0, func(i int) time.Duration {
		return 150*time.Millisecond + time.Duration(i*7%23-11)*time.Millisecond
	})
	for i := 100; i < 600; i++ {
		if ahead[i] != ahead[100] {
			t.Fatalf("it moved at tick %d", i)
		}
	}
}

// TestFarAhead says that a client that is far ahead waits instead of jumping
// back.
func TestFarAhead(t *testing.T) {
	s := &Servo{}
	if jump := s.Aim(100, 300, 0, 5, 60); jump != 0 {
		t.Errorf("it jumps by %d", jump)
	}
	if pace := s.Tick(); pace != -paceFar {
		t.Errorf("pace %d", pace)
	}
	if jump := s.Aim(1000, 300, 0, 5, 60); jump != 705 {
		t.Errorf("far behind it jumps by %d", jump)
	}
}

// TestReset says that a client is steered, not told to jump, as long as it is behind
// by no more than Reset.
func TestReset(t *testing.T) {
	for _, c := range []struct{ reset, behind, jump int }{{0, 30, 0}, {0, 31, 31}, {60, 31, 0}, {60, 60, 0}, {60, 61, 61}} {
		s := &Servo{Reset: c.reset}
		s.Aim(100, 105, 0, 5, 60)
		if jump := s.Aim(sim.Tick(200+c.behind), 205, 0, 5, 60); jump != c.jump {
			t.Errorf("reset %d, behind by %d: it jumps by %d, want %d", c.reset, c.behind, jump, c.jump)
		}
		if pace := s.Tick(); (pace > 0) != (c.jump == 0) {
			t.Errorf("reset %d, behind by %d: pace %d", c.reset, c.behind, pace)
		}
	}
}
