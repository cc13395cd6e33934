package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

var popsAllDefinition = Definition{
	Group: "Jumps", Title: "Pops of all bodies",
	Measures: []Entry{
		{
			Measure{Name: "pops_all_per_minute", Title: "pops, all bodies, per minute", Digits: 1, Better: Lower,
				Help: "sudden changes of step above 5 cm of any drawn body that the server's body did not make"},
			func(c *Score, _ Counts) (float64, bool) { return c.perMinute(c.bodies.stepChanges.count), c.lasting() },
		},
		{
			Measure{Name: "pop_energy_all_m2", Title: "pop energy, all bodies, m2", Digits: 4, Better: Lower,
				Help: "sum of the squared sudden changes of step of all drawn bodies"},
			func(c *Score, _ Counts) (float64, bool) { return c.bodies.stepChanges.energy, c.scoredSecond() },
		},
	},
	Text: `
A simpler definition, cheap enough for 901 bodies. A pop is a tick in which a drawn body's step differs from its
previous step by more than 5 cm, and by more than 5 cm from every change of step of the server's body within two ticks
of the tick drawn. A jump changes the step twice, to the jump and back, and is one pop. The energy is the sum of the
squared differences from the server's most similar change. All bodies count, and so does constant stutter.`,
	Formula:   "|step(t) - step(t-1)| > 5 cm",
	Undefined: "in the first 5 s",
	Blind: `
rotation, and offsets that build up or decay over several ticks. If more than 4096 bodies of the server are hit within the
view's delay, a correct motion may count as a pop`,
}

// A step change is a pop in a form cheap enough for 901 bodies: a step that differs from the one
// before by more than 5 cm, while the server's body has no similar change within two ticks of the
// tick drawn. The return to the usual step after a jump is not another one.
const (
	stepChangeMin         = 0.025 // metres; smaller changes on the server are not remembered
	stepChangeHistory     = 4096  // changes on the server that are remembered
	stepChangesPendingMax = 4096  // drawn changes that may wait for the server to reach their tick
)

// stepChange is one body's change of step.
type stepChange struct {
	body     int32
	tick     sim.Tick
	delta    geom.Vec3 // metres
	previous int32     // number of the same body's change before this one; -1 if there is none
}

// stepChanges finds the step changes of all drawn bodies.
type stepChanges struct {
	history       []stepChange // changes on the server, by number modulo stepChangeHistory
	nextNumber    int32        // number of the next change on the server
	newest        []int32      // by body: number of its newest change on the server; -1 if none
	pending       []stepChange // drawn changes, oldest first
	resolvedCount int          // leading entries of pending that are resolved

	count  int
	energy float64 // m2
}

// addServer remembers a change on the server.
func (s *stepChanges) addServer(body int, tick sim.Tick, delta geom.Vec3) {
	if s.history == nil {
		s.history = make([]stepChange, stepChangeHistory)
	}
	for len(s.newest) <= body {
		s.newest = append(s.newest, -1)
	}
	s.history[s.nextNumber%stepChangeHistory] = stepChange{int32(body), tick, delta, s.newest[body]}
	s.newest[body] = s.nextNumber
	s.nextNumber++
}

// addDrawn adds a drawn change. tick is the tick that the body claims to show.
func (s *stepChanges) addDrawn(body int, tick sim.Tick, delta geom.Vec3) {
	if len(s.pending)-s.resolvedCount >= stepChangesPendingMax {
		s.resolve(&s.pending[s.resolvedCount])
		s.resolvedCount++
	}
	s.pending = append(s.pending, stepChange{body: int32(body), tick: tick, delta: delta})
}

// resolveDue resolves the drawn changes whose ticks the server has reached.
func (s *stepChanges) resolveDue(now sim.Tick) {
	for s.resolvedCount < len(s.pending) && s.pending[s.resolvedCount].tick+popTickTolerance <= now {
		s.resolve(&s.pending[s.resolvedCount])
		s.resolvedCount++
	}
	if s.resolvedCount >= len(s.pending)/2 {
		s.pending = s.pending[:copy(s.pending, s.pending[s.resolvedCount:])]
		s.resolvedCount = 0
	}
}

// resolve counts a drawn change unless the server had a similar one.
func (s *stepChanges) resolve(j *stepChange) {
	difference := j.delta.LenSq()
	if int(j.body) < len(s.newest) {
		for n := s.newest[j.body]; n >= 0 && s.nextNumber-n <= stepChangeHistory; n = s.history[n%stepChangeHistory].previous {
			t := &s.history[n%stepChangeHistory]
			if t.tick+popTickTolerance < j.tick {
				break
			}
			if t.tick <= j.tick+popTickTolerance {
				difference = min(difference, j.delta.Sub(t.delta).LenSq())
			}
		}
	}
	if difference > popDistance*popDistance {
		s.count++
		s.energy += float64(difference)
	}
}

func (s *stepChanges) copyFrom(o *stepChanges) {
	history, newest, pending := append(s.history[:0], o.history...), append(s.newest[:0], o.newest...), append(s.pending[:0], o.pending...)
	*s = *o
	s.history, s.newest, s.pending = history, newest, pending
}
