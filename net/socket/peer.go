package socket

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"ghostcube/net/link"
)

// Peer is a direct path to another client of the same server. It shares the socket of the connection to the server: both
// sides send to each other at once, so that each router takes the other's datagrams for replies (hole punching). A router
// that maps the other client to another address for each destination is reached at the address its datagrams come from.
//
// Only probes go to an address that has not answered one. A probe carries a challenge, a random number, which only the receiver
// can repeat. So neither a server nor a stranger with a spoofed address can make a client send game traffic to third parties.
// The path is open while the other side says that it hears this one. Datagrams that are not sealed with the keys of the
// introduction are dropped without a reply.
type Peer struct {
	conn  *Conn // only Close ends it
	peers *peers
	began time.Duration

	mutex   sync.Mutex     // of all below
	places  []place        // where the other side may be
	at      netip.AddrPort // the place to which datagrams go, one that has answered; the zero value: none
	heardAt time.Duration  // when the other side has said that it hears this one
	probeAt time.Duration  // of the next probes
}

// place is an address at which a peer may be.
type place struct {
	at        netip.AddrPort
	since     time.Duration // since when it is known
	learned   bool          // from a datagram
	answered  bool
	challenge [challengeBytes]byte
}

// Times of a path.
const (
	pathSilence    = time.Second            // after which it is not open any more
	pathKeepalive  = 250 * time.Millisecond // of silence of this side, while it is open
	probeInterval  = 50 * time.Millisecond  // in the first probeLong
	probeLong      = 3 * time.Second
	probeIntervalN = 2 * time.Second // after that
)

// The payload of a probe is the challenge, and zeros, so that its answer, with all headers, has less than half of its size.
const (
	challengeBytes = 8
	probeBytes     = challengeBytes + 64
)

// Bounds of the paths of a client.
const (
	maxPeers  = 16
	maxPlaces = 4 // of a peer

	// Probes to addresses that may be anyone's: many at first, and in the long run 2.4 kB a second for all peers.
	probesAtOnce    = 600
	probesPerSecond = 20

	// Datagrams from unknown addresses that are compared with the keys of all peers, a second.
	strangersPerSource = 100
	strangersInTotal   = 1000
)

// peers are the direct paths of a client.
type peers struct {
	write     func(to netip.AddrPort, datagram []byte) error
	local     netip.AddrPort // of the client in its own network of IPv4; the zero value: it is in none
	network   netip.Prefix   // that network
	strangers *limiter       // of the goroutine that reads the socket

	mutex  sync.Mutex
	list   []*Peer
	of     map[netip.AddrPort]*Peer // by all of their places
	probes bucket
}

func newPeers(write func(to netip.AddrPort, datagram []byte) error) *peers {
	return &peers{write: write, of: map[netip.AddrPort]*Peer{}, strangers: newLimiter(strangersPerSource, strangersInTotal)}
}

// Introduce begins to open a direct path to another client. told is the server's introduction. The error says why no path is
// possible: the connection has no UDP socket of its own, or the address is not that of another machine's client.
func (c *Conn) Introduce(told []byte) (*Peer, error) {
	return c.introduce(time.Since(c.config.Start), told)
}

func (c *Conn) introduce(now time.Duration, told []byte) (*Peer, error) {
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
	p := &Peer{began: now, peers: c.peers}
	p.conn = newConn(i.address, c.config, p.write)
	out, in := i.keys(c.config.Insecure)
	p.conn.begin(now, out, in)
	p.add(place{at: i.address, since: now})
	if i.local != i.address && c.peers.checkLocal(i.local) {
		p.add(place{at: i.local, since: now})
	}
	return p, c.peers.add(p)
}

// add adds a place, replacing a learned one if there are too many. It returns the replaced address.
func (p *Peer) add(x place) (forgotten netip.AddrPort) {
	rand.Read(x.challenge[:])
	if len(p.places) == maxPlaces {
		k := slices.IndexFunc(p.places, func(x place) bool { return x.learned && x.at != p.at })
		forgotten = p.places[k].at
		p.places = slices.Delete(p.places, k, k+1)
	}
	p.places = append(p.places, x)
	return forgotten
}

func (p *peers) add(x *Peer) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if old := p.of[x.places[0].at]; old != nil {
		p.forget(old)
	}
	if len(p.list) >= maxPeers {
		return fmt.Errorf("%d paths: too many", maxPeers)
	}
	p.list = append(p.list, x)
	for _, place := range x.places {
		p.of[place.at] = x
	}
	return nil
}

// forget forgets a peer. The caller holds the lock.
func (p *peers) forget(x *Peer) {
	p.list = slices.DeleteFunc(p.list, func(y *Peer) bool { return x == y })
	for at, y := range p.of {
		if x == y {
			delete(p.of, at)
		}
	}
}

// arrive handles a datagram from the network, and overwrites its bytes. It returns false if no peer has sent it.
func (p *peers) arrive(now time.Duration, from netip.AddrPort, datagram []byte) bool {
	p.mutex.Lock()
	x := p.of[from]
	p.mutex.Unlock()
	if x == nil {
		if x = p.authorOf(now, from, datagram); x == nil {
			return false
		}
		p.learn(now, x, from)
	}
	return x.arrive(now, from, datagram)
}

// authorOf returns the peer that sealed a datagram from an unknown address, which is a new mapping of its router; nil if none
// did.
func (p *peers) authorOf(now time.Duration, from netip.AddrPort, datagram []byte) *Peer {
	p.mutex.Lock()
	list := slices.Clone(p.list)
	p.mutex.Unlock()
	if len(list) == 0 || !p.strangers.allow(now, from.Addr()) {
		return nil
	}
	for _, x := range list {
		if x.conn.recognises(datagram) {
			return x
		}
	}
	return nil
}

// learn adds an address from which a peer has sent to its places.
func (p *peers) learn(now time.Duration, x *Peer, from netip.AddrPort) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	x.mutex.Lock()
	defer x.mutex.Unlock()
	if forgotten := x.add(place{at: from, since: now, learned: true}); p.of[forgotten] == x {
		delete(p.of, forgotten)
	}
	p.of[from] = x
	x.probeAt = now
}

// tick sends probes and keepalives to all peers. p may be nil: a connection without a socket of its own has no peers.
func (p *peers) tick(now time.Duration) {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, x := range p.list {
		x.tick(now)
	}
}

// arrive handles a datagram from an address. It reports whether the datagram is authentic.
func (p *Peer) arrive(now time.Duration, from netip.AddrPort, datagram []byte) bool {
	kind, payload, ok := p.conn.accept(now, datagram)
	switch {
	case !ok:
	case kind == kindConfirm && len(payload) == probeBytes:
		p.sendTo(from, kindKeepalive, payload[:challengeBytes])
	case kind == kindKeepalive && len(payload) == challengeBytes:
		p.hearAnswer(now, [challengeBytes]byte(payload))
	case kind == kindData || kind == kindKeepalive: // a side sends these only once it hears the other
		p.mutex.Lock()
		p.heardAt = max(p.heardAt, now)
		p.mutex.Unlock()
	}
	return ok
}

// hearAnswer handles the answer to a challenge. The first place that answers is taken, and later a newer one, because the other
// side has moved there.
func (p *Peer) hearAnswer(now time.Duration, challenge [challengeBytes]byte) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	k := slices.IndexFunc(p.places, func(x place) bool { return x.challenge == challenge })
	if k < 0 {
		return
	}
	x := &p.places[k]
	at := slices.IndexFunc(p.places, func(x place) bool { return x.at == p.at })
	if at < 0 || !p.isOpen(now) || x.since > p.places[at].since {
		p.at = x.at
	}
	x.answered, p.heardAt = true, max(p.heardAt, now)
}

// write sends a datagram to the place of the peer. The caller holds the lock of sending.
func (p *Peer) write(datagram []byte) error {
	p.mutex.Lock()
	at := p.at
	p.mutex.Unlock()
	if !at.IsValid() {
		return errNoPath
	}
	return p.peers.write(at, datagram)
}

var errNoPath = errors.New("no path yet")

// sendTo sends a datagram to any place.
func (p *Peer) sendTo(at netip.AddrPort, kind byte, payload []byte) {
	s := &p.conn.sending
	s.Lock()
	defer s.Unlock()
	if p.peers.write(at, s.append(s.buffer[:0], kind, payload)) != nil {
		s.errors++
	}
}

// tick probes whether the other side hears this one or, on an open path, sends a keepalive after a silence.
func (p *Peer) tick(now time.Duration) {
	if p.IsOpen(now) {
		p.conn.sending.Lock()
		if now-p.conn.sending.at >= pathKeepalive {
			p.conn.send(now, kindKeepalive, nil)
		}
		p.conn.sending.Unlock()
	}
	for _, x := range p.toProbe(now) {
		if p.peers.probes.take(now, probesPerSecond, probesAtOnce) {
			p.sendTo(x.at, kindConfirm, append(x.challenge[:], make([]byte, probeBytes-challengeBytes)...))
		}
	}
}

// toProbe returns the places to which probes are due: all while the path is not open, and one that the other side has moved to.
func (p *Peer) toProbe(now time.Duration) (list []place) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if now < p.probeAt {
		return nil
	}
	from := p.began
	if p.at.IsValid() { // otherwise it is not known that the other side is there
		from = max(from, p.heardAt)
	}
	isFresh := now-from <= probeLong
	for _, x := range p.places {
		isNew := x.learned && !x.answered && now-x.since <= probeLong
		if isFresh = isFresh || isNew; isNew || !p.isOpen(now) {
			list = append(list, x)
		}
	}
	p.probeAt = now + probeIntervalN
	if isFresh {
		p.probeAt = now + probeInterval
	}
	return list
}

// IsOpen reports whether the peer has said within the last second that it hears this side.
func (p *Peer) IsOpen(now time.Duration) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.isOpen(now)
}

func (p *Peer) isOpen(now time.Duration) bool { return p.at.IsValid() && now-p.heardAt < pathSilence }

// Send sends a datagram, as Conn.Send does. It is lost where there has never been a path.
func (p *Peer) Send(now time.Duration, datagram []byte) error { return p.conn.Send(now, datagram) }

// Receive returns the next datagram that had arrived by now, as Conn.Receive does.
func (p *Peer) Receive(now time.Duration) (link.Datagram, bool) { return p.conn.Receive(now) }

// Stats returns the counters of the path.
func (p *Peer) Stats() Stats { return p.conn.Stats() }

// Close forgets the peer. It returns nil.
func (p *Peer) Close() error {
	p.peers.mutex.Lock()
	p.peers.forget(p)
	p.peers.mutex.Unlock()
	p.conn.end(ErrClosed)
	return nil
}
