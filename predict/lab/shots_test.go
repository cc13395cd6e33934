package lab_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// shooterInputs returns a tick of the tape "shots" with other shots: the second player rolls
// back and forth in front of the first, who rests and fires at an interval in ticks, in one
// of seven directions. The tape repeats.
func shooterInputs(tape *tape.Tape, tick, every int) []sim.Input {
	in := make([]sim.Input, 2)
	copy(in, tape.Entries[tick%len(tape.Entries)].Inputs)
	in[0] = sim.Input{}
	if tick >= 60 && tick%every == 0 {
		in[0].Shot = sim.Shot{Fired: true, Yaw: uint16(2870 + 37*(tick/every%7))}
	}
	return in
}

// shotSpecs are panes of every strategy. The servers of the first ones take the newest input;
// the servers of the others take inputs by their ticks.
var shotSpecs = []string{
	"noprediction", "snapshot", "snapshot:snapshot-every=3:compression=delta", "animated", "animated:playout=4", "statesync",
	"statesync:authority=client", "rewind", "rewind:server-steps=on-input", "historyoffset", "lockstep",
}

func playShots(t *testing.T, c Config, ticks, every int, specs ...string) *Lab {
	t.Helper()
	l, tape := labtest.Open(t, c, specs...), builtInTape(t, "shots")
	for range ticks {
		labtest.Tick(t, l, Entry{Inputs: shooterInputs(tape, int(l.Ticks()), every)})
	}
	return l
}

// TestDescribeListsAllCounters checks that the list of counters has every counter of a pane with messages
// whose player has shot, and no counter that such a pane lacks.
func TestDescribeListsAllCounters(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	names := func(c *predict.Counters) (list []string) {
		for _, x := range c.All() {
			list = append(list, x.Name)
		}
		slices.Sort(list)
		return list
	}
	for _, s := range Strategies {
		_, listed := Describe(s)
		l := playShots(t, labtest.Config(t, "two-players", "latency=40ms", AtClient), 150, 11, s.Name+":messages=reliable")
		if a, b := names(listed), names(l.Panes[0].Counters); !slices.Equal(a, b) {
			t.Errorf("%s: listed\n%v\ncounted\n%v", s.Name, a, b)
		}
	}
}

// TestRewoundHitsMatchView checks lag compensation where the client draws the past: rewound,
// the server resolves every shot as the shooter saw it and finds the target where it was
// drawn, within the resolution of a sixteenth of a tick; without rewinding it often does not. A client whose clock
// is steered draws on the chord between its last two pictures, and where the target bounces between the two, the
// chord cuts the corner of its path: then it is found where a chord is.
func TestRewoundHitsMatchView(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for spec, want := range map[string]struct {
		other float64 // most shots with another result
		off   float32 // largest distance of the targets, m
	}{
		"noprediction": {0, 0}, "lockstep": {0, 0}, "statesync:smoothing=none": {0, 0.001},
		"statesync:authority=client:smoothing=none": {0, 0.001},
		"historyoffset":             {1, 0.006},
		"rewind:others=interpolate": {1, 0.006}, "rewind:others=auto": {1, 0.006},
		"snapshot": {1, 0.006}, "animated": {1, 0.006}, // 1/32 ticks at 10 m/s are 5.2 mm
		"snapshot:snapshot-every=3": {3, 0.1}, // its curve deviates from the path
	} {
		if experiment.Brief() && slices.Contains([]string{"noprediction", "statesync:smoothing=none", "snapshot", "animated"}, spec) {
			continue
		}
		l, tape := labtest.Open(t, labtest.Config(t, "two-players", "latency=50ms,jitter=8ms", AtClient), spec, spec+":lag-compensation=off"), builtInTape(t, "shots")
		var path [2][][]geom.Pose // of the server's bodies, by pane and tick
		for range 1600 {
			for i, p := range l.Panes {
				path[i] = append(path[i], predict.AppendPoses(nil, p.ServerWorld.Bodies()))
			}
			labtest.Tick(t, l, Entry{Inputs: shooterInputs(tape, int(l.Ticks()), 5)})
		}
		for i, p := range l.Panes {
			m := p.Counters
			resolved, seen, other := m.Value("shots_resolved"), m.Value("shots_hit_on_client"), m.Value("shots_resolved")-m.Value("shots_rewound_match_client")
			now := resolved - m.Value("shots_now_match_client")
			if resolved < 290 || seen < 30 || other > want.other || now < 15 || m.Value("shots_refused") != 0 {
				t.Errorf("%s: %v shots, %v hits on the client; other results: %v rewound, %v now", p.Spec(), resolved, seen, other, now)
			}
			off := float32(0)
			for n := p.Shots.FirstIndex(); n < p.Shots.Total(); n++ {
				x := p.Shots.At(n)
				if x.ResolvedTick > 0 && x.Result.UseRewound != (i == 0) {
					t.Fatalf("%s: %+v", p.Spec(), x.Result)
				}
				if hit := x.ClientRay.Hit.Body; x.ResolvedTick > 0 && hit != sim.NoBody && hit == x.Result.Rewound.Hit.Body {
					d := x.TargetDrawn.Pos.Sub(x.Result.TargetThen.Pos).Len()
					if d > want.off {
						chord := distanceToChords(path[i], hit, int64(x.Result.Tick)*predict.SubticksPerTick-x.Result.Age, x.TargetDrawn.Pos)
						t.Logf("%s: shot %d: the target is %.1f mm off the path, %.1f off a chord", p.Spec(), n, 1000*d, 1000*chord)
						d = chord
					}
					off = max(off, d)
				}
			}
			if off > want.off {
				t.Errorf("%s: targets were drawn %v m from the rewound pose, want %v", p.Spec(), off, want.off)
			}
		}
	}
}

// distanceToChords returns the least distance of a drawn position from the chords on which a client may have drawn a
// body for a moment, in subticks: each from one point of its path to the point a tick later.
func distanceToChords(path [][]geom.Pose, body int, at int64, drawn geom.Vec3) float32 {
	on := func(subtick int64) geom.Vec3 {
		t, share := subtick/predict.SubticksPerTick, float32(subtick%predict.SubticksPerTick)/predict.SubticksPerTick
		return smoothing.Lerp(path[t][body].Pos, path[t+1][body].Pos, share)
	}
	least := float32(math.MaxFloat32)
	for before := range int64(predict.SubticksPerTick + 1) {
		from := at - before
		p := smoothing.Lerp(on(from), on(from+predict.SubticksPerTick), float32(before)/predict.SubticksPerTick)
		least = min(least, p.Sub(drawn).Len())
	}
	return least
}

// TestPredictedTargetsAreHitWhereDrawn checks that a shot at a body that the client predicts is resolved at
// the moment at which that body was drawn, while the bodies around it are drawn in the past: with
// others=auto, a player drives into a pile and shoots all around. It is the pose of a predicted body, which may
// be corrected before the server is there.
func TestPredictedTargetsAreHitWhereDrawn(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "two-players", "latency=100ms", AtClient), "rewind:others=auto")
	off, hits, p := float32(0), 0, l.Panes[0]
	for i := range 420 {
		in := sim.Input{Buttons: sim.Right}
		if i < 100 || i >= 150 {
			in.Buttons = 0
		}
		if i > 140 {
			in.Shot = sim.Shot{Fired: true, Yaw: uint16(i * 41 % 4096)}
		}
		labtest.Tick(t, l, Entry{Inputs: []sim.Input{in, {}}})
	}
	for n := p.Shots.FirstIndex(); n < p.Shots.Total(); n++ {
		x := p.Shots.At(n)
		if b := x.ClientRay.Hit.Body; x.ResolvedTick > 0 && b != sim.NoBody && b == x.Result.Rewound.Hit.Body {
			off = max(off, x.TargetDrawn.Pos.Sub(x.Result.TargetThen.Pos).Len())
			hits++
		}
	}
	m := p.Counters
	if matched := m.Value("shots_rewound_match_client"); hits < 30 || off > 0.05 || m.Value("shots_resolved")-matched > 6 {
		t.Errorf("%d hits, targets up to %v m off, %v of %v as on the screen", hits, off, matched, m.Value("shots_resolved"))
	}
}

// TestPeekersAdvantage checks the advantage of a player who comes out from behind a pile, over the tape with
// shots, against the sum of its parts. With interpolated others that are both ways, the input lead of five
// ticks, the interpolation delay, and a tick; nothing where both screens are late by the same time. Halving
// the interpolation delay shows.
func TestPeekersAdvantage(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	tape := builtInTape(t, "shots")
	for spec, want := range map[string]float64{ // ms
		"rewind:others=interpolate":                          50 + 50 + 5*1000/60.0 + 60 + 1000/60.0,
		"rewind:others=interpolate:interpolation-delay=30ms": 50 + 50 + 5*1000/60.0 + 30 + 1000/60.0,
		"snapshot": 0, "noprediction": 0,
	} {
		l := labtest.Open(t, labtest.Config(t, "two-players", "latency=50ms", AtClient), spec)
		for i, e := range tape.Entries {
			if i == 1000 {
				l = l.Fork() // a copy goes on like the original
			}
			labtest.Tick(t, l, e)
		}
		m := l.Panes[0].Counters
		peeks, got := m.Value("peeks"), m.Value("peekers_advantage_ms")
		if peeks < 8 || got < want-17 || got > want+17 {
			t.Errorf("%s: %v peeks, an advantage of %.0f ms, want %.0f", spec, peeks, got, want)
		}
		measures := l.Panes[0].ShotMeasures(nil)
		for i, name := range ShotCounters {
			if i >= len(measures) || measures[i].Name != name || measures[i].Value != m.Value(name) {
				t.Fatalf("%s: measures of shots %+v, want those of %v", spec, measures, ShotCounters)
			}
		}
	}
}

// TestRaysStartWhereDrawn checks that the server starts the ray of a moving shooter where the
// shooter saw its own cube: late like remote bodies, ahead of them, or in the server's
// future. Shots carry no position.
func TestRaysStartWhereDrawn(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for spec, maxOffset := range map[string]float32{
		"noprediction": 0, "lockstep": 0, "rewind:smoothing=none": 0, "snapshot": 0.008, "animated": 0.008, // 1/32 ticks at 15 m/s
		"statesync:smoothing=none": 0.001, "statesync:authority=client:smoothing=none": 0.05,
		"historyoffset": 0.05,
	} {
		l := labtest.Open(t, labtest.Config(t, "plain", "latency=50ms", AtClient), spec)
		for i := range 1200 {
			in := labtest.Inputs(i)
			if in[0].Buttons &= sim.Left | sim.Right | sim.Forward | sim.Back; i > 120 && i%5 == 0 {
				in[0].Shot = sim.Shot{Fired: true, Yaw: uint16(i)}
			}
			labtest.Tick(t, l, Entry{Inputs: in})
		}
		p := l.Panes[0]
		offset, presentOffset, resolved := float32(0), float32(0), 0
		for n := p.Shots.FirstIndex(); n < p.Shots.Total(); n++ {
			if x := p.Shots.At(n); x.ResolvedTick > 0 && x.Result.Refused == predict.NotRefused {
				offset = max(offset, x.ClientRay.Origin.Sub(x.Result.Rewound.Origin).Len())
				presentOffset = max(presentOffset, x.ClientRay.Origin.Sub(x.Result.Now.Origin).Len())
				resolved++
			}
		}
		if resolved < 200 || offset > maxOffset {
			t.Errorf("%s: %d shots start up to %v m from the drawn cube (%v m from the present one), want %v", spec, resolved, offset, presentOffset, maxOffset)
		}
	}
}

// TestEveryShotFiresOnce checks that every shot is resolved once, with loss, duplicates and
// reordering, at low and high frame rates, and with clock skew.
func TestEveryShotFiresOnce(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	const every, last = 11, 660
	tape := builtInTape(t, "shots")
	for _, spec := range shotSpecs {
		if experiment.Brief() && spec != "snapshot" && spec != "rewind" {
			continue
		}
		for name, clock := range map[string]string{"": "", "fps": "20", "skew": "10000"} {
			l := labtest.Open(t, labtest.Config(t, "two-players", "latency=40ms,jitter=25ms,loss=15%,duplicate=20%,reorder=10%,reorder-delay=30ms", AtClient), spec)
			if name != "" {
				if err := l.Apply(Command{Verb: "clock", Pane: AllPanes, Name: name, Value: clock}); err != nil {
					t.Fatal(err)
				}
			}
			for range 900 {
				in := shooterInputs(tape, int(l.Ticks()), every)
				if l.Ticks() > last {
					in[0].Shot = sim.Shot{}
				}
				labtest.Tick(t, l, Entry{Inputs: in})
			}
			p := l.Panes[0]
			fired, resolved := p.Counters.Value("shots"), p.Counters.Value("shots_resolved")
			lost := 0
			for n := p.Shots.FirstIndex(); n < p.Shots.Total(); n++ {
				if p.Shots.At(n).ResolvedTick == 0 {
					lost++
				}
			}
			if fired != last/every-5 || resolved > fired || float64(lost) != fired-resolved {
				t.Errorf("%s %s=%s: %v fired, %v resolved, %d lost", spec, name, clock, fired, resolved, lost)
			}
			if lost > 0 {
				t.Errorf("%s %s=%s: %d shots are lost", spec, name, clock, lost)
			}
		}
	}
}

// TestLateShotsAreRefused checks that at 400 ms one way every shot at an interpolated view is older than a history of
// 300 ms, is refused and hits nothing, and that none is refused if the history follows the round trip.
func TestLateShotsAreRefused(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, spec := range []string{"noprediction", "snapshot", "animated", "statesync"} {
		l := playShots(t, labtest.Config(t, "two-players", "latency=400ms", AtClient), 700, 11, spec+":hit-history=300ms", spec)
		short, long := l.Panes[0], l.Panes[1]
		if n := short.Counters.Value("shots_resolved"); n < 40 || short.Counters.Value("shots_refused") != n {
			t.Errorf("%s: %v of %v refused", spec, short.Counters.Value("shots_refused"), n)
		}
		for n := short.Shots.FirstIndex(); n < short.Shots.Total(); n++ {
			if x := short.Shots.At(n); x.ResolvedTick > 0 && (x.Result.Refused != predict.TooOld || x.Result.Body() != sim.NoBody) {
				t.Fatalf("%s: %+v", spec, x.Result)
			}
		}
		if n := long.Counters.Value("shots_refused"); n != 0 || long.Counters.Value("shots_rewound_match_client") < 40 {
			t.Errorf("%s by default: %v refused, %v match the client", spec, n, long.Counters.Value("shots_rewound_match_client"))
		}
	}
}

// TestHostShootsThePresent checks that a player at the host sees the server's world: its shots
// hit what it saw, rewound or not, in the tick in which it fires.
func TestHostShootsThePresent(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, spec := range shotSpecs {
		if spec == "lockstep" { // a lockstep tick waits for all players
			continue
		}
		c := labtest.Config(t, "two-players", "latency=100ms", AtHost)
		l := playShots(t, c, 900, 7, spec)
		m := l.Panes[0].Counters
		n := m.Value("shots")
		allMatch := m.Value("shots_rewound_match_client") == n && m.Value("shots_now_match_client") == n
		if n < 100 || m.Value("shots_resolved") != n || !allMatch || m.Value("shots_hit_on_client") < 10 {
			t.Errorf("%s: %+v", spec, m.All())
		}
	}
}

// TestForkKeepsShots checks that a fork while shots are in flight stays equal, and that the
// shot of a frozen client waits until it runs again.
func TestForkKeepsShots(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	tape := builtInTape(t, "shots")
	for _, spec := range shotSpecs {
		c := labtest.Config(t, "two-players", "latency=100ms,loss=5%", AtClient)
		l := playShots(t, c, 203, 3, spec)
		f := l.Fork()
		for range 100 {
			e := Entry{Inputs: shooterInputs(tape, int(l.Ticks()), 3)}
			if l.Tick(e) != nil || f.Tick(e) != nil {
				t.Fatal("a tick fails")
			}
		}
		if l.Hash() != f.Hash() || l.Panes[0].Counters.Value("shots_resolved") < 30 {
			t.Errorf("%s: the fork diverges", spec)
		}
		if fmt.Sprint(l.Panes[0].Shots) != fmt.Sprint(f.Panes[0].Shots) {
			t.Errorf("%s: the fork has other shots", spec)
		}
	}
	// A shot between two frames of the client's program is in no side and in no packet.
	waiting := labtest.Open(t, labtest.Config(t, "two-players", "latency=20ms", AtClient), "noprediction")
	labtest.Apply(t, waiting, "clock all fps 10")
	labtest.Run(t, waiting, 120)
	for range 6 {
		labtest.Tick(t, waiting, Entry{Inputs: []sim.Input{{Shot: sim.Shot{Fired: true, Yaw: 100}}}})
		f := waiting.Fork()
		labtest.Run(t, f, 30)
		if n := f.Panes[0].Counters; n.Value("shots_resolved") < 1 {
			t.Errorf("a shot at tick %d is lost in a fork", waiting.Ticks()-1)
		}
		labtest.Run(t, waiting, 30)
		if waiting.Hash() != f.Hash() {
			t.Errorf("the fork after the shot at tick %d diverges", waiting.Ticks()-31)
		}
		labtest.Run(t, waiting, 31)
	}
	l := labtest.Open(t, labtest.Config(t, "two-players", "latency=20ms", AtClient), "noprediction")
	labtest.Hold(t, l, 100)
	labtest.Apply(t, l, "freeze all - 500ms")
	labtest.Hold(t, l, 5)
	labtest.Hold(t, l, 1, sim.Input{Shot: sim.Shot{Fired: true}})
	labtest.Hold(t, l, 194)
	if x := l.Panes[0].Shots.At(0); x.FiredTick != 105 || x.ResolvedTick < 130 || x.ResolvedTick > 140 || x.Result.Refused != predict.TooOld {
		t.Errorf("%+v", x)
	}
}

// TestShotsAllocateNothing checks that shooting allocates nothing per tick.
func TestShotsAllocateNothing(t *testing.T) {
	experiment.Skip(t)
	tape := builtInTape(t, "shots")
	for _, spec := range shotSpecs {
		if testing.Short() && spec != "snapshot" {
			continue
		}
		l := labtest.Open(t, labtest.Config(t, "two-players", "latency=75ms,jitter=10ms,loss=5%", AtClient), spec)
		var list [660][]sim.Input
		for i := range list {
			list[i] = shooterInputs(tape, i+1200, 5)
		}
		step := func() { l.Tick(Entry{Inputs: list[int(l.Ticks())%len(list)]}) }
		for range 1200 {
			step()
		}
		if n := testing.AllocsPerRun(100, step); n != 0 {
			t.Errorf("%s: %v allocations per tick", spec, n)
		}
	}
}

// TestNoShotsNoCounters checks that a session without shots declares no counters of shots, so
// its hash does not depend on them.
func TestNoShotsNoCounters(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, spec := range shotSpecs {
		l := labtest.Open(t, labtest.Config(t, "two-players", "latency=75ms", AtClient), spec)
		labtest.Run(t, l, 100)
		for _, c := range l.Panes[0].Counters.All() {
			if len(c.Name) > 4 && c.Name[:5] == "shots" {
				t.Errorf("%s declares %s", spec, c.Name)
			}
		}
	}
}
