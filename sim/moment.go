package sim

import "time"

// Moment is a point in a world's time, or a length of time, in 1/65536 tick. Integers are the same
// on every machine, and a delay in milliseconds is rarely a whole number of ticks.
type Moment int64

// MomentsPerTick is the number of moments in a tick.
const MomentsPerTick = 1 << 16

// Moment returns the moment at which a tick begins.
func (t Tick) Moment() Moment { return Moment(t) * MomentsPerTick }

// MomentOf returns a length of time at rate ticks per second, rounded towards zero.
func MomentOf(d time.Duration, rate int) Moment {
	return Moment(int64(d) * int64(rate) / 1000 * MomentsPerTick / 1e6)
}

// MomentOfMillis is MomentOf for a length of time in milliseconds.
func MomentOfMillis(ms float64, rate int) Moment { return MomentOf(time.Duration(ms*1e6), rate) }

// Millis returns m in milliseconds, at rate ticks per second.
func (m Moment) Millis(rate int) float64 { return float64(m) * 1000 / float64(MomentsPerTick*rate) }

// Seconds returns m in seconds, at rate ticks per second.
func (m Moment) Seconds(rate int) float32 {
	return float32(float64(m) / float64(int64(rate)*MomentsPerTick))
}

// Ticks returns m in ticks.
func (m Moment) Ticks() float64 { return float64(m) / MomentsPerTick }

// Tick returns the last tick that begins at or before m; for moments before the first tick, the
// first tick.
func (m Moment) Tick() Tick { return Tick(max(m, 0) / MomentsPerTick) }

// Round returns m rounded to a whole number of ticks.
func (m Moment) Round() Moment { return (m + MomentsPerTick/2) &^ (MomentsPerTick - 1) }

// NearestTick returns the tick that begins nearest to m; for moments before the first tick, the
// first tick.
func (m Moment) NearestTick() Tick { return m.Round().Tick() }

// pathTime returns m as the time of a path. Moments before the first tick become the first tick.
func (m Moment) pathTime(rate int) pathTime {
	m = max(m, 0)
	return pathTime{Tick(m / MomentsPerTick), int(m % MomentsPerTick), MomentsPerTick, rate}
}
