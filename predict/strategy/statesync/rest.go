package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// declareRest declares the knob that both halves look at.
func declareRest(k *predict.Knobs, p *bool) {
	k.Bool(p, "rest-commit", true, "a body that has come to rest has a higher priority until the client is known to have it at rest, and the client brings back one that only it has pushed away since")
}

// strays finds the bodies that rest at the client where they do not rest at the
// server. The server sees to it that its last word of a resting body arrives; so
// one that rests elsewhere has been pushed by the client's world alone, or news of
// it are on their way. Those have a second.
type strays struct {
	commit bool
	rests  []bool   // by body: the server's last word is that it rests
	ticks  []uint16 // by body: how long it has rested elsewhere
}

func newStrays(bodies int) strays {
	return strays{rests: make([]bool, bodies), ticks: make([]uint16, bodies)}
}

// heard takes in the server's word of a body.
func (s *strays) heard(body int, rests bool) { s.rests[body], s.ticks[body] = rests, 0 }

// bringBack puts strays where the server has them.
func (c *client) bringBack() {
	s, w := &c.strays, c.env.World
	if !s.commit {
		return
	}
	for i := range w.Bodies() {
		b := &w.Bodies()[i]
		if !s.rests[i] || !b.Asleep || b.Pose == c.last[i] {
			s.ticks[i] = 0
			continue
		}
		if s.ticks[i]++; int(s.ticks[i]) >= w.Rate() {
			s.ticks[i] = 0
			c.put(i, sim.Body{Pose: c.last[i], Asleep: true})
		}
	}
}

func (s *strays) copyFrom(o *strays) {
	s.commit = o.commit
	s.rests = append(s.rests[:0], o.rests...)
	s.ticks = append(s.ticks[:0], o.ticks...)
}
