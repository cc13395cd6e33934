package lab_test

import (
	"testing"

	"ghostcube/internal/experiment"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestLiveFormat turns the knobs that change the format of packets while packets are on their way, in every strategy
// that has them, several times within a round trip. Nobody refuses one of these packets, a fork made between ends
// like the original, and the client goes on following the server.
func TestLiveFormat(t *testing.T) {
	experiment.Skip(t)
	for _, c := range []struct {
		scene, knob string
		values      []string
	}{
		{"two-players", "messages", []string{"reliable", "off", "unreliable", "reliable"}},
		{"two-players", "checks", []string{"on", "off", "on", "on"}},
		{"katamari:cubes=25:players=2", "interest-radius", []string{"8", "20", "0", "8"}},
		{"katamari:cubes=25:players=2", "interest-cutoff", []string{"20", "0", "40", "0"}},
		{"trailer", "joint-tree", []string{"relative", "off", "relative-position", "off"}},
		{"convoy:wagons=1:players=2", "joint-pivot", []string{"center", "anchor", "center", "anchor"}},
		{"convoy:wagons=2", "joint-root", []string{"operated", "heaviest", "operated", "heaviest"}},
		{"katamari:cubes=25:players=2", "index-encoding", []string{"bitmap", "relative-dense", "absolute", "shorter"}},
		{"two-players", "playout", []string{"40", "2", "55", "1"}},
	} {
		for _, s := range Strategies {
			knobs, _ := Describe(s)
			if knobs.Lookup(c.knob) == nil {
				continue
			}
			t.Run(c.knob+" "+s.Name, func(t *testing.T) {
				t.Parallel()
				spec := s.Name
				switch c.knob {
				case "joint-root", "joint-pivot":
					spec += ":joint-tree=relative"
				case "index-encoding":
					spec += ":compression=relative-position"
				}
				l := labtest.Open(t, labtest.Config(t, c.scene, "latency=120ms", AtClient), spec)
				run := func(l *Lab, n int) {
					for range n {
						labtest.Tick(t, l, Entry{Inputs: []sim.Input{{Buttons: sim.Right}, {Buttons: sim.Forward}}})
					}
				}
				run(l, 90)
				if c.knob == "joint-pivot" { // the client's histories change, not the format: bodies at rest stay left out
					labtest.Hold(t, l, 300, sim.Input{})
				}
				var fork *Lab
				for i, v := range c.values {
					labtest.Apply(t, l, "set 1 "+c.knob+" "+v)
					run(l, 5)
					if i == 1 {
						fork = l.Fork()
					} else if i > 1 {
						labtest.Apply(t, fork, "set 1 "+c.knob+" "+v)
						run(fork, 5)
					}
				}
				run(l, 60)
				if run(fork, 60); fork.Hash() != l.Hash() {
					t.Error("a fork between two changes ends differently")
				}
				p := l.Panes[0]
				n := p.Counters.Value("rejected_payloads")
				for _, s := range []uint64{p.Clients[0].Endpoint.Stats.Rejected(), p.PeerStats(0).Rejected()} {
					n += float64(s)
				}
				if n > 0 {
					t.Errorf("%v payloads are refused", n)
				}
				for range 240 {
					labtest.Tick(t, l, Entry{})
				}
				if d := p.ServerWorld.Bodies()[0].Pose.Pos.Sub(p.Clients[0].View.Bodies[0].Pos).Len(); d > 0.05 {
					t.Errorf("the player is drawn %v m from the server's", d)
				}
			})
		}
	}
}

// TestServerFollows lets the server of rewind follow the client's clock from one moment on, when the client is four seconds ahead:
// the server makes up the ticks at once, and the client believes it.
func TestServerFollows(t *testing.T) {
	experiment.Skip(t)
	l := labtest.Open(t, labtest.Config(t, "two-players", "latency=120ms", AtClient), "rewind:lead=60")
	labtest.Hold(t, l, 300, sim.Input{Buttons: sim.Right})
	before := l.Panes[0].ServerWorld.Tick()
	labtest.Apply(t, l, "set 1 server-steps on-input")
	labtest.Hold(t, l, 1, sim.Input{Buttons: sim.Right})
	if n := l.Panes[0].ServerWorld.Tick() - before; n < 31 {
		t.Fatalf("the server made up %d ticks: want more than are believed otherwise", n)
	}
	labtest.Hold(t, l, 120, sim.Input{Buttons: sim.Right})
	if n := l.Panes[0].Counters.Value("rejected_payloads"); n > 0 {
		t.Errorf("%v payloads are refused", n)
	}
}
