package stage

import (
	"strings"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// idleTicks makes ticks with the player at rest; in the first a shot is fired, if one is.
func idleTicks(t *testing.T, s *Stage, l *lab.Lab, ticks int, shot sim.Shot) {
	t.Helper()
	for i := range ticks {
		in := []sim.Input{{}}
		if i == 0 {
			in[0].Shot = shot
		}
		if err := l.Tick(lab.Entry{Inputs: in}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
	}
}

// TestShotIsDrawn says that a shot is in the client's picture from the tick in which it
// is fired, and in the server's from when it is judged, for a second each: its ray from
// the shooter's cube to what it meets, that as a ghost, and the words; in one picture if
// there is one; and that it is not if it is not to be shown.
func TestShotIsDrawn(t *testing.T) {
	for _, split := range []string{"on", "off"} {
		l := newSession(t, "latency=100ms", "snapshot", "rewind")
		l.Apply(Show("split", split))
		var s Stage
		idleTicks(t, &s, l, 200, sim.Shot{})
		b := l.Panes[0].ServerWorld.Bodies()
		shot := sim.Aim(b[15].Pose.Pos.Sub(b[0].Pose.Pos)) // a cube that lies by the wall
		idleTicks(t, &s, l, 1, shot)
		at := l.Panes[0].Shots.At(0)
		if at.ClientRay.Hit.Body != 15 {
			t.Fatalf("it meets %d", at.ClientRay.Hit.Body)
		}
		look := func(side Side) (rays, ghosts int, words string) {
			var f Frame
			s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
			for i := range f.Viewports {
				v := &f.Viewports[i]
				if v.Pane != 0 || v.Side != side {
					continue
				}
				for _, x := range v.Scene.Trails {
					c := x.Color
					c.A = 255
					if c != HitColor && c != MissColor && c != UnrewoundColor {
						continue
					}
					rays++
					if from, to := x.Points[0], x.Points[len(x.Points)-1]; from.Sub(b[0].Pose.Pos).Len() > 0.01 || to.Sub(b[15].Pose.Pos).Len() > 0.4 {
						t.Errorf("a ray from %v to %v", from, to)
					}
				}
				for _, x := range v.Scene.Cubes {
					c := x.Color
					if c.A = 255; c == HitColor && x.Ghost() && x.Pose.Pos.Sub(b[15].Pose.Pos).Len() < 0.01 {
						ghosts++
					}
				}
				for _, it := range f.Overlay.Items {
					in := it.X >= float32(v.X) && it.X < float32(v.X+v.W) && it.Y >= float32(v.Y) && it.Y < float32(v.Y+v.H)
					if in && (strings.HasPrefix(it.Text, "saw a") || strings.Contains(it.Text, "now")) {
						words += it.Text + "\n"
						if it.X+it.Font.Width(it.Text) > float32(v.X+v.W) {
							t.Errorf("%q leaves the picture", it.Text)
						}
					}
				}
			}
			return rays, ghosts, words
		}
		want := func(when string, side Side, rays, ghosts int, words string) {
			t.Helper()
			if r, g, w := look(side); r != rays || g != ghosts || w != words {
				t.Errorf("split %s, %s: %d rays, %d ghosts, %q; want %d, %d, %q", split, when, r, g, w, rays, ghosts, words)
			}
		}
		client, server := ClientSide, ServerSide
		if split == "off" {
			client, server = Combined, Combined
		}
		want("fired", client, 1, 1, "saw a hit\n")
		if split == "on" {
			want("fired", server, 0, 0, "")
		}
		idleTicks(t, &s, l, 20, sim.Shot{})
		const verdict = "hit, 17 ticks back (hit now)\n"
		if split == "on" {
			want("judged", client, 1, 1, "saw a hit\n")
			want("judged", server, 2, 1, verdict)
		} else {
			want("judged", Combined, 3, 2, "saw a hit\n"+verdict)
		}
		l.Apply(Show("shots", "off"))
		want("off", client, 0, 0, "")
		want("off", server, 0, 0, "")
		l.Apply(Show("shots", "on"))
		idleTicks(t, &s, l, 42, sim.Shot{})
		if split == "on" {
			want("a second later", client, 0, 0, "")
		}
		still := verdict
		if split == "off" {
			still = "saw a hit\n" + verdict // of the same shot
		}
		want("still", server, 2, 1, still)
		idleTicks(t, &s, l, 10, sim.Shot{})
		want("over", server, 0, 0, "")
	}
}

// TestHitResultText holds the words, the judgement that counts first.
func TestHitResultText(t *testing.T) {
	hit, miss := predict.Ray{Hit: sim.Hit{Body: 3}}, predict.Ray{Hit: sim.Hit{Body: sim.NoBody}}
	for _, c := range []struct {
		v    predict.HitResult
		want string
	}{
		{predict.HitResult{UseRewound: true, Age: 14 * sim.SubticksPerTick, Rewound: hit, Now: miss}, "hit, 14 ticks back (miss now)"},
		{predict.HitResult{UseRewound: true, Age: sim.SubticksPerTick, Rewound: miss, Now: hit}, "miss, 1 tick back (hit now)"},
		{predict.HitResult{UseRewound: true, Age: 24 * sim.SubticksPerTick, Refused: predict.TooOld, Rewound: miss, Now: hit}, "refused: 400 ms old (hit now)"},
		{predict.HitResult{UseRewound: true, Refused: predict.TooNew, Rewound: miss, Now: miss}, "refused: of the future (miss now)"},
		{predict.HitResult{Age: 14 * sim.SubticksPerTick, Rewound: hit, Now: miss}, "miss now (hit, 14 ticks back)"},
	} {
		if got := hitResultText(&c.v, 60); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestAimAt says that a shot aimed at a place in a picture meets what is seen there, in
// the client's picture and in the server's, and goes to the ground where that is; and
// that where no picture is there is no shot.
func TestAimAt(t *testing.T) {
	l := newSession(t, "latency=75ms", "snapshot", "rewind")
	var s Stage
	runTicks(t, &s, l, 200)
	var f Frame
	s.Compose(&f, l, Rect{X: 10, Y: 20, W: 1280, H: 720}, Options{}, 1)
	met := 0
	for i := range f.Viewports {
		v := &f.Viewports[i]
		p := l.Panes[v.Pane]
		poses := p.Clients[0].View.Bodies
		if v.Side == ServerSide {
			poses = predict.AppendPoses(nil, p.ServerWorld.Bodies())
		}
		lens := v.Camera.Projection(float32(v.W), float32(v.H))
		scene := p.ServerWorld.Scene()
		for b := 1; b < len(poses); b++ {
			x, y, depth := lens.Project(poses[b].Pos)
			if depth < 1 || x < 0 || y < 0 || x >= float32(v.W) || y >= float32(v.H) {
				continue
			}
			seen := scene.CastRay(lens.Eye, lens.Ray(x, y).Unit(), 200, poses, 0, 0, 60)
			to := lens.Eye.AddScaled(seen.Distance, lens.Ray(x, y).Unit())
			shot, ok := f.AimAt(x+float32(v.X), y+float32(v.Y), l)
			if !ok {
				t.Fatalf("no shot at body %d", b)
			}
			if off := shot.Direction().Sub(to.Sub(poses[0].Pos).Unit()).Len(); off > 0.002 {
				t.Errorf("view %d, body %d: the shot goes %v beside what is seen there", i, b, off)
			}
			met++
		}
	}
	if met < 20 {
		t.Errorf("only %d bodies are in the pictures", met)
	}
	for _, at := range [][2]float32{{5, 5}, {20, 25}, {2000, 300}} {
		if _, ok := f.AimAt(at[0], at[1], l); ok {
			t.Errorf("a shot at %v, where there is no picture", at)
		}
	}
}

// TestShotTextIsAboveGauges says that what became of a shot is written above the gauges
// of its pane and covers none of them.
func TestShotTextIsAboveGauges(t *testing.T) {
	l := newSession(t, "latency=100ms", "snapshot", "rewind")
	setDisplay(t, l, "split=off,latency=on,ages=on")
	var s Stage
	idleTicks(t, &s, l, 200, sim.Shot{})
	b := l.Panes[0].ServerWorld.Bodies()
	idleTicks(t, &s, l, 1, sim.Aim(b[15].Pose.Pos.Sub(b[0].Pose.Pos)))
	idleTicks(t, &s, l, 20, sim.Shot{})
	s.Refresh(l)
	var f Frame
	s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
	words, gauge := float32(0), float32(0)
	for _, it := range f.Overlay.Items {
		switch {
		case it.X > 640:
		case strings.Contains(it.Text, "ticks back"):
			words = it.Y
		case strings.Contains(it.Text, "latency in ms"):
			gauge = it.Y
		}
	}
	if words == 0 || gauge == 0 || words > gauge-20 {
		t.Errorf("the verdict lies at %v, the gauge at %v", words, gauge)
	}
}
