package packet

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// modelPath is a direction of the model. inTransit are the datagrams that may still
// arrive, oldest first.
type modelPath struct {
	inTransit []sentDatagram
	sent      int
	delivered uint64
	due       [][]byte // for the receiver's next Update
}

type sentDatagram struct {
	bytes      []byte
	sentBefore int // number of datagrams sent before
}

// peer is an end of the model and the state of its packets.
type peer struct {
	*Endpoint
	out       *modelPath
	payloads  map[Sequence][]byte
	delivered map[Sequence]bool // at the other end
	acked     map[Sequence]bool
}

// TestModel connects two endpoints by a wire on which the outcome of every datagram is
// drawn: lost, delivered, duplicated, damaged, or delayed by up to 200 later ones.
// Packets have up to six fragments, and sequence numbers sometimes jump. At every step
// each packet delivered was sent, bit for bit, and is delivered once; each packet
// acknowledged was delivered, and is acknowledged once; and the statistics add up.
func TestModel(t *testing.T) { rapid.Check(t, checkModel) }

func checkModel(t *rapid.T) {
	paths := [2]*modelPath{{}, {}}
	var peers [2]*peer
	wires := [2]*scriptedConn{{}, {}}
	for i := range peers {
		var rec recorder
		e := NewEndpoint(splitConn{wires[i], &rec})
		e.next = rapid.SampledFrom([]Sequence{0, 0, 1000, 65530, 65536 * 3}).Draw(t, "start")
		peers[i] = &peer{e, paths[i], map[Sequence][]byte{}, map[Sequence]bool{}, map[Sequence]bool{}}
		e.conn = splitConn{wires[i], &rec}
	}
	now := time.Duration(0)
	side := rapid.IntRange(0, 1)
	send := func(t *rapid.T) {
		i := side.Draw(t, "from")
		p := peers[i]
		size := rapid.SampledFrom([]int{0, 1, 40, 300, maxUnfragmented, maxUnfragmented + 1, 2048, 3000, 6000}).Draw(t, "size")
		payload := pattern(size, byte(len(p.payloads)*7+i))
		rec := p.conn.(splitConn).out.(*recorder)
		rec.sent = rec.sent[:0]
		s := p.Send(payload)
		if p.payloads[s] != nil {
			t.Fatalf("two packets with number %d", s)
		}
		p.payloads[s] = payload
		for _, b := range rec.sent {
			paths[i].inTransit = append(paths[i].inTransit, sentDatagram{b, paths[i].sent})
			paths[i].sent++
		}
		for l := paths[i]; len(l.inTransit) > 0 && l.sent-l.inTransit[0].sentBefore > 200; {
			l.inTransit = l.inTransit[1:] // lost
		}
	}
	outcome := func(t *rapid.T) {
		l := paths[side.Draw(t, "path")]
		if len(l.inTransit) == 0 {
			t.Skip("nothing is in transit")
		}
		k := rapid.IntRange(0, len(l.inTransit)-1).Draw(t, "which")
		f := l.inTransit[k]
		switch rapid.SampledFrom([]string{"deliver", "deliver", "deliver", "lose", "duplicate", "flip"}).Draw(t, "outcome") {
		case "deliver":
			l.due = append(l.due, f.bytes)
		case "duplicate":
			l.due = append(l.due, f.bytes)
			return // it stays in transit
		case "flip":
			b := append([]byte(nil), f.bytes...)
			bit := rapid.IntRange(0, len(b)*8-1).Draw(t, "bit")
			b[bit/8] ^= 1 << (bit % 8)
			l.due = append(l.due, b)
		}
		l.inTransit = append(l.inTransit[:k:k], l.inTransit[k+1:]...)
	}
	deliverAll := func(t *rapid.T) {
		l := paths[side.Draw(t, "path")]
		for _, f := range l.inTransit {
			l.due = append(l.due, f.bytes)
		}
		l.inTransit = nil
	}
	update := func(t *rapid.T) {
		i := side.Draw(t, "side")
		p, other := peers[i], peers[1-i]
		now += rapid.SampledFrom([]time.Duration{0, tick, tick, time.Second, 6 * time.Second}).Draw(t, "elapsed")
		l := paths[1-i]
		wires[i].in = append(wires[i].in, l.due...)
		l.delivered += uint64(len(l.due))
		l.due = nil
		p.Update(now)
		for _, q := range receiveAll(p.Endpoint) {
			// Before anything has arrived the receiver does not know of earlier wraps.
			s := q.Sequence
			for other.payloads[s] == nil && s < 1<<20 {
				s += 1 << 16
			}
			want, sent := other.payloads[s]
			if !sent || string(want) != string(q.Payload) {
				t.Fatalf("packet %d arrives as %d bytes, sent %v with %d", q.Sequence, len(q.Payload), sent, len(want))
			}
			if other.delivered[s] {
				t.Fatalf("packet %d arrives twice", s)
			}
			other.delivered[s] = true
		}
		for _, s := range p.Acks() {
			if !p.delivered[s] {
				t.Fatalf("packet %d is acknowledged but was not delivered", s)
			}
			if p.acked[s] {
				t.Fatalf("packet %d is acknowledged twice", s)
			}
			p.acked[s] = true
		}
	}
	jump := func(t *rapid.T) {
		i := side.Draw(t, "side")
		if peers[i].next > 1<<19 {
			t.Skip("far enough")
		}
		// Only the low bits are sent: the other end must stay within half the sequence
		// space.
		r := &peers[1-i].received
		if next := peers[i].next.low16(); r.ackBits == 0 || next-r.newest.low16() > 20000 || next-r.ack.low16() > 20000 {
			t.Skip("the other end is too far behind")
		}
		for _, l := range paths {
			l.inTransit, l.due = nil, nil
		}
		peers[i].next += Sequence(rapid.IntRange(1, 10000).Draw(t, "distance"))
	}
	t.Repeat(map[string]func(*rapid.T){
		"send":          send,
		"send again":    send,
		"outcome":       outcome,
		"outcome again": outcome,
		"deliver all":   deliverAll,
		"update":        update,
		"update again":  update,
		"jump":          jump,
		"": func(t *rapid.T) {
			for i, p := range peers {
				checkStats(t, p, peers[1-i], paths[1-i].delivered)
			}
		},
	})
}

// keptAside returns the number of datagrams that wait for a second one, 0 or 1.
func keptAside(e *Endpoint) uint64 {
	if e.jump.count > 0 && e.jump.ahead {
		return 1
	}
	return 0
}

// checkStats compares the statistics of an end with the datagrams it was fed and with
// those of the other end.
func checkStats(t *rapid.T, p, other *peer, fed uint64) {
	s := &p.Stats
	switch {
	case s.DatagramsReceived+s.Rejected()+s.Duplicates+s.Stale+s.Unconfirmed+keptAside(p.Endpoint) != fed:
		t.Fatalf("%d datagrams fed: %+v", fed, *s)
	case s.PacketsReceived > s.DatagramsReceived, s.PacketsReceived > s.Expected, s.RecentLost > s.RecentExpected, s.RecentExpected > lossWindow:
		t.Fatalf("%+v", *s)
	case s.PacketsReceived != uint64(len(other.delivered)), s.PacketsSent != uint64(len(p.payloads)), s.Acked != uint64(len(p.acked)):
		t.Fatalf("%d delivered, %d sent, %d acked: %+v", len(other.delivered), len(p.payloads), len(p.acked), *s)
	case s.Acked > other.Stats.PacketsReceived, s.BytesSent < s.DatagramsSent*(headerBytes+28), s.InvalidAcks != 0:
		t.Fatalf("%+v", *s)
	case p.reassembler.packetCount > reassemblyWindow, p.reassembler.bufferCount > maxFragmentBuffers:
		t.Fatalf("%d incomplete packets in %d buffers", p.reassembler.packetCount, p.reassembler.bufferCount)
	}
}
