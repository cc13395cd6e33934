package stage

import (
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage/stagetest"
)

// TestOpenJoints promises that joints whose bodies are drawn apart are marked with a line and a box, that closed
// joints have no mark, that the root of a joint tree is outlined, and that the setting switches all of it off. A
// chain of independent bodies opens in an outage; a joint tree does not.
func TestOpenJoints(t *testing.T) {
	l := stagetest.Open(t, lab.Config{Scene: "train:rods=8", Rate: 60, Seat: lab.AtHost}, "latency=100ms,down.outage=250ms,down.outage-every=2s",
		"animated", "animated:joint-tree=relative-position")
	var s Stage
	var opened, roots [2]int // ticks with a line
	for tick := range 480 {
		side := sim.Left
		if tick/50%2 == 0 {
			side = sim.Right
		}
		e := lab.Entry{}
		if tick >= 120 { // the chain has settled
			e.Inputs = []sim.Input{{Buttons: sim.Lift | side}}
		}
		if tick == 0 {
			e.Commands = []lab.Command{Show("joints", "on")}
		}
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
		views := s.views(nil, l, 1)
		for i := range 2 {
			v := &views[2*i]
			lines, edges := 0, 0
			for _, x := range v.Scene.Lines {
				switch x.Color {
				case OpenJointColor:
					lines++
				case RootColor:
					edges++
				}
			}
			if separation := l.Panes[i].Score.JointSeparationNow(); lines > 0 != (separation >= minOpenJoint) {
				t.Fatalf("pane %d, tick %d: %d lines, the largest separation is %v m", i, tick, lines, separation)
			}
			if lines > 0 {
				opened[i]++
			}
			if edges == 12 {
				roots[i]++
			}
			if len(views[2*i+1].Scene.Lines) > 0 {
				t.Fatal("lines in the server's picture")
			}
		}
	}
	if opened[0] < 40 || opened[1] > opened[0]/10 || roots[0] > 0 || roots[1] < 470 {
		t.Errorf("%v ticks with open joints, %v with the root outlined", opened, roots)
	}
	l.Tick(lab.Entry{Commands: []lab.Command{Show("joints", "off")}})
	s.Tick(l)
	if n := len(s.views(nil, l, 1)[2].Scene.Lines); n != 0 {
		t.Errorf("%d lines while the setting is off", n)
	}
}

// TestTowardsEye promises that a point moved towards the eye is nearer and is projected to the same place, and
// that it never passes the eye.
func TestTowardsEye(t *testing.T) {
	v := Viewport{}
	v.Camera.Eye = geom.Vec3{X: 1, Y: -2, Z: 3}
	at := geom.Vec3{X: 4, Y: 2, Z: 3}
	moved := v.towardsEye(at, 1)
	if d := moved.Sub(v.Camera.Eye); geom.Abs(d.Len()-4) > 1e-5 || d.Cross(at.Sub(v.Camera.Eye)).Len() > 1e-5 {
		t.Errorf("moved by 1 m it is at %v", moved)
	}
	if d := v.towardsEye(at, 99).Sub(v.Camera.Eye); d.Dot(at.Sub(v.Camera.Eye)) <= 0 {
		t.Errorf("moved by 99 m it is behind the eye by %v", d)
	}
}
