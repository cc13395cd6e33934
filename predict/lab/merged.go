package lab

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/lab/probe"
	"ghostcube/predict/lab/trace"
	"ghostcube/predict/score"
	"ghostcube/sim"
)

// A merged session shows what happened in several processes as if one lab had run it. Every side runs again in a lab of its
// own, bit for bit, from a record of what it received. A pane for each client draws its picture, with the server's
// world as the ghost, and measures both. Nothing can be changed but the display.

// Side is a side of a merged session.
type Side struct {
	Lab  *Lab                      // of NewServer or NewClient, with the ticks that it makes before the session
	Tick func(l *Lab) error        // makes the next tick of Lab or of a copy of it
	Made func(t sim.Tick) sim.Tick // ticks that Lab has made when the session has made t; it never falls

	// Datagrams are those between a client and the server, by the time of sending, in the time of the session.
	Datagrams [2][]Datagram // by direction; none of the server's Side

	// Peers are those that a client has sent to the clients of other players, by player.
	Peers [sim.MaxPlayers][]Datagram
}

// Datagram is a datagram of a merged session.
type Datagram struct {
	link.Sending
	Bytes []byte
}

// CopiedWire is a wire of a lab of NewServer or NewClient that goes on in copies of the lab. Others are cut there.
type CopiedWire interface {
	link.Wire

	// CopyFor returns an equal wire for a copy of the lab.
	CopyFor(l *Lab) link.Wire
}

// merged are the sides of a merged session.
type merged struct {
	server  Side
	clients []Side // by pane
}

// happened is what a pane of a merged session has beside its client.
type happened struct {
	ofShots            *predict.Counters // that the session counts itself
	earlierCorrections int               // of the client before the session
	earlierShots       int
}

// NewMerged returns the session of a server and 1 to MaxPanes clients, before its first tick.
func NewMerged(server Side, clients []Side) *Lab {
	l := New(server.Lab.Config())
	l.merged = &merged{server, clients}
	for _, c := range clients {
		p := &Pane{lab: l, Counters: &predict.Counters{}, Score: &score.Score{}, drawnHash: 1}
		p.Name = fmt.Sprintf("player-%d", c.Lab.remote.player+1)
		p.happened = happened{&predict.Counters{}, c.Lab.Panes[0].Corrections.Total(), c.Lab.Panes[0].Shots.Total()}
		if p.earlierShots > 0 {
			probe.DeclareShotCounters(p.ofShots) // without those
		}
		l.Panes = append(l.Panes, p)
	}
	l.linkMerged()
	server.Lab.OnHit = l.takeHit
	for _, p := range l.Panes {
		p.Latency = probe.NewLatencyTracer(p.Strategy, l.config.Rate)
	}
	return l
}

// linkMerged makes the panes show the present sides.
func (l *Lab) linkMerged() {
	server := l.merged.server.Lab.Panes[0]
	server.shownBy = server.shownBy[:0]
	for i, p := range l.Panes {
		side := l.merged.clients[i].Lab
		client, player := side.Panes[0], side.remote.player
		p.Strategy, p.Knobs, p.ServerWorld = server.Strategy, server.Knobs, server.ServerWorld
		p.serverSide, p.serverEnv, p.lastInputs = server.serverSide, server.serverEnv, server.lastInputs
		p.connectionSettings, p.malformedBlocks = server.connectionSettings, client.malformedBlocks
		p.Clients, p.serverEnds, p.drawnHash, p.CPU = client.Clients, client.serverEnds, client.drawnHash, client.CPU
		p.peers, p.clockFaults = server.peers[player:player+1], client.clockFaults
		c, s := &client.connections[0], &server.connections[player]
		p.connections = append(p.connections[:0], connection{client: c.client, server: s.server, join: c.join})
		p.Counters.Join(client.Counters, server.Counters)
		p.Counters.Replace(p.ofShots)
		l.inputs[player] = side.inputs[player]
		server.shownBy = append(server.shownBy, p)
	}
}

// tickMerged makes the ticks of the sides that belong to a tick of the session, and measures them.
func (l *Lab) tickMerged() {
	m := l.merged
	advance := func(s *Side) {
		for s.Lab.tick < s.Made(l.tick+1) {
			_ = s.Tick(s.Lab) // a command refused here was also refused in the original run
		}
	}
	l.recordMergedPeers()
	for i, p := range l.Panes {
		p.recordMerged(m.clients[i].Datagrams)
		advance(&m.clients[i])
		p.takeCorrections(m.clients[i].Lab)
		p.Shots.Follow(p.ofShots, &m.clients[i].Lab.Panes[0].Shots, p.earlierShots, l.tick)
	}
	before := m.server.Lab.tick
	advance(&m.server)
	l.linkMerged()
	if m.server.Lab.tick == before {
		return // the session is at its end
	}
	l.addMergedScreens()
	for _, p := range l.Panes {
		if len(p.Clients[0].View.Bodies) > 0 && !p.Joining(0) {
			p.measure()
		}
	}
}

// addMergedScreens is Pane.addScreens for all panes, each of which shows one player's screen.
func (l *Lab) addMergedScreens() {
	if !slices.ContainsFunc(l.Panes, func(p *Pane) bool { return p.Shots.Total() > 0 }) {
		return
	}
	for _, p := range l.Panes {
		p.clearScreens()
		for _, o := range l.Panes {
			p.addScreensOf(o)
		}
		p.sight.Add(p.ofShots, p.ServerWorld, l.tick, p.screens)
		p.Counters.Replace(p.ofShots)
	}
}

// takeHit records the server's result of a shot at the shooter's pane, and at the pane of a player who was hit.
func (l *Lab) takeHit(v *predict.HitResult) {
	for _, p := range l.Panes {
		switch player := p.PlayerBody(); {
		case v.Player == player:
			p.Shots.Resolve(p.ofShots, l.tick, v)
		case v.Body() == player && len(p.screens) > player && p.screens[player] != nil:
			probe.CountHit(p.ofShots, p.ServerWorld, v.Player, player, p.screens[player])
		}
	}
}

// recordMerged records the datagrams that are sent in a tick, and those that arrive in it.
func (p *Pane) recordMerged(sent [2][]Datagram) {
	for d, to := range [2]*packet.Endpoint{link.Up: p.peers[0].Endpoint, link.Down: p.Clients[0].Endpoint} {
		if p.datagrams == nil {
			to.OnDatagram = nil
			continue
		}
		flow := p.datagrams.Flow(0, link.Direction(d))
		to.OnDatagram = func(x link.Datagram, r packet.Result) { flow.AddArrival(x, r) }
		for _, x := range p.lab.sentNow(sent[d]) {
			if h, ok := packet.ParseHeader(x.Bytes); ok {
				kind, hasMessages := p.packetKind(link.Direction(d), &h, x.Bytes)
				flow.AddSending(trace.Sent{Kind: kind, HasMessages: hasMessages, Sending: x.Sending, Header: &h}, x.Bytes)
			}
		}
	}
}

// recordMergedPeers records the datagrams that clients send to each other in a tick, and those that arrive in it, in the panes
// of both.
func (l *Lab) recordMergedPeers() {
	for i, sender := range l.Panes {
		for k, receiver := range l.Panes {
			from, to := sender.PlayerBody(), receiver.PlayerBody()
			if i == k || !receiver.HasPeerLink(0, from) {
				continue
			}
			endpoint := receiver.Clients[0].peers[from].endpoint
			if endpoint.OnDatagram = nil; sender.datagrams == nil || receiver.datagrams == nil {
				continue
			}
			flows := [2]*trace.Flow{sender.datagrams.PeerFlow(from, to), receiver.datagrams.PeerFlow(from, to)}
			endpoint.OnDatagram = func(x link.Datagram, r packet.Result) {
				for _, f := range flows {
					f.AddArrival(x, r)
				}
			}
			for _, x := range l.sentNow(l.merged.clients[i].Peers[to]) {
				for _, f := range flows {
					addPeerSending(f, x.Sending, x.Bytes)
				}
			}
		}
	}
}

// sentNow returns the datagrams that are sent in the present tick.
func (l *Lab) sentNow(list []Datagram) []Datagram {
	at := func(t time.Duration) int {
		i, _ := slices.BinarySearchFunc(list, t, func(x Datagram, t time.Duration) int { return cmp.Compare(x.SentAt, t) })
		return i
	}
	return list[at(l.Now()):at(l.Now()+time.Second/time.Duration(l.config.Rate))]
}

// takeCorrections adds what the client has corrected in this tick, in the time of the session. The server, which has not made
// its tick yet, still knows when it sent what led to a correction.
func (p *Pane) takeCorrections(client *Lab) {
	log, server := &client.Panes[0].Corrections, p.lab.merged.server.Lab
	for n := p.earlierCorrections + p.Corrections.Total(); n < log.Total(); n++ {
		x := *log.At(max(n, log.FirstIndex()))
		if x.SessionTick = p.lab.tick; x.Sent < 0 {
			if sent, ok := p.peers[0].Endpoint.SentAt(x.Packet); ok {
				x.Sent = sent - server.Now() + p.lab.Now()
			}
		}
		x.Received += p.lab.Now() + time.Second/time.Duration(p.lab.config.Rate) - client.Now()
		p.Corrections.Add(x)
	}
}

// copyMerged makes the sides and panes of l equals of those of o.
func (l *Lab) copyMerged(o *merged, panes []*Pane) {
	m := &merged{server: o.server, clients: slices.Clone(o.clients)}
	m.server.Lab = o.server.Lab.Fork()
	for i := range m.clients {
		m.clients[i].Lab = o.clients[i].Lab.Fork()
	}
	l.merged = m
	for i, p := range l.Panes {
		from := panes[i]
		*p = Pane{
			lab: l, Name: from.Name, Counters: &predict.Counters{}, Score: &score.Score{}, Latency: from.Latency, datagrams: p.datagrams,
			happened: happened{&predict.Counters{}, from.earlierCorrections, from.earlierShots}, sight: from.sight,
		}
		p.ofShots.CopyFrom(from.ofShots)
		p.Shots.CopyFrom(&from.Shots)
		p.Score.CopyFrom(from.Score)
		p.noise.CopyFrom(&from.noise)
		p.Corrections.CopyFrom(&from.Corrections.Log)
	}
	l.linkMerged()
	m.server.Lab.OnHit = l.takeHit
	for i, p := range l.Panes {
		p.divergence.CopyFrom(&panes[i].divergence, p.ServerWorld, p.Clients[0].World, panes[i].Clients[0].World)
		p.observeDatagrams(l.tracing)
		if p.datagrams != nil {
			p.datagrams.Rewind(l.Now())
		}
	}
}

// Merged reports whether the lab shows what happened in several processes, so that nothing but the display can be changed.
func (l *Lab) Merged() bool { return l.merged != nil }
