//go:build !js

package socket

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// attacker makes hostile datagrams of what it has overheard.
type attacker struct {
	random   *rand.Rand
	recorded [][]byte // datagrams and requests of honest sides, any session
	foreign  sealer   // of a session with another key
}

func newAttacker(t testing.TB, seed uint64) *attacker {
	config := configs()["secure"]
	a := &attacker{random: rand.New(rand.NewPCG(seed, 0))}
	a.foreign, _ = sessionPair(t, config)
	return a
}

// recordFrom lets a connection send 100 datagrams, and records them.
func (a *attacker) recordFrom(c *Conn) {
	write := c.write
	c.sending.Lock()
	c.write = func(b []byte) error { a.record(b); return write(b) }
	c.sending.Unlock()
	for range 100 {
		c.Send(0, make([]byte, 40))
	}
	c.sending.Lock()
	c.write = write
	c.sending.Unlock()
}

// record remembers an honest datagram, and forgets one if it has many.
func (a *attacker) record(b []byte) {
	if len(a.recorded) < 500 {
		a.recorded = append(a.recorded, bytes.Clone(b))
	} else {
		a.recorded[a.random.IntN(len(a.recorded))] = bytes.Clone(b)
	}
}

// datagram returns a hostile datagram.
func (a *attacker) datagram() []byte {
	overheard := func() []byte { return bytes.Clone(a.recorded[a.random.IntN(len(a.recorded))]) }
	noise := make([]byte, a.random.IntN(1400))
	for i := range noise {
		noise[i] = byte(a.random.Uint32())
	}
	switch a.random.IntN(10) {
	case 0:
		return noise
	case 1: // cut
		b := overheard()
		return b[:a.random.IntN(len(b)+1)]
	case 2: // flipped
		b := overheard()
		for range 1 + a.random.IntN(8) {
			b[a.random.IntN(len(b))] ^= 1 << a.random.IntN(8)
		}
		return b
	case 3: // copied
		return overheard()
	case 4: // a counter ahead, to make honest ones look old
		b := overheard()
		if len(b) >= headerBytes {
			counter := binary.LittleEndian.Uint32(b[1:])
			binary.LittleEndian.PutUint32(b[1:], counter+1<<a.random.IntN(32))
		}
		return b
	case 5: // a request for a cookie
		r := request{kind: kindHello, version: version, mode: modeNoise, nonce: a.random.Uint64()}
		return r.write(make([]byte, requestBytes))
	case 6: // an offer with a guessed cookie
		r := request{kind: kindConnect, version: version, mode: modeNoise, nonce: a.random.Uint64()}
		copy(r.cookie[:], noise)
		copy(r.offer[:], noise)
		return r.write(make([]byte, requestBytes))
	case 7: // a forged reply
		r := reply{kind: kindCookie + byte(a.random.IntN(4)), nonce: a.random.Uint64(), body: noise[:min(len(noise), 48)]}
		return r.append(nil)
	case 8: // of a session with another key
		a.foreign.counter += uint64(a.random.IntN(3))
		return a.foreign.append(nil, kindData, noise[:min(len(noise), MaxDatagram)])
	default: // an end, forged
		return append([]byte{kindClose}, noise[:min(len(noise), 20)]...)
	}
}

// TestHostileDatagrams sends ten hostile datagrams to both sides for each honest one, as if from the address of the other
// side or from strangers: exactly the honest ones are received, each once, and the server holds nothing else.
func TestHostileDatagrams(t *testing.T) {
	rounds := 20_000
	if experiment.Brief() {
		rounds = 1000
	}
	config := configs()["secure"]
	p := newPair(t, config, network(t, "latency=20ms"))
	a := newAttacker(t, 1)
	deliver := p.toServer
	p.toServer = func(b []byte) { a.record(b); deliver(b) }
	p.connect(time.Second)
	p.dial(p.config) // the first session's datagrams are now those of an earlier one
	p.connect(time.Second)
	p.server.accepted = nil
	server, client := p.server.peers[clientAddress].conn, p.client.conn
	toServer := func(b []byte) error { a.record(b); p.server.arrive(p.now, clientAddress, bytes.Clone(b)); return nil }
	toClient := func(b []byte) error { a.record(b); client.arrive(p.now, bytes.Clone(b)); return nil }
	client.write, server.write = toServer, toClient

	payload := make([]byte, 40)
	check := func(name string, c *Conn, round int) {
		d, ok := c.Receive(p.now)
		if !ok || int(binary.LittleEndian.Uint32(d.Bytes)) != round {
			t.Fatalf("round %d: the %s did not receive the honest datagram", round, name)
		}
		if d, ok := c.Receive(p.now); ok {
			t.Fatalf("round %d: the %s received a hostile datagram of %d bytes", round, name, len(d.Bytes))
		}
	}
	for round := range rounds {
		p.now += time.Millisecond
		for range 10 {
			from := clientAddress
			if a.random.IntN(2) == 0 {
				from = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(a.random.IntN(256))}), 4000)
			}
			p.server.arrive(p.now, from, a.datagram())
			client.arrive(p.now, a.datagram())
		}
		binary.LittleEndian.PutUint32(payload, uint32(round))
		client.Send(p.now, payload)
		server.Send(p.now, payload)
		check("server", server, round)
		check("client", client, round)
		if round%50 == 0 {
			p.server.tick(p.now)
		}
	}
	if len(p.server.accepted) > 0 || len(p.server.peers) > 2 {
		t.Errorf("%d hostile connections, %d peers", len(p.server.accepted), len(p.server.peers))
	}
}

// TestHostileFlood floods a listener over the loopback from sockets of its own, for a bounded time. Nothing hostile is
// accepted, memory stays bounded, and a connection goes on. What the operating system has dropped because the machine was
// busy is not told apart, so the loss is reported and only a large one fails.
func TestHostileFlood(t *testing.T) {
	duration := 200 * time.Millisecond
	if !experiment.Brief() {
		duration = 4 * time.Second
	}
	client, server, l := connect(t, "127.0.0.1", configs()["secure"])
	a := newAttacker(t, 2)
	a.recordFrom(client)
	hostile := make([][]byte, 5000)
	for i := range hostile {
		hostile[i] = a.datagram()
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var attack sync.WaitGroup
	end := time.Now().Add(duration)
	sent := 0
	attack.Go(func() {
		c, err := net.Dial("udp", l.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		for ; time.Now().Before(end); sent++ {
			c.Write(hostile[sent%len(hostile)])
			if sent%100 == 99 {
				time.Sleep(time.Millisecond) // 100,000 a second at most
			}
		}
	})
	received := 0
	drain := func() {
		for _, ok := server.Receive(1 << 62); ok; _, ok = server.Receive(1 << 62) {
			received++
		}
	}
	for time.Now().Before(end) {
		client.Send(time.Since(client.config.Start), make([]byte, 40))
		time.Sleep(time.Millisecond)
		drain()
	}
	attack.Wait()
	time.Sleep(50 * time.Millisecond)
	drain()
	runtime.GC()
	runtime.ReadMemStats(&after)
	honest := int(client.Stats().Sent)
	t.Logf("%d hostile datagrams (%.0f a second), %d of %d honest ones received, heap %+d KiB, %+v", sent,
		float64(sent)/duration.Seconds(), received, honest, (int64(after.HeapAlloc)-int64(before.HeapAlloc))/1024, l.Stats())
	if c, ok := l.Accept(); ok {
		t.Errorf("a hostile connection from %v was accepted", c.RemoteAddr())
	}
	if received > honest || received < honest*3/4 || client.Err() != nil || server.Err() != nil {
		t.Errorf("received %d of %d honest datagrams; client %v, server %v", received, honest, client.Err(), server.Err())
	}
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 4<<20 {
		t.Errorf("the heap has grown by %d bytes", kept)
	}
}
