package lab_test

import (
	"fmt"
	"strings"
	"testing"

	. "ghostcube/predict/lab"
)

// allPolicies is a client that switches whatever it can.
const allPolicies = "historyoffset:fallback-corrections=10:fallback-dirty-ticks=6:remote-bodies=dynamic"

// measureTape plays a built-in tape at 125 ms each way, and returns a figure of each pane.
func measureTape(t *testing.T, name, measure string, specs ...string) (values []float64) {
	t.Helper()
	tape := builtInTape(t, name)
	l := open(t, config(t, tape.Config.Scene, "latency=125ms", AtClient), specs...)
	for _, e := range tape.Entries {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range l.Panes {
		for _, m := range p.Measures(nil) {
			if m.Name == measure {
				values = append(values, m.Value)
			}
		}
	}
	return values
}

// TestJumpOffPops says that a cube that jumps up from a fast table and lands on it again
// pops where it is predicted, most of all when it lands, and hardly where its prediction
// is switched off after ten corrections in a second.
func TestJumpOffPops(t *testing.T) {
	pops := measureTape(t, "jump-off", "pops_per_minute", "historyoffset", "historyoffset:fallback-corrections=10")
	t.Logf("%.0f pops a minute", pops)
	if pops[0] < 40 || pops[1] > pops[0]/4 {
		t.Errorf("%v pops a minute without and with", pops)
	}
}

// TestHaulShakes says that a sled in which a cube is stowed that is held where it was
// shakes twice as much as the server's, and no more than that with the policy, or where
// the cube is stepped with it.
func TestHaulShakes(t *testing.T) {
	jerk := measureTape(t, "haul", "jerk_ratio", "historyoffset", "historyoffset:fallback-dirty-ticks=6", "historyoffset:remote-bodies=dynamic")
	t.Logf("jerk %.2f", jerk)
	if jerk[0] < 1.5 || jerk[1] > 1.1 || jerk[2] > 1.1 {
		t.Errorf("jerk by the truth's: %v", jerk)
	}
}

// TestCubeClimbsKinematicPucks says that pucks which stand like walls lift the player's cube, and
// that it is lifted less where they are stepped with it.
func TestCubeClimbsKinematicPucks(t *testing.T) {
	specs := []string{"historyoffset", "historyoffset:remote-bodies=dynamic"}
	drawn, truth := measureTape(t, "billiards-break", "ground_clearance_mean_m", specs...), measureTape(t, "billiards-break", "ground_clearance_server_mean_m", specs...)
	t.Logf("%.3f m above the ground, truly %.3f", drawn, truth)
	if drawn[0] < 3*truth[0] || drawn[1] > drawn[0]*0.65 {
		t.Errorf("%v m above the ground, truly %v", drawn, truth)
	}
}

// TestPolicyConformance is what TestConformance and TestTickAllocatesNothing say of a
// strategy, of one with all policies on, and its minute over a bad link.
func TestPolicyConformance(t *testing.T) {
	var b strings.Builder
	for _, scene := range []string{"hauler", "turntable:rpm=12:aboard=1", "billiards", "katamari:cubes=100"} {
		allocatesNothing(t, scene, AtClient, allPolicies)
		c := config(t, scene, "latency=75ms,jitter=20ms,loss=10%,duplicate=5%,reorder=5%,reorder-delay=40ms", AtClient)
		l := open(t, c, allPolicies)
		run(t, l, 500)
		f := l.Fork()
		run(t, l, 300)
		run(t, f, 300)
		if f.Hash() != l.Hash() {
			t.Errorf("%s: the copy went another way", scene)
		}
		p := l.Panes[0]
		fmt.Fprintf(&b, "%s %016x", scene, p.Hash())
		for _, n := range []string{"fallbacks", "fallback_ticks", "fallback_corrections", "dirty_ticks", "simulation_starts", "simulated_bodies"} {
			fmt.Fprintf(&b, ", %s %.6g", n, p.Counters.Value(n))
		}
		b.WriteString("\n")
		for range 900 {
			if err := l.Tick(Entry{}); err != nil {
				t.Fatal(err)
			}
		}
		if strings.HasPrefix(scene, "turntable") {
			continue // there nothing comes to rest
		}
		for i, b := range p.ServerWorld.Bodies() {
			if d := p.Clients[0].View.Bodies[i].Pos.Sub(b.Pose.Pos).Len(); d > 0.001 {
				t.Errorf("%s: at rest body %d is drawn %v m from where it is", scene, i, d)
			}
		}
	}
	compareGolden(t, "policies.txt", b.String())
}
