package packet

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// withValidChecksum returns b with a correct checksum, if it is long enough.
func withValidChecksum(b []byte) []byte {
	b = slices.Clone(b)
	if len(b) >= 4 {
		withChecksum(b, Protocol, Version)
	}
	return b
}

// FuzzHeader checks that a header that is read and written again gives the same bytes:
// nothing in a datagram is ignored.
func FuzzHeader(f *testing.F) {
	f.Add(makeDatagram(1, "abc"))
	f.Add(makeFragment(3, 1, 2, []byte("end")))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		var h header
		if h.decode(b) == valid && !bytes.Equal(withValidChecksum(b), b) {
			t.Fatal("a wrong checksum is accepted")
		}
		b = withValidChecksum(b)
		if h.decode(b) != valid {
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

// parseDatagrams splits the input into datagrams, each after a byte of options and two
// of length. Most get a correct checksum. Some get the body of a full fragment, because
// a fuzzer does not write a kilobyte on its own.
func parseDatagrams(in []byte) (datagrams [][]byte) {
	for len(in) >= 3 && len(datagrams) < 1000 {
		options, n := in[0], int(binary.LittleEndian.Uint16(in[1:])%1300)
		in = in[3:]
		n = min(n, len(in))
		b := slices.Clone(in[:n])
		in = in[n:]
		if options&1 != 0 && len(b) >= headerBytes+fragmentHeaderBytes {
			b = append(b[:headerBytes+fragmentHeaderBytes], pattern(FragmentBytes, options)...)
			b[13] |= 0x80
		}
		if options&2 == 0 {
			b = withValidChecksum(b)
		}
		datagrams = append(datagrams, b)
		if options&4 != 0 {
			datagrams = append(datagrams, b)
		}
	}
	return datagrams
}

// FuzzEndpoint feeds an endpoint arbitrary datagrams over several Updates. It must
// deliver no more bytes than it received, no packet twice, and acknowledge nothing that
// it did not deliver; its memory must stay in bounds; and a copy made midway must end
// the same.
func FuzzEndpoint(f *testing.F) {
	entry := func(options byte, b []byte) []byte {
		return append([]byte{options, byte(len(b)), byte(len(b) >> 8)}, b...)
	}
	f.Add(slices.Concat(entry(0, makeDatagram(1, "abc")), entry(4, makeDatagram(2, "d"))))
	f.Add(slices.Concat(
		entry(1, makeFragment(1, 0, 3, nil)),
		entry(1, makeFragment(1, 1, 3, nil)),
		entry(0, makeFragment(1, 2, 3, []byte("end"))),
		entry(5, makeFragment(1, 0, 4, nil)),
	))
	f.Add(slices.Concat(
		entry(1, makeFragment(1, 0, 256, nil)),
		entry(1, makeFragment(300, 0, 2, nil)),
		entry(0, makeFragment(300, 1, 2, []byte("x"))),
	))
	f.Fuzz(func(t *testing.T, in []byte) {
		datagrams := parseDatagrams(in)
		s, out := &scriptedConn{}, &recorder{}
		e := NewEndpoint(splitConn{s, out})
		s2, out2 := &scriptedConn{}, &recorder{}
		var copied *Endpoint
		fed, got := 0, 0
		seen := map[Sequence]bool{}
		for i := 0; len(datagrams) > 0; i++ {
			n := min(1+i%3, len(datagrams))
			now := time.Duration(i) * 700 * time.Millisecond
			s.in = append(s.in, datagrams[:n]...)
			e.Send([]byte{byte(i)})
			e.Update(now)
			if i == 3 {
				copied = NewEndpoint(splitConn{s2, out2})
				copied.CopyFrom(e)
				out2.sent = slices.Clone(out.sent)
			} else if copied != nil {
				s2.in = append(s2.in, datagrams[:n]...)
				copied.Send([]byte{byte(i)})
				copied.Update(now)
			}
			for _, b := range datagrams[:n] {
				fed += len(b)
			}
			datagrams = datagrams[n:]
			for _, p := range receiveAll(e) {
				got += len(p.Payload)
				if seen[p.Sequence] {
					t.Fatalf("%d is delivered twice", p.Sequence)
				}
				seen[p.Sequence] = true
			}
			if got > fed {
				t.Fatalf("%d bytes out of %d", got, fed)
			}
			if e.reassembler.packetCount > reassemblyWindow || e.reassembler.bufferCount > maxFragmentBuffers {
				t.Fatalf("%d incomplete packets in %d buffers", e.reassembler.packetCount, e.reassembler.bufferCount)
			}
			ack, set, _ := e.received.ackFields(now)
			for n := range Sequence(32) {
				if set>>n&1 == 1 && !seen[ack-n] {
					t.Fatalf("%d is acknowledged but was not delivered", ack-n)
				}
			}
		}
		if copied != nil && (copied.Stats != e.Stats || !slices.EqualFunc(out.sent, out2.sent, bytes.Equal)) {
			t.Errorf("a copy ends differently:\n%+v\n%+v", e.Stats, copied.Stats)
		}
	})
}

// FuzzModel is TestModel driven by the fuzzer.
func FuzzModel(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkModel)) }
