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

// TestChannelProperties runs two channels under any order of sending, loss,
// duplication, delay, acknowledgement and consumption, and compares them with two
// lists. Messages must arrive in order, acknowledged ones must have arrived, and once
// the faults end all must arrive.
func TestChannelProperties(t *testing.T) { rapid.Check(t, channelProperties) }

func channelProperties(t *rapid.T) {
	config := Config{MaxBytes: rapid.SampledFrom([]int{1, 13, 64}).Draw(t, "max"), QueueLen: rapid.SampledFrom([]int{1, 20, 400}).Draw(t, "queue")}
	type flight struct {
		s packet.Sequence
		b []byte
	}
	type side struct {
		*Channel
		next      packet.Sequence
		sent      [][]byte // all messages sent
		consumed  int      // by the other side
		inFlight  []flight
		acks      []packet.Sequence
		delivered map[packet.Sequence]bool // packets delivered
	}
	s := [2]*side{}
	for i := range s {
		s[i] = &side{Channel: NewChannel(config), next: packet.Sequence(rapid.Uint16().Draw(t, "sequence")), delivered: map[packet.Sequence]bool{}}
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
		a.inFlight = append(a.inFlight, flight{a.next, b})
		a.next++
	}
	deliver := func(a, b *side, i int, again bool) {
		f := a.inFlight[i]
		if !again {
			a.inFlight = slices.Delete(a.inFlight, i, i+1)
		}
		if a.delivered[f.s] {
			return // the endpoint drops duplicates
		}
		if a.next-f.s > 900 {
			return // and old packets
		}
		a.delivered[f.s] = true
		a.acks = append(a.acks, f.s)
		if !readChannel(b.Channel, f.b) {
			t.Fatalf("% x is rejected", f.b)
		}
	}
	consume := func(a, b *side) bool {
		m, ok := b.Receive()
		if !ok {
			return false
		}
		if a.consumed >= len(a.sent) || !bytes.Equal(m, a.sent[a.consumed]) {
			t.Fatalf("message %d is % x", a.consumed, m)
		}
		a.consumed++
		return true
	}
	check := func() {
		for i, a := range s {
			b := s[1-i]
			for id := b.nextReceiveID; id < a.oldestUnackedID; id++ {
				if !b.receiveQueue[id%Window].present {
					t.Fatalf("message %d is acknowledged but not delivered", id)
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
				t.Fatalf("%d consumed, %d known, %+v", b.nextReceiveID, a.peerReceiveID, b.Stats)
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
				case !errors.Is(err, ErrQueueFull) || int(a.nextSendID-a.peerReceiveID) < config.QueueLen:
					t.Fatal(err)
				}
			}
		case 1, 2:
			send(a)
		case 3, 4:
			if len(a.inFlight) > 0 {
				deliver(a, b, rapid.IntRange(0, len(a.inFlight)-1).Draw(t, "which"), rapid.Bool().Draw(t, "again"))
			}
		case 5:
			if len(a.inFlight) > 0 { // lost
				a.inFlight = a.inFlight[1:]
			}
		case 6:
			a.Acknowledge(a.acks)
			a.acks = a.acks[:0]
		case 7:
			for consume(a, b) && rapid.Bool().Draw(t, "more") {
			}
		}
		now += time.Duration(rapid.IntRange(0, 200).Draw(t, "ms")) * time.Millisecond
		check()
	}
	for i := 0; i < 2000 && (s[0].consumed < len(s[0].sent) || s[1].consumed < len(s[1].sent)); i++ {
		for k, a := range s {
			b := writeChannel(a.Channel, now, a.BitsForLongest())
			a.PacketSent(a.next)
			a.inFlight = append(a.inFlight[:0], flight{a.next, b})
			a.next++
			deliver(a, s[1-k], 0, false)
			for consume(a, s[1-k]) {
			}
			a.Acknowledge(a.acks)
			a.acks = a.acks[:0]
		}
		now += 30 * time.Millisecond
		check()
	}
	for i, a := range s {
		if a.consumed != len(a.sent) || s[1-i].nextReceiveID != base[1-i]+uint64(len(a.sent)) {
			t.Fatalf("%d of %d received", a.consumed, len(a.sent))
		}
	}
}
