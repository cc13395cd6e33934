package lab

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
)

// attackKinds are the names of the command attack.
var attackKinds = []string{"forge", "replay", "false-fragments", "forge-acks"}

// Bounds of the values of attacks.
const (
	maxForgedAhead    = 1<<15 - 1        // packets; farther ahead is behind
	maxReplayDelay    = 10 * time.Minute // a number comes again after 18 minutes at 60 packets a second
	maxFalseFragments = 100_000
	maxForgedAcks     = 100_000
)

// attack is what an attacker, who sees datagrams and can send any, still has to do to one
// end of a connection. The zero value is no attack.
type attack struct {
	forgeAhead     int           // the next datagram is followed by a forged one that is this many packets ahead; 0: none
	falseFragments int           // number of packets that are preceded by a false fragment
	replayDelay    time.Duration // the next datagram arrives again after this time; 0: none
	replayAt       time.Duration // when the captured datagram arrives again; 0: none is captured
	captured       []byte

	forgeAcks int // number of datagrams with false acknowledgements to come
}

// attackedWire is an end of a connection as an attacker leaves it. Forged datagrams arrive
// without a network. What arrives over TCP, an attacker outside the connection cannot forge.
type attackedWire struct {
	link.Wire
	end    *link.End
	attack attack
	queue  []link.Datagram // to receive before any other, with bytes of their own

	received []byte        // newest datagram that the end has received; empty: none
	sent     []byte        // newest datagram that it has sent; empty: none
	forgedAt time.Duration // when the last datagram with false acknowledgements arrived

	// forgeAcks is predict.Strategy.ForgeAcks for payloads that the end receives and sends, with
	// their sidebands.
	forgeAcks func(received, sent []byte) []byte
}

// Send implements link.Wire.
func (w *attackedWire) Send(now time.Duration, datagram []byte) error {
	w.sent = append(w.sent[:0], datagram...)
	return w.Wire.Send(now, datagram)
}

// Receive implements link.Wire.
func (w *attackedWire) Receive(now time.Duration) (link.Datagram, bool) {
	a := &w.attack
	if a.replayAt != 0 && a.replayAt <= now {
		w.push(link.Datagram{Bytes: a.captured, ReceivedAt: a.replayAt})
		a.replayAt = 0
	}
	if d, ok := w.pop(); ok {
		return d, true
	}
	d, ok := w.Wire.Receive(now)
	if !ok {
		return w.falseAcks(now)
	}
	w.received = append(w.received[:0], d.Bytes...)
	if a.forgeAhead == 0 && a.falseFragments == 0 && a.replayDelay == 0 || w.end.ReceivesTCP() {
		return d, ok
	}
	if a.falseFragments > 0 {
		if forged, ok := packet.ForgeFragment(d.Bytes); ok {
			w.push(link.Datagram{Bytes: forged, ReceivedAt: d.ReceivedAt})
			a.falseFragments--
		}
	}
	w.push(d)
	if a.forgeAhead != 0 {
		if forged, ok := packet.Forge(d.Bytes, a.forgeAhead); ok {
			w.push(link.Datagram{Bytes: forged, ReceivedAt: d.ReceivedAt})
			a.forgeAhead = 0
		}
	}
	if a.replayDelay != 0 {
		a.captured = append(a.captured[:0], d.Bytes...)
		a.replayAt, a.replayDelay = d.ReceivedAt+a.replayDelay, 0
	}
	return w.pop()
}

// falseAcks returns a forged datagram, once each time that nothing else arrives any more: the successor of
// the newest one, which acknowledges all that the end has sent.
func (w *attackedWire) falseAcks(now time.Duration) (d link.Datagram, ok bool) {
	if w.attack.forgeAcks == 0 || w.forgedAt == now || w.end.ReceivesTCP() {
		return d, false
	}
	received, ok := packet.ParseHeader(w.received)
	sent, sentOK := packet.ParseHeader(w.sent)
	if !ok || !sentOK {
		return d, false
	}
	payload := w.received[received.Size:]
	if !received.IsFragment && !sent.IsFragment {
		payload = w.forgeAcks(payload, w.sent[sent.Size:])
	}
	if d.Bytes, ok = packet.ForgeAcks(w.received, payload, sent.Sequence); ok {
		w.attack.forgeAcks--
		w.forgedAt, w.received = now, append(w.received[:0], d.Bytes...)
	}
	d.ReceivedAt = now
	return d, ok
}

// push adds a copy of a datagram to the queue.
func (w *attackedWire) push(d link.Datagram) {
	d.Bytes = bytes.Clone(d.Bytes)
	w.queue = append(w.queue, d)
}

// pop takes the first datagram from the queue.
func (w *attackedWire) pop() (link.Datagram, bool) {
	if len(w.queue) == 0 {
		return link.Datagram{}, false
	}
	d := w.queue[0]
	w.queue = w.queue[1:]
	return d, true
}

// copyFrom makes w an equal of o, except for the wire below.
func (w *attackedWire) copyFrom(o *attackedWire) {
	captured := append(w.attack.captured[:0], o.attack.captured...)
	w.attack = o.attack
	w.attack.captured = captured
	w.received, w.sent, w.forgedAt = append(w.received[:0], o.received...), append(w.sent[:0], o.sent...), o.forgedAt
	w.queue = w.queue[:0]
	for _, d := range o.queue {
		w.push(d)
	}
}

// startAttack applies the command attack to both ends of every connection of the panes.
func (l *Lab) startAttack(c Command) error {
	var begin func(*attack)
	n, err := strconv.Atoi(c.Value)
	switch c.Name {
	case "forge":
		if err != nil || n < 1 || n > maxForgedAhead {
			return fmt.Errorf("forge=%s: want 1 to %d packets ahead", c.Value, maxForgedAhead)
		}
		begin = func(a *attack) { a.forgeAhead = n }
	case "replay":
		d, err := time.ParseDuration(c.Value)
		if err != nil || d <= 0 || d > maxReplayDelay {
			return fmt.Errorf("replay=%s: want a duration above 0s, up to %v", c.Value, maxReplayDelay)
		}
		begin = func(a *attack) { a.replayDelay = d }
	case "false-fragments":
		if err != nil || n < 1 || n > maxFalseFragments {
			return fmt.Errorf("false-fragments=%s: want 1 to %d packets", c.Value, maxFalseFragments)
		}
		begin = func(a *attack) { a.falseFragments = n }
	case "forge-acks":
		if err != nil || n < 1 || n > maxForgedAcks {
			return fmt.Errorf("forge-acks=%s: want 1 to %d datagrams", c.Value, maxForgedAcks)
		}
		begin = func(a *attack) { a.forgeAcks = n }
	default:
		return &link.UnknownNameError{Kind: "attack", Name: c.Name, Choices: attackKinds}
	}
	return l.eachPane(c.Pane, func(p *Pane) error {
		for i, s := range p.Clients {
			begin(&s.attacked.attack)
			begin(&p.serverAttacked[i].attack)
			for _, peer := range s.peers {
				if peer != nil {
					begin(&peer.attacked.attack)
				}
			}
		}
		return nil
	})
}

// forgeAcks returns the function that moves the acknowledgements in the strategy's own payloads ahead,
// for an end that receives in a direction.
func (p *Pane) forgeAcks(receives link.Direction) func(received, sent []byte) []byte {
	return func(received, sent []byte) []byte {
		forge := p.Strategy.ForgeAcks
		if forge == nil {
			return received
		}
		if p.connections[0].client == nil {
			return forge(receives == link.Up, received, sent, p.ServerWorld.Scene())
		}
		from, side, ok := packet.SplitSideband(received)
		to, _, sentOK := packet.SplitSideband(sent)
		if !ok || !sentOK || len(from) == 0 || len(to) == 0 {
			return received
		}
		return packet.AppendSideband(bytes.Clone(forge(receives == link.Up, from, to, p.ServerWorld.Scene())), side)
	}
}
