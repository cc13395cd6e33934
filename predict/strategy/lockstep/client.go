package lockstep

import (
	"strconv"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/desync"
	"ghostcube/sim"
)

type client struct {
	side
	state clientState
}

// clientState is plain: it is copied by assignment.
type clientState struct {
	server connection
	desync desync.Detector
	window sendWindow // of the client's own inputs
	join   joinClientState

	hasAdvantage bool     // the server has reported the client's advantage in this span
	minAdvantage int      // smallest reported advantage of this span, in inputs
	spanLeft     int      // ticks left of the span
	longestStall int      // in the span, ticks
	pauseTicks   int      // ticks without a new input still to come
	pendingShot  sim.Shot // to be sent with the next input
	dueInputs    int      // own inputs to be sampled by the client's clock
}

// A player whose inputs reach the server long before the others' gains nothing by it and only waits.
// An advantage of up to allowedAdvantage is tolerated: every player nearer to the server than the
// slowest has one. But after an outage a side that sampled inputs while the others could not would
// stay ahead. While the simulation waits for inputs of another side, all inputs of this one are early; that is no lead, because
// that side sends those that it has missed.
const (
	allowedAdvantage = 60  // ticks
	advantageSpan    = 120 // ticks
	longStall        = 30  // ticks; after one a span says nothing
)

func newClient(env *predict.Env) predict.Client {
	c := &client{}
	c.init(env, env.Player+2)
	t := env.World.Tick()
	c.state.window = sendWindow{acked: t, sent: t}
	c.state.desync.Start(t)
	if env.Player >= 0 {
		c.local[env.Player] = true
	}
	c.scratch.out.fromClient = true
	return c
}

// Tick reads the packets, samples this tick's input, steps the ticks that are complete and due, and
// sends.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	if c.state.server.disconnected {
		return
	}
	overTCP := c.beginTick()
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		c.receive(&p)
	}
	if c.state.server.tick(&c.settings, c.env.World.Rate()) {
		c.counters.disconnects.Inc()
		c.env.SlewPPM = 0
		return
	}
	if c.env.Joined {
		c.beginJoin(server)
	}
	if p := c.env.Player; p >= 0 && !c.hasNoInput() {
		c.sample(p, in)
	}
	for p := range c.eventInputs {
		if !c.local[p] {
			c.sampleEvents(p, false)
		}
	}
	before := c.env.World.Tick()
	c.side.state.stepEnd = 0
	if c.env.Joined && !c.state.join.confirmed {
		c.side.state.stepEnd = c.state.join.first
	}
	c.advance()
	if c.env.Joined {
		c.finishJoin(c.env.World.Tick() - before)
	}
	for t := before + 1; t <= c.env.World.Tick(); t++ {
		c.state.desync.Compare(t, &c.checksums, &c.counters.desync)
	}
	for p := range c.streams {
		if c.local[p] && !c.hasNoInput() {
			c.addInputs(p, &c.state.window, overTCP && !c.isReturning())
			c.counters.unackedInputs.Set(float64(c.streams[p].next - c.state.window.acked))
		} else {
			c.addAck(p)
		}
	}
	c.addChecksum()
	c.scratch.out.query, c.scratch.out.hasQuery = c.state.desync.NextQuery(&c.checksums)
	c.send(server)
	c.setSlew()
}

// sample appends the input of the next tick, unless the client is too far ahead of the others. A
// client whose clock is ahead of its inputs, because its program was frozen or runs few frames,
// appends more of them, at most catchUpTicks in a frame.
func (c *client) sample(p int, in sim.Input) {
	s := &c.streams[p]
	if in.Shot.Fired {
		c.state.pendingShot = in.Shot
	}
	c.state.longestStall = max(c.state.longestStall, c.side.state.stallTicks)
	if c.state.spanLeft--; c.state.spanLeft < 0 {
		allowed := allowedAdvantage
		if c.settings.alignInputs {
			allowed = 1
		}
		c.state.pauseTicks = 0
		if c.state.hasAdvantage && c.state.longestStall < longStall {
			c.state.pauseTicks = max(c.state.minAdvantage-allowed, 0)
		}
		c.state.spanLeft, c.state.hasAdvantage, c.state.longestStall = advantageSpan, false, 0
	}
	c.state.dueInputs += 1 + c.env.MissedTicks
	switch {
	case c.state.pauseTicks > 0:
		c.state.dueInputs = 0
		c.state.pauseTicks--
		c.counters.inputPauseTicks.Inc()
	case !c.hasRoom(s):
		c.state.dueInputs--
		c.counters.windowFullTicks.Inc()
	default:
		most := c.settings.catchUpTicks(c.state.dueInputs, len(c.env.World.Bodies()))
		for c.state.dueInputs > 0 && c.side.state.frameInputs < most && c.hasRoom(s) {
			c.state.dueInputs--
			c.side.state.frameInputs++
			in.Shot, c.state.pendingShot = c.state.pendingShot, sim.Shot{}
			s.add(in)
		}
	}
}

// hasNoInput reports whether the client has lost everything and does not know from which tick on it gives inputs.
func (c *client) hasNoInput() bool { return c.env.Joined && !c.state.join.begun }

// hasRoom reports whether the client can remember one more of its own inputs.
func (c *client) hasRoom(s *inputStream) bool {
	return c.state.window.hasRoom(s) && s.next-c.env.World.Tick() < inputHistoryTicks
}

// receive reads the untrusted payload of a packet.
func (c *client) receive(at *packet.Packet) {
	w, in := c.env.World, &c.scratch.in
	if in.read(&c.scratch.coder, at.Payload, false, w.Tick(), w.Scene()) != nil {
		c.counters.rejectedPayloads.Inc()
		return
	}
	acksCount := c.state.server.receive(at.Sequence)
	join := &c.state.join
	join.current = true
	for p := range in.players {
		r := &in.players[p]
		join.current = join.current && len(r.inputs) < maxInputs
		switch {
		case r.hasInputs && p == c.env.Player && c.env.Joined && !join.confirmed:
			join.receive(&c.streams[p], r, w.Tick())
		case r.hasInputs && p == c.env.Player && join.begun && r.next <= join.first: // sent before the server had the first input
		case r.hasInputs && !c.local[p]:
			c.receiveRun(p, r, func(int) bool { return false })
		case !r.hasInputs && c.local[p]:
			if acksCount {
				c.state.window.acknowledge(&c.streams[p], r.next)
			}
			join.confirmed = join.confirmed || join.begun && r.next >= join.first
		default:
			c.counters.rejectedPayloads.Inc()
		}
	}
	if !c.state.hasAdvantage || in.advantage < c.state.minAdvantage {
		c.state.hasAdvantage, c.state.minAdvantage = true, in.advantage
	}
	if ahead := int64(in.checksumTick) - int64(w.Tick()); in.hasChecksum && ahead < desync.HistoryTicks && ahead > -desync.HistoryTicks {
		c.state.desync.Receive(in.checksumTick, in.checksum, &c.checksums, &c.counters.desync)
	}
	if in.hasReply {
		c.state.desync.ApplyReply(&in.reply, &c.checksums, &c.counters.desync)
	}
}

// A client that follows the server's clock changes its rate by slewGain for each millisecond by which
// inputs arrive earlier or later than at first.
const (
	slewGain   = 100    // ppm per ms
	maxSlewPPM = 20_000 // ppm
)

// setSlew sets the rate of the client's clock: the fault of the knob skew, and with follow-clock a
// correction so that inputs arrive as early as at first.
func (c *client) setSlew() {
	ppm := c.settings.skew
	if c.settings.followClock {
		ppm -= int(min(max(c.side.state.clockDrift.Millis(c.env.World.Rate())*slewGain, -maxSlewPPM), maxSlewPPM))
	}
	c.env.SlewPPM = int32(ppm)
}

// View draws the simulated world without smoothing.
func (c *client) View(v *predict.View) {
	v.ShowTick(c.env.World.Tick())
	v.Bodies = predict.AppendPoses(v.Bodies, c.env.World.Bodies())
	v.Simulated = append(v.Simulated, v.Bodies...)
	v.TouchedBy = append(v.TouchedBy, c.env.World.TouchedBy()...)
	switch v.Note = c.state.desync.Note; {
	case c.state.server.disconnected:
		v.Note = "disconnected: nothing received for " + strconv.FormatFloat(c.settings.timeout/1000, 'g', -1, 64) + " s"
	case v.Note == "" && c.side.state.stallTicks > 0:
		v.Note = "waiting for input"
	case v.Note == "" && c.behind() >= notedBehind:
		v.Note = "catching up, " + strconv.FormatFloat(c.behind(), 'f', 1, 64) + " s"
	}
}

// notedBehind is the time in seconds by which the client has to be behind to say so. Nobody reads it for less.
const notedBehind = 1

// behind returns the time in seconds by which the client's world is behind its clock: by ticks that are due,
// and by own inputs that have not been sampled.
func (c *client) behind() float64 {
	return float64(max(c.side.state.behindTicks, c.state.dueInputs)) / float64(c.env.World.Rate())
}

// inspect reports the owners of the bodies. There are no received states, so bodies have no age.
func (c *client) inspect(l *predict.Inspection) {
	l.Owner = append(l.Owner, c.env.World.Owners()...)
	if p := c.env.Player; p >= 0 {
		end := c.streams[p].next
		if c.settings.transport == udp {
			l.AddBuffer(predict.RedundancyWindow, max(c.state.window.acked, end-min(end, maxInputs)), end, maxInputs, nil)
		}
		l.AddBuffer(predict.UnackedInputs, c.state.window.acked, end, 0, nil)
	}
}

// inspect reports the inputs of a player that wait for their turn.
func (s *server) inspect(l *predict.Inspection, player int) {
	q := &s.playoutBuffers[player]
	end := q.next
	if newest := q.inputs.Newest(); newest != nil {
		end = max(end, newest.Tick+1)
	}
	l.AddBuffer(predict.PlayoutBuffer, q.next, end, 0, q.inputs.Has)
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.side.copyFrom(&o.side)
	c.state = o.state
}
