package socket

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"ghostcube/net/link"
)

// Peer is a direct path to another client of the same server. It shares the socket of the connection to the server: both
// sides send to each other at once, so that each router takes the other's datagrams for replies (hole punching). The path
// is open when each side has heard that the other hears it. Datagrams that are not from the peer's address, or not sealed
// with the keys of the introduction, are dropped without a reply.
type Peer struct {
	conn  *Conn // it ends with Close alone
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
		return nil, errors.New("this connection is none of UDP")
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

// arrive takes a datagram from the network, whose memory it uses. It is false if that is no peer's.
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

// arrive takes a datagram from the peer's address. It is false if the datagram is not authentic.
func (p *Peer) arrive(now time.Duration, datagram []byte) bool {
	kind, ok := p.conn.accept(now, datagram)
	switch {
	case !ok:
	case kind == kindConfirm:
		p.send(now, kindKeepalive, nil)
	case kind == kindData || kind == kindKeepalive: // which a side sends only to one that it hears
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

// tick asks whether the other side hears this one, or says so after a silence.
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

// Send sends a datagram, as Conn.Send does, if the path is open or not.
func (p *Peer) Send(now time.Duration, datagram []byte) error { return p.conn.Send(now, datagram) }

// Receive returns the next datagram that had been received by now, as Conn.Receive does.
func (p *Peer) Receive(now time.Duration) (link.Datagram, bool) { return p.conn.Receive(now) }

// Stats returns the counters of the path.
func (p *Peer) Stats() Stats { return p.conn.Stats() }

// Close forgets the peer. It returns nil.
func (p *Peer) Close() error {
	p.leave()
	p.conn.end(ErrClosed)
	return nil
}
