package main

import (
	"fmt"
	"strings"

	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// benchScene is a scene that all engines step.
type benchScene struct {
	name      string
	bodies    []sim.Box
	players   int // 0 or 1: the first body
	waypoints []string
	sleep     bool // bodies fall asleep
	ticks     int
	settling  int // the first ticks, whose times do not count
}

// benchScenes returns the scenes of the tables: three of ours, then cubes on the ground of which some are awake for ever.
func benchScenes() []benchScene {
	const seconds = 10
	katamari := benchScene{name: "katamari", bodies: boxes("katamari"), players: 1, sleep: true, ticks: seconds * 60}
	for i, at := range [][2]int{{7, 0}, {5, 5}, {0, 7}, {-5, 5}, {-7, 0}, {-5, -5}, {0, -7}, {5, -5}, {7, 0}} { // round the middle, pulling
		katamari.waypoints = append(katamari.waypoints, fmt.Sprintf("way %d %d %d 0 1", 90+60*i, at[0], at[1]))
	}
	return []benchScene{
		katamari,
		{name: "pile", bodies: boxes("pile")[1:], ticks: seconds * 60},
		{name: "heap", bodies: boxes("heap")[1:], ticks: seconds * 60},
		resting(1, 901), resting(10, 901), resting(100, 901), resting(901, 901), resting(1, 10001),
	}
}

func boxes(name string) []sim.Box {
	s, err := scene.Named(name)
	if err != nil {
		panic(err)
	}
	return s.Boxes
}

// resting returns cubes that lie on the ground a metre from each other.
func resting(awake, bodies int) benchScene {
	s := benchScene{name: fmt.Sprintf("%d of %d", awake, bodies), ticks: 180, settling: 60}
	cube, side := boxes("katamari")[1], 1
	for side*side < bodies {
		side++
	}
	for i := range bodies {
		cube.Start.Pose.Pos = geom.Vec3{X: float32(i%side - side/2), Y: float32(i/side - side/2), Z: cube.Half.Z}
		cube.Start.Asleep = i >= awake
		s.bodies = append(s.bodies, cube)
	}
	return s
}

// text returns the scene file. All bodies have the same friction and density, which every engine understands alike.
func (s *benchScene) text() string {
	var b strings.Builder
	flag := map[bool]int{true: 1}
	fmt.Fprintf(&b, "name %s\nsleep %d\nticks %d\n", strings.ReplaceAll(s.name, " ", "-"), flag[s.sleep], s.ticks)
	b.WriteString("gravity -20\ndt 60\nfriction 1\nrestitution 0\ndensity 1\nlindamp 0.6\nangdamp 0.6\nmaxlin 32\nmaxang 16\nsleepvel 0.25\n")
	for _, w := range s.waypoints {
		fmt.Fprintln(&b, w)
	}
	for i, x := range s.bodies {
		p, q := x.Start.Pose.Pos, x.Start.Pose.Rot
		fmt.Fprintf(&b, "body %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %d %d\n", x.Half.X, p.X, p.Y, p.Z, q.W, q.X, q.Y, q.Z,
			flag[x.Start.Asleep], flag[i < s.players])
	}
	return b.String()
}
