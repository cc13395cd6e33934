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
	joltLeast = 0.025 // metres; smaller ones of the truth are none
	joltsPast = 512   // true ones that are remembered
	joltsWait = 4096  // drawn ones that may wait for the truth to come to their tick
)

// jolt is one body's change of step.
type jolt struct {
	body   int32
	tick   sim.Tick
	bend   geom.Vec3 // metres
	before int32     // the number of the jolt of the same body before it, and -1 if there is none
}

// jolts finds those of all drawn bodies.
type jolts struct {
	past    []jolt  // true ones, by their number
	number  int32   // of the next
	newest  []int32 // for each body, the number of its newest, and -1
	waiting []jolt  // drawn ones, oldest first
	judged  int     // of those

	count  int
	energy float64 // m2
}

// happened notes a true jolt.
func (s *jolts) happened(body int, tick sim.Tick, bend geom.Vec3) {
	if s.past == nil {
		s.past = make([]jolt, joltsPast)
	}
	for len(s.newest) <= body {
		s.newest = append(s.newest, -1)
	}
	s.past[s.number%joltsPast] = jolt{int32(body), tick, bend, s.newest[body]}
	s.newest[body] = s.number
	s.number++
}

// seen notes a drawn jolt under the label of the picture.
func (s *jolts) seen(body int, tick sim.Tick, bend geom.Vec3) {
	if len(s.waiting)-s.judged >= joltsWait {
		s.judge(&s.waiting[s.judged])
		s.judged++
	}
	s.waiting = append(s.waiting, jolt{body: int32(body), tick: tick, bend: bend})
}

// settle judges what the truth has come to.
func (s *jolts) settle(now sim.Tick) {
	for s.judged < len(s.waiting) && s.waiting[s.judged].tick+popNear <= now {
		s.judge(&s.waiting[s.judged])
		s.judged++
	}
	if s.judged >= len(s.waiting)/2 {
		s.waiting = s.waiting[:copy(s.waiting, s.waiting[s.judged:])]
		s.judged = 0
	}
}

// judge counts a drawn jolt unless the truth had the like.
func (s *jolts) judge(j *jolt) {
	away := j.bend.Len2()
	if int(j.body) < len(s.newest) {
		for n := s.newest[j.body]; n >= 0 && s.number-n <= joltsPast; n = s.past[n%joltsPast].before {
			t := &s.past[n%joltsPast]
			if t.tick+popNear < j.tick {
				break
			}
			if t.tick <= j.tick+popNear {
				away = min(away, j.bend.Sub(t.bend).Len2())
			}
		}
	}
	if away > popWay*popWay {
		s.count++
		s.energy += float64(away)
	}
}

func (s *jolts) copyFrom(o *jolts) {
	past, newest, waiting := append(s.past[:0], o.past...), append(s.newest[:0], o.newest...), append(s.waiting[:0], o.waiting...)
	*s = *o
	s.past, s.newest, s.waiting = past, newest, waiting
}
