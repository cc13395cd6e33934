package stage

import (
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage/stagetest"
)

// TestScreensText promises that screens survive their text, that the last one holds for all further panes, and that wrong
// texts are refused.
func TestScreensText(t *testing.T) {
	for text, want := range map[string]Screens{
		"1": {1, 1, 1, 1}, "2": {2, 2, 2, 2}, "1:2": {1, 2, 2, 2}, "2:1": {2, 1, 1, 1}, "1:2:1:8": {1, 2, 1, 8}, "1:2:2:1": {1, 2, 2, 1},
	} {
		got, err := parseScreens(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s becomes %v, %v, and that %s", text, got, err, got)
		}
	}
	if got, err := parseScreens("2:2"); err != nil || got.String() != "2" {
		t.Errorf("2:2 becomes %s, %v", got, err)
	}
	for _, text := range []string{"", "0", "9", "x", "1:", ":2", "1:1:1:1:1", "-1", "1,2"} {
		if CheckCommand(Show("player", text)) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestScreenOfPlayer promises that the picture of another player's screen shows what that player's client holds, with its
// cube in the middle and its own prediction of it, while the server's picture is the same; that the pane beside it shows
// the first player's; and that a player without a client has the first one's screen.
func TestScreenOfPlayer(t *testing.T) {
	experiment.Skip(t)
	for _, spec := range []string{"rewind", "snapshot", "statesync", "rollback"} {
		l := stagetest.Open(t, lab.Config{Scene: "two-players", Rate: 60}, "latency=80ms", spec, spec)
		stagetest.Apply(t, l, Show("player", "1:2"))
		var s Stage
		for k := range 154 {
			way := [...]sim.Buttons{sim.Left, sim.Right}[k/20%2]
			if err := l.Tick(lab.Entry{Inputs: []sim.Input{{Buttons: way}, {Buttons: way}}}); err != nil {
				t.Fatal(err)
			}
			s.Tick(l)
		}
		at := func(pane int, side Side) *Viewport {
			return &s.Viewports(nil, l, []Picture{{Pane: pane, Side: side, Rect: Rect{W: 640, H: 360}}}, 1, nil)[0]
		}
		for pane, client := range []int{0, 1} {
			v, drawn := at(pane, ClientSide), l.Panes[pane].Clients[client].View.Bodies
			for i := range drawn {
				if v.Scene.Cubes[i].Pose != drawn[i] {
					t.Fatalf("%s, pane %d: body %d is drawn at %v, want %v", spec, pane, i, v.Scene.Cubes[i].Pose, drawn[i])
				}
			}
			projection := v.Projection()
			if x, _, depth := projection.Project(drawn[client].Pos); depth < 1 || x < 100 || x > 540 {
				t.Errorf("%s, pane %d: the cube of player %d is at pixel %v, depth %v", spec, pane, client+1, x, depth)
			}
			server := at(pane, ServerSide)
			for i, b := range predict.AppendPoses(nil, l.Panes[pane].ServerWorld.Bodies()) {
				if server.Scene.Cubes[i].Pose != b {
					t.Errorf("%s, pane %d: the server's body %d is drawn at %v, want %v", spec, pane, i, server.Scene.Cubes[i].Pose, b)
				}
			}
			if server.Scene.Cubes[client].Color != ServerColor || server.Scene.Cubes[1-client].Color != PlayerColors[1-client] {
				t.Errorf("%s, pane %d: the colours of the players are %v", spec, pane, server.Scene.Cubes[:2])
			}
		}
		mine, theirs := l.Panes[0].Clients[0].View.Bodies, l.Panes[1].Clients[1].View.Bodies
		if spec == "rewind" && mine[1].Pos.Sub(theirs[1].Pos).Len() < 0.05 {
			t.Errorf("%s: the second player's cube is at %v on both screens", spec, mine[1].Pos)
		}
		stagetest.Apply(t, l, Show("player", "8"))
		s.Refresh(l)
		if got := poses(at(1, ClientSide), len(mine)); !slices.Equal(got, l.Panes[1].Clients[0].View.Bodies) {
			t.Errorf("%s: player 8 has a screen of its own", spec)
		}
	}
}

// poses returns the poses of the first cubes of a picture.
func poses(v *Viewport, n int) (list []geom.Pose) {
	for i := range n {
		list = append(list, v.Scene.Cubes[i].Pose)
	}
	return list
}
