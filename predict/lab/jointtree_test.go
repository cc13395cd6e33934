package lab_test

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestJointsStayTogether checks a walker with 109 joints at 60, 20 and 10 snapshots per
// second with loss. With joint-tree=relative no joint separates by more than 5 mm in the
// views, including those that close loops. Without it, at 10 per second, joints separate by
// centimetres. The lag error is the same: the views are late either way.
func TestJointsStayTogether(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	seeds := []uint64{1, 3}[:experiment.Pick(1, 1, 2)]
	for _, seed := range seeds {
		for _, every := range []int{1, 3, 6} {
			c := labtest.Config(t, "walker", "latency=50ms,jitter=10ms,loss=2%", AtHost)
			c.Network.Seed = seed
			spec := fmt.Sprintf("animated:snapshot-every=%d", every)
			l := labtest.Open(t, c, spec, spec+":joint-tree=relative")
			labtest.Hold(t, l, 600, sim.Input{})
			single, tied := l.Panes[0], l.Panes[1]
			_, apart, _, _ := single.Score.JointSeparation()
			rms, most, server, ok := tied.Score.JointSeparation()
			if !ok || most > 0.005 || rms > 0.0003 || most == 0 {
				t.Errorf("seed %d, every %d: joints separate by %v m, at the server by %v", seed, every, most, server)
			}
			if every == 6 && apart < 0.01 {
				t.Errorf("seed %d, every %d: sent alone they separate by only %v m", seed, every, apart)
			}
			if e := measure(t, tied, "lag_error_rms_all_m"); e < 0.1 || e > 1.1*measure(t, single, "lag_error_rms_all_m") {
				t.Errorf("seed %d, every %d: lag error of %v m, sent alone %v", seed, every, e, measure(t, single, "lag_error_rms_all_m"))
			}
			if refused := tied.Counters.Value("rejected_payloads"); refused != 0 {
				t.Errorf("seed %d, every %d: %v rejected payloads", seed, every, refused)
			}
			if a, b := single.ServerStats().BytesSent, tied.ServerStats().BytesSent; b > a/2 {
				t.Errorf("seed %d, every %d: %d bytes, sent alone %d", seed, every, b, a)
			}
		}
	}
}

// TestJointTreeConformance is TestConformance for joint trees: two runs are equal; a fork
// stays equal to its original; and after the knobs change during the session, the view soon
// equals that of a pane without them, except for the local player's cube, which may be
// predicted.
func TestJointTreeConformance(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	specs := []string{"animated:joint-tree=relative:joint-root=operated:joint-pivot=center", "historyoffset:joint-tree=relative",
		"historyoffset:predicted-bodies=joint-tree:chain-joints-max=4:joint-tree=relative",
		"animated:joint-tree=relative", "animated:joint-tree=relative-position", "animated", "historyoffset:predicted-bodies=joint-tree:joint-tree=relative-position"}
	if experiment.Brief() {
		specs = specs[:3]
	}
	for _, spec := range specs {
		scene := "trailer"
		if strings.Contains(spec, "predicted-bodies=joint-tree") {
			scene = "train"
		}
		for _, seat := range []Seat{AtClient, AtHost} {
			t.Run(spec+"/"+seat.String(), func(t *testing.T) {
				c := labtest.Config(t, scene, badNetwork, seat)
				conforms(t, c, spec, 200, 100, labtest.Run)
				if scene == "train" {
					return // predicted bodies differ between panes
				}
				a := labtest.Open(t, c, spec, strings.Split(spec, ":")[0])
				labtest.Run(t, a, 90)
				for _, turn := range []Setting{
					{"joint-tree", "off"}, {"joint-tree", "relative"}, {"joint-tree", "relative-position"},
					{"joint-root", "operated"}, {"joint-pivot", "center"}, {"joint-tree", "off"},
				} {
					if err := a.Apply(Command{Verb: "set", Pane: 0, Name: turn.Name, Value: turn.Value}); err != nil {
						t.Fatal(err)
					}
					labtest.Run(t, a, 90)
					other := a.Panes[1].Clients[0].View.Bodies
					for i, b := range a.Panes[0].Clients[0].View.Bodies {
						if d := b.Pos.Sub(other[i].Pos).Len(); i > 0 && d > 0.2 {
							t.Fatalf("%v: body %d is drawn %v m from the pose in the other pane", turn, i, d)
						}
					}
				}
			})
		}
	}
}

// TestJointTreeGolden compares twenty seconds of the trailer, or seven with -short, with the golden file: hashes and
// snapshot bits are the same on every machine.
func TestJointTreeGolden(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "trailer", "csp-250ms-10", AtClient), "animated:joint-tree=relative", "historyoffset:joint-tree=relative")
	text := ""
	ticks, compare := 1200, golden.Compare
	if testing.Short() {
		ticks, compare = 400, golden.CompareStart
	}
	for i := range ticks {
		labtest.Run(t, l, 1)
		if i%100 == 99 {
			text += fmt.Sprintf("%d %016x %.0f\n", i+1, l.Hash(), l.Panes[0].Counters.Value("snapshot_bits"))
		}
	}
	compare(t, "jointtree.txt", text)
}

// TestJointTreeAllocatesNothing checks that joint trees allocate nothing per tick.
func TestJointTreeAllocatesNothing(t *testing.T) {
	experiment.Skip(t)
	for _, spec := range []string{"animated:joint-tree=relative", "animated:joint-tree=relative:joint-pivot=center", "historyoffset:joint-tree=relative"} {
		allocatesNothing(t, "trailer", AtClient, spec)
		if experiment.Brief() {
			break
		}
	}
	train := "train:rods=9" // a joint tree of more than eight joints
	if !experiment.Brief() {
		allocatesNothing(t, "walker", AtHost, "animated:joint-tree=relative", "historyoffset:joint-tree=relative")
		train = "train:rods=16"
	}
	allocatesNothing(t, train, AtClient,
		"historyoffset:predicted-bodies=joint-tree", "historyoffset:joint-tree=relative-position",
		"historyoffset:predicted-bodies=joint-tree:chain-joints-max=8:joint-tree=relative-position")
}

// TestJointChains shows a chain of rods at 100 ms with physics slightly different from the
// server's. Predicted bodies that offsets correct one by one have large path errors and separated
// joints; interpolated as a joint tree they have neither, and a larger lag error. Replayed as a
// tree they have neither, too. With offsets the path error grows with the depth in the tree while
// the chain swings in the air, and not while friction on the ground damps it.
func TestJointChains(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("runs tapes of 25 s")
	}
	for _, c := range []struct {
		tape, scene string
		grows       bool
	}{{"chain-tow", "train:rods=16", false}, {"chain-swing", "train:rods=4", true}, {"chain-swing", "train:rods=16", false}}[:experiment.Pick(2, 2, 3)] {
		tape := builtInTape(t, c.tape)
		if err := tape.Config.Network.Parse("latency=100ms"); err != nil {
			t.Fatal(err)
		}
		tape.Config.Scene = c.scene
		tape.Panes = []string{
			"historyoffset:predicted-bodies=joint-tree:correct-by=offset:contact-order=reordered",
			"historyoffset:predicted-bodies=joint-tree:chain-joints-max=3:joint-tree=relative-position",
			"historyoffset:predicted-bodies=joint-tree:correct-by=replay:contact-order=reordered",
		}
		l := playTape(t, tape)
		predicted, interpolated, replayed := l.Panes[0], l.Panes[1], l.Panes[2]
		for _, depth := range []int{1, 4} {
			predictedError, _ := predicted.Score.PathErrorAtJoint(depth)
			interpolatedError, ok := interpolated.Score.PathErrorAtJoint(depth)
			if predictedError < 0.3 || interpolatedError > 0.1 || !ok {
				t.Errorf("%s, %s: joint %d: path error %v m predicted, %v m interpolated", c.tape, c.scene, depth, predictedError, interpolatedError)
			}
			if e, ok := replayed.Score.PathErrorAtJoint(depth); e > 0.1 || e == 0 || !ok {
				t.Errorf("%s, %s: joint %d: path error %v m replayed", c.tape, c.scene, depth, e)
			}
		}
		_, predictedGap, _, _ := predicted.Score.JointSeparation()
		_, interpolatedGap, server, _ := interpolated.Score.JointSeparation()
		if predictedGap < 0.05 || interpolatedGap > 0.005 || server > 0.005 {
			t.Errorf("%s, %s: joints separate by %v m predicted, %v m interpolated, %v m at the server", c.tape, c.scene, predictedGap, interpolatedGap, server)
		}
		one, _ := predicted.Score.PathErrorAtJoint(1)
		four, _ := predicted.Score.PathErrorAtJoint(4)
		if c.grows && four < 2*one {
			t.Errorf("%s, %s: path error at the first joint %v m, at the fourth %v", c.tape, c.scene, one, four)
		}
		if end, ok := predicted.Score.PathErrorAtJoint(16); ok && end > 0.8*one {
			t.Errorf("%s, %s: path error at the first joint %v m, at the sixteenth %v", c.tape, c.scene, one, end)
		}
		if e := measure(t, interpolated, "lag_error_rms_all_m"); e < 0.2 {
			t.Errorf("%s, %s: lag error of the interpolated chain only %v m", c.tape, c.scene, e)
		}
	}
}
