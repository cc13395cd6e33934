//go:build !js

package socket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/chacha20poly1305"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
)

var _ link.Wire = (*Peer)(nil)

// introduce introduces two clients to each other, by their addresses, and waits until the direct path is open.
func introduce(t *testing.T, a, b *Conn, ofA, ofB string, now func() time.Duration) (x, y *Peer) {
	t.Helper()
	toA, toB := Introductions(ofA, ofB, a.LocalAddress(), b.LocalAddress())
	x, errA := a.Introduce(toA)
	y, errB := b.Introduce(toB)
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	within(t, "a direct path", func() bool { return x.IsOpen(now()) && y.IsOpen(now()) })
	return x, y
}

// TestPeers introduces two clients of a server over the loopback to each other, with and without a key: they exchange
// datagrams of all sizes by the sockets that they have for the server. A second introduction has other keys, and strangers
// are counted.
func TestPeers(t *testing.T) {
	for name, c := range configs() {
		for _, host := range []string{"127.0.0.1", "::1"} {
			if !hasAddress(host) {
				continue
			}
			t.Run(name+host, func(t *testing.T) {
				a, atServer, l := connect(t, host, c)
				b, err := Dial(context.Background(), l.Addr().String(), c)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { b.Close() })
				ofA, ofB := atServer.RemoteAddr(), accept(t, l).RemoteAddr()
				for n := range 2 {
					now := func() time.Duration { return time.Since(c.Start) }
					x, y := introduce(t, a, b, ofA.String(), ofB.String(), now)
					for _, size := range []int{0, 1, MaxDatagram} {
						for _, way := range [][2]*Peer{{x, y}, {y, x}} {
							text := strings.Repeat("x", size)
							if err := way[0].Send(now(), []byte(text)); err != nil {
								t.Fatal(err)
							}
							within(t, "a datagram", func() bool {
								d, ok := way[1].Receive(now())
								return ok && string(d.Bytes) == text
							})
						}
					}
					if s := x.Stats(); s.Received != 3 || s.Sent != 3 {
						t.Errorf("introduction %d: %+v", n, s)
					}
				}
				stranger, err := net.Dial("udp", ofA.String())
				if err != nil {
					t.Fatal(err)
				}
				defer stranger.Close()
				before := a.Stats()
				stranger.Write([]byte{kindData, 0, 0, 0, 0, 1})
				within(t, "a stranger's datagram", func() bool { return a.Stats().Refused == before.Refused+1 })
				if n := a.Stats().Received; n != before.Received {
					t.Error("a stranger's datagram was received")
				}
			})
		}
	}
}

// peerPair are two peers on a simulated link, with a clock of their own.
type peerPair struct {
	now   time.Duration
	sides [2]*Peer
	ends  [2]*link.End
	cut   [2]bool // by sender: nothing of it arrives
	bytes [2]int  // that a side has sent, with the headers of IP and UDP
}

func newPeerPair(t testing.TB, conditions string, seed uint64) *peerPair {
	t.Helper()
	p, n := &peerPair{}, network(t, conditions)
	n.Seed = seed
	p.ends[0], p.ends[1] = link.PeerPair(n, 0, 1)
	config, err := configs()["secure"].check()
	if err != nil {
		t.Fatal(err)
	}
	var told [2][]byte
	told[0], told[1] = Introductions(clientAddress.String(), clientAddress.String(), nil, nil)
	for i := range p.sides {
		conn := newConn(natServer, &config, nil)
		conn.peers = newPeers(func(_ netip.AddrPort, b []byte) error {
			p.bytes[i] += len(b) + link.UDPIPHeaderBytes
			return p.ends[i].Send(p.now, b)
		})
		if p.sides[i], err = conn.introduce(0, told[i]); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// step delivers datagrams and lets both sides tick.
func (p *peerPair) step(d time.Duration) {
	p.now += d
	for i, side := range p.sides {
		for d, ok := p.ends[i].Receive(p.now); ok; d, ok = p.ends[i].Receive(p.now) {
			if !p.cut[1-i] {
				side.arrive(p.now, clientAddress, d.Bytes)
			}
		}
		side.peers.tick(p.now)
	}
}

// run steps until both paths are open or closed, and returns how long it took.
func (p *peerPair) run(open bool, limit time.Duration) (took time.Duration, ok bool) {
	for begin := p.now; ; p.step(10 * time.Millisecond) {
		took = p.now - begin
		if p.sides[0].IsOpen(p.now) == open && p.sides[1].IsOpen(p.now) == open {
			return took, true
		}
		if took > limit {
			return took, false
		}
	}
}

// TestPeerPath opens paths at 200 ms of round trip and half of all datagrams lost, and checks that a path that breaks in one
// direction is soon open in none, that it opens again, and that nothing is sent to an address where nobody is, but a few
// bytes a second.
func TestPeerPath(t *testing.T) {
	var worst time.Duration
	for seed := range uint64(100) {
		p := newPeerPair(t, "latency=100ms,loss=50%", seed)
		took, ok := p.run(true, 5*time.Second)
		if worst = max(worst, took); !ok {
			t.Errorf("seed %d: no path within %v", seed, took)
		}
	}
	t.Logf("the slowest of 100 paths took %v", worst)
	p := newPeerPair(t, "latency=20ms", 0)
	p.run(true, time.Second)
	for range 1000 { // keepalives hold it open
		if p.step(10 * time.Millisecond); !p.sides[0].IsOpen(p.now) {
			t.Fatalf("the path is closed at %v", p.now)
		}
	}
	p.cut[0] = true
	if took, ok := p.run(false, 3*time.Second); !ok || took < pathSilence {
		t.Errorf("broken in one direction: open in the other after %v, %v", took, ok)
	}
	p.cut[0] = false
	if took, ok := p.run(true, time.Second); !ok {
		t.Errorf("it opens again: not within %v", took)
	}
	p.cut = [2]bool{true, true}
	p.run(false, 2*time.Second)
	p.bytes = [2]int{}
	for range 6000 {
		p.step(10 * time.Millisecond)
	}
	if n := p.bytes[0]; n > 20_000 {
		t.Errorf("a side has sent %d bytes in a minute to where nobody answers", n)
	}
}

// TestHostilePeer sends a peer ten hostile datagrams from the address of the other for each honest one: the honest ones are
// received, each once, and what it answers has at most half of the bytes that it has received.
func TestHostilePeer(t *testing.T) {
	rounds := 5000
	if experiment.Brief() {
		rounds = 500
	}
	p := newPeerPair(t, "latency=20ms", 0)
	a := newAttacker(t, 3)
	write := p.sides[0].peers.write
	p.sides[0].peers.write = func(to netip.AddrPort, b []byte) error { a.record(b); return write(to, b) }
	p.run(true, time.Second)
	p.cut = [2]bool{true, true}
	victim := p.sides[1]
	var honest []byte
	p.sides[0].peers.write = func(_ netip.AddrPort, b []byte) error { a.record(b); honest = bytes.Clone(b); return nil }
	reflected := func() (b []byte) {
		victim.conn.sending.Lock()
		defer victim.conn.sending.Unlock()
		victim.conn.sending.counter += 100 // ahead of what the other one has sent
		return victim.conn.sending.append(nil, kindData, []byte("reflected"))
	}
	received, answered := 0, p.bytes[1]
	for round := range rounds {
		p.now += time.Millisecond
		for range 10 {
			b := a.datagram()
			if a.random.IntN(20) == 0 {
				b = reflected()
			}
			received += len(b) + link.UDPIPHeaderBytes
			victim.arrive(p.now, clientAddress, b)
		}
		payload := binary.LittleEndian.AppendUint32(nil, uint32(round))
		p.sides[0].Send(p.now, payload)
		victim.arrive(p.now, clientAddress, honest)
		if d, ok := victim.Receive(p.now); !ok || !bytes.Equal(d.Bytes, payload) {
			t.Fatalf("round %d: the honest datagram was not received", round)
		}
		if d, ok := victim.Receive(p.now); ok {
			t.Fatalf("round %d: a hostile datagram of %d bytes was received", round, len(d.Bytes))
		}
	}
	answered = p.bytes[1] - answered
	t.Logf("%d hostile bytes, %d in answer", received, answered)
	if answered > 0 {
		t.Errorf("%d bytes in answer to hostile datagrams", answered)
	}
	sent := p.bytes[1]
	p.sides[0].sendTo(clientAddress, kindConfirm, make([]byte, probeBytes))
	victim.arrive(p.now, clientAddress, bytes.Clone(honest))
	if out, in := p.bytes[1]-sent, len(honest)+link.UDPIPHeaderBytes; out == 0 || 2*out > in {
		t.Errorf("%d bytes in answer to a probe of %d", out, in)
	}
}

// TestHostileClientPort floods the socket of a client that has a peer from another address, as a stranger who has overheard
// both: nothing is accepted, and the peers and the server go on.
func TestHostileClientPort(t *testing.T) {
	c := configs()["secure"]
	a, atServer, l := connect(t, "127.0.0.1", c)
	b, err := Dial(context.Background(), l.Addr().String(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ofA, ofB := atServer.RemoteAddr(), accept(t, l).RemoteAddr()
	now := func() time.Duration { return time.Since(c.Start) }
	x, y := introduce(t, a, b, ofA.String(), ofB.String(), now)
	attack := newAttacker(t, 4)
	attack.recordFrom(y.conn)
	attack.recordFrom(atServer)
	within(t, "the overheard", func() bool { return x.Stats().ReceivedBytes+drained(x) >= 100 })
	drained(x)
	stranger, err := net.Dial("udp", ofA.String())
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	before := x.Stats().Received
	random := rand.New(rand.NewPCG(1, 1))
	for round := range 300 {
		for range random.IntN(10) {
			stranger.Write(attack.datagram())
		}
		y.Send(now(), []byte{byte(round)})
		if round%20 == 19 { // so that the operating system does not drop any
			within(t, "the honest datagrams", func() bool { drained(x); return x.Stats().Received-before > uint64(round) })
		}
	}
	honest := x.Stats().Received - before
	if s := x.Stats(); honest != 300 || s.Replayed+s.Refused > 0 || !x.IsOpen(now()) || a.Err() != nil {
		t.Errorf("%d of 300 honest datagrams, %+v, %v", honest, s, a.Err())
	}
	if n := a.Stats().Refused; n < 1000 {
		t.Errorf("%d of the stranger's datagrams are counted", n)
	}
}

// drained takes all that a peer has received, and returns how many.
func drained(p *Peer) (n uint64) {
	for _, ok := p.Receive(1 << 62); ok; _, ok = p.Receive(1 << 62) {
		n++
	}
	return n
}

// TestIntroductions checks which addresses a server may name.
func TestIntroductions(t *testing.T) {
	for _, x := range []struct {
		at, server string
		ok         bool
	}{
		{"192.0.2.7:4000", "198.51.100.1:7777", true}, {"[2001:db8::7]:4000", "[2001:db8::1]:7777", true},
		{"127.0.0.1:4000", "127.0.0.1:7777", true}, {"192.0.2.7:4000", "127.0.0.1:7777", true},
		{"127.0.0.1:4000", "192.0.2.1:7777", false}, {"[::1]:4000", "[2001:db8::1]:7777", false},
		{"192.0.2.7:0", "192.0.2.1:7777", false}, {"0.0.0.0:4000", "192.0.2.1:7777", false},
		{"224.0.0.1:4000", "192.0.2.1:7777", false}, {"255.255.255.255:4000", "192.0.2.1:7777", false},
		{"192.168.1.7:4000", "192.168.1.1:7777", true}, {"192.168.1.7:4000", "192.0.2.1:7777", false},
		{"169.254.169.254:4000", "192.0.2.1:7777", false}, {"192.0.2.7:1023", "192.0.2.1:7777", false},
		{"192.0.2.1:7777", "192.0.2.1:7777", false}, {"[2001:db8::7]:4000", "192.0.2.1:7777", false},
	} {
		if err := checkIntroduced(netip.MustParseAddrPort(x.at), netip.MustParseAddrPort(x.server)); (err == nil) != x.ok {
			t.Errorf("%s at the client of %s: %v", x.at, x.server, err)
		}
	}
	if told, _ := Introductions("192.0.2.7:4000", "a browser", nil, nil); told != nil {
		t.Error("a client without an address is introduced")
	}
	told, _ := Introductions("192.0.2.7:4000", "192.0.2.8:4000", nil, nil)
	if checkIntroduced(netip.AddrPort{}, clientAddress) == nil {
		t.Error("no address is one")
	}
	if _, err := newConn(clientAddress, &Config{}, nil).Introduce(told); err == nil {
		t.Error("a connection without a socket has a peer")
	}
}

// TestDocumentedIntroduction compares an introduction, and what is sent with it, with docs/reference/wire.md.
func TestDocumentedIntroduction(t *testing.T) {
	i := introduction{address: netip.MustParseAddrPort("192.0.2.7:4000"), local: netip.MustParseAddrPort("192.168.1.7:4001"), first: true}
	copy(i.secret[:], bytes.Repeat([]byte{0xaa}, secretBytes))
	want := append([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 7, 0xa0, 0x0f, 192, 168, 1, 7, 0xa1, 0x0f}, i.secret[:]...)
	if got := i.append(nil); !bytes.Equal(got, want) {
		t.Errorf("introduction %x", got)
	}
	key := sha256.Sum256(append([]byte("ghostcube peer, from the first "), i.secret[:]...))
	aead, err := chacha20poly1305.New(key[:])
	if err != nil {
		t.Fatal(err)
	}
	out, _ := i.keys(false)
	header := []byte{16, 0, 0, 0, 0}
	if got, want := out.append(nil, kindData, []byte("hello")), aead.Seal(header, make([]byte, 12), []byte("hello"), header); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// FuzzIntroduction checks that any bytes are an introduction, which is written as it was read, or none.
func FuzzIntroduction(f *testing.F) {
	a, b := Introductions("192.0.2.7:4000", "[2001:db8::7]:4000", nil, nil)
	f.Add(a)
	f.Add(b)
	conn := newConn(clientAddress, &Config{Start: time.Now(), QueueLength: 1}, nil)
	conn.peers = newPeers(nil)
	f.Fuzz(func(t *testing.T, told []byte) {
		i, ok := parseIntroduction(told)
		if again := i.append(nil); ok && !bytes.Equal(again, told) {
			t.Errorf("%x is read as %+v, which is %x", told, i, again)
		}
		p, err := conn.Introduce(told)
		if err == nil && (!ok || checkIntroduced(i.address, clientAddress) != nil) {
			t.Errorf("%x is an introduction to %v", told, p.conn.remote)
		}
		if err == nil {
			p.Close()
		}
		if len(conn.peers.of)+len(conn.peers.list) > 0 {
			t.Error("a closed path is remembered")
		}
	})
}
