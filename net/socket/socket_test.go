//go:build !js

package socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
)

var _ link.Wire = (*Conn)(nil)

// TestSizes checks that a Conn takes the largest datagram of net/packet and a byte more, and that it fits into the 1280 bytes that every
// IPv6 path carries, of which 48 are of IPv6 and UDP.
func TestSizes(t *testing.T) {
	if MaxDatagram != packet.MaxDatagram+1 {
		t.Errorf("MaxDatagram is %d, that of net/packet %d: want one more", MaxDatagram, packet.MaxDatagram)
	}
	if maxWire+48 > 1280 {
		t.Errorf("the largest datagram has %d bytes with all headers", maxWire+48)
	}
}

// configs are the two ways to connect.
func configs() map[string]Config {
	return map[string]Config{
		"secure":   {Key: NewKey(), Start: time.Now(), Application: "test 1"},
		"insecure": {Insecure: true, Start: time.Now(), Application: "test 1"},
	}
}

// connect returns both sides of a connection over the loopback address of a host.
func connect(t testing.TB, host string, c Config) (client, server *Conn, l *Listener) {
	t.Helper()
	l, err := Listen(net.JoinHostPort(host, "0"), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	client, err = Dial(context.Background(), net.JoinHostPort(host, fmt.Sprint(l.Addr().Port())), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client, accept(t, l), l
}

// within calls f until it is true, and fails after ten seconds.
func within(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within ten seconds", what)
		}
	}
}

func accept(t testing.TB, l *Listener) (c *Conn) {
	t.Helper()
	within(t, "Accept", func() (ok bool) { c, ok = l.Accept(); return ok })
	return c
}

// receive returns the next datagram of a connection as text.
func receive(t testing.TB, c *Conn) (text string) {
	t.Helper()
	within(t, "Receive", func() bool {
		d, ok := c.Receive(time.Since(c.config.Start))
		text = string(d.Bytes)
		return ok
	})
	return text
}

// TestConnection sends datagrams of all sizes in both directions over IPv4 and IPv6, UDP and TCP, with and without a key.
func TestConnection(t *testing.T) {
	all := configs()
	for name, c := range configs() {
		c.Transport = TCP
		all[name+"TCP"] = c
	}
	for name, c := range all {
		for _, host := range []string{"127.0.0.1", "::1"} {
			t.Run(name+host, func(t *testing.T) {
				if !hasAddress(host) {
					t.Skip("this machine has no " + host)
				}
				client, server, _ := connect(t, host, c)
				for _, size := range []int{0, 1, 100, MaxDatagram} {
					text := strings.Repeat("x", size)
					if err := errors.Join(client.Send(0, []byte(text)), server.Send(0, []byte(text))); err != nil {
						t.Fatal(err)
					}
					if got := receive(t, server); got != text {
						t.Errorf("the server received %d bytes, not %d", len(got), size)
					}
					if got := receive(t, client); got != text {
						t.Errorf("the client received %d bytes, not %d", len(got), size)
					}
				}
				if err := client.Send(0, make([]byte, MaxDatagram+1)); err != ErrTooLarge {
					t.Errorf("too large: %v", err)
				}
				if s := client.Stats(); s.Sent != 4 || s.Received != 4 || s.SentBytes != 101+MaxDatagram || s.ReceivedBytes != 101+MaxDatagram {
					t.Errorf("the client has counted %+v", s)
				}
			})
		}
	}
}

func hasAddress(host string) bool {
	c, err := net.ListenPacket("udp", net.JoinHostPort(host, "0"))
	if err == nil {
		c.Close()
	}
	return err == nil
}

// TestReceiveTimes checks that a datagram has the time of its arrival since Start, and is not seen before.
func TestReceiveTimes(t *testing.T) {
	client, server, _ := connect(t, "127.0.0.1", configs()["secure"])
	before := time.Since(client.config.Start)
	client.Send(before, []byte("hello"))
	within(t, "arrival", func() bool { return server.queued() == 1 })
	after := time.Since(client.config.Start)
	if _, ok := server.Receive(before); ok {
		t.Error("received at a time before it was sent")
	}
	d, ok := server.Receive(after)
	if !ok || d.ReceivedAt < before || d.ReceivedAt > after {
		t.Errorf("received: %v, at %v, want %v to %v", ok, d.ReceivedAt, before, after)
	}
}

func (c *Conn) queued() int {
	c.receiving.Lock()
	defer c.receiving.Unlock()
	return c.receiving.used
}

// TestClose checks that both sides learn of a Close, of a client and of a Listener, and that a closed connection sends
// nothing.
func TestClose(t *testing.T) {
	for name, c := range configs() {
		client, server, l := connect(t, "127.0.0.1", c)
		client.Close()
		within(t, name, func() bool { return server.Err() == ErrLeft })
		if err := client.Send(0, nil); err != ErrClosed {
			t.Errorf("%s: Send after Close: %v", name, err)
		}
		again, err := Dial(context.Background(), l.Addr().String(), c)
		if err != nil {
			t.Fatal(err)
		}
		accept(t, l)
		l.Close()
		within(t, name, func() bool { return again.Err() == ErrLeft })
		again.Close()
	}
}

// TestListenErrors checks that the errors of Listen and Dial say what to do.
func TestListenErrors(t *testing.T) {
	c := Config{Insecure: true, Timeout: time.Second}
	l, err := Listen("127.0.0.1:0", c)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	short, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	listen := func(address string, c Config) error { _, err := Listen(address, c); return err }
	dial := func(address string, c Config) error { _, err := Dial(short, address, c); return err }
	for _, x := range []struct {
		err  error
		want string
	}{
		{listen(l.Addr().String(), c), "choose another port"},
		{listen("192.0.2.1:0", c), "does not have the address"},
		{listen("7777", c), "such as :7777"},
		{listen(":0", Config{}), "no key"},
		{listen(":0", Config{Insecure: true, Application: "ü"}), "ASCII"},
		{listen(":0", Config{Insecure: true, QueueLength: -1}), "want 1 to"},
		{listen(":0", Config{Insecure: true, Timeout: 1}), "want 1s to"},
		{dial("127.0.0.1", c), "such as 192.168.1.5:7777"},
		{dial("127.0.0.1:0", c), "want 1 to 65535"},
		{dial("127.0.0.1:9", c), "deadline exceeded"},
	} {
		if x.err == nil || !strings.Contains(x.err.Error(), x.want) {
			t.Errorf("got %v, want %q", x.err, x.want)
		}
	}
}

// TestQueue checks that a full queue drops what comes, keeps the order, and that bytes stay valid until the next call.
func TestQueue(t *testing.T) {
	q := queue{slots: make([]queued, 3)}
	for round := range 5 {
		for i := range 4 {
			if ok := q.put(time.Duration(i), fmt.Appendf(nil, "%d/%d", round, i)); ok != (i < 3) {
				t.Errorf("put %d: %v", i, ok)
			}
		}
		var texts []string
		for d, ok := q.take(9); ok; d, ok = q.take(9) {
			q.put(9, []byte("overwrite"))
			if texts = append(texts, string(d.Bytes)); len(texts) == 3 {
				break
			}
		}
		want := []string{fmt.Sprintf("%d/0", round), fmt.Sprintf("%d/1", round), fmt.Sprintf("%d/2", round)}
		if !slices.Equal(texts, want) {
			t.Errorf("taken %v, want %v", texts, want)
		}
		q.first, q.used = 0, 0
	}
}

// TestNoAllocation checks that a datagram costs no allocation from Send to Receive, once the queue's memory is there. What
// lies between, the calls of the operating system, BenchmarkLoopback measures.
func TestNoAllocation(t *testing.T) {
	for name, c := range configs() {
		c.QueueLength = 4
		client, server, _ := connect(t, "127.0.0.1", c)
		var wire []byte
		client.sending.Lock()
		client.write = func(b []byte) error { wire = append(wire[:0], b...); return nil }
		client.sending.Unlock()
		payload := make([]byte, 500)
		pass := func() {
			client.Send(0, payload)
			server.arrive(0, wire)
			if _, ok := server.Receive(0); !ok {
				t.Fatal(name + ": nothing received")
			}
		}
		for range 10 {
			pass()
		}
		if n := testing.AllocsPerRun(1000, pass); n > 0 {
			t.Errorf("%s: %v allocations a datagram", name, n)
		}
	}
}
