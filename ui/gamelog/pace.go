package gamelog

import (
	"fmt"
	"math"
	"slices"

	"ghostcube/predict/score"
)

// Limits beyond which a log is impossible.
const (
	maxAhead    = 3   // seconds by which frames claim to be ahead of the server, on average
	maxPace     = 1.5 // ticks of the frames in relation to their time and the rate, and the inverse
	paceSeconds = 1   // seconds of ticks, or of time, that a pace needs
	maxLeap     = 1   // seconds of ticks between two frames; more is no pace, but a join
)

// pace compares the ticks that frames claim to show with the times of the frames.
type pace struct {
	last  Line
	ways  [2]passed // of the bodies of fields b and o
	backs int       // frames whose tick is less than that of the frame before
	back  int       // line of the first of them
	// The least and the most tick that frames claim to show.
	least, most float64
}

// passed is how much the ticks and the times of frames have advanced, summed.
type passed struct{ ticks, seconds float64 }

// view takes a frame of a log with a rate in ticks a second.
func (p *pace) view(l *Line, rate float64) {
	oldest, newest := l.Tick, l.Tick
	if l.HasDelayed {
		oldest, newest = min(oldest, l.Delayed), max(newest, l.Delayed)
	}
	last := p.last
	if last.Number == 0 {
		p.least, p.most = oldest, newest
	}
	p.least, p.most = min(p.least, oldest), max(p.most, newest)
	p.last = Line{Number: l.Number, Time: l.Time, Tick: l.Tick, Delayed: l.Delayed, HasDelayed: l.HasDelayed}
	if last.Number == 0 {
		return
	}
	if l.Tick < last.Tick {
		if p.backs++; p.backs == 1 {
			p.back = l.Number
		}
	}
	for i, ticks := range [...]float64{l.Tick - last.Tick, l.Delayed - last.Delayed} {
		if ticks >= 0 && ticks <= maxLeap*rate && (i == 0 || l.HasDelayed && last.HasDelayed) {
			p.ways[i].ticks += ticks
			p.ways[i].seconds += float64(l.Time-last.Time) / 1e6
		}
	}
}

// faults returns sentences on what cannot be true. clock says that the server's present is known.
func (s *scorer) faults(c *Card, clock bool) (list []string) {
	rate := float64(c.Head.Rate)
	way := s.pace.ways[0]
	if way.ticks == 0 {
		way = s.pace.ways[1]
	}
	ticks := way.ticks / rate
	if x := ticks / way.seconds; way.ticks > 0 && max(ticks, way.seconds) >= paceSeconds && !(x <= maxPace && x >= 1/maxPace) {
		list = append(list, fmt.Sprintf("The ticks of lines v last %.3g s at hz %d, but their times us %.3g s: want microseconds, and hz as the server's.",
			ticks, c.Head.Rate, way.seconds))
	}
	first, end := float64(s.states.firstTick), float64(s.states.tick)
	if s.pace.most < first || (s.serverEnds || s.client == s.states) && s.pace.least > end && end-first >= paceSeconds*rate {
		list = append(list, fmt.Sprintf("Frames claim ticks %.0f to %.0f, and no line of the server has any of them, from tick %.0f on: want its numbers.",
			s.pace.least, s.pace.most, first))
		return list
	}
	i := slices.IndexFunc(c.Measures, func(m score.Measure) bool { return m.Name == "nominal_delay_mean_ms" })
	if m := &c.Measures[i]; clock && m.OK && m.Value < -1000*maxAhead {
		list = append(list, fmt.Sprintf("Frames claim ticks k that are %.1f s ahead of the server's, on average: want the tick that the picture shows.",
			-m.Value/1000))
	}
	return list
}

// warnings returns sentences on what is probably wrong.
func (s *scorer) warnings(c *Card) (list []string) {
	for i, r := range [...]*Reader{s.client, s.states} {
		if r.cut > 0 && (i == 0 || s.states != s.client) {
			list = append(list, fmt.Sprintf("%s: line %d, the last, is cut off and does not count.", r.name, r.cut))
		}
	}
	if s.pace.backs > 0 {
		list = append(list, fmt.Sprintf("The tick k of lines v goes back, first in line %d (%d in all).", s.pace.back, s.pace.backs))
	}
	if s.spans > 0 {
		fps := 1e6 * float64(s.spans) / float64(max(s.span, 1))
		if want := float64(c.Head.Frames); math.Abs(fps-want) > 0.05*want {
			list = append(list, fmt.Sprintf("There are %.1f frames a second, but fps is %d: motion and freezes are wrong. Set fps.", fps, c.Head.Frames))
		}
	}
	return list
}
