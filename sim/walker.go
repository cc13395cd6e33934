package sim

import "ghostcube/sim/geom"

// The walker is after Theo Jansen's beasts of the beach: legs of rods that one
// crank moves. His thirteen numbers are the lengths of the rods and the places
// of two pivots, in units; the foot that they make goes straight along the ground
// for half a turn and comes back through the air.
const (
	jansenUnit = 0.016 // metres

	jansenA, jansenL = 38, 7.8 // where the fixed pivot is beside the crank's, and below it
	jansenM          = 15      // the crank
	jansenB, jansenC = 41.5, 39.3
	jansenD, jansenE = 40.1, 55.8
	jansenF, jansenG = 39.4, 36.7
	jansenH, jansenI = 65.7, 49
	jansenJ, jansenK = 50, 61.9
)

// leg is where the joints of one leg are, x along and z up, from the crank's
// pivot. Legs to the right are mirrored.
type leg struct {
	pivot, pin  geom.Vec3 // of the chassis, of the crank
	knee, shin  geom.Vec3 // of the upper triangle, beside the pivot
	ankle, heel geom.Vec3 // of the lower triangle
	foot        geom.Vec3
}

// jansen lays out a leg whose crank stands at an angle, in the plane y.
func jansen(turn, y float32, mirrored bool) leg {
	sin, cos := geom.Sin(turn), geom.Cos(turn)
	if mirrored {
		cos = -cos
	}
	p := leg{pivot: geom.Vec3{X: -jansenA, Z: -jansenL}, pin: geom.Vec3{X: float32(jansenM * cos), Z: float32(jansenM * sin)}}
	p.knee = meeting(p.pin, p.pivot, jansenJ, jansenB)
	p.ankle = meeting(p.pivot, p.pin, jansenC, jansenK)
	p.shin = meeting(p.knee, p.pivot, jansenE, jansenD)
	p.heel = meeting(p.shin, p.ankle, jansenF, jansenG)
	p.foot = meeting(p.heel, p.ankle, jansenH, jansenI)
	for _, v := range []*geom.Vec3{&p.pivot, &p.pin, &p.knee, &p.shin, &p.ankle, &p.heel, &p.foot} {
		*v = v.Scale(jansenUnit)
		v.Y = y
		if mirrored {
			v.X = -v.X
		}
	}
	return p
}

// meeting returns the point that is so far from a and so far from b, to the
// right of the way from a to b, seen against y.
func meeting(a, b geom.Vec3, fromA, fromB float32) geom.Vec3 {
	d := b.Sub(a)
	l2 := d.Len2()
	along := float32((l2 + float32(fromA*fromA) - float32(fromB*fromB)) / float32(2*l2))
	aside := geom.Sqrt(max(float32(fromA*fromA)/l2-float32(along*along), 0))
	return a.Plus(along, d).Plus(aside, geom.Vec3{X: d.Z, Z: -d.X})
}

// rods builds what is made of rods in upright planes along x.
type rods struct {
	scene   *Scene
	up      float32 // metres; how high the origin of the plan lies
	density float32
	group   int
}

const (
	rodHalf = 0.025 // metres; half of a rod's thickness
	rodWide = 0.05  // and of its width, where it is a body of its own: a hinge that is bent needs something to hold on to
)

// bar adds a rod from a to b, reaching past both by its half thickness, and
// returns its number.
func (r *rods) bar(a, b geom.Vec3) int {
	box := r.along(a, b)
	box.Pose.Pos.Z += r.up
	box.Half.Y = rodWide
	r.scene.Boxes = append(r.scene.Boxes, Box{
		Half: box.Half, Density: r.density, Friction: 1, Group: r.group, Start: Body{Pose: box.Pose},
	})
	return len(r.scene.Boxes) - 1
}

// along returns a rod from a to b as a part, in the plan.
func (r *rods) along(a, b geom.Vec3) Part {
	d := b.Sub(a)
	turn := geom.Turn(geom.Vec3{Y: 1}, -geom.Atan2(d.Z, d.X))
	return Part{
		Half: geom.Vec3{X: float32(d.Len()*0.5) + rodHalf, Y: rodHalf, Z: rodHalf},
		Pose: geom.Pose{Pos: a.Plus(0.5, d), Rot: turn},
	}
}

// triangle adds a body of three rods and a hub where it balances, and returns
// its number.
func (r *rods) triangle(a, b, c geom.Vec3) int {
	sides := []Part{r.along(a, b), r.along(b, c), r.along(c, a)}
	var middle geom.Vec3
	var sum float32
	for _, p := range sides { // rods weigh as they are long
		middle, sum = middle.Plus(p.Half.X, p.Pose.Pos), sum+p.Half.X
	}
	middle = middle.Scale(1 / sum)
	var xx, xz, zz float32 // second moments of mass
	for _, p := range sides {
		at, d := p.Pose.Pos.Sub(middle), p.Pose.Rot.Rotate(geom.Vec3{X: p.Half.X})
		xx += float32(p.Half.X * (float32(at.X*at.X) + float32(d.X*d.X)/3))
		xz += float32(p.Half.X * (float32(at.X*at.Z) + float32(d.X*d.Z)/3))
		zz += float32(p.Half.X * (float32(at.Z*at.Z) + float32(d.Z*d.Z)/3))
	}
	lean := float32(0.5 * geom.Atan2(float32(2*xz), xx-zz)) // of the axis of least inertia
	turn := geom.Turn(geom.Vec3{Y: 1}, -lean)
	back := turn.Inverse()
	for i := range sides {
		p := &sides[i]
		p.Density = r.density
		p.Pose = geom.Pose{Pos: back.Rotate(p.Pose.Pos.Sub(middle)), Rot: back.Mul(p.Pose.Rot)}
	}
	middle.Z += r.up
	r.scene.Boxes = append(r.scene.Boxes, Box{
		Half: geom.Vec3{X: rodHalf, Y: rodHalf, Z: rodHalf}, Parts: sides, Density: r.density, Friction: 1, Group: r.group,
		Start: Body{Pose: geom.Pose{Pos: middle, Rot: turn}},
	})
	return len(r.scene.Boxes) - 1
}

// hinge ties two bodies so that both stay in their planes; ball does not, for
// where other joints see to that.
func (r *rods) hinge(a, b int, at geom.Vec3) *Joint {
	at.Z += r.up
	r.scene.Joints = append(r.scene.Joints, Joint{A: a, B: b, At: at, Axis: geom.Vec3{Y: 1}, Hinge: true})
	return &r.scene.Joints[len(r.scene.Joints)-1]
}

func (r *rods) ball(a, b int, at geom.Vec3) { r.hinge(a, b, at).Hinge = false }

// leg adds a leg between the body that it carries and the crank that moves it.
func (r *rods) leg(l leg, frame, crank int) {
	upper := r.triangle(l.pivot, l.knee, l.shin)
	lower := r.triangle(l.heel, l.foot, l.ankle)
	r.hinge(frame, upper, l.pivot)

	push, pull := r.bar(l.pin, l.knee), r.bar(l.pin, l.ankle)
	r.hinge(crank, push, l.pin)
	r.hinge(crank, pull, l.pin)
	r.ball(push, upper, l.knee)

	hang, link := r.bar(l.pivot, l.ankle), r.bar(l.shin, l.heel)
	r.hinge(frame, hang, l.pivot)
	r.hinge(upper, link, l.shin)
	r.hinge(link, lower, l.heel)
	r.ball(hang, lower, l.ankle)
	r.ball(pull, lower, l.ankle)
}

// walker walks by itself, on twelve legs that one crank moves in six phases.
func walker(p params) Scene {
	s := base("walker", "a beast of rods and joints that walks on twelve legs")
	s.Boxes[0].Start.Pose.Pos.Y = -5
	s.Substeps = 16
	const wide = 1.0 // half of the frame
	r := rods{scene: &s, density: 20, group: 1}
	var legs [12]leg
	for i := range legs {
		pair := i / 2
		y := float32(0.45 + float32(0.22*float32(pair/2)))
		if pair%2 == 1 {
			y = -y
		}
		legs[i] = jansen(float32(pair)*(geom.TwoPi/6), y, i%2 == 1)
		r.up = max(r.up, rodHalf*1.5-legs[i].foot.Z)
	}
	frame := len(s.Boxes)
	middle := float32(-0.5 * jansenL * jansenUnit)
	s.Boxes = append(s.Boxes, Box{
		Half:    geom.Vec3{X: jansenA * jansenUnit, Y: wide, Z: 0.03},
		Density: 12, Friction: 1, Group: r.group,
		Start: Body{Pose: geom.Pose{Pos: geom.Vec3{Z: r.up + middle}, Rot: geom.Identity}},
	})
	crank := len(s.Boxes)
	shaft := Box{
		Half: geom.Vec3{X: 0.12, Y: wide, Z: 0.12}, Density: 10, Friction: 1, Group: r.group,
		Start: Body{Pose: geom.Pose{Pos: geom.Vec3{Z: r.up}, Rot: geom.Identity}},
	}
	for i := 0; i < len(legs); i += 2 {
		arm := r.along(geom.Vec3{Y: legs[i].pin.Y}, legs[i].pin)
		shaft.Parts = append(shaft.Parts, arm)
	}
	s.Boxes = append(s.Boxes, shaft)
	motor := r.hinge(frame, crank, geom.Vec3{})
	motor.Speed, motor.Torque = -float32(geom.TwoPi/60*float32(p.value("rpm"))), 10
	for _, l := range legs {
		r.leg(l, frame, crank)
	}
	if p.value("ride") == 1 {
		// The player's cube sits on the frame, above the crank, and lifts off by a hair.
		const seat = 0.3 // metres above the frame
		s.Boxes[0].Start.Pose.Pos = geom.Vec3{Z: r.up + middle + seat + playerHalf}
		s.Boxes[0].Group = r.group
		s.Boxes[0].Density = 0.3
		hold := r.hinge(frame, 0, geom.Vec3{Z: middle + seat})
		hold.Low, hold.High = -0.01, 0.01
	}
	// Where its way ends, long before the world does.
	s.Static = append(s.Static, static(geom.Vec3{X: -150, Z: 1}, geom.Vec3{X: 0.5, Y: 20, Z: 1}, geom.Identity))
	for i := range 6 {
		s.Boxes = append(s.Boxes, cube(geom.Vec3{X: float32(2*i) - 5, Y: -3, Z: cubeHalf}, float32(0.5*float32(i))))
	}
	return s
}
