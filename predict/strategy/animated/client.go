package animated

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/playback"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// trailTicks is how much of the way that the player's cube was drawn on is
// drawn as a trail.
const trailTicks = 160

type client struct {
	env   *predict.Env
	out   input.Sender
	tick  sim.Tick // of the next input
	now   sim.Tick // own ticks since the half began
	shown playback.Animated
	trail history.Ring[geom.Pose] // of the player's cube, by own ticks
}

func newClient(env *predict.Env) predict.Client {
	c := &client{env: env, tick: env.World.Tick(), trail: history.New[geom.Pose](trailTicks)}
	c.shown.Declare(env, -1)
	c.out.Declare(env)
	return c
}

// Tick takes in what has come, draws the moment that is to be shown, and sends what
// the player does.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	began := c.env.Counters.Begin()
	c.now++
	c.shown.Tick()
	c.receive(server)
	c.shown.Play(server.Stats.RTT)
	*c.trail.Put(c.now) = c.shown.Pose(max(c.env.Player, 0))
	if c.env.Player < 0 {
		server.Send(nil) // so that the server's positions are acknowledged
	} else {
		c.out.Add(c.tick, in)
		c.tick++
		c.out.Send(server, c.tick)
	}
	c.env.Counters.Spent("client", began)
}

func (c *client) receive(server *packet.Endpoint) {
	scene := c.env.World.Scene()
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		fresh, err := c.shown.Receiver().Read(p.Payload, scene, c.shown.Guess())
		if err != nil {
			c.env.Counters.Add("refused", 1)
			continue
		}
		c.shown.Take(fresh)
	}
}

// View shows what was drawn. Nothing of it is smoothed, so it is raw as well.
func (c *client) View(v *predict.View) {
	v.Tick, v.Part, v.Note = c.shown.Shows(), c.shown.ShowsPart(), c.shown.Note()
	v.Beyond = c.shown.Moment() - v.Tick.Moment()
	for i := range c.env.World.Bodies() {
		v.Simulated = append(v.Simulated, c.shown.Pose(i))
	}
	v.Bodies = append(v.Bodies, v.Simulated...)
	if in := c.shown.Receiver(); in.Any {
		v.LastReceived = predict.Poses(v.LastReceived, in.Bodies)
	}
	for t := max(int64(c.now)-trailTicks, 0); t < int64(c.now); t++ {
		if p := c.trail.At(sim.Tick(t)); p != nil {
			v.Trail = append(v.Trail, *p)
		}
	}
}

// Inspect tells how far what is drawn is beyond the newest position of each body: not
// at all, unless it goes on by itself or stands for want of one.
func (c *client) Inspect(l *predict.Inspection) {
	c.shown.Inspect(l)
	if !c.shown.Receiver().Any {
		return
	}
	for i := range c.env.World.Bodies() {
		l.Age = append(l.Age, c.shown.Age(i))
		l.Moving = append(l.Moving, c.shown.Moves(i))
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.out.CopyFrom(&o.out)
	c.shown.CopyFrom(&o.shown)
	c.tick, c.now = o.tick, o.now
	c.trail.CopyFrom(&o.trail, history.Plain[geom.Pose])
}
