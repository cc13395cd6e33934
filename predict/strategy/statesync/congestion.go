package statesync

import (
	"time"

	"ghostcube/net/packet"
)

// congestionControl reduces the send rate to a peer while the path has a queue. It is
// packet.FlowControl with three additions. The round-trip threshold is relative to the shortest
// round trip of the last 10 to 20 seconds, because a path with a long latency need not have a queue.
// The lower rate is three quarters of the acknowledged rate, measured when congestion begins and
// then once a second, so that even a link with a tenth of the budget is not overfilled. And the rate
// returns over four seconds: if it returned at once, a queue of more than a second would build up
// before the round trip showed it. A congestionControl is plain.
type congestionControl struct {
	flow          packet.FlowControl
	started       bool
	ticks         int64
	rttMin        [2]time.Duration // shortest round trip of this window and of the last; 0: none
	congested     bool             // at the last tick
	nextCheck     int64            // tick of the next measurement of the acknowledged rate
	recoveryTicks int64            // since the congestion ended
	everCongested bool             // congestion has occurred
}

const (
	queueDelay      = 100 * time.Millisecond // a round trip this much longer than the shortest indicates a queue
	rttWindow       = 10 * time.Second
	recoverySeconds = 4  // time in which the rate returns to the budget
	minRateDivisor  = 16 // the rate is never below this fraction of the budget

	bytesPerKbit = 1000 / 8
)

// updateRate advances one tick and returns the rate to send at, in bytes per second. good is
// the rate without congestion, in bytes per second.
func (c *congestionControl) updateRate(good int, stats *packet.Stats, ticksPerSecond int) int {
	if !c.started {
		c.started, c.flow = true, packet.NewFlowControl(good, good)
	}
	now := time.Duration(c.ticks) * time.Second / time.Duration(ticksPerSecond)
	if c.ticks%(int64(ticksPerSecond)*int64(rttWindow/time.Second)) == 0 {
		c.rttMin[1], c.rttMin[0] = c.rttMin[0], 0
	}
	c.ticks++
	if rtt := stats.RTT; rtt > 0 && (c.rttMin[0] == 0 || rtt < c.rttMin[0]) {
		c.rttMin[0] = rtt
	}
	shortest := c.rttMin[0]
	if c.rttMin[1] > 0 && (shortest == 0 || c.rttMin[1] < shortest) {
		shortest = c.rttMin[1]
	}
	flow := &c.flow
	flow.GoodRate, flow.BadRate, flow.RTTThreshold = good, min(flow.BadRate, good), shortest+queueDelay
	flow.Update(now, stats.RTT)
	if flow.Congested() && (!c.congested || c.ticks >= c.nextCheck && stats.RTT > flow.RTTThreshold) {
		c.nextCheck = c.ticks + int64(ticksPerSecond)
		flow.BadRate = min(max(int(stats.AckedRate*3/4/8), good/minRateDivisor), good/2)
	}
	if c.congested = flow.Congested(); c.congested {
		c.everCongested, c.recoveryTicks = true, 0
		return flow.Rate()
	}
	recoveryEnd := int64(ticksPerSecond) * recoverySeconds
	if c.recoveryTicks++; !c.everCongested || c.recoveryTicks >= recoveryEnd {
		return good
	}
	return flow.BadRate + int(int64(good-flow.BadRate)*c.recoveryTicks/recoveryEnd)
}
