package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

var overlapDefinition = Definition{
	Group: "Penetration", Title: "Overlap",
	Measures: []Entry{
		{
			Measure{Name: "overlap_max_m", Title: "overlap, max, m", Digits: 3, Better: Lower,
				Help: "largest depth of a drawn body inside another; compare with the server's"},
			func(c *Score, _ Counts) (float64, bool) { return float64(c.overlaps.drawn), c.scoredSecond() },
		},
		{
			Measure{Name: "overlap_server_max_m", Title: "overlap, max, server, m", Digits: 3, Better: Neither,
				Help: "largest depth of a server body inside another; its contacts are soft"},
			func(c *Score, _ Counts) (float64, bool) { return float64(c.overlaps.server), c.scoredSecond() },
		},
	},
	Text: `
How deep boxes penetrate each other: the shortest translation that separates them along any of the fifteen axes of
faces and pairs of edges. Every tick the player's cube and two more bodies in turn are tested against all others.
Compare with the server, whose contacts are soft. Bodies of one filter group, which pass through each other, do not count.`,
	Blind: `
short overlaps of other bodies: with 901 bodies a turn takes 7.5 s at 60 Hz, and the largest depth is the largest one
tested`,
}

// bodiesPerTick is how many bodies, besides the player's, are tested against all others in a tick,
// in turn. Testing all of them every tick would cost more than stepping the world.
const bodiesPerTick = 2

// overlaps measures how far bodies penetrate each other.
type overlaps struct {
	radii   []float32 // metres, bounding spheres; immutable once set
	checked int       // bodies tested in turn so far
	server  float32   // metres, deepest
	drawn   float32   // metres, deepest
}

// add adds a tick.
func (o *overlaps) add(boxes []sim.Box, server []sim.Body, drawn []geom.Pose, player int) {
	n := min(len(server), len(drawn))
	for i := len(o.radii); i < len(boxes); i++ {
		o.radii = append(o.radii, boundingRadius(&boxes[i]))
	}
	o.check(boxes, server[:n], drawn[:n], player)
	for range min(bodiesPerTick, n) {
		o.check(boxes, server[:n], drawn[:n], o.checked%n)
		o.checked++
	}
}

// check tests body i against all others, on the server and as drawn.
func (o *overlaps) check(boxes []sim.Box, server []sim.Body, drawn []geom.Pose, i int) {
	radii := o.radii[:len(drawn)]
	r, a, b := radii[i], &server[i].Pose, &drawn[i]
	for j := range drawn {
		reach := r + radii[j]
		reach = float32(reach * reach)
		if server[j].Pose.Pos.Sub(a.Pos).LenSq() < reach && j != i {
			o.server = max(o.server, bodyPenetration(a, &server[j].Pose, &boxes[i], &boxes[j]))
		}
		if drawn[j].Pos.Sub(b.Pos).LenSq() < reach && j != i {
			o.drawn = max(o.drawn, bodyPenetration(b, &drawn[j], &boxes[i], &boxes[j]))
		}
	}
}

// boundingRadius returns the radius of a sphere around a body's centre that contains it, metres.
func boundingRadius(b *sim.Box) float32 {
	r := b.Half.Len()
	for i := range b.SubShapes {
		p := &b.SubShapes[i]
		r = max(r, p.Pose.Pos.Len()+p.Half.Len())
	}
	return r
}

// partAt returns the pose and half extents of part i of a body at p; part 0 is the body's own box.
func partAt(p *geom.Pose, b *sim.Box, i int) (geom.Pose, *geom.Vec3) {
	if i == 0 {
		return *p, &b.Half
	}
	q := &b.SubShapes[i-1]
	return geom.Pose{Pos: p.Pos.Add(p.Rot.Rotate(q.Pose.Pos)), Rot: p.Rot.Mul(q.Pose.Rot).Unit()}, &q.Half
}

// bodyPenetration returns the penetration depth of two bodies in metres: that of their deepest pair
// of boxes. Bodies of one filter group pass through each other and have none.
func bodyPenetration(p, q *geom.Pose, x, y *sim.Box) (depth float32) {
	switch {
	case x.FilterGroup != 0 && x.FilterGroup == y.FilterGroup:
		return 0
	case len(x.SubShapes) == 0 && len(y.SubShapes) == 0:
		return boxPenetration(p, q, &x.Half, &y.Half)
	}
	for i := range 1 + len(x.SubShapes) {
		a, h := partAt(p, x, i)
		for j := range 1 + len(y.SubShapes) {
			b, k := partAt(q, y, j)
			depth = max(depth, boxPenetration(&a, &b, h, k))
		}
	}
	return depth
}

// boxPenetration returns the penetration depth of two boxes: the length in metres of the shortest
// translation that separates them, and 0 if they are apart. By the separating axis theorem its
// direction is one of fifteen axes: the face normals and the cross products of two edges.
func boxPenetration(p, q *geom.Pose, h, k *geom.Vec3) float32 {
	a, b := p.Rot.Mat(), q.Rot.Mat()
	offset := a.MulT(q.Pos.Sub(p.Pos))
	// r is the second box's axes in the first box's frame, s their absolute values.
	var r, s [3][3]float32
	for j, axis := range [3]geom.Vec3{b.X, b.Y, b.Z} {
		v := a.MulT(axis)
		r[0][j], r[1][j], r[2][j] = v.X, v.Y, v.Z
		s[0][j], s[1][j], s[2][j] = geom.Abs(v.X), geom.Abs(v.Y), geom.Abs(v.Z)
	}
	x, y, w := [3]float32{h.X, h.Y, h.Z}, [3]float32{k.X, k.Y, k.Z}, [3]float32{offset.X, offset.Y, offset.Z}
	depth := x[0] + x[1] + x[2] + y[0] + y[1] + y[2]
	for i := range 3 {
		reach := x[i] + float32(y[0]*s[i][0]) + float32(y[1]*s[i][1]) + float32(y[2]*s[i][2])
		depth = min(depth, reach-geom.Abs(w[i]))
		reach = y[i] + float32(x[0]*s[0][i]) + float32(x[1]*s[1][i]) + float32(x[2]*s[2][i])
		distance := float32(w[0]*r[0][i]) + float32(w[1]*r[1][i]) + float32(w[2]*r[2][i])
		depth = min(depth, reach-geom.Abs(distance))
	}
	if depth <= 0 {
		return 0
	}
	for i := range 3 {
		i1, i2 := (i+1)%3, (i+2)%3
		for j := range 3 {
			j1, j2 := (j+1)%3, (j+2)%3
			length2 := 1 - float32(r[i][j]*r[i][j])
			if length2 < 1e-4 { // parallel edges: the face normals cover this axis
				continue
			}
			reach := float32(x[i1]*s[i2][j]) + float32(x[i2]*s[i1][j]) + float32(y[j1]*s[i][j2]) + float32(y[j2]*s[i][j1])
			distance := float32(w[i2]*r[i1][j]) - float32(w[i1]*r[i2][j])
			overlap := reach - geom.Abs(distance)
			if overlap <= 0 {
				return 0
			}
			if float32(overlap*overlap) < float32(float32(depth*depth)*length2) {
				depth = overlap / geom.Sqrt(length2)
			}
		}
	}
	return depth
}
