package lab_test

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestRollbackRecovers pushes the server's cube, so that the worlds of all clients differ from the server's for good,
// lets the clients download the world one after the other, and checks that all worlds are the same again, bit for
// bit, while the players keep playing: every checksum agrees.
func TestRollbackRecovers(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, scene := range []string{"two-players", "katamari:cubes=60:players=2", "convoy:players=2"} {
		t.Run(scene, func(t *testing.T) {
			t.Parallel()
			c := labtest.Config(t, scene, "latency=40ms,jitter=10ms,loss=5%", AtClient)
			l := labtest.Open(t, c, "rollback:messages=reliable:checksum-every=1")
			p := l.Panes[0]
			run := func(n int) {
				for range n {
					i := int(l.Ticks())
					labtest.Tick(t, l, Entry{Inputs: []sim.Input{labtest.Inputs(i)[0], labtest.Inputs(i + 400)[0]}})
				}
			}
			run(180)
			labtest.Apply(t, l, "nudge all x 1")
			run(120)
			if n := p.Counters.Value("desyncs"); n != 2 {
				t.Fatalf("%v desyncs after a push of the server's cube", n)
			}
			labtest.Apply(t, l, "rejoin all 1 -")
			run(20)
			labtest.Apply(t, l, "rejoin all 2 -")
			run(500)
			compared := p.Counters.Value("compared_checksums")
			run(200)
			if n := p.Counters.Value("joins"); n != 2 {
				t.Errorf("%v joins", n)
			}
			if n := p.Counters.Value("compared_checksums") - compared; n < 300 {
				t.Errorf("%v checksums compared after the joins", n)
			}
			for i, c := range p.Clients {
				if c.View.Note != "" || p.Counters.Value("desyncs") != 2 {
					t.Errorf("client %d: %q, %v desyncs", i, c.View.Note, p.Counters.Value("desyncs"))
				}
			}
		})
	}
}

// TestMeshConformance checks the contract of strategies in a mesh, whose links between peers are copied too, with
// faults on one client and an attacker on all links.
func TestMeshConformance(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, scene := range []string{"two-players", "katamari:cubes=60:players=4", "zen"} {
		t.Run(scene, func(t *testing.T) {
			t.Parallel()
			c := labtest.Config(t, scene, badNetwork, AtClient)
			l := conforms(t, c, "rollback:topology=mesh:checksum-every=1", 300, 300, func(t testing.TB, l *Lab, n int) {
				labtest.Apply(t, l, "clock all skew -20000", "clock all 1.fps 30", "freeze all 1 500ms", "attack all replay 200ms", "attack all forge 9")
				labtest.Run(t, l, n)
				labtest.Apply(t, l, "clock all skew off", "clock all 1.fps off")
			})
			restsAtServer(t, l, 900, 0.001, false)
			p := l.Panes[0]
			if n := p.Counters.Value("desyncs"); n != 0 || p.Counters.Value("compared_checksums") < 600 {
				t.Errorf("%v desyncs, %v checksums compared", n, p.Counters.Value("compared_checksums"))
			}
		})
	}
}

// TestTopologyRestarts checks that the sides start again from the server's world when the topology changes, and that
// all worlds agree afterwards; and that a client cannot join again in a mesh.
func TestTopologyRestarts(t *testing.T) {
	t.Parallel()
	c := labtest.Config(t, "two-players", "latency=40ms,jitter=10ms,loss=5%", AtClient)
	l := labtest.Open(t, c, "rollback:messages=reliable:checksum-every=1:lead=5")
	p := l.Panes[0]
	for _, topology := range []string{"mesh", "relay"} {
		labtest.Run(t, l, 200)
		tick := p.ServerWorld.Tick()
		labtest.Apply(t, l, "set all topology "+topology)
		if p.StartTick() != l.Ticks() || p.ServerWorld.Tick() != tick || p.Knobs.Lookup("lead").Value() != "5" {
			t.Errorf("%s: the pane %s has started at tick %d of %d, its world is at %d of %d",
				topology, p.Spec(), p.StartTick(), l.Ticks(), p.ServerWorld.Tick(), tick)
		}
		labtest.Apply(t, l, "set all topology "+topology)
		labtest.Run(t, l, 200)
		if n := p.Counters.Value("desyncs"); n != 0 || p.Counters.Value("compared_checksums") < 200 {
			t.Errorf("%s: %v desyncs, %v checksums compared", topology, n, p.Counters.Value("compared_checksums"))
		}
		err := l.Apply(Command{Verb: "rejoin", Pane: AllPanes, Name: "1"})
		if refused := err != nil && strings.Contains(err.Error(), "set topology=relay"); refused != (topology == "mesh") {
			t.Errorf("%s: a client that joins again: %v", topology, err)
		}
	}
}

// TestMeshCountsAllLinks checks that the bandwidth of a client in a mesh has the packets to all peers.
func TestMeshCountsAllLinks(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "katamari:cubes=9:players=4", "latency=40ms", AtClient), "rollback", "rollback:topology=mesh")
	labtest.Run(t, l, 120)
	for _, d := range []link.Direction{link.Up, link.Down} {
		server, all := l.Panes[1].Clients[0].LinkCounters(d).WireBytes, l.Panes[1].Clients[0].WireBytes(d)
		if all < 3*server || all > 6*server {
			t.Errorf("direction %v: %d bytes on the link with the server, %d on all four", d, server, all)
		}
		if c := l.Panes[0].Clients[0]; c.WireBytes(d) != c.LinkCounters(d).WireBytes {
			t.Errorf("direction %v: a relayed client sends to peers", d)
		}
	}
}
