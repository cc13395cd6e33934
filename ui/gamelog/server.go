package gamelog

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// server has the states of a log's server. They become steps of a world of the score, as many a second as the log has
// frames: what the server did between two lines is interpolated.
type server struct {
	head  *Line // of the client's log
	index map[int32]int
	// The two newest states, by index: poses in the log's unit, and the ticks at which they were.
	before, after         []Body
	beforeTick, afterTick int64
	first                 float64 // tick that is step 0 of the world
	states                int     // lines
}

// leadSeconds is how far before the first line of the server a view's tick may be.
const leadSeconds = 10

func newServer(head *Line) server { return server{head: head, index: map[int32]int{}} }

// add adds the state of a tick. A body that the state lacks stays where it was.
func (s *server) add(tick float64, list []Body) {
	if s.states == 0 {
		s.first = tick - float64(leadSeconds*s.head.Rate)
	}
	copy(s.before, s.after)
	s.beforeTick, s.afterTick = s.afterTick, int64(tick)
	for _, b := range list {
		k, known := s.index[b.ID]
		if !known {
			k = len(s.after)
			s.index[b.ID] = k
			s.before, s.after = append(s.before, b), append(s.after, b)
		}
		s.after[k] = b
	}
	s.states++
}

// stepOf returns the step of the world at a server tick, with a fraction.
func (s *server) stepOf(tick float64) float64 {
	return (tick - s.first) * float64(s.head.Frames) / float64(s.head.Rate)
}

// tickOf returns the server tick of a step of the world.
func (s *server) tickOf(step int64) float64 {
	return s.first + float64(step)*float64(s.head.Rate)/float64(s.head.Frames)
}

// align shifts the steps of the world so that one of them is at a server tick. The world has made no step yet.
func (s *server) align(tick float64) {
	step := s.stepOf(tick)
	s.first += float64((step - math.Floor(step)) * float64(s.head.Rate) / float64(s.head.Frames))
}

// moment returns the moment of the world at a server tick, at most that of a step that no log reaches.
func (s *server) moment(tick float64) sim.Moment {
	const never = 1 << 31
	return sim.Moment(math.Floor(float64(min(s.stepOf(tick), never)*sim.MomentsPerTick) + 0.5))
}

// newest returns the last known step of the world.
func (s *server) newest() int64 { return int64(math.Floor(s.stepOf(float64(s.afterTick)))) }

// share returns how far a step of the world is on the way from the older state to the newer one, in [0, 1].
func (s *server) share(step int64) float64 {
	if s.states < 2 {
		return 1
	}
	tick := s.tickOf(step)
	return max(0, min(1, (tick-float64(s.beforeTick))/float64(s.afterTick-s.beforeTick)))
}

// world is the world that a score reads: the bodies that are compared, at the server's poses.
type world struct {
	*predict.World
	state  predict.State
	bodies []int      // by body: index in the server's states
	origin [3]float64 // in the log's unit: where the player's body was first
	unit   float64
}

// newWorld returns a world with a number of bodies. It is never stepped, and has no limits: set only puts poses into it.
func newWorld(rate int, bodies []int, origin [3]float64, unit float64) *world {
	const far = 1e6
	scene := sim.Scene{Name: "log", Players: 1, MaxLinearSpeed: 1000, HalfWidth: far, Height: far, Boxes: make([]sim.Box, len(bodies))}
	for i := range scene.Boxes {
		scene.Boxes[i] = sim.Box{Half: geom.Vec3{X: 0.01, Y: 0.01, Z: 0.01}, Density: 1, Start: sim.Body{Pose: geom.Pose{Rot: geom.Identity}, Asleep: true}}
	}
	w := &world{World: predict.NewWorld(scene, rate), bodies: bodies, origin: origin, unit: unit}
	w.Save(&w.state)
	return w
}

// set puts the server's poses of a step into the world.
func (w *world) set(s *server, step int64) {
	share := s.share(step)
	for i, k := range w.bodies {
		pose := &w.state.Bodies[i].Pose
		*pose = w.pose(&s.after[k])
		if share < 1 {
			before := w.pose(&s.before[k])
			pose.Pos = before.Pos.AddScaled(float32(share), pose.Pos.Sub(before.Pos))
			pose.Rot = geom.Slerp(before.Rot, pose.Rot, float32(share))
		}
	}
	w.state.Tick = sim.Tick(step)
	w.Load(&w.state)
}

// pose returns the pose of a body in metres.
func (w *world) pose(b *Body) geom.Pose {
	metres := func(axis int) float32 { return float32((b.Pos[axis] - w.origin[axis]) * w.unit) }
	return geom.Pose{
		Pos: geom.Vec3{X: metres(0), Y: metres(1), Z: metres(2)}, Rot: geom.Quat{X: b.Rot[0], Y: b.Rot[1], Z: b.Rot[2], W: b.Rot[3]},
	}
}
