//go:build !js

package socket

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// realRouter is a router whose ports are sockets of an address of the loopback.
type realRouter struct {
	router
	t       *testing.T
	mutex   sync.Mutex // of all of the router
	sockets map[uint16]*net.UDPConn
	inside  *net.UDPConn
}

func listenUDP(t *testing.T, address string) *net.UDPConn {
	at, err := net.ResolveUDPAddr("udp4", address)
	if err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenUDP("udp4", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close() })
	return udp
}

func newRealRouter(t *testing.T, kind routerKind, host string) *realRouter {
	r := &realRouter{router: router{kind: kind, address: netip.MustParseAddr(host)}, t: t, sockets: map[uint16]*net.UDPConn{}}
	r.inside = listenUDP(t, "127.0.0.1:0")
	r.open = func() uint16 {
		udp := listenUDP(t, host+":0")
		port := udp.LocalAddr().(*net.UDPAddr).AddrPort().Port()
		r.sockets[port] = udp
		go r.read(udp, port)
		return port
	}
	return r
}

// read forwards the datagrams of a port, each preceded by its sender.
func (r *realRouter) read(udp *net.UDPConn, port uint16) {
	b := make([]byte, 2000)
	for {
		n, from, err := udp.ReadFromUDPAddrPort(b[6:])
		if err != nil {
			return
		}
		from = withoutZone(from)
		r.mutex.Lock()
		to, ok := r.in(0, port, from)
		r.mutex.Unlock()
		if ok {
			address := from.Addr().As4()
			copy(b, address[:])
			binary.LittleEndian.PutUint16(b[4:], from.Port())
			r.inside.WriteToUDPAddrPort(b[:6+n], to)
		}
	}
}

// behindSocket is the socket of a client behind a router.
type behindSocket struct {
	*net.UDPConn
	router *realRouter
}

func (s *behindSocket) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	s.router.mutex.Lock()
	defer s.router.mutex.Unlock()
	from := s.router.out(0, s.LocalAddr().(*net.UDPAddr).AddrPort(), to)
	return s.router.sockets[from.Port()].WriteToUDPAddrPort(b, to)
}

func (s *behindSocket) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	big := make([]byte, len(b)+6)
	n, _, err := s.UDPConn.ReadFromUDPAddrPort(big)
	if err != nil || n < 6 {
		return 0, netip.AddrPort{}, err
	}
	copy(b, big[6:n])
	return n - 6, netip.AddrPortFrom(netip.AddrFrom4([4]byte(big)), binary.LittleEndian.Uint16(big[4:])), nil
}

// TestRealRouters is TestRouters with real sockets: clients join a server through routers on the loopback, are introduced to each
// other and exchange a datagram each way where there is a path.
func TestRealRouters(t *testing.T) {
	if !hasAddress("127.0.9.1") {
		t.Skip("this machine has no addresses 127.0.9.1 and up")
	}
	for i, first := range routerKinds {
		for k, second := range routerKinds[:i+1] {
			t.Run(fmt.Sprintf("%v and %v", first, second), func(t *testing.T) {
				t.Parallel()
				c := configs()["secure"]
				l, err := Listen("127.0.0.1:0", c)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { l.Close() })
				var clients, atServer [2]*Conn
				for n, kind := range []routerKind{first, second} {
					config := c
					if kind != (routerKind{}) {
						r := newRealRouter(t, kind, fmt.Sprintf("127.0.%d.%d", 10+i, 10*k+1+n))
						config.behind = func(string) (udpSocket, error) { return &behindSocket{listenUDP(t, "127.0.0.1:0"), r}, nil }
					}
					if clients[n], err = Dial(context.Background(), l.Addr().String(), config); err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { clients[n].Close() })
					atServer[n] = accept(t, l)
				}
				told, other := Introductions(atServer[0].RemoteAddr().String(), atServer[1].RemoteAddr().String(), clients[0].LocalAddress(), clients[1].LocalAddress())
				x, errX := clients[0].Introduce(told)
				y, errY := clients[1].Introduce(other)
				if err := errors.Join(errX, errY); err != nil {
					t.Fatal(err)
				}
				now := func() time.Duration { return time.Since(c.Start) }
				if !first.opensTo(second) {
					time.Sleep(300 * time.Millisecond)
					if x.IsOpen(now()) || y.IsOpen(now()) {
						t.Error("there is a path")
					}
					return
				}
				within(t, "a direct path", func() bool { return x.IsOpen(now()) && y.IsOpen(now()) })
				for _, way := range [][2]*Peer{{x, y}, {y, x}} {
					way[0].Send(now(), []byte("hello"))
					within(t, "a datagram", func() bool { d, ok := way[1].Receive(now()); return ok && string(d.Bytes) == "hello" })
				}
			})
		}
	}
}
