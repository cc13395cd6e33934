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

type client struct {
	env          *predict.Env
	inputSender  input.Sender
	inputTick    sim.Tick // tick of the next input
	now          sim.Tick // the client's own ticks since its start
	interpolated playback.InterpolatedWorld
	trail        history.Ring[geom.Pose] // drawn poses of the player's cube, by own ticks
}

func newClient(env *predict.Env) predict.Client {
	c := &client{env: env, inputTick: env.World.Tick(), trail: history.New[geom.Pose](predict.TrailTicks)}
	c.interpolated.Declare(env, -1)
	c.inputSender.DeclareWithPlayout(env)
	return c
}

// Tick reads the packets, interpolates to the moment to draw, and sends the player's input.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	began := c.env.Counters.BeginSpan()
	c.now++
	c.interpolated.BeginTick()
	c.receive(server)
	c.interpolated.Advance(server.Stats.RTT)
	c.env.Joined = c.env.Joined && !c.interpolated.Started()
	*c.trail.Insert(c.now) = c.interpolated.Pose(max(c.env.Player, 0))
	if c.env.Player < 0 {
		server.Send(nil) // carries acknowledgements
	} else {
		c.inputSender.Add(c.inputTick, in)
		c.inputTick++
		c.inputSender.SendUnacked(server)
	}
	c.env.Counters.EndSpan("client", began)
}

func (c *client) receive(server *packet.Endpoint) {
	scene := c.env.World.Scene()
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		fresh, err := c.interpolated.Receiver().Read(p.Payload, scene, c.interpolated.ExpectedTick())
		if err != nil {
			c.interpolated.Refuse(&p, server)
			continue
		}
		c.interpolated.AddSnapshot(fresh)
		if c.interpolated.Receiver().Mismatched() {
			c.interpolated.Refuse(&p, server)
		}
	}
}

// View shows the interpolated poses. Nothing is smoothed, so Simulated equals Bodies.
func (c *client) View(v *predict.View) {
	v.Others, v.Note = c.interpolated.DisplayMoment(), c.interpolated.Note()
	v.Carriers = max(v.Others, 0)
	for i := range c.env.World.Bodies() {
		v.Simulated = append(v.Simulated, c.interpolated.Pose(i))
	}
	v.Bodies = append(v.Bodies, v.Simulated...)
	c.interpolated.AppendOutside(v)
	if in := c.interpolated.Receiver(); in.HasSnapshot {
		v.LastReceived = predict.AppendPoses(v.LastReceived, in.Bodies)
	}
	for t := max(int64(c.now)-predict.TrailTicks, 0); t < int64(c.now); t++ {
		if p := c.trail.Find(sim.Tick(t)); p != nil {
			v.Trail = append(v.Trail, *p)
		}
	}
}

// inspect reports by how many ticks each drawn body is ahead of its newest received position: 0
// unless it is extrapolated or has stopped for lack of one.
func (c *client) inspect(l *predict.Inspection) {
	c.interpolated.Inspect(l)
	c.inputSender.InspectUnacked(l)
	if !c.interpolated.Receiver().HasSnapshot {
		return
	}
	c.interpolated.AppendIntervals(l)
	for i := range c.env.World.Bodies() {
		l.Age = append(l.Age, c.interpolated.Age(i))
		l.Moving = append(l.Moving, c.interpolated.IsMoving(i))
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.inputSender.CopyFrom(&o.inputSender)
	c.interpolated.CopyFrom(&o.interpolated)
	c.inputTick, c.now = o.inputTick, o.now
	c.trail.CopyFrom(&o.trail, history.CopyValue[geom.Pose])
}
