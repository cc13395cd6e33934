//go:build !js || headless

package socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
)

// Dial connects to a Listener at an address such as example.org:7777 or [::1]:7777. Of a name with several addresses the
// first to answer is taken. It returns when both sides have the keys, when ctx ends, or after the Timeout of the config.
// The error is one of ErrVersion, ErrMode, ErrKey, ErrApplication and ErrFull if the server has refused.
func Dial(ctx context.Context, address string, config Config) (*Conn, error) {
	c, err := dial(ctx, address, config)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	return c, nil
}

// maxCandidates is how many addresses of a name are tried.
const maxCandidates = 4

func dial(ctx context.Context, address string, config Config) (*Conn, error) {
	config, err := config.check()
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%w: want a host and a port, such as 192.168.1.5:7777", err)
	}
	number, err := net.DefaultResolver.LookupPort(ctx, "udp", port)
	if err != nil || number == 0 {
		return nil, fmt.Errorf("port %q: want 1 to 65535", port)
	}
	hosts, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		conn *Conn
		err  error
	}
	results := make(chan result)
	hosts = hosts[:min(len(hosts), maxCandidates)]
	for _, h := range hosts {
		go func() {
			dialOne := dialUDP
			if config.Transport == TCP {
				dialOne = dialTCP
			}
			c, err := dialOne(ctx, netip.AddrPortFrom(h.Unmap(), uint16(number)), config)
			results <- result{c, err}
		}()
	}
	var first *Conn
	for range hosts {
		switch r := <-results; {
		case r.err != nil:
			err = betterError(err, r.err)
		case first != nil:
			r.conn.Close()
		default:
			first = r.conn
			cancel()
		}
	}
	if first == nil {
		return nil, err
	}
	return first, nil
}

// betterError returns the more telling of two errors: that of a server that has answered.
func betterError(a, b error) error {
	for _, refusal := range refusals {
		if refusal != nil && errors.Is(a, refusal) {
			return a
		}
	}
	return b
}

// newSocket returns a socket for a client.
func (c *Config) newSocket(network string) (udpSocket, error) {
	if c.behind != nil {
		return c.behind(network)
	}
	udp, err := net.ListenUDP(network, nil)
	if err != nil {
		return nil, err
	}
	_ = udp.SetReadBuffer(receiveBuffer)
	return udp, nil
}

// dialUDP connects to one address. Its socket is that of its peers, too, so the system does not connect it.
func dialUDP(ctx context.Context, to netip.AddrPort, config Config) (*Conn, error) {
	trial, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		return nil, explain(err) // there is no way to the network
	}
	trial.Close()
	network := "udp6"
	if to.Addr().Is4() {
		network = "udp4"
	}
	udp, err := config.newSocket(network)
	if err != nil {
		return nil, explain(err)
	}
	write := func(to netip.AddrPort, b []byte) error { _, err := udp.WriteToUDPAddrPort(b, to); return err }
	conn := newConn(to, &config, func(b []byte) error { return write(to, b) })
	conn.peers = newPeers(write)
	if bound, ok := udp.(*net.UDPConn); ok {
		conn.peers.local, conn.peers.network = localAddress(trial.LocalAddr(), bound.LocalAddr())
	}
	ended := make(chan struct{})
	conn.finish = sync.OnceFunc(func() {
		udp.Close()
		<-ended
	})
	connected := make(chan error, 1)
	go func() {
		defer close(ended)
		runClient(udp, conn, connected)
	}()
	return established(ctx, conn, connected)
}

// localAddress returns the address of a socket in the machine's network of IPv4, and that network. host has the address by
// which this machine reaches the server, socket the port.
func localAddress(host, socket net.Addr) (at netip.AddrPort, network netip.Prefix) {
	a, port := host.(*net.UDPAddr).AddrPort().Addr().Unmap(), socket.(*net.UDPAddr).AddrPort().Port()
	all, _ := net.InterfaceAddrs() // without them there is none
	for _, x := range all {
		if n, ok := x.(*net.IPNet); ok && a.Is4() && n.Contains(a.AsSlice()) {
			bits, _ := n.Mask.Size()
			return netip.AddrPortFrom(a, port), netip.PrefixFrom(a, bits)
		}
	}
	return at, network
}

// established waits for the end of a handshake.
func established(ctx context.Context, conn *Conn, connected <-chan error) (*Conn, error) {
	var err error
	select {
	case err = <-connected:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// runClient reads a client's socket until it is closed. It reports the end of the handshake once.
func runClient(udp udpSocket, conn *Conn, connectedOrFailed chan<- error) {
	a := newAttempt(conn, connectedOrFailed)
	server := withoutZone(conn.remote)
	read := func(b []byte) (int, netip.AddrPort, error) { return udp.ReadFromUDPAddrPort(b) }
	readUntilClosed(udp, read, a.due, func(from netip.AddrPort, datagram []byte) (isDue bool) {
		from = withoutZone(from)
		if from == server {
			return a.arrive(datagram)
		}
		if !conn.peers.arrive(a.now(), from, datagram) {
			conn.receiving.Lock()
			conn.receiving.stats.Refused++
			conn.receiving.Unlock()
		}
		return false
	})
}

// withoutZone returns an address without the zone of IPv6, which has more than one name.
func withoutZone(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}
