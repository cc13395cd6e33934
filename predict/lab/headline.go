package lab

import (
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/score"
)

// manyBodies is the number of bodies from which the pops of all of them lead, too.
const manyBodies = 10

// Headline appends the figures that lead every display of a pane to dst: the time from a key to the
// screen, the path error, the pops, and the bandwidth down and up. They have the names, units and
// orders of Measures. The time from a key to the screen is that of the last second's inputs.
func (p *Pane) Headline(dst []score.Measure) []score.Measure {
	latency := p.Latency.Recent().Response
	ticks := float64(latency.Sum()) / float64(time.Second) * float64(p.lab.config.Rate)
	dst = append(dst, score.Measure{Name: "key_to_screen_ms", Title: "key to screen, ms", Help: "time from a key press to the first frame that shows it",
		Value: ticks * 1000 / float64(p.lab.config.Rate), OK: latency.Inputs > 0, Digits: 0, Better: score.Lower})
	dst = p.Score.Headline(dst, len(p.ServerWorld.Bodies()) >= manyBodies)
	seconds := float64(p.lab.tick-p.startTick) / float64(p.lab.config.Rate)
	for _, d := range []struct {
		name, title, help string
		counters          *link.Counters
	}{
		{"down_kbit_per_second", "bandwidth down, kbit/s", "data sent from the server to the client, with all headers", p.Clients[0].LinkCounters(link.Down)},
		{"up_kbit_per_second", "bandwidth up, kbit/s", "data sent from the client to the server, with all headers", p.Clients[0].LinkCounters(link.Up)},
	} {
		dst = append(dst, score.Measure{Name: d.name, Title: d.title, Help: d.help,
			Value: float64(d.counters.WireBytes) * 8 / 1000 / max(seconds, 1e-9), OK: seconds >= 1, Digits: 0, Better: score.Lower})
	}
	return dst
}
