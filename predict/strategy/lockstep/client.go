package lockstep

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
)

type client struct {
	side
	desyncDetector
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
	c.window = sendWindow{acked: t, sent: t}
	c.matchTick = t
	if env.Player >= 0 {
		c.local[env.Player] = true
	}
	c.out.fromClient = true
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
		c.compare(t, &c.checksums, c.env.Counters)
	}
	for p := range c.streams {
		if c.local[p] {
			c.addInputs(p, &c.window, stream)
			c.env.Counters.Set("unacked_inputs", float64(c.streams[p].next-c.window.acked))
		} else {
			c.addAck(p)
		}
	}
	c.addChecksum()
	c.out.query, c.out.hasQuery = c.nextQuery(&c.checksums)
	c.send(server)
	c.setSlew()
}

// sample makes the input of one more tick, unless the client is too far ahead.
func (c *client) sample(p int, in sim.Input) {
	s, m := &c.streams[p], c.env.Counters
	if in.Shot.Fired {
		c.pendingShot = in.Shot
	}
	if c.spanLeft--; c.spanLeft < 0 {
		allowed := allowedAdvantage
		if c.alignInputs {
			allowed = 1
		}
		c.pauseTicks = 0
		if c.hasAdvantage {
			c.pauseTicks = max(c.minAdvantage-allowed, 0)
		}
		c.spanLeft, c.hasAdvantage = advantageSpan, false
	}
	switch {
	case c.pauseTicks > 0:
		c.pauseTicks--
		m.Add("input_pause_ticks", 1)
	case !c.window.hasRoom(s) || s.next-c.env.World.Tick() >= inputHistoryTicks:
		m.Add("window_full_ticks", 1)
	default:
		in.Shot, c.pendingShot = c.pendingShot, sim.Shot{}
		s.add(in)
	}
}

// receive takes in one payload, which may be anything.
func (c *client) receive(payload []byte) {
	w, m := c.env.World, c.env.Counters
	if c.in.read(&c.coder, payload, false, w.Tick(), w.Scene()) != nil {
		m.Add("rejected_payloads", 1)
		return
	}
	for p := range c.in.players {
		r := &c.in.players[p]
		switch {
		case r.hasInputs && !c.local[p]:
			c.receiveInputs(p, r, func(int) bool { return false })
		case !r.hasInputs && c.local[p]:
			c.window.acknowledge(&c.streams[p], r.next)
		default:
			m.Add("rejected_payloads", 1)
		}
	}
	if !c.hasAdvantage || c.in.advantage < c.minAdvantage {
		c.hasAdvantage, c.minAdvantage = true, c.in.advantage
	}
	if away := int64(c.in.checksumTick) - int64(w.Tick()); c.in.hasChecksum && away < checksumHistoryTicks && away > -checksumHistoryTicks {
		c.receiveChecksum(c.in.checksumTick, c.in.checksum, &c.checksums, m)
	}
	if c.in.hasReply {
		c.applyReply(&c.in.reply, &c.checksums, m)
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
	pace := c.skew
	if c.followClock {
		pace -= int(min(max(c.clockDrift.Millis(c.env.World.Rate())*slewGain, -maxSlewPPM), maxSlewPPM))
	}
	c.env.SlewPPM = int32(pace)
}

// View draws the world as it is.
func (c *client) View(v *predict.View) {
	v.ShowTick(c.env.World.Tick())
	v.Bodies = predict.AppendPoses(v.Bodies, c.env.World.Bodies())
	v.Simulated = append(v.Simulated, v.Bodies...)
	v.TouchedBy = append(v.TouchedBy, c.env.World.TouchedBy()...)
	v.Note = c.note
	if v.Note == "" && c.stallTicks > 0 {
		v.Note = "waiting for input"
	}
}

// inspect tells whose the bodies are. No word of any body comes, so none is old.
func (c *client) inspect(l *predict.Inspection) { l.Owner = append(l.Owner, c.env.World.Owners()...) }

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.side.copyFrom(&o.side)
	c.desyncDetector, c.window = o.desyncDetector, o.window
	c.hasAdvantage, c.minAdvantage, c.spanLeft, c.pauseTicks = o.hasAdvantage, o.minAdvantage, o.spanLeft, o.pauseTicks
	c.pendingShot = o.pendingShot
}
