package stage

import (
	"ghostcube/render"
	"ghostcube/sim/geom"
)

// CorrectedPoses returns where the client drew a body before the last tick, and where its simulation has it now: for
// strategies without a simulation of their own, where they draw it now.
func (s *Stage) CorrectedPoses(pane, body int) (before, after geom.Pose, ok bool) {
	if pane >= len(s.panes) {
		return before, after, false
	}
	p := s.panes[pane]
	if body >= len(p.previous.drawn) || body >= len(p.current.drawn) {
		return before, after, false
	}
	before, after = p.previous.drawn[body], p.current.drawn[body]
	if v := &p.source.Clients[p.client].View; body < len(v.Simulated) {
		after = v.Simulated[body]
	}
	return before, after, true
}

// addCorrection adds ghosts of a corrected body to the client's picture.
func (s *Stage) addCorrection(v *Viewport, body int) {
	before, after, ok := s.CorrectedPoses(v.Pane, body)
	if !ok {
		return
	}
	half := s.panes[v.Pane].source.ServerWorld.Scene().Boxes[body].Half
	for _, g := range [2]struct {
		at geom.Pose
		c  render.Color
	}{{before, beforeColor}, {after, SimulatedColor}} {
		v.addVisibleEdges(g.at, half, half.Len(), false, g.c)
	}
}
