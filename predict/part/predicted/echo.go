package predicted

import (
	"time"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/sim"
)

// The ways to know the round trip by which the clock is set.
const (
	rttFromAcks = iota
	rttFromEcho
	rttFromWholeEcho
)

var rttSourceNames = []string{"acks", "echo", "echo-whole"}

// echoRTT is the round trip as the article has it: from the tick of an input to the
// arrival of the state that it led to. What the input waited in the server's buffer is in
// that, which the article accepts. A clock that is set by it cannot see itself: a client
// that is too far ahead has inputs that wait longer, and the longer way says that it is
// right so (TestWholeEchoIsBlind in predict/lab). So the server tells how long they wait,
// and that can be taken off.
type echoRTT struct {
	source   int
	measured bool
	whole    time.Duration // smoothed as the link's is
	rtt      time.Duration // without what the input waited at the server

	clientTime time.Duration // by the client's own clock
	tickTimes  history.Ring[time.Duration]
}

// beginTick begins the client's tick of a label. It remembers when that was: ticks that are
// made shorter or longer do not count as whole ones.
func (e *echoRTT) beginTick(label sim.Tick, pace int32, rate int) {
	const one = 1_000_000
	e.clientTime += time.Second / time.Duration(rate) * one / time.Duration(max(one+int64(pace), 1))
	*e.tickTimes.Insert(label) = e.clientTime
}

func (e *echoRTT) declare(env *predict.Env) {
	e.tickTimes = history.New[time.Duration](historyLen)
	env.Knobs.Choice(&e.source, "rtt-source", rttFromAcks, rttSourceNames, "the round trip by which the client's clock is set: of acknowledged packets; from an input's tick to the state that it led to, less what the server tells that it waited there; or the whole of that, as the article has it")
	m := env.Counters
	m.Declare("echo_ms", "from an input's tick to the state that it led to, buffer and all, now")
	m.Declare("rtt_echo_ms", "the same without what the input waited at the server, smoothed, now")
	m.Declare("arrival_early_ms", "by how much the newest state came sooner than it should have by the client's clock; below 0: later, now")
}

// addEcho takes in that a state came that the input of frame led to, when the client's
// tick begins. That tick, and the one at the server, begin up to a tick after what came:
// of the two a whole one is taken off.
func (e *echoRTT) addEcho(frame sim.Tick, waited, rate int, m *predict.Counters) {
	made := e.tickTimes.Find(frame)
	if made == nil {
		return
	}
	tick := time.Second / time.Duration(rate)
	passed := e.clientTime - *made
	whole, less := max(passed-tick, 0), max(passed-tick-time.Duration(waited)*tick, 0)
	if !e.measured {
		e.measured, e.whole, e.rtt = true, whole, less
	}
	e.whole += (whole - e.whole) / 8
	e.rtt += (less - e.rtt) / 8
	m.Set("echo_ms", float64(passed)/float64(time.Millisecond))
	m.Set("rtt_echo_ms", float64(e.rtt)/float64(time.Millisecond))
}

// rttAndLead returns the round trip and by how many ticks the client should be early. Before
// anything has been echoed it is the link's.
func (e *echoRTT) rttAndLead(s *packet.Stats, buffer int) (trip time.Duration, ahead int) {
	switch {
	case e.source == rttFromAcks || !e.measured:
		return s.RTT, buffer
	case e.source == rttFromWholeEcho:
		return e.whole, 0 // the buffer is in it
	}
	return e.rtt, buffer
}

func (e *echoRTT) copyFrom(o *echoRTT) {
	e.source, e.measured, e.whole, e.rtt, e.clientTime = o.source, o.measured, o.whole, o.rtt, o.clientTime
	e.tickTimes.CopyFrom(&o.tickTimes, history.CopyValue[time.Duration])
}
