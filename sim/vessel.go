package sim

import "ghostcube/sim/geom"

// ParentCandidate is something that a player's cube can be in, on or carried by: a carrier, or a
// body whose bounding box is larger than that cube.
type ParentCandidate struct {
	Carrier int // or -1
	Body    int // or -1

	// The bounding box of all its boxes, in its own frame. A carrier's is the world's
	// at the beginning of its path.
	Low, High geom.Vec3
}

// ParentCandidates returns the vessels of a scene, carriers first. Players' cubes are none.
func (s *Scene) ParentCandidates() (list []ParentCandidate) {
	for i := range s.Carriers {
		v := ParentCandidate{Carrier: i, Body: -1}
		v.bound(s.Carriers[i].Boxes)
		list = append(list, v)
	}
	least := float32(0)
	if s.Players > 0 {
		h := s.Boxes[0].Half
		least = float32(float32(8*h.X) * float32(h.Y*h.Z))
	}
	for i := s.Players; i < len(s.Boxes); i++ {
		b := &s.Boxes[i]
		v := ParentCandidate{Carrier: -1, Body: i, Low: b.Half.Neg(), High: b.Half}
		for _, p := range b.Parts {
			v.add(p.Pose, p.Half)
		}
		if v.Size() > least {
			list = append(list, v)
		}
	}
	return list
}

// bound makes the bounding box that of boxes where they start.
func (v *ParentCandidate) bound(boxes []Box) {
	for i := range boxes {
		p, h := boxes[i].Start.Pose, boxes[i].Half
		if i == 0 {
			v.Low, v.High = p.Pos, p.Pos
		}
		v.add(p, h)
	}
}

// add widens the bounding box by a box.
func (v *ParentCandidate) add(p geom.Pose, half geom.Vec3) {
	m := p.Rot.Mat()
	e := geom.Vec3{
		X: float32(geom.Abs(m.X.X)*half.X) + float32(geom.Abs(m.Y.X)*half.Y) + float32(geom.Abs(m.Z.X)*half.Z),
		Y: float32(geom.Abs(m.X.Y)*half.X) + float32(geom.Abs(m.Y.Y)*half.Y) + float32(geom.Abs(m.Z.Y)*half.Z),
		Z: float32(geom.Abs(m.X.Z)*half.X) + float32(geom.Abs(m.Y.Z)*half.Y) + float32(geom.Abs(m.Z.Z)*half.Z),
	}
	lo, hi := p.Pos.Sub(e), p.Pos.Add(e)
	v.Low = geom.Vec3{X: min(v.Low.X, lo.X), Y: min(v.Low.Y, lo.Y), Z: min(v.Low.Z, lo.Z)}
	v.High = geom.Vec3{X: max(v.High.X, hi.X), Y: max(v.High.Y, hi.Y), Z: max(v.High.Z, hi.Z)}
}

// Size returns the volume of the bounding box, m3.
func (v *ParentCandidate) Size() float32 {
	d := v.High.Sub(v.Low)
	return float32(float32(d.X*d.Y) * d.Z)
}

// Inside reports whether a place of the vessel's own frame is in its bounding box,
// widened by a margin in metres on all sides.
func (v *ParentCandidate) Inside(at geom.Vec3, margin float32) bool {
	return at.X >= v.Low.X-margin && at.X <= v.High.X+margin &&
		at.Y >= v.Low.Y-margin && at.Y <= v.High.Y+margin &&
		at.Z >= v.Low.Z-margin && at.Z <= v.High.Z+margin
}

// Touch is something that a body touches: another body, a carrier, or what stands still
// if both are -1.
type Touch struct{ Body, Carrier int }

// Touches appends to dst what body i was pushed by in the last step, each as often as
// there are pairs of boxes.
func (w *World) Touches(dst []Touch, i int) []Touch {
	for k := range w.contacts {
		m := &w.contacts[k]
		a, b := m.solids()
		p, q := int(w.body(a)), int(w.body(b))
		if p != i && q != i || !m.pushes() {
			continue
		}
		if p == i {
			a, p = b, q
		}
		t := Touch{-1, -1}
		if c := w.carrier(a); c != nil {
			t.Carrier = int(c.path)
		} else if p < len(w.bodies) {
			t.Body = p
		}
		dst = append(dst, t)
	}
	return dst
}

// pushes reports whether a manifold had an impulse at the end of the last tick.
func (m *manifold) pushes() bool {
	for i := range m.points[:m.n] {
		if m.points[i].impulse > 0 {
			return true
		}
	}
	return false
}

// PathVelocity returns how a carrier moves that goes along a path, at a moment, as what
// stands on it has it at the end of a tick of a world: v is the velocity in m/s of the
// place of it that is at the world's origin, spin its turning in rad/s, and bend, in 1/s,
// what a place has besides of its way from the origin along the ground. They are those of
// the chord of the tick's last part.
func (w *World) PathVelocity(carrier int, m Moment) (v geom.Vec3, spin, bend float32) {
	p := &w.scene.Carriers[carrier].Path
	parts := w.Settings.Substeps
	now, before := p.along(m.at(w.rate)), p.along((m - Moment(MomentsPerTick/parts)).at(w.rate))
	h := w.dt / float32(parts)
	sin, versed := turnBy(float32(float32(geom.TwoPi/60*float32(p.RPM)) * h))
	sin, versed = sin/h, versed/h
	v = p.Travel.Scale(float32((now - before) * float64(w.rate*parts)))
	centre := p.Centre.Plus(float32(now), p.Travel)
	return v.Sub(turning(centre, sin, versed)), sin, versed
}
