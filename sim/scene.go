package sim

import "ghostcube/sim/geom"

// Scene is a named starting state and the constants of its world.
type Scene struct {
	Name string
	Doc  string // one line for a list

	Players int   // boxes 0..Players-1 are the players' cubes
	Boxes   []Box // all that moves; the index is the body's identity
	Static  []Box // all that stands still, beside the ground at z = 0

	Gravity    float32 // m/s2, downwards
	Damping    float32 // share of linear and angular speed lost per second at first
	MaxLinear  float32 // m/s; faster bodies are slowed to it before a step
	MaxAngular float32 // rad/s; likewise
	Wide       float32 // metres; x and y stay in [-Wide, Wide]
	High       float32 // metres; z stays in [0, High]
}

// Box is one box of a scene.
type Box struct {
	Half     geom.Vec3 // half of its three sides, metres
	Density  float32   // kg/m3; of no meaning for what stands still
	Friction float32   // coefficient; two bodies rub with the geometric mean of theirs
	Start    Body
}

// The sizes and the density of Fiedler's demo: a player of 1.5 m weighs 3.375
// kg, a small cube of 0.4 m weighs 0.064 kg.
const (
	playerHalf = 0.75
	cubeHalf   = 0.2
	density    = 1
)

// The player's rubber is chosen so that 120 N roll the cube instead of sliding
// it: under that push its edge must hold 120 N at a weight of 67.5 N, which
// takes a coefficient above 1.8. The ground's is 1, so theirs together is 2.
const (
	playerFriction = 4
	cubeFriction   = 1
)

// base is a scene of one player with the constants of Fiedler's demo.
func base(name, doc string) Scene {
	return Scene{
		Name: name, Doc: doc, Players: 1,
		Gravity: 20, Damping: 0.6, MaxLinear: 32, MaxAngular: 16, Wide: 256, High: 32,
		Boxes: []Box{player(geom.Vec3{X: 0, Y: 0, Z: playerHalf})},
	}
}

func player(at geom.Vec3) Box {
	return Box{
		Half:    geom.Vec3{X: playerHalf, Y: playerHalf, Z: playerHalf},
		Density: density, Friction: playerFriction,
		Start: Body{Pose: geom.Pose{Pos: at, Rot: geom.Identity}},
	}
}

// cube is a loose small cube, asleep until something touches it.
func cube(at geom.Vec3, turn float32) Box {
	return Box{
		Half:    geom.Vec3{X: cubeHalf, Y: cubeHalf, Z: cubeHalf},
		Density: density, Friction: cubeFriction,
		Start: Body{
			Pose:   geom.Pose{Pos: at, Rot: geom.Turn(geom.Vec3{Z: 1}, turn)},
			Asleep: true,
		},
	}
}

func static(at, half geom.Vec3, turn geom.Quat) Box {
	return Box{Half: half, Friction: 1, Start: Body{Pose: geom.Pose{Pos: at, Rot: turn}}}
}

// plain is the player's cube alone on the ground.
func plain() Scene { return base("plain", "one player's cube on a plane") }

// zen is the playground: a ramp, steps, a low wall, and two dozen loose cubes.
// It is named after the demo of 2004 that the articles grew out of.
func zen() Scene {
	s := base("zen", "the player's cube, a ramp, steps, a low wall, two dozen cubes to push")
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }

	// A ramp of 15 degrees that rises to the north, its lower edge on the ground.
	s.Static = append(s.Static, static(v(-9, 7, 0.55), v(2.5, 4.5, 0.5), geom.Turn(v(1, 0, 0), geom.Pi/12)))
	// Three steps of 0.4 m each.
	for i := range 3 {
		h := float32(0.2 * float32(i+1))
		s.Static = append(s.Static, static(v(9, float32(6+2*i), h), v(2.5, 1, h), geom.Identity))
	}
	// A low wall to the south that a hard push can jump.
	s.Static = append(s.Static, static(v(0, -9, 0.3), v(6, 0.3, 0.3), geom.Identity))

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

// Scenes are all scenes, in the order in which a list shows them.
var Scenes = []func() Scene{plain, zen}

// SceneNames returns the names of all scenes.
func SceneNames() []string {
	var names []string
	for _, f := range Scenes {
		names = append(names, f().Name)
	}
	return names
}

// SceneNamed returns the scene called name, if there is one.
func SceneNamed(name string) (s Scene, ok bool) {
	for _, f := range Scenes {
		if s := f(); s.Name == name {
			return s, true
		}
	}
	return Scene{}, false
}
