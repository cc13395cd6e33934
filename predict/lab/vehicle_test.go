package lab_test

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// vehicleSpecs are all strategies, with the variants that treat vehicles and couplings in a way of their own.
var vehicleSpecs = []string{
	"noprediction", "rewind", "lockstep", "snapshot", "statesync", "statesync:authority=client", "animated",
	"animated:joint-tree=relative:joint-root=operated", "historyoffset", "historyoffset:joint-tree=relative-position:joint-root=operated",
	"historyoffset:predicted-bodies=player", "historyoffset:correct-by=offset", "historyoffset:replay-touch=alone",
	"historyoffset:chain-joints-max=2", "historyoffset:others=auto", "relative", "relative:joint-tree=relative",
}

// drive is the input of a player who enters a rover, tows wagons, uncouples them, drives on, leaves the rover
// and stands still.
func drive(tick int) (in sim.Input) {
	switch {
	case tick >= 40 && tick < 46, tick >= 420 && tick < 426:
		in.Buttons = sim.Use
	case tick >= 60 && tick < 200:
		in.Buttons = sim.Right | sim.Forward
	case tick >= 220 && tick < 226:
		in.Buttons = sim.Couple
	case tick >= 240 && tick < 270:
		in.Buttons = sim.Right
	case tick >= 330 && tick < 350:
		in.Buttons = sim.Left
	case tick >= 440 && tick < 500:
		in.Buttons = sim.Back
	}
	return in
}

// TestVehiclesInAllStrategies checks that two players enter rovers, uncouple their wagons and leave
// the rovers in every strategy, on a bad link. While they drive, the server's rovers move, and the first
// client draws both players on them. At the end all bodies are drawn where the server has them, nothing
// was rejected, and a client that steps the world knows the drivers and the couplings. A fork made while
// the player drives stays equal.
func TestVehiclesInAllStrategies(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, spec := range vehicleSpecs {
		if strings.Contains(spec, ":") && !experiment.Enabled() {
			continue
		}
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			c := labtest.Config(t, "convoy:wagons=2:players=2", "latency=60ms,jitter=10ms,loss=5%", AtClient)
			l := labtest.Open(t, c, spec)
			p := l.Panes[0]
			run := func(l *Lab, from, to int) {
				for tick := from; tick < to; tick++ {
					labtest.Tick(t, l, Entry{Inputs: []sim.Input{drive(tick), drive(tick + 15)}})
				}
			}
			run(l, 0, 190)
			server, view := p.ServerWorld, &p.Clients[0].View
			for player, v := range server.Scene().Vehicles {
				if server.Operated(player) != v.Body || server.Bodies()[v.Body].Linear.Len() < 1 {
					t.Fatalf("player %d drives body %d, its rover moves at %v", player, server.Operated(player), server.Bodies()[v.Body].Linear)
				}
				if d := view.Bodies[player].Pos.Sub(view.Bodies[v.Body].Pos); d.Len() > 1.5 || d.Z < 1 {
					t.Errorf("player %d is drawn %v from its rover", player, d)
				}
			}
			f := l.Fork()
			run(l, 190, 620)
			run(f, 190, 620)
			if f.Hash() != l.Hash() {
				t.Error("the fork diverges")
			}
			run(l, 620, 900)
			a := server.Attachments()
			if a.Vehicle[0] != 0 || a.Vehicle[1] != 0 || a.Open != 0b101101 {
				t.Errorf("at the end: %+v, want no driver, and the first and the last coupling of each train open", a)
			}
			for i, b := range server.Bodies() {
				if d := view.Bodies[i].Pos.Sub(b.Pose.Pos).Len(); d > 0.02 {
					t.Errorf("body %d is drawn %v m from the server's", i, d)
				}
			}
			if n := p.Counters.Value("rejected_payloads"); n > 0 {
				t.Errorf("%v rejected payloads", n)
			}
			switch p.Strategy.Name {
			case "rewind", "lockstep", "statesync", "historyoffset", "relative":
				if b := p.Clients[0].World.Attachments(); b != a {
					t.Errorf("the client has %+v, the server %+v", b, a)
				}
			}
		})
	}
}

// TestDrivenBodyIsDynamic checks that a client that predicts the player's body alone has the body that the player
// drives, and no other, dynamic: its own body on foot, and the rover with its driver in it.
func TestDrivenBodyIsDynamic(t *testing.T) {
	for _, spec := range []string{"historyoffset:predicted-bodies=player", "relative:predicted-bodies=player"} {
		l := labtest.Open(t, labtest.Config(t, "convoy", "latency=60ms", AtClient), spec)
		client := l.Panes[0].Clients[0]
		dynamic := func() (list []int) {
			for i := range client.World.Bodies() {
				if !client.World.IsKinematic(i) {
					list = append(list, i)
				}
			}
			return list
		}
		for tick := range 600 {
			labtest.Tick(t, l, Entry{Inputs: []sim.Input{drive(tick)}})
			want := 1
			if tick > 80 && tick < 400 {
				want = 2 // the rover and its driver
			}
			if list := dynamic(); (tick < 40 || tick > 80 && tick < 400 || tick > 460) && (len(list) != want || list[len(list)-1] != want-1) {
				t.Fatalf("%s, tick %d: bodies %v are dynamic", spec, tick, list)
			}
		}
		if n := l.Panes[0].Counters.Value("vehicle_switches"); n != 2 {
			t.Errorf("%s: %v switches of the driven body, want 2", spec, n)
		}
	}
}

// TestPlayersAreReplayed checks that a lost input is corrected by a replay, of a player on foot in a scene with
// vehicles and of one that drives a train. A rover that is predicted without the wagons that it tows is corrected
// by offset, again and again.
func TestPlayersAreReplayed(t *testing.T) {
	experiment.Skip(t)
	for _, c := range []struct {
		spec    string
		replays bool // in the rover
	}{
		{"historyoffset", true}, {"relative", true},
		{"historyoffset:predicted-bodies=player", false}, {"historyoffset:replay-touch=alone", false},
	} {
		l := labtest.Open(t, labtest.Config(t, "convoy", "latency=60ms,loss=10%", AtClient), c.spec+":redundant=off")
		counters := l.Panes[0].Counters
		run := func(ticks int, in func(tick int) sim.Input) (corrections, replays float64) {
			corrections, replays = counters.Value("corrections"), counters.Value("replays")
			for tick := range ticks {
				labtest.Tick(t, l, Entry{Inputs: []sim.Input{in(tick)}})
			}
			return counters.Value("corrections") - corrections, counters.Value("replays") - replays
		}
		around := func(tick int) sim.Input {
			return sim.Input{Buttons: []sim.Buttons{sim.Left, sim.Back, sim.Right, sim.Forward}[tick/15%4]}
		}
		if corrections, replays := run(240, around); replays == 0 || replays < corrections {
			t.Errorf("%s, on foot: %v corrections, %v replays", c.spec, corrections, replays)
		}
		run(100, drive)
		if l.Panes[0].ServerWorld.Operated(0) == 0 {
			t.Fatal("the player does not drive")
		}
		if corrections, replays := run(240, around); corrections == 0 || c.replays != (replays >= corrections) || !c.replays && replays > 0 {
			t.Errorf("%s, in the rover: %v corrections, %v replays", c.spec, corrections, replays)
		}
	}
}

// TestDriverIsExact checks that a driver who enters a rover, tows wagons, uncouples them in motion and leaves the
// rover needs no correction, neither of the rover nor of a wagon, and no joint is drawn open. A wagon that is not
// predicted any more blends to where it is interpolated. If the server's train goes another way, a replay in an
// island that has all of it corrects it at once.
func TestDriverIsExact(t *testing.T) {
	experiment.Skip(t)
	for _, spec := range []string{"historyoffset", "relative"} {
		for _, pushed := range []bool{false, true} {
			gap, jerk, from, step := 0.0, float32(0), geom.Vec3{}, geom.Vec3{}
			l := labtest.Open(t, labtest.Config(t, "convoy", "latency=100ms,loss=2%", AtClient), spec)
			p := l.Panes[0]
			for tick := range 450 {
				e := Entry{Inputs: []sim.Input{drive(tick)}}
				if tick >= 200 && tick < 220 { // no pause before the wagons are uncoupled
					e.Inputs[0].Buttons |= sim.Right
				}
				if w := p.ServerWorld; pushed && tick == 120 {
					for i := w.Operated(0); i < w.Operated(0)+4; i++ {
						b := w.Bodies()[i]
						b.Linear.Y += 1
						w.SetBody(i, b)
					}
				}
				labtest.Tick(t, l, e)
				if tick == 219 {
					_, gap, _, _ = p.Score.JointSeparation()
				}
				const wagon = 2
				at := p.Clients[0].View.Bodies[wagon].Pos
				if tick > 215 {
					jerk = max(jerk, at.Sub(from).Sub(step).Len())
				}
				from, step = at, at.Sub(from)
			}
			path, _ := p.Score.PathError()
			corrections, chain := p.Counters.Value("corrections"), p.Counters.Value("chain_corrections")
			wrong := corrections > 0 || path.RMS > 0.001
			if pushed {
				wrong = corrections == 0 || corrections > 3 || path.RMS > 0.1
			}
			labtest.Report(t, wrong || chain > 0 || gap > 0.02 || jerk > 0.02,
				"%s, pushed %v: %v corrections, %v by offset, %v replays, path error %.4f m, %.4f m between anchors, a drawn step changes by %.4f m",
				spec, pushed, corrections, chain, p.Counters.Value("replays"), path.RMS, gap, jerk)
		}
	}
}

// TestPushedRoverIsNoParent checks that a rover which a player on foot pushes does not become its parent: relative
// predicts in the world's frame then, as historyoffset, and as well.
func TestPushedRoverIsNoParent(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "convoy", "latency=100ms,loss=2%", AtClient), "historyoffset", "relative")
	server, start := l.Panes[1].ServerWorld, l.Panes[1].ServerWorld.Bodies()[1].Pose.Pos
	for tick := range 400 {
		in := sim.Input{Buttons: sim.Forward}
		if tick/30%2 == 1 {
			in.Buttons |= sim.Right
		}
		labtest.Tick(t, l, Entry{Inputs: []sim.Input{in}})
	}
	if d := server.Bodies()[1].Pose.Pos.Sub(start).Len(); d < 0.5 {
		t.Fatalf("the rover is pushed by %v m", d)
	}
	a, b := l.Panes[0], l.Panes[1]
	if n := b.Counters.Value("parent_switches"); n != 0 || a.Counters.Value("corrections") != b.Counters.Value("corrections") {
		t.Errorf("%v changes of the parent, %v corrections, %v with historyoffset", n, b.Counters.Value("corrections"), a.Counters.Value("corrections"))
	}
}

// TestPilotIsExpected checks that a player in a ship that another one flies and turns is nearer to its place there if the
// server relays the pilot's inputs, without more than a few pops, and that a client replays when it learns of an input that it
// did not expect.
func TestPilotIsExpected(t *testing.T) {
	experiment.Skip(t)
	c := labtest.Config(t, "ship:players=2", "latency=100ms,loss=2%", AtClient)
	l := labtest.Open(t, c, "relative", "relative:relay=off")
	for _, e := range builtInTape(t, "boarding-pilot").Entries {
		labtest.Tick(t, l, e)
	}
	var errors, pops [2]float64
	for i, p := range l.Panes {
		for _, m := range p.Measures(nil) {
			switch m.Name {
			case "path_error_in_parent_rms_m":
				errors[i] = m.Value
			case "pops_all_per_minute":
				pops[i] = m.Value
			}
		}
	}
	labtest.Report(t, errors[0] > 0.036 || errors[1] > 0.06 || pops[0] > 15,
		"errors in the ship %.3f m, %.3f m without the relay; pops of all bodies a minute %.1f, %.1f", errors[0], errors[1], pops[0], pops[1])
}

// TestJointRootMatters checks that joint-root=operated makes the rover that the player drives the root of its
// train, which is heavier: wagons that are not predicted hang from the predicted rover, and no coupling is drawn open.
func TestJointRootMatters(t *testing.T) {
	const spec = "historyoffset:predicted-bodies=player:joint-tree=relative-position"
	l := labtest.Open(t, labtest.Config(t, "convoy", "latency=100ms", AtClient), spec, spec+":joint-root=operated")
	for tick := range 210 {
		labtest.Tick(t, l, Entry{Inputs: []sim.Input{drive(tick)}})
	}
	_, heaviest, _, _ := l.Panes[0].Score.JointSeparation()
	_, operated, _, _ := l.Panes[1].Score.JointSeparation()
	if heaviest < 0.005 || operated > 0.002 {
		t.Errorf("couplings are drawn open by %v m with the heaviest root, by %v m with the operated one", heaviest, operated)
	}
}
