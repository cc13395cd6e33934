package remote

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// TestWatch watches a full session: who watches has no seat, sees the server's poses of both players and follows a switch.
// The number is bounded, and who leaves makes room.
func TestWatch(t *testing.T) {
	experiment.Skip(t)
	w := newWorld(t, "two-players", "latency=40ms,loss=5%", "rewind")
	w.connect("ann")
	w.connect("bob")
	w.run(time.Second)
	eve := w.connectWith(ClientConfig{Name: "eve", Watch: true})
	check := func(scene string) {
		t.Helper()
		pane := eve.Lab.Panes[0]
		server, drawn := w.server.Lab.Panes[0].ServerWorld, pane.Clients[0].View
		if eve.err != nil || eve.Player != -1 || eve.Lab.Config().Scene != scene || len(drawn.Bodies) != len(server.Bodies()) {
			t.Fatalf("error %v, player %d, %d bodies in %s", eve.err, eve.Player, len(drawn.Bodies), eve.Lab.Config().Scene)
		}
		if behind := server.Tick() - drawn.Tick(); behind < 1 || behind > 8 {
			t.Errorf("%s: the picture is %d ticks old, want about 3", scene, behind)
		}
		for i := range 2 { // players roll at some metres per second
			at, want := drawn.Bodies[i].Pos, server.Bodies()[i].Pose.Pos
			if at == server.Scene().Boxes[i].Start.Pose.Pos || at.Sub(want).Len() > 2 {
				t.Errorf("%s: player %d is drawn at %v, the server has it at %v", scene, i+1, at, want)
			}
		}
	}
	w.run(2 * time.Second)
	check("two-players")
	if n := len(w.server.Seats()); n != 2 || len(w.server.Watchers()) != 1 || w.server.Watchers()[0].Name != "eve" {
		t.Errorf("%d seats, watchers %v", n, w.server.Watchers())
	}
	if err := w.server.Instruct("scene katamari:players=2:cubes=30"); err != nil {
		t.Fatal(err)
	}
	w.run(2 * time.Second)
	check("katamari:players=2:cubes=30")
	for i := range MaxWatchers {
		p := w.connectWith(ClientConfig{Name: fmt.Sprint("w", i), Watch: true})
		w.run(time.Second)
		if i < MaxWatchers-1 && p.Lab == nil || i == MaxWatchers-1 && (!errors.Is(p.err, ErrRefused) || !strings.Contains(p.err.Error(), "8 watch already")) {
			t.Errorf("watcher %d: error %v", i+2, p.err)
		}
	}
	eve.Close()
	w.run(100 * time.Millisecond)
	if p := w.connectWith(ClientConfig{Name: "late", Watch: true}); true {
		w.run(time.Second)
		if p.err != nil || p.Lab == nil {
			t.Errorf("after one has left: error %v", p.err)
		}
	}
	for _, p := range w.processes[:2] {
		if p.err != nil {
			t.Errorf("%s: %v", p.config.Name, p.err)
		}
	}
	w.server.Close()
	verify(t, w.file.String())
}
