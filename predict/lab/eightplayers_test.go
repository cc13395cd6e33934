package lab_test

import (
	"math/rand/v2"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestEightPlayersFitPackets lets eight players change all of their input in every tick and shoot in most of them, which
// is the longest that inputs can get, over 300 ms with 20 % loss, an outage and a client that joins again. What does not
// fit a packet is left out: no side panics, no payload is refused, and the server resolves shots to the end.
func TestEightPlayersFitPackets(t *testing.T) {
	if experiment.Brief() {
		t.Skip("sessions of eight players")
	}
	for _, spec := range []string{
		"rewind:lead=40:checks=on:redundant-max=128:messages=reliable", "lockstep:playout=300ms:messages=reliable",
		"statesync:authority=client:redundant-max=128", "rollback:lead=40:messages=reliable", "rollback:topology=mesh:input-delay=15",
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			l := labtest.Open(t, labtest.Config(t, "katamari:cubes=0:players=8", "latency=300ms,loss=20%", AtClient), spec)
			p, chance, resolved := l.Panes[0], rand.New(rand.NewPCG(1, 8)), 0.0
			for tick := range 500 {
				entry := Entry{Inputs: make([]sim.Input, 8)}
				for i := range entry.Inputs {
					entry.Inputs[i] = sim.Input{Buttons: sim.Buttons(chance.Uint32()) & (sim.MoveButtons | sim.ActionButtons), Heading: uint8(chance.Uint32())}
					if chance.IntN(3) > 0 {
						entry.Inputs[i].Shot = sim.Shot{Fired: true, Yaw: uint16(chance.IntN(sim.AimSteps)), Pitch: 9}
					}
				}
				switch messages := p.Knobs.Lookup("messages"); {
				case tick == 100:
					entry.Commands = []Command{{Verb: "blackout", Pane: AllPanes, Value: "3s"}}
				case tick == 340 && messages != nil && messages.Value() == "reliable":
					entry.Commands = []Command{rejoinFirst}
				case tick == 400:
					resolved = p.Counters.Value("shots_resolved")
				}
				labtest.Tick(t, l, entry)
			}
			if n := p.Counters.Value("rejected_payloads") + p.Counters.Value("desyncs"); n > 0 {
				t.Errorf("%v payloads rejected and desyncs", n)
			}
			if n := p.Counters.Value("shots_resolved") - resolved; n < 100 {
				t.Errorf("%v shots resolved in the last hundred ticks", n)
			}
		})
	}
}
