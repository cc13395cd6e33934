//go:build !js

package socket

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/logging"
	"github.com/pion/stun/v4"
	"github.com/pion/webrtc/v4"
)

// Limits on the resources that browsers can use.
const (
	maxPendingBrowsers = 32 // without a connection
	maxPendingOfHost   = 2 * besideAtMost
	pendingBrowserLife = 15 * time.Second
	maxUnsent          = 32 << 10 // bytes sent and not acknowledged; a datagram beyond them is lost, as in a full socket
	channelBuffer      = 64 << 10 // bytes received and not yet read
)

// Retransmission times of the packets that establish a channel. A browser doubles its own each time, so under loss these decide.
const (
	dtlsFirstWait   = 100 * time.Millisecond // doubled each time
	sctpLongestWait = 300 * time.Millisecond // also of data; after nine times it gives up
)

// channelSettings are those of the one channel of a peer. Both sides know them, so neither has to announce it.
var channelSettings = webrtc.DataChannelInit{Negotiated: new(true), ID: new(uint16(0)), Ordered: new(false), MaxRetransmits: new(uint16(0))}

const channelName = "ghostcube"

// browsers are the WebRTC peers of a Page.
type browsers struct {
	config *Config
	server *server
	engine webrtc.SettingEngine
	setup  webrtc.Configuration
	mux    *ice.UDPMuxDefault

	admitting sync.Mutex // so that offers at the same time do not share the last place

	mutex   sync.RWMutex // of all below; it is never held in a call of the server
	all     map[*browser]struct{}
	open    map[netip.AddrPort]*browser
	hosts   map[netip.Addr]int // number of peers by network; datagrams from other networks are dropped
	ended   bool
	closing sync.WaitGroup
}

// browser is a peer, from its offer on.
type browser struct {
	peer    *webrtc.PeerConnection
	network netip.Addr
	since   time.Duration

	channel *webrtc.DataChannel // nil: not yet open
	stream  io.Writer           // of the channel
	address netip.AddrPort      // of the browser's end of it
}

// newBrowsers returns the peers at a socket, which it closes in the end.
func newBrowsers(udp *net.UDPConn, config *Config, s *server) (*browsers, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	certificate, err := webrtc.GenerateCertificate(key)
	if err != nil {
		return nil, err
	}
	quiet := &logging.DefaultLoggerFactory{Writer: io.Discard, DefaultLogLevel: logging.LogLevelDisabled}
	b := &browsers{
		config: config, server: s, setup: webrtc.Configuration{Certificates: []webrtc.Certificate{*certificate}},
		all: map[*browser]struct{}{}, open: map[netip.AddrPort]*browser{}, hosts: map[netip.Addr]int{},
	}
	b.mux = ice.NewUDPMuxDefault(ice.UDPMuxParams{UDPConn: &invited{UDPConn: udp, browsers: b}, Logger: quiet.NewLogger("ice")})
	settings := &b.engine
	settings.LoggerFactory = quiet
	settings.SetLite(true)
	settings.SetICEUDPMux(b.mux)
	settings.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	settings.SetIncludeLoopbackCandidate(true)
	settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6})
	settings.DetachDataChannels()
	settings.SetSCTPMaxReceiveBufferSize(channelBuffer)
	settings.SetSCTPMaxMessageSize(maxWire)
	settings.SetSCTPMinCwnd(maxUnsent) // as over UDP, how much to send is the strategy's decision
	settings.SetSCTPRTOMax(sctpLongestWait)
	settings.SetDTLSRetransmissionInterval(dtlsFirstWait)
	// The first message of Chromium's own DTLS needs two packets, and is sent again less often than the server's.
	if err := settings.SetAnsweringDTLSRole(webrtc.DTLSRoleClient); err != nil {
		return nil, err
	}
	return b, nil
}

// newPeer returns a peer whose path is that of the browser's first request, until the browser nominates one: Chromium waits 0.9 s before
// it does so, and again each time that this is lost.
func (b *browsers) newPeer() (*webrtc.PeerConnection, error) {
	settings, chosen := b.engine, false
	settings.SetICEBindingRequestHandler(func(m *stun.Message, _, _ ice.Candidate, _ *ice.CandidatePair) bool {
		isFirst := !chosen
		chosen = true
		return isFirst || m.Contains(stun.AttrUseCandidate)
	})
	return webrtc.NewAPI(webrtc.WithSettingEngine(settings), webrtc.WithMediaEngine(&webrtc.MediaEngine{}),
		webrtc.WithInterceptorRegistry(&interceptor.Registry{})).NewPeerConnection(b.setup)
}

func (b *browsers) now() time.Duration { return time.Since(b.config.Start) }

// networkOf returns an IPv4 address itself, or the /64 prefix of an IPv6 address, since a browser may use several addresses in it.
func networkOf(a netip.Addr) netip.Addr {
	if a = a.Unmap().WithZone(""); a.Is4() {
		return a
	}
	return netip.PrefixFrom(a, 64).Masked().Addr()
}

var (
	errBusy   = errors.New("too many browsers are joining: try again in some seconds")
	errUnsent = errors.New("too much is not yet sent")
)

// answer returns the answer to an offer of a host.
func (b *browsers) answer(ctx context.Context, now time.Duration, o offer, from netip.Addr) (string, error) {
	x, err := b.admit(now, networkOf(from))
	if err != nil {
		return "", err
	}
	text, err := x.negotiate(ctx, o)
	if err != nil {
		b.drop(x)
		return "", err
	}
	return text, nil
}

// admit makes a peer, unless there are too many.
func (b *browsers) admit(now time.Duration, network netip.Addr) (*browser, error) {
	b.admitting.Lock()
	defer b.admitting.Unlock()
	pending, ofHost := 0, 0
	for _, x := range b.list() {
		if !b.connected(x) {
			pending++
			if x.network == network {
				ofHost++
			}
		}
	}
	if pending >= maxPendingBrowsers || ofHost >= maxPendingOfHost {
		return nil, errBusy
	}
	peer, err := b.newPeer()
	if err != nil {
		return nil, err
	}
	x := &browser{peer: peer, network: network, since: now}
	c, err := peer.CreateDataChannel(channelName, &channelSettings)
	if err != nil {
		return nil, errors.Join(err, peer.Close())
	}
	c.OnOpen(func() { b.opened(x, c) })
	peer.OnConnectionStateChange(func(s webrtc.PeerConnectionState) {
		if s == webrtc.PeerConnectionStateFailed || s == webrtc.PeerConnectionStateClosed {
			b.drop(x)
		}
	})
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.ended {
		return nil, errors.Join(net.ErrClosed, peer.Close())
	}
	b.all[x] = struct{}{}
	b.hosts[network]++
	return x, nil
}

// negotiate gives the peer an offer and returns its answer.
func (b *browser) negotiate(ctx context.Context, o offer) (string, error) {
	if err := b.peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: o.description()}); err != nil {
		return "", err
	}
	answer, err := b.peer.CreateAnswer(nil)
	if err != nil {
		return "", err
	}
	gathered := webrtc.GatheringCompletePromise(b.peer)
	if err := b.peer.SetLocalDescription(answer); err != nil {
		return "", err
	}
	select {
	case <-gathered:
		return b.peer.LocalDescription().SDP, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// opened reads a channel from when it opens until it closes. A peer has only one.
func (b *browsers) opened(x *browser, c *webrtc.DataChannel) {
	stream, err := c.Detach()
	if err == nil {
		err = b.begin(x, c, stream)
	}
	buffer := make([]byte, maxWire+1)
	for err == nil {
		var n int
		if n, err = stream.Read(buffer); err == nil {
			b.server.arrive(b.now(), x.address, buffer[:n])
		}
	}
	b.drop(x)
}

// begin records the address and the channel of a peer.
func (b *browsers) begin(x *browser, c *webrtc.DataChannel, stream io.Writer) error {
	pair, err := x.peer.SCTP().Transport().ICETransport().GetSelectedCandidatePair()
	if err != nil {
		return err
	}
	if pair == nil {
		return errors.New("a channel without a path")
	}
	ip, err := netip.ParseAddr(pair.Remote.Address)
	if err != nil {
		return err
	}
	address := netip.AddrPortFrom(ip.Unmap(), pair.Remote.Port)
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if _, here := b.all[x]; !here || x.channel != nil || b.open[address] != nil {
		return fmt.Errorf("a second channel of %v", address)
	}
	x.channel, x.stream, x.address = c, stream, address
	b.open[address] = x
	return nil
}

// write sends a datagram through the channel of an address.
func (b *browsers) write(to netip.AddrPort, datagram []byte) error {
	b.mutex.RLock()
	x := b.open[to]
	b.mutex.RUnlock()
	if x == nil {
		return net.ErrClosed
	}
	if x.channel.BufferedAmount() > maxUnsent {
		return errUnsent
	}
	_, err := x.stream.Write(datagram)
	return err
}

// list returns all peers.
func (b *browsers) list() (list []*browser) {
	b.mutex.RLock()
	defer b.mutex.RUnlock()
	for x := range b.all {
		list = append(list, x)
	}
	return list
}

// connected reports whether the server holds a connection of a peer.
func (b *browsers) connected(x *browser) bool {
	b.mutex.RLock()
	address := x.address
	b.mutex.RUnlock()
	return b.server.holds(address)
}

// tick drops the peers that have not connected in time, or whose connection has ended.
func (b *browsers) tick(now time.Duration) {
	for _, x := range b.list() {
		if now-x.since > pendingBrowserLife && !b.connected(x) {
			b.drop(x)
		}
	}
}

// drop removes a peer, and closes it in the background.
func (b *browsers) drop(x *browser) {
	b.mutex.Lock()
	_, here := b.all[x]
	if here {
		delete(b.all, x)
		if x.channel != nil {
			delete(b.open, x.address)
		}
		if b.hosts[x.network]--; b.hosts[x.network] == 0 {
			delete(b.hosts, x.network)
		}
		b.closing.Go(func() { _ = x.peer.Close() }) // an error does not matter once the peer has left
	}
	b.mutex.Unlock()
	if here {
		b.server.left(x.address, ErrLeft)
	}
}

// close closes all peers and the socket.
func (b *browsers) close() {
	b.mutex.Lock()
	b.ended = true
	b.mutex.Unlock()
	for _, x := range b.list() {
		b.drop(x)
	}
	b.closing.Wait()
	_ = b.mux.Close()
}

// invited is the socket of the channels. It drops the datagrams of hosts that have made no offer.
type invited struct {
	*net.UDPConn
	browsers *browsers
}

// ReadFrom implements net.PacketConn.
func (i *invited) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := i.ReadFromAddrPort(b)
	return n, net.UDPAddrFromAddrPort(from), err
}

// ReadFromAddrPort reads the next datagram of a host with an offer.
func (i *invited) ReadFromAddrPort(b []byte) (int, netip.AddrPort, error) {
	for {
		n, from, err := i.ReadFromUDPAddrPort(b)
		if errors.Is(err, net.ErrClosed) {
			return 0, from, io.EOF
		}
		if err != nil {
			continue // an error of the network, which anyone can send
		}
		i.browsers.mutex.RLock()
		known := i.browsers.hosts[networkOf(from.Addr())] > 0
		i.browsers.mutex.RUnlock()
		if known {
			return n, from, nil
		}
	}
}

// WriteToAddrPort writes a datagram.
func (i *invited) WriteToAddrPort(b []byte, to netip.AddrPort) (int, error) {
	return i.WriteToUDPAddrPort(b, to)
}
