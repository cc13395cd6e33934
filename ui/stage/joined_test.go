package stage

import (
	"testing"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage/stagetest"
)

// moveServer moves a body of the client's copy of a server's world, as poses from another process do.
func moveServer(l *lab.Lab, body int, to geom.Vec3) {
	w := l.Panes[0].ServerWorld
	b := w.Bodies()[body]
	b.Pose.Pos = to
	w.SetBody(body, b)
	w.SetTick(w.Tick() + 100)
}

// TestCameraFindsServer promises that the camera of a client whose server runs in another process looks to its cube with the
// first poses that arrive, however far from the scene's start that is, and does not travel there.
func TestCameraFindsServer(t *testing.T) {
	l, err := lab.NewClient(lab.Config{Scene: "two-players", Rate: 60}, "rollback", 1, link.Wire(lab.CutWire{}))
	if err != nil {
		t.Fatal(err)
	}
	var s Stage
	tick := func() geom.Vec3 {
		if err := l.Tick(lab.Entry{}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
		return s.Viewports(nil, l, []Picture{{Rect: Rect{W: 640, H: 360}}}, 1, nil)[0].Camera.Target
	}
	tick()
	at := geom.Vec3{X: 30, Y: -25, Z: 0.5}
	moveServer(l, 1, at)
	if target := tick(); target.Sub(at).Len() > 4 {
		t.Errorf("the camera looks at %v with the first poses, the player's cube is at %v", target, at)
	}
}

// TestWatcherLooksAtPlayers promises that a watcher looks at the player whose number the display setting has, at once.
func TestWatcherLooksAtPlayers(t *testing.T) {
	l, err := lab.NewWatcher(lab.Config{Scene: "two-players", Rate: 60}, "rollback")
	if err != nil {
		t.Fatal(err)
	}
	places := [2]geom.Vec3{{X: -40, Z: 0.5}, {X: 40, Z: 0.5}}
	for i, at := range places {
		moveServer(l, i, at)
	}
	var s Stage
	for _, player := range []string{"1", "2", "1", "8"} {
		stagetest.Show(t, l, "player="+player)
		s.Refresh(l)
		at := places[min(int(player[0]-'1'), 1)]
		if target := s.Viewports(nil, l, []Picture{{Rect: Rect{W: 640, H: 360}}}, 1, nil)[0].Camera.Target; target.Sub(at).Len() > 10 {
			t.Errorf("player %s: the camera looks at %v, the cube is at %v", player, target, at)
		}
	}
}

// TestServerColors promises that in the picture of a server of another process bodies that nobody touches have nobody's colour,
// and others that of who touches them, whoever plays here.
func TestServerColors(t *testing.T) {
	for player := range 2 {
		l, err := lab.NewClient(lab.Config{Scene: "katamari:players=2:cubes=30", Rate: 60}, "rollback", player, link.Wire(lab.CutWire{}))
		if err != nil {
			t.Fatal(err)
		}
		var s Stage
		l.Panes[0].ServerWorld.SetTouchedBy(7, 1)
		for range 120 { // colours fade
			if err := l.Tick(lab.Entry{}); err != nil {
				t.Fatal(err)
			}
			s.Tick(l)
		}
		touched := PlayerColors[1]
		if player == 1 {
			touched = ServerColor
		}
		cubes := s.Viewports(nil, l, []Picture{{Side: ServerSide, Rect: Rect{W: 640, H: 360}}}, 1, nil)[0].Scene.Cubes
		if untouched := cubes[8].Color; untouched != UnownedColor {
			t.Errorf("player %d: an untouched body is %v, want %v", player+1, untouched, UnownedColor)
		}
		if c, want := cubes[7].Color, UnownedColor.Mix(touched, touchTintShare); abs(int(c.R)-int(want.R)) > 2 || abs(int(c.B)-int(want.B)) > 2 {
			t.Errorf("player %d: a body that player 2 touches is %v, want %v", player+1, c, want)
		}
	}
}

func abs(n int) int { return max(n, -n) }
