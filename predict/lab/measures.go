package lab

import (
	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/score"
)

// Measures appends the measures of the pane's first client to dst: those of its score, and
// those of the lab, such as bandwidth. The measures and their order are always the same.
func (p *Pane) Measures(dst []score.Measure) []score.Measure {
	return p.measures(dst, p.Score, &baseline{tick: p.startTick})
}

// measures appends the measures of a score and of all that has happened since a baseline.
func (p *Pane) measures(dst []score.Measure, sc *score.Score, from *baseline) []score.Measure {
	dst = sc.Measures(dst)
	rate := float64(p.lab.config.Rate)
	seconds := float64(p.lab.tick-from.tick) / rate
	perSecond := func(name, title, help string, n float64, digits int) {
		m := score.Measure{Name: name, Title: title, Help: help, Digits: digits, Better: score.Lower}
		if m.OK = seconds >= 1; m.OK {
			m.Value = n / seconds
		}
		dst = append(dst, m)
	}
	kbit := func(d link.Direction) float64 { return float64(p.wireBytes(d)-from.bytes[d]) * 8 / 1000 }
	perSecond("up_kbit_per_second", "bandwidth up, kbit/s", "data sent from the client to the server, with IP and UDP headers, or with all that TCP adds", kbit(link.Up), 1)
	perSecond("down_kbit_per_second", "bandwidth down, kbit/s", "data sent from the server to the client, with IP and UDP headers, or with all that TCP adds", kbit(link.Down), 1)
	replayed, known := p.Counters.Sum(predict.ReplayedTicks)
	replayed -= from.replayed
	first, diverged := p.Divergence()
	return append(dst,
		score.Measure{Name: "resimulated_ticks_per_minute", Title: "replayed ticks per minute", Help: "ticks that the client stepped again, after corrections or because inputs of others became known",
			Value: replayed * 60 / max(seconds, 1/rate), OK: known && seconds >= 5, Digits: 0, Better: score.Lower},
		score.Measure{Name: "first_divergent_tick", Title: "first divergent tick", Help: "first tick at which the client's world differs from the server's, bit for bit or on the grid of both",
			Value: float64(first.Tick), OK: diverged, Digits: 0, Better: score.Neither},
	)
}

// StandardErrors appends the standard errors of Measures to dst, in their order and units, and +Inf
// where they are not known yet. They are estimated from the spread over blocks of one second.
func (p *Pane) StandardErrors(dst []float64) []float64 { return p.noise.StandardErrors(dst) }
