package lockstep

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
)

type client struct {
	side
	state clientState
}

// clientState is plain: it is copied by assignment.
type clientState struct {
	desync desyncDetector
	window sendWindow // for the own player's inputs

	hasAdvantage bool     // the server has reported this client's advantage in this span
	minAdvantage int      // the least that it reported, in inputs
	spanLeft     int      // ticks left of the span
	pauseTicks   int      // ticks in which no input is to be made
	pendingShot  sim.Shot // waits for the next input
}

// A player whose inputs reach the server long before those of the others has to wait for them
// and gains nothing. Up to allowedAdvantage this is tolerated: it is so for every player who
// is nearer than others, and all wait for the slowest. But after an outage a side may have
// made inputs while the others could not, and would stay ahead.
const (
	allowedAdvantage = 60  // ticks
	advantageSpan    = 120 // ticks
)

func newClient(env *predict.Env) predict.Client {
	c := &client{}
	c.init(env, env.Player+2)
	t := env.World.Tick()
	c.state.window = sendWindow{acked: t, sent: t}
	c.state.desync.matchTick = t
	if env.Player >= 0 {
		c.local[env.Player] = true
	}
	c.scratch.out.fromClient = true
	return c
}

// Tick takes in what the server passes on, makes this tick's input, steps what
// can be stepped, and sends.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	stream := c.beginTick()
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		c.receive(p.Payload)
	}
	if p := c.env.Player; p >= 0 {
		c.sample(p, in)
	}
	before := c.env.World.Tick()
	c.advance()
	for t := before + 1; t <= c.env.World.Tick(); t++ {
		c.state.desync.compare(t, &c.checksums, c.env.Counters)
	}
	for p := range c.streams {
		if c.local[p] {
			c.addInputs(p, &c.state.window, stream)
			c.env.Counters.Set("unacked_inputs", float64(c.streams[p].next-c.state.window.acked))
		} else {
			c.addAck(p)
		}
	}
	c.addChecksum()
	c.scratch.out.query, c.scratch.out.hasQuery = c.state.desync.nextQuery(&c.checksums)
	c.send(server)
	c.setSlew()
}

// sample makes the input of one more tick, unless the client is too far ahead.
func (c *client) sample(p int, in sim.Input) {
	s, m := &c.streams[p], c.env.Counters
	if in.Shot.Fired {
		c.state.pendingShot = in.Shot
	}
	if c.state.spanLeft--; c.state.spanLeft < 0 {
		allowed := allowedAdvantage
		if c.settings.alignInputs {
			allowed = 1
		}
		c.state.pauseTicks = 0
		if c.state.hasAdvantage {
			c.state.pauseTicks = max(c.state.minAdvantage-allowed, 0)
		}
		c.state.spanLeft, c.state.hasAdvantage = advantageSpan, false
	}
	switch {
	case c.state.pauseTicks > 0:
		c.state.pauseTicks--
		m.Add("input_pause_ticks", 1)
	case !c.state.window.hasRoom(s) || s.next-c.env.World.Tick() >= inputHistoryTicks:
		m.Add("window_full_ticks", 1)
	default:
		in.Shot, c.state.pendingShot = c.state.pendingShot, sim.Shot{}
		s.add(in)
	}
}

// receive takes in one payload, which may be anything.
func (c *client) receive(payload []byte) {
	w, m, in := c.env.World, c.env.Counters, &c.scratch.in
	if in.read(&c.scratch.coder, payload, false, w.Tick(), w.Scene()) != nil {
		m.Add("rejected_payloads", 1)
		return
	}
	for p := range in.players {
		r := &in.players[p]
		switch {
		case r.hasInputs && !c.local[p]:
			c.receiveInputs(p, r, func(int) bool { return false })
		case !r.hasInputs && c.local[p]:
			c.state.window.acknowledge(&c.streams[p], r.next)
		default:
			m.Add("rejected_payloads", 1)
		}
	}
	if !c.state.hasAdvantage || in.advantage < c.state.minAdvantage {
		c.state.hasAdvantage, c.state.minAdvantage = true, in.advantage
	}
	if away := int64(in.checksumTick) - int64(w.Tick()); in.hasChecksum && away < checksumHistoryTicks && away > -checksumHistoryTicks {
		c.state.desync.receiveChecksum(in.checksumTick, in.checksum, &c.checksums, m)
	}
	if in.hasReply {
		c.state.desync.applyReply(&in.reply, &c.checksums, m)
	}
}

// A client that follows the server's clock changes its pace by slewGain for each millisecond
// by which inputs arrive earlier or later than at first.
const (
	slewGain   = 100    // ppm per ms
	maxSlewPPM = 20_000 // ppm
)

// setSlew sets the client's pace: the fault of the knob skew, and with follow-clock the
// correction that lets inputs arrive as early as at first.
func (c *client) setSlew() {
	pace := c.settings.skew
	if c.settings.followClock {
		pace -= int(min(max(c.side.state.clockDrift.Millis(c.env.World.Rate())*slewGain, -maxSlewPPM), maxSlewPPM))
	}
	c.env.SlewPPM = int32(pace)
}

// View draws the world as it is.
func (c *client) View(v *predict.View) {
	v.ShowTick(c.env.World.Tick())
	v.Bodies = predict.AppendPoses(v.Bodies, c.env.World.Bodies())
	v.Simulated = append(v.Simulated, v.Bodies...)
	v.TouchedBy = append(v.TouchedBy, c.env.World.TouchedBy()...)
	v.Note = c.state.desync.note
	if v.Note == "" && c.side.state.stallTicks > 0 {
		v.Note = "waiting for input"
	}
}

// inspect tells whose the bodies are. No word of any body comes, so none is old.
func (c *client) inspect(l *predict.Inspection) { l.Owner = append(l.Owner, c.env.World.Owners()...) }

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.side.copyFrom(&o.side)
	c.state = o.state
}
