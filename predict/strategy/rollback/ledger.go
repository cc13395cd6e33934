package rollback

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// Events that begin a sound or an effect must begin it once, however often their tick is stepped. The ledger knows
// which have been shown, by tick, player and kind.
const (
	shotEvent = iota
	jumpEvent
	useEvent
	coupleEvent
	eventKinds
)

// When the effects of an event begin: once, or without a ledger, in every step of its tick.
const (
	once = iota
	everyStep
)

var effectModes = []string{"once", "every-step"}

// declareEffects declares the knob effects.
func declareEffects(k *predict.Knobs, mode *int) {
	k.In(predict.CorrectionKnobs).Choice(mode, "effects", once, effectModes,
		"shots, jumps and actions are shown once, or as without a ledger in each step of their tick")
}

// ledgerTicks is the number of ticks whose events are remembered. It is a power of two, so that a tick's place is
// its low bits.
const ledgerTicks = 1024

// ledger remembers the events that a client has shown. It is plain.
//
//   - An event of a tick that is stepped again is shown already: it is not shown again.
//   - An event that becomes known only when its tick has passed is shown late. It is not lost.
//   - An event that was shown and is not in the confirmed input is withdrawn. If the server has moved the input to a
//     later tick, the event occurs again there, and takes the place of the withdrawn one.
type ledger struct {
	ticks     [ledgerTicks]ledgerTick
	withdrawn [sim.MaxPlayers][eventKinds]withdrawnEvent

	now    sim.Tick // the client's own ticks, which a rollback does not turn back
	recent [maxRecent]recentEffect
	begun  int // effects that have begun; the newest ones are in recent, at their number modulo its length
}

// maxRecent is the greatest number of effects of the last second that are known one by one.
const maxRecent = 64

// recentEffect is an effect that has begun.
type recentEffect struct {
	at     sim.Tick // own tick
	player int8
}

// begin notes that an effect of a player begins in the present tick.
func (l *ledger) begin(player int) {
	l.recent[l.begun%maxRecent] = recentEffect{l.now, int8(player)}
	l.begun++
}

// appendEffects appends the effects of the last second, at rate ticks per second, the oldest first.
func (l *ledger) appendEffects(dst []predict.Effect, rate int) []predict.Effect {
	for i := max(l.begun-maxRecent, 0); i < l.begun; i++ {
		e := &l.recent[i%maxRecent]
		if age := int(l.now - e.at); age < rate {
			dst = append(dst, predict.Effect{Player: int(e.player), Age: age})
		}
	}
	return dst
}

// ledgerTick has the events of a tick that have been shown: a bit for each kind, by player.
type ledgerTick struct {
	tick  sim.Tick
	shown [sim.MaxPlayers]uint8
}

// withdrawnEvent is an event that was shown in a tick which turned out not to have it.
type withdrawnEvent struct {
	tick    sim.Tick
	pending bool // it has not occurred in a later tick
}

type ledgerCounters struct{ shown, repeated, withdrawn predict.Counter }

func (l *ledgerCounters) declare(m *predict.Counters) {
	l.shown = m.New("events_shown", "effects shown: shots, jumps and actions").Of(predict.EventsShown)
	l.repeated = m.New("events_repeated", "effects found again in a replayed tick, and not shown again")
	l.withdrawn = m.New("events_withdrawn",
		"effects taken back because their tick turned out not to have them").
		Of(predict.EventsWithdrawn)
}

// eventsOf returns the events of an input that follows another one: shots, and the buttons of jumps and actions that go
// down.
func eventsOf(in, before sim.Input) (events uint8) {
	if in.Shot.Fired {
		events |= 1 << shotEvent
	}
	pressed := in.Buttons &^ before.Buttons
	if pressed&sim.Lift != 0 {
		events |= 1 << jumpEvent
	}
	if pressed&sim.Use != 0 {
		events |= 1 << useEvent
	}
	if pressed&sim.Couple != 0 {
		events |= 1 << coupleEvent
	}
	return events
}

// noteEvents enters the events of a player in a tick, as they are known now. stepping says that the tick is being
// stepped.
func (c *client) noteEvents(t sim.Tick, p int, stepping bool) {
	before := sim.Input{}
	if t > 0 {
		before = c.inputAt(t-1, p)
	}
	repeated := c.ledger.enter(t, p, eventsOf(c.inputAt(t, p), before), sim.Tick(c.env.World.Rate()), &c.counters.ledger)
	switch {
	case !stepping:
	case c.settings.effects == everyStep:
		c.counters.ledger.shown.Add(float64(repeated))
		for range repeated {
			c.ledger.begin(p)
		}
	default:
		c.counters.ledger.repeated.Add(float64(repeated))
	}
}

// enter enters the events of a player in a tick, at rate ticks per second, and counts those that are to be shown and
// withdrawn. It returns the number of events that have been shown before.
func (l *ledger) enter(t sim.Tick, p int, events uint8, rate sim.Tick, counters *ledgerCounters) (repeated int) {
	x := &l.ticks[t%ledgerTicks]
	if x.tick != t {
		*x = ledgerTick{tick: t}
	}
	if events == 0 && x.shown[p] == 0 {
		return 0
	}
	for kind := range eventKinds {
		w, bit := &l.withdrawn[p][kind], uint8(1)<<kind
		switch has, shown := events&bit != 0, x.shown[p]&bit != 0; {
		case has && shown:
			repeated++
		case shown:
			*w = withdrawnEvent{t, true}
			counters.withdrawn.Inc()
		case has && w.pending && t > w.tick && t-w.tick <= 2*rate:
			w.pending = false // it was shown before the server moved it
		case has:
			counters.shown.Inc()
			l.begin(p)
		}
	}
	x.shown[p] = events
	return repeated
}
