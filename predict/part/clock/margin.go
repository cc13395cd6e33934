package clock

import "ghostcube/sim"

// Margin is how early a client's inputs arrive at the server, as the server measures it: the one thing that
// the client's clock is there for, without the round trip's other half. What the client has gained since it made an
// input is added, because its corrections need a round trip to show (Unity's Netcode for Entities). The zero value
// knows nothing.
type Margin struct {
	known bool
	mean  sim.Moment // of the last inputs, at the present gain
	ticks int        // since the last input
}

// marginSpan says of which part of a second the mean is: a quarter averages jitter, and follows a path whose length changes.
const marginSpan = 4

// maxDisagreement is how far a client trusts the margin against its own measurement. A server that has received
// nothing for a second measures inputs of that second.
const maxDisagreement = 3 * sim.MomentsPerTick

// Add adds an input that arrived early by some ticks, before those that the client has gained since it made it.
func (m *Margin) Add(early int64, gained sim.Moment, rate int) {
	now := sim.Moment(early)*sim.MomentsPerTick + gained
	if !m.known {
		m.known, m.mean = true, now
	}
	m.mean += (now - m.mean) * sim.Moment(min(marginSpan*m.ticks, rate)) / sim.Moment(rate)
	m.ticks = 0
}

// Tick begins a tick of a client that has gained some time in the last one.
func (m *Margin) Tick(gained sim.Moment) {
	m.ticks++
	m.Gain(gained)
}

// Gain tells that the client has gained some time, by a jump.
func (m *Margin) Gain(by sim.Moment) { m.mean += by }

// Behind returns how far the client is behind if its inputs should arrive early by some ticks. behind is
// its own measurement: it stays if the margin agrees to half a tick, and otherwise the result differs from it by three
// ticks at most.
func (m *Margin) Behind(early int, behind sim.Moment) sim.Moment {
	off := sim.Moment(early)*sim.MomentsPerTick - m.mean - behind
	if !m.known || off <= sim.MomentsPerTick/2 && off >= -sim.MomentsPerTick/2 {
		return behind
	}
	return behind + min(max(off, -maxDisagreement), maxDisagreement)
}
