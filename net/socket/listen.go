//go:build !js || headless

package socket

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// receiveBuffer is the size requested of the operating system for each socket, in bytes. It may grant less.
const receiveBuffer = 1 << 20

// Listener accepts connections at an address.
type Listener struct {
	config Config
	server *server
	at     netip.AddrPort
	stop   func() // closes all connections and the socket
	closed sync.Once

	streams *streams // nil: UDP
}

// Listen listens at an address such as :7777, 192.168.1.5:7777 or [::1]:7777; port 0 is any free one. Without a host it
// takes IPv4 and IPv6, where the machine has both. The errors say what to do about a port in use, an address that is not
// of this machine, and a machine without IPv6.
func Listen(address string, config Config) (*Listener, error) {
	config, err := config.check()
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	l, listen := &Listener{config: config}, (*Listener).listenUDP
	if config.Transport == TCP {
		listen = (*Listener).listenTCP
	}
	if err := listen(l, address); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}

// listenUDP makes a Listener of a UDP socket.
func (l *Listener) listenUDP(address string) error {
	at, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return fmt.Errorf("%w: want an address with a port, such as :7777", err)
	}
	udp, err := net.ListenUDP("udp", at)
	if err != nil {
		return explain(err)
	}
	_ = udp.SetReadBuffer(receiveBuffer)
	l.at = udp.LocalAddr().(*net.UDPAddr).AddrPort()
	l.server = newServer(&l.config, func(to netip.AddrPort, b []byte) error {
		_, err := udp.WriteToUDPAddrPort(b, to)
		return err
	})
	done := make(chan struct{})
	l.stop = func() {
		l.server.close()
		udp.Close()
		<-done
	}
	go func() {
		defer close(done)
		l.run(udp)
	}()
	return nil
}

// explain adds advice to an error of the operating system.
func explain(err error) error {
	is := func(unix syscall.Errno, windows uintptr) bool {
		var number syscall.Errno
		return errors.Is(err, unix) || errors.As(err, &number) && uintptr(number) == windows
	}
	switch {
	case is(syscall.EADDRINUSE, 10048):
		return fmt.Errorf("%w: another program has this port: end it, or choose another port", err)
	case is(syscall.EADDRNOTAVAIL, 10049):
		return fmt.Errorf("%w: this machine does not have the address", err)
	case is(syscall.EAFNOSUPPORT, 10047):
		return fmt.Errorf("%w: this machine has no IPv6: use an IPv4 address", err)
	case is(syscall.EACCES, 10013):
		return fmt.Errorf("%w: ports below 1024 need rights: choose another port", err)
	case is(syscall.ECONNREFUSED, 10061):
		return fmt.Errorf("%w: no server listens there by TCP", err)
	case is(syscall.ENETUNREACH, 10051) || is(syscall.EHOSTUNREACH, 10065):
		return fmt.Errorf("%w: this machine has no way to that network", err)
	}
	return err
}

// run reads a socket until it is closed.
func (l *Listener) run(udp *net.UDPConn) {
	read := func(b []byte) (int, netip.AddrPort, error) { return udp.ReadFromUDPAddrPort(b) }
	readUntilClosed(udp, read, func() time.Time {
		l.server.tick(time.Since(l.config.Start))
		return time.Now().Add(housekeeping)
	}, func(from netip.AddrPort, datagram []byte) bool {
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		l.server.arrive(time.Since(l.config.Start), from, datagram)
		return false
	})
}

// readUntilClosed passes each datagram to arrive. It calls due when arrive asks for it and at the times that due returns; a
// zero time ends it. Network errors, such as those of unreachable ports, are ignored: anyone can cause them.
func readUntilClosed(udp interface{ SetReadDeadline(time.Time) error }, read func([]byte) (int, netip.AddrPort, error), due func() time.Time,
	arrive func(netip.AddrPort, []byte) (isDue bool)) {
	buffer := make([]byte, maxWire+1) // one more, to recognise datagrams that are too long
	for {
		next := due()
		if next.IsZero() || udp.SetReadDeadline(next) != nil {
			return
		}
		for {
			n, from, err := read(buffer)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil && arrive(from, buffer[:n]) || err != nil && time.Now().After(next) {
				break
			}
		}
	}
}

// Accept returns the next connection that has completed its handshake. It does not block, and returns false if there is none.
func (l *Listener) Accept() (*Conn, bool) { return l.server.take() }

// Addr returns the address at which the Listener listens.
func (l *Listener) Addr() netip.AddrPort { return l.at }

// Addresses returns the addresses, with the port, at which others may reach the Listener: its own, or if it has no host,
// those of the machine's networks, IPv4 first. A machine without a network has those of its loopback.
func (l *Listener) Addresses() []netip.AddrPort { return addresses(l.Addr()) }

// addresses returns the addresses at which others may reach a socket.
func addresses(at netip.AddrPort) []netip.AddrPort {
	if !at.Addr().IsUnspecified() {
		return []netip.AddrPort{at}
	}
	var list, loopback []netip.AddrPort
	all, _ := net.InterfaceAddrs() // without them there are none to print
	for _, a := range all {
		network, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		ip, ok := netip.AddrFromSlice(network.IP)
		ip = ip.Unmap()
		switch {
		case !ok || at.Addr().Is4() && !ip.Is4():
		case ip.IsLoopback():
			loopback = append(loopback, netip.AddrPortFrom(ip, at.Port()))
		case ip.IsGlobalUnicast():
			list = append(list, netip.AddrPortFrom(ip, at.Port()))
		}
	}
	if len(list) == 0 {
		list = loopback
	}
	slices.SortStableFunc(list, func(a, b netip.AddrPort) int { return a.Addr().BitLen() - b.Addr().BitLen() })
	return list
}

// Stats returns the counts so far.
func (l *Listener) Stats() ListenerStats {
	l.server.mutex.Lock()
	defer l.server.mutex.Unlock()
	return l.server.counts
}

// Close closes all connections and the socket. It returns nil.
func (l *Listener) Close() error {
	l.closed.Do(l.stop)
	return nil
}
