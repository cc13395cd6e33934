package lab_test

import (
	"math"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// ride is what a rider sees of a ship that another player flies, in each pane.
type ride struct {
	drawn, simulated float64 // error in the ship, RMS, m
	own, all         float64 // pops a minute, of the rider and of all bodies
}

// rideWithPilot boards a ship as the tape boarding-pilot does, and then rides for 15 s with a pilot who presses other keys
// after a number of ticks, while the rider walks about.
func rideWithPilot(t *testing.T, network string, hold int, specs ...string) []ride {
	const board, ticks = 1100, 900
	tape := builtInTape(t, "boarding-pilot")
	if err := tape.Config.Network.Parse(network); err != nil {
		t.Fatal(err)
	}
	l, rides := labtest.Open(t, tape.Config, specs...), make([]ride, len(specs))
	playTicks(t, l, tape, 0, board)
	count := func(sign float64) {
		for i, p := range l.Panes {
			for _, m := range p.Measures(nil) {
				perMinute := sign * m.Value * float64(l.Ticks()) / ticks
				switch m.Name {
				case "pops_per_minute":
					rides[i].own += perMinute
				case "pops_all_per_minute":
					rides[i].all += perMinute
				}
			}
		}
	}
	count(-1)
	var inputs [2]sim.Input
	random, shown := uint32(12345), make([]map[sim.Tick][2]geom.Vec3, len(specs))
	direction := func() sim.Buttons {
		random = random*1664525 + 1013904223
		ways := [...]sim.Buttons{sim.Left, 0, sim.Right}
		return ways[random>>24%3] | [...]sim.Buttons{sim.Forward, 0, sim.Back}[random>>16%3]
	}
	inShip := func(ship, b geom.Pose) geom.Vec3 { return ship.Rot.Inverse().Rotate(b.Pos.Sub(ship.Pos)) }
	for tick := range ticks {
		if tick%24 == 0 {
			inputs[0].Buttons = direction()
		}
		if tick%hold == 0 {
			inputs[1].Buttons = direction()
		}
		labtest.Tick(t, l, Entry{Inputs: inputs[:]})
		for i, p := range l.Panes {
			if tick == 0 {
				shown[i] = map[sim.Tick][2]geom.Vec3{}
			}
			v, server := &p.Clients[0].View, p.ServerWorld
			shown[i][v.TickOf(0)] = [2]geom.Vec3{inShip(v.Bodies[2], v.Bodies[0]), inShip(v.Simulated[2], v.Simulated[0])}
			if then, ok := shown[i][server.Tick()]; ok {
				at := inShip(server.Bodies()[2].Pose, server.Bodies()[0].Pose)
				rides[i].drawn += float64(then[0].Sub(at).LenSq()) / ticks
				rides[i].simulated += float64(then[1].Sub(at).LenSq()) / ticks
			}
		}
	}
	count(1)
	for i := range rides {
		rides[i].drawn, rides[i].simulated = math.Sqrt(rides[i].drawn), math.Sqrt(rides[i].simulated)
	}
	return rides
}

// TestUnknownPilot checks that with a pilot who changes its keys every 0.1 to 2 s, at pings of 200 and 300 ms, relative
// simulates the rider as near to its place in the ship as rewind, which knows the same inputs, and draws fewer pops, of the
// rider and of all bodies. By world history the rider is metres beside its place.
func TestUnknownPilot(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, network := range []string{"latency=100ms,loss=2%", "latency=150ms,loss=2%"} {
		for _, hold := range []int{6, 30, 120} {
			r := rideWithPilot(t, network, hold, "relative", "rewind", "historyoffset")
			a, b := &r[0], &r[1]
			labtest.Report(t, a.simulated > 1.1*b.simulated || a.drawn > 1.1*b.drawn || a.own >= b.own || a.all >= b.all || r[2].drawn < 10*a.drawn,
				"%s, other keys every %3d ticks: error in the ship, simulated and drawn, own pops and all a minute:\n"+
					"  relative %.3f %.3f %.0f %.0f, rewind %.3f %.3f %.0f %.0f, historyoffset %.3f %.3f %.0f %.0f", network, hold,
				a.simulated, a.drawn, a.own, a.all, b.simulated, b.drawn, b.own, b.all, r[2].simulated, r[2].drawn, r[2].own, r[2].all)
		}
	}
}
