package lab_test

import (
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim/geom"
)

// TestAreaOfInterest checks, in every strategy that sends snapshots by distance, that with a cutoff
// exactly the bodies beyond it are marked as outside, and stand where they were last received; that
// moving bodies inside are drawn near the server's; that the bandwidth falls; and that a fork continues
// like its original.
func TestAreaOfInterest(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	names, ticks := []string{"historyoffset", "animated", "relative"}, 120
	if experiment.Brief() {
		names, ticks = names[:1], 60
	}
	for _, name := range names {
		l := labtest.Open(t, labtest.Config(t, "fleet:fields=5", "latency=30ms,loss=2%", AtClient),
			name, name+":interest-radius=30", name+":interest-radius=30:interest-cutoff=150")
		labtest.Run(t, l, ticks)
		f := l.Fork()
		labtest.Run(t, l, ticks)
		labtest.Run(t, f, ticks)
		if l.Hash() != f.Hash() {
			t.Errorf("%s: a fork diverges", name)
		}
		all, area, cutoff := l.Panes[0], l.Panes[1], l.Panes[2]
		for _, p := range l.Panes {
			if n := p.Counters.Rejected().Value(); n > 0 {
				t.Errorf("%s: %v payloads are rejected", name, n)
			}
		}
		if len(all.Clients[0].View.Outside) > 0 {
			t.Errorf("%s: without an area bodies may be outside", name)
		}
		inside, outside := 0, 0
		for i, out := range cutoff.Clients[0].View.Outside {
			server, drawn := cutoff.ServerWorld.Bodies()[i].Pose.Pos, cutoff.Clients[0].View.Bodies[i].Pos
			d := server.Sub(cutoff.ServerWorld.Bodies()[0].Pose.Pos).Len()
			switch {
			case geom.Abs(d-150) < 5:
			case out != (d > 150):
				t.Fatalf("%s: body %d, %v m from the player: outside is %v", name, i, d, out)
			case out:
				if off := drawn.Sub(cutoff.Clients[0].View.LastReceived[i].Pos).Len(); off > 0.2 {
					t.Errorf("%s: body %d is outside and drawn %v m from where it was last received", name, i, off)
				}
				outside++
			case i > 0:
				if inside++; drawn.Sub(server).Len() > 2.5 {
					t.Errorf("%s: body %d, %v m from the player, is drawn %v m from the server's pose", name, i, d, drawn.Sub(server).Len())
				}
			}
		}
		if inside < 400 || outside < 200 {
			t.Errorf("%s: %d bodies are inside, %d outside", name, inside, outside)
		}
		a, b, c := all.Counters.Value("snapshot_bits"), area.Counters.Value("snapshot_bits"), cutoff.Counters.Value("snapshot_bits")
		if b > a/4 || c > b {
			t.Errorf("%s: %v bits in snapshots, %v with an area, %v with a cutoff", name, a, b, c)
		}
	}
}

// TestFleetRuns checks that the strategies that send snapshots by distance send a world of 10,000
// bodies, which does not fit whole snapshots.
func TestFleetRuns(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "fleet", "latency=30ms", AtClient), "animated", "relative:interest-radius=25")
	labtest.Run(t, l, 20)
	for _, p := range l.Panes {
		if n := p.Counters.Rejected().Value(); n > 0 || p.Counters.Value("bodies_per_snapshot") < 1 {
			t.Errorf("%s: %v payloads are rejected, with %v bodies each", p.Strategy.Name, n, p.Counters.Value("bodies_per_snapshot"))
		}
	}
}
