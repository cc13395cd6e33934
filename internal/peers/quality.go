package main

import (
	"math"
)

// pose is where a cube is.
type pose struct {
	at   [3]float64    // m
	axes [3][3]float64 // the directions of its edges, unit vectors
	half float64       // of its side, m
}

// rotation returns the directions of the edges of a body that a quaternion (w x y z) rotates.
func rotation(q [4]float64) [3][3]float64 {
	w, x, y, z := q[0], q[1], q[2], q[3]
	return [3][3]float64{
		{1 - 2*(y*y+z*z), 2 * (x*y + w*z), 2 * (x*z - w*y)},
		{2 * (x*y - w*z), 1 - 2*(x*x+z*z), 2 * (y*z + w*x)},
		{2 * (x*z + w*y), 2 * (y*z - w*x), 1 - 2*(x*x+y*y)},
	}
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func sub(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// overlap returns how deep two cubes are in each other, in metres, by their fifteen separating axes, and 0 if they are not.
func overlap(a, b *pose) float64 {
	d := sub(b.at, a.at)
	if far := a.half + b.half; dot(d, d) > 3*far*far {
		return 0
	}
	axes := append(append(make([][3]float64, 0, 15), a.axes[:]...), b.axes[:]...)
	for _, u := range a.axes {
		for _, v := range b.axes {
			axes = append(axes, cross(u, v))
		}
	}
	least := math.Inf(1)
	for _, axis := range axes {
		length := math.Sqrt(dot(axis, axis))
		if length < 1e-4 { // parallel edges: the faces have that axis
			continue
		}
		reach := 0.0
		for i := range 3 {
			reach += a.half*math.Abs(dot(axis, a.axes[i])) + b.half*math.Abs(dot(axis, b.axes[i]))
		}
		least = min(least, (reach-math.Abs(dot(axis, d)))/length)
	}
	return max(least, 0)
}

// meanOverlap returns the mean overlap of the cubes that overlap in the last tick, in metres.
func (r *result) meanOverlap() float64 {
	sum, n := 0.0, 0
	for i := range r.last {
		for k := range i {
			if x := overlap(&r.last[k], &r.last[i]); x > 0 {
				sum, n = sum+x, n+1
			}
		}
	}
	return sum / float64(max(n, 1))
}

// drift returns the longest way of a body in the last second, in metres.
func (r *result) drift() (longest float64) {
	for i := range r.last {
		d := sub(r.last[i].at, r.before[i].at)
		longest = max(longest, math.Sqrt(dot(d, d)))
	}
	return longest
}

// standing returns the number of cubes of the pile that are still in their places, half a metre lower than at the start.
func (r *result) standing(s *benchScene) (n int) {
	const columns = 90
	for i, p := range r.last {
		start := s.bodies[i].Start.Pose.Pos
		z := p.half * float64(2*(i/columns)+1)
		if math.Hypot(p.at[0]-float64(start.X), p.at[1]-float64(start.Y)) < p.half && math.Abs(p.at[2]-z) < 0.95*p.half {
			n++
		}
	}
	return n
}
