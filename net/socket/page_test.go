//go:build !js

package socket

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/stun/v4"
	"github.com/pion/webrtc/v4"
)

// servePage serves a page on the loopback.
func servePage(t testing.TB, c Config) *Page {
	t.Helper()
	p, err := ServePage("127.0.0.1:0", fstest.MapFS{"index.html": {Data: []byte("the page")}}, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// post posts an offer and returns the status and the answer.
func post(t testing.TB, p *Page, offer string) (status int, answer string) {
	t.Helper()
	r, err := http.Post(fmt.Sprintf("http://%v%s", p.Addresses()[0], Signal), "application/sdp", strings.NewReader(offer))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// visitor returns a peer that does what a browser does, and its offer of one channel.
func visitor(t testing.TB) (peer *webrtc.PeerConnection, c *webrtc.DataChannel, offer string) {
	t.Helper()
	return visitorAt(t, nil)
}

// visitorAt is visitor with a socket of its own, which is closed with it; nil: any. Settings may be changed.
func visitorAt(t testing.TB, udp net.PacketConn, change ...func(*webrtc.SettingEngine)) (peer *webrtc.PeerConnection, c *webrtc.DataChannel, offer string) {
	t.Helper()
	var s webrtc.SettingEngine
	s.SetIncludeLoopbackCandidate(true)
	s.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	s.SetICEMaxBindingRequests(1000) // a browser asks on
	for _, f := range change {
		f(&s)
	}
	if udp != nil {
		mux := ice.NewUDPMuxDefault(ice.UDPMuxParams{UDPConn: udp})
		s.SetICEUDPMux(mux)
		t.Cleanup(func() { mux.Close() })
	}
	peer, err := webrtc.NewAPI(webrtc.WithSettingEngine(s)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { peer.Close() })
	if c, err = peer.CreateDataChannel(channelName, &channelSettings); err != nil {
		t.Fatal(err)
	}
	o, err := peer.CreateOffer(nil)
	if err == nil {
		err = peer.SetLocalDescription(o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return peer, c, peer.LocalDescription().SDP
}

// joinPage joins as a browser does, and returns both sides of the connection.
func joinPage(t testing.TB, p *Page, c Config) (client, server *Conn, peer *webrtc.PeerConnection) {
	t.Helper()
	peer, channel, offer := visitor(t)
	if err := openChannel(t, p, peer, channel, offer, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	client, connected := shakeHands(t, channel, c, 8*maxUnsent)
	if err := <-connected; err != nil {
		t.Fatal(err)
	}
	within(t, "Accept", func() (ok bool) { server, ok = p.Accept(); return ok })
	return client, server, peer
}

// openChannel opens the channel of a visitor.
func openChannel(t testing.TB, p *Page, peer *webrtc.PeerConnection, channel *webrtc.DataChannel, offer string, within time.Duration) error {
	t.Helper()
	opened := make(chan struct{})
	channel.OnOpen(func() { close(opened) })
	status, answer := post(t, p, offer)
	if status != http.StatusOK {
		return fmt.Errorf("status %d: %s", status, answer)
	}
	if err := peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}); err != nil {
		return err
	}
	select {
	case <-opened:
		return nil
	case <-time.After(within):
		return fmt.Errorf("no channel opens within %v", within)
	}
}

// shakeHands begins a handshake in a channel; connected reports its result. At most unsent bytes wait to be sent.
func shakeHands(t testing.TB, channel *webrtc.DataChannel, c Config, unsent uint64) (conn *Conn, connected <-chan error) {
	t.Helper()
	c, err := c.check()
	if err != nil {
		t.Fatal(err)
	}
	c.unpadded = true
	conn = newConn(netip.AddrPort{}, &c, func(b []byte) error {
		if channel.BufferedAmount() > unsent {
			return errUnsent
		}
		return channel.Send(b)
	})
	ended := make(chan error, 1)
	a := newAttempt(conn, ended)
	datagrams := make(chan []byte, 100)
	channel.OnMessage(func(m webrtc.DataChannelMessage) { datagrams <- m.Data })
	go func() {
		for {
			next := a.due()
			if next.IsZero() {
				return
			}
			select {
			case b := <-datagrams:
				a.arrive(b)
			case <-time.After(time.Until(next)):
			case <-t.Context().Done():
				return
			}
		}
	}()
	return conn, ended
}

// TestPageConnects joins by a data channel: datagrams of all sizes go both ways, a peer that goes away ends its connection
// at once, and nothing of it is left.
func TestPageConnects(t *testing.T) {
	c := configs()["secure"]
	p := servePage(t, c)
	before := runtime.NumGoroutine()
	client, server, peer := joinPage(t, p, c)
	for _, n := range []int{0, 1, 200, MaxDatagram} {
		for _, ends := range [][2]*Conn{{client, server}, {server, client}} {
			want := strings.Repeat("x", n)
			if err := ends[0].Send(time.Since(c.Start), []byte(want)); err != nil {
				t.Fatal(err)
			}
			if got := receive(t, ends[1]); got != want {
				t.Errorf("%d bytes arrive, want %d", len(got), n)
			}
		}
	}
	if a := server.RemoteAddr(); !a.Addr().IsValid() || a.Port() == 0 {
		t.Errorf("the player's address is %v", a)
	}
	peer.Close()
	within(t, "the end of the connection", func() bool { return server.Err() == ErrLeft })
	within(t, "no peer", func() bool { return len(p.browsers.list()) == 0 && len(p.browsers.hosts) == 0 })
	within(t, "few goroutines", func() bool { return runtime.NumGoroutine() <= before+5 })
}

// TestPageTakesFirstPath joins with a peer that nominates its path late, as browsers do: the server answers on the path of its first request.
func TestPageTakesFirstPath(t *testing.T) {
	p := servePage(t, configs()["secure"])
	peer, channel, offer := visitorAt(t, nil, func(s *webrtc.SettingEngine) { s.SetHostAcceptanceMinWait(time.Hour) })
	go func() { _ = openChannel(t, p, peer, channel, offer, time.Second) }()
	within(t, "a path", func() bool {
		for _, x := range p.browsers.list() {
			if x.peer.ICEConnectionState() == webrtc.ICEConnectionStateConnected {
				return true
			}
		}
		return false
	})
}

// TestPageLimitsVisits opens more connections than one host may have: the last ones are closed, and each that ends makes room.
func TestPageLimitsVisits(t *testing.T) {
	p := servePage(t, configs()["secure"])
	var open []net.Conn
	dial := func() (accepted bool) {
		c, err := net.Dial("tcp", p.Addresses()[0].String())
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			return false
		}
		n, _ := c.Read(make([]byte, 100))
		return n > 0
	}
	for i := range maxVisitsOfHost + 2 {
		if accepted := dial(); accepted != (i < maxVisitsOfHost) {
			t.Errorf("connection %d is accepted: %v", i+1, accepted)
		}
	}
	for _, c := range open {
		c.Close()
	}
	within(t, "room for another one", dial)
}

// TestPageServesFiles checks that the page itself can be loaded, and no more than it.
func TestPageServesFiles(t *testing.T) {
	p := servePage(t, configs()["secure"])
	for path, want := range map[string]int{"/": 200, "/none.js": 404, "/../page.go": 404} {
		r, err := http.Get(fmt.Sprintf("http://%v%s", p.Addresses()[0], path))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, r.StatusCode, want)
		}
	}
}

// TestPageLimits posts what no browser would: each ends in an error, and no more peers are held than may be.
func TestPageLimits(t *testing.T) {
	p := servePage(t, configs()["secure"])
	if status, _ := post(t, p, strings.Repeat("a=x\r\n", maxOffer)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a long offer: status %d", status)
	}
	if status, text := post(t, p, "v=0\r\na=ice-ufrag:abcd\r\n"); status != http.StatusBadRequest || !strings.Contains(text, "ice-pwd") {
		t.Errorf("half an offer: status %d: %s", status, text)
	}
	_, _, offer := visitor(t)
	held := 0
	within(t, "a refused offer", func() bool {
		switch status, text := post(t, p, offer); status {
		case http.StatusOK:
			held++
		case http.StatusTooManyRequests:
			time.Sleep(time.Second / offersPerHost)
		case http.StatusServiceUnavailable:
			return true
		default:
			t.Fatalf("status %d: %s", status, text)
		}
		return false
	})
	if n := len(p.browsers.list()); held != maxPendingOfHost || n != held {
		t.Errorf("%d offers answered, %d peers held, want %d", held, n, maxPendingOfHost)
	}
	within(t, "a limited offer", func() bool { // short ones, so that a busy machine, too, posts more than it may
		status, _ := post(t, p, "v=0")
		return status == http.StatusTooManyRequests
	})
	p.browsers.tick(time.Since(p.config.Start) + pendingBrowserLife + time.Second)
	if n := len(p.browsers.list()); n != 0 {
		t.Errorf("%d peers without a connection after %v", n, pendingBrowserLife)
	}
}

// TestPageAdmitsAtOnce has many offers of a host admitted at the same time: no more peers are made than may be.
func TestPageAdmitsAtOnce(t *testing.T) {
	p := servePage(t, configs()["secure"])
	network := netip.MustParseAddr("192.0.2.1")
	var all sync.WaitGroup
	for range 4 * maxPendingOfHost {
		all.Go(func() { _, _ = p.browsers.admit(0, network) })
	}
	all.Wait()
	if n := len(p.browsers.list()); n != maxPendingOfHost {
		t.Errorf("%d peers, want %d", n, maxPendingOfHost)
	}
}

// TestPageAnswersNoStranger checks that a datagram of a host with an offer, which has proved its address over TCP, gets an answer smaller
// than that offer, and that of another host, who knows all that the first one does, gets none. The server names one address, the one that was asked.
func TestPageAnswersNoStranger(t *testing.T) {
	p := servePage(t, configs()["secure"])
	_, _, offer := visitor(t)
	_, answer := post(t, p, offer)
	if list := regexp.MustCompile(`(?m)^a=candidate.*`).FindAllString(answer, -1); len(list) != 1 || !strings.Contains(list[0], " 127.0.0.1 ") {
		t.Errorf("the answer has the addresses %q", list)
	}
	if !strings.Contains(answer, "a=ice-lite") {
		t.Error("the server is not ICE-lite")
	}
	mine, err := parseOffer(offer)
	if err != nil {
		t.Fatal(err)
	}
	its, err := parseOffer(answer)
	if err != nil {
		t.Fatal(err)
	}
	m, err := stun.Build(stun.BindingRequest, stun.TransactionID, stun.NewUsername(its.fragment+":"+mine.fragment),
		ice.PriorityAttr(1), ice.AttrControlling(1), stun.NewShortTermIntegrity(its.password), stun.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	var hosts [2]*net.UDPConn
	for i, host := range []string{"127.0.0.2", "127.0.0.1"} { // the second has made the offer
		at := p.Addresses()[0]
		hosts[i], err = net.DialUDP("udp", &net.UDPAddr{IP: net.ParseIP(host)}, net.UDPAddrFromAddrPort(at))
		if err != nil {
			t.Skipf("%s: %v", host, err)
		}
		defer hosts[i].Close()
		if _, err := hosts[i].Write(m.Raw); err != nil {
			t.Fatal(err)
		}
	}
	received := func(udp *net.UDPConn, wait time.Duration) (n int) {
		udp.SetReadDeadline(time.Now().Add(wait))
		n, _ = udp.Read(make([]byte, 2000)) // 0 if nothing comes
		return n
	}
	// The server has read the stranger's request before the other one, which it has answered.
	if n := received(hosts[1], 10*time.Second); n == 0 || n > len(offer) {
		t.Errorf("%d bytes for a request of %d after an offer of %d", n, len(m.Raw), len(offer))
	}
	if n := received(hosts[0], 100*time.Millisecond); n > 0 {
		t.Errorf("%d bytes for a stranger's request of %d", n, len(m.Raw))
	}
}

// TestOffers parses offers as browsers make them, and others.
func TestOffers(t *testing.T) {
	digest := strings.TrimSuffix(strings.Repeat("AB:", 32), ":")
	good := "v=0\r\na=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\na=fingerprint:sha-256 " + digest + "\r\n"
	if o, err := parseOffer(good); err != nil || o != (offer{"abcd", "0123456789012345678901", digest}) {
		t.Errorf("%+v, %v", o, err)
	}
	for _, change := range [][2]string{
		{"abcd", "ab\"d"}, {"abcd", "abc"}, {"abcd", strings.Repeat("a", 257)}, {"678901", "67"}, {"sha-256", "sha-1"}, {"AB:AB", "AB"}, {"AB", "XY"},
	} {
		if o, err := parseOffer(strings.Replace(good, change[0], change[1], 1)); err == nil {
			t.Errorf("%q for %q: %+v", change[1], change[0], o)
		}
	}
}
