// Package noprediction is the naive strategy: the client sends its input, the server steps, and the
// client draws each state when it arrives. Nothing is predicted, interpolated or smoothed, so every
// property of the network is visible: latency as delay, jitter as stutter, loss as a short freeze.
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
	counters    clientCounters
}

// clientCounters are what a client counts.
type clientCounters struct {
	rejectedPayloads predict.Counter
}

func newClient(env *predict.Env) predict.Client {
	c := &client{env: env, inputTick: env.World.Tick(), expected: env.World.Tick()}
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
		c.env.Joined = false
		c.expected = c.receiver.Tick
	}
	if c.env.Player < 0 {
		server.Send(nil)
		return
	}
	c.inputSender.Add(c.inputTick, in)
	c.inputTick++
	c.inputSender.SendUnacked(server)
}

func (c *client) View(v *predict.View) {
	v.ShowTick(c.env.World.Tick())
	v.Bodies = predict.AppendPoses(v.Bodies, c.env.World.Bodies())
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
}
