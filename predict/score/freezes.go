package score

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
