package socket

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// server is the server's side of all its connections. Like client, it knows no clock and no socket.
type server struct {
	config *Config
	write  func(to netip.AddrPort, datagram []byte) error
	cookie cookieMaker
	hellos *limiter // for cookies
	offers *limiter // for keys, which cost a hundred times as much

	mutex    sync.Mutex // of all below
	peers    map[netip.AddrPort]*peer
	pending  int     // peers with an offer
	accepted []*Conn // not yet taken by Accept
	counts   ListenerStats
}

// peer is the server's state for an address that has returned its cookie.
type peer struct {
	conn  *Conn // nil before the first
	ended time.Duration

	// An offer that has been answered, but not yet confirmed by a datagram with the new keys. Until then conn stays, because
	// the sender may have copied the offer.
	offered *Conn
	nonce   uint64
	offer   [offerBytes]byte
	answer  []byte
	at      time.Duration
}

// ListenerStats counts the datagrams that belong to no connection.
type ListenerStats struct {
	Hellos   uint64 // answered with a cookie
	Offers   uint64 // with a valid cookie
	Refused  uint64 // answered with a refusal
	Limited  uint64 // not answered, because of the limits per address and in total
	Ignored  uint64 // of no kind, damaged, with a wrong cookie, or from a stranger
	Opened   uint64 // connections
	Replaced uint64 // connections whose client has come back from the same address
}

// Limits on the resources that strangers can use.
const (
	cookieLife      = 15 * time.Second // a cookie is valid for as long, and up to twice as long
	hellosPerSource = 100              // cookies a second
	hellosInTotal   = 20_000
	offersPerSource = 20 // key agreements a second
	offersInTotal   = 500
	pendingLife     = 10 * time.Second // of an offer without confirmation
	pendingMax      = 64
	replyCopies     = 2
	lingerAfterEnd  = 5 * time.Second // in which a client that goes on sending is told that the connection is closed
)

func newServer(config *Config, write func(netip.AddrPort, []byte) error) *server {
	return &server{
		config: config, write: write, cookie: newCookieMaker(), peers: map[netip.AddrPort]*peer{},
		hellos: newLimiter(hellosPerSource, hellosInTotal), offers: newLimiter(offersPerSource, offersInTotal),
	}
}

// cookieMaker makes the cookies, which prove that a client receives what is sent to its address. The server remembers
// none: a cookie is a keyed hash of address, nonce and time.
type cookieMaker struct {
	mac hash.Hash
	sum [sha256.Size]byte
}

func newCookieMaker() cookieMaker {
	var secret [32]byte
	rand.Read(secret[:])
	return cookieMaker{mac: hmac.New(sha256.New, secret[:])}
}

// of returns the cookie of a client in a period of time.
func (m *cookieMaker) of(from netip.AddrPort, nonce uint64, period int64) (cookie [cookieBytes]byte) {
	var b [16 + 2 + 8 + 8]byte
	address := from.Addr().As16()
	copy(b[:], address[:])
	binary.LittleEndian.PutUint16(b[16:], from.Port())
	binary.LittleEndian.PutUint64(b[18:], nonce)
	binary.LittleEndian.PutUint64(b[26:], uint64(period))
	m.mac.Reset()
	m.mac.Write(b[:])
	copy(cookie[:], m.mac.Sum(m.sum[:0]))
	return cookie
}

// isValid reports whether a cookie has been made for a client in this period or the one before.
func (m *cookieMaker) isValid(cookie [cookieBytes]byte, from netip.AddrPort, nonce uint64, now time.Duration) bool {
	period := int64(now / cookieLife)
	for p := period; p >= period-1; p-- {
		if want := m.of(from, nonce, p); hmac.Equal(want[:], cookie[:]) {
			return true
		}
	}
	return false
}

// arrive handles a datagram from the network, and overwrites its bytes.
func (s *server) arrive(now time.Duration, from netip.AddrPort, datagram []byte) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(datagram) > 0 && datagram[0] >= kindData {
		s.arriveInSession(now, s.peers[from], datagram)
		return
	}
	r, ok := parseRequest(datagram, s.config.requestSize())
	switch {
	case !ok:
		s.counts.Ignored++
	case r.kind == kindHello:
		s.hello(now, from, &r)
	case !s.cookie.isValid(r.cookie, from, r.nonce, now) || r.version != version || r.mode != s.config.mode():
		s.counts.Ignored++
	default:
		s.connect(now, from, &r)
	}
}

// arriveInSession handles a datagram of the session with a peer.
func (s *server) arriveInSession(now time.Duration, p *peer, datagram []byte) {
	switch {
	case p == nil || p.conn == nil && p.offered == nil: // or its offer was forgotten
		s.counts.Ignored++
	case p.offered == nil:
		p.conn.arrive(now, datagram)
	default:
		// An opener decrypts in place, and an offer is confirmed by one datagram: a copy for the other opener.
		var b [maxWire]byte
		if other := append(b[:0], datagram[:min(len(datagram), maxWire)]...); p.conn != nil && p.conn.arrive(now, other) {
			return
		}
		if p.offered.arrive(now, datagram) {
			s.open(p)
		}
	}
}

// open turns a peer's offer into a connection.
func (s *server) open(p *peer) {
	if p.conn != nil {
		if p.conn.end(ErrLeft) {
			s.counts.Replaced++
		}
	}
	p.conn, p.offered, p.answer = p.offered, nil, nil
	s.pending--
	s.counts.Opened++
	s.accepted = append(s.accepted, p.conn)
}

// hello answers a request for a cookie. It keeps no state.
func (s *server) hello(now time.Duration, from netip.AddrPort, r *request) {
	if !s.hellos.allow(now, from.Addr()) {
		s.counts.Limited++
		return
	}
	switch {
	case r.version != version:
		s.refuse(from, r, refusedVersion)
	case r.mode != s.config.mode():
		s.refuse(from, r, refusedMode)
	default:
		s.counts.Hellos++
		cookie := s.cookie.of(from, r.nonce, int64(now/cookieLife))
		s.reply(from, &reply{kindCookie, r.nonce, cookie[:]})
	}
}

// connect answers an offer with a valid cookie.
func (s *server) connect(now time.Duration, from netip.AddrPort, r *request) {
	p := s.peers[from]
	if p != nil && p.nonce == r.nonce && p.offer == r.offer {
		if p.offered == nil { // a copy: the client already has the answer
			s.counts.Ignored++
			return
		}
		p.at = now // the answer was lost
		s.reply(from, &reply{kindAccept, r.nonce, p.answer})
		return
	}
	if !s.offers.allow(now, from.Addr()) {
		s.counts.Limited++
		return
	}
	s.counts.Offers++
	a := newAgreement(s.config, false, r.prologue())
	application, ok := a.readOffer(&r.offer)
	switch {
	case !ok:
		s.refuse(from, r, refusedKey)
	case application != s.config.Application:
		s.refuse(from, r, refusedApplication)
	case s.occupied(p) >= s.config.MaxConnections:
		s.refuse(from, r, refusedFull)
	default:
		s.accept(now, from, r, &a)
	}
}

// accept stores an offer and answers it.
func (s *server) accept(now time.Duration, from netip.AddrPort, r *request, a *agreement) {
	answer, out, in, ok := a.answer()
	if !ok {
		s.counts.Ignored++
		return
	}
	p := s.peers[from]
	if p == nil {
		p = &peer{}
		s.peers[from] = p
	}
	if p.offered == nil {
		s.pending++
	}
	p.offered = newConn(from, s.config, func(b []byte) error { return s.write(from, b) })
	p.offered.begin(now, out, in)
	p.nonce, p.offer, p.answer, p.at = r.nonce, r.offer, answer, now
	if s.pending > pendingMax {
		s.dropOldestOffer()
	}
	s.reply(from, &reply{kindAccept, r.nonce, answer})
}

// dropOldestOffer forgets the offer that has waited longest for its confirmation.
func (s *server) dropOldestOffer() {
	var oldest *peer
	for _, p := range s.peers {
		if p.offered != nil && (oldest == nil || p.at < oldest.at) {
			oldest = p
		}
	}
	s.forgetOffer(oldest)
}

// forgetOffer forgets the offer of a peer, so that a copy of it counts as a new one.
func (s *server) forgetOffer(p *peer) {
	p.offered, p.answer, p.offer = nil, nil, [offerBytes]byte{}
	s.pending--
}

// occupied returns the number of peers, except one, that have a connection or may soon have one.
func (s *server) occupied(but *peer) (n int) {
	for _, p := range s.peers {
		if p != but && (p.offered != nil || p.conn != nil && p.conn.Err() == nil) {
			n++
		}
	}
	return n
}

// refuse answers a request with a reason.
func (s *server) refuse(to netip.AddrPort, r *request, reason byte) {
	s.counts.Refused++
	var body [1 + applicationBytes]byte
	body[0] = reason
	if reason == refusedApplication {
		copy(body[1:], s.config.Application)
	}
	s.reply(to, &reply{kindRefuse, r.nonce, body[:]})
}

// reply sends a reply, twice because it is so much smaller than its request. If the operating system refuses it, the client
// asks again.
func (s *server) reply(to netip.AddrPort, r *reply) {
	var b [maxReply]byte
	for range replyCopies {
		_ = s.write(to, r.append(b[:0]))
	}
}

// tick keeps the connections alive, and removes those that have ended.
func (s *server) tick(now time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for address, p := range s.peers {
		if p.offered != nil && now-p.at > pendingLife {
			s.forgetOffer(p)
		}
		if p.conn != nil {
			p.conn.tick(now)
			switch {
			case p.conn.Err() == nil:
				p.ended = now
			case now-p.ended > lingerAfterEnd:
				p.conn = nil
			}
		}
		if p.conn == nil && p.offered == nil {
			delete(s.peers, address)
		}
	}
	s.accepted = slices.DeleteFunc(s.accepted, func(c *Conn) bool { return c.Err() != nil })
}

// holds reports whether there is a connection with an address, or one that ended a moment ago.
func (s *server) holds(address netip.AddrPort) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	p := s.peers[address]
	return p != nil && p.conn != nil
}

// left ends the connection with an address, if there is one, because its channel or stream has closed.
func (s *server) left(address netip.AddrPort, why error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if p := s.peers[address]; p != nil && p.conn != nil {
		p.conn.end(why)
	}
}

// isFull reports whether the next datagram of an address would be lost because its queue is full.
func (s *server) isFull(address netip.AddrPort) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	p := s.peers[address]
	return p != nil && p.conn != nil && p.conn.isFull()
}

// take returns the next connection for Accept.
func (s *server) take() (*Conn, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.accepted) == 0 {
		return nil, false
	}
	c := s.accepted[0]
	s.accepted = s.accepted[1:]
	return c, true
}

// close closes all connections.
func (s *server) close() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, p := range s.peers {
		if p.conn != nil {
			p.conn.Close()
		}
	}
}
