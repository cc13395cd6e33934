package socket

import (
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/crypto/chacha20poly1305"

	"ghostcube/net/link"
)

// introduction is what a server tells a client about another one, so that they can find a path to each other.
type introduction struct {
	address netip.AddrPort // of the other client, as the server sees it
	first   bool           // the other client is told the opposite
	secret  [secretBytes]byte
}

// The size of an introduction, in bytes: 1 if the client is the first, the address as one of IPv6, the port, the secret.
const (
	secretBytes       = 32
	introductionBytes = 1 + 16 + 2 + secretBytes
)

// Introductions returns what to tell each of two clients about the other, for their Introduce, by the addresses at which the
// server sees them; nil: one of these is not an address. Each call makes a new secret: a key must not seal a number twice.
func Introductions(first, second string) (toFirst, toSecond []byte) {
	a, err := netip.ParseAddrPort(first)
	b, err2 := netip.ParseAddrPort(second)
	if err != nil || err2 != nil {
		return nil, nil
	}
	i := introduction{address: b, first: true}
	rand.Read(i.secret[:])
	other := introduction{address: a, secret: i.secret}
	return i.append(nil), other.append(nil)
}

func (i *introduction) append(b []byte) []byte {
	first := byte(0)
	if i.first {
		first = 1
	}
	address := i.address.Addr().As16()
	b = append(append(b, first), address[:]...)
	b = binary.LittleEndian.AppendUint16(b, i.address.Port())
	return append(b, i.secret[:]...)
}

// parseIntroduction parses what append has written.
func parseIntroduction(b []byte) (i introduction, ok bool) {
	if len(b) != introductionBytes || b[0] > 1 {
		return i, false
	}
	i.first = b[0] == 1
	i.address = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[1:])).Unmap(), binary.LittleEndian.Uint16(b[17:]))
	copy(i.secret[:], b[19:])
	return i, true
}

// Peer is a direct path to another client of the same server. It shares the socket of the connection to the server: both
// sides send to each other at once, so that each router takes the other's datagrams for replies (hole punching). The path
// is open when each side has heard that the other hears it. Datagrams that are not from the peer's address, or not sealed
// with the keys of the introduction, are dropped without a reply.
type Peer struct {
	conn  *Conn // only Close ends it
	began time.Duration
	leave func()

	mutex   sync.Mutex // of all below
	heard   bool       // the other side has said that it hears this one
	heardAt time.Duration
	probeAt time.Duration // of the next probe
}

// Times of a path.
const (
	pathSilence    = time.Second            // after which it is not open any more
	pathKeepalive  = 250 * time.Millisecond // of silence of this side, while it is open
	probeInterval  = 100 * time.Millisecond // in the first probeLong
	probeLong      = 5 * time.Second
	probeIntervalN = 2 * time.Second // after that
)

// probeBytes pad a probe, so that its answer, with all headers, has less than half of its size.
const probeBytes = 64

// maxPeers is the number of paths of a client.
const maxPeers = 16

// peers are the direct paths of a client.
type peers struct {
	write func(to netip.AddrPort, datagram []byte) error

	mutex sync.Mutex
	of    map[netip.AddrPort]*Peer
}

// Introduce begins to open a direct path to another client. told is the server's introduction. The error says why no path is
// possible: the connection has no UDP socket of its own, or the address is not that of another machine's client.
func (c *Conn) Introduce(told []byte) (*Peer, error) {
	i, ok := parseIntroduction(told)
	if !ok {
		return nil, errors.New("not an introduction")
	}
	if c.peers == nil {
		return nil, errors.New("this connection is not over UDP")
	}
	if err := checkIntroduced(i.address, c.remote); err != nil {
		return nil, err
	}
	now := time.Since(c.config.Start)
	p := &Peer{began: now}
	p.conn = newConn(i.address, c.config, func(b []byte) error { return c.peers.write(i.address, b) })
	out, in := i.keys(c.config.Insecure)
	p.conn.begin(now, out, in)
	p.leave = sync.OnceFunc(func() { c.peers.remove(p) })
	return p, c.peers.add(p)
}

// checkIntroduced returns why a client does not send to the address of another one. A server could name any address, so
// a loopback address is accepted only if the server is on the loopback as well.
func checkIntroduced(at, server netip.AddrPort) error {
	a := at.Addr()
	switch {
	case !at.IsValid() || at.Port() == 0 || a.IsUnspecified() || a.IsMulticast() || a.Is4() && a.As4() == [4]byte{255, 255, 255, 255}:
		return fmt.Errorf("%v: not the address of a client", at)
	case a.Is4() != server.Addr().Is4():
		return fmt.Errorf("%v: this client has found the server by another version of IP", at)
	case a.IsLoopback() && !server.Addr().IsLoopback():
		return fmt.Errorf("%v: only the server can reach this address", at)
	case at == server:
		return fmt.Errorf("%v: this is the address of the server", at)
	}
	return nil
}

// keys returns the ciphers of both directions.
func (i *introduction) keys(insecure bool) (out sealer, in opener) {
	if insecure {
		session := binary.LittleEndian.Uint32(i.secret[:])
		return sealer{session: session}, opener{session: session}
	}
	first, second := peerCipher("first", i), peerCipher("second", i)
	if !i.first {
		first, second = second, first
	}
	return sealer{aead: first}, opener{aead: second}
}

// peerCipher returns the cipher for the datagrams of one of the two.
func peerCipher(sender string, i *introduction) cipher.AEAD {
	key := sha256.Sum256(append([]byte("ghostcube peer, from the "+sender+" "), i.secret[:]...))
	aead, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic("socket: " + err.Error())
	}
	return aead
}

func (p *peers) add(x *Peer) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.of[x.conn.remote] == nil && len(p.of) >= maxPeers {
		return fmt.Errorf("%d paths: too many", maxPeers)
	}
	p.of[x.conn.remote] = x
	return nil
}

func (p *peers) remove(x *Peer) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.of[x.conn.remote] == x {
		delete(p.of, x.conn.remote)
	}
}

// arrive handles a datagram from the network, and overwrites its bytes. It returns false if no peer has sent it.
func (p *peers) arrive(now time.Duration, from netip.AddrPort, datagram []byte) bool {
	p.mutex.Lock()
	x := p.of[from]
	p.mutex.Unlock()
	return x != nil && x.arrive(now, datagram)
}

// tick sends probes and keepalives to all peers. p may be nil: a connection without a socket of its own has no peers.
func (p *peers) tick(now time.Duration) {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, x := range p.of {
		x.tick(now)
	}
}

// arrive handles a datagram from the peer's address. It reports whether the datagram is authentic.
func (p *Peer) arrive(now time.Duration, datagram []byte) bool {
	kind, ok := p.conn.accept(now, datagram)
	switch {
	case !ok:
	case kind == kindConfirm:
		p.send(now, kindKeepalive, nil)
	case kind == kindData || kind == kindKeepalive: // a side sends these only once it hears the other
		p.mutex.Lock()
		p.heard, p.heardAt = true, max(p.heardAt, now)
		p.mutex.Unlock()
	}
	return ok
}

func (p *Peer) send(now time.Duration, kind byte, payload []byte) {
	p.conn.sending.Lock()
	defer p.conn.sending.Unlock()
	p.conn.send(now, kind, payload)
}

// tick probes whether the other side hears this one or, on an open path, sends a keepalive after a silence.
func (p *Peer) tick(now time.Duration) {
	if p.IsOpen(now) {
		p.conn.sending.Lock()
		silent := now-p.conn.sending.at >= pathKeepalive
		p.conn.sending.Unlock()
		if silent {
			p.send(now, kindKeepalive, nil)
		}
		return
	}
	p.mutex.Lock()
	due := now >= p.probeAt
	if due {
		p.probeAt = now + probeInterval
		if now-max(p.began, p.heardAt) > probeLong {
			p.probeAt = now + probeIntervalN
		}
	}
	p.mutex.Unlock()
	if due {
		p.send(now, kindConfirm, make([]byte, probeBytes))
	}
}

// IsOpen reports whether the peer has said within the last second that it hears this side.
func (p *Peer) IsOpen(now time.Duration) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.heard && now-p.heardAt < pathSilence
}

// Send sends a datagram, as Conn.Send does, whether or not the path is open.
func (p *Peer) Send(now time.Duration, datagram []byte) error { return p.conn.Send(now, datagram) }

// Receive returns the next datagram that had arrived by now, as Conn.Receive does.
func (p *Peer) Receive(now time.Duration) (link.Datagram, bool) { return p.conn.Receive(now) }

// Stats returns the counters of the path.
func (p *Peer) Stats() Stats { return p.conn.Stats() }

// Close forgets the peer. It returns nil.
func (p *Peer) Close() error {
	p.leave()
	p.conn.end(ErrClosed)
	return nil
}
