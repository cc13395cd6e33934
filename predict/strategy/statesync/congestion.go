package statesync

import (
	"time"

	"ghostcube/net/packet"
)

// congestionControl is the rate at which a peer is sent to: the budget, or less while there is
// a queue on the way.
type congestionControl struct {
	budget        packet.FlowControl
	started       bool
	ticks         int64
	rttMin        [2]time.Duration // the shortest round trips of this span and of the one before; 0: none
	congested     bool             // at the last tick
	nextCheck     int64            // tick of the next look at what gets through
	recoveryTicks int64            // ticks since the bad times ended
	everCongested bool             // there have been any
}

const (
	queueDelay      = 100 * time.Millisecond // a round trip this much longer than the shortest tells of a queue
	rttWindow       = 10 * time.Second       // over one or two of which the shortest is looked for
	recoverySeconds = 4                      // seconds in which the rate returns to the budget
	minRateDivisor  = 16                     // the rate is never lower than one part in so many of the budget
)

// updateRate takes in a tick and returns the rate of now, in bits per second. The
// budget is packet.Budget's, of two rates, with three things added. What round trip
// is long is told by the shortest of late, since a way of 300 ms is no queue. And
// the lower rate is three quarters of what gets through, found out when the bad
// times begin and after every second of them, so that also a link of a tenth of
// the budget is not overfilled. And the way back takes four seconds: at once, a
// second and more of queue would have come together before it is seen.
func (f *congestionControl) updateRate(kbit int, stats *packet.Stats, rate int) int64 {
	good := kbit * 1000 / 8
	if !f.started {
		f.started, f.budget = true, packet.NewFlowControl(good, good)
	}
	now := time.Duration(f.ticks) * time.Second / time.Duration(rate)
	if f.ticks%(int64(rate)*int64(rttWindow/time.Second)) == 0 {
		f.rttMin[1], f.rttMin[0] = f.rttMin[0], 0
	}
	f.ticks++
	if trip := stats.RTT; trip > 0 && (f.rttMin[0] == 0 || trip < f.rttMin[0]) {
		f.rttMin[0] = trip
	}
	least := f.rttMin[0]
	if f.rttMin[1] > 0 && (least == 0 || f.rttMin[1] < least) {
		least = f.rttMin[1]
	}
	b := &f.budget
	b.GoodRate, b.BadRate, b.RTTThreshold = good, min(b.BadRate, good), least+queueDelay
	b.Update(now, stats.RTT)
	if b.Congested() && (!f.congested || f.ticks >= f.nextCheck && stats.RTT > b.RTTThreshold) {
		f.nextCheck = f.ticks + int64(rate)
		b.BadRate = min(max(int(stats.AckedRate*3/4/8), good/minRateDivisor), good/2)
	}
	if f.congested = b.Congested(); f.congested {
		f.everCongested, f.recoveryTicks = true, 0
		return int64(b.BadRate) * 8
	}
	whole := int64(rate) * recoverySeconds
	if f.recoveryTicks++; !f.everCongested || f.recoveryTicks >= whole {
		return int64(good) * 8
	}
	return (int64(b.BadRate) + int64(good-b.BadRate)*f.recoveryTicks/whole) * 8
}
