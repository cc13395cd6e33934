//go:build !js || headless

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/net/measure"
	"ghostcube/net/socket"
)

// shim forwards UDP between a client on the loopback and a server, through a simulated link on the real clock. It notes
// when it has taken and passed on each probe and each answer of an insecure connection.
type shim struct {
	address string // for the client
	stop    func()
	mutex   sync.Mutex
	up      map[uint32]*passage // by the number of the probe
	down    map[uint32]*passage
}

// passage is when a datagram came to the shim, and when it left.
type passage struct {
	in, out time.Duration
	passed  bool
}

// startShim starts a shim before a server, until the test ends.
func startShim(t *testing.T, conditions string, server netip.AddrPort) *shim {
	t.Helper()
	n := &link.Network{}
	need(n.Parse(conditions))
	return forward(t, n, 0, listenLoopback(), must(net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(server))), 200*time.Microsecond)
}

// listenLoopback returns a socket at a free port of the loopback.
func listenLoopback() *net.UDPConn {
	return must(net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0"))))
}

// forward starts the shim of a client, by its number, between two sockets. It passes datagrams on at intervals of poll.
func forward(t *testing.T, n *link.Network, client int, front, back *net.UDPConn, poll time.Duration) *shim {
	near, far := link.Pair(n, client)
	s := &shim{address: front.LocalAddr().String(), up: map[uint32]*passage{}, down: map[uint32]*passage{}}
	start, from := time.Now(), netip.AddrPort{}
	var all sync.WaitGroup
	read := func(conn *net.UDPConn, to *link.End) {
		b := make([]byte, 2000)
		for {
			k, at, err := conn.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			s.mutex.Lock()
			now := time.Since(start)
			if x := s.passage(b[:k]); x != nil {
				x.in = now
			}
			if conn == front {
				from = at
			}
			to.Send(now, b[:k])
			s.mutex.Unlock()
		}
	}
	all.Go(func() { read(front, near) })
	all.Go(func() { read(back, far) })
	ctx, cancel := context.WithCancel(context.Background())
	pass := func(end *link.End, write func(b []byte)) {
		for d, ok := end.Receive(time.Since(start)); ok; d, ok = end.Receive(time.Since(start)) {
			if x := s.passage(d.Bytes); x != nil {
				x.out, x.passed = time.Since(start), true
			}
			write(d.Bytes)
		}
	}
	all.Go(func() {
		for ; ctx.Err() == nil; time.Sleep(poll) {
			s.mutex.Lock()
			pass(far, func(b []byte) { back.Write(b) })
			pass(near, func(b []byte) { front.WriteToUDPAddrPort(b, from) })
			s.mutex.Unlock()
		}
	})
	s.stop = sync.OnceFunc(func() {
		cancel()
		front.Close()
		back.Close()
		all.Wait()
	})
	t.Cleanup(s.stop)
	return s
}

// passage returns the passage of a probe or an answer, nil of another datagram. Their number stands behind the header of
// an insecure connection and the kind.
func (s *shim) passage(b []byte) *passage {
	if len(b) < socket.OverheadInsecure+measure.MinSize {
		return nil
	}
	b = b[socket.OverheadInsecure:]
	all := map[byte]map[uint32]*passage{'P': s.up, 'E': s.down}[b[0]]
	number := binary.LittleEndian.Uint32(b[1:])
	if all != nil && all[number] == nil {
		all[number] = &passage{}
	}
	return all[number]
}

// did returns what the shim did with the first datagrams of a direction: the share that it lost, and the median and the
// 95th percentile of their delay, in milliseconds.
func did(all map[uint32]*passage, count int) (lost, p50, p95 float64) {
	var delays []float64
	sent := 0
	for n, x := range all {
		if int(n) >= count {
			continue
		}
		if sent++; x.passed {
			delays = append(delays, milliseconds(x.out-x.in))
		}
	}
	slices.Sort(delays)
	return 1 - float64(len(delays))/float64(sent), delays[(len(delays)-1)*50/100], delays[(len(delays)-1)*95/100]
}

// listening starts probe --listen and returns its address and the flag of its key.
func listening(t *testing.T, insecure bool) (at netip.AddrPort, protection string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	read, write := io.Pipe()
	p := newProgram(testEnvironment(nil, write, t.Output()))
	c := &probeCommand{Listen: "127.0.0.1:0", Insecure: insecure, Seconds: 1, Size: 100, PPS: 60, Format: "table"}
	config := must(c.config())
	var done sync.WaitGroup
	done.Go(func() { need(c.listen(ctx, p, config)) })
	t.Cleanup(func() { cancel(); done.Wait() })
	lines := bufio.NewReader(read)
	must(lines.ReadString('\n'))
	words := strings.Fields(must(lines.ReadString('\n')))
	return netip.MustParseAddrPort(words[2]), strings.Join(words[3:], " ")
}

// busy is the share of late naps from which the machine is too busy for processes that wait for their ticks.
const busy = 0.01

// lateNaps calls f and takes short naps meanwhile. It returns the share of those from which it woke a tick late or later.
func lateNaps(f func()) (share float64) {
	const nap = 10 * time.Millisecond
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	for naps, late := 1.0, 0.0; ; naps++ {
		at := time.Now()
		select {
		case <-done:
			return late / naps
		case <-time.After(nap):
		}
		if time.Since(at) > nap+time.Second/60 {
			late++
		}
	}
}

// TestProbe measures a link of known conditions over real sockets, through a shim: what the shim did and what was measured
// agree, and the traces can be read. Losses agree exactly. A busy machine adds to the delays between shim and program, so
// they are compared on an idle one, and by their quantiles.
func TestProbe(t *testing.T) {
	experiment.Skip(t)
	seconds := 10
	if experiment.Brief() {
		seconds = 1
	}
	at, protection := listening(t, true)
	shim := startShim(t, "latency=40ms,jitter=12ms,loss=8%", at)
	dir := t.TempDir()
	code, out, errs := 0, "", ""
	late := lateNaps(func() {
		code, out, errs = runIn(t, dir, strings.Fields("probe "+shim.address+" "+protection+" --pps 200 --format json -o home.csv --seconds "+
			fmt.Sprint(seconds))...)
	})
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	shim.stop()
	var r probeResult
	need(json.Unmarshal([]byte(out), &r))
	near := func(what string, got, want, slack float64) {
		t.Helper()
		if t.Logf("%s: measured %.4g, the shim %.4g", what, got, want); math.Abs(got-want) > slack {
			t.Errorf("%s: measured %.4g, the shim %.4g", what, got, want)
		}
	}
	lostUp, up, up95 := did(shim.up, seconds*200)
	lostDown, down, down95 := did(shim.down, seconds*200)
	near("lost up", r.Up.Lost, lostUp, 1e-9)
	near("lost down", r.Down.Lost, lostDown, 1e-9)
	if late >= busy {
		t.Logf("%.1f %% of the test's own naps were a tick too long: delays are not compared", 100*late)
	} else if !experiment.Brief() {
		near("medians, up and down, ms", r.Up.Delay.P50+r.Down.Delay.P50, up+down, (up+down)/20)
		near("95th percentile less median, up, ms", r.Up.Delay.P95-r.Up.Delay.P50, up95-up, max((up95-up)/20, 1))
		near("95th percentile less median, down, ms", r.Down.Delay.P95-r.Down.Delay.P50, down95-down, max((down95-down)/20, 1))
	}
	for _, name := range []string{"home-up.csv", "home-down.csv"} {
		trace, err := link.ReadTrace(bytes.NewReader(must(os.ReadFile(filepath.Join(dir, name)))))
		if err != nil || trace.Samples() < seconds*150 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestProbeRefuses checks what probe says about wrong flags, a wrong key and a port in use.
func TestProbeRefuses(t *testing.T) {
	at, key := listening(t, false)
	key = strings.TrimPrefix(key, "--key ")
	other := socket.NewKey().String()
	for _, x := range []struct {
		args string
		code int
		want string
	}{
		{"probe", 2, "want either the address"},
		{"probe 127.0.0.1:9 --listen :7777", 2, "want either the address"},
		{"probe 127.0.0.1:9", 2, "no --key"},
		{"probe 127.0.0.1:9 --key short", 2, "26 letters"},
		{"probe 127.0.0.1:9 --insecure --key " + key, 2, "want one of them"},
		{"probe 127.0.0.1:9 --insecure --pps 0", 2, "want 1 to 1000"},
		{"probe 127.0.0.1:9 --insecure --size 10", 2, "want 41 to 1200"},
		{"probe 127.0.0.1:9 --insecure --seconds 0.5", 2, "want 1 to 3600"},
		{"probe 127.0.0.1:9 --insecure -o home", 2, "ends with .csv"},
		{"probe 127.0.0.1:9 --insecure -o no/home.csv", 2, "no such file"},
		{"probe nowhere --insecure", 1, "such as 192.168.1.5:7777"},
		{"probe " + at.String() + " --key " + other, 1, "not that of the server"},
		{"probe " + at.String() + " --insecure", 1, "the other is insecure"},
		{"probe --listen " + at.String(), 1, "choose another port"},
	} {
		code, _, errs := runIn(t, t.TempDir(), strings.Fields(x.args)...)
		if code != x.code || !strings.Contains(errs, x.want) {
			t.Errorf("%s: exit code %d, %s", x.args, code, errs)
		}
	}
}
