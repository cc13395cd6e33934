package remote

import (
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
)

// TestOrderedWires plays lockstep as over TCP on connections as TCP is, over a lossy network, with two clients that come later than the
// server. One is killed and comes back, the server goes on with another strategy and returns to the first, and lossy conditions
// are laid over a connection: worlds stay the same, no input is missing, and the captures replay.
func TestOrderedWires(t *testing.T) {
	w := makeWorld(t, "two-players", "latency=40ms,loss=5%", "lockstep", true)
	w.run(300 * time.Millisecond)
	ann, bob := w.connect("ann"), w.connect("bob")
	check := func(when, spec string, clients ...*process) {
		t.Helper()
		if got := w.server.Lab.Panes[0].Spec(); got != spec {
			t.Errorf("%s: %s: want %s", when, got, spec)
		}
		for _, p := range clients {
			if p.err != nil || p.Lab == nil {
				t.Fatalf("%s: %s: %v", when, p.config.Name, p.err)
			}
			pane := p.Lab.Panes[0]
			metres, ok := p.PathError()
			if n := pane.Counters.Value("desyncs") + pane.Counters.Value("rejected_payloads"); n > 0 || !ok || metres > 0.25 || pane.Joining(0) {
				t.Errorf("%s: %s: %v desyncs and rejected payloads, path error %.3f m, %v, joining %v", when, p.config.Name, n, metres, ok, pane.Joining(0))
			}
		}
	}
	w.run(5 * time.Second)
	check("at first", "lockstep:transport=tcp:messages=reliable", ann, bob)
	if experiment.Brief() {
		return
	}
	w.kill(ann)
	w.run(3 * time.Second)
	ann = w.connect("ann")
	w.run(5 * time.Second)
	check("after the return", "lockstep:transport=tcp:messages=reliable", ann, bob)
	for _, spec := range []string{"rollback", "lockstep:transport=udp", "lockstep"} {
		if err := w.server.Instruct("strategy " + spec); err != nil {
			t.Fatal(err)
		}
		w.run(5 * time.Second)
		want := spec
		switch spec {
		case "lockstep":
			want += ":transport=tcp"
		case "lockstep:transport=udp":
			want = "lockstep"
		}
		check("after the switch to "+spec, want+":messages=reliable", ann, bob)
	}
	if err := w.server.Instruct("network all latency=20ms,loss=10%"); err != nil {
		t.Fatal(err)
	}
	w.run(5 * time.Second)
	check("under conditions", "lockstep:transport=tcp:messages=reliable", ann, bob)
	ann.Close()
	bob.Close()
	w.server.Close()
	for _, text := range []string{w.file.String(), ann.file.String(), bob.file.String()} {
		verify(t, text)
	}
}

// TestOrderedConditions checks that conditions over an ordered wire lose nothing and keep the order.
func TestOrderedConditions(t *testing.T) {
	var perfect, over link.Network
	if err := over.Parse("latency=30ms,jitter=20ms,loss=30%,duplicate=5%"); err != nil {
		t.Fatal(err)
	}
	client, server := link.PairTCP(&perfect, 0)
	var left error
	c, next := NewConditions(over, &end{Wire: client, err: &left}, true), byte(0)
	for now := time.Duration(0); now < 10*time.Second; now += 10 * time.Millisecond {
		if i := byte(now / (10 * time.Millisecond)); i < 200 && now < 2*time.Second {
			c.Send(now, []byte{i})
		}
		c.Pump(now)
		for d, ok := server.Receive(now); ok; d, ok = server.Receive(now) {
			if d.Bytes[0] != next {
				t.Fatalf("datagram %d in place of %d", d.Bytes[0], next)
			}
			next++
		}
	}
	if next != 200 {
		t.Errorf("%d of 200 arrived", next)
	}
}

// TestTransportIsRefused checks that a strategy that sends as over TCP does not begin on other connections.
func TestTransportIsRefused(t *testing.T) {
	const want = "serve and join with --transport tcp"
	_, err := NewServer(ServerConfig{Session: lab.Config{Scene: "two-players", Rate: 60}, Spec: "lockstep:transport=tcp"}, 0)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a server: %v", err)
	}
	w := newWorld(t, "two-players", "perfect", "lockstep")
	w.run(50 * time.Millisecond)
	if err := w.server.Instruct("set transport=tcp"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("live: %v", err)
	}
	w = makeWorld(t, "two-players", "perfect", "lockstep", true)
	w.ordered = false // what a client believes of its connection
	ann := w.connect("ann")
	w.run(time.Second)
	if ann.err == nil || !strings.Contains(ann.err.Error(), want) {
		t.Errorf("a client: %v", ann.err)
	}
}

// TestJoinOverLateTCP lets clients join when their first inputs come late and in bursts, as after losses on TCP: none waits for ever for an
// input that the server has taken from the middle of an attempt that it had given up.
func TestJoinOverLateTCP(t *testing.T) {
	seeds := uint64(2)
	if !experiment.Brief() {
		seeds = 8
	}
	for seed := range seeds {
		w := makeWorld(t, "two-players", "latency=50ms,up.loss=20%", "lockstep", true)
		w.network.Seed = seed
		w.run(100 * time.Millisecond)
		ann := w.connect("ann")
		w.run(150 * time.Millisecond)
		bob := w.connect("bob")
		w.run(5 * time.Second)
		for _, p := range []*process{ann, bob} {
			view := p.Lab.Panes[0].Clients[0].View.Tick()
			if server := w.server.Lab.Panes[0].ServerWorld.Tick(); p.Lab.Panes[0].Joining(0) || view+60 < server || server < 240 {
				t.Errorf("seed %d: %s draws tick %d, the server's is %d", seed, p.config.Name, view, server)
			}
		}
	}
}
