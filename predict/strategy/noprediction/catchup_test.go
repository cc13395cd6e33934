package noprediction

import (
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestCatchesUp checks that a cube which is 40 m from the picture is drawn on the way to it, 2 m further in a tick, and the
// view names the moment in the same share between the two; and that it is drawn there at once if it is 1.9 or 60 m away.
func TestCatchesUp(t *testing.T) {
	for _, c := range []struct{ way, step float32 }{{40, 2}, {1.9, 1.9}, {60, 60}} {
		r := predicttest.New(t, Strategy, predicttest.Config{Network: "latency=30ms"})
		r.Run(60, predicttest.NoInput)
		last, from := *r.View(), r.View().Bodies[0].Pos
		last.Bodies = append([]geom.Pose(nil), last.Bodies...)
		r.Displace(geom.Vec3{X: c.way})
		longest, ticks := float32(0), 0
		for ; ticks < 100; ticks++ {
			r.Run(1, predicttest.NoInput)
			v := r.View()
			step := v.Bodies[0].Pos.Sub(last.Bodies[0].Pos).Len()
			longest = max(longest, step)
			if left := r.ClientWorld().Bodies()[0].Pose.Pos.Sub(last.Bodies[0].Pos).Len(); step > 0.01 && left > 2.1 && left < 50 {
				share := float64(v.Others-last.Others) / float64(r.ClientWorld().Tick().Moment()-last.Others)
				if off := share - float64(step/left); max(off, -off) > 1e-3 || v.Own != v.Others || v.Carriers != v.Others {
					t.Fatalf("%v m: the moment goes on by %v of the way, the cube by %v", c.way, share, step/left)
				}
			}
			last.Others, last.Bodies = v.Others, append(last.Bodies[:0], v.Bodies...)
			if v.Bodies[0].Pos.Sub(from).Len() > c.way-0.01 {
				break
			}
		}
		if longest < c.step-0.01 || longest > c.step+0.01 || ticks > 24 || last.Others != r.ClientWorld().Tick().Moment() {
			t.Errorf("%v m: up to %v m in a tick, in %d ticks; at the end moment %d, tick %d", c.way, longest, ticks, last.Others, r.ClientWorld().Tick())
		}
	}
}

// TestCopyCatchesUp checks that a copy of a client on the way to the newest state draws the same.
func TestCopyCatchesUp(t *testing.T) {
	config := predicttest.Config{Network: "latency=30ms"}
	r, o := predicttest.New(t, Strategy, config), predicttest.New(t, Strategy, config)
	r.Run(60, predicttest.Press(sim.Right))
	r.Displace(geom.Vec3{X: 40})
	r.Run(8, predicttest.Press(sim.Right))
	o.CopyFrom(r)
	for range 20 {
		r.Run(1, predicttest.Press(sim.Right))
		o.Run(1, predicttest.Press(sim.Right))
		if a, b := r.View(), o.View(); a.Bodies[0] != b.Bodies[0] || a.Others != b.Others {
			t.Fatalf("the copy draws %v at moment %d, the client %v at %d", b.Bodies[0], b.Others, a.Bodies[0], a.Others)
		}
	}
}
