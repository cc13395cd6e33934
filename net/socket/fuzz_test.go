//go:build !js

package socket

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"
)

// FuzzServer gives a server that has a client any bytes from the address of the client and of a stranger. It does not
// panic, answers with at most half of the bytes, and the honest client goes on.
func FuzzServer(f *testing.F) {
	for _, kind := range []byte{kindHello, kindConnect} {
		r := request{kind: kind, version: version, mode: modeNoise}
		f.Add(r.write(make([]byte, requestBytes)))
	}
	f.Add([]byte{kindData, 1, 0, 0, 0, 9, 9})
	p := connectedPair(f, configs()["secure"])
	server := p.server.peers[clientAddress].conn
	stranger := netip.MustParseAddrPort("192.0.2.9:4000")
	f.Fuzz(func(t *testing.T, b []byte) {
		before := p.bytes
		p.server.arrive(p.now, clientAddress, bytes.Clone(b))
		p.server.arrive(p.now, stranger, bytes.Clone(b))
		if out := p.bytes - before; out > len(b)+28 {
			t.Errorf("%d bytes in answer to twice %d", out, len(b)+28)
		}
		var wire []byte
		p.client.conn.write = func(b []byte) error { wire = bytes.Clone(b); return nil }
		p.client.conn.Send(p.now, []byte("on"))
		p.server.arrive(p.now, clientAddress, wire)
		if d, ok := server.Receive(p.now); !ok || string(d.Bytes) != "on" {
			t.Error("the honest datagram was not received")
		}
	})
}

// FuzzClient gives a client any bytes in each state of its handshake. It does not panic, and gets the keys of no one.
func FuzzClient(f *testing.F) {
	for _, kind := range []byte{kindCookie, kindAccept, kindRefuse} {
		f.Add((&reply{kind, 7, make([]byte, cookieBytes)}).append(nil))
		f.Add((&reply{kind, 7, make([]byte, answerBytes)}).append(nil))
		f.Add((&reply{kind, 7, append([]byte{kind}, make([]byte, applicationBytes)...)}).append(nil))
	}
	config, err := configs()["secure"].check()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		conn := newConn(clientAddress, &config, func([]byte) error { return nil })
		c := newClient(0, &config, conn, func() uint64 { return 7 })
		cookie := reply{kindCookie, 7, make([]byte, cookieBytes)}
		for range 2 {
			c.next(0)
			c.arrive(0, bytes.Clone(b))
			if c.state > connecting {
				t.Fatalf("in state %d", c.state)
			}
			c.arrive(0, cookie.append(nil))
		}
	})
}

// FuzzOpen opens any bytes with and without a key. What is opened without one is what was sent.
func FuzzOpen(f *testing.F) {
	f.Add([]byte{kindData, 0, 0, 0, 0, 1, 2, 3})
	_, secure := sessionPair(f, configs()["secure"])
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, _, err := secure.open(bytes.Clone(b)); err == nil {
			t.Error("opened bytes that no one has sealed")
		}
		var insecure opener
		kind, payload, err := insecure.open(bytes.Clone(b))
		if again := (&sealer{}).append(nil, kind, payload); err == nil && !bytes.Equal(again, b) {
			t.Errorf("opened %x, sealed again %x", b, again)
		}
	})
}

// FuzzFrames reads arbitrary bytes as a stream of datagrams: none is altered or larger than the limit.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{2, 0, 9, 9, 0, 0})
	f.Add(append([]byte{0xC6, 4}, make([]byte, maxWire)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		in, memory, again := bytes.NewReader(b), make([]byte, maxWire), []byte(nil)
		for {
			datagram, err := readFrame(in, memory)
			if err != nil {
				break
			}
			again = append(binary.LittleEndian.AppendUint16(again, uint16(len(datagram))), datagram...)
		}
		if !bytes.HasPrefix(b, again) {
			t.Errorf("%x is read as %x", b, again)
		}
	})
}
