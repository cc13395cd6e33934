package lab

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
)

// joinState is what the two programs of a connection know of a client that has lost everything and joins
// again. Only the transport outlives the client: the numbers of packets, and the messages.
//
// The client sends a request: its life, which counts its losses, and the number of its first packet since. The
// server answers with a block: the same life, the number of its own first packet after the world, and the
// world. In that moment its side forgets the client (predict.Server.Forget), and goes on sending states or
// inputs relative to that world. The client acknowledges none of them before it has the world. Both sides
// drop payloads with earlier numbers, and the client drops worlds for an earlier life, so a client may be
// lost at any time.
type joinState struct {
	life    uint8    // of the client
	waiting bool     // the client waits for the world
	unshown bool     // the client has the world, and has not shown it yet
	asking  bool     // the client has not sent its request yet
	first   uint16   // number of the client's first packet in this life
	at      sim.Tick // session tick of the command rejoin

	// Of the server.
	wanted     bool // a request is not answered yet
	wantedLife uint8
}

// active reports whether the client is joining.
func (j *joinState) active() bool { return j.waiting || j.unshown || j.wanted }

const (
	requestBytes = 4
	worldHeader  = 4    // bytes before the world
	worldBlock   = 0xff // first byte of a world; a block of the command block begins with another
)

func isWorld(block []byte) bool { return block[0] == worldBlock }

// CanRejoin returns an error if the clients of the pane have no way to ask for the world. Where the sides run in several
// processes, all clients ask for it in the first tick of a strategy, before any has sent an input.
func (p *Pane) CanRejoin() error {
	if p.connectionSettings.mode == messagesOff {
		return fmt.Errorf("rejoin needs a way to ask for the world: set messages=reliable in %s", p.Strategy.Name)
	}
	if err := p.CannotJoin(); err != nil && (p.lab.remote == nil || p.lab.tick != p.startTick) {
		return fmt.Errorf("rejoin in %s: %w", p.Strategy.Name, err)
	}
	return nil
}

// CannotJoin returns why no client can join once the strategy has begun, as in a mesh, or nil.
func (p *Pane) CannotJoin() error {
	if s, ok := p.serverSide.(predict.JoinRefuser); ok {
		return s.CannotJoin()
	}
	return nil
}

// rejoin makes a client lose everything and ask the server for the world.
func (p *Pane) rejoin(client int) {
	p.updateConnections()
	c, s := &p.connections[client], p.Clients[client]
	c.join = joinState{
		life: c.join.life + 1, waiting: true, asking: true, first: s.Endpoint.Next(), at: p.lab.tick,
		wanted: c.join.wanted, wantedLife: c.join.wantedLife,
	}
	s.env.SlewPPM, s.env.Joined, s.pendingShot = 0, false, sim.Shot{}
	s.Endpoint.SetMuted(true)
	s.Endpoint.Hold(!p.Strategy.Backlog)
	c.ask()
}

// ask sends the client's request, as soon as there is room for it.
func (c *connection) ask() {
	if c.join.asking {
		c.join.asking = !c.client.Send(binary.LittleEndian.AppendUint16([]byte{joinMessage, c.join.life}, c.join.first))
	}
}

// receiveRequest processes a message of a client to the server, if it is a request for the world.
func (c *connection) receiveRequest(m []byte, e *packet.Endpoint) {
	if len(m) != requestBytes || m[0] != joinMessage {
		return
	}
	if first, ok := e.Expand(binary.LittleEndian.Uint16(m[2:])); ok {
		e.IgnoreBefore(first)
		c.join.wanted, c.join.wantedLife = true, m[1]
	}
}

// serve answers a request of client i when no block is on its way to it.
func (p *Pane) serve(i int) {
	c := &p.connections[i]
	if !c.join.wanted || c.server.SendingBlock() {
		return
	}
	c.join.wanted = false
	block := binary.LittleEndian.AppendUint16([]byte{worldBlock, c.join.wantedLife}, p.peers[i].Endpoint.Next())
	c.server.SendBlock(codec.AppendWorld(block, p.ServerWorld, p.sendsExactWorld()))
	p.serverSide.Forget(i)
}

// sendsExactWorld reports whether a client needs every bit of the server's world, because it steps it on with what it
// has received since.
func (p *Pane) sendsExactWorld() bool {
	return p.Strategy.Motion == predict.FromInputs || p.Strategy.Backlog
}

// receiveWorld starts client i with the world in a block. A malformed one is counted and asked for again.
func (p *Pane) receiveWorld(i int, block []byte) {
	c, s := &p.connections[i], p.Clients[i]
	if !c.join.waiting || len(block) > 1 && block[1] != c.join.life {
		return // for an earlier life
	}
	world := predict.NewWorld(*s.World.Scene(), s.World.Rate())
	first, ok := packet.Sequence(0), len(block) > worldHeader
	if ok {
		first, ok = s.Endpoint.Expand(binary.LittleEndian.Uint16(block[2:]))
	}
	if !ok || codec.ReadWorld(block[worldHeader:], world, p.sendsExactWorld()) != nil {
		p.malformedBlocks++
		c.join.asking = true
		return
	}
	world.RunWalkers(p.Strategy.RunsWalkers)
	s.World.CopyFrom(world)
	p.restartClient(s)
	s.Endpoint.SetMuted(false)
	s.Endpoint.Release(first)
	c.join.waiting, c.join.unshown = false, true
	m := declareConnectionCounters(p.Counters)
	m.joins.Inc()
	m.joinBlockTime.Set(p.millisSince(c.join.at))
}

// restartClient makes the side of a client one that begins with its downloaded world. Its knobs and counters
// stay bound to the side.
func (p *Pane) restartClient(s *Client) {
	s.env.SlewPPM, s.env.Joined, s.env.MissedTicks = 0, true, 0
	env := *s.env
	env.LastInputs = make([]sim.Input, env.Players)
	env.Knobs, env.Counters = &predict.Knobs{}, &predict.Counters{}
	fresh := p.Strategy.NewClient(&env)
	env.Knobs.CopyFrom(p.Knobs)
	s.side.CopyFrom(fresh)
}

// joining reports whether client i is not to be drawn, because it is joining, and says so in its view.
func (p *Pane) joining(i int) bool {
	c, s := &p.connections[i], p.Clients[i]
	switch {
	case c.join.waiting:
		received, count := c.client.SlicesReceived()
		s.View.Note = fmt.Sprintf("joining: %d of %d slices", received, count)
		return true
	case s.env.Joined:
		s.View.Note = "joining: catching up"
		return true
	case c.join.unshown:
		c.join.unshown = false
		m := declareConnectionCounters(p.Counters)
		m.joinTime.Set(p.millisSince(c.join.at))
	}
	return false
}

// millisSince returns the time since a session tick in milliseconds.
func (p *Pane) millisSince(t sim.Tick) float64 {
	return float64(p.lab.tick-t) * 1000 / float64(p.lab.config.Rate)
}

// rejoin makes one client of a pane or of all panes rejoin, by its number from 1. It is refused if a pane
// cannot do so.
func (l *Lab) rejoin(c Command) error {
	n, err := strconv.Atoi(c.Name)
	if count := l.clientCount(); err != nil || n < 1 || n > count {
		return fmt.Errorf("rejoin of client %q: want 1 to %d", c.Name, count)
	}
	if err := l.eachPane(c.Pane, (*Pane).CanRejoin); err != nil {
		return err
	}
	return l.eachPane(c.Pane, func(p *Pane) error {
		p.rejoin(n - 1)
		return nil
	})
}

// noticeSeconds is the time for which MeasureRejoin compares, in seconds.
const noticeSeconds = 3

// MeasureRejoin measures what the other clients notice of clients that rejoin in the first of the entries that
// follow, by a counterfactual run: two forks of the session continue, one of them without these commands, and
// in neither the players of these clients press anything. For each pane it returns the largest distance, in
// metres, between two poses of a body that another client draws, or -1 if no client rejoins or there is no other.
// The session itself is unchanged.
func (l *Lab) MeasureRejoin(following []Entry) []float64 {
	noticed := make([]float64, len(l.Panes))
	killed := make([]bool, l.clientCount())
	var kept []Command
	for i := range noticed {
		noticed[i] = -1
	}
	for _, c := range following[0].Commands {
		n, err := strconv.Atoi(c.Name)
		if c.Verb != "rejoin" || err != nil || n < 1 || n > len(killed) {
			kept = append(kept, c)
			continue
		}
		killed[n-1] = true
		for i := range noticed {
			if (c.Pane == AllPanes || c.Pane == i) && len(killed) > 1 {
				noticed[i] = 0
			}
		}
	}
	if slices.Max(noticed) < 0 {
		return noticed
	}
	with, without := l.Fork(), l.Fork()
	for t, e := range following[:min(len(following), noticeSeconds*l.config.Rate)] {
		e.Inputs = slices.Clone(e.Inputs)
		for i := range e.Inputs {
			if i < len(killed) && killed[i] {
				e.Inputs[i] = sim.Input{}
			}
		}
		with.Tick(e)
		if t == 0 {
			e.Commands = kept
		}
		without.Tick(e)
		for i := range min(len(noticed), len(with.Panes), len(without.Panes)) {
			for c := range killed {
				if killed[c] || noticed[i] < 0 {
					continue
				}
				a, b := with.Panes[i].Clients[c].View.Bodies, without.Panes[i].Clients[c].View.Bodies
				for k := range min(len(a), len(b)) {
					noticed[i] = max(noticed[i], float64(a[k].Pos.Sub(b[k].Pos).Len()))
				}
			}
		}
	}
	return noticed
}
