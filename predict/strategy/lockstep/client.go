package lockstep

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
)

type client struct {
	side
	judge
	server delivery // for the own player's inputs

	heard bool     // the server said in this span how many inputs wait for others',
	early int      // and this was the least
	span  int      // ticks of the span that are left
	hold  int      // ticks in which no input is to be made
	shot  sim.Shot // that waits for the next input
}

// A player whose inputs reach the server long before the others' waits for them
// and gains nothing. That is so by nature for who is near, and up to slack it is
// let be: all wait for the slowest. But after a break one side may have made
// inputs while the others could not, and would be ahead for good.
const (
	slack      = 60 // ticks
	spanLength = 120
)

func newClient(env *predict.Env) predict.Client {
	c := &client{}
	c.start(env, env.Player+2)
	t := env.World.Tick()
	c.server = delivery{known: t, sent: t}
	c.good = t
	if env.Player >= 0 {
		c.own[env.Player] = true
	}
	c.out.up = true
	return c
}

// Tick takes in what the server passes on, makes this tick's input, steps what
// can be stepped, and sends.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	stream := c.begin()
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		c.read(p.Payload)
	}
	if p := c.env.Player; p >= 0 {
		c.sample(p, in)
	}
	before := c.env.World.Tick()
	c.advance()
	for t := before + 1; t <= c.env.World.Tick(); t++ {
		c.compare(t, &c.past, c.env.Counters)
	}
	for p := range c.streams {
		if c.own[p] {
			c.fill(p, &c.server, stream)
			c.env.Counters.Set("unacked_inputs", float64(c.streams[p].next-c.server.known))
		} else {
			c.confirm(p)
		}
	}
	c.check()
	c.out.ask, c.out.asks = c.ask(&c.past)
	c.send(server)
	c.pace()
}

// sample makes the input of one more tick, if it is time for it.
func (c *client) sample(p int, in sim.Input) {
	s, m := &c.streams[p], c.env.Counters
	if in.Shot.Fired {
		c.shot = in.Shot
	}
	if c.span--; c.span < 0 {
		most := slack
		if c.align {
			most = 1
		}
		c.hold = 0
		if c.heard {
			c.hold = max(c.early-most, 0)
		}
		c.span, c.heard = spanLength, false
	}
	switch {
	case c.hold > 0:
		c.hold--
		m.Add("held_ticks", 1)
	case !c.server.room(s) || s.next-c.env.World.Tick() >= kept:
		m.Add("window_full_ticks", 1)
	default:
		in.Shot, c.shot = c.shot, sim.Shot{}
		s.add(in)
	}
}

// read takes in one payload, which may be anything.
func (c *client) read(payload []byte) {
	w, m := c.env.World, c.env.Counters
	if c.in.read(&c.coder, payload, false, w.Tick(), w.Scene()) != nil {
		m.Add("refused", 1)
		return
	}
	for p := range c.in.runs {
		r := &c.in.runs[p]
		switch {
		case r.passed && !c.own[p]:
			c.take(p, r, func(int) bool { return false })
		case !r.passed && c.own[p]:
			c.server.acknowledge(&c.streams[p], r.next)
		default:
			m.Add("refused", 1)
		}
	}
	if !c.heard || c.in.early < c.early {
		c.heard, c.early = true, c.in.early
	}
	if away := int64(c.in.tick) - int64(w.Tick()); c.in.checked && away < hashesKept && away > -hashesKept {
		c.hear(c.in.tick, c.in.hash, &c.past, m)
	}
	if c.in.answers {
		c.learn(&c.in.answer, &c.past, m)
	}
}

// steer is how much faster the clock goes for each millisecond by which inputs
// come earlier than at first, in parts per million; and steerMost the most.
const (
	steer     = 100
	steerMost = 20_000
)

// pace sets the clock: the fault that was asked for, and if it is to follow the
// server's, what brings its inputs back to where they were at first.
func (c *client) pace() {
	pace := c.skew
	if c.drift {
		pace -= int(min(max(c.late*steer, -steerMost), steerMost))
	}
	c.env.Pace = int32(pace)
}

// View draws the world as it is.
func (c *client) View(v *predict.View) {
	v.Tick = c.env.World.Tick()
	v.Bodies = predict.Poses(v.Bodies, c.env.World.Bodies())
	v.Simulated = append(v.Simulated, v.Bodies...)
	v.Touched = append(v.Touched, c.env.World.Touched()...)
	v.Note = c.note
	if v.Note == "" && c.stall > 0 {
		v.Note = "waiting for input"
	}
}

// Inspect tells whose the bodies are. No word of any body comes, so none is old.
func (c *client) Inspect(l *predict.Inspection) { l.Owner = append(l.Owner, c.env.World.Owners()...) }

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.side.copyFrom(&o.side)
	c.judge, c.server = o.judge, o.server
	c.heard, c.early, c.span, c.hold = o.heard, o.early, o.span, o.hold
	c.shot = o.shot
}
