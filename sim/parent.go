package sim

import "ghostcube/sim/geom"

// ParentCandidate is something that a player's cube can be in, on or carried by: a carrier, or a
// body whose bounding box is larger than that cube.
type ParentCandidate struct {
	Carrier int // or -1
	Body    int // or -1

	// The bounding box of all its boxes, in its own frame. A carrier's is the world's
	// at the beginning of its path.
	Lower, Upper geom.Vec3
}

// ParentCandidates returns the vessels of a scene, carriers first. Players' cubes are none.
func (s *Scene) ParentCandidates() (list []ParentCandidate) {
	for i := range s.Carriers {
		v := ParentCandidate{Carrier: i, Body: -1}
		v.fitBoxes(s.Carriers[i].Boxes)
		list = append(list, v)
	}
	least := float32(0)
	if s.Players > 0 {
		h := s.Boxes[0].Half
		least = float32(float32(8*h.X) * float32(h.Y*h.Z))
	}
	for i := s.Players; i < len(s.Boxes); i++ {
		b := &s.Boxes[i]
		v := ParentCandidate{Carrier: -1, Body: i, Lower: b.Half.Neg(), Upper: b.Half}
		for _, p := range b.Parts {
			v.addBox(p.Pose, p.Half)
		}
		if v.Volume() > least {
			list = append(list, v)
		}
	}
	return list
}

// fitBoxes makes the bounding box that of boxes where they start.
func (v *ParentCandidate) fitBoxes(boxes []Box) {
	for i := range boxes {
		p, h := boxes[i].Start.Pose, boxes[i].Half
		if i == 0 {
			v.Lower, v.Upper = p.Pos, p.Pos
		}
		v.addBox(p, h)
	}
}

// addBox widens the bounding box by a box.
func (v *ParentCandidate) addBox(p geom.Pose, half geom.Vec3) {
	m := p.Rot.Mat()
	e := geom.Vec3{
		X: float32(geom.Abs(m.X.X)*half.X) + float32(geom.Abs(m.Y.X)*half.Y) + float32(geom.Abs(m.Z.X)*half.Z),
		Y: float32(geom.Abs(m.X.Y)*half.X) + float32(geom.Abs(m.Y.Y)*half.Y) + float32(geom.Abs(m.Z.Y)*half.Z),
		Z: float32(geom.Abs(m.X.Z)*half.X) + float32(geom.Abs(m.Y.Z)*half.Y) + float32(geom.Abs(m.Z.Z)*half.Z),
	}
	lo, hi := p.Pos.Sub(e), p.Pos.Add(e)
	v.Lower = geom.Vec3{X: min(v.Lower.X, lo.X), Y: min(v.Lower.Y, lo.Y), Z: min(v.Lower.Z, lo.Z)}
	v.Upper = geom.Vec3{X: max(v.Upper.X, hi.X), Y: max(v.Upper.Y, hi.Y), Z: max(v.Upper.Z, hi.Z)}
}

// Volume returns the volume of the bounding box, m3.
func (v *ParentCandidate) Volume() float32 {
	d := v.Upper.Sub(v.Lower)
	return float32(float32(d.X*d.Y) * d.Z)
}

// Contains reports whether a place of the vessel's own frame is in its bounding box,
// widened by a margin in metres on all sides.
func (v *ParentCandidate) Contains(at geom.Vec3, margin float32) bool {
	return at.X >= v.Lower.X-margin && at.X <= v.Upper.X+margin &&
		at.Y >= v.Lower.Y-margin && at.Y <= v.Upper.Y+margin &&
		at.Z >= v.Lower.Z-margin && at.Z <= v.Upper.Z+margin
}

// Contact is something that a body touches: another body, a carrier, or what stands still
// if both are -1.
type Contact struct{ Body, Carrier int }

// Contacts appends to dst what body i was pushed by in the last step, each as often as
// there are pairs of boxes.
func (w *World) Contacts(dst []Contact, i int) []Contact {
	for k := range w.contacts {
		m := &w.contacts[k]
		a, b := m.shapes()
		p, q := int(w.bodyOf(a)), int(w.bodyOf(b))
		if p != i && q != i || !m.hasImpulse() {
			continue
		}
		if p == i {
			a, p = b, q
		}
		t := Contact{-1, -1}
		if c := w.carrierBoxOf(a); c != nil {
			t.Carrier = int(c.carrier)
		} else if p < len(w.bodies) {
			t.Body = p
		}
		dst = append(dst, t)
	}
	return dst
}

// hasImpulse reports whether a manifold had an impulse at the end of the last tick.
func (m *manifold) hasImpulse() bool {
	for i := range m.points[:m.pointCount] {
		if m.points[i].normalImpulse > 0 {
			return true
		}
	}
	return false
}

// CarrierVelocity returns how a carrier moves that goes along a path, at a moment, as what
// stands on it has it at the end of a tick of a world: v is the velocity in m/s of the
// place of it that is at the world's origin, spin its turning in rad/s, and bend, in 1/s,
// what a place has besides of its way from the origin along the ground. They are those of
// the chord of the tick's last part.
func (w *World) CarrierVelocity(carrier int, m Moment) (v geom.Vec3, spin, bend float32) {
	p := &w.scene.Carriers[carrier].Path
	parts := w.Settings.Substeps
	now, before := p.progress(m.pathTime(w.rate)), p.progress((m - Moment(MomentsPerTick/parts)).pathTime(w.rate))
	h := w.dt / float32(parts)
	sin, versed := sinVersine(float32(float32(geom.TwoPi/60*float32(p.RPM)) * h))
	sin, versed = sin/h, versed/h
	v = p.Travel.Scale(float32((now - before) * float64(w.rate*parts)))
	centre := p.Centre.AddScaled(float32(now), p.Travel)
	return v.Sub(arcDisplacement(centre, sin, versed)), sin, versed
}
