package cli

import (
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"ghostcube/net/link"
)

// connectBot puts a relay between a bot and the server, and returns its address for the bot. In a mesh it also returns a
// socket of the other bot's namespace, at the address at which the server sees this one.
func (s *namespaceSession) connectBot(i int, network *link.Network, server string) (address string, seen *net.UDPConn) {
	var front, back *net.UDPConn
	s.places[1+i].do(func() { front = listenLoopback() })
	for {
		s.places[0].do(func() { back = must(net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.MustParseAddrPort(server)))) })
		if s.spec != meshSpec || s.places[0] == nil {
			break
		}
		var err error
		if s.places[2-i].do(func() { seen, err = net.ListenUDP("udp", back.LocalAddr().(*net.UDPAddr)) }); err == nil {
			break
		}
		back.Close() // the port is taken there
	}
	return forward(s.T, network, i, front, back, time.Millisecond).address, seen
}

// between passes datagrams between two bots over a simulated link, until the test ends. Each bot has one of the sockets for
// the other bot. seen has the address of the second for the first as the server knows it: nothing that is sent there arrives.
func between(t *testing.T, n *link.Network, sockets [2]*net.UDPConn, seen *net.UDPConn) {
	var ends [2]*link.End
	ends[0], ends[1] = link.PeerPair(n, 0, 1)
	var mutex sync.Mutex // of all above, and of
	var bots [2]netip.AddrPort
	start, stop := time.Now(), make(chan struct{})
	var all sync.WaitGroup
	read := func(i int, socket *net.UDPConn) {
		all.Go(func() {
			b := make([]byte, 2000)
			for {
				k, at, err := socket.ReadFromUDPAddrPort(b)
				if err != nil {
					return
				}
				mutex.Lock()
				if bots[i] = at; socket != seen {
					ends[i].Send(time.Since(start), b[:k])
				}
				mutex.Unlock()
			}
		})
	}
	read(0, seen)
	for i, socket := range sockets {
		read(i, socket)
	}
	all.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			mutex.Lock()
			for i, end := range ends {
				for d, ok := end.Receive(time.Since(start)); ok; d, ok = end.Receive(time.Since(start)) {
					sockets[i].WriteToUDPAddrPort(d.Bytes, bots[i])
				}
			}
			mutex.Unlock()
		}
	})
	t.Cleanup(func() {
		close(stop)
		for _, socket := range []*net.UDPConn{seen, sockets[0], sockets[1]} {
			socket.Close()
		}
		all.Wait()
	})
}
