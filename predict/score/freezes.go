package score

var freezeDefinition = Definition{
	Group: "Motion", Title: "Freezes",
	Measures: []Entry{
		{
			Measure{Name: "freeze_percent", Title: "frozen, %", Digits: 2, Better: Lower,
				Help: "share of ticks in which the drawn cube stands still while the server's cube moves"},
			func(c *Score, _ Counts) (float64, bool) { return 100 * c.Frozen(), c.freezable() },
		},
		{
			Measure{Name: "longest_freeze_ms", Title: "longest freeze, ms", Digits: 1, Better: Lower,
				Help: "duration of the longest freeze"},
			func(c *Score, _ Counts) (float64, bool) { return c.millis(float64(c.freezes.longest)), c.freezable() },
		},
	},
	Text: `
A tick is frozen if the drawn cube moves less than 1 mm times 60/rate (6 cm/s) while the server's cube is faster than
0.5 m/s at the same moment. The first measure is the share of all scored ticks, single or in runs. A freeze is a run
of at least 1/20 s, 3 ticks at 60 Hz. The longest freeze is 0 if there is none.`,
	Undefined: "until the server's cube has moved for one second",
	Source:    "the length of a run: PerfDog's definition of a jank",
	Blind: `
the cause: a view that is late by d is frozen for d at every start of the server's cube; the counter starved_ticks has the
stops of playback alone. A cube drawn creeping at 7 cm/s is not frozen; one that spins in place, while the server's slides, is`,
}

// A tick is frozen if the drawn cube stands still while the server's cube moves at the same moment.
// Standing still is less than a millimetre in a sixtieth of a second.
const (
	standSpeedMax  = 0.06 // m/s; below it a cube stands still: a millimetre a tick at 60 Hz
	movingSpeedMin = 0.5  // m/s; above it a cube moves
	freezeDivisor  = 20   // a freeze is a run of at least rate/freezeDivisor frozen ticks, 1/20 s
)

// freezes counts frozen ticks and runs of them.
type freezes struct {
	ticks   int // frozen ticks, in a run or alone
	longest int // longest of those runs, ticks
	run     int // length of the current run, ticks
	moving  int // ticks in which the server's cube moves
}

// add adds the steps of a tick in metres.
func (f *freezes) add(server, drawn float64, rate int) {
	if server*float64(rate) > movingSpeedMin {
		f.moving++
	}
	if drawn*float64(rate) >= standSpeedMax || server*float64(rate) <= movingSpeedMin {
		f.run = 0
		return
	}
	f.ticks++
	f.run++
	minRun := (rate + freezeDivisor - 1) / freezeDivisor
	if f.run >= minRun {
		f.longest = max(f.longest, f.run)
	}
}
