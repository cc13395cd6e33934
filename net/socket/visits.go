//go:build !js || headless

package socket

import (
	"net"
	"net/netip"
	"sync"
)

// Bounds of the TCP connections to a page.
const (
	maxVisits       = 128
	maxVisitsOfHost = 32
)

// visits is a listener that accepts a limited number of TCP connections, of each host and of all.
type visits struct {
	net.Listener
	mutex sync.Mutex
	of    map[netip.Addr]int
	all   int
}

// Accept returns the next connection within the limits. It closes the others.
func (v *visits) Accept() (net.Conn, error) {
	for {
		c, err := v.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if from := hostOf(c.RemoteAddr().String()); v.enter(from) {
			return &visit{Conn: c, leave: sync.OnceFunc(func() { v.left(from) })}, nil
		}
		c.Close()
	}
}

func (v *visits) enter(from netip.Addr) bool {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if v.all >= maxVisits || v.of[from] >= maxVisitsOfHost {
		return false
	}
	v.all++
	v.of[from]++
	return true
}

func (v *visits) left(from netip.Addr) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.all--
	if v.of[from]--; v.of[from] == 0 {
		delete(v.of, from)
	}
}

// visit is a TCP connection that counts.
type visit struct {
	net.Conn
	leave func()
}

// Close closes the connection.
func (v *visit) Close() error {
	v.leave()
	return v.Conn.Close()
}

// hostOf returns the address of a host without its port.
func hostOf(address string) netip.Addr {
	a, _ := netip.ParseAddrPort(address) // net/http has got it from the system
	return a.Addr().Unmap()
}
