package window

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/net/quant"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/trace"
	"ghostcube/ui/hud"
	"ghostcube/ui/stage"
)

// TestPacketPointer points at packets in the lanes of a session with fragments, and compares what is said about them
// with their bytes: header, fields, and outcome.
func TestPacketPointer(t *testing.T) {
	experiment.Skip(t)
	c := lab.Config{Scene: "katamari:cubes=60", Rate: 60}
	if err := c.Network.Parse("latency=60ms,jitter=15ms,loss=10%,duplicate=5%"); err != nil {
		t.Fatal(err)
	}
	l := lab.New(c)
	for _, spec := range []string{"snapshot", "rewind"} {
		if _, err := l.Open(spec); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Apply(stage.Show("lanes", "on")); err != nil {
		t.Fatal(err)
	}
	var s hud.HUD
	for range 240 {
		s.Refresh(l)
		if err := l.Tick(lab.Entry{}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
	}
	var f hud.Frame
	s.Compose(&f, l, stage.Rect{W: 1280, H: 720}, hud.Options{}, 1)
	var h packetPointer
	said := map[string]int{}
	for y := 0; y < 720; y += 7 {
		for x := 0; x < 1280; x += 5 {
			p := h.at(l, &s, x, y)
			if p == nil {
				continue
			}
			flow := l.Panes[p.Pane].Datagrams().Flow(0, p.Direction)
			r := flow.At(p.Index)
			text, head := strings.Join(p.Lines, "\n"), strings.Join(p.Lines[:2], "\n")
			for word, want := range map[string]bool{"lost": r.Flags.Has(trace.Lost), "fragments, this is": r.LastFragment > 0,
				"duplicate": r.Flags.Has(trace.Duplicated), ", late": r.Flags.Has(trace.Late),
				"server to client": p.Direction == link.Down} {
				if strings.Contains(head, word) != want {
					t.Fatalf("%+v: %s", *r, text)
				}
				if want {
					said[word]++
				}
			}
			var a trace.Packet
			first, end := flow.PacketOf(p.Index)
			for i := first; i < end; i++ {
				b, ok := flow.AppendBytes(nil, i)
				if !ok {
					t.Fatal("no bytes")
				}
				a.Add(b)
			}
			text = strings.ReplaceAll(text, ",\n    ", ", ")
			if !strings.Contains(text, "header: "+trace.HeaderText(&a.Header)) {
				t.Fatalf("%+v: %s", a.Header, text)
			}
			var fields []quant.Field
			if err := l.Panes[p.Pane].Fields(p.Direction, a.Payload, func(x quant.Field) { fields = append(fields, x) }); err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(fields); {
				var line string
				if line, i = trace.FieldText(fields, i); !strings.Contains(text, "\n"+line) {
					t.Fatalf("%q is not in %s", line, text)
				}
			}
			said["all"]++
		}
	}
	for _, word := range []string{"lost", "fragments, this is", "duplicate", "server to client"} {
		if said[word] < 5 {
			t.Errorf("%d of %d packets with %q", said[word], said["all"], word)
		}
	}
}

// TestPeerPacketPointer points at packets between two clients of a mesh: who has sent each is said, with its fields.
func TestPeerPacketPointer(t *testing.T) {
	experiment.Skip(t)
	l := lab.New(lab.Config{Scene: "katamari:cubes=9:players=3", Rate: 60})
	if _, err := l.Open("rollback:topology=mesh"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []lab.Command{stage.Show("lanes", "on"), stage.Show("lane-peer", "3")} {
		if err := l.Apply(c); err != nil {
			t.Fatal(err)
		}
	}
	var s hud.HUD
	for range 90 {
		s.Refresh(l)
		if err := l.Tick(lab.Entry{}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
	}
	var h packetPointer
	said := map[string]int{}
	for d := range 2 {
		f := s.LaneFlow(0, link.Direction(d))
		for i := f.Total() - 20; i < f.Total(); i++ {
			text := strings.Join(h.describe(nil, l, &s, &hud.PointedPacket{Direction: link.Direction(d), Index: i}), "\n")
			for _, word := range []string{"player 1 to player 3", "player 3 to player 1", "distance", "malformed"} {
				if strings.Contains(text, word) {
					said[word]++
				}
			}
		}
	}
	if said["player 1 to player 3"] != 20 || said["player 3 to player 1"] != 20 || said["distance"] != 40 || said["malformed"] > 0 {
		t.Errorf("%v", said)
	}
}
