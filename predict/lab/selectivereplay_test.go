package lab_test

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/predict/lab/tape"
)

// TestSelectiveReplays runs all built-in tapes twice, with replays that step what can differ and with replays that step
// everything, and compares in each tick the session and the contacts of all clients, also of one that rejoins.
func TestSelectiveReplays(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../assets/tapes/*.tape")
	if err != nil || len(files) == 0 {
		t.Fatal("no tapes: ", err)
	}
	every := experiment.Pick(14, 14, 1)
	for i, file := range files {
		if i%every != 0 {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".tape")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := builtInTape(t, name)
			const joins = ":messages=reliable:block-rate=1000"
			from.Panes = []string{"rollback" + joins, "rewind" + joins, "rewind:resync=off"}
			if err := from.Config.Network.Parse("latency=80ms,jitter=20ms,loss=5%"); err != nil {
				t.Fatal(err)
			}
			if !experiment.Enabled() {
				from.Entries = from.Entries[:min(len(from.Entries), 150)]
			}
			compareReplays(t, from)
		})
	}
}

// compareReplays runs a tape with selective replays and without.
func compareReplays(t *testing.T, from *tape.Tape) {
	open := func() *Lab {
		l, err := from.NewLab()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	part, full := open(), open()
	for _, e := range from.Entries {
		if part.Ticks()%75 == 60 { // bodies that the server alone moves
			labtest.Apply(t, part, "nudge all x 2")
			labtest.Apply(t, full, "nudge all x 2")
		}
		if part.Ticks()%400 == 70 { // a client whose contacts are those of a downloaded world
			labtest.Apply(t, part, "rejoin 1 1 -", "rejoin 2 1 -")
			labtest.Apply(t, full, "rejoin 1 1 -", "rejoin 2 1 -")
		}
		for _, p := range full.Panes {
			for _, c := range p.Clients {
				c.World.NoteChange() // no remembered step is good enough
			}
		}
		labtest.Tick(t, part, e)
		labtest.Tick(t, full, e)
		if part.Hash() != full.Hash() {
			t.Fatalf("tick %d differs", part.Ticks())
		}
		for i, p := range part.Panes {
			for j, c := range p.Clients {
				if c.World.ContactHash() != full.Panes[i].Clients[j].World.ContactHash() {
					t.Fatalf("tick %d: pane %d, client %d: the contacts differ", part.Ticks(), i, j)
				}
			}
		}
	}
}

// BenchmarkReplays runs sessions with selective replays and without, in turn, nine times, in scenes of one player with a
// push of the server's cube every half second. It reports the mean and the largest time that a tick's replays take, of
// the smallest of each tick.
func BenchmarkReplays(b *testing.B) {
	for _, c := range []struct{ name, tape, scene, spec string }{
		{"four-players", "four-players", "", "rollback"}, {"four-players", "four-players", "", "rewind"},
		{"eight-players", "eight-players", "", "rollback"}, {"push", "push", "", "rewind:resync=off"},
		{"two-players", "two-players", "", "rollback"}, {"two-players", "two-players", "", "rewind"},
		{"katamari", "two-players", "katamari:players=2", "rollback"}, {"katamari", "two-players", "katamari:players=2", "rewind"},
		{"resting-pile", "idle", "pile", "rewind:resync=off"}, {"heap", "idle", "heap", "rewind:resync=off"},
	} {
		b.Run(c.name+"/"+c.spec, func(b *testing.B) {
			from := builtInTape(b, c.tape)
			from.Panes, from.Config.Scene, from.Entries = []string{c.spec}, cmp.Or(c.scene, from.Config.Scene), from.Entries[:480]
			if err := from.Config.Network.Parse("latency=100ms,loss=2%"); err != nil {
				b.Fatal(err)
			}
			least := [2][]time.Duration{make([]time.Duration, len(from.Entries)), make([]time.Duration, len(from.Entries))}
			for pass := range 9 {
				for k := range least {
					timeReplays(b, from, k == 0, func(tick int, d time.Duration) {
						if pass == 0 || d < least[k][tick] {
							least[k][tick] = d
						}
					})
				}
			}
			var total, longest [2]time.Duration
			ticks := 0
			for tick := range from.Entries {
				for k := range least {
					total[k], longest[k] = total[k]+least[k][tick], max(longest[k], least[k][tick])
				}
				if least[0][tick] > 0 {
					ticks++
				}
			}
			b.ReportMetric(float64(total[0].Microseconds())/float64(ticks), "all-us")
			b.ReportMetric(float64(total[1].Microseconds())/float64(ticks), "part-us")
			b.ReportMetric(float64(total[1])/float64(total[0]), "ratio")
			b.ReportMetric(float64(longest[1])/float64(longest[0]), "max-ratio")
		})
	}
}

// timeReplays runs a tape and reports how long the replays of each tick take.
func timeReplays(b *testing.B, from *tape.Tape, all bool, report func(tick int, d time.Duration)) {
	l, err := from.NewLab()
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	l.Stopwatch = func() time.Duration { return time.Since(began) }
	before := time.Duration(0)
	for tick, e := range from.Entries {
		for _, c := range l.Panes[0].Clients {
			if all {
				c.World.NoteChange()
			}
		}
		if tick%30 == 0 && l.Players() == 1 {
			labtest.Apply(b, l, "nudge all x 2")
		}
		labtest.Tick(b, l, e)
		now := time.Duration(0)
		for _, s := range l.Panes[0].Counters.Spans() {
			if s.Name == "rollback" || s.Name == "replay" {
				now += s.Total
			}
		}
		report(tick, now-before)
		before = now
	}
}
