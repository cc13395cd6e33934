package lab_test

import (
	"slices"
	"testing"

	. "ghostcube/predict/lab"
)

// TestSpectatorSeesAnimated says that who only watches has nothing to predict: with
// historyoffset it sees what it does with animated, to the bit.
func TestSpectatorSeesAnimated(t *testing.T) {
	l := open(t, config(t, "katamari:cubes=100", "latency=75ms,jitter=20ms,loss=10%", AtHost), "animated", "historyoffset")
	for range 600 {
		run(t, l, 1)
		a, b := &l.Panes[0].Clients[0].View, &l.Panes[1].Clients[0].View
		if !slices.Equal(a.Bodies, b.Bodies) || a.Tick != b.Tick || a.Note != b.Note || len(b.Predicted) > 0 {
			t.Fatalf("tick %d: they differ", l.Ticks())
		}
	}
}

// TestRemoteBodiesAreAnimated says that who plays with historyoffset sees all but the own
// cube late, as long as what they do is the same, and the own cube ahead of that: both
// labels are of ticks in which the truth was, or will be, so.
func TestRemoteBodiesAreAnimated(t *testing.T) {
	l := open(t, config(t, "zen", "latency=100ms", AtClient), "historyoffset")
	for range 600 {
		run(t, l, 1)
		if l.Ticks() < 120 {
			continue
		}
		v, truth := &l.Panes[0].Clients[0].View, l.Panes[0].ServerWorld.Tick()
		if late, ahead := int(truth)-int(v.TickOf(1)), int(v.TickOf(0))-int(truth); late < 8 || late > 12 || ahead < 8 || ahead > 13 {
			t.Fatalf("tick %d: others %d ticks late, the own cube %d ahead", l.Ticks(), late, ahead)
		}
	}
}

// TestHistoryOffsetNeverReplays says that where the client's physics is not quite the
// server's, rewind steps many ticks again, and an offset to the history none, though
// it corrects as well.
func TestHistoryOffsetNeverReplays(t *testing.T) {
	l := open(t, config(t, "katamari:cubes=100", "latency=125ms", AtClient), "historyoffset:contact-order=reordered", "rewind:contact-order=reordered")
	run(t, l, 900)
	offset, rewind := l.Panes[0].Counters, l.Panes[1].Counters
	if rewind.Value("replayed_ticks") < 10*rewind.Value("corrections") || rewind.Value("corrections") < 50 {
		t.Errorf("rewind: %v corrections, %v ticks", rewind.Value("corrections"), rewind.Value("replayed_ticks"))
	}
	if offset.Value("corrections") < 50 {
		t.Errorf("%v corrections", offset.Value("corrections"))
	}
	list := &l.Panes[0].Corrections
	for n := list.FirstIndex(); n < list.Total(); n++ {
		if c := list.At(n); c.ReplayedTicks != 0 {
			t.Fatalf("%d ticks stepped again", c.ReplayedTicks)
		}
	}
}
