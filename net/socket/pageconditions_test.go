//go:build !js

package socket

import (
	"fmt"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/packet"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/remote"
	"ghostcube/sim"
)

// TestPageConditions plays through two data channels, and lays conditions over the second player's while it plays: round trip and loss are
// then as asked for, the other player's stay, and both are as before when the conditions are taken back. A busy machine adds to both, so
// they have an upper bound only where the test itself is late for few ticks. A packet of the scene is one datagram, so that their losses are equal.
func TestPageConditions(t *testing.T) {
	experiment.Skip(t) // six seconds of real time
	c := configs()["secure"]
	c.Start = time.Now()
	p := servePage(t, c)
	now := func() time.Duration { return time.Since(c.Start) }
	session := lab.Config{Scene: "katamari:cubes=0:players=2", Rate: 60}
	server, err := remote.NewServer(remote.ServerConfig{Session: session, Spec: "noprediction", Version: "test"}, now())
	if err != nil {
		t.Fatal(err)
	}
	var clients []*remote.Client
	steps, late := 0.0, 0.0
	play := func(d time.Duration) {
		t.Helper()
		last := now()
		for end := last + d; now() < end; time.Sleep(time.Millisecond) {
			if steps++; now()-last > time.Second/60 {
				late++
			}
			last = now()
			server.Pump(now())
			server.Advance(now())
			for i, x := range clients {
				if err := x.Advance(now(), func(sim.Tick) sim.Input { return sim.Input{Buttons: sim.Right} }); err != nil {
					t.Fatalf("player %d: %v", i+1, err)
				}
			}
		}
	}
	for i := range 2 {
		conn, atServer, _ := joinPage(t, p, c)
		server.Connect(atServer, "browser", now())
		x, err := remote.NewClient(remote.ClientConfig{Name: fmt.Sprint("player", i+1), Version: "test"}, conn, now())
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, x)
		play(300 * time.Millisecond)
	}
	for _, phase := range []struct {
		network         string
		atLeast, atMost time.Duration
		lost            [2]float64
	}{
		{"", 0, 60 * time.Millisecond, [2]float64{0, 0.03}},
		{"latency=75ms,loss=20%", 150 * time.Millisecond, 230 * time.Millisecond, [2]float64{0.05, 0.4}},
		{"perfect", 0, 60 * time.Millisecond, [2]float64{0, 0.03}},
	} {
		if phase.network != "" {
			if err := server.Instruct("network 2 " + phase.network); err != nil {
				t.Fatal(err)
			}
		}
		steps, late = 0, 0
		play(500 * time.Millisecond) // datagrams in flight arrive
		before := [2]packet.Stats{server.Seats()[0].Stats, server.Seats()[1].Stats}
		beforeDown := clients[1].Lab.Panes[0].Clients[0].Endpoint.Stats
		play(1500 * time.Millisecond)
		lost := func(a, b *packet.Stats) float64 {
			return 1 - float64(b.PacketsReceived-a.PacketsReceived)/float64(b.Expected-a.Expected)
		}
		seats, down := server.Seats(), &clients[1].Lab.Panes[0].Clients[0].Endpoint.Stats
		up, downLost := lost(&before[1], &seats[1].Stats), lost(&beforeDown, down)
		t.Logf("%q: round trip %v, %v for the other player; %.1f %% lost up, %.1f %% down", phase.network, seats[1].Stats.LastRTT,
			seats[0].Stats.LastRTT, 100*up, 100*downLost)
		busy := late >= 0.01*steps
		if busy {
			t.Logf("%.1f %% of the steps were a tick late: there is no upper bound", 100*late/steps)
		}
		for _, x := range []float64{up, downLost} {
			if x < phase.lost[0] || x > phase.lost[1] && !busy {
				t.Errorf("%q: %.1f %% lost, want %.0f to %.0f", phase.network, 100*x, 100*phase.lost[0], 100*phase.lost[1])
			}
		}
		if rtt := seats[1].Stats.RTT; rtt < phase.atLeast || rtt > phase.atMost && !busy {
			t.Errorf("%q: round trip %v, want %v to %v", phase.network, rtt, phase.atLeast, phase.atMost)
		}
		if other := lost(&before[0], &seats[0].Stats); (seats[0].Stats.RTT > 60*time.Millisecond || other > 0.03) && !busy {
			t.Errorf("%q: the other player has a round trip of %v and %.1f %% lost", phase.network, seats[0].Stats.RTT, 100*other)
		}
	}
}
