package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// A jolt is a pop of any body, in a form that can be had of 901 of them: a step
// that differs from the step before by more than 5 cm, while the true body has
// none like it within two ticks of the same label. The step back to the usual
// one that follows a leap is not another.
const (
	stepChangeMin         = 0.025 // metres; smaller ones of the truth are none
	stepChangeHistory     = 512   // true ones that are remembered
	stepChangesPendingMax = 4096  // drawn ones that may wait for the truth to come to their tick
)

// stepChange is one body's change of step.
type stepChange struct {
	body     int32
	tick     sim.Tick
	delta    geom.Vec3 // metres
	previous int32     // the number of the jolt of the same body before it, and -1 if there is none
}

// stepChanges finds those of all drawn bodies.
type stepChanges struct {
	history       []stepChange // true ones, by their number
	nextNumber    int32        // of the next
	newest        []int32      // for each body, the number of its newest, and -1
	pending       []stepChange // drawn ones, oldest first
	resolvedCount int          // of those

	count  int
	energy float64 // m2
}

// addServer notes a true jolt.
func (s *stepChanges) addServer(body int, tick sim.Tick, bend geom.Vec3) {
	if s.history == nil {
		s.history = make([]stepChange, stepChangeHistory)
	}
	for len(s.newest) <= body {
		s.newest = append(s.newest, -1)
	}
	s.history[s.nextNumber%stepChangeHistory] = stepChange{int32(body), tick, bend, s.newest[body]}
	s.newest[body] = s.nextNumber
	s.nextNumber++
}

// addDrawn notes a drawn jolt under the label of the picture.
func (s *stepChanges) addDrawn(body int, tick sim.Tick, bend geom.Vec3) {
	if len(s.pending)-s.resolvedCount >= stepChangesPendingMax {
		s.resolve(&s.pending[s.resolvedCount])
		s.resolvedCount++
	}
	s.pending = append(s.pending, stepChange{body: int32(body), tick: tick, delta: bend})
}

// resolveDue judges what the truth has come to.
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

// resolve counts a drawn jolt unless the truth had the like.
func (s *stepChanges) resolve(j *stepChange) {
	away := j.delta.LenSq()
	if int(j.body) < len(s.newest) {
		for n := s.newest[j.body]; n >= 0 && s.nextNumber-n <= stepChangeHistory; n = s.history[n%stepChangeHistory].previous {
			t := &s.history[n%stepChangeHistory]
			if t.tick+popTickTolerance < j.tick {
				break
			}
			if t.tick <= j.tick+popTickTolerance {
				away = min(away, j.delta.Sub(t.delta).LenSq())
			}
		}
	}
	if away > popDistance*popDistance {
		s.count++
		s.energy += float64(away)
	}
}

func (s *stepChanges) copyFrom(o *stepChanges) {
	past, newest, waiting := append(s.history[:0], o.history...), append(s.newest[:0], o.newest...), append(s.pending[:0], o.pending...)
	*s = *o
	s.history, s.newest, s.pending = past, newest, waiting
}
