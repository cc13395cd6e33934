package clock

import (
	"testing"
	"time"

	"ghostcube/internal/golden"
	"ghostcube/sim"
)

const oneTick = sim.MomentsPerTick

// guideClock is the clock of the guide. Its methods with comments behind their lines are the guide's pseudo-code; the
// others are what one of its words stands for. It runs at 60 ticks a second.
type guideClock struct {
	earliest    [8]sim.Moment // by the eighth of a second
	part, ticks int
	trip, lead  sim.Moment
	behind      sim.Moment
	pace        int64 // ppm
	synced      bool
	jumps       int
}

const none = -1 << 40 // no snapshot

func (g *guideClock) snapshot(n, own sim.Moment) { // on the snapshot of tick n, in tick own of the client's clock:
	offset := n - own                                    // offset = n - own  # less if it is late
	g.earliest[g.part] = max(g.earliest[g.part], offset) // earliest[part] = max(earliest[part], offset)
	g.behind = g.largest() + g.trip + g.lead             // behind = largest of earliest + round trip + lead
	if g.behind > 60*oneTick || !g.synced {              // if behind > a second, or this is the first snapshot:
		g.jump(g.behind.Tick()) // jump(whole ticks of behind)
	}
}

func (g *guideClock) jump(n sim.Tick) { // jump(n):
	g.move(n)           // step the world n ticks, whose inputs would be late
	g.shift(n.Moment()) // each of earliest = it - n
	g.behind = 0        // behind = 0
}

func (g *guideClock) tick() { // each tick:
	gained := gained(g.pace) // gained = by how much the last tick was shorter than a server's, at its pace
	g.shift(gained)          // each of earliest = it - gained
	g.behind -= gained       // behind = behind - gained
	if g.isOver() {          // if an eighth of a second is over:
		g.part = (g.part + 1) % 8 // part = (part + 1) modulo 8
		g.earliest[g.part] = none // earliest[part] = none
	}
	if far(g.behind) || g.pace != 0 && !close(g.behind) { // if abs(behind) > 1.5, or pace != 0 and abs(behind) > 0.5:
		g.pace = faster(g.behind) // pace = behind * 5 % / 3  # more beyond three ticks
	} else { // else:
		g.pace = 0 // pace = 0
	}
}

func (g *guideClock) largest() sim.Moment {
	n := g.earliest[0]
	for _, e := range g.earliest {
		n = max(n, e)
	}
	return n
}

func (g *guideClock) move(n sim.Tick) { g.jumps, g.synced = int(n), true }

func (g *guideClock) shift(by sim.Moment) {
	for i := range g.earliest {
		if g.earliest[i] > none/2 {
			g.earliest[i] -= by
		}
	}
}

func (g *guideClock) isOver() bool {
	if g.ticks++; g.ticks*8 < 60 {
		return false
	}
	g.ticks = 0
	return true
}

func gained(pace int64) sim.Moment { return oneTick * sim.Moment(pace) / sim.Moment(1_000_000+pace) }

func far(behind sim.Moment) bool { return behind > 3*oneTick/2 || behind < -3*oneTick/2 }

func close(behind sim.Moment) bool { return behind <= oneTick/2 && behind >= -oneTick/2 }

// faster returns a change of pace in ppm: a twentieth at three ticks, ten per cent more for each tick beyond, a quarter at
// most, and half beyond thirty ticks.
func faster(behind sim.Moment) int64 {
	if behind < 0 {
		return -faster(-behind)
	}
	switch gentle := sim.Moment(3 * oneTick); {
	case behind <= gentle:
		return int64(50_000 * behind / gentle)
	case behind <= 30*oneTick:
		return int64(min(50_000+100_000*(behind-gentle)/oneTick, 250_000))
	}
	return 500_000
}

// TestGuide runs the guide's pseudo-code beside a Follower for two minutes: the client's clock is 500 ppm slow, snapshots
// are late by up to five ticks or lost, and the path gets longer, shorter, and much shorter. Both have to jump by the same ticks
// and choose the same pace.
func TestGuide(t *testing.T) {
	golden.PseudoCode(t, "clocks", "guide_test.go")
	const rate, trip = 60, 150 * time.Millisecond
	f, g := &Follower{}, &guideClock{trip: sim.MomentOf(trip, rate).Round(), lead: 5 * oneTick}
	for i := range g.earliest {
		g.earliest[i] = none
	}
	own, due, pace, changes, jumps := sim.Tick(1000), int64(0), int32(0), 0, 0
	for i := range 7200 {
		path := []sim.Tick{100, 112, 103, 20}[i/1800]
		for due += million + int64(pace) - 500; due > 0; due -= million {
			early := sim.Moment(max(million-due, 0)) * oneTick / million
			random := uint64(i) * 0x9E3779B97F4A7C15
			g.jumps = 0
			if random>>32%10 > 0 {
				n := sim.Tick(2000+i) - path - sim.Tick(random>>40%6)
				want := f.Sync(n, own, early, trip, 5, rate)
				g.snapshot(n.Moment(), own.Moment()-early)
				if g.jumps != want {
					t.Fatalf("tick %d: the guide jumps by %d ticks, the client by %d", i, g.jumps, want)
				}
				if own += sim.Tick(want); want > 0 {
					jumps++
				}
			}
			own++
			before := pace
			pace = f.Tick(rate)
			if g.tick(); g.pace != int64(pace) || g.behind != f.Behind() {
				t.Fatalf("tick %d: the guide's pace is %d ppm, the client's %d", i, g.pace, pace)
			}
			if (pace != 0) != (before != 0) {
				changes++
			}
		}
	}
	if changes < 8 || jumps != 2 {
		t.Errorf("%d changes of pace, %d jumps", changes, jumps)
	}
}
