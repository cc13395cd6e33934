package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// declareReliableRest declares the knob that both halves look at.
func declareReliableRest(k *predict.Knobs, p *bool) {
	k.Bool(p, "reliable-rest", true, "a body that has come to rest has a higher priority until the client is known to have it at rest, and the client brings back one that only it has pushed away since")
}

// restTracker finds the bodies that rest at the client where they do not rest at the
// server. The server sees to it that its last word of a resting body arrives; so
// one that rests elsewhere has been pushed by the client's world alone, or news of
// it are on their way. Those have a second.
type restTracker struct {
	enabled       bool
	atRest        []bool   // by body: the server's last word is that it rests
	divergedTicks []uint16 // by body: how long it has rested elsewhere
}

func newRestTracker(bodies int) restTracker {
	return restTracker{atRest: make([]bool, bodies), divergedTicks: make([]uint16, bodies)}
}

// recordState takes in the server's word of a body.
func (s *restTracker) recordState(body int, rests bool) {
	s.atRest[body], s.divergedTicks[body] = rests, 0
}

// restoreResting puts strays where the server has them.
func (c *client) restoreResting() {
	s, w := &c.rest, c.env.World
	if !s.enabled {
		return
	}
	for i := range w.Bodies() {
		b := &w.Bodies()[i]
		if !s.atRest[i] || !b.Asleep || b.Pose == c.lastReceived[i] {
			s.divergedTicks[i] = 0
			continue
		}
		if s.divergedTicks[i]++; int(s.divergedTicks[i]) >= w.Rate() {
			s.divergedTicks[i] = 0
			c.correctBody(i, sim.Body{Pose: c.lastReceived[i], Asleep: true})
		}
	}
}

func (s *restTracker) copyFrom(o *restTracker) {
	s.enabled = o.enabled
	s.atRest = append(s.atRest[:0], o.atRest...)
	s.divergedTicks = append(s.divergedTicks[:0], o.divergedTicks...)
}
