// Package noprediction is the naive strategy: the client sends its input, the server steps, and the
// client draws each state when it arrives. Nothing is predicted, interpolated or smoothed, so every
// property of the network is visible: latency as delay, jitter as stutter, loss as a short freeze. Only
// a state that is far from the picture is not drawn at once, but reached at catchUpSpeed: what an outage leaves
// would otherwise be a jump of tens of metres.
//
// It is the first step of codersblock's "Client-Side Prediction With Physics In Unity" (2018), and
// the baseline for the other strategies.
package noprediction

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/serverworld"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// Strategy draws the server's state when it arrives.
var Strategy = &predict.Strategy{
	Name: "noprediction",
	Doc: "no prediction: each state is drawn when it arrives\n\n" +
		"Press a key: the cube moves one round trip later. With jitter it stutters, with loss it freezes for a moment.",
	Source:    "codersblock, Client-Side Prediction With Physics In Unity (2018), first step",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    codec.InputAndSnapshotFields,
	Inspect:   inspect,
	Latency:   predict.Latency,
	MaxBodies: codec.MaxBodies,
	Row: &predict.Row{
		UsualName:   "authoritative server, no prediction",
		Determinism: "no", UseWhen: "the delay does not matter",
	},
}

// inspect reports the buffers of inputs.
func inspect(l *predict.Inspection, s predict.Server, c predict.Client) {
	if client := c.(*client); client.env.Player >= 0 {
		s.(*server).InspectInputs(l)
		client.inputSender.InspectUnacked(l)
	}
}

type server struct {
	serverworld.Receiving
	broadcast codec.Broadcast
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	s.Declare(env)
	s.DeclarePlayout(env)
	s.broadcast.Declare(env)
	s.DeclareSolver()
	return s
}

// Tick reads the inputs, steps with the newest and sends the state.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world := s.Env.World
	s.broadcast.Acknowledge(peers)
	s.Collect(host, peers)
	s.Step(host, peers)
	s.broadcast.RecordStep(world)
	s.broadcast.Send(world, peers, s.Inputs)
}

// Forget forgets a client's inputs and acknowledgements.
func (s *server) Forget(peer int) {
	s.Receiving.Forget(peer, 0)
	s.broadcast.Forget(peer, s.Env.World.Tick())
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.Receiving.CopyFrom(&o.Receiving)
	s.broadcast.CopyFrom(&o.broadcast)
}

type client struct {
	env         *predict.Env
	inputTick   sim.Tick // tick of the next input
	expected    sim.Tick // server tick expected in packets arriving now
	inputSender input.Sender
	receiver    codec.Receiver
	drawn       []geom.Pose
	moment      sim.Moment // of the server, that is drawn
	counters    clientCounters
}

const (
	catchUpSpeed = 120.0 // m/s: the fastest picture of a body; 2 m in a tick at 60 Hz
	snapDistance = 50.0  // metres; a body that is further away is drawn at once
)

// clientCounters are what a client counts.
type clientCounters struct {
	rejectedPayloads predict.Counter
}

func newClient(env *predict.Env) predict.Client {
	c := &client{env: env, inputTick: env.World.Tick(), expected: env.World.Tick()}
	c.drawNewest()
	c.inputSender.DeclareWithPlayout(env)
	c.receiver.Declare(env)
	c.counters.rejectedPayloads = env.Counters.Rejected()
	return c
}

func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	world := c.env.World
	c.expected++
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		fresh, err := c.receiver.Read(p.Payload, world.Scene(), c.expected)
		if err != nil {
			c.counters.rejectedPayloads.Inc()
			server.Refuse(p.Sequence)
		}
		if !fresh {
			continue
		}
		for i, b := range c.receiver.Bodies {
			world.SetBody(i, b)
		}
		world.SetTick(c.receiver.Tick)
		if c.env.Joined {
			c.drawNewest()
		}
		c.env.Joined = false
		c.expected = c.receiver.Tick
	}
	c.draw()
	if c.env.Player < 0 {
		server.Send(nil)
		return
	}
	c.inputSender.Add(c.inputTick, in)
	c.inputTick++
	c.inputSender.SendUnacked(server)
}

// drawNewest draws the newest state.
func (c *client) drawNewest() {
	c.drawn, c.moment = predict.AppendPoses(c.drawn[:0], c.env.World.Bodies()), c.env.World.Tick().Moment()
}

// draw draws the newest state, unless the body that is furthest from it would have to move faster than catchUpSpeed:
// then it draws a moment between the present picture and that state.
func (c *client) draw() {
	w := c.env.World
	farthest := float32(0)
	for i := range w.Bodies() {
		farthest = max(farthest, w.Bodies()[i].Pose.Pos.Sub(c.drawn[i].Pos).LenSq())
	}
	farthest = geom.Sqrt(farthest)
	step := catchUpSpeed / float32(w.Rate())
	if farthest <= step || farthest > snapDistance {
		c.drawNewest()
		return
	}
	share := step / farthest
	for i := range w.Bodies() {
		c.drawn[i] = smoothing.LerpPose(c.drawn[i], w.Bodies()[i].Pose, share)
	}
	c.moment += sim.Moment(float64(w.Tick().Moment()-c.moment) * float64(share))
}

func (c *client) View(v *predict.View) {
	v.Others, v.Own, v.Carriers = c.moment, c.moment, c.moment
	v.Bodies = append(v.Bodies, c.drawn...)
	v.Simulated = append(v.Simulated, v.Bodies...)
	if c.receiver.HasSnapshot {
		v.LastReceived = predict.AppendPoses(v.LastReceived, c.receiver.Bodies)
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.inputTick = o.inputTick
	c.expected = o.expected
	c.inputSender.CopyFrom(&o.inputSender)
	c.receiver.CopyFrom(&o.receiver)
	c.drawn, c.moment = append(c.drawn[:0], o.drawn...), o.moment
}
