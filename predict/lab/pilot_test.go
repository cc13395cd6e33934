package lab_test

import (
	"fmt"
	"math"
	"slices"
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

// rideWithPilot boards a ship as the tape boarding-pilot does, at 100 ms, and goes on over another network. Then it rides for
// 15 s with a pilot who presses other keys after a number of ticks, while the rider walks about.
func rideWithPilot(t *testing.T, network string, seed uint64, hold int, specs ...string) []ride {
	const board, settle, ticks = 1100, 400, 900
	tape := builtInTape(t, "boarding-pilot")
	if err := tape.Config.Network.Parse("latency=100ms"); err != nil {
		t.Fatal(err)
	}
	tape.Config.Network.Seed = seed
	l, rides := labtest.Open(t, tape.Config, specs...), make([]ride, len(specs))
	playTicks(t, l, tape, 0, board)
	labtest.Apply(t, l, "network all - "+network)
	for range settle {
		labtest.Tick(t, l, Entry{Inputs: []sim.Input{{}, {Buttons: sim.Forward}}})
	}
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
	random, measured := uint32(12345+seed*7919), make([]rideMeasure, len(specs))
	direction := func() sim.Buttons {
		random = random*1664525 + 1013904223
		ways := [...]sim.Buttons{sim.Left, 0, sim.Right}
		return ways[random>>24%3] | [...]sim.Buttons{sim.Forward, 0, sim.Back}[random>>16%3]
	}
	for tick := range ticks {
		if tick%24 == 0 {
			inputs[0].Buttons = direction()
		}
		if tick%hold == 0 {
			inputs[1].Buttons = direction()
		}
		labtest.Tick(t, l, Entry{Inputs: inputs[:]})
		for i, p := range l.Panes {
			measured[i].add(p)
		}
	}
	count(1)
	for i := range rides {
		rides[i].drawn, rides[i].simulated = math.Sqrt(measured[i].drawn/ticks), math.Sqrt(measured[i].simulated/ticks)
	}
	return rides
}

// rideMeasure compares the places of a rider in its ship, as drawn and as simulated, with those at the server at the moments
// that the view names.
type rideMeasure struct {
	drawn, simulated float64 // sums of squares, m2
	pending          []shownRider
	before           geom.Vec3 // at the server, in the last tick
}

// shownRider is the place of a rider in its ship at a moment, drawn and simulated.
type shownRider struct {
	moment           sim.Moment
	drawn, simulated geom.Vec3
}

// add adds a tick.
func (r *rideMeasure) add(p *Pane) {
	const rider, ship = 0, 2
	inShip := func(ship, b geom.Pose) geom.Vec3 { return ship.Rot.Inverse().Rotate(b.Pos.Sub(ship.Pos)) }
	v, server := &p.Clients[0].View, p.ServerWorld.Bodies()
	r.pending = append(r.pending, shownRider{
		v.MomentOf(rider), inShip(v.Bodies[ship], v.Bodies[rider]), inShip(v.Simulated[ship], v.Simulated[rider]),
	})
	now, at := p.ServerWorld.Tick().Moment(), inShip(server[ship].Pose, server[rider].Pose)
	r.pending = slices.DeleteFunc(r.pending, func(s shownRider) bool {
		if back := now - s.moment; back >= 0 && back < sim.MomentsPerTick {
			then := at.AddScaled(float32(back)/float32(sim.MomentsPerTick), r.before.Sub(at))
			r.drawn += float64(s.drawn.Sub(then).LenSq())
			r.simulated += float64(s.simulated.Sub(then).LenSq())
		}
		return s.moment <= now
	})
	r.before = at
}

// TestUnknownPilot checks that relative simulates the rider of a ship that another player flies as near to its place in the ship
// as rewind, which knows the same of the pilot's keys, and nearer if nobody's keys are relayed, because its lead is shorter; and
// that it draws fewer pops, of the rider and of all bodies. By world history the rider is metres beside its place.
func TestUnknownPilot(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	const few = 10 // pops of the rider a minute
	type network struct {
		name  string
		equal bool // no input comes too late
		holds []int
	}
	networks := []network{{"latency=100ms,loss=2%", true, []int{6, 30, 120}}, {"latency=150ms,loss=2%", true, []int{30}}}
	seeds := experiment.Pick[uint64](1, 1, 10)
	if experiment.Long() {
		networks = append(networks, network{"latency=50ms,loss=2%", true, []int{30}})
		for _, name := range []string{"4g", "wifi-bad", "metro"} {
			networks = append(networks, network{name, false, []int{30}})
		}
	}
	for _, n := range networks {
		for _, hold := range n.holds {
			var relayed, unknown [2]ride // of relative and rewind, mean of the seeds
			for seed := range seeds {
				r := rideWithPilot(t, n.name, seed+1, hold, "relative", "rewind", "historyoffset")
				labtest.Report(t, n.equal && r[2].drawn < 10*r[0].drawn, "%s: historyoffset %.3f m", n.name, r[2].drawn)
				addRides(&relayed, r, seeds)
				if hold == 30 {
					addRides(&unknown, rideWithPilot(t, n.name, seed+1, hold, "relative:relay=off", "rewind:relay=off"), seeds)
				}
			}
			a, b := &relayed[0], &relayed[1]
			labtest.Report(t, n.equal && (a.simulated > 1.1*b.simulated || a.drawn > 1.1*b.drawn || a.own >= max(b.own, few) || a.all >= b.all),
				"%s, other keys every %3d ticks: error in the ship, simulated and drawn, own pops and all a minute:\n  relative %v\n  rewind %v",
				n.name, hold, a, b)
			if a, b = &unknown[0], &unknown[1]; hold == 30 {
				labtest.Report(t, n.equal && (a.simulated > b.simulated || a.drawn > b.drawn || a.own >= b.own || a.all >= b.all),
					"%s, not relayed:\n  relative %v\n  rewind %v", n.name, a, b)
			}
		}
	}
}

// addRides adds the share of one seed to the means of several.
func addRides(sum *[2]ride, r []ride, seeds uint64) {
	for i := range sum {
		s, n := &sum[i], float64(seeds)
		s.drawn, s.simulated, s.own, s.all = s.drawn+r[i].drawn/n, s.simulated+r[i].simulated/n, s.own+r[i].own/n, s.all+r[i].all/n
	}
}

func (r *ride) String() string {
	return fmt.Sprintf("%.3f %.3f %.0f %.0f", r.simulated, r.drawn, r.own, r.all)
}
