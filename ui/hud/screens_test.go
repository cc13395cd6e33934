package hud

import (
	"strings"
	"testing"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// TestPaneOfPlayer promises that a pane with the screen of another player says so, and has that client's round trip, path
// error and packets; and that it says that the other figures are the first player's.
func TestPaneOfPlayer(t *testing.T) {
	l := stagetest.Open(t, lab.Config{Scene: "two-players", Rate: 60}, "latency=40ms,latency-per-player=60ms", "rewind", "rewind")
	stagetest.Apply(t, l, stage.Show("player", "1:2"))
	stagetest.Apply(t, l, stage.Show("lanes", "on"))
	l.TraceDatagrams(true)
	var s HUD
	s.Refresh(l)
	for k := range 180 {
		way := [...]sim.Buttons{sim.Left, sim.Right}[k/20%2]
		if err := l.Tick(lab.Entry{Inputs: []sim.Input{{}, {Buttons: way}}}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
	}
	var f Frame
	s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
	var texts []string
	for _, it := range f.Overlay.Items {
		texts = append(texts, it.Text)
	}
	all := strings.Join(texts, "\n")
	if n := strings.Count(all, "player 2's screen"); n != 1 || !strings.Contains(all, "2  rewind: player 2's screen") {
		t.Errorf("%d panes say that it is player 2's screen:\n%s", n, all)
	}
	if !strings.Contains(all, "path error of player 2") {
		t.Errorf("no pane says whose figures it has:\n%s", all)
	}
	for pane, client := range []int{0, 1} {
		want := float32(l.Panes[pane].Clients[client].Endpoint.Stats.RTT.Seconds() * 1000)
		if got := s.Graph(pane, RTTGraph).Last(); got != want || s.Client(pane) != client {
			t.Errorf("pane %d shows client %d with a round trip of %v ms, want %v", pane+1, s.Client(pane), got, want)
		}
		log, found := s.Trace(pane), 0
		for y := range 720 {
			for x := 640 * pane; x < 640*pane+640; x += 40 {
				p, ok := s.PacketAt(x, y)
				if !ok {
					continue
				}
				found++
				if p.Index >= log.Flow(client, p.Direction).Total() {
					t.Fatalf("pane %d: packet %d of client %d, which has sent fewer", pane+1, p.Index, client)
				}
				r := log.Flow(client, p.Direction).At(p.Index)
				if way := (r.Arrival - r.SentAt).Milliseconds(); p.Direction == link.Up && way != int64(40+60*client) {
					t.Fatalf("pane %d: a packet of client %d is under way for %d ms", pane+1, client, way)
				}
			}
		}
		if found == 0 {
			t.Errorf("pane %d: no packet at any pixel", pane+1)
		}
	}
	if a, b := s.Graph(0, PathErrorGraph), s.Graph(1, PathErrorGraph); a.Last() > 0.01 || b.Len() == 0 {
		t.Errorf("the path errors are %v and %v", a.Last(), b.Last())
	}
	stagetest.Apply(t, l, stage.Show("player", "1"))
	s.Refresh(l)
	if s.Client(1) != 0 || s.Graph(1, UplinkGraph).Len() != 0 {
		t.Errorf("after the change the pane shows client %d and has %d points of the other one", s.Client(1), s.Graph(1, UplinkGraph).Len())
	}
}
