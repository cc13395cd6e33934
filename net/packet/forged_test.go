package packet

import (
	"fmt"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// stream is one direction of an honest session: a packet every tick from sender to
// receiver, which acknowledges in return. Forged datagrams are fed to the receiver
// between two packets.
type stream struct {
	t                *testing.T
	sender, receiver *Endpoint
	up, down         singleConn
	feed             *scriptedConn
	now              time.Duration
	sent             map[Sequence]bool
	deliveredOf      map[Sequence]int // by low 16 bits of the sequence
}

func newStream(t *testing.T) *stream {
	s := &stream{t: t, feed: &scriptedConn{}, sent: map[Sequence]bool{}, deliveredOf: map[Sequence]int{}}
	s.sender = NewEndpoint(splitConn{&s.down, &s.up})
	s.receiver = NewEndpoint(splitConn{s.feed, &s.down})
	return s
}

// run sends n packets and returns how many of them were delivered, and how many
// packets were acknowledged meanwhile.
func (s *stream) run(n int) (delivered, acked int) {
	for range n {
		s.now += tick
		s.sender.Update(s.now)
		acked += len(s.sender.Acks())
		q := s.sender.Send([]byte{byte(s.sender.next)})
		s.sent[q] = true
		if s.up.full {
			s.feed.in = append(s.feed.in, append([]byte(nil), s.up.bytes...))
			s.up.full = false
		}
		delivered += s.deliver()
		s.receiver.Send(nil)
	}
	return delivered, acked
}

// deliver lets the receiver read the datagrams and returns how many honest packets it
// delivers.
func (s *stream) deliver() (n int) {
	s.receiver.Update(s.now)
	for _, p := range receiveAll(s.receiver) {
		if string(p.Payload) == "forged" {
			continue
		}
		n++
		if s.deliveredOf[p.Sequence%65536]++; s.deliveredOf[p.Sequence%65536] > 1 && len(s.sent) < 65536 {
			s.t.Errorf("packet %d is delivered twice", p.Sequence)
		}
	}
	return n
}

// forge feeds forged packets with the given sequence numbers.
func (s *stream) forge(sequences ...Sequence) {
	for _, q := range sequences {
		s.feed.in = append(s.feed.in, makeDatagram(q, "forged"))
	}
	s.deliver()
}

// TestForgedSequence sends forged datagrams with a correct checksum and a sequence
// number far from the next one, and counts the honest packets that they cost. A single
// one costs at most the packet whose number it takes, also twice or once a second; two
// that confirm each other cost at most 32.
func TestForgedSequence(t *testing.T) {
	experiment.Skip(t)
	for _, ahead := range []int{1, 31, 32, 33, 200, 300, 1000, 1023, 1024, 1025, 10000, 32000, 32766, 32767, 32768, 32769, 40000, 60000, 64000, 65000, 65500} {
		for name, c := range map[string]struct {
			forged      []int // distances from the first forged number
			most        int
			everySecond bool
		}{
			"one": {[]int{0}, 1, false}, "one twice": {[]int{0, 0}, 1, false}, "one a second": {[]int{0}, 10, true}, "two": {[]int{0, 1}, 32, false},
		} {
			t.Run(fmt.Sprintf("%d ahead, %s", ahead, name), func(t *testing.T) {
				s := newStream(t)
				s.run(3000)
				lost, unacked := 600, 600
				for i := range 10 {
					if i == 0 || c.everySecond {
						for _, k := range c.forged {
							s.forge(s.sender.next + Sequence(ahead+k))
						}
					}
					delivered, acked := s.run(60)
					lost -= delivered
					unacked -= acked
				}
				// The acknowledgements of a forged number ahead are late, not lost.
				_, acked := s.run(40)
				unacked -= acked - 40
				t.Logf("%d honest packets lost, %d not acknowledged", lost, unacked)
				if lost > c.most || unacked > c.most {
					t.Errorf("%d honest packets of 600 are lost and %d not acknowledged, want at most %d: %+v", lost, unacked, c.most, s.receiver.Stats)
				}
			})
		}
	}
}

// TestForgedFirstPacket checks that a false first packet, which decides the receiver's
// first number, costs at most 32 honest packets, and a forged fragment far ahead none.
func TestForgedFirstPacket(t *testing.T) {
	for _, first := range []Sequence{1, 32, 33, 1000, 1025, 20000, 32767, 40000, 65535} {
		s := newStream(t)
		s.forge(first)
		if delivered, acked := s.run(300); delivered < 300-32 || acked < 300-34 {
			t.Errorf("first %d: %d of 300 packets are delivered, %d acknowledged: %+v", first, delivered, acked, s.receiver.Stats)
		}
		s.feed.in = append(s.feed.in, makeFragment(s.sender.next+5000, 0, 3, pattern(FragmentBytes, 1)))
		if delivered, acked := s.run(300); delivered != 300 || acked != 300 {
			t.Errorf("first %d, then a fragment: %d of 300 packets are delivered, %d acknowledged", first, delivered, acked)
		}
	}
}

// TestUnconfirmedAcks checks that the acknowledgements in a datagram that nothing
// confirms are ignored.
func TestUnconfirmedAcks(t *testing.T) {
	s := newStream(t)
	s.run(100)
	for range 5 {
		s.receiver.Send(nil)
	}
	b := make([]byte, headerBytes)
	h := header{sequence: 20000, ack: s.receiver.next.low16() - 1, ackBits: 1<<5 - 1}
	h.encode(b)
	before := s.receiver.Stats.Acked
	s.feed.in = append(s.feed.in, b)
	s.deliver()
	if got := s.receiver.Stats.Acked - before; got != 0 {
		t.Errorf("%d packets are acknowledged by a forgery", got)
	}
}

// TestReplayedPackets replays captured packets, one by one and in pairs, from 10 packets
// to more than a wrap ago. They are not delivered again, and honest packets are not lost.
func TestReplayedPackets(t *testing.T) {
	s := newStream(t)
	var captured [][]byte
	for range 140000 {
		s.now += tick
		s.sender.Update(s.now)
		s.sender.Send([]byte("x"))
		captured = append(captured, append([]byte(nil), s.up.bytes...))
		s.feed.in, s.up.full = append(s.feed.in, s.up.bytes), false
		s.receiver.Update(s.now)
	}
	for _, ago := range []int{10, 500, 1023, 1024, 1025, 10000, 32766, 32768, 40000, 65000, 65535 + 1000, 70000, 100000, 135000} {
		for _, n := range []int{1, 2} {
			at := len(captured) - ago
			if n == 2 && ago%65536 >= 32768 {
				continue // looks like two packets after a long outage
			}
			s.feed.in = append(s.feed.in, captured[at:at+n]...)
			s.receiver.Update(s.now)
			if got := len(receiveAll(s.receiver)); got != 0 {
				t.Errorf("%d of %d packets from %d packets ago are delivered again", got, n, ago)
			}
			if delivered, _ := s.run(100); delivered != 100 {
				t.Errorf("after %d packets from %d packets ago, %d of 100 packets are delivered", n, ago, delivered)
			}
			for len(captured) < int(s.sender.next) {
				captured = append(captured, nil)
			}
		}
	}
}

// TestMoveBackKeepsAcks checks that the acknowledgement which remains when the newest number moves back
// names all of 32 packets that have arrived, and no other.
func TestMoveBackKeepsAcks(t *testing.T) {
	r := receiveState{complete: NewSequenceBuffer[struct{}](historyLen)}
	arrive := func(s Sequence) {
		r.observe(s, 0)
		r.markComplete(s, 0)
	}
	want := uint32(0)
	for s := range Sequence(100) {
		if s%7 == 3 {
			continue // lost
		}
		if arrive(s); s >= 100-32 {
			want |= 1 << (99 - s)
		}
	}
	arrive(5000) // forged
	r.moveBack(99)
	if ack, set, _ := r.ackFields(0); ack != 99 || set != want || set>>31 != 1 {
		t.Errorf("packet %d is acknowledged, with the bits %032b, want 99, %032b", ack, set, want)
	}
}
