package packet

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// modelPath is a lane of the model: datagrams that were sent and may still arrive, the
// oldest first.
type modelPath struct {
	inTransit []sentDatagram
	sent      int
	delivered uint64
	due       [][]byte // handed to the next Update of the receiver
}

type sentDatagram struct {
	bytes      []byte
	sentBefore int // how many had been sent before
}

// peer is an end of the model and what is known of its packets.
type peer struct {
	*Endpoint
	out       *modelPath
	payloads  map[Sequence][]byte
	delivered map[Sequence]bool // at the other end
	acked     map[Sequence]bool
}

// TestModel lets two endpoints talk through a wire of which every datagram's
// fate is drawn: lost, delivered, kept for another delivery, flipped, and
// delivered when up to 200 later ones have been. Packets are of every length up
// to six fragments and now and then an end's numbers leap ahead. At every moment
// what was delivered was sent, bit for bit, and is delivered once; what is
// acknowledged was delivered, and is acknowledged once; and the statistics add
// up.
func TestModel(t *testing.T) { rapid.Check(t, checkModel) }

func checkModel(t *rapid.T) {
	lanes := [2]*modelPath{{}, {}}
	var peers [2]*peer
	wires := [2]*scriptedConn{{}, {}}
	for i := range peers {
		var rec recorder
		e := NewEndpoint(splitConn{wires[i], &rec})
		e.next = rapid.SampledFrom([]Sequence{0, 0, 1000, 65530, 65536 * 3}).Draw(t, "start")
		peers[i] = &peer{e, lanes[i], map[Sequence][]byte{}, map[Sequence]bool{}, map[Sequence]bool{}}
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
			lanes[i].inTransit = append(lanes[i].inTransit, sentDatagram{b, lanes[i].sent})
			lanes[i].sent++
		}
		for l := lanes[i]; len(l.inTransit) > 0 && l.sent-l.inTransit[0].sentBefore > 200; {
			l.inTransit = l.inTransit[1:] // lost
		}
	}
	fate := func(t *rapid.T) {
		l := lanes[side.Draw(t, "lane")]
		if len(l.inTransit) == 0 {
			t.Skip("nothing is on its way")
		}
		k := rapid.IntRange(0, len(l.inTransit)-1).Draw(t, "which")
		f := l.inTransit[k]
		switch rapid.SampledFrom([]string{"deliver", "deliver", "deliver", "lose", "twice", "flip"}).Draw(t, "fate") {
		case "deliver":
			l.due = append(l.due, f.bytes)
		case "twice":
			l.due = append(l.due, f.bytes)
			return // and it stays on its way
		case "flip":
			b := append([]byte(nil), f.bytes...)
			bit := rapid.IntRange(0, len(b)*8-1).Draw(t, "bit")
			b[bit/8] ^= 1 << (bit % 8)
			l.due = append(l.due, b)
		}
		l.inTransit = append(l.inTransit[:k:k], l.inTransit[k+1:]...)
	}
	all := func(t *rapid.T) {
		l := lanes[side.Draw(t, "lane")]
		for _, f := range l.inTransit {
			l.due = append(l.due, f.bytes)
		}
		l.inTransit = nil
	}
	update := func(t *rapid.T) {
		i := side.Draw(t, "who")
		p, other := peers[i], peers[1-i]
		now += rapid.SampledFrom([]time.Duration{0, tick, tick, time.Second, 6 * time.Second}).Draw(t, "later")
		l := lanes[1-i]
		wires[i].in = append(wires[i].in, l.due...)
		l.delivered += uint64(len(l.due))
		l.due = nil
		p.Update(now)
		for _, q := range receiveAll(p.Endpoint) {
			// Until something has arrived the rounds before are not known.
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
				t.Fatalf("packet %d is acknowledged and was not delivered", s)
			}
			if p.acked[s] {
				t.Fatalf("packet %d is acknowledged twice", s)
			}
			p.acked[s] = true
		}
	}
	leap := func(t *rapid.T) {
		i := side.Draw(t, "who")
		if peers[i].next > 1<<19 {
			t.Skip("far enough")
		}
		// Numbers are told from their low halves: the other end and what it
		// tells of have to be within half a round.
		r := &peers[1-i].received
		if far := peers[i].next.low16(); r.ackBits == 0 || far-r.newest.low16() > 20000 || far-r.ack.low16() > 20000 {
			t.Skip("the other end has not kept up")
		}
		for _, l := range lanes {
			l.inTransit, l.due = nil, nil
		}
		peers[i].next += Sequence(rapid.IntRange(1, 10000).Draw(t, "by"))
	}
	t.Repeat(map[string]func(*rapid.T){
		"send": send, "send again": send, "fate": fate, "fate again": fate, "all": all, "update": update, "update again": update, "leap": leap,
		"": func(t *rapid.T) {
			for i, p := range peers {
				checkStats(t, p, peers[1-i], lanes[1-i].delivered)
			}
		},
	})
}

// checkStats holds the statistics of an end against what it was fed and what
// the other end knows.
func checkStats(t *rapid.T, p, other *peer, fed uint64) {
	s := &p.Stats
	switch {
	case s.DatagramsReceived+s.Rejected+s.Duplicates+s.Stale != fed:
		t.Fatalf("%d datagrams fed: %+v", fed, *s)
	case s.PacketsReceived > s.DatagramsReceived, s.PacketsReceived > s.Expected, s.RecentLost > s.RecentExpected, s.RecentExpected > lossWindow:
		t.Fatalf("%+v", *s)
	case s.PacketsReceived != uint64(len(other.delivered)), s.PacketsSent != uint64(len(p.payloads)), s.Acked != uint64(len(p.acked)):
		t.Fatalf("%d delivered, %d sent, %d acked: %+v", len(other.delivered), len(p.payloads), len(p.acked), *s)
	case s.Acked > other.Stats.PacketsReceived, s.BytesSent < s.DatagramsSent*(headerBytes+28), s.InvalidAcks != 0:
		t.Fatalf("%+v", *s)
	case p.reassembler.packetCount > reassemblyWindow, p.reassembler.bufferCount > maxFragmentBuffers:
		t.Fatalf("%d packets wait in %d blocks", p.reassembler.packetCount, p.reassembler.bufferCount)
	}
}
