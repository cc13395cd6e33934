// Package authority is the naive way: the client sends its input, the server
// steps, and the client draws the server's last word as it comes. Nothing is
// predicted and nothing is smoothed, so every way is seen for what it costs:
// latency as delay, jitter as stutter, loss as standing still.
//
// It is the first step of codersblock's "Client-Side Prediction With Physics In
// Unity" (2018), and the ground on which the others stand.
package authority

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/inputs"
	"ghostcube/predict/wire"
	"ghostcube/sim"
)

// Strategy is the server's last word, as it comes.
var Strategy = &predict.Strategy{
	Name: "authority",
	Doc: "no prediction: the server's last word as it comes\n\n" +
		"Press a key and count: the cube moves a round trip later. With jitter it stutters, with loss it stands still for a moment.",
	Source:    "codersblock, Client-Side Prediction With Physics In Unity (2018), first step",
	NewServer: newServer,
	NewClient: newClient,
}

type server struct {
	env     *predict.Env
	every   int
	repeat  bool
	queues  []inputs.Queue
	senders []wire.Sender
	changes wire.Changes
	held    []sim.Input
}

func newServer(env *predict.Env) predict.Server {
	s := &server{env: env}
	env.Knobs.Int(&s.every, "snapshot-every", 1, 1, 64, "ticks from one snapshot to the next")
	env.Knobs.Bool(&s.repeat, "repeat-missing", true, "a player whose input has not come does what it did last, not nothing")
	inputs.Declare(env)
	env.Meter.Declare("snapshots", "snapshots sent")
	env.Meter.Declare("snapshot_bits", "bits in them, headers apart")
	s.held = append(s.held, env.Held...)
	return s
}

func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	world, m := s.env.World, s.env.Meter
	for i := len(s.queues); i < len(peers); i++ {
		s.queues, s.senders = append(s.queues, inputs.Queue{}), append(s.senders, wire.Sender{})
		if seat := peers[i].Seat; seat >= 0 {
			s.queues[i].Start(0, s.held[seat])
		}
	}
	for i, peer := range peers {
		s.senders[i].Hear(peer.Endpoint)
	}
	copy(s.held, host)
	for i, peer := range peers {
		q := &s.queues[i]
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Seat >= 0 && len(p.Payload) > 0 {
				q.Read(p.Payload, world.Tick(), m)
			}
		}
		if peer.Seat < 0 {
			continue
		}
		s.held[peer.Seat] = q.TakeNewest(s.repeat, m)
		if newest, ok := q.Newest(); ok {
			q.Judge(newest, world.Rate(), m)
		}
	}
	world.Step(s.held...)
	s.changes.Note(world)
	if int(world.Tick())%s.every != 0 {
		return
	}
	for i, peer := range peers {
		m.Add("snapshots", 1)
		m.Add("snapshot_bits", float64(s.senders[i].Send(peer.Endpoint, world, &s.changes, s.held)))
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.every, s.repeat = o.every, o.repeat
	s.held = append(s.held[:0], o.held...)
	s.changes.CopyFrom(&o.changes)
	s.queues = append(s.queues[:0], make([]inputs.Queue, len(o.queues))...)
	s.senders = append(s.senders[:0], make([]wire.Sender, len(o.senders))...)
	for i := range o.queues {
		s.queues[i].CopyFrom(&o.queues[i])
		s.senders[i].CopyFrom(&o.senders[i])
	}
}

type client struct {
	env  *predict.Env
	tick sim.Tick // of the next input
	out  inputs.Sender
	in   wire.Receiver
}

func newClient(env *predict.Env) predict.Client {
	c := &client{env: env, tick: env.World.Tick()}
	c.out.Declare(env)
	env.Meter.Declare("refused", "payloads that were no message")
	return c
}

func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	world := c.env.World
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		fresh, err := c.in.Read(p.Payload, world.Scene(), world.Tick())
		if err != nil {
			c.env.Meter.Add("refused", 1)
		}
		if !fresh {
			continue
		}
		for i, b := range c.in.Bodies {
			world.SetBody(i, b)
		}
		world.Relabel(c.in.Tick)
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
	v.Raw = append(v.Raw, v.Bodies...)
	if c.in.Any {
		v.Last = predict.Poses(v.Last, c.in.Bodies)
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.tick = o.tick
	c.out.CopyFrom(&o.out)
	c.in.CopyFrom(&o.in)
}
