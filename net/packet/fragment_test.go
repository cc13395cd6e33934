package packet

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
)

// TestFragments sends payloads of all critical sizes and checks that they arrive, in
// which datagrams, and how many bytes are counted. No datagram exceeds MaxDatagram.
func TestFragments(t *testing.T) {
	for _, c := range []struct{ size, datagrams, last int }{
		{0, 1, 0}, {1, 1, 1}, {1023, 1, 1023}, {1024, 1, 1024}, {1025, 1, 1025}, {maxUnfragmented, 1, maxUnfragmented},
		{maxUnfragmented + 1, 2, maxUnfragmented + 1 - 1024}, {2047, 2, 1023}, {2048, 2, 1024}, {2049, 3, 1}, {10240, 10, 1024},
		{65536, 64, 1024}, {65537, 65, 1}, {MaxPayload - 1, 256, 1023}, {MaxPayload, 256, 1024},
	} {
		var w recorder
		a := NewEndpoint(&w)
		payload := pattern(c.size, 3)
		s := a.Send(payload)
		if len(w.sent) != c.datagrams {
			t.Errorf("%d bytes in %d datagrams, want %d", c.size, len(w.sent), c.datagrams)
			continue
		}
		charged := 0
		for i, d := range w.sent {
			want, head := FragmentBytes, headerBytes+fragmentHeaderBytes
			if c.datagrams == 1 {
				head = headerBytes
			}
			if i == c.datagrams-1 {
				want = c.last
			}
			if len(d) != head+want || len(d) > MaxDatagram {
				t.Errorf("%d bytes: datagram %d has %d bytes, want %d and %d", c.size, i, len(d), head, want)
			}
			charged += len(d) + link.UDPIPHeaderBytes
		}
		if a.Stats.BytesSent != uint64(charged) || a.Stats.DatagramsSent != uint64(c.datagrams) || a.Stats.PacketsSent != 1 {
			t.Errorf("%d bytes: %+v, want %d bytes counted", c.size, a.Stats, charged)
		}
		b := NewEndpoint(&scriptedConn{in: w.sent})
		b.Update(tick)
		got := receiveAll(b)
		if len(got) != 1 || got[0].Sequence != s || !bytes.Equal(got[0].Payload, payload) || got[0].ReceivedAt != tick {
			t.Errorf("%d bytes arrive changed", c.size)
		}
		if b.Stats.BytesReceived != uint64(charged) || b.Stats.PacketsReceived != 1 || b.reassembler.packetCount != 0 {
			t.Errorf("%d bytes: %+v", c.size, b.Stats)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a payload of more than MaxPayload is sent")
		}
	}()
	NewEndpoint(&recorder{}).Send(make([]byte, MaxPayload+1))
}

// TestFragmentOrder checks that the order of fragments does not matter, that those of
// several packets may arrive mixed and twice, and that no packet is delivered or
// acknowledged before its last fragment.
func TestFragmentOrder(t *testing.T) {
	experiment.Skip(t)
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		var up, down recorder
		a := NewEndpoint(&up)
		want := map[Sequence][]byte{}
		missing := map[Sequence]int{}
		for i := range 6 {
			p := pattern(rng.IntN(12000), byte(i))
			want[a.Send(p)] = p
		}
		for _, d := range up.sent {
			var h header
			h.decode(d)
			missing[Sequence(h.sequence)]++
		}
		datagrams := slices.Concat(up.sent, up.sent[:rng.IntN(len(up.sent))])
		rng.Shuffle(len(datagrams), func(i, j int) { datagrams[i], datagrams[j] = datagrams[j], datagrams[i] })
		seen := map[string]bool{}
		s := &scriptedConn{}
		b := NewEndpoint(splitConn{s, &down})
		for i, d := range datagrams {
			s.in = append(s.in, d)
			b.Update(time.Duration(i))
			if !seen[string(d)] {
				seen[string(d)] = true
				var h header
				h.decode(d)
				missing[Sequence(h.sequence)]--
			}
			for _, p := range receiveAll(b) {
				if missing[p.Sequence] != 0 || !bytes.Equal(p.Payload, want[p.Sequence]) {
					t.Fatalf("packet %d delivered with %d fragments missing", p.Sequence, missing[p.Sequence])
				}
				delete(want, p.Sequence)
			}
			down.sent = down.sent[:0]
			b.Send(nil)
			var h header
			h.decode(down.sent[0])
			for n := range uint16(32) {
				if h.ackBits>>n&1 == 1 && missing[Sequence(h.ack-n)] != 0 {
					t.Fatalf("packet %d acknowledged with %d fragments missing", h.ack-n, missing[Sequence(h.ack-n)])
				}
			}
		}
		if len(want) != 0 || b.reassembler.packetCount != 0 {
			t.Fatalf("%d packets not delivered", len(want))
		}
	}
}

// splitConn receives from one wire and sends into another.
type splitConn struct {
	in  link.Wire
	out link.Wire
}

func (s splitConn) Send(now time.Duration, b []byte) error { return s.out.Send(now, b) }

func (s splitConn) Receive(now time.Duration) (link.Datagram, bool) { return s.in.Receive(now) }

// TestFragmentOutcomes checks that the fragments of a packet have separate outcomes on
// a link, by their index among the datagrams of the moment.
func TestFragmentOutcomes(t *testing.T) {
	w := &link.Network{Seed: 9}
	if err := w.Parse("loss=50%"); err != nil {
		t.Fatal(err)
	}
	ca, cb := link.Pair(w, 0)
	a := NewEndpoint(ca)
	a.Update(tick)
	a.Send(pattern(32*FragmentBytes, 0))
	var got, want []int
	for d, ok := cb.Receive(time.Second); ok; d, ok = cb.Receive(time.Second) {
		got = append(got, int(d.Bytes[14]))
	}
	for i := range 32 {
		if !w.Outcome(link.Up, 0, tick, i).Lost {
			want = append(want, i)
		}
	}
	if !slices.Equal(got, want) || len(got) == 0 || len(got) == 32 {
		t.Errorf("fragments %v arrived, by their outcomes %v", got, want)
	}
}

// TestFragmentAttacks sends fragments that no honest side sends, with correct
// checksums, and then an honest packet. Impossible ones are rejected, contradicting ones
// do not harm the packet that they contradict, nothing incomplete is delivered or
// acknowledged, and the honest packet arrives.
func TestFragmentAttacks(t *testing.T) {
	full := pattern(FragmentBytes, 1)
	other := pattern(FragmentBytes, 2)
	end := []byte("end")
	payload := slices.Concat(full, end)
	first, last := fragmentOf(payload, 9, 0), fragmentOf(payload, 9, 1)
	whole := string(payload)
	raw := func(id, count byte, body []byte) []byte { // count less 1
		b := append(make([]byte, headerBytes+fragmentHeaderBytes), body...)
		b[4], b[13], b[14], b[15] = 9, 0x80, id, count
		return withChecksum(b, Protocol, Version)
	}
	lone := raw(0, 0, nil)
	for name, c := range map[string]struct {
		in                                 [][]byte
		rejected, repeated, notIn, waiting uint64
		delivered                          string
	}{
		"id not below count":      {in: [][]byte{makeFragment(9, 2, 2, end), makeFragment(9, 3, 2, full), makeFragment(9, 255, 2, end)}, rejected: 3},
		"count of one":            {in: [][]byte{raw(0, 0, end)}, rejected: 1},
		"count of one and id one": {in: [][]byte{raw(1, 0, end)}, rejected: 1},
		// 0 is 256 on the wire, 257 is 1
		"count wrapped to zero": {in: [][]byte{makeFragment(9, 0, 0, full), makeFragment(9, 0, 257, full)}, rejected: 1, waiting: 1},
		"short in the middle":   {in: [][]byte{makeFragment(9, 0, 3, full[:1023]), makeFragment(9, 1, 3, full[:1])}, rejected: 2},
		"long in the middle":    {in: [][]byte{makeFragment(9, 0, 3, append(slices.Clone(full), 1))}, rejected: 1},
		"empty in the middle":   {in: [][]byte{makeFragment(9, 0, 3, nil)}, rejected: 1},
		"empty last":            {in: [][]byte{makeFragment(9, 0, 2, full), makeFragment(9, 1, 2, nil)}, rejected: 1, waiting: 1},
		"long last":             {in: [][]byte{makeFragment(9, 1, 2, append(slices.Clone(full), 1))}, rejected: 1},
		"no fragment header": {
			in: [][]byte{
				lone[:15],
				withChecksum(slices.Clone(lone[:19]), Protocol, Version),
				withChecksum(slices.Clone(lone[:14]), Protocol, Version),
			},
			rejected: 3,
		},
		"another count": {in: [][]byte{makeFragment(9, 1, 3, full), first, makeFragment(9, 2, 3, end), last}, notIn: 2, delivered: whole},
		"another count, then complete": {
			in: [][]byte{
				makeFragment(9, 0, 2, full), makeFragment(9, 0, 3, full), makeFragment(9, 1, 2, end),
				first, last,
			},
			notIn: 3, delivered: whole,
		},
		"another payload checksum":      {in: [][]byte{makeFragment(9, 0, 2, other), first, makeFragment(9, 1, 2, end), last}, notIn: 2, delivered: whole},
		"other bytes first":             {in: [][]byte{withBody(first, other), first, last}, notIn: 1, delivered: whole},
		"other bytes first, then last":  {in: [][]byte{withBody(first, other), last, first}, notIn: 1, delivered: whole},
		"other bytes second":            {in: [][]byte{first, withBody(first, other), last}, notIn: 1, delivered: whole},
		"other bytes in both":           {in: [][]byte{withBody(first, other), withBody(last, []byte("END")), first, last}, notIn: 2, delivered: whole},
		"last of another length":        {in: [][]byte{withBody(last, []byte("longer end")), last, first}, notIn: 1, delivered: whole},
		"last again, of another length": {in: [][]byte{last, withBody(last, []byte("longer end")), first}, notIn: 1, delivered: whole},
		"four times other bytes": {
			in: [][]byte{
				withBody(first, other),
				withBody(first, pattern(FragmentBytes, 3)),
				withBody(first, pattern(FragmentBytes, 4)),
				withBody(first, pattern(FragmentBytes, 5)),
				first, last,
			},
			notIn: 4, delivered: whole,
		},
		"twenty other counts": {in: slices.Concat(falseCounts(20, full), [][]byte{first, last}), notIn: 20, delivered: whole},
		"only false ones":     {in: [][]byte{withBody(first, other), last}, waiting: 1},
		"after delivery": {
			in:       [][]byte{first, last, first, last, makeFragment(9, 0, 3, other), makeDatagram(9, "again")},
			repeated: 4, delivered: whole,
		},
		"after an unfragmented one":   {in: [][]byte{makeDatagram(9, "whole"), first, last}, repeated: 2, delivered: "whole"},
		"unfragmented amid fragments": {in: [][]byte{first, makeDatagram(9, "whole"), last}, repeated: 1, notIn: 1, delivered: "whole"},
		"announces 256, sends one":    {in: [][]byte{makeFragment(9, 0, 256, full)}, waiting: 1},
	} {
		in, out := &scriptedConn{in: c.in}, &recorder{}
		e := NewEndpoint(splitConn{in, out})
		e.Update(0)
		var got []byte
		for _, p := range receiveAll(e) {
			got = append(got, p.Payload...)
		}
		s := &e.Stats
		miscounted := s.Rejected() != c.rejected || s.Duplicates != c.repeated || s.FalseFragments != c.notIn
		if string(got) != c.delivered || miscounted || uint64(e.reassembler.packetCount) != c.waiting {
			t.Errorf("%s: %d bytes delivered, want %d; %d incomplete; %+v", name, len(got), len(c.delivered), e.reassembler.packetCount, *s)
		}
		e.Send(nil)
		var h header
		if h.decode(out.sent[0]); (h.ackBits != 0) != (c.delivered != "") {
			t.Errorf("%s: acks %x", name, h.ackBits)
		}
		honest := NewEndpoint(out)
		out.sent = nil
		honest.next = 10
		honest.Send(pattern(3000, 7))
		in.in = out.sent
		e.Update(tick)
		if p := receiveAll(e); len(p) != 1 || !bytes.Equal(p[0].Payload, pattern(3000, 7)) {
			t.Errorf("%s: the honest packet does not arrive", name)
		}
	}
}

// falseCounts returns n first fragments of packet 9 with different counts.
func falseCounts(n int, body []byte) (list [][]byte) {
	for i := range n {
		list = append(list, makeFragment(9, 0, 3+i, body))
	}
	return list
}

// TestFragmentsExpire checks that an incomplete packet is abandoned when the sequence
// has advanced by 256, or five seconds after its first fragment, and that fragments of
// older packets are stale.
func TestFragmentsExpire(t *testing.T) {
	body := pattern(FragmentBytes, 1)
	payload := append(slices.Clone(body), "end"...)
	first, last := fragmentOf(payload, 9, 0), fragmentOf(payload, 9, 1)
	// advance sends a packet every 32 from 9 to just before the end.
	advance := func(in *scriptedConn, end Sequence) {
		for s := Sequence(9 + maxJump); s < end; s += maxJump {
			in.in = append(in.in, makeDatagram(s, ""))
		}
	}
	for _, c := range []struct {
		name    string
		between func(e *Endpoint, in *scriptedConn) // between the two fragments of packet 9
		arrives bool
	}{
		{"nothing", func(*Endpoint, *scriptedConn) {}, true},
		{"255 packets", func(_ *Endpoint, in *scriptedConn) {
			advance(in, 9+255)
			in.in = append(in.in, makeDatagram(9+255, ""))
		}, true},
		{"256 packets", func(_ *Endpoint, in *scriptedConn) {
			advance(in, 9+256)
			in.in = append(in.in, makeDatagram(9+256, ""))
		}, false},
		{"255 fragments", func(_ *Endpoint, in *scriptedConn) {
			advance(in, 9+255)
			in.in = append(in.in, makeFragment(9+255, 0, 2, body))
		}, true},
		{"256 fragments", func(_ *Endpoint, in *scriptedConn) {
			advance(in, 9+256)
			in.in = append(in.in, makeFragment(9+256, 0, 2, body))
		}, false},
		{"a jump", func(_ *Endpoint, in *scriptedConn) {
			in.in = append(in.in, makeFragment(30000, 0, 2, body), makeFragment(30000, 1, 2, body))
		}, false},
		{"a jump that nothing confirms", func(_ *Endpoint, in *scriptedConn) { in.in = append(in.in, makeFragment(30000, 0, 2, body)) }, true},
		{"just less than five seconds", func(e *Endpoint, in *scriptedConn) { e.Update(reassemblyTimeout - 1) }, true},
		{"five seconds", func(e *Endpoint, in *scriptedConn) { e.Update(reassemblyTimeout) }, false},
		{"a fragment a second", func(e *Endpoint, in *scriptedConn) {
			for i := range 5 {
				in.in = append(in.in, makeFragment(10, i, 200, body))
				e.Update(time.Duration(i+1) * time.Second)
			}
		}, false},
	} {
		in := &scriptedConn{in: [][]byte{first}}
		e := NewEndpoint(in)
		e.Update(0)
		c.between(e, in)
		e.Update(e.now)
		receiveAll(e)
		in.in = append(in.in, last)
		e.Update(e.now)
		if got := len(receiveAll(e)) == 1; got != c.arrives {
			t.Errorf("%s between the fragments: arrives %v, want %v", c.name, got, c.arrives)
		}
		if !c.arrives && e.Stats.ReassemblyFailures == 0 {
			t.Errorf("%s: none was abandoned", c.name)
		}
		if old := e.received.newest >= 9+reassemblyWindow; old != (e.Stats.Stale == 1) || old && e.reassembler.packets.Has(9) {
			t.Errorf("%s: %d fragments are stale", c.name, e.Stats.Stale)
		}
	}
	// Eventually all are abandoned.
	in := &scriptedConn{}
	e := NewEndpoint(in)
	for i := range Sequence(400) {
		in.in = append(in.in, makeFragment(i, 0, 256, body))
	}
	e.Update(0)
	e.Update(reassemblyTimeout)
	if e.reassembler.packetCount != 0 || e.Stats.ReassemblyFailures != 400 {
		t.Errorf("%d incomplete, %d abandoned", e.reassembler.packetCount, e.Stats.ReassemblyFailures)
	}
}

// TestFragmentEviction checks that when the memory for fragments is full, the oldest
// packets make room for newer ones and never the reverse.
func TestFragmentEviction(t *testing.T) {
	body := pattern(FragmentBytes, 1)
	in := &scriptedConn{}
	e := NewEndpoint(in)
	payload := append(bytes.Repeat(body, 255), "end"...)
	fill := func(s Sequence, n int) {
		for i := range n {
			in.in = append(in.in, fragmentOf(payload, s, i))
		}
		e.Update(0)
	}
	fill(100, 255)
	fill(101, 255)
	fill(102, 2) // 512 in all
	if e.reassembler.packetCount != 3 || e.Stats.ReassemblyFailures != 0 {
		t.Fatalf("%d incomplete, %d abandoned", e.reassembler.packetCount, e.Stats.ReassemblyFailures)
	}
	fill(99, 1)
	if e.reassembler.packetCount != 3 || e.Stats.Rejected() != 1 {
		t.Errorf("an older packet: %d incomplete, %d rejected", e.reassembler.packetCount, e.Stats.Rejected())
	}
	fill(103, 1)
	if e.reassembler.packetCount != 3 || e.Stats.ReassemblyFailures != 1 || e.reassembler.packets.Has(100) {
		t.Errorf("a newer packet: %d incomplete, %d abandoned", e.reassembler.packetCount, e.Stats.ReassemblyFailures)
	}
	in.in = append(in.in, fragmentOf(payload, 101, 255))
	e.Update(0)
	if got := receiveAll(e); len(got) != 1 || len(got[0].Payload) != 255*FragmentBytes+3 {
		t.Error("a packet that was not the oldest does not arrive")
	}
	if e.reassembler.bufferCount != maxFragmentBuffers {
		t.Errorf("%d buffers", e.reassembler.bufferCount)
	}
}

// TestSecondLargePacket checks that a large packet that waits for the memory of another one is delivered by
// the next Update, with the times at which its own fragments arrived.
func TestSecondLargePacket(t *testing.T) {
	out, in := &recorder{}, &scriptedConn{}
	a, b := NewEndpoint(out), NewEndpoint(in)
	for range 2 {
		a.Send(pattern(70<<10, 3))
	}
	last, second := out.sent[69], out.sent[70:]
	in.in = slices.Concat(out.sent[:69], second[:1])
	b.Update(1 * tick)
	in.in = slices.Concat([][]byte{last}, second[1:])
	for s, now := range []time.Duration{2 * tick, 9 * tick} {
		b.Update(now)
		got := receiveAll(b)
		if len(got) != 1 || got[0].Sequence != Sequence(s) {
			t.Fatalf("at %v: %d packets, want number %d: %+v", now, len(got), s, b.Stats)
		}
		if from, to := got[0].FirstFragmentAt, got[0].ReceivedAt; from != 1*tick || to != 2*tick {
			t.Errorf("at %v: packet %d has arrived between %v and %v, want %v and %v", now, s, from, to, 1*tick, 2*tick)
		}
	}
}
