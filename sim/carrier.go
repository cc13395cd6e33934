package sim

import "ghostcube/sim/geom"

// Carrier is a group of boxes that move as one along a path, whatever is in
// their way, and carry along what stands on them.
type Carrier struct {
	Path  Path
	Boxes []Box // where they start is where they are at the path's beginning
}

// carrierMotion is what a path does in one tick.
type carrierMotion struct {
	moving  bool
	centre  geom.Vec3 // what it turns about, when the tick begins
	linear  geom.Vec3 // m/s; of the centre
	angular float32   // rad/s, about the vertical
}

// carrierBox is a box of a carrier.
type carrierBox struct {
	carrier int32
	start   geom.Pose
}

// newCarriers makes the shapes of the carriers' boxes.
func (w *World) newCarriers() {
	w.firstCarrierShape = len(w.shapes)
	for i := range w.scene.Carriers {
		for _, b := range w.scene.Carriers[i].Boxes {
			w.carrierBoxes = append(w.carrierBoxes, carrierBox{carrier: int32(i), start: b.Start.Pose})
			w.shapes = append(w.shapes, newShape(&b, 0))
		}
	}
	w.carrierMotions = make([]carrierMotion, len(w.scene.Carriers))
	w.carrierBounds = make([]aabb, len(w.carrierBoxes))
}

// placeCarriers puts the boxes of the carriers where the tick has them, unless they are held.
func (w *World) placeCarriers() {
	if w.pin.active {
		return
	}
	for i := range w.carrierMotions {
		p, c := &w.scene.Carriers[i].Path, &w.carrierMotions[i]
		now, next := p.progress(pathTime{w.state.Tick, 0, 1, w.rate}), p.progress(pathTime{w.state.Tick, 1, 1, w.rate})
		c.moving = now != next || p.RPM != 0
		c.centre = p.Centre.AddScaled(float32(now), p.Travel)
		c.linear = p.Travel.Scale(float32((next - now) * float64(w.rate)))
		c.angular = float32(geom.TwoPi / 60 * float32(p.RPM))
	}
	for i := range w.carrierBoxes {
		b := &w.carrierBoxes[i]
		p, s := &w.scene.Carriers[b.carrier].Path, &w.shapes[w.firstCarrierShape+i]
		s.setPose(p.Pose(b.start, w.state.Tick, w.rate))
		w.carrierBounds[i] = s.aabb
		if w.carrierMotions[b.carrier].moving {
			end := *s
			end.setPose(p.Pose(b.start, w.state.Tick+1, w.rate))
			w.carrierBounds[i] = s.aabb.union(end.aabb)
		}
	}
}

// carrierBoxOf returns the box of a carrier that a solid is, or nil.
func (w *World) carrierBoxOf(solid int32) *carrierBox {
	if i := int(solid) - w.firstCarrierShape; i >= 0 && i < len(w.carrierBoxes) {
		return &w.carrierBoxes[i]
	}
	return nil
}

// isMovingCarrier reports whether a solid is a box of a carrier that moves in this tick.
func (w *World) isMovingCarrier(solid int32) bool {
	c := w.carrierBoxOf(solid)
	return c != nil && w.carrierMotions[c.carrier].moving
}

// carrierSpeculativeMargin is reach against a carrier: what counts is how fast solid i is as seen
// from there. A sleeper stands still where all may pass it.
func (w *World) carrierSpeculativeMargin(i int32, carrier int32) float32 {
	c, b := &w.carrierMotions[carrier], &w.state.Bodies[w.bodyOf(i)]
	r := b.Pose.Pos.Sub(c.centre)
	v := c.linear.Add(geom.Vec3{X: -float32(c.angular * r.Y), Y: float32(c.angular * r.X)})
	travelSq := b.Linear.Sub(v).Scale(w.dt).LenSq()
	if travelSq < fastTravelSq(w.shapes[i].half) {
		return 0
	}
	return geom.Sqrt(travelSq)
}

// carrierMovedAway reports whether a sleeper's manifold with what carries it no longer
// holds, because the state has been given a tick in which the carrier is
// elsewhere.
func (w *World) carrierMovedAway(m *manifold) bool {
	a, b := m.shapes()
	if w.carrierBoxOf(a) == nil || m.pointCount == 0 {
		return false
	}
	s := &w.shapes[a]
	return s.axes.MulT(w.shapes[b].pose.Pos.Sub(s.pose.Pos)).Sub(m.offset).LenSq() > contactMargin*contactMargin
}
