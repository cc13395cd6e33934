package animated

import (
	"testing"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// TestPlayout checks that the server uses an input as many ticks after its arrival as the knob
// says, at once with 0, and the knob may be changed while inputs wait.
func TestPlayout(t *testing.T) {
	sc, err := scene.Named("plain")
	if err != nil {
		t.Fatal(err)
	}
	knobs := &predict.Knobs{}
	env := func() *predict.Env {
		return &predict.Env{World: predict.NewWorld(sc, 60), Players: 1, LastInputs: make([]sim.Input, 1), Knobs: knobs, Counters: &predict.Counters{}}
	}
	s, c := newServer(env()).(*server), newClient(env())
	up, down := link.Pair(&link.Network{}, 0)
	clientEndpoint, serverEndpoint := packet.NewEndpoint(up), packet.NewEndpoint(down)
	peers := []predict.Peer{{Endpoint: serverEndpoint}}
	now := 0
	tick := func(b sim.Buttons) sim.Buttons {
		now++
		at := time.Duration(now) * time.Second / 60
		clientEndpoint.Update(at)
		c.Tick(sim.Input{Buttons: b}, clientEndpoint)
		serverEndpoint.Update(at)
		s.Tick(nil, peers)
		return s.Inputs[0].Buttons
	}
	for _, length := range []string{"0", "4", "0", "7", "0"} {
		if err := knobs.Set("playout", length); err != nil {
			t.Fatal(err)
		}
		for range 100 { // until the buffer has its new length
			tick(0)
		}
		late := 0
		for tick(sim.Right) != sim.Right && late < 60 {
			late++
		}
		if want := int(length[0] - '0'); late != want {
			t.Errorf("playout=%s: used %d ticks later", length, late)
		}
	}
}
