package clock

import (
	"time"

	"ghostcube/predict/part/history"
	"ghostcube/sim"
)

// echoTicks is the number of ticks whose start an Echo remembers: 17 s at 60 Hz.
const echoTicks = 1024

// Echo measures the round trip from the tick of an input to the arrival of the state that it led
// to (Space Engineers, a talk at GDC). That includes the wait in the server's playout buffer, which
// the talk accepts. A clock that is set by it cannot see its own error: if a client is too far
// ahead, its inputs wait longer, and the longer round trip calls for exactly that lead
// (TestWholeEchoIsBlind in predict/lab). So the server also sends the wait, and RTT excludes it.
type Echo struct {
	measured   bool
	whole, rtt time.Duration // smoothed like the RTT of a link

	newest    sim.Tick      // the client's present one
	now       time.Duration // sum of the lengths of the client's ticks
	tickTimes history.Ring[time.Duration]
}

// NewEcho returns an Echo without measurements.
func NewEcho() Echo { return Echo{tickTimes: history.New[time.Duration](echoTicks)} }

// BeginTick begins client tick t, at rate ticks per second and at a pace that differs from it by
// slew, in ppm.
func (e *Echo) BeginTick(t sim.Tick, slew int32, rate int) {
	const one = 1_000_000
	e.now += time.Second / time.Duration(rate) * one / time.Duration(max(one+int64(slew), 1))
	e.newest = t
	*e.tickTimes.Insert(t) = e.now
}

// Add measures the arrival of a state that the input of client tick t led to, after waiting at the
// server for some ticks. It returns the time since that tick; ok is false if the tick is not
// remembered. Both sides read a packet up to a tick after its arrival, half a tick on average, so
// the round trip is one tick less.
func (e *Echo) Add(t sim.Tick, waited, rate int) (passed time.Duration, ok bool) {
	began := e.tickTimes.Find(t)
	if began == nil {
		return 0, false
	}
	tick := time.Second / time.Duration(rate)
	passed = e.now - *began
	whole, rtt := max(passed-tick, 0), max(passed-tick-time.Duration(waited)*tick, 0)
	if !e.measured {
		e.measured, e.whole, e.rtt = true, whole, rtt
	}
	e.whole += (whole - e.whole) / 8
	e.rtt += (rtt - e.rtt) / 8
	return passed, true
}

// GainSince returns by how much the client's clock has moved ahead of the session's since it began tick t, or 0 if
// that is not remembered.
func (e *Echo) GainSince(t sim.Tick, rate int) sim.Moment {
	began := e.tickTimes.Find(t)
	if began == nil {
		return 0
	}
	return e.newest.Moment() - t.Moment() - sim.MomentOf(e.now-*began, rate)
}

// RTT returns the smoothed round trip, without the wait at the server.
func (e *Echo) RTT() time.Duration { return e.rtt }

// CopyFrom makes e a copy of o that shares no memory with it.
func (e *Echo) CopyFrom(o *Echo) {
	times := e.tickTimes
	times.CopyFrom(&o.tickTimes, history.CopyValue[time.Duration])
	*e = *o
	e.tickTimes = times
}
