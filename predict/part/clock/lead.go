package clock

import (
	"time"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// The round trips by which a Lead may set the clock.
const (
	rttFromAcks = iota
	rttFromEcho
	rttFromWholeEcho
)

// Lead keeps a client ahead of a server that delays inputs in a playout buffer: by a round trip
// and by that delay, so that an input arrives when a place in the buffer is due to it. It steers
// by its env's SlewPPM.
type Lead struct {
	settings leadSettings
	servo    Servo
	echo     Echo
	env      *predict.Env
}

type leadSettings struct {
	playoutDelay int     // ticks
	resetBehind  float64 // ms
	rttSource    int
}

// Declare tells env what may be tuned and what is measured.
func (l *Lead) Declare(env *predict.Env) {
	l.env, l.echo = env, NewEcho()
	k, m := env.Knobs, env.Counters
	input.DeclarePlayoutDelay(&l.settings.playoutDelay, k)
	k.Millis(&l.settings.resetBehind, "reset-behind", 1000, 100, 10000, "a client farther behind its aim skips to the server's time; one that is less behind runs faster")
	k.Choice(&l.settings.rttSource, "rtt-source", rttFromAcks, []string{"acks", "echo", "echo-whole"}, "RTT that sets the clock: of acknowledged packets; of an echoed input less its wait; of the whole echo")
	m.Declare("echo_ms", "from an input's tick to the state that it led to, playout delay included, ms, now")
	m.Declare("rtt_echo_ms", "round trip of an echoed input without its wait at the server, smoothed, ms, now")
	m.Declare("arrival_early_ms", "how much earlier than the client's clock expects the newest state arrived, ms, now; below 0: later")
	m.Declare("clock_behind_ticks", "ticks that the client's clock is behind its aim, now")
}

// BeginTick begins the client's tick.
func (l *Lead) BeginTick() {
	l.echo.BeginTick(l.env.World.Tick(), l.env.SlewPPM, l.env.World.Rate())
}

// Sync takes in a state of the server's tick that a packet has brought, with the input that led to
// it, over a link with those statistics. It returns by how many ticks the client has to catch up:
// once after the start, and when it has fallen far behind. It waits for the first acknowledgement.
func (l *Lead) Sync(server sim.Tick, from *packet.Packet, h *codec.ConsumedHeader, link *packet.Stats) (ticks int) {
	if link.RTT == 0 && link.Acked == 0 {
		return 0
	}
	w, m := l.env.World, l.env.Counters
	if h.Source == input.SourceReceived {
		if passed, ok := l.echo.Add(h.ClientTick, h.WaitedTicks, w.Rate()); ok {
			m.Set("echo_ms", float64(passed)/float64(time.Millisecond))
			m.Set("rtt_echo_ms", float64(l.echo.RTT())/float64(time.Millisecond))
		}
	}
	rtt, delay := l.roundTrip(link.RTT)
	waited := from.ReceivedAt - from.FirstFragmentAt // the server went on while fragments arrived
	l.servo.ResetBehind = sim.MomentOfMillis(l.settings.resetBehind, w.Rate())
	ticks = l.servo.Sync(Behind(server, w.Tick(), rtt+waited, delay, w.Rate()), w.Rate())
	m.Set("arrival_early_ms", l.servo.ArrivalEarly().Millis(w.Rate()))
	return ticks
}

// roundTrip returns the round trip by which the clock is set, and by how many ticks more an input
// should be early. Before anything has been echoed it is the link's.
func (l *Lead) roundTrip(link time.Duration) (rtt time.Duration, delay int) {
	switch {
	case l.settings.rttSource == rttFromAcks || !l.echo.measured:
		return link, l.settings.playoutDelay
	case l.settings.rttSource == rttFromWholeEcho:
		return l.echo.whole, 0 // it contains the playout delay
	}
	return l.echo.rtt, l.settings.playoutDelay
}

// Synced reports whether the client knows the server's time.
func (l *Lead) Synced() bool { return l.servo.Synced() }

// Steer ends the client's tick: it asks for the pace of the next.
func (l *Lead) Steer() {
	l.env.SlewPPM = l.servo.Tick()
	l.env.Counters.Set("clock_behind_ticks", l.servo.Behind().Ticks())
}

// CopyFrom makes l an equal of o, all but its env.
func (l *Lead) CopyFrom(o *Lead) {
	l.settings, l.servo = o.settings, o.servo
	l.echo.CopyFrom(&o.echo)
}
