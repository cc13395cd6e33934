package clock

import (
	"time"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// The measures by which a Lead can set the clock: round trips, or what the server says of the inputs.
const (
	rttFromAcks = iota
	rttFromEcho
	rttFromWholeEcho
	marginAtServer
)

// Lead keeps a client ahead of a server that delays inputs in a playout buffer, by a round trip plus
// that delay, so that each input is in the buffer when its turn comes. How early the inputs are there, the server
// measures best (Margin). It sets the SlewPPM of its
// env.
type Lead struct {
	settings leadSettings
	follower Follower
	echo     Echo
	margin   Margin
	counters leadCounters
	env      *predict.Env
}

// leadCounters are what a Lead measures.
type leadCounters struct {
	echo, rttEcho, arrivalEarly, clockBehind, clockJumps predict.Counter
}

type leadSettings struct {
	playoutDelay int     // ticks
	resetBehind  float64 // ms
	rttSource    int
}

// Declare declares the knobs and counters.
func (l *Lead) Declare(env *predict.Env) {
	l.env, l.echo = env, NewEcho()
	k, m := env.Knobs, env.Counters
	input.DeclarePlayoutDelay(&l.settings.playoutDelay, k)
	group := k.In(predict.PlayoutKnobs)
	group.Millis(&l.settings.resetBehind, "reset-behind", 1000, 100, 10000, "delay from which a client jumps to the server's time, ms")
	group.Choice(&l.settings.rttSource, "rtt-source", marginAtServer, []string{"acks", "echo", "echo-whole", "margin"},
		"what sets the clock: round trip of acks, of an echoed input without or with its wait, or margin at the server")
	l.counters.echo = m.New("echo_ms", "time from an input's tick to its state, with playout delay, ms, now")
	l.counters.rttEcho = m.New("rtt_echo_ms", "round trip of echoed inputs without their wait, ms, now")
	l.counters.arrivalEarly = m.New("arrival_early_ms",
		"time by which the newest state arrived before it was expected, ms, now").Of(predict.EarlyArrival)
	l.counters.clockBehind = m.New("clock_behind_ticks", "ticks by which the client's clock is behind, now").Of(predict.ClockBehind)
	l.counters.clockJumps = m.ClockJumps()
}

// BeginTick begins the client's tick.
func (l *Lead) BeginTick() {
	l.echo.BeginTick(l.env.World.Tick(), l.env.SlewPPM, l.env.World.Rate())
}

// Sync sets the clock by a state of a server tick, the packet that contained it, the input that led
// to it, and the statistics of the link. It returns the number of ticks that the client has to catch
// up: when it joins, and when it has fallen far behind; below 0,
// when it is far ahead.
func (l *Lead) Sync(server sim.Tick, from *packet.Packet, h *codec.ConsumedHeader, link *packet.Stats) (ticks int) {
	synced := l.Synced()
	ticks = l.sync(server, from, h, link)
	if synced && ticks != 0 {
		l.counters.clockJumps.Inc()
	}
	return ticks
}

func (l *Lead) sync(server sim.Tick, from *packet.Packet, h *codec.ConsumedHeader, link *packet.Stats) (ticks int) {
	w := l.env.World
	l.follower.ResetBehind = sim.MomentOfMillis(l.settings.resetBehind, w.Rate())
	if !link.RTTKnown(from.ReceivedAt) {
		return l.follower.SyncLater(server, w.Tick())
	}
	if h.Source == input.SourceReceived {
		if passed, ok := l.echo.Add(h.ClientTick, h.WaitedTicks, w.Rate()); ok {
			l.counters.echo.Set(float64(passed) / float64(time.Millisecond))
			l.counters.rttEcho.Set(float64(l.echo.RTT()) / float64(time.Millisecond))
		}
	}
	rtt, delay := l.roundTrip(link.RTT)
	waited := from.ReceivedAt - from.FirstFragmentAt // the server continued while fragments arrived
	ticks = l.follower.Sync(server, w.Tick(), l.env.TickEarly, rtt+waited, delay, w.Rate())
	ticks -= l.follower.JumpBack(w.Rate())
	if l.margin.Gain(sim.Moment(ticks) * sim.MomentsPerTick); l.settings.rttSource == marginAtServer && ticks == 0 {
		l.followMargin(server, h)
	}
	l.counters.arrivalEarly.Set(l.follower.ArrivalEarly().Millis(w.Rate()))
	return ticks
}

// roundTrip returns the round trip that sets the clock, and the playout delay in ticks if it is not
// part of that. Until an input has been echoed it is the link's.
func (l *Lead) roundTrip(link time.Duration) (rtt time.Duration, delay int) {
	switch {
	case l.settings.rttSource == rttFromAcks || l.settings.rttSource == marginAtServer || !l.echo.measured:
		return link, l.settings.playoutDelay
	case l.settings.rttSource == rttFromWholeEcho:
		return l.echo.whole, 0 // it contains the playout delay
	}
	return l.echo.rtt, l.settings.playoutDelay
}

// followMargin steers by how early the input that led to a state arrived at the server, instead of by the round trip.
func (l *Lead) followMargin(server sim.Tick, h *codec.ConsumedHeader) {
	rate := l.env.World.Rate()
	if h.Source == input.SourceReceived && h.WaitedTicks < codec.MaxWaitedTicks { // it was made in the tick before the state
		early := int64(h.ClientTick) - (int64(server) - int64(h.WaitedTicks))
		l.margin.Add(early, l.echo.GainSince(h.ClientTick, rate), rate)
	}
	l.follower.Refine(l.margin.Behind(l.settings.playoutDelay, l.follower.Behind()))
}

// Synced reports whether the client knows the server's time.
func (l *Lead) Synced() bool { return l.follower.Synced() }

// Steer ends the client's tick and requests the pace of the next.
func (l *Lead) Steer() {
	l.env.SlewPPM = l.follower.Tick(l.env.World.Rate())
	l.margin.Tick(l.follower.Gained())
	l.counters.clockBehind.Set(l.follower.Behind().Ticks())
}

// CopyFrom makes l a copy of o, except for its env.
func (l *Lead) CopyFrom(o *Lead) {
	l.settings, l.follower, l.margin = o.settings, o.follower, o.margin
	l.echo.CopyFrom(&o.echo)
}
