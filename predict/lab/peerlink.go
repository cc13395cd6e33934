package lab

import (
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
)

// peerLink is a client's end of its link with the client of another player. It has the same network as the links
// with the server, the same receive buffer, and the same attackers.
type peerLink struct {
	endpoint *packet.Endpoint
	end      *link.End
	arrivals *receiveBuffer
	attacked *attackedWire
}

func newPeerLink(end *link.End) *peerLink {
	l := &peerLink{end: end, arrivals: &receiveBuffer{wire: end}}
	l.attacked = &attackedWire{Wire: l.arrivals, end: end, forgeAcks: func(received, _ []byte) []byte { return received }}
	l.endpoint = packet.NewEndpoint(l.attacked)
	return l
}

// connectPeers connects the clients of all players with each other, if the strategy is PeerToPeer.
func (p *Pane) connectPeers() {
	switch r := p.lab.remote; {
	case !p.Strategy.PeerToPeer:
		return
	case r != nil:
		if r.runsClients() {
			p.connectElsewhere(r)
		}
		return
	case len(p.Clients) < 2:
		return
	}
	for _, c := range p.Clients {
		c.peers, c.env.Peers = make([]*peerLink, len(p.Clients)), make([]*packet.Endpoint, len(p.Clients))
	}
	for i, a := range p.Clients {
		for k, b := range p.Clients[:i] {
			atB, atA := link.PeerPair(&p.lab.network, k, i)
			a.peers[k], b.peers[i] = newPeerLink(atA), newPeerLink(atB)
			a.env.Peers[k], b.env.Peers[i] = a.peers[k].endpoint, b.peers[i].endpoint
		}
	}
}

// connectElsewhere connects the client of this process with those of the other players, in theirs.
func (p *Pane) connectElsewhere(r *remote) {
	c, n := p.Clients[0], p.serverEnv.Players
	c.peers, c.env.Peers = make([]*peerLink, n), make([]*packet.Endpoint, n)
	for k := range n {
		if k == r.player {
			continue
		}
		end, _ := link.PeerPair(&p.lab.network, r.player, k)
		c.peers[k] = newPeerLink(end)
		c.peers[k].arrivals.wire = CutWire{}
		if k < len(r.peers) {
			c.peers[k].arrivals.wire = r.peers[k]
		}
		c.env.Peers[k] = c.peers[k].endpoint
	}
}

// update receives the datagrams that have arrived by a time. A nil peerLink stands for the client itself.
func (l *peerLink) update(now time.Duration) {
	if l != nil {
		l.endpoint.Update(now)
	}
}

// wait receives into the buffer, for a program that does not read.
func (l *peerLink) wait(now time.Duration) {
	if l != nil {
		l.arrivals.bufferArrivals(now)
	}
}

// copyFrom makes l an equal of o, with the datagrams in flight.
func (l *peerLink) copyFrom(o *peerLink) {
	if l != nil {
		l.endpoint.CopyFrom(o.endpoint)
		l.end.CopyFrom(o.end)
		l.arrivals.copyFrom(o.arrivals)
		l.attacked.copyFrom(o.attacked)
	}
}

// WireBytes returns the bytes on the wire of a client so far: Up those that it has sent to the server and to all
// peers, Down those sent to it. If the server runs in another process, Down has only what has arrived.
func (c *Client) WireBytes(d link.Direction) uint64 {
	if c.remote {
		n := [...]uint64{link.Up: c.Endpoint.Stats.BytesSent, link.Down: c.Endpoint.Stats.BytesReceived}[d]
		for _, peer := range c.peers {
			if peer != nil {
				n += [...]uint64{link.Up: peer.endpoint.Stats.BytesSent, link.Down: peer.endpoint.Stats.BytesReceived}[d]
			}
		}
		return n
	}
	n := c.end.Counters(d).WireBytes
	for _, peer := range c.peers {
		if peer != nil {
			n += peer.end.Counters(d).WireBytes
		}
	}
	return n
}

// PeerStats returns the statistics of the client's endpoint for the client of another player, for reading; nil: they are
// not connected.
func (c *Client) PeerStats(player int) *packet.Stats {
	if player >= len(c.peers) || c.peers[player] == nil {
		return nil
	}
	return &c.peers[player].endpoint.Stats
}
