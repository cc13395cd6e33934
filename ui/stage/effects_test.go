package stage

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/stage/stagetest"
)

// TestEffectRings checks that a client's picture has a ring for each effect of the last second above the player's
// body, stacked by player, at most as many as a stack may have; that the server's picture has none, and that the
// setting shots turns them off.
func TestEffectRings(t *testing.T) {
	l := stagetest.Session(t, "latency=100ms", "rollback")
	l.Tick(lab.Entry{Commands: []lab.Command{Show("ghosts", "off")}})
	var s Stage
	stagetest.Rest(t, &s, l, 60, sim.Shot{})
	player := l.Panes[0].PlayerBody()
	effects := []predict.Effect{{Player: player, Age: 60}, {Player: player, Age: 30}, {Player: player}}
	rings := func() (client, server int) {
		l.Panes[0].Clients[0].View.Effects = effects
		views := s.views(nil, l, 1)
		return len(views[0].Scene.Lines) / ringSegments, len(views[1].Scene.Lines)
	}
	if client, server := rings(); client != 2 || server != 0 {
		t.Errorf("%d rings of two effects in the last second, %d lines in the server's picture", client, server)
	}
	lines := s.views(nil, l, 1)[0].Scene.Lines
	if newest, before := lines[0].A.Z, lines[ringSegments].A.Z; before <= newest || lines[0].Color.A <= lines[ringSegments].Color.A {
		t.Errorf("the newest ring is at %v m, the one before at %v", newest, before)
	}
	effects = make([]predict.Effect, 2*maxStackRings)
	if client, _ := rings(); client != maxStackRings {
		t.Errorf("%d rings", client)
	}
	l.Tick(lab.Entry{Commands: []lab.Command{Show("shots", "off")}})
	s.Tick(l)
	if client, _ := rings(); client != 0 {
		t.Errorf("%d rings while shots are not shown", client)
	}
}
