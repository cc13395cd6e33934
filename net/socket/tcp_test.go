//go:build !js

package socket

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// tcpConfig returns a config with a key, over TCP.
func tcpConfig() Config {
	c := configs()["secure"]
	c.Transport = TCP
	return c
}

// TestTCPLosesNothing sends many more datagrams than a queue holds before any is taken: all arrive, once and in order, because
// the sender waits.
func TestTCPLosesNothing(t *testing.T) {
	const count = 4000
	client, server, _ := connect(t, "127.0.0.1", tcpConfig())
	b := make([]byte, 100)
	for i := range count {
		binary.LittleEndian.PutUint32(b, uint32(i))
		if err := client.Send(0, b); err != nil {
			t.Fatal(err)
		}
	}
	within(t, "a full queue", func() bool { return server.queued() == defaultQueueLength })
	time.Sleep(20 * time.Millisecond)
	for i := range count {
		got := receive(t, server)
		if n := binary.LittleEndian.Uint32([]byte(got)); int(n) != i {
			t.Fatalf("datagram %d in place of %d", n, i)
		}
	}
	if s := server.Stats(); s.Dropped > 0 || s.Refused > 0 || s.Replayed > 0 {
		t.Errorf("%+v", s)
	}
}

// TestTCPEndsSlowReader sends to a client that takes nothing: memory is bounded, so the connection ends, and both sides know.
func TestTCPEndsSlowReader(t *testing.T) {
	client, server, _ := connect(t, "127.0.0.1", tcpConfig())
	err, sent := error(nil), 0
	for b := make([]byte, MaxDatagram); err == nil && sent < 64<<20; sent += len(b) {
		server.Send(0, b)
		err = server.Err()
	}
	within(t, "the end", func() bool { return server.Err() != nil })
	if err := server.Err(); !errors.Is(err, errSlow) {
		t.Errorf("after %d bytes: %v", sent, err)
	}
	for _, ok := client.Receive(1 << 62); ok || client.Err() == nil; _, ok = client.Receive(1 << 62) {
		continue
	}
	if err := client.Err(); !errors.Is(err, ErrLeft) {
		t.Errorf("the client: %v", err)
	}
}

// TestTCPEnds closes either side, and breaks the connection below: the other side knows long before the timeout.
func TestTCPEnds(t *testing.T) {
	for name, end := range map[string]func(client, server *Conn, l *Listener){
		"client":   func(client, _ *Conn, _ *Listener) { client.Close() },
		"server":   func(_, server *Conn, _ *Listener) { server.Close() },
		"listener": func(_, _ *Conn, l *Listener) { l.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			client, server, l := connect(t, "127.0.0.1", tcpConfig())
			end(client, server, l)
			within(t, "the end", func() bool { return client.Err() != nil && server.Err() != nil })
			if err := errors.Join(client.Err(), server.Err()); !errors.Is(err, ErrLeft) || !errors.Is(err, ErrClosed) {
				t.Errorf("client %v, server %v", client.Err(), server.Err())
			}
		})
	}
}

// TestTCPRefuses dials with another key, another application, where only UDP listens, and where nobody does.
func TestTCPRefuses(t *testing.T) {
	c := tcpConfig()
	l, err := Listen("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	stranger, other := c, c
	stranger.Key, other.Application = NewKey(), "test 2"
	for want, config := range map[error]Config{ErrKey: stranger, ErrApplication: other} {
		if _, err := Dial(context.Background(), l.Addr().String(), config); !errors.Is(err, want) {
			t.Errorf("%v: want %v", err, want)
		}
	}
	c.Transport = UDP
	c.Timeout = time.Second
	if _, err := Dial(context.Background(), l.Addr().String(), c); !errors.Is(err, ErrSilent) || !strings.Contains(err.Error(), "let UDP through") {
		t.Errorf("by UDP: %v", err)
	}
	l.Close()
	if _, err := Dial(context.Background(), l.Addr().String(), tcpConfig()); err == nil || !strings.Contains(err.Error(), "no server listens there by TCP") {
		t.Errorf("nobody listens: %v", err)
	}
	if n := l.Stats().Opened; n > 0 {
		t.Errorf("%d connections", n)
	}
}

// TestTCPStrangers opens connections that say nothing, nonsense, or too much at once: each ends, a host has a bounded number of them,
// of which one more ends the oldest, whoever has the key comes in meanwhile, and a client that plays notices nothing.
func TestTCPStrangers(t *testing.T) {
	config := tcpConfig()
	client, server, l := connect(t, "127.0.0.1", config)
	closes := func(what string, c net.Conn) {
		t.Helper()
		c.SetReadDeadline(time.Now().Add(5 * time.Second))
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection stays", what)
		}
		c.Close()
	}
	dial := func(b []byte) net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c.Write(b)
		return c
	}
	closes("no length", dial([]byte{0, 0}))
	closes("a length above the largest", dial(binary.LittleEndian.AppendUint16(nil, maxWire+1)))
	closes("a web browser", dial([]byte("GET / HTTP/1.1\r\n\r\n")))
	nonsense := dial(append([]byte{4, 0}, kindData, 1, 2, 3))
	var all []net.Conn
	for range maxStrangersOfHost {
		all = append(all, dial(nil))
	}
	closes("nonsense, the oldest", nonsense)
	second, err := Dial(context.Background(), l.Addr().String(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	closes("the oldest silence", all[0])
	l.streams.endIdle(l.streams.now() + strangerLife)
	closes("the newest silence", all[maxStrangersOfHost-1])
	client.Send(0, []byte("on"))
	if got := receive(t, server); got != "on" {
		t.Error(got)
	}
	for _, c := range all {
		c.Close()
	}
	if s := l.Stats(); s.Opened != 2 {
		t.Errorf("%+v", s)
	}
}

// TestKeyHasOneText refuses texts that no key has: with bits that a key lacks, and all zero.
func TestKeyHasOneText(t *testing.T) {
	k := NewKey()
	text := k.String()
	if got, err := ParseKey(" " + strings.ToUpper(text)); got != k || err != nil {
		t.Errorf("%s: %v", text, err)
	}
	last := strings.Repeat("b", len(text)-1)
	for text, want := range map[string]string{last + "g": "its last character is g: want e", strings.Repeat("a", len(text)): "all its bits are zero"} {
		if _, err := ParseKey(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
