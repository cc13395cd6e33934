package score

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// bodiesPerTick is how many bodies, besides the player's, are held against all others in
// a tick: each in its turn. To look at all in every tick would cost more than to
// step them.
const bodiesPerTick = 2

// overlaps is how far boxes stick in each other.
type overlaps struct {
	radii   []float32 // of spheres round the bodies, metres; never written again
	checked int       // looks taken in turn
	server  overlap
	drawn   overlap
}

// overlap is that of one motion.
type overlap struct {
	player, all penetrations
}

// penetrations are pairs of bodies.
type penetrations struct {
	deepest float32 // metres
	pairs   int     // deeper than under, summed over looks
}

// add looks at a tick.
func (o *overlaps) add(boxes []sim.Box, truth []sim.Body, drawn []geom.Pose, watched int) {
	n := min(len(truth), len(drawn))
	for i := len(o.radii); i < len(boxes); i++ {
		o.radii = append(o.radii, boundingRadius(&boxes[i]))
	}
	o.check(&o.server.player, &o.drawn.player, boxes, truth[:n], drawn[:n], watched)
	for range min(bodiesPerTick, n) {
		o.check(&o.server.all, &o.drawn.all, boxes, truth[:n], drawn[:n], o.checked%n)
		o.checked++
	}
}

// check holds body i against all others, in truth and in the picture.
func (o *overlaps) check(t, d *penetrations, boxes []sim.Box, truth []sim.Body, drawn []geom.Pose, i int) {
	radii := o.radii[:len(drawn)]
	r, a, b := radii[i], &truth[i].Pose, &drawn[i]
	for j := range drawn {
		reach := r + radii[j]
		reach = float32(reach * reach)
		if truth[j].Pose.Pos.Sub(a.Pos).LenSq() < reach && j != i {
			t.add(bodyPenetration(a, &truth[j].Pose, &boxes[i], &boxes[j]))
		}
		if drawn[j].Pos.Sub(b.Pos).LenSq() < reach && j != i {
			d.add(bodyPenetration(b, &drawn[j], &boxes[i], &boxes[j]))
		}
	}
}

func (p *penetrations) add(depth float32) {
	p.deepest = max(p.deepest, depth)
	if depth > penetrationTolerance {
		p.pairs++
	}
}

// boundingRadius is that of a sphere round a body, metres.
func boundingRadius(b *sim.Box) float32 {
	r := b.Half.Len()
	for i := range b.Parts {
		p := &b.Parts[i]
		r = max(r, p.Pose.Pos.Len()+p.Half.Len())
	}
	return r
}

// partAt is where a part of a body at p is, the first being the body's own box.
func partAt(p *geom.Pose, b *sim.Box, i int) (geom.Pose, *geom.Vec3) {
	if i == 0 {
		return *p, &b.Half
	}
	q := &b.Parts[i-1]
	return geom.Pose{Pos: p.Pos.Add(p.Rot.Rotate(q.Pose.Pos)), Rot: p.Rot.Mul(q.Pose.Rot).Unit()}, &q.Half
}

// bodyPenetration returns how far two bodies are in each other, metres: of their boxes those
// that are farthest. Bodies of a group that pass through each other are not.
func bodyPenetration(p, q *geom.Pose, x, y *sim.Box) (most float32) {
	switch {
	case x.FilterGroup != 0 && x.FilterGroup == y.FilterGroup:
		return 0
	case len(x.Parts) == 0 && len(y.Parts) == 0:
		return boxPenetration(p, q, &x.Half, &y.Half)
	}
	for i := range 1 + len(x.Parts) {
		a, h := partAt(p, x, i)
		for j := range 1 + len(y.Parts) {
			b, k := partAt(q, y, j)
			most = max(most, boxPenetration(&a, &b, h, k))
		}
	}
	return most
}

// boxPenetration returns how far two boxes are in each other: the shortest way, in
// metres, to move one of them so that they are apart, and 0 if they are. It is
// along one of fifteen axes: those of the faces, and those across two edges.
func boxPenetration(p, q *geom.Pose, h, k *geom.Vec3) float32 {
	a, b := p.Rot.Mat(), q.Rot.Mat()
	way := a.MulT(q.Pos.Sub(p.Pos))
	// r is the second box's axes as the first one sees them, s their amounts.
	var r, s [3][3]float32
	for j, axis := range [3]geom.Vec3{b.X, b.Y, b.Z} {
		v := a.MulT(axis)
		r[0][j], r[1][j], r[2][j] = v.X, v.Y, v.Z
		s[0][j], s[1][j], s[2][j] = geom.Abs(v.X), geom.Abs(v.Y), geom.Abs(v.Z)
	}
	x, y, w := [3]float32{h.X, h.Y, h.Z}, [3]float32{k.X, k.Y, k.Z}, [3]float32{way.X, way.Y, way.Z}
	least := x[0] + x[1] + x[2] + y[0] + y[1] + y[2]
	for i := range 3 {
		reach := x[i] + float32(y[0]*s[i][0]) + float32(y[1]*s[i][1]) + float32(y[2]*s[i][2])
		least = min(least, reach-geom.Abs(w[i]))
		reach = y[i] + float32(x[0]*s[0][i]) + float32(x[1]*s[1][i]) + float32(x[2]*s[2][i])
		off := float32(w[0]*r[0][i]) + float32(w[1]*r[1][i]) + float32(w[2]*r[2][i])
		least = min(least, reach-geom.Abs(off))
	}
	if least <= 0 {
		return 0
	}
	for i := range 3 {
		i1, i2 := (i+1)%3, (i+2)%3
		for j := range 3 {
			j1, j2 := (j+1)%3, (j+2)%3
			length2 := 1 - float32(r[i][j]*r[i][j])
			if length2 < 1e-4 { // edges side by side: the faces have told
				continue
			}
			reach := float32(x[i1]*s[i2][j]) + float32(x[i2]*s[i1][j]) + float32(y[j1]*s[i][j2]) + float32(y[j2]*s[i][j1])
			off := float32(w[i2]*r[i1][j]) - float32(w[i1]*r[i2][j])
			gap := reach - geom.Abs(off)
			if gap <= 0 {
				return 0
			}
			if float32(gap*gap) < float32(float32(least*least)*length2) {
				least = gap / geom.Sqrt(length2)
			}
		}
	}
	return least
}
