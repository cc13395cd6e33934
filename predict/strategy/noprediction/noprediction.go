// Package noprediction is the naive way: the client sends its input, the server
// steps, and the client draws the server's last word as it comes. Nothing is
// predicted and nothing is smoothed, so every way is seen for what it costs:
// latency as delay, jitter as stutter, loss as standing still.
//
// It is the first step of codersblock's "Client-Side Prediction With Physics In
// Unity" (2018), and the ground on which the others stand.
package noprediction

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// Strategy is the server's last word, as it comes.
var Strategy = &predict.Strategy{
	Name: "noprediction",
	Doc: "no prediction: the server's last word as it comes\n\n" +
		"Press a key and count: the cube moves a round trip later. With jitter it stutters, with loss it stands still for a moment.",
	Source:    "codersblock, Client-Side Prediction With Physics In Unity (2018), first step",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    codec.InputsAndSnapshots,
	MaxBodies: codec.MostBodies,
}

type server struct {
	env   *predict.Env
	desk  input.Desk
	shots hit.Judge
	out   codec.Broadcast
	held  []sim.Input
	world predict.Solver
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env, held: append([]sim.Input(nil), env.LastInputs...)}
	s.desk.Declare(env)
	s.shots.Declare(env)
	s.out.Declare(env)
	env.Knobs.Solver(&s.world)
	return s
}

// Tick reads the inputs, steps with the newest, and sends the state. A client
// that draws what comes is behind, so its ticks are no reason to refuse any.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world, m := s.env.World, s.env.Counters
	s.out.Hear(peers)
	s.desk.Play(host, peers, s.held, world, m)
	s.shots.Tick(world, host, peers, &s.desk)
	s.world.Step(world, s.held...)
	s.out.Stepped(world)
	s.out.Send(world, peers, s.held, m)
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.held, s.world = append(s.held[:0], o.held...), o.world
	s.desk.CopyFrom(&o.desk)
	s.shots.CopyFrom(&o.shots)
	s.out.CopyFrom(&o.out)
}

type client struct {
	env  *predict.Env
	tick sim.Tick // of the next input
	out  input.Sender
	in   codec.Receiver
}

func newClient(env *predict.Env) predict.Client {
	c := &client{env: env, tick: env.World.Tick()}
	c.out.Declare(env)
	env.Counters.Declare("refused", "payloads that were no message")
	return c
}

func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	world := c.env.World
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		fresh, err := c.in.Read(p.Payload, world.Scene(), world.Tick())
		if err != nil {
			c.env.Counters.Add("refused", 1)
		}
		if !fresh {
			continue
		}
		for i, b := range c.in.Bodies {
			world.SetBody(i, b)
		}
		world.SetTick(c.in.Tick)
	}
	if c.env.Player < 0 {
		server.Send(nil)
		return
	}
	c.out.Add(c.tick, in)
	c.tick++
	c.out.Send(server, c.tick)
}

func (c *client) View(v *predict.View) {
	v.Tick = c.env.World.Tick()
	v.Bodies = predict.Poses(v.Bodies, c.env.World.Bodies())
	v.Simulated = append(v.Simulated, v.Bodies...)
	if c.in.Any {
		v.LastReceived = predict.Poses(v.LastReceived, c.in.Bodies)
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.tick = o.tick
	c.out.CopyFrom(&o.out)
	c.in.CopyFrom(&o.in)
}
