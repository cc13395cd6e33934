package lab_test

import (
	"testing"

	"ghostcube/internal/experiment"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestHeldInputEnds checks that no side goes on accelerating a cube in an outage: within a quarter of a
// second after the last input has arrived, the server pushes neither player's cube any more, and no client
// that simulates another player's cube does. With a repeat-time that is longer than the outage, all do.
func TestHeldInputEnds(t *testing.T) {
	experiment.Skip(t)
	for _, spec := range []string{
		"noprediction", "rewind", "rewind:relay=off", "snapshot", "statesync", "statesync:input-buffer=none", "animated", "animated:playout=4",
		"historyoffset", "relative",
	} {
		for _, repeat := range []string{"", ":repeat-time=2s"} {
			l := labtest.Open(t, labtest.Config(t, "two-players", "latency=25ms", AtClient), spec+repeat)
			p := l.Panes[0]
			in := []sim.Input{{Buttons: sim.Lift | sim.Left}, {Buttons: sim.Lift | sim.Left}}
			speeds := func() (list []float32) {
				for body := range 2 {
					list = append(list, p.ServerWorld.Bodies()[body].Linear.X)
				}
				if p.Strategy.Name == "rewind" || p.Strategy.Name == "statesync" {
					list = append(list, p.Clients[0].World.Bodies()[1].Linear.X)
				}
				return list
			}
			labtest.Hold(t, l, 20, in...)
			labtest.Apply(t, l, "blackout all - 2s")
			const onTheWay = 12 // ticks for which inputs are still on the way, or wait
			labtest.Hold(t, l, onTheWay+15, in...)
			before := speeds()
			labtest.Hold(t, l, 20, in...)
			for i, now := range speeds() {
				if gain := before[i] - now; (gain > 0.3) != (repeat != "") {
					t.Errorf("%s: cube %d, of two at the server and one at a client, goes on from %v to %v m/s", spec+repeat, i, before[i], now)
				}
			}
		}
	}
}
