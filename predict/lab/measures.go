package lab

import (
	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/score"
	"ghostcube/sim"
)

// Measures appends the measures of the pane's first client to dst. The measures and their order are always the same.
func (p *Pane) Measures(dst []score.Measure) []score.Measure {
	return p.unmeasured(p.Score.Measures(dst, p.counts(p.sinceStart())))
}

// sinceStart is the baseline of the pane's measures: its start. Where the server is in another process that is the first
// picture, because the download of the world before is not the strategy's traffic.
func (p *Pane) sinceStart() *baseline {
	if p.lab.remote == nil {
		return &baseline{tick: p.startTick}
	}
	return &p.playing
}

// counts returns the counts since a baseline.
func (p *Pane) counts(from *baseline) score.Counts {
	replayed, replays := p.Counters.Sum(predict.ReplayedTicks)
	first, diverged := p.Divergence()
	if found, ok := p.Counters.Lookup("desync_tick"); ok && !diverged && found > 0 { // checksums of a client that steps ahead
		first.Tick, diverged = sim.Tick(found), true
	}
	return score.Counts{
		Seconds:  float64(p.lab.tick-from.tick) / float64(p.lab.config.Rate),
		UpBytes:  p.wireBytes(link.Up) - from.bytes[link.Up],
		Replays:  replays,
		Replayed: replayed - from.replayed,
		Diverged: diverged, DivergentTick: first.Tick,
		DownBytes: p.wireBytes(link.Down) - from.bytes[link.Down],
	}
}

// StandardErrors appends the standard errors of Measures to dst, in their order and units, and +Inf
// where they are not known yet. They are estimated from the spread over blocks of one second.
func (p *Pane) StandardErrors(dst []float64) []float64 { return p.noise.StandardErrors(dst) }
