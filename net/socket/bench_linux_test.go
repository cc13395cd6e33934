package socket

import (
	"net"
	"syscall"
	"testing"
	"time"
)

// processorTime returns the processor time of this program.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkLoopback sends datagrams of 100 bytes over the loopback, 64 at a time, and receives them: over plain sockets, over a
// connection without and with a key, and with a key over TCP and through a data channel, as of a browser. The processor time of both sides
// together is what other work on the machine distorts least; that of the connections includes the keepalives of 50 ms and the
// waiting of the benchmark.
func BenchmarkLoopback(b *testing.B) {
	payload := make([]byte, 100)
	run := func(b *testing.B, send func() error, receive func() bool) {
		b.ReportAllocs()
		const batch = 64
		before := processorTime(b)
		for b.Loop() {
			for range batch {
				if err := send(); err != nil {
					b.Fatal(err)
				}
			}
			for range batch {
				for !receive() {
					time.Sleep(20 * time.Microsecond)
				}
			}
		}
		b.ReportMetric(float64(processorTime(b)-before)/float64(b.N)/batch, "cpu-ns/datagram")
		b.ReportMetric(0, "ns/op")
	}
	b.Run("net.UDPConn", func(b *testing.B) {
		server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			b.Fatal(err)
		}
		defer server.Close()
		client, err := net.DialUDP("udp4", nil, server.LocalAddr().(*net.UDPAddr))
		if err != nil {
			b.Fatal(err)
		}
		defer client.Close()
		buffer := make([]byte, maxWire)
		run(b, func() error { _, err := client.Write(payload); return err }, func() bool {
			_, _, err := server.ReadFromUDPAddrPort(buffer)
			return err == nil
		})
	})
	for _, name := range []string{"insecure", "secure"} {
		b.Run(name, func(b *testing.B) {
			client, server, _ := connect(b, "127.0.0.1", configs()[name])
			run(b, func() error { return client.Send(0, payload) }, func() bool {
				_, ok := server.Receive(1 << 62)
				return ok
			})
		})
	}
	b.Run("TCP", func(b *testing.B) {
		client, server, _ := connect(b, "127.0.0.1", tcpConfig())
		run(b, func() error { return client.Send(0, payload) }, func() bool {
			_, ok := server.Receive(1 << 62)
			return ok
		})
	})
	b.Run("data channel", func(b *testing.B) {
		c := configs()["secure"]
		client, server, _ := joinPage(b, servePage(b, c), c)
		run(b, func() error { return client.Send(0, payload) }, func() bool {
			_, ok := server.Receive(1 << 62)
			return ok
		})
	})
}
