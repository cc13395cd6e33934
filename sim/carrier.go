package sim

import "ghostcube/sim/geom"

// Carrier is a group of kinematic boxes that move together along a path. Nothing stops them, and
// friction makes bodies on them move along.
type Carrier struct {
	Path  Path
	Boxes []Box // their Start poses are those at the beginning of the path
}

// carrierMotion is the motion of a carrier in one tick.
type carrierMotion struct {
	moving  bool
	centre  geom.Vec3 // position of the rotation axis at the beginning of the tick
	linear  geom.Vec3 // m/s, of the centre
	angular float32   // rad/s, about the vertical
}

// carrierBox is a box of a carrier.
type carrierBox struct {
	carrier int32
	start   geom.Pose
}

// newCarriers creates the shapes of the carriers' boxes.
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

// placeCarriers moves the carriers to their poses at the current tick, unless they are pinned.
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

// carrierBoxOf returns the carrier box of a shape, or nil if the shape is not one.
func (w *World) carrierBoxOf(shape int32) *carrierBox {
	if i := int(shape) - w.firstCarrierShape; i >= 0 && i < len(w.carrierBoxes) {
		return &w.carrierBoxes[i]
	}
	return nil
}

// isMovingCarrier reports whether a shape is a carrier box that moves in this tick.
func (w *World) isMovingCarrier(shape int32) bool {
	c := w.carrierBoxOf(shape)
	return c != nil && w.carrierMotions[c.carrier].moving
}

// carrierSpeculativeMargin is speculativeMargin against a carrier: it uses the velocity of shape i
// relative to the carrier.
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

// carrierMovedAway reports whether a sleeping body's manifold with a carrier is invalid because
// SetTick or Load moved the carrier.
func (w *World) carrierMovedAway(m *manifold) bool {
	a, b := m.shapes()
	if w.carrierBoxOf(a) == nil || m.pointCount == 0 {
		return false
	}
	s := &w.shapes[a]
	return s.axes.MulT(w.shapes[b].pose.Pos.Sub(s.pose.Pos)).Sub(m.offset).LenSq() > contactMargin*contactMargin
}
