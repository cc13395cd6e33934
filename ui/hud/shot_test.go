package hud

import (
	"strings"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// TestShotIsDrawn promises that a shot is in the client's picture from the tick in which it is fired and in
// the server's from the tick in which it is resolved, for a second each: the ray from the shooter's cube to its
// end, a ghost of the hit body, and the result in words; all in one picture without split; and nothing while
// the setting is off.
func TestShotIsDrawn(t *testing.T) {
	for _, split := range []string{"on", "off"} {
		l := stagetest.Session(t, "latency=100ms", "snapshot", "rewind")
		l.Apply(stage.Show("split", split))
		var s HUD
		stagetest.Rest(t, &s, l, 200, sim.Shot{})
		b := l.Panes[0].ServerWorld.Bodies()
		shot := sim.Aim(b[15].Pose.Pos.Sub(b[0].Pose.Pos)) // a cube at rest beside the wall
		stagetest.Rest(t, &s, l, 1, shot)
		at := l.Panes[0].Shots.At(0)
		if at.ClientRay.Hit.Body != 15 {
			t.Fatalf("it hits body %d", at.ClientRay.Hit.Body)
		}
		look := func(side stage.Side) (rays, ghosts int, texts string) {
			f := s.frame(l)
			for i := range f.Viewports {
				v := &f.Viewports[i]
				if v.Pane != 0 || v.Side != side {
					continue
				}
				for _, x := range v.Scene.Trails {
					c := x.Color
					c.A = 255
					if c != stage.HitColor && c != stage.MissColor && c != stage.UnrewoundColor {
						continue
					}
					rays++
					if from, to := x.Points[0], x.Points[len(x.Points)-1]; from.Sub(b[0].Pose.Pos).Len() > 0.01 || to.Sub(b[15].Pose.Pos).Len() > 0.4 {
						t.Errorf("a ray from %v to %v", from, to)
					}
				}
				for _, x := range v.Scene.Cubes {
					c := x.Color
					if c.A = 255; c == stage.HitColor && x.Ghost() && x.Pose.Pos.Sub(b[15].Pose.Pos).Len() < 0.01 {
						ghosts++
					}
				}
				for _, it := range f.Overlay.Items {
					if v.Contains(it.X, it.Y) && (strings.HasPrefix(it.Text, "client: ") || strings.Contains(it.Text, "rewind")) {
						texts += it.Text + "\n"
						if it.X+it.Font.Width(it.Text) > float32(v.X+v.W) {
							t.Errorf("%q leaves the picture", it.Text)
						}
					}
				}
			}
			return rays, ghosts, texts
		}
		want := func(when string, side stage.Side, rays, ghosts int, texts string) {
			t.Helper()
			if r, g, w := look(side); r != rays || g != ghosts || w != texts {
				t.Errorf("split %s, %s: %d rays, %d ghosts, %q; want %d, %d, %q", split, when, r, g, w, rays, ghosts, texts)
			}
		}
		client, server := stage.ClientSide, stage.ServerSide
		if split == "off" {
			client, server = stage.Combined, stage.Combined
		}
		want("fired", client, 1, 1, "client: hit\n")
		if split == "on" {
			want("fired", server, 0, 0, "")
		}
		stagetest.Rest(t, &s, l, 20, sim.Shot{})
		const result = "hit, rewound 17 ticks (hit without rewind)\n"
		if split == "on" {
			want("resolved", client, 1, 1, "client: hit\n")
			want("resolved", server, 2, 1, result)
		} else {
			want("resolved", stage.Combined, 3, 2, "client: hit\n"+result)
		}
		l.Apply(stage.Show("shots", "off"))
		want("off", client, 0, 0, "")
		want("off", server, 0, 0, "")
		l.Apply(stage.Show("shots", "on"))
		stagetest.Rest(t, &s, l, 42, sim.Shot{})
		if split == "on" {
			want("a second later", client, 0, 0, "")
		}
		remaining := result
		if split == "off" {
			remaining = "client: hit\n" + result // of the same shot
		}
		want("still shown", server, 2, 1, remaining)
		stagetest.Rest(t, &s, l, 10, sim.Shot{})
		want("over", server, 0, 0, "")
	}
}

// TestHitResultText holds the texts of results: the one that counts comes first.
func TestHitResultText(t *testing.T) {
	hit, miss := predict.Ray{Hit: sim.Hit{Body: 3}}, predict.Ray{Hit: sim.Hit{Body: sim.NoBody}}
	for _, c := range []struct {
		v    predict.HitResult
		want string
	}{
		{predict.HitResult{UseRewound: true, Age: 14 * predict.SubticksPerTick, Rewound: hit, Now: miss}, "hit, rewound 14 ticks (miss without rewind)"},
		{predict.HitResult{UseRewound: true, Age: predict.SubticksPerTick, Rewound: miss, Now: hit}, "miss, rewound 1 tick (hit without rewind)"},
		{
			predict.HitResult{
				UseRewound: true, Age: 24 * predict.SubticksPerTick, MaxAge: 18 * predict.SubticksPerTick,
				Refused: predict.TooOld, Rewound: miss, Now: hit,
			},
			"too old: 400 ms, at most 300 ms (hit without rewind)",
		},
		{predict.HitResult{UseRewound: true, Refused: predict.TooNew, Rewound: miss, Now: miss}, "rejected: in the future (miss without rewind)"},
		{predict.HitResult{Age: 14 * predict.SubticksPerTick, Rewound: hit, Now: miss}, "miss without rewind (hit, rewound 14 ticks)"},
	} {
		if got := hitResultText(&c.v, 60); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestAimAt promises that a shot aimed at a point of a picture goes to what is drawn there, in the client's
// picture and in the server's; and that there is no shot outside of the pictures.
func TestAimAt(t *testing.T) {
	l := stagetest.Session(t, "latency=75ms", "snapshot", "rewind")
	var s HUD
	stagetest.Roll(t, &s, l, 200)
	var f Frame
	s.Compose(&f, l, Rect{X: 10, Y: 20, W: 1280, H: 720}, Options{}, 1)
	aimed := 0
	for i := range f.Viewports {
		v := &f.Viewports[i]
		p := l.Panes[v.Pane]
		poses := p.Clients[0].View.Bodies
		if v.Side == stage.ServerSide {
			poses = predict.AppendPoses(nil, p.ServerWorld.Bodies())
		}
		projection := v.Projection()
		scene := p.ServerWorld.Scene()
		for b := 1; b < len(poses); b++ {
			x, y, depth := projection.Project(poses[b].Pos)
			if depth < 1 || x < 0 || y < 0 || x >= float32(v.W) || y >= float32(v.H) {
				continue
			}
			hit := scene.CastRay(projection.Eye, projection.Ray(x, y).Unit(), 200, poses, 0, 0, 60)
			to := projection.Eye.AddScaled(hit.Distance, projection.Ray(x, y).Unit())
			shot, ok := f.AimAt(x+float32(v.X), y+float32(v.Y), l)
			if !ok {
				t.Fatalf("no shot at body %d", b)
			}
			if off := shot.Direction().Sub(to.Sub(poses[0].Pos).Unit()).Len(); off > 0.002 {
				t.Errorf("viewport %d, body %d: the shot misses what is drawn there by %v", i, b, off)
			}
			aimed++
		}
	}
	if aimed < 20 {
		t.Errorf("only %d bodies are in the pictures", aimed)
	}
	for _, at := range [][2]float32{{5, 5}, {20, 25}, {2000, 300}} {
		if _, ok := f.AimAt(at[0], at[1], l); ok {
			t.Errorf("a shot at %v, where there is no picture", at)
		}
	}
}

// TestShotTextIsAboveGauges promises that the result of a shot stands above the gauges of its pane.
func TestShotTextIsAboveGauges(t *testing.T) {
	l := stagetest.Session(t, "latency=100ms", "snapshot", "rewind")
	stagetest.Show(t, l, "split=off,latency=on,ages=on")
	var s HUD
	stagetest.Rest(t, &s, l, 200, sim.Shot{})
	b := l.Panes[0].ServerWorld.Bodies()
	stagetest.Rest(t, &s, l, 1, sim.Aim(b[15].Pose.Pos.Sub(b[0].Pose.Pos)))
	stagetest.Rest(t, &s, l, 20, sim.Shot{})
	s.Refresh(l)
	f := s.frame(l)
	result, gauge := float32(0), float32(0)
	for _, it := range f.Overlay.Items {
		switch {
		case it.X > 640:
		case strings.Contains(it.Text, "rewound "):
			result = it.Y
		case strings.Contains(it.Text, "key to screen, ms"):
			gauge = it.Y
		}
	}
	if result == 0 || gauge == 0 || result > gauge-20 {
		t.Errorf("the result is at %v, the gauge at %v", result, gauge)
	}
}

// TestGripAt promises that a pointer grips the body that a picture shows there: in the client's picture beside the server's
// that of the client's own world, else the server's; that the pixel of the grip is that of the held point, which moves with
// the pointer at the depth where it was gripped and never below the ground; and that there is no grip of the ground and
// outside of the pictures.
func TestGripAt(t *testing.T) {
	for _, split := range []string{"on", "off"} {
		l := stagetest.Session(t, "latency=75ms", "snapshot", "rewind")
		stagetest.Apply(t, l, stage.Show("split", split))
		var s HUD
		stagetest.Roll(t, &s, l, 200)
		var f Frame
		s.Compose(&f, l, Rect{X: 10, Y: 20, W: 1280, H: 720}, Options{}, 1)
		gripped := 0
		for i := range f.Viewports {
			v := &f.Viewports[i]
			p := l.Panes[v.Pane]
			poses, client := p.Clients[0].View.Bodies, lab.OnServer
			if v.Side == stage.ServerSide {
				poses = predict.AppendPoses(nil, p.ServerWorld.Bodies())
			} else if split == "on" {
				client = 0
			}
			projection := v.Projection()
			for b := range poses {
				x, y, depth := projection.Project(poses[b].Pos)
				if depth < 1 || x < 0 || y < 0 || x >= float32(v.W) || y >= float32(v.H) {
					continue
				}
				g, ok := f.GripAt(x+float32(v.X), y+float32(v.Y), l)
				if !ok || g.Drag.Client != client {
					t.Fatalf("split %s, body %d: gripped %t in the world of %d, want %d", split, b, ok, g.Drag.Client, client)
				}
				at := poses[g.Drag.Body]
				held := at.Pos.Add(at.Rot.Rotate(g.Drag.Point))
				if off := held.Sub(g.Drag.Target).Len(); off > 1e-3 {
					t.Errorf("body %d: the held point is %v m from the target", b, off)
				}
				if hx, hy, _ := projection.Project(held); geom.Abs(hx-x)+geom.Abs(hy-y) > 0.5 {
					t.Errorf("body %d: the held point is at pixel %v, %v, want %v, %v", b, hx, hy, x, y)
				}
				before := projection.Depth(held)
				g.MoveTo(&f, float32(v.X)+x+40, float32(v.Y)+y-60)
				if tx, ty, d := projection.Project(g.Drag.Target); geom.Abs(tx-x-40)+geom.Abs(ty-y+60) > 0.5 || geom.Abs(d-before) > 1e-3 {
					t.Errorf("body %d: the target is at pixel %v, %v and depth %v, want %v, %v and %v", b, tx, ty, d, x+40, y-60, before)
				}
				if g.MoveTo(&f, float32(v.X)+x, float32(v.Y+v.H)); g.Drag.Target.Z < -1e-3 {
					t.Errorf("body %d: dragged to %v, below the ground", b, g.Drag.Target)
				}
				gripped++
			}
			if g, ok := f.GripAt(float32(v.X)+2, float32(v.Y)+2, l); ok {
				t.Errorf("the sky gives a grip of body %d", g.Drag.Body)
			}
		}
		if gripped < 20 {
			t.Errorf("only %d bodies are in the pictures", gripped)
		}
		if _, ok := f.GripAt(5, 5, l); ok {
			t.Error("a grip where there is no picture")
		}
	}
}
