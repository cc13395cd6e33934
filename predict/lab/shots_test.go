package lab_test

import (
	"fmt"
	"testing"

	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
)

// shooterInputs is the tape "shots" with other shots: the second player rolls to and fro across
// the way of the first, who stands and fires every so many ticks in one of seven
// directions. tick may be any; the tape goes round.
func shooterInputs(tape *tape.Tape, tick, every int) []sim.Input {
	in := make([]sim.Input, 2)
	copy(in, tape.Entries[tick%len(tape.Entries)].Inputs)
	in[0] = sim.Input{}
	if tick >= 60 && tick%every == 0 {
		in[0].Shot = sim.Shot{Fired: true, Yaw: uint16(2870 + 37*(tick/every%7))}
	}
	return in
}

// shotSpecs are all ways to play. The servers of the first take the newest input, those
// of the others know inputs by their ticks.
var shotSpecs = []string{
	"noprediction", "snapshot", "snapshot:snapshot-every=3:compression=delta", "animated", "animated:playout=4", "statesync",
	"statesync:authority=client", "rewind", "rewind:server-steps=on-input", "historyoffset", "lockstep",
}

func playShots(t *testing.T, c Config, ticks, every int, specs ...string) *Lab {
	t.Helper()
	l, tape := open(t, c, specs...), builtInTape(t, "shots")
	for range ticks {
		if err := l.Tick(Entry{Inputs: shooterInputs(tape, int(l.Ticks()), every)}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// TestRewoundHitsMatchView says that where a client draws the past, the server comes to
// what the shooter saw, shot by shot, if it goes back, and has the body that is hit
// where it was drawn, as far as a sixteenth of a tick tells; and that it comes to
// something else often if it does not.
func TestRewoundHitsMatchView(t *testing.T) {
	for spec, want := range map[string]struct {
		other float64 // shots at most that come to something else
		off   float32 // metres at most
	}{
		"noprediction": {0, 0}, "lockstep": {0, 0}, "statesync:smoothing=none": {0, 0.001},
		"statesync:authority=client:smoothing=none:hit-history=500ms": {0, 0.001}, "historyoffset:hit-history=500ms": {1, 0.006},
		"snapshot": {1, 0.006}, "animated": {1, 0.006}, // 1/32 ticks at 10 m/s are 5.2 mm
		"snapshot:snapshot-every=3:hit-history=500ms": {3, 0.1}, // its curve is not the way that was
	} {
		l := playShots(t, config(t, "two-players", "latency=50ms,jitter=8ms", AtClient), 1600, 5, spec, spec+":lag-compensation=off")
		for i, p := range l.Panes {
			m := p.Counters
			judged, seen, other := m.Value("shots_resolved"), m.Value("shots_hit_on_client"), m.Value("shots_resolved")-m.Value("shots_rewound_match_client")
			now := judged - m.Value("shots_now_match_client")
			if judged < 290 || seen < 30 || other > want.other || now < 15 || m.Value("shots_refused") != 0 {
				t.Errorf("%s: %v shots, %v hits as seen; not as seen: %v rewound, %v now", p.Spec(), judged, seen, other, now)
			}
			off := float32(0)
			for n := p.Shots.FirstIndex(); n < p.Shots.Total(); n++ {
				x := p.Shots.At(n)
				if x.JudgedTick > 0 && x.Result.UseRewound != (i == 0) {
					t.Fatalf("%s: %+v", p.Spec(), x.Result)
				}
				if hit := x.ClientRay.Hit.Body; x.JudgedTick > 0 && hit != sim.NoBody && hit == x.Result.Rewound.Hit.Body {
					off = max(off, x.TargetDrawn.Pos.Sub(x.Result.TargetThen.Pos).Len())
				}
			}
			if off > want.off {
				t.Errorf("%s: what is hit was drawn %v m from where it is judged, want %v", p.Spec(), off, want.off)
			}
		}
	}
}

// TestRaysStartWhereDrawn says that a shooter who drives about shoots, for the server,
// from where its own picture had its cube: late with all others, or ahead of them, or
// in the server's future; for no place travels.
func TestRaysStartWhereDrawn(t *testing.T) {
	for spec, most := range map[string]float32{
		"noprediction": 0, "lockstep": 0, "rewind:smoothing=none": 0, "snapshot": 0.008, "animated": 0.008, // 1/32 ticks at 15 m/s
		"statesync:smoothing=none": 0.001, "statesync:authority=client:smoothing=none:hit-history=500ms": 0.05,
		"historyoffset:hit-history=500ms": 0.05,
	} {
		l := open(t, config(t, "plain", "latency=50ms", AtClient), spec)
		for i := range 1200 {
			in := scriptedInputs(i)
			if in[0].Buttons &= sim.Left | sim.Right | sim.Forward | sim.Back; i > 120 && i%5 == 0 {
				in[0].Shot = sim.Shot{Fired: true, Yaw: uint16(i)}
			}
			if err := l.Tick(Entry{Inputs: in}); err != nil {
				t.Fatal(err)
			}
		}
		p := l.Panes[0]
		off, way, judged := float32(0), float32(0), 0
		for n := p.Shots.FirstIndex(); n < p.Shots.Total(); n++ {
			if x := p.Shots.At(n); x.JudgedTick > 0 && x.Result.Refused == predict.NotRefused {
				off = max(off, x.ClientRay.Origin.Sub(x.Result.Rewound.Origin).Len())
				way = max(way, x.ClientRay.Origin.Sub(x.Result.Now.Origin).Len())
				judged++
			}
		}
		if judged < 200 || off > most {
			t.Errorf("%s: %d shots begin up to %v m from where they were drawn (%v m now), want %v", spec, judged, off, way, most)
		}
	}
}

// TestEveryShotFiresOnce says that a shot is judged once, whatever the link does to the
// packets and the client's program to the ticks: with loss, duplicates, other orders,
// frames that are rare or many, and clocks that are wrong.
func TestEveryShotFiresOnce(t *testing.T) {
	const every, last = 11, 660
	tape := builtInTape(t, "shots")
	for _, spec := range shotSpecs {
		if testing.Short() && spec != "snapshot" && spec != "rewind" {
			continue
		}
		for name, clock := range map[string]string{"": "", "fps": "20", "skew": "10000"} {
			l := open(t, config(t, "two-players", "latency=40ms,jitter=25ms,loss=15%,duplicate=20%,reorder=10%,reorder-delay=30ms", AtClient), spec)
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
				if err := l.Tick(Entry{Inputs: in}); err != nil {
					t.Fatal(err)
				}
			}
			p := l.Panes[0]
			fired, judged := p.Counters.Value("shots"), p.Counters.Value("shots_resolved")
			lost := 0
			for n := p.Shots.FirstIndex(); n < p.Shots.Total(); n++ {
				if p.Shots.At(n).JudgedTick == 0 {
					lost++
				}
			}
			if fired != last/every-5 || judged > fired || float64(lost) != fired-judged {
				t.Errorf("%s %s=%s: %v fired, %v judged, %d of them never", spec, name, clock, fired, judged, lost)
			}
			if lost > 0 {
				t.Errorf("%s %s=%s: %d shots are lost", spec, name, clock, lost)
			}
		}
	}
}

// TestLateShotsAreRefused says that at 400 ms each way every shot at a late picture is
// older than the history and refused, and counts as no hit; and that none is with a
// history of a second.
func TestLateShotsAreRefused(t *testing.T) {
	for _, spec := range []string{"noprediction", "snapshot", "animated", "statesync"} {
		l := playShots(t, config(t, "two-players", "latency=400ms", AtClient), 700, 11, spec, spec+":hit-history=1s")
		short, long := l.Panes[0], l.Panes[1]
		if n := short.Counters.Value("shots_resolved"); n < 40 || short.Counters.Value("shots_refused") != n {
			t.Errorf("%s: %v of %v refused", spec, short.Counters.Value("shots_refused"), n)
		}
		for n := short.Shots.FirstIndex(); n < short.Shots.Total(); n++ {
			if x := short.Shots.At(n); x.JudgedTick > 0 && (x.Result.Refused != predict.TooOld || x.Result.HitBody() != sim.NoBody) {
				t.Fatalf("%s: %+v", spec, x.Result)
			}
		}
		if n := long.Counters.Value("shots_refused"); n != 0 || long.Counters.Value("shots_rewound_match_client") < 40 {
			t.Errorf("%s with a second: %v refused, %v as seen", spec, n, long.Counters.Value("shots_rewound_match_client"))
		}
	}
}

// TestHostShootsThePresent says that a player at the server sees the truth: what it
// saw hit is hit, by both judgements, in the tick in which it fires.
func TestHostShootsThePresent(t *testing.T) {
	for _, spec := range shotSpecs {
		if spec == "lockstep" { // there a tick waits for all
			continue
		}
		c := config(t, "two-players", "latency=100ms", AtHost)
		l := playShots(t, c, 900, 7, spec)
		m := l.Panes[0].Counters
		if n := m.Value("shots"); n < 100 || m.Value("shots_resolved") != n || m.Value("shots_rewound_match_client") != n || m.Value("shots_now_match_client") != n || m.Value("shots_hit_on_client") < 10 {
			t.Errorf("%s: %+v", spec, m.All())
		}
	}
}

// TestForkKeepsShots says that a fork made while shots are on their way comes to the
// same, and that a frozen client's shot waits for it.
func TestForkKeepsShots(t *testing.T) {
	tape := builtInTape(t, "shots")
	for _, spec := range shotSpecs {
		c := config(t, "two-players", "latency=100ms,loss=5%", AtClient)
		l := playShots(t, c, 203, 3, spec)
		f := l.Fork()
		for range 100 {
			e := Entry{Inputs: shooterInputs(tape, int(l.Ticks()), 3)}
			if l.Tick(e) != nil || f.Tick(e) != nil {
				t.Fatal("a tick fails")
			}
		}
		if l.Hash() != f.Hash() || l.Panes[0].Counters.Value("shots_resolved") < 30 {
			t.Errorf("%s: the fork goes another way", spec)
		}
		if fmt.Sprint(l.Panes[0].Shots) != fmt.Sprint(f.Panes[0].Shots) {
			t.Errorf("%s: the fork's shots are others", spec)
		}
	}
	l := open(t, config(t, "two-players", "latency=20ms", AtClient), "noprediction")
	shot := []sim.Input{{Shot: sim.Shot{Fired: true}}}
	for i := range 300 {
		e := Entry{}
		switch i {
		case 100:
			e.Commands = []Command{{Verb: "freeze", Pane: AllPanes, Value: "500ms"}}
		case 105:
			e.Inputs = shot
		}
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
	}
	if x := l.Panes[0].Shots.At(0); x.FiredTick != 105 || x.JudgedTick < 130 || x.JudgedTick > 140 || x.Result.Refused != predict.TooOld {
		t.Errorf("%+v", x)
	}
}

// TestShotsAllocateNothing says that shooting takes no new memory either.
func TestShotsAllocateNothing(t *testing.T) {
	tape := builtInTape(t, "shots")
	for _, spec := range shotSpecs {
		if testing.Short() && spec != "snapshot" {
			continue
		}
		l := open(t, config(t, "two-players", "latency=75ms,jitter=10ms,loss=5%", AtClient), spec)
		var list [660][]sim.Input
		for i := range list {
			list[i] = shooterInputs(tape, i+1200, 5)
		}
		step := func() { l.Tick(Entry{Inputs: list[int(l.Ticks())%len(list)]}) }
		for range 3000 {
			step()
		}
		if n := testing.AllocsPerRun(600, step); n != 0 {
			t.Errorf("%s: %v allocations a tick", spec, n)
		}
	}
}

// TestNoShotsNoCounters says that a session without shots counts none: its meter, and so
// its hash, is what it was before there were shots.
func TestNoShotsNoCounters(t *testing.T) {
	for _, spec := range shotSpecs {
		l := open(t, config(t, "two-players", "latency=75ms", AtClient), spec)
		run(t, l, 100)
		for _, c := range l.Panes[0].Counters.All() {
			if len(c.Name) > 4 && c.Name[:5] == "shots" {
				t.Errorf("%s counts %s", spec, c.Name)
			}
		}
	}
}
