package stage

import (
	"strings"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// step makes ticks with the player at rest; in the first a shot is fired, if one is.
func step(t *testing.T, s *Stage, l *lab.Lab, ticks int, shot sim.Shot) {
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

// TestShotIsSeen says that a shot is in the client's picture from the tick in which it
// is fired, and in the server's from when it is judged, for a second each: its ray from
// the shooter's cube to what it meets, that as a ghost, and the words; in one picture if
// there is one; and that it is not if it is not to be shown.
func TestShotIsSeen(t *testing.T) {
	for _, split := range []string{"on", "off"} {
		l := session(t, "latency=100ms", "snapshot", "rewind")
		l.Do(lab.Command{Verb: "show", Pane: lab.All, Name: "split", Value: split})
		var s Stage
		step(t, &s, l, 200, sim.Shot{})
		b := l.Panes[0].ServerWorld.Bodies()
		shot := sim.Aim(b[15].Pose.Pos.Sub(b[0].Pose.Pos)) // a cube that lies by the wall
		step(t, &s, l, 1, shot)
		at := l.Panes[0].Shots.Number(0)
		if at.Seen.Hit.Body != 15 {
			t.Fatalf("it meets %d", at.Seen.Hit.Body)
		}
		look := func(side Side) (rays, ghosts int, words string) {
			var f Frame
			s.Compose(&f, l, Place{W: 1280, H: 720}, Options{}, 1)
			for i := range f.Views {
				v := &f.Views[i]
				if v.Pane != 0 || v.Side != side {
					continue
				}
				for _, x := range v.Scene.Trails {
					c := x.Color
					c.A = 255
					if c != ShotHit && c != ShotMiss && c != ShotNow {
						continue
					}
					rays++
					if from, to := x.Points[0], x.Points[len(x.Points)-1]; from.Sub(b[0].Pose.Pos).Len() > 0.01 || to.Sub(b[15].Pose.Pos).Len() > 0.4 {
						t.Errorf("a ray from %v to %v", from, to)
					}
				}
				for _, x := range v.Scene.Cubes {
					c := x.Color
					if c.A = 255; c == ShotHit && x.Ghost() && x.Pose.Pos.Sub(b[15].Pose.Pos).Len() < 0.01 {
						ghosts++
					}
				}
				for _, it := range f.List.Items {
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
			client, server = Overlay, Overlay
		}
		want("fired", client, 1, 1, "saw a hit\n")
		if split == "on" {
			want("fired", server, 0, 0, "")
		}
		step(t, &s, l, 20, sim.Shot{})
		const verdict = "hit, 17 ticks back (hit now)\n"
		if split == "on" {
			want("judged", client, 1, 1, "saw a hit\n")
			want("judged", server, 2, 1, verdict)
		} else {
			want("judged", Overlay, 3, 2, "saw a hit\n"+verdict)
		}
		l.Do(lab.Command{Verb: "show", Pane: lab.All, Name: "shots", Value: "off"})
		want("off", client, 0, 0, "")
		want("off", server, 0, 0, "")
		l.Do(lab.Command{Verb: "show", Pane: lab.All, Name: "shots", Value: "on"})
		step(t, &s, l, 42, sim.Shot{})
		if split == "on" {
			want("a second later", client, 0, 0, "")
		}
		still := verdict
		if split == "off" {
			still = "saw a hit\n" + verdict // of the same shot
		}
		want("still", server, 2, 1, still)
		step(t, &s, l, 10, sim.Shot{})
		want("over", server, 0, 0, "")
	}
}

// TestVerdictWords holds the words, the judgement that counts first.
func TestVerdictWords(t *testing.T) {
	hit, miss := predict.Ray{Hit: sim.Hit{Body: 3}}, predict.Ray{Hit: sim.Hit{Body: sim.NoBody}}
	for _, c := range []struct {
		v    predict.HitResult
		want string
	}{
		{predict.HitResult{UseRewound: true, Age: 14 * sim.SeenParts, Rewound: hit, Now: miss}, "hit, 14 ticks back (miss now)"},
		{predict.HitResult{UseRewound: true, Age: sim.SeenParts, Rewound: miss, Now: hit}, "miss, 1 tick back (hit now)"},
		{predict.HitResult{UseRewound: true, Age: 24 * sim.SeenParts, Refused: predict.TooOld, Rewound: miss, Now: hit}, "refused: 400 ms old (hit now)"},
		{predict.HitResult{UseRewound: true, Refused: predict.TooNew, Rewound: miss, Now: miss}, "refused: of the future (miss now)"},
		{predict.HitResult{Age: 14 * sim.SeenParts, Rewound: hit, Now: miss}, "miss now (hit, 14 ticks back)"},
	} {
		if got := verdictWords(&c.v, 60); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestAimAt says that a shot aimed at a place in a picture meets what is seen there, in
// the client's picture and in the server's, and goes to the ground where that is; and
// that where no picture is there is no shot.
func TestAimAt(t *testing.T) {
	l := session(t, "latency=75ms", "snapshot", "rewind")
	var s Stage
	run(t, &s, l, 200)
	var f Frame
	s.Compose(&f, l, Place{X: 10, Y: 20, W: 1280, H: 720}, Options{}, 1)
	met := 0
	for i := range f.Views {
		v := &f.Views[i]
		p := l.Panes[v.Pane]
		poses := p.Clients[0].View.Bodies
		if v.Side == ServerSide {
			poses = predict.Poses(nil, p.ServerWorld.Bodies())
		}
		lens := v.Camera.Lens(float32(v.W), float32(v.H))
		scene := p.ServerWorld.Scene()
		for b := 1; b < len(poses); b++ {
			x, y, depth := lens.Project(poses[b].Pos)
			if depth < 1 || x < 0 || y < 0 || x >= float32(v.W) || y >= float32(v.H) {
				continue
			}
			seen := scene.Ray(lens.Eye, lens.Ray(x, y).Unit(), 200, poses, 0, 0, 60)
			to := lens.Eye.Plus(seen.Length, lens.Ray(x, y).Unit())
			shot, ok := f.AimAt(x+float32(v.X), y+float32(v.Y), l)
			if !ok {
				t.Fatalf("no shot at body %d", b)
			}
			if off := shot.Along().Sub(to.Sub(poses[0].Pos).Unit()).Len(); off > 0.002 {
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

// TestShotWordsLieAboveGauges says that what became of a shot is written above the gauges
// of its pane and covers none of them.
func TestShotWordsLieAboveGauges(t *testing.T) {
	l := session(t, "latency=100ms", "snapshot", "rewind")
	show(t, l, "split=off,latency=on,ages=on")
	var s Stage
	step(t, &s, l, 200, sim.Shot{})
	b := l.Panes[0].ServerWorld.Bodies()
	step(t, &s, l, 1, sim.Aim(b[15].Pose.Pos.Sub(b[0].Pose.Pos)))
	step(t, &s, l, 20, sim.Shot{})
	s.Look(l)
	var f Frame
	s.Compose(&f, l, Place{W: 1280, H: 720}, Options{}, 1)
	words, gauge := float32(0), float32(0)
	for _, it := range f.List.Items {
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
