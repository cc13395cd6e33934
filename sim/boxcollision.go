package sim

import "ghostcube/sim/geom"

// contactMargin is the largest separation of two surfaces, in metres, that still creates contact
// points. Such a point only removes approach velocity that would close the gap within the substep.
const contactMargin = 0.02

// An edge axis is chosen only if its separation exceeds that of the best face axis by
// facePreference, and a face axis of the second box only if it exceeds that of the first by
// firstBoxPreference, both in metres. Without these preferences the choice between nearly equal
// axes flips from tick to tick, and each flip loses the warm start.
const (
	firstBoxPreference = 0.002
	facePreference     = 0.005
)

// contactPoint is a point of contact between two boxes.
type contactPoint struct {
	point      geom.Vec3 // midway between the surfaces, world frame
	separation float32   // metres; negative when the boxes penetrate
	// Identifies the touching features. It is stable from tick to tick while the same features
	// touch.
	featureID uint32
}

// collideBoxGround writes the contact points of a box and the ground z = 0, at most four, and
// returns their number. Of more than four corners it keeps the deepest.
func collideBoxGround(s *shape, margin float32, out *[4]contactPoint) int {
	x, y, z := s.axes.X.Scale(s.half.X), s.axes.Y.Scale(s.half.Y), s.axes.Z.Scale(s.half.Z)
	if s.pose.Pos.Z-(geom.Abs(x.Z)+geom.Abs(y.Z)+geom.Abs(z.Z)) > margin {
		return 0
	}
	n := 0
	for k := range uint32(8) {
		v := s.pose.Pos
		v = addSigned(v, x, k&1 != 0)
		v = addSigned(v, y, k&2 != 0)
		v = addSigned(v, z, k&4 != 0)
		if v.Z >= margin {
			continue
		}
		t := contactPoint{geom.Vec3{X: v.X, Y: v.Y, Z: float32(v.Z * 0.5)}, v.Z, k}
		if n < 4 {
			out[n] = t
			n++
			continue
		}
		highest := 0
		for i := 1; i < 4; i++ {
			if out[i].separation > out[highest].separation {
				highest = i
			}
		}
		if t.separation < out[highest].separation {
			out[highest] = t
		}
	}
	return n
}

// addSigned returns v + d or v - d.
func addSigned(v, d geom.Vec3, plus bool) geom.Vec3 {
	if plus {
		return v.Add(d)
	}
	return v.Sub(d)
}

// collideBoxes writes the contact points of two boxes, at most four, and returns their number and
// the normal, which points from a to b.
//
// It tests fifteen separating axes: three face normals of each box and nine cross products of
// edges. If none separates the boxes, the axis of least penetration decides between a contact of
// two edges at one point, and a face contact whose points are the incident face clipped to the
// reference face.
func collideBoxes(a, b *shape, margin float32, out *[4]contactPoint) (int, geom.Vec3) {
	d := b.pose.Pos.Sub(a.pose.Pos)
	ta, tb := a.axes.MulT(d), b.axes.MulT(d)

	// c[i][j] is the cosine between axis i of a and axis j of b, k[i][j] its magnitude.
	var c, k [3][3]float32
	ra, rb := &a.axes, &b.axes
	ha, hb := a.half, b.half

	c[0] = [3]float32{ra.X.Dot(rb.X), ra.X.Dot(rb.Y), ra.X.Dot(rb.Z)}
	k[0] = [3]float32{geom.Abs(c[0][0]), geom.Abs(c[0][1]), geom.Abs(c[0][2])}
	best := geom.Abs(ta.X) - (ha.X + float32(k[0][0]*hb.X) + float32(k[0][1]*hb.Y) + float32(k[0][2]*hb.Z))
	if best > margin {
		return 0, geom.Vec3{}
	}
	axis := 0
	c[1] = [3]float32{ra.Y.Dot(rb.X), ra.Y.Dot(rb.Y), ra.Y.Dot(rb.Z)}
	k[1] = [3]float32{geom.Abs(c[1][0]), geom.Abs(c[1][1]), geom.Abs(c[1][2])}
	s := geom.Abs(ta.Y) - (ha.Y + float32(k[1][0]*hb.X) + float32(k[1][1]*hb.Y) + float32(k[1][2]*hb.Z))
	if s > margin {
		return 0, geom.Vec3{}
	}
	if s > best {
		best, axis = s, 1
	}
	c[2] = [3]float32{ra.Z.Dot(rb.X), ra.Z.Dot(rb.Y), ra.Z.Dot(rb.Z)}
	k[2] = [3]float32{geom.Abs(c[2][0]), geom.Abs(c[2][1]), geom.Abs(c[2][2])}
	s = geom.Abs(ta.Z) - (ha.Z + float32(k[2][0]*hb.X) + float32(k[2][1]*hb.Y) + float32(k[2][2]*hb.Z))
	if s > margin {
		return 0, geom.Vec3{}
	}
	if s > best {
		best, axis = s, 2
	}
	s = geom.Abs(tb.X) - (hb.X + float32(k[0][0]*ha.X) + float32(k[1][0]*ha.Y) + float32(k[2][0]*ha.Z))
	if s > margin {
		return 0, geom.Vec3{}
	}
	if s > best+firstBoxPreference {
		best, axis = s, 3
	}
	s = geom.Abs(tb.Y) - (hb.Y + float32(k[0][1]*ha.X) + float32(k[1][1]*ha.Y) + float32(k[2][1]*ha.Z))
	if s > margin {
		return 0, geom.Vec3{}
	}
	if s > best+firstBoxPreference {
		best, axis = s, 4
	}
	s = geom.Abs(tb.Z) - (hb.Z + float32(k[0][2]*ha.X) + float32(k[1][2]*ha.Y) + float32(k[2][2]*ha.Z))
	if s > margin {
		return 0, geom.Vec3{}
	}
	if s > best+firstBoxPreference {
		best, axis = s, 5
	}

	edge := edgeSeparation(&c, &k, ha, hb, ta, margin)
	if edge.separation > margin {
		return 0, geom.Vec3{}
	}
	if edge.a >= 0 && edge.separation > best+facePreference {
		return 1, edgeContact(a, b, edge.a, edge.b, edge.side, edge.separation, out)
	}
	if axis < 3 {
		return faceContact(a, b, axis, axis, ta, margin, out)
	}
	n, normal := faceContact(b, a, axis-3, axis, tb.Neg(), margin, out)
	return n, normal.Neg()
}

// edgePair is the result of the edge-edge axes: the one with the largest separation.
type edgePair struct {
	separation float32
	a, b       int     // axes of the two edges; -1: none
	side       float32 // 1 if the cross product points from a to b, else -1
}

// edgeSeparation returns the largest separation along the nine cross products of edges. c are the
// cosines between the axes, k their magnitudes, ta is b's centre in a's frame. It skips nearly
// parallel edges, which the face axes cover, and stops at the first separation above the margin.
func edgeSeparation(c, k *[3][3]float32, ha, hb, ta geom.Vec3, margin float32) edgePair {
	va, vb, vt := [3]float32{ha.X, ha.Y, ha.Z}, [3]float32{hb.X, hb.Y, hb.Z}, [3]float32{ta.X, ta.Y, ta.Z}
	best, edgeA, edgeB, side := float32(-1e30), -1, -1, float32(1)
	for i := range 3 {
		i1, i2 := (i+1)%3, (i+2)%3
		for j := range 3 {
			l2 := 1 - float32(c[i][j]*c[i][j])
			if l2 < 1e-4 {
				continue
			}
			j1, j2 := (j+1)%3, (j+2)%3
			along := float32(vt[i2]*c[i1][j]) - float32(vt[i1]*c[i2][j])
			reach := float32(va[i1]*k[i2][j]) + float32(va[i2]*k[i1][j]) + float32(vb[j1]*k[i][j2]) + float32(vb[j2]*k[i][j1])
			s := (geom.Abs(along) - reach) / geom.Sqrt(l2)
			if s > margin {
				return edgePair{separation: s}
			}
			if s > best {
				best, edgeA, edgeB, side = s, i, j, 1
				if along < 0 {
					side = -1
				}
			}
		}
	}
	return edgePair{best, edgeA, edgeB, side}
}

// edgeContact writes the contact point of edge i of a and edge j of b, midway between their closest
// points, and returns the normal.
func edgeContact(a, b *shape, i, j int, side, separation float32, out *[4]contactPoint) geom.Vec3 {
	da, db := a.axes.Col(i), b.axes.Col(j)
	n := da.Cross(db)
	n = n.Scale(side / n.Len())

	// The supporting edges: that of a furthest along n, that of b furthest against n.
	pa, pb := a.pose.Pos, b.pose.Pos
	var features uint32
	for k := range 3 {
		if k != i {
			ax := a.axes.Col(k)
			if ax.Dot(n) > 0 {
				pa = pa.AddScaled(a.half.At(k), ax)
				features |= 1 << k
			} else {
				pa = pa.SubScaled(a.half.At(k), ax)
			}
		}
		if k != j {
			bx := b.axes.Col(k)
			if bx.Dot(n) < 0 {
				pb = pb.AddScaled(b.half.At(k), bx)
				features |= 8 << k
			} else {
				pb = pb.SubScaled(b.half.At(k), bx)
			}
		}
	}
	// The closest points of the lines pa + s*da and pb + t*db.
	r := pb.Sub(pa)
	cos := da.Dot(db)
	den := 1 - float32(cos*cos)
	ra, rb := r.Dot(da), r.Dot(db)
	s := (ra - float32(cos*rb)) / den
	t := (float32(cos*ra) - rb) / den
	mid := pa.AddScaled(s, da).Add(pb.AddScaled(t, db)).Scale(0.5)
	out[0] = contactPoint{mid, separation, 0x10000 | features<<8 | uint32(i*3+j)}
	return n
}

// clipVertex is a vertex of the incident face, in the frame of the reference face: u and v along
// the face, separation above it, in metres.
type clipVertex struct {
	u, v, separation float32
	id               uint32
}

// faceContact writes the contact points of a face contact and returns their number and the normal,
// which points away from ref. The reference face has normal axis face of ref, on the side of
// toOther, the offset from ref to other in ref's frame. axis identifies the separating axis and
// becomes part of the feature IDs.
func faceContact(ref, other *shape, face, axis int, toOther geom.Vec3, margin float32, out *[4]contactPoint) (int, geom.Vec3) {
	n := ref.axes.Col(face)
	if toOther.At(face) < 0 {
		n = n.Neg()
	}
	// The incident face has the normal that is most antiparallel to n.
	l := other.axes.MulT(n)
	incident, maxAlignment := 0, geom.Abs(l.X)
	if geom.Abs(l.Y) > maxAlignment {
		incident, maxAlignment = 1, geom.Abs(l.Y)
	}
	if geom.Abs(l.Z) > maxAlignment {
		incident = 2
	}
	faceOffset := other.half.At(incident)
	if l.At(incident) >= 0 {
		faceOffset = -faceOffset
	}
	centre := other.pose.Pos.AddScaled(faceOffset, other.axes.Col(incident))
	j1, j2 := (incident+1)%3, (incident+2)%3
	e1 := other.axes.Col(j1).Scale(other.half.At(j1))
	e2 := other.axes.Col(j2).Scale(other.half.At(j2))

	// Its four corners in the frame of the reference face.
	u1, u2 := (face+1)%3, (face+2)%3
	u, v := ref.axes.Col(u1), ref.axes.Col(u2)
	height := ref.half.At(face)
	rc := centre.Sub(ref.pose.Pos)
	cu, cv, cd := rc.Dot(u), rc.Dot(v), rc.Dot(n)-height
	e1u, e1v, e1d := e1.Dot(u), e1.Dot(v), e1.Dot(n)
	e2u, e2v, e2d := e2.Dot(u), e2.Dot(v), e2.Dot(n)
	var even, odd [12]clipVertex
	p := even[:4]
	p[0] = clipVertex{cu + e1u + e2u, cv + e1v + e2v, cd + e1d + e2d, 0}
	p[1] = clipVertex{cu - e1u + e2u, cv - e1v + e2v, cd - e1d + e2d, 1}
	p[2] = clipVertex{cu - e1u - e2u, cv - e1v - e2v, cd - e1d - e2d, 2}
	p[3] = clipVertex{cu + e1u - e2u, cv + e1v - e2v, cd + e1d - e2d, 3}

	// Clip to the four side planes of the reference face.
	hu, hv := ref.half.At(u1), ref.half.At(u2)
	p = clipU(p, odd[:0], 1, hu, 1)
	p = clipU(p, even[:0], -1, hu, 2)
	p = clipV(p, odd[:0], 1, hv, 3)
	p = clipV(p, even[:0], -1, hv, 4)

	m := 0
	for _, q := range p {
		if q.separation <= margin {
			p[m] = q
			m++
		}
	}
	p = p[:m]
	if m > 4 {
		p = p[:reducePoints(p)]
	}
	base := ref.pose.Pos.AddScaled(height, n)
	feature := uint32(axis)<<12 | uint32(incident)<<10
	for i, q := range p {
		at := base.AddScaled(q.u, u).AddScaled(q.v, v).AddScaled(float32(q.separation*0.5), n)
		out[i] = contactPoint{at, q.separation, feature ^ q.id<<16}
	}
	return len(p), n
}

// clipU clips a polygon to s*u <= h (Sutherland and Hodgman). A new vertex takes its ID from the
// clipped edge's inner vertex and from the clipping plane.
func clipU(in, out []clipVertex, s, h float32, cut uint32) []clipVertex {
	if len(in) == 0 {
		return out
	}
	prev := in[len(in)-1]
	pc := float32(s*prev.u) - h
	for _, cur := range in {
		cc := float32(s*cur.u) - h
		if (pc <= 0) != (cc <= 0) {
			out = append(out, clipEdge(prev, cur, pc, cc, cut))
		}
		if cc <= 0 {
			out = append(out, cur)
		}
		prev, pc = cur, cc
	}
	return out
}

// clipV clips a polygon to s*v <= h.
func clipV(in, out []clipVertex, s, h float32, cut uint32) []clipVertex {
	if len(in) == 0 {
		return out
	}
	prev := in[len(in)-1]
	pc := float32(s*prev.v) - h
	for _, cur := range in {
		cc := float32(s*cur.v) - h
		if (pc <= 0) != (cc <= 0) {
			out = append(out, clipEdge(prev, cur, pc, cc, cut))
		}
		if cc <= 0 {
			out = append(out, cur)
		}
		prev, pc = cur, cc
	}
	return out
}

// clipEdge returns the vertex where the edge from prev to cur crosses a clipping plane.
func clipEdge(prev, cur clipVertex, pc, cc float32, cut uint32) clipVertex {
	t := pc / (pc - cc)
	id := prev.id
	if pc > 0 {
		id = cur.id
	}
	return clipVertex{
		prev.u + float32(t*(cur.u-prev.u)),
		prev.v + float32(t*(cur.v-prev.v)),
		prev.separation + float32(t*(cur.separation-prev.separation)),
		id*8 + cut,
	}
}

// reducePoints reduces a contact polygon to at most four points, which it moves to the front, and
// returns their number: the deepest point, the point farthest from it, and the points that span the
// largest triangles with these two on either side.
func reducePoints(p []clipVertex) int {
	first := 0
	for i := range p {
		if p[i].separation < p[first].separation {
			first = i
		}
	}
	p[0], p[first] = p[first], p[0]
	a := p[0]
	second, farthestSq := 1, float32(-1)
	for i := 1; i < len(p); i++ {
		du, dv := p[i].u-a.u, p[i].v-a.v
		if q := float32(du*du) + float32(dv*dv); q > farthestSq {
			second, farthestSq = i, q
		}
	}
	p[1], p[second] = p[second], p[1]
	c := p[1]
	left, right := -1, -1
	var maxArea, minArea float32
	for i := 2; i < len(p); i++ {
		area := float32((c.u-a.u)*(p[i].v-a.v)) - float32((c.v-a.v)*(p[i].u-a.u))
		if area > maxArea {
			left, maxArea = i, area
		}
		if area < minArea {
			right, minArea = i, area
		}
	}
	n := 2
	if left >= 0 {
		p[n], p[left] = p[left], p[n]
		if right == n {
			right = left
		}
		n++
	}
	if right >= 0 {
		p[n], p[right] = p[right], p[n]
		n++
	}
	return n
}
