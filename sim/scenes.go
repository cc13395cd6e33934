package sim

import (
	"math"

	"ghostcube/sim/geom"
)

// The sizes and the density of Fiedler's demo: a player of 1.5 m weighs 3.375
// kg, a small cube of 0.4 m weighs 0.064 kg.
const (
	playerHalf  = 0.75
	cubeHalf    = 0.2
	cubeDensity = 1
)

// The player's rubber is chosen so that 120 N roll the cube instead of sliding
// it: under that push its edge must hold 120 N at a weight of 67.5 N, which
// takes a coefficient above 1.8. The ground's is 1, so theirs together is 2.
const (
	playerFriction = 4
	cubeFriction   = 1
)

// baseScene is a scene of one player with the constants of Fiedler's demo.
func baseScene(name, doc string) Scene {
	return Scene{
		Name: name, Doc: doc, Players: 1,
		Gravity: 20, Damping: 0.6, MaxLinearSpeed: 32, MaxAngularSpeed: 16, HalfWidth: 256, Height: 32,
		Boxes: []Box{playerBox(geom.Vec3{X: 0, Y: 0, Z: playerHalf})},
	}
}

func playerBox(at geom.Vec3) Box {
	return Box{
		Half:    geom.Vec3{X: playerHalf, Y: playerHalf, Z: playerHalf},
		Density: cubeDensity, Friction: playerFriction,
		Start: Body{Pose: geom.Pose{Pos: at, Rot: geom.Identity}},
	}
}

// cube is a loose small cube, asleep until something touches it.
func cube(at geom.Vec3, turn float32) Box {
	return Box{
		Half:    geom.Vec3{X: cubeHalf, Y: cubeHalf, Z: cubeHalf},
		Density: cubeDensity, Friction: cubeFriction,
		Start: Body{
			Pose:   geom.Pose{Pos: at, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, turn)},
			Asleep: true,
		},
	}
}

func staticBox(at, half geom.Vec3, turn geom.Quat) Box {
	return Box{Half: half, Friction: 1, Start: Body{Pose: geom.Pose{Pos: at, Rot: turn}}}
}

// plain is the player's cube alone on the ground.
func plain(paramValues) Scene { return baseScene("plain", "one player's cube on a plane") }

// zen is the playground: a ramp, steps, a low wall, and two dozen loose cubes.
// It is named after the demo of 2004 that the articles grew out of.
func zen(paramValues) Scene {
	s := baseScene("zen", "the player's cube, a ramp, steps, a low wall, two dozen cubes to push")
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }

	// A ramp of 15 degrees that rises to the north, its lower edge on the ground.
	s.Static = append(s.Static, staticBox(v(-9, 7, 0.55), v(2.5, 4.5, 0.5), geom.AxisAngle(v(1, 0, 0), geom.Pi/12)))
	// Three steps of 0.4 m each.
	for i := range 3 {
		h := float32(0.2 * float32(i+1))
		s.Static = append(s.Static, staticBox(v(9, float32(6+2*i), h), v(2.5, 1, h), geom.Identity))
	}
	// A low wall to the south that a hard push can jump.
	s.Static = append(s.Static, staticBox(v(0, -9, 0.3), v(6, 0.3, 0.3), geom.Identity))

	// A small pyramid: nine, four and one.
	for layer, n := range []int{3, 2, 1} {
		middle := float32(float32(n-1) * 0.5)
		for i := range n * n {
			x := float32((float32(i%n) - middle) * 0.44)
			y := float32((float32(i/n) - middle) * 0.44)
			s.Boxes = append(s.Boxes, cube(v(x, 6+y, 0.2+float32(0.4*float32(layer))), 0))
		}
	}
	// A row along the wall, turned a little, and a few that lie about.
	for i := range 6 {
		s.Boxes = append(s.Boxes, cube(v(float32(2*i-5), -7, 0.2), float32(0.3*float32(i))))
	}
	for i, p := range []geom.Vec3{v(5, 2, 0.2), v(-5, 1, 0.2), v(4, -3, 0.2), v(-4, -4, 0.2)} {
		s.Boxes = append(s.Boxes, cube(p, float32(0.5*float32(i+1))))
	}
	return s
}

// katamari is the world of Fiedler's demo of 2015: small cubes asleep on a grid
// of one metre, and the player's cube dropped from ten. There it has one player;
// here up to four.
func katamari(p paramValues) Scene {
	s := baseScene("katamari", "small cubes asleep on a grid, and players who gather them")
	s.Players = p.value("players")
	s.Boxes = s.Boxes[:0]
	for i := range s.Players { // the first in the middle, the others around it
		at := [...]geom.Vec3{{}, {X: 4}, {X: -4}, {Y: 4}}[i]
		at.Z = 10
		s.Boxes = append(s.Boxes, playerBox(at))
	}
	n := p.value("cubes")
	side := 1
	for side*side < n {
		side++
	}
	low := 0.5 - float32(float32(side)*0.5)
	for i := range n {
		s.Boxes = append(s.Boxes, cube(geom.Vec3{X: low + float32(i%side), Y: low + float32(i/side), Z: cubeHalf}, 0))
	}
	return s
}

// Pile and heap are made of columns of 9 by 10 cubes.
const columnsX, columnsY = 9, 10

// pile is a block of columns that falls half a metre onto the ground, each cube
// a little beside the one below: whether it stands is a test of a solver.
func pile(p paramValues) Scene {
	s := baseBeside("pile", "a block of cubes that falls half a metre and should stand")
	c := lcg(12345)
	for z := range p.value("layers") {
		for i := range columnsX * columnsY {
			x, y := float64(i%columnsX), float64(i/columnsX)
			b := cube(geom.Vec3{
				X: float32(float64((x-4)*0.45) + c.symmetric(0.02)),
				Y: float32(float64((y-4.5)*0.45) + c.symmetric(0.02)),
				Z: float32(0.7 + float64(float64(z)*0.45)),
			}, 0)
			b.Start.Asleep = false
			s.Boxes = append(s.Boxes, b)
		}
	}
	return s
}

// heap is as many cubes dropped in random orientations: every kind of contact.
func heap(p paramValues) Scene {
	s := baseBeside("heap", "cubes dropped at random: every kind of contact")
	c := lcg(54321)
	for z := range p.value("layers") {
		for i := range columnsX * columnsY {
			x, y := float64(i%columnsX), float64(i/columnsX)
			turn := c.orientation()
			b := cube(geom.Vec3{
				X: float32(float64((x-4)*0.75) + c.symmetric(0.05)),
				Y: float32(float64((y-4.5)*0.75) + c.symmetric(0.05)),
				Z: float32(1 + float64(float64(z)*0.75)),
			}, 0)
			b.Start.Pose.Rot, b.Start.Asleep = turn, false
			s.Boxes = append(s.Boxes, b)
		}
	}
	return s
}

// baseBeside is a base scene whose player stands clear of what falls in the
// middle.
func baseBeside(name, doc string) Scene {
	s := baseScene(name, doc)
	s.Boxes[0].Start.Pose.Pos.Y = -7
	return s
}

// tower is one column.
func tower(p paramValues) Scene {
	s := baseScene("tower", "cubes on each other, to be knocked over")
	s.Boxes[0].Start.Pose.Pos.Y = -5
	for i := range p.value("height") {
		s.Boxes = append(s.Boxes, cube(geom.Vec3{Z: 0.2 + float32(0.4*float32(i))}, 0))
	}
	return s
}

// twoPlayers is a wall of cubes between two players, and one larger cube on
// top of nothing, at equal distance from both: who has it?
func twoPlayers(paramValues) Scene {
	s := baseScene("two-players", "two players, a pile between them, and one cube to fight over")
	s.Players = 2
	s.Boxes = append(s.Boxes[:0], playerBox(geom.Vec3{X: -6, Z: playerHalf}), playerBox(geom.Vec3{X: 6, Z: playerHalf}))
	prize := cube(geom.Vec3{Y: -4, Z: 0.5}, 0)
	prize.Half = geom.Vec3{X: 0.5, Y: 0.5, Z: 0.5}
	s.Boxes = append(s.Boxes, prize)
	for layer := range 4 {
		for y := range 8 {
			for x := range 2 {
				s.Boxes = append(s.Boxes, cube(geom.Vec3{
					X: float32(0.42*float32(x)) - 0.21,
					Y: float32(0.42*float32(y)) + 0.5,
					Z: 0.2 + float32(0.4*float32(layer)),
				}, 0))
			}
		}
	}
	return s
}

// The floors of carriers reach below the ground, so that what drives against
// one meets an edge and nothing gets beneath.
const (
	floorTop           = 0.12 // metres; a player's cube rolls over such a step
	floorHalfThickness = 0.5  // half of its thickness
)

// carrierFloor is the floor of a carrier.
func carrierFloor(x, y, halfX, halfY float32) Box {
	return staticBox(geom.Vec3{X: x, Y: y, Z: floorTop - floorHalfThickness}, geom.Vec3{X: halfX, Y: halfY, Z: floorHalfThickness}, geom.Identity)
}

// turntable is a square table, low and large, that never stops turning.
func turntable(p paramValues) Scene {
	s := baseScene("turntable", "a large table that turns, with cubes on it and beside it")
	s.Boxes[0].Start.Pose.Pos.Y = -10.5
	rpm := p.value("rpm")
	s.Carriers = []Carrier{{Path: Path{RPM: rpm}, Boxes: []Box{carrierFloor(0, 0, 6, 6)}}}
	spin := float32(geom.TwoPi / 60 * float32(rpm))
	if b := &s.Boxes[0].Start; p.value("aboard") == 1 {
		const out = 2.8 // metres; between the rings
		b.Pose.Pos = geom.Vec3{Y: -out, Z: floorTop + playerHalf}
		b.Linear.X, b.Angular.Z = float32(out*spin), spin
	}
	for i := range 8 { // in two rings, turning along
		out := 1.5 + float32(float32(i%2)*2.5)
		a := float32(float32(i) * (geom.TwoPi / 8))
		at := geom.Vec3{X: float32(out * geom.Cos(a)), Y: float32(out * geom.Sin(a)), Z: floorTop + cubeHalf}
		b := cube(at, a)
		b.Start.Asleep = false
		b.Start.Linear = geom.Vec3{X: -float32(spin * at.Y), Y: float32(spin * at.X)}
		b.Start.Angular.Z = spin
		s.Boxes = append(s.Boxes, b)
	}
	for i := range 8 { // around it, out of the corners' way
		a := float32((float32(i) + 0.5) * (geom.TwoPi / 8))
		s.Boxes = append(s.Boxes, cube(geom.Vec3{X: float32(9.2 * geom.Cos(a)), Y: float32(9.2 * geom.Sin(a)), Z: cubeHalf}, 0))
	}
	return s
}

// ship is a room without a roof that goes to and fro, with a door to the south
// and long waits at both ends. On a long way it is fast, the world as wide and its
// clamp as high, and the air thinner, or it would blow what stands there overboard. A
// tender is a platform beside the door that goes the same way, with the player on it: who
// rolls from one to the other boards a ship that moves.
func ship(p paramValues) Scene {
	s := baseScene("ship", "a ship with walls and a door, that goes to and fro and waits to be boarded")
	way := p.value("distance")
	ride := 10 + (way-40)/49 // 7.5 m/s and 2.3 m/s2 at most for 40 m, 50 m/s and 7.6 m/s2 for 530
	if way > 40 {
		s.HalfWidth, s.MaxLinearSpeed, s.Damping = float32(max(256, way+100)), 64, 0.1
	}
	s.Boxes[0].Start.Pose.Pos.Y = -3
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	const middle, long, wide, high, thick = 6, 5, 3.5, 0.5, 0.15 // halves of its sides, in metres
	wall := func(x, y, halfX, halfY float32) Box {
		return staticBox(v(x, middle+y, floorTop+high), v(halfX, halfY, high), geom.Identity)
	}
	const door, beside = 2, (long - 2) / 2.0 // half of the door, and of the wall on each of its sides
	s.Carriers = []Carrier{{
		Path: Path{Travel: v(float32(way), 0, 0), TravelSeconds: ride, WaitSeconds: 8},
		Boxes: []Box{
			carrierFloor(0, middle, long, wide),
			wall(0, wide-thick, long, thick),
			wall(thick-long, 0, thick, wide-2*thick), wall(long-thick, 0, thick, wide-2*thick),
			wall(-door-beside, thick-wide, beside, thick), wall(door+beside, thick-wide, beside, thick),
		},
	}}
	if p.value("platform") == 1 {
		const gap, halfX, halfY = 0.1, 4, 2.75
		y := float32(middle - wide - gap - halfY)
		s.Boxes[0].Start.Pose.Pos = v(0, y, floorTop+playerHalf)
		s.Carriers = append(s.Carriers, Carrier{Path: s.Carriers[0].Path, Boxes: []Box{carrierFloor(0, y, halfX, halfY)}})
	}
	for i, p := range []geom.Vec3{v(-4, 7, 0), v(-3.2, 8, 0), v(-2, 8.6, 0), v(3.5, 8, 0), v(4, 5, 0), v(3, 7.2, 0)} {
		p.Z = floorTop + cubeHalf
		s.Boxes = append(s.Boxes, cube(p, float32(0.3*float32(i))))
	}
	for i := range 4 { // out of its way
		s.Boxes = append(s.Boxes, cube(v(float32(3*i)-4.5, -6, cubeHalf), float32(0.4*float32(i))))
	}
	return s
}

// billiards is a table with rails and a triangle of smooth pucks: what one
// player pushes, pushes the others.
func billiards(p paramValues) Scene {
	s := baseScene("billiards", "smooth pucks in a triangle between rails, that one player breaks")
	s.Boxes[0].Start.Pose.Pos.Y = -7
	const halfX, halfY, rail, high, puck = 5, 10, 0.25, 0.7, 0.3 // metres
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	for _, side := range []float32{-1, 1} {
		s.Static = append(s.Static,
			staticBox(v(float32(side*(halfX+rail)), 0, high), v(rail, halfY+2*rail, high), geom.Identity),
			staticBox(v(0, float32(side*(halfY+rail)), high), v(halfX, rail, high), geom.Identity))
	}
	for row := range p.value("rows") {
		for i := range row + 1 {
			b := cube(v(float32((float32(i)-float32(0.5*float32(row)))*(2*puck+0.02)), float32(float32(row)*(2*puck+0.01)), puck), 0)
			b.Half = v(puck, puck, puck)
			b.Density, b.Friction = 1, 0.002 // with the ground's 1 that is a coefficient of 0.045
			s.Boxes = append(s.Boxes, b)
		}
	}
	return s
}

// largeWorld is many bodies of which most are far away: fields of cubes, in each but
// the first of which a bar turns and keeps a few of them from sleep.
func largeWorld(p paramValues) Scene {
	s := baseScene("fleet", "ten thousand bodies in fields 100 m apart, in each a bar that turns among them")
	const side, apart, bar = 20, 100, 2.2 // cubes along a field, metres between fields, half of a bar
	fields := p.value("fields")
	across := 1
	for across*across < fields {
		across++
	}
	s.HalfWidth = max(256, float32(float32(across/2)*apart)+56)
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	for f := range fields {
		// From the middle outwards, so that the player is in the first.
		x, y := spiral(f)
		at := v(float32(float32(x)*apart), float32(float32(y)*apart), 0)
		if f > 0 {
			b := Box{
				Half: v(bar, 0.1, 0.1), Density: 10, Friction: 1,
				Start: Body{Pose: geom.Pose{Pos: at.Add(v(0, 0, 0.2)), Rot: geom.Identity}},
			}
			s.Joints = append(s.Joints, Joint{
				A: WorldBody, B: len(s.Boxes), Hinge: true, Anchor: b.Start.Pose.Pos, Axis: v(0, 0, 1), MotorSpeed: 1.5, MaxMotorTorque: 40,
			})
			s.Boxes = append(s.Boxes, b)
		}
		for i := range side * side {
			x, y := float32(i%side-side/2), float32(i/side-side/2)
			if x == 0 && y == 0 { // the player is one of the first field's bodies, and a bar one of each other's
				continue
			}
			s.Boxes = append(s.Boxes, cube(at.Add(v(x+0.5, y+0.5, cubeHalf)), 0))
		}
	}
	s.Boxes[0].Start.Pose.Pos = v(0, -12, playerHalf)
	return s
}

// spiral returns place n of a walk on a grid that winds outwards from its middle.
func spiral(n int) (x, y int) {
	dx, dy := 1, 0
	for leg := 1; ; leg++ {
		for range 2 {
			for range leg {
				if n == 0 {
					return x, y
				}
				x, y, n = x+dx, y+dy, n-1
			}
			dx, dy = -dy, dx
		}
	}
}

// lcg is a generator of numbers for the layout of scenes: the linear
// congruential one of the scene files that other engines were measured on, so
// that pile and heap are theirs cube for cube.
type lcg uint32

// symmetric returns a number in [-a, a): 24 random bits. Where it is inlined, its
// last rounding gets lost, and the product is fused with what the caller adds.
//
//go:noinline
func (c *lcg) symmetric(a float64) float64 {
	*c = *c*1664525 + 1013904223
	return float64(float64(int32(*c>>8)*2-1<<24) / (1 << 24) * a)
}

// orientation returns a random rotation: a point in a ball of four dimensions,
// pushed to its surface.
func (c *lcg) orientation() geom.Quat {
	for {
		w, x, y, z := c.symmetric(1), c.symmetric(1), c.symmetric(1), c.symmetric(1)
		n := float64(w*w) + float64(x*x) + float64(y*y) + float64(z*z)
		if n > 1 || n < 0.05 {
			continue
		}
		l := math.Sqrt(n)
		return geom.Quat{W: float32(w / l), X: float32(x / l), Y: float32(y / l), Z: float32(z / l)}
	}
}
