package socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"
)

// receiveBuffer is asked of the operating system for each socket, in bytes. It gives less if it likes.
const receiveBuffer = 1 << 20

// housekeeping is the interval at which a socket's goroutine looks at keepalives, timeouts and retries.
const housekeeping = 50 * time.Millisecond

// Listener accepts connections at an address.
type Listener struct {
	udp    *net.UDPConn
	config Config
	server *server
	closed sync.Once
	done   chan struct{} // closed when the goroutine has ended
}

// Listen listens at an address such as :7777, 192.168.1.5:7777 or [::1]:7777; port 0 is any free one. Without a host it
// takes IPv4 and IPv6, where the machine has both. The errors say what to do about a port in use, an address that is not
// of this machine, and a machine without IPv6.
func Listen(address string, config Config) (*Listener, error) {
	config, err := config.check()
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	at, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w: want an address with a port, such as :7777", address, err)
	}
	udp, err := net.ListenUDP("udp", at)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, explain(err))
	}
	_ = udp.SetReadBuffer(receiveBuffer)
	l := &Listener{udp: udp, config: config, done: make(chan struct{})}
	l.server = newServer(&l.config, func(to netip.AddrPort, b []byte) error {
		_, err := udp.WriteToUDPAddrPort(b, to)
		return err
	})
	go l.run()
	return l, nil
}

// explain adds to an error of the operating system what to do about it.
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
	case is(syscall.ENETUNREACH, 10051) || is(syscall.EHOSTUNREACH, 10065):
		return fmt.Errorf("%w: this machine has no way to that network", err)
	}
	return err
}

// run reads until the socket is closed.
func (l *Listener) run() {
	defer close(l.done)
	read := func(b []byte) (int, netip.AddrPort, error) { return l.udp.ReadFromUDPAddrPort(b) }
	readUntilClosed(l.udp, read, func() time.Time {
		l.server.tick(time.Since(l.config.Start))
		return time.Now().Add(housekeeping)
	}, func(from netip.AddrPort, datagram []byte) {
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		l.server.arrive(time.Since(l.config.Start), from, datagram)
	})
}

// readUntilClosed gives each datagram to arrive, and calls due at the times that it returns: a zero time ends the
// reading. Errors of the network, such as those of unreachable ports, are not ours: anyone can send them.
func readUntilClosed(udp *net.UDPConn, read func([]byte) (int, netip.AddrPort, error), due func() time.Time,
	arrive func(netip.AddrPort, []byte)) {
	buffer := make([]byte, maxWire+1) // one more, so that a longer datagram is seen to be too long
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
			if err == nil {
				arrive(from, buffer[:n])
			} else if time.Now().After(next) {
				break
			}
		}
	}
}

// Accept returns the next connection whose handshake has ended, without waiting. It is false if there is none.
func (l *Listener) Accept() (*Conn, bool) { return l.server.take() }

// Addr returns the address at which the Listener listens.
func (l *Listener) Addr() netip.AddrPort { return l.udp.LocalAddr().(*net.UDPAddr).AddrPort() }

// Stats returns what has been counted so far.
func (l *Listener) Stats() ListenerStats {
	l.server.mutex.Lock()
	defer l.server.mutex.Unlock()
	return l.server.counts
}

// Close closes all connections and the socket. It returns nil.
func (l *Listener) Close() error {
	l.closed.Do(func() {
		l.server.close()
		l.udp.Close()
		<-l.done
	})
	return nil
}

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

// dialOne connects to one address.
func dialOne(ctx context.Context, to netip.AddrPort, config Config) (*Conn, error) {
	udp, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		return nil, explain(err)
	}
	_ = udp.SetReadBuffer(receiveBuffer)
	conn := newConn(to, &config, func(b []byte) error { _, err := udp.Write(b); return err })
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
func runClient(udp *net.UDPConn, conn *Conn, connectedOrFailed chan<- error) {
	now := func() time.Duration { return time.Since(conn.config.Start) }
	handshake := newClient(now(), conn.config, conn, randomNonce)
	isUp := false
	read := func(b []byte) (int, netip.AddrPort, error) {
		n, err := udp.Read(b)
		return n, conn.remote, err
	}
	readUntilClosed(udp, read, func() time.Time {
		if isUp {
			conn.tick(now())
			return time.Now().Add(housekeeping)
		}
		next, err := handshake.next(now())
		if err != nil {
			connectedOrFailed <- err
			return time.Time{}
		}
		return conn.config.Start.Add(next)
	}, func(_ netip.AddrPort, datagram []byte) {
		if isUp {
			conn.arrive(now(), datagram)
			return
		}
		handshake.arrive(now(), datagram)
		if handshake.state == connected {
			isUp = true
			connectedOrFailed <- nil
		}
	})
}
