package packet

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// withValidChecksum returns b with a right checksum, if there is room for one.
func withValidChecksum(b []byte) []byte {
	b = slices.Clone(b)
	if len(b) >= 4 {
		withChecksum(b, Protocol, Version)
	}
	return b
}

// FuzzHeader says that what is read as a header is, when it is written again,
// the same bytes: nothing in a datagram is overlooked.
func FuzzHeader(f *testing.F) {
	f.Add(makeDatagram(1, "abc"))
	f.Add(makeFragment(3, 1, 2, []byte("end")))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		var h header
		if h.decode(b) && !bytes.Equal(withValidChecksum(b), b) {
			t.Fatal("a wrong checksum is taken")
		}
		b = withValidChecksum(b)
		if !h.decode(b) {
			return
		}
		again := slices.Clone(b)
		clear(again[:h.size()])
		if h.encode(again); !bytes.Equal(again, b) {
			t.Errorf("% x is read as %+v, written % x", b, h, again)
		}
		if h.isFragment && (h.fragmentID >= h.fragmentCount || h.fragmentCount < 2 || h.fragmentCount > MaxFragments) {
			t.Errorf("%+v", h)
		}
	})
}

// FuzzDatagram feeds an endpoint anything at all, and then the same with a right
// checksum before it, twice.
func FuzzDatagram(f *testing.F) {
	f.Add(makeDatagram(1, "abc"))
	f.Add(makeFragment(3, 1, 2, []byte("end")))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &scriptedConn{in: [][]byte{b, withValidChecksum(b), withValidChecksum(b)}}
		e := NewEndpoint(s)
		e.Send([]byte("x"))
		e.Update(tick)
		n := 0
		for _, p := range receiveAll(e) {
			n += len(p.Payload)
		}
		if n > len(b) {
			t.Errorf("%d bytes out of %d", n, len(b))
		}
		if len(e.Acks()) > 1 {
			t.Errorf("acks %v for one packet sent", e.Acks())
		}
	})
}

// parseDatagrams cuts a fuzzer's input into datagrams: for each a byte of what to do
// with it and two of its length. Most get a right checksum; to some the end of a
// true fragment is added, for no fuzzer writes a kilobyte on its own.
func parseDatagrams(in []byte) (all [][]byte) {
	for len(in) >= 3 && len(all) < 1000 {
		do, n := in[0], int(binary.LittleEndian.Uint16(in[1:])%1300)
		in = in[3:]
		n = min(n, len(in))
		b := slices.Clone(in[:n])
		in = in[n:]
		if do&1 != 0 && len(b) >= headerBytes+fragmentHeaderBytes {
			b = append(b[:headerBytes+fragmentHeaderBytes], pattern(FragmentBytes, do)...)
			b[13] |= 0x80
		}
		if do&2 == 0 {
			b = withValidChecksum(b)
		}
		all = append(all, b)
		if do&4 != 0 {
			all = append(all, b)
		}
	}
	return all
}

// FuzzEndpoint feeds a whole endpoint several datagrams in several Updates and
// lets it answer. Whatever they are, no more comes out than went in, no number
// comes out twice, nothing is acknowledged that did not come out, the bounds of
// the memory for fragments hold, and a copy made half way ends as its model.
func FuzzEndpoint(f *testing.F) {
	entry := func(do byte, b []byte) []byte {
		return append([]byte{do, byte(len(b)), byte(len(b) >> 8)}, b...)
	}
	f.Add(slices.Concat(entry(0, makeDatagram(1, "abc")), entry(4, makeDatagram(2, "d"))))
	f.Add(slices.Concat(entry(1, makeFragment(1, 0, 3, nil)), entry(1, makeFragment(1, 1, 3, nil)), entry(0, makeFragment(1, 2, 3, []byte("end"))), entry(5, makeFragment(1, 0, 4, nil))))
	f.Add(slices.Concat(entry(1, makeFragment(1, 0, 256, nil)), entry(1, makeFragment(300, 0, 2, nil)), entry(0, makeFragment(300, 1, 2, []byte("x")))))
	f.Fuzz(func(t *testing.T, in []byte) {
		all := parseDatagrams(in)
		s, out := &scriptedConn{}, &recorder{}
		e := NewEndpoint(splitConn{s, out})
		s2, out2 := &scriptedConn{}, &recorder{}
		var twin *Endpoint
		fed, got := 0, 0
		seen := map[Sequence]bool{}
		for i := 0; len(all) > 0; i++ {
			n := min(1+i%3, len(all))
			now := time.Duration(i) * 700 * time.Millisecond
			s.in = append(s.in, all[:n]...)
			e.Send([]byte{byte(i)})
			e.Update(now)
			if i == 3 {
				twin = NewEndpoint(splitConn{s2, out2})
				twin.CopyFrom(e)
				out2.sent = slices.Clone(out.sent)
			} else if twin != nil {
				s2.in = append(s2.in, all[:n]...)
				twin.Send([]byte{byte(i)})
				twin.Update(now)
			}
			for _, b := range all[:n] {
				fed += len(b)
			}
			all = all[n:]
			for _, p := range receiveAll(e) {
				got += len(p.Payload)
				if seen[p.Sequence] {
					t.Fatalf("%d comes out twice", p.Sequence)
				}
				seen[p.Sequence] = true
			}
			if got > fed {
				t.Fatalf("%d bytes out of %d", got, fed)
			}
			if e.reassembler.packetCount > reassemblyWindow || e.reassembler.bufferCount > maxFragmentBuffers {
				t.Fatalf("%d packets wait in %d blocks", e.reassembler.packetCount, e.reassembler.bufferCount)
			}
			ack, set, _ := e.received.ackFields(now)
			for n := range Sequence(32) {
				if set>>n&1 == 1 && !seen[ack-n] {
					t.Fatalf("%d is acknowledged and did not come out", ack-n)
				}
			}
		}
		if twin != nil && (twin.Stats != e.Stats || !slices.EqualFunc(out.sent, out2.sent, bytes.Equal)) {
			t.Errorf("a copy ends differently:\n%+v\n%+v", e.Stats, twin.Stats)
		}
	})
}

// FuzzModel is TestModel with choices that a fuzzer makes.
func FuzzModel(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkModel)) }
