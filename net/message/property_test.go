package message

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"ghostcube/net/packet"

	"pgregory.net/rapid"
)

// TestChannelProperties runs two channels under any order of sending, losing,
// doubling, delaying, acking and collecting, and holds them against two plain
// lists: what is collected is the list, from its beginning; what is believed
// delivered was; and when the faults end, all of it arrives.
func TestChannelProperties(t *testing.T) { rapid.Check(t, channelProperties) }

func channelProperties(t *rapid.T) {
	config := Config{MaxBytes: rapid.SampledFrom([]int{1, 13, 64}).Draw(t, "max"), QueueLen: rapid.SampledFrom([]int{1, 20, 400}).Draw(t, "queue")}
	type flying struct {
		s packet.Sequence
		b []byte
	}
	type side struct {
		*Channel
		next      packet.Sequence
		sent      [][]byte // all messages ever
		collected int      // by the other side
		air       []flying
		acks      []packet.Sequence
		seen      map[packet.Sequence]bool // packets that arrived over there
	}
	s := [2]*side{}
	for i := range s {
		s[i] = &side{Channel: NewChannel(config), next: packet.Sequence(rapid.Uint16().Draw(t, "sequence")), seen: map[packet.Sequence]bool{}}
	}
	for i := range s {
		setStartID(s[i].Channel, s[1-i].Channel, rapid.Uint64Range(0, 1<<17).Draw(t, "id"))
	}
	now := time.Duration(0)
	base := [2]uint64{s[0].nextReceiveID, s[1].nextReceiveID}
	send := func(a *side) {
		for range rapid.SampledFrom([]int{0, 0, 1, 5, MaxPerPacket}).Draw(t, "unreliable") {
			if err := a.SendUnreliable(make([]byte, config.MaxBytes)); err != nil {
				t.Fatal(err)
			}
		}
		b := writeChannel(a.Channel, now, a.BitsForLongest()+rapid.IntRange(-a.longestMessageBits(), 400).Draw(t, "room"))
		a.PacketSent(a.next)
		a.air = append(a.air, flying{a.next, b})
		a.next++
	}
	land := func(a, b *side, i int, again bool) {
		f := a.air[i]
		if !again {
			a.air = slices.Delete(a.air, i, i+1)
		}
		if a.seen[f.s] {
			return // the endpoint drops what is doubled
		}
		if a.next-f.s > 900 {
			return // and what is too old
		}
		a.seen[f.s] = true
		a.acks = append(a.acks, f.s)
		if !readChannel(b.Channel, f.b) {
			t.Fatalf("% x is refused", f.b)
		}
	}
	collect := func(a, b *side) bool {
		m, ok := b.Receive()
		if !ok {
			return false
		}
		if a.collected >= len(a.sent) || !bytes.Equal(m, a.sent[a.collected]) {
			t.Fatalf("message %d is % x", a.collected, m)
		}
		a.collected++
		return true
	}
	check := func() {
		for i, a := range s {
			b := s[1-i]
			for id := b.nextReceiveID; id < a.oldestUnackedID; id++ {
				if !b.receiveQueue[id%Window].present {
					t.Fatalf("message %d is believed delivered", id)
				}
			}
			waiting := uint64(0)
			for _, m := range b.receiveQueue {
				if m.present {
					waiting++
				}
			}
			if b.Stats.Received != b.nextReceiveID-base[1-i]+waiting {
				t.Fatalf("%d waiting, %+v", waiting, b.Stats)
			}
			if a.peerReceiveID > b.nextReceiveID || a.UnackedCount() > len(a.sendQueue) || b.Stats.Malformed+b.Stats.OutOfWindow > 0 {
				t.Fatalf("%d collected, %d known, %+v", b.nextReceiveID, a.peerReceiveID, b.Stats)
			}
		}
	}
	for range rapid.IntRange(1, 150).Draw(t, "steps") {
		i := rapid.IntRange(0, 1).Draw(t, "side")
		a, b := s[i], s[1-i]
		switch rapid.IntRange(0, 7).Draw(t, "step") {
		case 0:
			for range rapid.IntRange(1, 40).Draw(t, "messages") {
				m := rapid.SliceOfN(rapid.Byte(), 0, config.MaxBytes).Draw(t, "message")
				switch err := a.Send(m); {
				case err == nil:
					a.sent = append(a.sent, m)
				case !errors.Is(err, ErrQueueFull) || a.UnackedCount() < config.QueueLen:
					t.Fatal(err)
				}
			}
		case 1, 2:
			send(a)
		case 3, 4:
			if len(a.air) > 0 {
				land(a, b, rapid.IntRange(0, len(a.air)-1).Draw(t, "which"), rapid.Bool().Draw(t, "again"))
			}
		case 5:
			if len(a.air) > 0 { // lost
				a.air = a.air[1:]
			}
		case 6:
			a.Acknowledge(a.acks)
			a.acks = a.acks[:0]
		case 7:
			for collect(a, b) && rapid.Bool().Draw(t, "more") {
			}
		}
		now += time.Duration(rapid.IntRange(0, 200).Draw(t, "ms")) * time.Millisecond
		check()
	}
	for i := 0; i < 2000 && (s[0].collected < len(s[0].sent) || s[1].collected < len(s[1].sent)); i++ {
		for k, a := range s {
			b := writeChannel(a.Channel, now, a.BitsForLongest())
			a.PacketSent(a.next)
			a.air = append(a.air[:0], flying{a.next, b})
			a.next++
			land(a, s[1-k], 0, false)
			for collect(a, s[1-k]) {
			}
			a.Acknowledge(a.acks)
			a.acks = a.acks[:0]
		}
		now += 30 * time.Millisecond
		check()
	}
	for i, a := range s {
		if a.collected != len(a.sent) || s[1-i].nextReceiveID != base[1-i]+uint64(len(a.sent)) {
			t.Fatalf("%d of %d came", a.collected, len(a.sent))
		}
	}
}
