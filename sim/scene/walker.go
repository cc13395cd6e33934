package scene

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The walker is a Strandbeest after Theo Jansen: legs of rods that one crank moves. Jansen's
// thirteen numbers are the lengths of the rods and the positions of two pivots. The resulting foot
// moves straight along the ground for half a turn and returns through the air.
const (
	jansenUnit = 0.016 // metres

	jansenA, jansenL = 38, 7.8 // the fixed pivot: beside the crank's, below it
	jansenM          = 15      // radius of the crank
	jansenB, jansenC = 41.5, 39.3
	jansenD, jansenE = 40.1, 55.8
	jansenF, jansenG = 39.4, 36.7
	jansenH, jansenI = 65.7, 49
	jansenJ, jansenK = 50, 61.9
)

// leg is the positions of a leg's joints in metres, relative to the crank's pivot, x forward and z
// up. Legs to the right are mirrored.
type leg struct {
	pivot, pin  geom.Vec3 // of the frame, of the crank
	knee, shin  geom.Vec3 // of the upper triangle, with pivot
	ankle, heel geom.Vec3 // of the lower triangle, with foot
	foot        geom.Vec3
}

// jansenLeg returns a leg in the plane y, for an angle of the crank in radians.
func jansenLeg(angle, y float32, mirrored bool) leg {
	sin, cos := geom.Sin(angle), geom.Cos(angle)
	if mirrored {
		cos = -cos
	}
	p := leg{pivot: geom.Vec3{X: -jansenA, Z: -jansenL}, pin: geom.Vec3{X: float32(jansenM * cos), Z: float32(jansenM * sin)}}
	p.knee = circleIntersection(p.pin, p.pivot, jansenJ, jansenB)
	p.ankle = circleIntersection(p.pivot, p.pin, jansenC, jansenK)
	p.shin = circleIntersection(p.knee, p.pivot, jansenE, jansenD)
	p.heel = circleIntersection(p.shin, p.ankle, jansenF, jansenG)
	p.foot = circleIntersection(p.heel, p.ankle, jansenH, jansenI)
	for _, v := range []*geom.Vec3{&p.pivot, &p.pin, &p.knee, &p.shin, &p.ankle, &p.heel, &p.foot} {
		*v = v.Scale(jansenUnit)
		v.Y = y
		if mirrored {
			v.X = -v.X
		}
	}
	return p
}

// circleIntersection returns the intersection of a circle about a and one about b, the one to the
// right of the line from a to b, looking along -y.
func circleIntersection(a, b geom.Vec3, radiusA, radiusB float32) geom.Vec3 {
	d := b.Sub(a)
	l2 := d.LenSq()
	along := float32((l2 + float32(radiusA*radiusA) - float32(radiusB*radiusB)) / float32(2*l2))
	aside := geom.Sqrt(max(float32(radiusA*radiusA)/l2-float32(along*along), 0))
	return a.AddScaled(along, d).AddScaled(aside, geom.Vec3{X: d.Z, Z: -d.X})
}

// rodBuilder adds mechanisms of rods in vertical planes along x.
type rodBuilder struct {
	scene   *sim.Scene
	height  float32 // metres; of the origin of the plan above the ground
	density float32
	group   int
}

const (
	rodHalfThickness = 0.025 // metres
	// Half width of a rod that is a body of its own, in metres. A hinge needs enough inertia to
	// resist bending.
	rodHalfWidth = 0.05
)

// addRod adds a rod from a to b as a body, extended beyond both by its half thickness, and returns
// its index.
func (r *rodBuilder) addRod(a, b geom.Vec3) int {
	box := r.rodShape(a, b)
	box.Pose.Pos.Z += r.height
	box.Half.Y = rodHalfWidth
	r.scene.Boxes = append(r.scene.Boxes, sim.Box{
		Half: box.Half, Density: r.density, Friction: 1, FilterGroup: r.group, Start: sim.Body{Pose: box.Pose},
	})
	return len(r.scene.Boxes) - 1
}

// rodShape returns a rod from a to b as a sub-shape, in the frame of the plan.
func (r *rodBuilder) rodShape(a, b geom.Vec3) sim.SubShape {
	d := b.Sub(a)
	turn := geom.AxisAngle(geom.Vec3{Y: 1}, -geom.Atan2(d.Z, d.X))
	return sim.SubShape{
		Half: geom.Vec3{X: float32(d.Len()*0.5) + rodHalfThickness, Y: rodHalfThickness, Z: rodHalfThickness},
		Pose: geom.Pose{Pos: a.AddScaled(0.5, d), Rot: turn},
	}
}

// addTriangle adds a body of three rods, with a hub at its centre of mass, and returns its index.
func (r *rodBuilder) addTriangle(a, b, c geom.Vec3) int {
	sides := []sim.SubShape{r.rodShape(a, b), r.rodShape(b, c), r.rodShape(c, a)}
	var centre geom.Vec3
	var sum float32
	for _, p := range sides { // the mass of a rod is proportional to its length
		centre, sum = centre.AddScaled(p.Half.X, p.Pose.Pos), sum+p.Half.X
	}
	centre = centre.Scale(1 / sum)
	var xx, xz, zz float32 // second moments of mass
	for _, p := range sides {
		at, d := p.Pose.Pos.Sub(centre), p.Pose.Rot.Rotate(geom.Vec3{X: p.Half.X})
		xx += float32(p.Half.X * (float32(at.X*at.X) + float32(d.X*d.X)/3))
		xz += float32(p.Half.X * (float32(at.X*at.Z) + float32(d.X*d.Z)/3))
		zz += float32(p.Half.X * (float32(at.Z*at.Z) + float32(d.Z*d.Z)/3))
	}
	inclination := float32(0.5 * geom.Atan2(float32(2*xz), xx-zz)) // of the least inertia, rad
	turn := geom.AxisAngle(geom.Vec3{Y: 1}, -inclination)
	inverse := turn.Inverse()
	for i := range sides {
		p := &sides[i]
		p.Density = r.density
		p.Pose = geom.Pose{Pos: inverse.Rotate(p.Pose.Pos.Sub(centre)), Rot: inverse.Mul(p.Pose.Rot)}
	}
	centre.Z += r.height
	r.scene.Boxes = append(r.scene.Boxes, sim.Box{
		Half: geom.Vec3{X: rodHalfThickness, Y: rodHalfThickness, Z: rodHalfThickness}, SubShapes: sides, Density: r.density, Friction: 1, FilterGroup: r.group,
		Start: sim.Body{Pose: geom.Pose{Pos: centre, Rot: turn}},
	})
	return len(r.scene.Boxes) - 1
}

// addHinge connects two bodies by a hinge, which keeps both in their planes. addBallJoint is for
// loops that other hinges keep in their planes.
func (r *rodBuilder) addHinge(a, b int, at geom.Vec3) *sim.Joint {
	at.Z += r.height
	r.scene.Joints = append(r.scene.Joints, sim.Joint{A: a, B: b, Anchor: at, Axis: geom.Vec3{Y: 1}, Hinge: true})
	return &r.scene.Joints[len(r.scene.Joints)-1]
}

func (r *rodBuilder) addBallJoint(a, b int, at geom.Vec3) { r.addHinge(a, b, at).Hinge = false }

// addLeg adds a leg between the frame and the crank.
func (r *rodBuilder) addLeg(l leg, frame, crank int) {
	upper := r.addTriangle(l.pivot, l.knee, l.shin)
	lower := r.addTriangle(l.heel, l.foot, l.ankle)
	r.addHinge(frame, upper, l.pivot)

	push, pull := r.addRod(l.pin, l.knee), r.addRod(l.pin, l.ankle)
	r.addHinge(crank, push, l.pin)
	r.addHinge(crank, pull, l.pin)
	r.addBallJoint(push, upper, l.knee)

	rocker, coupler := r.addRod(l.pivot, l.ankle), r.addRod(l.shin, l.heel)
	r.addHinge(frame, rocker, l.pivot)
	r.addHinge(upper, coupler, l.shin)
	r.addHinge(coupler, lower, l.heel)
	r.addBallJoint(rocker, lower, l.ankle)
	r.addBallJoint(pull, lower, l.ankle)
}

// walker walks on twelve legs that one crank moves in six phases.
func walker(p paramValues) sim.Scene {
	s := baseScene("walker", "a machine of rods and joints that walks on twelve legs")
	s.Boxes[0].Start.Pose.Pos.Y = -5
	s.MinSubsteps = 16
	const halfWidth = 1.0 // half of the frame's width, metres
	r := rodBuilder{scene: &s, density: 20, group: 1}
	var legs [12]leg
	for i := range legs {
		pair := i / 2
		y := float32(0.45 + float32(0.22*float32(pair/2)))
		if pair%2 == 1 {
			y = -y
		}
		legs[i] = jansenLeg(float32(pair)*(geom.TwoPi/6), y, i%2 == 1)
		r.height = max(r.height, rodHalfThickness*1.5-legs[i].foot.Z)
	}
	frame := len(s.Boxes)
	middle := float32(-0.5 * jansenL * jansenUnit)
	s.Boxes = append(s.Boxes, sim.Box{
		Half:    geom.Vec3{X: jansenA * jansenUnit, Y: halfWidth, Z: 0.03},
		Density: 12, Friction: 1, FilterGroup: r.group,
		Start: sim.Body{Pose: geom.Pose{Pos: geom.Vec3{Z: r.height + middle}, Rot: geom.Identity}},
	})
	crank := len(s.Boxes)
	shaft := sim.Box{
		Half: geom.Vec3{X: 0.12, Y: halfWidth, Z: 0.12}, Density: 10, Friction: 1, FilterGroup: r.group,
		Start: sim.Body{Pose: geom.Pose{Pos: geom.Vec3{Z: r.height}, Rot: geom.Identity}},
	}
	for i := 0; i < len(legs); i += 2 {
		arm := r.rodShape(geom.Vec3{Y: legs[i].pin.Y}, legs[i].pin)
		shaft.SubShapes = append(shaft.SubShapes, arm)
	}
	s.Boxes = append(s.Boxes, shaft)
	motor := r.addHinge(frame, crank, geom.Vec3{})
	motor.MotorSpeed, motor.MaxMotorTorque = -float32(geom.TwoPi/60*float32(p.value("rpm"))), 10
	for _, l := range legs {
		r.addLeg(l, frame, crank)
	}
	if p.value("mounted") == 1 {
		// The player's cube sits on the frame, above the crank, with a small gap.
		const seat = 0.3 // metres above the frame
		s.Boxes[0].Start.Pose.Pos = geom.Vec3{Z: r.height + middle + seat + playerHalf}
		s.Boxes[0].FilterGroup = r.group
		s.Boxes[0].Density = 0.3
		seatHinge := r.addHinge(frame, 0, geom.Vec3{Z: middle + seat})
		seatHinge.LowerAngle, seatHinge.UpperAngle = -0.01, 0.01
	}
	// A wall at the end of its path, well within the bounds of the world.
	s.Static = append(s.Static, staticBox(geom.Vec3{X: -150, Z: 1}, geom.Vec3{X: 0.5, Y: 20, Z: 1}, geom.Identity))
	for i := range 6 {
		s.Boxes = append(s.Boxes, cube(geom.Vec3{X: float32(2*i) - 5, Y: -3, Z: cubeHalf}, float32(0.5*float32(i))))
	}
	return s
}
