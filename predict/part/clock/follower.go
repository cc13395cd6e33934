package clock

import (
	"time"

	"ghostcube/sim"
)

// spanParts is the number of parts of the second whose earliest state a Follower knows. A state is
// forgotten together with its part, after 7/8 to 1 s.
const spanParts = 8

// Follower steers a client that runs ahead of its server, so that its inputs arrive in time. It
// follows the earliest state of the last second: the network delayed that one least, so jitter hardly
// moves it, and only the clocks and the length of the path do. A servo that follows every state
// changes the pace of the client's ticks all the time under jitter, and the drawn cube with it
// (TestJitterKeepsPace). The zero value has not been synchronised.
type Follower struct {
	Servo

	parts        [spanParts]earliest // the newest at part
	part         int
	partTicks    int        // ticks of the newest part
	gain         sim.Moment // by how much the client's clock has moved ahead of the session's
	trip         sim.Moment // mean of the round trips of about a second
	wholeTrip    sim.Moment // the same in whole ticks
	tripTicks    int        // ticks since the last one
	arrivalEarly sim.Moment // of the newest state
}

// earliest is the earliest state of a part of the span.
type earliest struct {
	any    bool
	offset sim.Moment // the server's tick, less the client's, at its arrival
	gain   sim.Moment // of the Follower at that time
}

// now returns the offset that the state would have if it arrived at another gain.
func (e *earliest) now(gain sim.Moment) sim.Moment { return e.offset - (gain - e.gain) }

// Sync sets the clock by a state of a tick of the server that arrives in the client's tick own, which
// runs earlier than its turn by early (Env.TickEarly). The
// aim is that an input arrives lead ticks before the server needs it. trip is the time from the server
// and back: the round trip for a client that sends inputs, half of it for one that only watches. It
// is rounded to whole ticks, like the ticks themselves. Sync returns by how many ticks the client has
// to jump, as Servo.Sync does.
func (f *Follower) Sync(server, own sim.Tick, early sim.Moment, trip time.Duration, lead, rate int) (jump int) {
	aim := f.averageTrip(sim.MomentOf(trip, rate), rate) + sim.Moment(lead)*sim.MomentsPerTick
	offset := server.Moment() - own.Moment() + early
	f.arrivalEarly = offset + aim
	if p := &f.parts[f.part]; !p.any || offset > p.now(f.gain) {
		*p = earliest{true, offset, f.gain}
	}
	for i := range f.parts {
		if p := &f.parts[i]; p.any {
			offset = max(offset, p.now(f.gain))
		}
	}
	jump = f.Servo.Sync(offset+aim, rate)
	f.gain += sim.Moment(max(jump, 0)) * sim.MomentsPerTick
	return jump
}

const (
	// A round trip that differs from the mean by more than pathStep is that of another path, or of a queue.
	pathStep = 3 * sim.MomentsPerTick

	// roundMargin is how far the mean is from its whole ticks before they change.
	roundMargin = 3 * sim.MomentsPerTick / 4
)

// averageTrip adds a round trip and returns the mean of about a second in whole ticks, which changes only
// when the mean is nearer to another one by a margin. The round trips of a jittery path would steer the
// clock otherwise.
func (f *Follower) averageTrip(trip sim.Moment, rate int) sim.Moment {
	if away := trip - f.trip; !f.Synced() || away > pathStep || away < -pathStep {
		f.trip, f.wholeTrip = trip, trip.Round()
	} else {
		f.trip += away * sim.Moment(min(f.tripTicks, rate)) / sim.Moment(rate)
	}
	if away := f.trip - f.wholeTrip; away > roundMargin || away < -roundMargin {
		f.wholeTrip = f.trip.Round()
	}
	f.tripTicks = 0
	return f.wholeTrip
}

// JumpBack returns by how many ticks the client has to jump back after a Sync, and counts that as
// done: 0, unless it is ahead by more than ResetBehind, because its round trip was seconds long
// before. The player's inputs would wait at the server for as long, or the clock would run slower for
// twice as long. The client samples the inputs of those ticks again.
func (f *Follower) JumpBack(rate int) (ticks int) {
	if f.behind > -f.resetBehind(rate) || 2*f.knownParts() < spanParts {
		return 0
	}
	ticks = int(-f.behind / sim.MomentsPerTick)
	f.behind += sim.Moment(ticks) * sim.MomentsPerTick
	f.gain -= sim.Moment(ticks) * sim.MomentsPerTick
	return ticks
}

// knownParts returns how many parts of the last second have a state.
func (f *Follower) knownParts() (n int) {
	for i := range f.parts {
		if f.parts[i].any {
			n++
		}
	}
	return n
}

// SyncLater is called instead of Sync for a state that arrives while the round trip is unknown. A
// client that is behind even that state has to jump to its tick, and by the rest with the next Sync.
func (f *Follower) SyncLater(server, own sim.Tick) (jump int) {
	if server <= own {
		return 0
	}
	*f = Follower{Servo: Servo{ResetBehind: f.ResetBehind}}
	return int(server - own)
}

// Tick is called once in each of the client's ticks and returns the pace to ask for, as Servo.Tick
// does.
func (f *Follower) Tick(rate int) int32 {
	f.tripTicks++
	f.gain += f.Gained()
	if f.partTicks++; f.partTicks*spanParts >= rate {
		f.part, f.partTicks = (f.part+1)%spanParts, 0
		f.parts[f.part] = earliest{}
	}
	return f.Servo.Tick()
}

// ArrivalEarly returns how much earlier than the client expected the newest state arrived.
func (f *Follower) ArrivalEarly() sim.Moment { return f.arrivalEarly }
