package probe

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Sight measures the peeker's advantage: how much earlier a player who comes out of cover sees another one
// than that one sees it, each on its own screen. Both pictures are measured as they are drawn, with a line
// between the centres of the two cubes that other bodies, static boxes or the ground may block. Of the two,
// the one that moves faster is the peeker. An appearance counts after a quarter of a second out of sight,
// and if the other one follows within a second. The zero value has seen nothing.
//
// The words are those of Riot's "Peeking into VALORANT's Netcode" (2020).
type Sight struct {
	sides  [sim.MaxPlayers][sim.MaxPlayers]sighting // by observer and player in sight
	events int
	ticks  int // sum of the advantages
}

// sighting is what one player's screen shows of another player.
type sighting struct {
	hidden   int      // ticks in a row, up to now, out of sight
	appeared sim.Tick // session tick in which the other came in sight and waits for its counterpart; 0: none does
	peeks    bool     // the observer was the faster one then
}

// Screen is a player's picture; its view is nil for a player without one.
type Screen = *predict.View

// Add adds the pictures of a session tick, by player. rate is in ticks per second.
func (s *Sight) Add(m *predict.Counters, w *predict.World, t sim.Tick, screens []Screen) {
	rate, bodies := w.Rate(), w.Bodies()
	for a := range screens {
		for b := range screens {
			if a == b || screens[a] == nil || screens[b] == nil {
				continue
			}
			x := &s.sides[a][b]
			if !InSight(w, screens[a], a, b) {
				x.hidden++
				continue
			}
			if x.hidden >= rate/4 {
				x.appeared, x.peeks = t, bodies[a].Linear.LenSq() > bodies[b].Linear.LenSq()
			}
			x.hidden = 0
		}
	}
	for a := range screens {
		for b := range a {
			s.pair(m, &s.sides[a][b], &s.sides[b][a], t, rate)
		}
	}
}

// pair counts two appearances that belong together.
func (s *Sight) pair(m *predict.Counters, x, y *sighting, t sim.Tick, rate int) {
	for _, one := range []*sighting{x, y} {
		if one.appeared > 0 && t-one.appeared > sim.Tick(rate) {
			one.appeared = 0
		}
	}
	if x.appeared == 0 || y.appeared == 0 {
		return
	}
	first := x
	if y.appeared < x.appeared {
		first = y
	}
	advantage := int(int64(y.appeared) - int64(x.appeared)) // of the observer of x
	if (first == x) != first.peeks {
		advantage = -advantage
	}
	x.appeared, y.appeared = 0, 0
	s.events, s.ticks = s.events+1, s.ticks+advantage
	c := DeclareSightCounters(m)
	c.peeks.Inc()
	c.advantage.Set(float64(s.ticks) * 1000 / float64(s.events*rate))
}

// InSight reports whether player a sees player b in a picture: nothing is drawn between their cubes.
func InSight(w *predict.World, v Screen, a, b int) bool {
	from := v.Bodies[a].Pos
	path := v.Bodies[b].Pos.Sub(from)
	if path == (geom.Vec3{}) {
		return true
	}
	hit := w.Scene().CastRay(from, path.Unit(), path.Len(), v.Bodies, a, v.Others, w.Rate())
	return hit.Body == b || hit.Distance >= path.Len()
}

// sightCounters are what the screens of shooters and their targets count.
type sightCounters struct {
	peeks, advantage, behindCover predict.Counter
}

// DeclareSightCounters declares the counters of lines of sight as a pane has them after the first shot.
func DeclareSightCounters(m *predict.Counters) (c sightCounters) {
	c.peeks = m.New("peeks",
		"times that a player came out of cover and two saw each other").Of(predict.OnScreens)
	c.advantage = m.New("peekers_advantage_ms",
		"mean time by which a player out of cover saw another first, ms").Of(predict.OnScreens)
	c.behindCover = m.New("shots_received_behind_cover",
		"hits on a player behind cover on its own screen").Of(predict.OnScreens)
	return c
}

// CountHit counts a hit on a player whose screen showed no line of sight to the shooter.
func CountHit(m *predict.Counters, w *predict.World, shooter, victim int, screen Screen) {
	c := DeclareSightCounters(m)
	if !InSight(w, screen, victim, shooter) {
		c.behindCover.Inc()
	}
}
