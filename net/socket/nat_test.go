//go:build !js

package socket

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// router translates addresses as RFC 4787 describes it.
type router struct {
	kind    routerKind
	address netip.Addr
	hairpin bool // it leads from inside to inside by its own address
	life    time.Duration
	open    func() uint16 // a new port
	ports   []*mapping
}

// routerKind is how a router maps and filters.
type routerKind struct {
	name      string
	symmetric bool // another port for each destination
	filter    filter
}

// filter is which senders a router lets through to a port from which something was sent.
type filter byte

const (
	allSenders filter = iota
	knownHosts
	knownPorts
)

// routerKinds are those of the table; the zero value stands for none.
var routerKinds = []routerKind{
	{}, {"full cone", false, allSenders}, {"address-restricted", false, knownHosts}, {"port-restricted", false, knownPorts}, {"symmetric", true, knownPorts},
}

func (k routerKind) String() string {
	if k == (routerKind{}) {
		return "no router"
	}
	return k.name
}

// opensTo reports whether theory has a direct path between two kinds: not where both sides have to know the other's port
// beforehand and one of them cannot.
func (k routerKind) opensTo(other routerKind) bool {
	return !(k.symmetric && other.filter == knownPorts || other.symmetric && k.filter == knownPorts)
}

// mapping is a port of a router.
type mapping struct {
	inside, to netip.AddrPort // to: of a symmetric router
	port       uint16
	sent       map[netip.AddrPort]time.Duration // when the last datagram was sent to each address
}

// out returns the address that a datagram to the outside gets.
func (r *router) out(now time.Duration, inside, to netip.AddrPort) netip.AddrPort {
	r.expire(now)
	k := slices.IndexFunc(r.ports, func(m *mapping) bool { return m.inside == inside && (!r.kind.symmetric || m.to == to) })
	if k < 0 {
		k = len(r.ports)
		r.ports = append(r.ports, &mapping{inside: inside, to: to, port: r.open(), sent: map[netip.AddrPort]time.Duration{}})
	}
	r.ports[k].sent[to] = now
	return netip.AddrPortFrom(r.address, r.ports[k].port)
}

// in returns to whom a datagram from the outside goes, if to anyone.
func (r *router) in(now time.Duration, port uint16, from netip.AddrPort) (inside netip.AddrPort, ok bool) {
	r.expire(now)
	for _, m := range r.ports {
		for to := range m.sent {
			if m.port == port && (r.kind.filter == allSenders || to.Addr() == from.Addr() && (r.kind.filter == knownHosts || to == from)) {
				return m.inside, true
			}
		}
	}
	return inside, false
}

// expire drops unused mappings.
func (r *router) expire(now time.Duration) {
	r.ports = slices.DeleteFunc(r.ports, func(m *mapping) bool {
		for to, at := range m.sent {
			if r.life > 0 && now-at > r.life {
				delete(m.sent, to)
			}
		}
		return len(m.sent) == 0
	})
}

// internet has two clients of a server, each behind a router or none, in simulated time.
type internet struct {
	testing.TB
	now     time.Duration
	sides   [2]*natSide
	flight  []natDatagram
	sent    map[netip.AddrPort]int // datagrams, by receiver
	swallow bool                   // everything sent is lost
}

// natSide is a client. Its peer is the other one.
type natSide struct {
	address netip.AddrPort
	router  *router // nil: none
	conn    *Conn
	peer    *Peer
	still   bool // the process is stopped
}

type natDatagram struct {
	at    time.Duration
	to    *natSide
	from  netip.AddrPort
	bytes []byte
}

var natServer = netip.MustParseAddrPort("198.51.100.1:7777")

// newInternet returns two clients behind routers of two kinds, or behind the first alone.
func newInternet(t testing.TB, first, second routerKind, together bool) *internet {
	n := &internet{TB: t, sent: map[netip.AddrPort]int{}}
	config, err := configs()["secure"].check()
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range []routerKind{first, second} {
		s := &natSide{address: netip.MustParseAddrPort(fmt.Sprintf("203.0.113.%d:4000", i+1))}
		if kind != (routerKind{}) {
			next := uint16(20000)
			s.address = netip.MustParseAddrPort(fmt.Sprintf("192.168.1.%d:4000", i+1))
			s.router = &router{kind: kind, address: netip.AddrFrom4([4]byte{203, 0, 113, byte(i + 1)}), open: func() uint16 { next += 7; return next }}
		}
		if together && i == 1 {
			s.router = n.sides[0].router
		}
		s.conn = newConn(natServer, &config, nil)
		s.conn.peers = newPeers(func(to netip.AddrPort, b []byte) error { n.send(s, to, b); return nil })
		s.conn.peers.local, s.conn.peers.network = s.address, netip.PrefixFrom(s.address.Addr(), 24)
		n.sides[i] = s
	}
	return n
}

// introduce introduces the clients by the addresses that the server sees.
func (n *internet) introduce() {
	var seen [2]string
	for i, s := range n.sides {
		at := s.address
		if s.router != nil {
			at = s.router.out(n.now, s.address, natServer)
		}
		seen[i] = at.String()
	}
	var told [2][]byte
	told[0], told[1] = Introductions(seen[0], seen[1], n.sides[0].conn.LocalAddress(), n.sides[1].conn.LocalAddress())
	for i, s := range n.sides {
		var err error
		if s.peer, err = s.conn.introduce(n.now, told[i]); err != nil {
			n.Fatal(err)
		}
	}
}

func (n *internet) send(s *natSide, to netip.AddrPort, b []byte) {
	if n.sent[to]++; n.swallow {
		return
	}
	other, from := n.sides[0], s.address
	if s == other {
		other = n.sides[1]
	}
	switch isNeighbour := other.router == s.router; {
	case isNeighbour && to == other.address: // in one network
	case s.router != nil:
		from = s.router.out(n.now, s.address, to)
		if isNeighbour && !s.router.hairpin {
			return
		}
		fallthrough
	default:
		if other.router == nil && to == other.address {
			break
		}
		if other.router == nil || to.Addr() != other.router.address {
			return
		}
		if inside, ok := other.router.in(n.now, to.Port(), from); !ok || inside != other.address {
			return
		}
	}
	n.flight = append(n.flight, natDatagram{n.now + 20*time.Millisecond, other, from, slices.Clone(b)})
}

// run lets time pass, with the sides' housekeeping.
func (n *internet) run(d time.Duration) {
	for end := n.now + d; n.now < end; n.now += 10 * time.Millisecond {
		for len(n.flight) > 0 && n.flight[0].at <= n.now {
			d := n.flight[0]
			if n.flight = n.flight[1:]; !d.to.still {
				d.to.conn.peers.arrive(n.now, d.from, d.bytes)
			}
		}
		for _, s := range n.sides {
			if !s.still && n.now%housekeeping == 0 {
				s.conn.peers.tick(n.now)
			}
		}
	}
}

func (n *internet) isOpen() bool {
	return n.sides[0].peer.IsOpen(n.now) && n.sides[1].peer.IsOpen(n.now)
}

// exchange checks that a datagram arrives each way.
func (n *internet) exchange(what string) {
	n.Helper()
	for i, s := range n.sides {
		s.peer.Send(n.now, []byte("hello"))
		n.run(100 * time.Millisecond)
		if d, ok := n.sides[1-i].peer.Receive(n.now); !ok || string(d.Bytes) != "hello" {
			n.Errorf("%s: side %d does not hear side %d", what, 2-i, i+1)
		}
	}
}

// TestRouters opens paths between clients behind all pairs of routers: as theory has it, only where both sides filter by
// port and one has another port for each destination there is none. Open ones stay open, closed ones cost little.
func TestRouters(t *testing.T) {
	var table strings.Builder
	for _, first := range routerKinds {
		fmt.Fprintf(&table, "\n%20v:", first)
		for _, second := range routerKinds {
			n := newInternet(t, first, second, false)
			n.introduce()
			n.run(2 * time.Second)
			what := fmt.Sprintf("%v and %v", first, second)
			fmt.Fprintf(&table, " %v %v,", second, map[bool]string{true: "direct", false: "forwarded"}[n.isOpen()])
			if n.isOpen() != first.opensTo(second) {
				t.Errorf("%s: open %v", what, n.isOpen())
				continue
			}
			if n.isOpen() {
				n.exchange(what)
			}
			n.run(10 * time.Second)
			if n.isOpen() != first.opensTo(second) {
				t.Errorf("%s: open %v after ten seconds", what, n.isOpen())
			}
		}
	}
	t.Log(table.String())
}

// TestOneRouter opens a path between two clients behind one router that does not lead them to each other by its own address: they
// meet in their own network. A server that names another network is not believed.
func TestOneRouter(t *testing.T) {
	for _, kind := range routerKinds[1:] {
		for _, hairpin := range []bool{false, true} {
			n := newInternet(t, kind, kind, true)
			n.sides[0].router.hairpin = hairpin
			n.introduce()
			if n.run(time.Second); !n.isOpen() {
				t.Errorf("%v, hairpin %v: no path", kind, hairpin)
			}
			n.exchange(kind.name)
		}
	}
	n := newInternet(t, routerKinds[1], routerKinds[1], true)
	for local, ok := range map[string]bool{
		"192.168.1.77:4000": true, "192.168.1.77:80": false, "192.168.2.77:4000": false, "192.168.1.1:4000": false, "192.168.1.255:4000": true,
	} {
		if at := netip.MustParseAddrPort(local); n.sides[0].conn.peers.checkLocal(at) != ok {
			t.Errorf("the local address %v: want %v", at, ok)
		}
	}
	toA, toB := Introductions("203.0.113.1:4000", "203.0.113.2:4000", n.sides[0].conn.LocalAddress(), n.sides[1].conn.LocalAddress())
	for _, told := range [][]byte{toA, toB} {
		if i, _ := parseIntroduction(told); i.local.IsValid() {
			t.Errorf("a client of another network is told %v", i.local)
		}
	}
}

// TestMappingExpires stops a client until its router has forgotten the path, and gives it another port meanwhile: the path opens
// again, by the port from which the client now sends. A pause of both does no harm either.
func TestMappingExpires(t *testing.T) {
	full, address, symmetric := routerKinds[1], routerKinds[2], routerKinds[4]
	for _, kinds := range [][2]routerKind{{symmetric, full}, {symmetric, {}}, {symmetric, address}, {address, full}, {full, full}, {address, address}} {
		n := newInternet(t, kinds[0], kinds[1], false)
		n.sides[0].router.life = 2 * time.Second
		n.introduce()
		n.run(time.Second)
		before := n.sides[1].peer.at
		n.sides[0].still = true
		if n.run(3 * time.Second); n.isOpen() {
			t.Error("a path to a client that is stopped is open")
		}
		n.sides[0].still = false
		if n.run(time.Second); !n.isOpen() || n.sides[1].peer.at == before {
			t.Errorf("%v: open %v after a pause, from %v to %v", kinds, n.isOpen(), before, n.sides[1].peer.at)
			continue
		}
		n.exchange("after a pause")
		before = n.sides[1].peer.at
		n.sides[0].router.ports = nil // as after a restart of the router, in the middle of a game
		for range 100 {
			n.sides[0].peer.Send(n.now, []byte("game"))
			n.sides[1].peer.Send(n.now, []byte("game"))
			n.run(20 * time.Millisecond)
		}
		if !n.isOpen() || n.sides[1].peer.at == before {
			t.Errorf("%v: open %v after a restart of the router, from %v to %v", kinds, n.isOpen(), before, n.sides[1].peer.at)
		}
	}
	n := newInternet(t, routerKinds[3], routerKinds[3], false)
	n.introduce()
	n.run(time.Second)
	for _, s := range n.sides {
		s.router.life = 5 * time.Second
		s.still = true
	}
	n.run(4 * time.Second)
	n.sides[0].still, n.sides[1].still = false, false
	if n.run(time.Second); !n.isOpen() {
		t.Error("no path after a pause of both that their routers have survived")
	}
}

// TestNobodyIsFlooded checks what a client sends to third parties: no more than a few probes, neither when the server, who knows
// all keys, names a victim and forges its datagrams, nor when the other client claims to be there.
func TestNobodyIsFlooded(t *testing.T) {
	victim := netip.MustParseAddrPort("203.0.113.99:5000")
	for name, forge := range map[string]func(n *internet, liar *Peer) (sent int){
		"the server names the victim": func(n *internet, liar *Peer) int {
			toA, toB := Introductions("203.0.113.9:4000", victim.String(), nil, nil)
			x, err := n.sides[0].conn.introduce(n.now, toA)
			if err != nil {
				n.Fatal(err)
			}
			i, _ := parseIntroduction(toB)
			liar.conn.sending.sealer, _ = i.keys(false)
			n.sides[0].peer = x
			return 0
		},
		"the other client claims to be the victim": func(n *internet, liar *Peer) int { return 0 },
	} {
		n := newInternet(t, routerKind{}, routerKind{}, false)
		n.introduce()
		n.run(time.Second)
		liar, honest := n.sides[1].peer, n.sides[0]
		forge(n, liar)
		n.sides[1].still = true
		forged := func(kind byte, size int) {
			liar.conn.sending.Lock()
			b := liar.conn.sending.append(nil, kind, make([]byte, size))
			liar.conn.sending.Unlock()
			if !honest.conn.peers.arrive(n.now, victim, b) {
				t.Fatalf("%s: the forged datagram is not authentic", name)
			}
		}
		before := n.sent[victim]
		for range 1000 {
			forged(kindData, 100)
			forged(kindKeepalive, 0)
			forged(kindKeepalive, challengeBytes)
			honest.peer.Send(n.now, make([]byte, 1000))
			n.run(10 * time.Millisecond)
		}
		if sent := n.sent[victim] - before; sent > 120 || honest.peer.at == victim {
			t.Errorf("%s: %d datagrams in ten seconds, the path leads to %v", name, sent, honest.peer.at)
		}
	}
	n := newInternet(t, routerKind{}, routerKind{}, false)
	for session := range 100 { // in which the server names other victims
		var list []*Peer
		for k := range maxPeers {
			told, _ := Introductions(fmt.Sprintf("203.0.113.99:%d", 2000+maxPeers*session+k), "203.0.113.1:4000", nil, nil)
			other, _ := parseIntroduction(told)
			other.address = netip.AddrPortFrom(victim.Addr(), uint16(2000+maxPeers*session+k))
			x, err := n.sides[0].conn.introduce(n.now, other.append(nil))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, x)
		}
		n.run(time.Second)
		for _, x := range list {
			x.Close()
		}
	}
	sum := 0
	for _, count := range n.sent {
		sum += count
	}
	if want := probesAtOnce + 101*probesPerSecond; sum > want {
		t.Errorf("%d probes in 100 s, want at most %d", sum, want)
	}
}
