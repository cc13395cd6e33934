package clock

import (
	"time"

	"ghostcube/predict/part/history"
	"ghostcube/sim"
)

// echoTicks is for how many ticks an Echo remembers when they began: 17 s.
const echoTicks = 1024

// Echo measures the round trip from the tick of an input to the arrival of the state that it led
// to (Space Engineers, a talk at GDC). That contains the wait in the server's playout buffer,
// which the talk accepts. A clock that is set by it is blind to its own error: the inputs of a
// client that is too far ahead wait longer, and the longer round trip asks for just that lead
// (TestWholeEchoIsBlind in predict/lab). So the server sends how long an input has waited, and
// RTT is without that.
type Echo struct {
	measured   bool
	whole, rtt time.Duration // smoothed as the link's

	now       time.Duration // by the client's own ticks
	tickTimes history.Ring[time.Duration]
}

// NewEcho returns one that has measured nothing.
func NewEcho() Echo { return Echo{tickTimes: history.New[time.Duration](echoTicks)} }

// BeginTick begins one of the client's ticks, which is made shorter or longer by slew, in parts
// per million; rate is in ticks per second.
func (e *Echo) BeginTick(t sim.Tick, slew int32, rate int) {
	const one = 1_000_000
	e.now += time.Second / time.Duration(rate) * one / time.Duration(max(one+int64(slew), 1))
	*e.tickTimes.Insert(t) = e.now
}

// Add takes in that a state has arrived that the input of one of the client's ticks led to, after
// it had waited at the server for some ticks. It returns the time that has passed since that tick;
// ok is false if the tick is not remembered. That tick, and the server's, begin up to a tick after
// what they read arrives: of the two together one tick is taken off.
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

// RTT returns the smoothed round trip without the wait at the server.
func (e *Echo) RTT() time.Duration { return e.rtt }

// CopyFrom makes e an equal of o that shares no memory with it.
func (e *Echo) CopyFrom(o *Echo) {
	times := e.tickTimes
	times.CopyFrom(&o.tickTimes, history.CopyValue[time.Duration])
	*e = *o
	e.tickTimes = times
}
