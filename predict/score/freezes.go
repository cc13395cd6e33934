package score

// A tick is frozen if the drawn cube stands while the true one is under way at
// the same moment. Standing is less than a millimetre in a sixtieth of a
// second.
const (
	standSpeedMax  = 0.06 // m/s: a millimetre at 60 ticks a second
	movingSpeedMin = 0.5  // m/s
	freezeDivisor  = 20   // a freeze is a run of frozen ticks that lasts the twentieth part of a second: 3 at 60 Hz
)

// freezes counts frozen ticks and runs of them.
type freezes struct {
	ticks   int // frozen, in a run or alone
	count   int // runs that are long enough
	longest int // of those runs, in ticks
	run     int // frozen ticks up to now
}

// add adds the steps of a tick, metres.
func (f *freezes) add(truth, drawn float64, rate int) {
	if drawn*float64(rate) >= standSpeedMax || truth*float64(rate) <= movingSpeedMin {
		f.run = 0
		return
	}
	f.ticks++
	f.run++
	least := (rate + freezeDivisor - 1) / freezeDivisor
	if f.run == least {
		f.count++
	}
	if f.run >= least {
		f.longest = max(f.longest, f.run)
	}
}
