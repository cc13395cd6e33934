//go:build !js || headless

package socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// streams are the TCP connections of a Listener.
type streams struct {
	listener net.Listener
	config   *Config
	server   *server
	stop     chan struct{}
	running  sync.WaitGroup

	mutex sync.Mutex // of all below; it is never held in a call of the server
	all   map[netip.AddrPort]*incoming
	ended bool
}

// incoming is a stream that the listener has accepted.
type incoming struct {
	*stream
	since time.Duration
	known atomic.Bool // its handshake has ended
}

// Limits on streams that have not completed their handshake. Another one closes the oldest, so that idle ones keep nobody out.
const (
	maxStrangers       = 64
	maxStrangersOfHost = 16
	strangerLife       = 5 * time.Second
)

// listenTCP makes a Listener of TCP connections.
func (l *Listener) listenTCP(address string) error {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return fmt.Errorf("%w: want an address with a port, such as :7777", err)
	}
	tcp, err := net.ListenTCP("tcp", at)
	if err != nil {
		return explain(err)
	}
	s := &streams{listener: tcp, config: &l.config, stop: make(chan struct{}), all: map[netip.AddrPort]*incoming{}}
	s.server = newServer(&l.config, s.write)
	l.server, l.at, l.stop, l.streams = s.server, tcp.Addr().(*net.TCPAddr).AddrPort(), s.close, s
	s.running.Go(s.accept)
	s.running.Go(s.keep)
	return nil
}

func (s *streams) now() time.Duration { return time.Since(s.config.Start) }

// accept accepts connections until the listener is closed.
func (s *streams) accept() {
	for {
		tcp, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as too many open files
			time.Sleep(housekeeping)
		default:
			from, _ := netip.ParseAddrPort(tcp.RemoteAddr().String()) // the system has made it
			from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
			s.enter(&incoming{stream: newStream(tcp), since: s.now()}, from)
		}
	}
}

// enter starts to read a stream. If there are too many strangers it closes the oldest.
func (s *streams) enter(v *incoming, from netip.AddrPort) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ended {
		v.end(ErrClosed)
	}
	all, ofHost := strangers{}, strangers{}
	for at, x := range s.all {
		if x.known.Load() {
			continue
		}
		all.add(at, x)
		if at.Addr() == from.Addr() {
			ofHost.add(at, x)
		}
	}
	switch {
	case ofHost.count >= maxStrangersOfHost:
		s.drop(ofHost.oldest)
	case all.count >= maxStrangers || all.count > 0 && len(s.all) >= maxStrangers+2*s.config.MaxConnections:
		s.drop(all.oldest)
	case len(s.all) >= maxStrangers+2*s.config.MaxConnections:
		v.end(ErrTimeout)
		v.tcp.Close()
		return
	}
	s.all[from] = v
	s.running.Go(func() { s.receive(v, from) })
}

// strangers are streams whose handshake has not ended.
type strangers struct {
	count  int
	oldest netip.AddrPort
	since  time.Duration
}

func (s *strangers) add(at netip.AddrPort, v *incoming) {
	if s.count == 0 || v.since < s.since {
		s.oldest, s.since = at, v.since
	}
	s.count++
}

// drop closes a stream at once, if there is one. The caller holds the mutex.
func (s *streams) drop(at netip.AddrPort) {
	if v := s.all[at]; v != nil {
		delete(s.all, at)
		v.end(ErrTimeout)
		v.tcp.Close()
	}
}

// receive reads a stream until it ends.
func (s *streams) receive(v *incoming, from netip.AddrPort) {
	why := v.receive(func() bool { return s.server.isFull(from) }, func(b []byte) {
		s.server.arrive(s.now(), from, b)
		if !v.known.Load() && s.server.holds(from) {
			v.known.Store(true)
		}
	})
	v.running.Wait()
	s.mutex.Lock()
	if s.all[from] == v {
		delete(s.all, from)
	}
	s.mutex.Unlock()
	s.server.left(from, whyLeft(why))
}

// write sends a datagram through the stream of an address.
func (s *streams) write(to netip.AddrPort, datagram []byte) error {
	s.mutex.Lock()
	v := s.all[to]
	s.mutex.Unlock()
	if v == nil {
		return net.ErrClosed
	}
	return v.write(datagram)
}

// keep keeps the connections alive until close.
func (s *streams) keep() {
	tick := time.NewTicker(housekeeping)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			s.server.tick(s.now())
			s.endIdle(s.now())
		}
	}
}

// endIdle ends the streams that have not connected in time, or whose connection has ended.
func (s *streams) endIdle(now time.Duration) {
	idle := map[netip.AddrPort]*incoming{}
	s.mutex.Lock()
	for from, v := range s.all {
		if now-v.since > strangerLife {
			idle[from] = v
		}
	}
	s.mutex.Unlock()
	for from, v := range idle {
		if !s.server.holds(from) {
			v.end(ErrTimeout)
		}
	}
}

// close closes all connections and the listener.
func (s *streams) close() {
	s.listener.Close()
	close(s.stop)
	s.server.close()
	s.mutex.Lock()
	s.ended = true
	for _, v := range s.all {
		v.end(ErrClosed)
	}
	s.mutex.Unlock()
	s.running.Wait()
}

// dialTCP connects to one address.
func dialTCP(ctx context.Context, to netip.AddrPort, config Config) (*Conn, error) {
	within, cancel := context.WithTimeout(ctx, config.Timeout)
	defer cancel()
	tcp, err := new(net.Dialer).DialContext(within, "tcp", to.String())
	if err != nil {
		return nil, explain(err)
	}
	s := newStream(tcp)
	conn := newConn(to, &config, s.write)
	stop, soon := make(chan struct{}), make(chan struct{}, 1)
	conn.finish = sync.OnceFunc(func() {
		close(stop)
		s.end(ErrClosed)
		s.running.Wait()
	})
	connected := make(chan error, 2) // the handshake's end, and the stream's
	a := newAttempt(conn, connected)
	a.handshake.interval = lateInterval // nothing is lost; another request is for an address that the server has forgotten
	var mutex sync.Mutex                // of a
	s.running.Go(func() {
		why := s.receive(conn.isFull, func(b []byte) {
			mutex.Lock()
			defer mutex.Unlock()
			if a.arrive(b) {
				select {
				case soon <- struct{}{}:
				default:
				}
			}
		})
		conn.end(whyLeft(why))
		mutex.Lock()
		defer mutex.Unlock()
		if !a.isUp {
			connected <- fmt.Errorf("the server has closed the connection: %w", why)
		}
	})
	s.running.Go(func() {
		for next := time.Now(); !next.IsZero(); {
			select {
			case <-stop:
				return
			case <-soon:
			case <-time.After(time.Until(next)):
			}
			mutex.Lock()
			next = a.due()
			mutex.Unlock()
		}
	})
	return established(ctx, conn, connected)
}
