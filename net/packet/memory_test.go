package packet

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
)

// allocated returns the bytes allocated since the program started.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestAttackMemory floods an endpoint with fragments that never complete a packet. No
// datagram causes an allocation of more than 64 KiB, and all together at most 640 KiB,
// of any kind and number: a fragment takes the memory of one fragment, whatever count
// it claims, and abandoned memory is reused.
func TestAttackMemory(t *testing.T) {
	full := pattern(FragmentBytes, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	for name, forge := range map[string]func(i int) []byte{
		"first of 256, ever new packets": func(i int) []byte { return makeFragment(Sequence(i), 0, 256, full) },
		"one byte, last of 256":          func(i int) []byte { return makeFragment(Sequence(i), 255, 256, full[:1]) },
		"all but the last of 256":        func(i int) []byte { return makeFragment(Sequence(i/255), i%255, 256, full) },
		"all but the first of 256":       func(i int) []byte { return makeFragment(Sequence(i/255), 1+i%255, 256, full) },
		"sequences that leap":            func(i int) []byte { return makeFragment(Sequence(i*32767), 0, 256, full) },
		"sequences backwards":            func(i int) []byte { return makeFragment(Sequence(60000-i), 0, 256, full) },
		"anything": func(i int) []byte {
			return makeFragment(Sequence(rng.IntN(1000)), rng.IntN(200), 201+rng.IntN(50), full)
		},
		"the same again and again": func(int) []byte { return makeFragment(9, 0, 256, full) },
		"counts that change":       func(i int) []byte { return makeFragment(Sequence(i/3), 0, 2+i%250, full) },
		"payload checksums that change": func(i int) []byte {
			return encodeFragment(header{sequence: Sequence(i / 8).low16(), isFragment: true, fragmentCount: 256, payloadChecksum: uint32(i)}, full)
		},
		"bodies that change":               func(i int) []byte { return makeFragment(Sequence(i/5), 0, 2, pattern(FragmentBytes, byte(i))) },
		"256 packets, one fragment a time": func(i int) []byte { return makeFragment(Sequence(i%256), i/256%255, 256, full) },
	} {
		w := &scriptedConn{}
		e := NewEndpoint(w)
		e.Update(0)
		n := experiment.Pick(4000, 20000, 20000)
		flood := make([][]byte, n)
		for i := range flood {
			flood[i] = forge(i)
		}
		start := allocated()
		last := start
		for i := range flood {
			w.in = flood[i : i+1]
			e.Update(time.Duration(i) * time.Millisecond)
			if i < 1200 && i%experiment.Pick(8, 1, 1) == 0 { // by then everything has been allocated
				now := allocated()
				if now-last > 64<<10 {
					t.Errorf("%s: datagram %d allocates %d bytes", name, i, now-last)
				}
				last = now
			}
		}
		total := allocated() - start
		if total > 640<<10 {
			t.Errorf("%s: %d datagrams allocate %d bytes", name, n, total)
		}
		if e.Stats.PacketsReceived != 0 || len(e.inbox) != 0 || e.received.ackBits != 0 {
			t.Errorf("%s: something was delivered", name)
		}
		count := 0
		for i := range e.reassembler.packets.slots {
			for a := e.reassembler.packets.slots[i].value; a != nil; a = a.next {
				for b := a.fragments; b != nil; b = b.next {
					count++
				}
			}
		}
		for b := e.reassembler.free; b != nil; b = b.next {
			count++
		}
		if count != e.reassembler.bufferCount || count > maxFragmentBuffers {
			t.Errorf("%s: %d buffers, %d counted", name, count, e.reassembler.bufferCount)
		}
	}
}

// TestLargestPacketMemory checks that the largest packet allocates at most 64 KiB per
// datagram, including the last, and that a second one allocates nothing.
func TestLargestPacketMemory(t *testing.T) {
	var out recorder
	a := NewEndpoint(&out)
	payload := pattern(MaxPayload, 1)
	a.Send(payload)
	w := &scriptedConn{}
	e := NewEndpoint(w)
	last := allocated()
	for i := range out.sent {
		w.in = out.sent[i : i+1]
		e.Update(0)
		now := allocated()
		if now-last > 64<<10 {
			t.Fatalf("datagram %d allocates %d bytes", i, now-last)
		}
		last = now
	}
	if e.Stats.PacketsReceived != 1 {
		t.Fatal("the packet does not arrive")
	}
	var x queueConn
	a, b := NewEndpoint(&x), NewEndpoint(&x)
	step := func() {
		a.Send(payload)
		b.Update(0)
		if p, ok := b.Receive(); !ok || len(p.Payload) != MaxPayload {
			t.Fatal("the packet does not arrive")
		}
	}
	step()
	if n := testing.AllocsPerRun(20, step); n != 0 {
		t.Errorf("%v allocations for a packet of 256 fragments", n)
	}
}

// queueConn is a wire with reused memory.
type queueConn struct {
	bytes                 [][]byte
	readIndex, writeIndex int
}

func (q *queueConn) Send(_ time.Duration, d []byte) error {
	if q.readIndex == q.writeIndex {
		q.readIndex, q.writeIndex = 0, 0
	}
	if q.writeIndex == len(q.bytes) {
		q.bytes = append(q.bytes, nil)
	}
	q.bytes[q.writeIndex] = append(q.bytes[q.writeIndex][:0], d...)
	q.writeIndex++
	return nil
}

func (q *queueConn) Receive(now time.Duration) (link.Datagram, bool) {
	if q.readIndex == q.writeIndex {
		return link.Datagram{}, false
	}
	q.readIndex++
	return link.Datagram{Bytes: q.bytes[q.readIndex-1], ReceivedAt: now}, true
}

// TestLargePacketsTakeTurns checks that the second of two large packets received in one
// Update is delivered and acknowledged by the next, in a copy of the endpoint as well,
// without losing anything or allocating memory.
func TestLargePacketsTakeTurns(t *testing.T) {
	var x queueConn
	a, b := NewEndpoint(&x), NewEndpoint(&x)
	payloads := [][]byte{pattern(MaxPayload, 1), pattern(70<<10, 2)}
	for range 3 { // the first round allocates fragments
		for _, p := range payloads {
			a.Send(p)
		}
		b.Update(0)
		first, ok := b.Receive()
		if _, more := b.Receive(); !ok || more || !bytes.Equal(first.Payload, payloads[0]) {
			t.Fatal("the first packet is not delivered alone")
		}
		c := NewEndpoint(&queueConn{})
		c.CopyFrom(b)
		before := allocated()
		b.Update(1)
		if n := allocated() - before; n > 64<<10 {
			t.Errorf("the second allocates %d bytes", n)
		}
		c.Update(1)
		for _, e := range []*Endpoint{b, c} {
			p, ok := e.Receive()
			if _, more := e.Receive(); !ok || more || p.Sequence != first.Sequence+1 || !bytes.Equal(p.Payload, payloads[1]) {
				t.Fatal("the second packet is not delivered")
			}
		}
	}
}
