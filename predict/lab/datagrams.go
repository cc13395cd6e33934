package lab

import (
	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/lab/probe"
	"ghostcube/predict/lab/trace"
)

// TraceDatagrams starts to record the datagrams of all panes, of those that are opened later too,
// or stops that and forgets them. It changes no result, and costs nothing while it is off. Of a lab
// that is about to become a copy (CopyFrom), datagrams are recorded from the first tick after that.
func (l *Lab) TraceDatagrams(on bool) {
	if l.tracing == on {
		return
	}
	l.tracing = on
	for _, p := range l.Panes {
		p.observeDatagrams(on)
	}
}

// ForgetDatagrams forgets the recorded datagrams of all panes.
func (l *Lab) ForgetDatagrams() {
	for _, p := range l.Panes {
		if p.datagrams != nil {
			p.datagrams.Reset()
		}
	}
}

// Datagrams returns the recorded datagrams of all clients of the pane, for reading, or nil if none are
// recorded.
func (p *Pane) Datagrams() *trace.Log { return p.datagrams }

// CopyDatagrams makes the recorded datagrams of p those of o. p has to be a copy of o. If o records
// datagrams, the lab of p starts to do so, too.
func (p *Pane) CopyDatagrams(o *Pane) {
	if o.datagrams != nil {
		p.lab.TraceDatagrams(true)
		p.datagrams.CopyFrom(o.datagrams)
	}
}

// observeDatagrams starts to record the datagrams of the pane's present connections, or stops that.
func (p *Pane) observeDatagrams(on bool) {
	if !on {
		p.datagrams = nil
	} else if p.datagrams == nil {
		p.datagrams = &trace.Log{}
	}
	if p.lab.merged != nil {
		return // recordMerged knows them
	}
	for i, c := range p.Clients {
		observe := func(d link.Direction, from *link.End, to *packet.Endpoint) {
			if !on {
				from.Observe(nil)
				to.OnDatagram = nil
				return
			}
			from.Observe(func(s link.Sending, b []byte) {
				if h, ok := packet.ParseHeader(b); ok {
					kind, hasMessages := p.packetKind(d, &h, b)
					p.datagrams.Flow(i, d).AddSending(trace.Sent{Kind: kind, HasMessages: hasMessages, Sending: s, Header: &h}, b)
				}
			})
			to.OnDatagram = func(x link.Datagram, r packet.Result) { p.datagrams.Flow(i, d).AddArrival(x, r) }
		}
		observe(link.Up, c.end, p.peers[i].Endpoint)
		observe(link.Down, p.serverEnds[i], c.Endpoint)
		p.observePeers(i, on)
	}
}

// addPeerSending records what a client has sent to that of another player. A strategy's packets between them are none in
// fragments, and have inputs.
func addPeerSending(f *trace.Flow, s link.Sending, b []byte) {
	if h, ok := packet.ParseHeader(b); ok {
		kind := predict.Inputs
		if len(b) == h.Size {
			kind = predict.AcksOnly
		}
		f.AddSending(trace.Sent{Kind: kind, Sending: s, Header: &h}, b)
	}
}

// observePeers starts to record the datagrams that a client exchanges with those of other players, or stops that.
func (p *Pane) observePeers(client int, on bool) {
	for k, l := range p.Clients[client].peers {
		switch {
		case l == nil:
		case !on:
			l.end.Observe(nil)
			l.endpoint.OnDatagram = nil
		default:
			l.end.Observe(func(s link.Sending, b []byte) { addPeerSending(p.datagrams.PeerFlow(client, k), s, b) })
			l.endpoint.OnDatagram = func(x link.Datagram, r packet.Result) { p.datagrams.PeerFlow(k, client).AddArrival(x, r) }
		}
	}
}

// HasPeerLink reports whether the clients of two players, from 0, are connected with each other.
func (p *Pane) HasPeerLink(a, b int) bool {
	return a < len(p.Clients) && b >= 0 && b < len(p.Clients[a].peers) && p.Clients[a].peers[b] != nil
}

// packetKind returns what a datagram contains, and whether it has messages beside that.
func (p *Pane) packetKind(d link.Direction, h *packet.Header, b []byte) (kind predict.PacketKind, hasMessages bool) {
	if h.IsFragment {
		return predict.Fragments, false
	}
	payload := b[h.Size:]
	if p.connections[0].client != nil {
		own, side, ok := packet.SplitSideband(payload)
		if ok {
			payload, hasMessages = own, len(side) > 0
		}
	}
	kind = p.Strategy.KindOf(d == link.Up, payload, p.serverEnv.Players)
	if kind == predict.AcksOnly && hasMessages {
		kind = predict.Messages
	}
	return kind, hasMessages
}

// CorrectionDatagrams returns the datagrams behind a correction, as indices of the datagrams of its client in a
// log, which is that of p or of the session that p is a copy of: in the direction Down the one that completed the packet with the server's state, and in the
// direction Up the one that carried the player's input for that state first: if the server stepped
// without the input, the one that came too late or never. An index is -1 if the datagram is not known
// any more; inputs are known of the first client, for some seconds.
func (p *Pane) CorrectionDatagrams(log *trace.Log, c *probe.Correction) (state, input int) {
	state, input = -1, -1
	if i, ok := log.Flow(c.Client, link.Down).Find(uint16(c.Packet), c.Received); ok {
		state = i
	}
	if c.Client != 0 {
		return state, input
	}
	at, ok := p.Latency.StateInputSentAt(c.Tick)
	if c.Cause == predict.LocalInput && c.Tick > 0 {
		at, ok = p.Latency.InputSentAt(c.Tick - 1)
	}
	if ok {
		if first, end := log.Flow(0, link.Up).Span(at, at+1); first < end {
			input = first
		}
	}
	return state, input
}
