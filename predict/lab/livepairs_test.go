package lab_test

import (
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// checkSettled checks that a session like its fork has refused nothing and that each client draws what the server has, once
// the players have given no input for some ticks.
func checkSettled(t *testing.T, l, fork *Lab, ticks int) {
	t.Helper()
	for _, s := range []*Lab{l, fork} {
		labtest.Hold(t, s, ticks, sim.Input{}, sim.Input{})
	}
	if fork.Hash() != l.Hash() {
		t.Error("a fork diverges")
	}
	p := l.Panes[0]
	if n := p.Counters.Value("rejected_payloads") + p.Counters.Value("messages_malformed") + p.Counters.Value("desyncs"); n > 0 {
		t.Errorf("%v payloads and messages refused, and desyncs", n)
	}
	for i := range p.Clients {
		for body, b := range p.ServerWorld.Bodies() {
			if d := b.Pose.Pos.Sub(p.Clients[i].View.Bodies[body].Pos).Len(); d > 0.01 {
				t.Errorf("client %d draws body %d %v m from the server's", i, body, d)
			}
		}
	}
}

// TestRejoinWhilePivotChanges lets a client forget its world in the tick in which joint-pivot changes, before it and after it,
// while the vehicles are driven and at rest: nothing is refused, and the client draws what the server has.
func TestRejoinWhilePivotChanges(t *testing.T) {
	experiment.Skip(t)
	for _, strategy := range []string{"animated", "relative"} {
		for i, commands := range [][]string{{"rejoin all 1 -", "set 1 joint-pivot center"}, {"set 1 joint-pivot center", "rejoin all 1 -"}} {
			for _, key := range []sim.Buttons{0, sim.Forward} {
				c := labtest.Config(t, "convoy:wagons=1:players=2", "latency=50ms,jitter=10ms,loss=2%", AtClient)
				l := labtest.Open(t, c, strategy+":joint-tree=relative:messages=reliable")
				labtest.Hold(t, l, 200, sim.Input{Buttons: key}, sim.Input{Buttons: key})
				labtest.Apply(t, l, commands...)
				labtest.Hold(t, l, 6, sim.Input{Buttons: key}, sim.Input{Buttons: key})
				labtest.Apply(t, l, "set 1 joint-pivot anchor")
				fork := l.Fork()
				checkSettled(t, l, fork, 300)
				if n := l.Panes[0].Counters.Value("joins"); n != 1 || t.Failed() {
					t.Fatalf("%s, order %d, keys %d: %v joins", strategy, i, key, n)
				}
			}
		}
	}
}

// TestNetworkChangesInBlackout changes the network of all strategies while no packet passes: to a longer and a lossy path, to a perfect
// one, and back. Later packets arrive under the new conditions: nothing is refused, and all clients draw the server's poses.
func TestNetworkChangesInBlackout(t *testing.T) {
	experiment.Skip(t)
	for i, s := range Strategies {
		if i%experiment.Pick(3, 1, 1) != 0 {
			continue
		}
		l := labtest.Open(t, labtest.Config(t, "two-players", "latency=50ms,jitter=10ms", AtClient), s.Name)
		keys := func(n int) []sim.Input {
			return []sim.Input{{Buttons: sim.Buttons(1 << (n % 4))}, {Buttons: sim.Buttons(1 << ((n + 1) % 4))}}
		}
		for n, network := range []string{"latency=200ms,loss=10%", "perfect", "latency=20ms,jitter=30ms", "metro"} {
			labtest.Hold(t, l, 100, keys(n)...)
			labtest.Apply(t, l, "blackout all - 800ms")
			labtest.Hold(t, l, 20, keys(n+1)...)
			labtest.Apply(t, l, "network all - "+network)
			labtest.Hold(t, l, 40, keys(n+2)...)
		}
		labtest.Apply(t, l, "network all - latency=50ms")
		fork := l.Fork()
		if checkSettled(t, l, fork, 400); t.Failed() {
			t.Fatal(s.Name)
		}
	}
}
