package lab_test

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// allPolicies is a spec with every policy on.
const allPolicies = "historyoffset:correct-by=offset:fallback-corrections=10:fallback-dirty-ticks=6:others=auto"

// playDelayed runs a built-in tape at 125 ms one way and calls a function after each tick.
func playDelayed(t *testing.T, name string, specs []string, each func(*Lab)) *Lab {
	t.Helper()
	tape := builtInTape(t, name)
	l := labtest.Open(t, labtest.Config(t, tape.Config.Scene, "latency=125ms", AtClient), specs...)
	for _, e := range tape.Entries {
		labtest.Tick(t, l, e)
		each(l)
	}
	return l
}

// measureTape runs a tape and returns a measure of each pane.
func measureTape(t *testing.T, tapeName, name string, specs ...string) (values []float64) {
	t.Helper()
	for _, p := range playDelayed(t, tapeName, specs, func(*Lab) {}).Panes {
		values = append(values, measure(t, p, name))
	}
	return values
}

// TestJumpOffPops checks that a predicted cube which jumps off a fast turntable and lands on
// it again pops, most of all when it lands, and that it hardly pops if prediction falls back
// to interpolation after ten corrections in a second.
func TestJumpOffPops(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	pops := measureTape(t, "jump-off", "pops_per_minute", "historyoffset", "historyoffset:fallback-corrections=10")
	labtest.Report(t, pops[0] < 40 || pops[1] > pops[0]/4, "%.0f pops per minute", pops)
}

// TestHaulShakes checks that, with corrections by offset, a predicted sled with a kinematic cube in it shakes twice as much
// as the server's, and that it does not with the fallback policy, or if the cube is dynamic.
func TestHaulShakes(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	jerk := measureTape(t, "haul", "jerk_ratio", "historyoffset:correct-by=offset",
		"historyoffset:correct-by=offset:fallback-dirty-ticks=6", "historyoffset:correct-by=offset:others=auto")
	labtest.Report(t, jerk[0] < 1.5 || jerk[1] > 1.1 || jerk[2] > 1.1, "jerk %.2f", jerk)
}

// TestCubeClimbsKinematicPucks checks that, with corrections by offset, kinematic pucks lift the player's cube, and that
// dynamic ones lift it less.
func TestCubeClimbsKinematicPucks(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	specs := []string{"historyoffset:correct-by=offset", "historyoffset:correct-by=offset:others=auto"}
	drawn, server := make([]float64, len(specs)), make([]float64, len(specs)) // clearances, metres, summed over ticks
	playDelayed(t, "billiards-break", specs, func(l *Lab) {
		for i, p := range l.Panes {
			half := p.ServerWorld.Scene().Boxes[0].Half
			drawn[i] += max(0, float64(lowestCorner(p.Clients[0].View.Bodies[0], half)))
			server[i] += max(0, float64(lowestCorner(p.ServerWorld.Bodies()[0].Pose, half)))
		}
	})
	labtest.Report(t, drawn[0] < 3*server[0] || drawn[1] > drawn[0]*0.65,
		"above the ground %.1f m, at the server %.1f, summed over ticks", drawn, server)
}

// TestPoliciesGolden checks TestConformance and TestTickAllocatesNothing for a pane with
// all policies on, and compares its bad minute with the golden file.
func TestPoliciesGolden(t *testing.T) {
	experiment.Skip(t)
	var b strings.Builder
	for _, scene := range []string{"hauler", "turntable:rpm=12:aboard=1", "billiards", "katamari:cubes=100"} {
		allocatesNothing(t, scene, AtClient, allPolicies)
		l := conforms(t, labtest.Config(t, scene, badNetwork, AtClient), allPolicies, 500, 300, labtest.Run)
		p := l.Panes[0]
		fmt.Fprintf(&b, "%s\n  hash %016x\n", scene, p.Hash())
		for _, n := range []string{"fallbacks", "fallback_ticks", "fallback_corrections", "dirty_ticks", "simulation_starts", "simulated_bodies"} {
			fmt.Fprintf(&b, "  %s %.6g\n", n, p.Counters.Value(n))
		}
		if !strings.HasPrefix(scene, "turntable") { // nothing comes to rest there
			restsAtServer(t, l, 900, 0.001, false)
		}
	}
	golden.Compare(t, "policies.txt", b.String())
}
