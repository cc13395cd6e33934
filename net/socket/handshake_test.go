//go:build !js

package socket

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
)

// clientAddress is the address of the client of a simulated pair.
var clientAddress = netip.MustParseAddrPort("192.0.2.7:4000")

// pair is a client and a server over a simulated link, with a clock of their own.
type pair struct {
	now            time.Duration
	config         Config
	server         *server
	client         *client
	up, down       *link.End // of the client and of the server
	err            error     // of the client
	toServer       func(b []byte)
	toClient       func(b []byte)
	bytesIn, bytes int // that the server has received and sent, with the headers of IP and UDP
}

// newPair returns a pair over a network. Its handshake begins with the first step.
func newPair(t testing.TB, config Config, n *link.Network) *pair {
	t.Helper()
	config, err := config.check()
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{config: config}
	p.up, p.down = link.Pair(n, 0)
	p.toServer = func(b []byte) { p.server.arrive(p.now, clientAddress, b) }
	p.toClient = func(b []byte) { p.arriveAtClient(b) }
	p.server = newServer(&p.config, func(to netip.AddrPort, b []byte) error {
		p.bytes += len(b) + link.UDPIPHeaderBytes
		if to != clientAddress {
			return nil
		}
		return p.down.Send(p.now, b)
	})
	p.dial(p.config)
	return p
}

// dial begins a handshake of a new client at the same address.
func (p *pair) dial(config Config) {
	p.err = nil
	conn := newConn(netip.AddrPort{}, &config, func(b []byte) error { return p.up.Send(p.now, b) })
	p.client = newClient(p.now, &config, conn, randomNonce)
}

func (p *pair) arriveAtClient(b []byte) {
	if p.client.state == connected {
		p.client.conn.arrive(p.now, b)
		return
	}
	p.client.arrive(p.now, b)
}

// step delivers what has arrived, and lets both sides do what is due.
func (p *pair) step(d time.Duration) {
	p.now += d
	for d, ok := p.down.Receive(p.now); ok; d, ok = p.down.Receive(p.now) {
		p.bytesIn += len(d.Bytes) + link.UDPIPHeaderBytes
		p.toServer(d.Bytes)
	}
	for d, ok := p.up.Receive(p.now); ok; d, ok = p.up.Receive(p.now) {
		p.toClient(d.Bytes)
	}
	if p.client.state == connected {
		p.client.conn.tick(p.now)
	} else if p.err == nil {
		_, p.err = p.client.next(p.now)
	}
	p.server.tick(p.now)
}

// isUp reports whether both sides have a connection.
func (p *pair) isUp() bool {
	peer := p.server.peers[clientAddress]
	return p.client.state == connected && peer != nil && peer.conn != nil && peer.conn.Err() == nil
}

// connect steps until both sides have a connection, and returns how long it took; it gives up after a limit.
func (p *pair) connect(limit time.Duration) (took time.Duration, ok bool) {
	begin := p.now
	for p.now-begin < limit && p.err == nil && !p.isUp() {
		p.step(5 * time.Millisecond)
	}
	return p.now - begin, p.isUp()
}

// up returns a pair that is connected over a network without loss.
func connectedPair(t testing.TB, config Config) *pair {
	t.Helper()
	p := newPair(t, config, network(t, "latency=20ms"))
	if _, ok := p.connect(time.Second); !ok {
		t.Fatal("not connected: ", p.err)
	}
	return p
}

func network(t testing.TB, conditions string) *link.Network {
	t.Helper()
	n := &link.Network{}
	if err := n.Parse(conditions); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestHandshakeUnderLoss connects at 200 ms of round trip with half, and with three quarters, of all datagrams lost in each
// direction: 99.9 % of 1,000 trials have to end within ten seconds, and 99 % within 15.
func TestHandshakeUnderLoss(t *testing.T) {
	trials := 1000
	if experiment.Brief() {
		trials = 50
	}
	for _, x := range []struct {
		loss  string
		limit time.Duration
		late  int // allowed of a thousand
	}{{"50%", 10 * time.Second, 1}, {"75%", 15 * time.Second, 10}} {
		var sum, worst time.Duration
		late := 0
		for seed := range trials {
			n := network(t, "latency=100ms,loss="+x.loss)
			n.Seed = uint64(seed)
			p := newPair(t, configs()["secure"], n)
			took, ok := p.connect(x.limit)
			if !ok {
				late++
			}
			sum, worst = sum+took, max(worst, took)
			if out := float64(p.bytes) / float64(p.bytesIn); out > 0.5 {
				t.Errorf("seed %d: the server sent %.2f bytes for each that it received", seed, out)
			}
		}
		t.Logf("%s lost, %d trials: mean %v, longest %v, %d not within %v", x.loss, trials, sum/time.Duration(trials), worst, late, x.limit)
		if late > x.late*max(trials, 1000)/1000 {
			t.Errorf("%s lost: %d of %d handshakes took more than %v", x.loss, late, trials, x.limit)
		}
	}
}

// TestBlackout begins a handshake in an outage of ten seconds, and a second outage in the connection: both survive.
func TestBlackout(t *testing.T) {
	p := newPair(t, configs()["secure"], network(t, "latency=100ms"))
	outage := func() {
		server, client := p.toServer, p.toClient
		p.toServer, p.toClient = func([]byte) {}, func([]byte) {}
		for range 1000 {
			p.step(10 * time.Millisecond)
		}
		p.toServer, p.toClient = server, client
	}
	outage()
	if took, ok := p.connect(2 * time.Second); !ok {
		t.Errorf("no connection %v after the outage: %v", took, p.err)
	}
	outage()
	for range 200 {
		p.step(10 * time.Millisecond)
	}
	if !p.isUp() || p.client.conn.Err() != nil {
		t.Errorf("the connection has ended: %v", p.client.conn.Err())
	}
}

// TestTimeout checks that a connection ends Timeout after the last datagram on both sides, lives without data, and that a
// handshake without an answer fails.
func TestTimeout(t *testing.T) {
	p := connectedPair(t, configs()["secure"])
	for range 6000 {
		p.step(10 * time.Millisecond)
	}
	if !p.isUp() || p.client.conn.Err() != nil {
		t.Fatalf("a minute without data ended the connection: %v", p.client.conn.Err())
	}
	p.toServer, p.toClient = func([]byte) {}, func([]byte) {}
	server, cut := p.server.peers[clientAddress].conn, p.now
	for p.now < cut+p.config.Timeout-keepaliveAfter {
		p.step(10 * time.Millisecond)
	}
	if err := errors.Join(server.Err(), p.client.conn.Err()); err != nil {
		t.Errorf("ended too early: %v", err)
	}
	for p.now < cut+p.config.Timeout+100*time.Millisecond {
		p.step(10 * time.Millisecond)
	}
	if server.Err() != ErrTimeout || p.client.conn.Err() != ErrTimeout {
		t.Errorf("after the timeout: server %v, client %v", server.Err(), p.client.conn.Err())
	}
	p.dial(p.config)
	if took, _ := p.connect(time.Minute); took < p.config.Timeout || took > p.config.Timeout+lateInterval || p.err == nil {
		t.Errorf("a handshake without an answer ended after %v: %v", took, p.err)
	}
	if len(p.server.peers) != 0 {
		t.Errorf("the server still holds %d peers", len(p.server.peers))
	}
}

// TestRefusals checks the error of each refusal, and that no client with one is accepted.
func TestRefusals(t *testing.T) {
	secure := configs()["secure"]
	with := func(f func(c *Config)) Config { c := secure; f(&c); return c }
	for _, x := range []struct {
		name   string
		client Config
		want   error
	}{
		{"key", with(func(c *Config) { c.Key = NewKey() }), ErrKey},
		{"mode", with(func(c *Config) { c.Insecure = true }), ErrMode},
		{"application", with(func(c *Config) { c.Application = "test 2" }), ErrApplication},
	} {
		p := newPair(t, secure, network(t, "latency=20ms"))
		c, _ := x.client.check()
		p.dial(c)
		took, ok := p.connect(5 * time.Second)
		if ok || !errors.Is(p.err, x.want) {
			t.Errorf("%s: connected %v after %v: %v", x.name, ok, took, p.err)
		}
	}
	p := newPair(t, secure, network(t, "latency=20ms"))
	p.client.request.version++
	p.client.newID = func() uint64 { p.client.request.version++; return randomNonce() }
	p.toServer = func(b []byte) { b[offsetVersion] = version + 1; p.server.arrive(p.now, clientAddress, b) }
	if _, ok := p.connect(5 * time.Second); ok || !errors.Is(p.err, ErrVersion) {
		t.Errorf("version: connected %v: %v", ok, p.err)
	}
}

// TestFullServer checks that a server accepts MaxConnections, refuses one more, and accepts it after another has left;
// a thousand connections that come and go leave nothing behind.
func TestFullServer(t *testing.T) {
	config := configs()["secure"]
	config.MaxConnections = 1
	p := connectedPair(t, config)
	first := p.client.conn
	// Another client, at an address of its own.
	other := netip.MustParseAddrPort("192.0.2.8:4000")
	toOther := func(to netip.AddrPort, b []byte) error {
		if to == other {
			return p.down.Send(p.now, b)
		}
		return nil
	}
	p.server.write = toOther
	p.toServer = func(b []byte) { p.server.arrive(p.now, other, b) }
	p.dial(p.config)
	if _, ok := p.connect(5 * time.Second); ok || !errors.Is(p.err, ErrFull) {
		t.Fatalf("one too many: connected %v: %v", ok, p.err)
	}
	first.write = func(b []byte) error { p.server.arrive(p.now, clientAddress, b); return nil }
	first.Close()
	p.dial(p.config)
	if p.connect(5 * time.Second); p.client.state != connected {
		t.Errorf("the seat that was left is not free: %v", p.err)
	}
	for range 20 {
		p.client.conn.Close()
		p.step(100 * time.Millisecond)
		p.dial(p.config)
		if p.connect(time.Second); p.client.state != connected {
			t.Fatalf("not connected again: %v", p.err)
		}
	}
	p.client.conn.Close()
	for range 100 {
		p.step(100 * time.Millisecond)
	}
	if len(p.server.peers) != 0 || p.server.pending != 0 || len(p.server.accepted) != 0 {
		t.Errorf("left behind: %d peers, %d pending, %d accepted", len(p.server.peers), p.server.pending, len(p.server.accepted))
	}
}

// TestComingBack restarts a client at the same address without a Close: its new connection replaces the old one, whose
// datagrams are refused from then on.
func TestComingBack(t *testing.T) {
	for name, config := range configs() {
		p := connectedPair(t, config)
		old, oldServer := p.client.conn, p.server.peers[clientAddress].conn
		p.dial(p.config)
		if _, ok := p.connect(time.Second); !ok {
			t.Fatalf("%s: not connected again: %v", name, p.err)
		}
		server := p.server.peers[clientAddress].conn
		if server == oldServer || oldServer.Err() != ErrLeft {
			t.Errorf("%s: the old connection lives: %v", name, oldServer.Err())
		}
		old.Send(p.now, []byte("old"))
		p.client.conn.Send(p.now, []byte("new"))
		p.step(50 * time.Millisecond)
		if d, ok := server.Receive(p.now); !ok || string(d.Bytes) != "new" {
			t.Errorf("%s: received %q", name, d.Bytes)
		}
		if d, ok := server.Receive(p.now); ok {
			t.Errorf("%s: received %q of the old session", name, d.Bytes)
		}
	}
}

// TestReplayedHandshake sends all requests of a connected client again, and earlier ones of the same address. The
// connection goes on, and the copies get no further than an answer that is smaller than half of them.
func TestReplayedHandshake(t *testing.T) {
	p := newPair(t, configs()["secure"], network(t, "latency=20ms"))
	var recorded [][]byte
	deliver := p.toServer
	p.toServer = func(b []byte) {
		recorded = append(recorded, append([]byte(nil), b...))
		deliver(b)
	}
	if _, ok := p.connect(time.Second); !ok {
		t.Fatal(p.err)
	}
	server := p.server.peers[clientAddress].conn
	received := 0
	for range 100 {
		in, out := 0, p.bytes
		for _, b := range recorded {
			in += len(b) + link.UDPIPHeaderBytes
			p.server.arrive(p.now, clientAddress, append([]byte(nil), b...))
		}
		if out = p.bytes - out; out*2 > in {
			t.Errorf("%d bytes sent for %d", out, in)
		}
		p.client.conn.Send(p.now, []byte("on"))
		p.step(50 * time.Millisecond)
		for _, ok := server.Receive(p.now); ok; _, ok = server.Receive(p.now) {
			received++
		}
	}
	if p.server.pending != 0 || p.server.counts.Offers != 1 {
		t.Errorf("%d offers are held, %d were read", p.server.pending, p.server.counts.Offers)
	}
	if now := p.server.peers[clientAddress].conn; now != server || server.Err() != nil || received != 100 {
		t.Errorf("replaced %v, ended %v, received %d of 100", now != server, server.Err(), received)
	}
}

// TestForgedRefusal checks that a refusal whose nonce was overheard does not end a handshake.
func TestForgedRefusal(t *testing.T) {
	p := newPair(t, configs()["secure"], network(t, "latency=20ms"))
	forged := &reply{kindRefuse, p.client.request.nonce, append([]byte{refusedFull}, make([]byte, applicationBytes)...)}
	for range 10 {
		p.client.arrive(p.now, forged.append(nil))
	}
	if _, ok := p.connect(time.Second); !ok {
		t.Errorf("not connected: %v", p.err)
	}
}

// TestSpoofedSources asks for cookies from a hundred thousand addresses. The server holds nothing for them, sends at most
// half of what it receives, and no more than its limit.
func TestSpoofedSources(t *testing.T) {
	p := newPair(t, configs()["secure"], network(t, "latency=20ms"))
	hello := &request{kind: kindHello, version: version, mode: modeNoise, nonce: 1}
	b := hello.write(make([]byte, requestBytes))
	connect := *hello
	connect.kind = kindConnect
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	in := 0
	const sources = 100_000
	for i := range uint32(sources) {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 1000)
		p.server.arrive(time.Duration(i)*time.Second/sources, from, hello.write(b))
		p.server.arrive(time.Duration(i)*time.Second/sources, from, connect.write(b))
		in += 2 * (len(b) + link.UDPIPHeaderBytes)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 64<<10 || len(p.server.peers) != 0 {
		t.Errorf("the server holds %d bytes and %d peers", kept, len(p.server.peers))
	}
	ratio := float64(p.bytes) / float64(in)
	t.Logf("answered %d of %d; %.3f bytes sent for each received", p.server.counts.Hellos, sources, ratio)
	if ratio > 0.5 || p.server.counts.Hellos > 2*hellosInTotal {
		t.Errorf("%.3f bytes sent for each received, %d answers", ratio, p.server.counts.Hellos)
	}
	if _, ok := p.connect(5 * time.Second); !ok {
		t.Errorf("an honest client does not come in afterwards: %v", p.err)
	}
}

// TestAmplification checks for each datagram that a stranger can send, cut to each length, that the answer is at most half
// as long.
func TestAmplification(t *testing.T) {
	p := newPair(t, configs()["secure"], network(t, "latency=20ms"))
	random := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for kind := range 256 {
		for _, mode := range []byte{modeInsecure, modeNoise, 9} {
			for _, v := range []byte{version, version + 1} {
				r := request{kind: byte(kind), version: v, mode: mode, nonce: random.Uint64()}
				b := make([]byte, requestBytes)
				for n := requestBytes; n >= 0; n -= 1 + n/64 {
					if n < shortRequestBytes && n+1+n/64 > shortRequestBytes {
						n = shortRequestBytes
					}
					p.now += 100 * time.Millisecond // below the limits
					r.cookie = p.server.cookie.of(clientAddress, r.nonce, int64(p.now/cookieLife))
					r.write(b)
					before := p.bytes
					p.server.arrive(p.now, clientAddress, append([]byte(nil), b[:n]...))
					worst = max(worst, float64(p.bytes-before)/float64(n+link.UDPIPHeaderBytes))
				}
				p.server.tick(p.now)
			}
		}
	}
	t.Logf("largest answer: %.3f of its request", worst)
	if worst > 0.5 || worst == 0 {
		t.Errorf("the largest answer has %.3f of its request", worst)
	}
}

// TestOffersAreBounded sends offers from many addresses that hold the key and never confirm. The server holds few of them,
// for a few seconds, and an honest client still comes in. A datagram of a session whose offer was forgotten is ignored.
func TestOffersAreBounded(t *testing.T) {
	config := configs()["secure"]
	config.MaxConnections = 1000
	p := newPair(t, config, network(t, "latency=20ms"))
	for i := range 300 {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), 1000)
		r := request{kind: kindConnect, version: version, mode: modeNoise, nonce: uint64(i)}
		r.cookie = p.server.cookie.of(from, r.nonce, 0)
		a := newAgreement(&p.config, true, r.prologue())
		r.offer = a.offer(config.Application)
		p.server.arrive(p.now, from, r.write(make([]byte, requestBytes)))
	}
	for from := range p.server.peers {
		p.server.arrive(p.now, from, []byte{kindData, 0, 0, 0, 0, 1, 2, 3})
	}
	if p.server.pending != pendingMax {
		t.Errorf("%d offers are held, want %d", p.server.pending, pendingMax)
	}
	if _, ok := p.connect(time.Second); !ok {
		t.Errorf("not connected: %v", p.err)
	}
	for p.now < pendingLife+time.Second {
		p.step(100 * time.Millisecond)
	}
	if p.server.pending != 0 || len(p.server.peers) != 1 {
		t.Errorf("%d offers and %d peers are left", p.server.pending, len(p.server.peers))
	}
}
