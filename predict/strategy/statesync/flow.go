package statesync

import (
	"time"

	"ghostcube/net/packet"
)

// flow is the rate at which a peer is sent to: the budget, or less while there is
// a queue on the way.
type flow struct {
	budget packet.Budget
	begun  bool
	ticks  int64
	trips  [2]time.Duration // the shortest round trips of this span and of the one before; 0: none
	bad    bool             // at the last tick
	again  int64            // tick of the next look at what gets through
	rise   int64            // ticks since the bad times ended
	fallen bool             // there have been any
}

const (
	queueTrip  = 100 * time.Millisecond // a round trip this much longer than the shortest tells of a queue
	tripSpan   = 10 * time.Second       // over one or two of which the shortest is looked for
	riseTime   = 4                      // seconds in which the rate returns to the budget
	leastShare = 16                     // the rate is never lower than one part in so many of the budget
)

// bits takes in a tick and returns the rate of now, in bits per second. The
// budget is packet.Budget's, of two rates, with three things added. What round trip
// is long is told by the shortest of late, since a way of 300 ms is no queue. And
// the lower rate is three quarters of what gets through, found out when the bad
// times begin and after every second of them, so that also a link of a tenth of
// the budget is not overfilled. And the way back takes four seconds: at once, a
// second and more of queue would have come together before it is seen.
func (f *flow) bits(kbit int, stats *packet.Stats, rate int) int64 {
	good := kbit * 1000 / 8
	if !f.begun {
		f.begun, f.budget = true, packet.NewBudget(good, good)
	}
	now := time.Duration(f.ticks) * time.Second / time.Duration(rate)
	if f.ticks%(int64(rate)*int64(tripSpan/time.Second)) == 0 {
		f.trips[1], f.trips[0] = f.trips[0], 0
	}
	f.ticks++
	if trip := stats.RTT; trip > 0 && (f.trips[0] == 0 || trip < f.trips[0]) {
		f.trips[0] = trip
	}
	least := f.trips[0]
	if f.trips[1] > 0 && (least == 0 || f.trips[1] < least) {
		least = f.trips[1]
	}
	b := &f.budget
	b.Good, b.Bad, b.Trip = good, min(b.Bad, good), least+queueTrip
	b.Update(now, stats.RTT)
	if b.Congested() && (!f.bad || f.ticks >= f.again && stats.RTT > b.Trip) {
		f.again = f.ticks + int64(rate)
		b.Bad = min(max(int(stats.AckedRate*3/4/8), good/leastShare), good/2)
	}
	if f.bad = b.Congested(); f.bad {
		f.fallen, f.rise = true, 0
		return int64(b.Bad) * 8
	}
	whole := int64(rate) * riseTime
	if f.rise++; !f.fallen || f.rise >= whole {
		return int64(good) * 8
	}
	return (int64(b.Bad) + int64(good-b.Bad)*f.rise/whole) * 8
}
