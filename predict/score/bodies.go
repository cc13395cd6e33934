package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// under is the depth in metres from which a body counts as being in the ground.
const under = 0.02

// jerkLeast is the least root mean square jerk of the truth, in m/s3, that
// another motion is compared with.
const jerkLeast = 10

// bodies follows every body, the true one and the drawn one.
type bodies struct {
	tracks []track
	one    jerks // of the player's cube
	all    jerks
	truth  floor
	drawn  floor
	apart  apart // of all that have moved
	shown  labelled
	past   past
	jolts  jolts
}

// track is one body's two motions.
type track struct {
	truth, drawn path
	away         float32 // metres between them
	moved        bool    // since the start, the true one or the drawn one
}

// apart is how far the drawn is from the true, summed over ticks or bodies.
type apart struct {
	count  int
	square float64 // m2
	excess float64 // metres beyond apartLeast
}

// apartLeast is the distance in metres from which on being elsewhere counts as
// an inconsistency.
const apartLeast = 0.05

func (a *apart) add(away float64) {
	a.count++
	a.square += float64(away * away)
	a.excess += max(0, away-apartLeast)
}

// rms returns the root mean square distance, metres.
func (a *apart) rms() float64 { return math.Sqrt(a.square / float64(max(a.count, 1))) }

// perMinute returns the distance beyond apartLeast times how long it lasts, in
// metre seconds per minute.
func (a *apart) perMinute() float64 { return 60 * a.excess / float64(max(a.count, 1)) }

// path is one body's last place and how it came there.
type path struct {
	pose  geom.Pose
	step  geom.Vec3 // metres in the last tick
	bend  geom.Vec3 // by how much that step differs from the one before
	depth float32   // metres below the ground
	rests bool      // and has for so long that another tick of it changes nothing
	jolt  bool      // the last tick was one
}

// jerks are sums of squared third differences of places, in m2.
type jerks struct {
	truth, drawn float64
}

// floor is how deep bodies reach below the ground.
type floor struct {
	deepest float32 // metres
	under   int     // bodies in the ground, summed over ticks
}

// take adds a tick. watched is the player's cube.
func (s *bodies) take(truth *sim.World, v *predict.View, watched int, scored bool) {
	boxes, now, drawn := truth.Scene().Boxes, truth.Bodies(), v.Bodies
	n := min(len(now), len(drawn))
	s.tracks = s.tracks[:min(len(s.tracks), n)]
	if s.tracks == nil {
		s.tracks = make([]track, 0, n)
	}
	for i := len(s.tracks); i < n; i++ {
		var t track
		t.truth.begin(&now[i].Pose, &boxes[i])
		t.drawn.begin(&drawn[i], &boxes[i])
		s.tracks = append(s.tracks, t)
	}
	places := s.past.row(truth.Tick(), n)
	then := s.past.at(v.Tick, n)
	for i := range s.tracks {
		t, box := &s.tracks[i], &boxes[i]
		places[i] = now[i].Pose.Pos
		resting := t.truth.rests && t.drawn.rests
		a, b := t.truth.next(&now[i].Pose, box, joltLeast), t.drawn.next(&drawn[i], box, popWay)
		if !resting || !t.truth.rests || !t.drawn.rests {
			t.away = t.drawn.pose.Pos.Sub(t.truth.pose.Pos).Len()
			t.moved = t.moved || t.truth.step != geom.Vec3{} || t.drawn.step != geom.Vec3{}
		}
		if t.truth.jolt {
			s.jolts.happened(i, truth.Tick(), t.truth.bend)
		}
		if !scored {
			continue
		}
		if t.drawn.jolt {
			s.jolts.seen(i, v.Of(i), t.drawn.bend)
		}
		if t.moved {
			s.apart.add(float64(t.away))
			if then != nil && v.Of(i) == v.Tick {
				s.shown.add(drawn[i].Pos, then[i])
			}
		}
		s.all.add(a, b)
		if i == watched {
			s.one.add(a, b)
		}
		s.truth.add(t.truth.depth)
		s.drawn.add(t.drawn.depth)
	}
	s.jolts.settle(truth.Tick())
}

// begin starts a path at rest.
func (p *path) begin(at *geom.Pose, box *sim.Box) {
	*p = path{pose: *at, depth: below(at, box)}
}

// next goes on to another pose, and returns the square of the third difference
// of the last four places. A change of step by more than least metres is a jolt,
// unless it takes the last one back.
func (p *path) next(to *geom.Pose, box *sim.Box, least float32) float32 {
	same := *to == p.pose
	if same && p.rests {
		return 0
	}
	step := to.Pos.Sub(p.pose.Pos)
	bend := step.Sub(p.step)
	jerk := bend.Sub(p.bend)
	p.rests = same && bend == geom.Vec3{}
	p.jolt = bend.Len2() > float32(least*least) && !(p.jolt && bend.Add(p.bend).Len2() <= popWay*popWay)
	if !same {
		p.pose, p.depth = *to, below(to, box)
	}
	p.step, p.bend = step, bend
	return jerk.Len2()
}

// below returns how far the lowest corner of a body is below the ground, and 0 if it
// is not.
func below(at *geom.Pose, box *sim.Box) float32 {
	most := depth(at, &box.Half)
	for i := range box.Parts {
		p, half := partAt(at, box, i+1)
		most = max(most, depth(&p, half))
	}
	return most
}

// depth returns how far the lowest corner of a box is below the ground, and 0
// if it is not.
func depth(at *geom.Pose, half *geom.Vec3) float32 {
	if at.Pos.Z >= half.X+half.Y+half.Z {
		return 0
	}
	// What of each of the box's axes points up: the last row of its matrix.
	q := &at.Rot
	x := float32(q.X*q.Z) - float32(q.W*q.Y)
	y := float32(q.Y*q.Z) + float32(q.W*q.X)
	z := float32(q.X*q.X) + float32(q.Y*q.Y)
	down := float32(geom.Abs(x+x)*half.X) + float32(geom.Abs(y+y)*half.Y) + float32(geom.Abs(1-(z+z))*half.Z)
	return max(0, down-at.Pos.Z)
}

func (j *jerks) add(truth, drawn float32) {
	j.truth += float64(truth)
	j.drawn += float64(drawn)
}

// ratio returns the root mean square jerk of the drawn by that of the truth,
// over so many ticks. Their number and length are the same for both and cancel
// out.
func (j *jerks) ratio(ticks, rate int) (r float64, ok bool) {
	cube := float64(rate) * float64(rate) * float64(rate)
	if ticks == 0 || float64(math.Sqrt(j.truth/float64(ticks))*cube) < jerkLeast {
		return 0, false
	}
	return math.Sqrt(j.drawn / j.truth), true
}

func (f *floor) add(depth float32) {
	f.deepest = max(f.deepest, depth)
	if depth > under {
		f.under++
	}
}

func (s *bodies) copyFrom(o *bodies) {
	tracks, jolts, past := append(s.tracks[:0], o.tracks...), s.jolts, s.past
	jolts.copyFrom(&o.jolts)
	past.copyFrom(&o.past)
	*s = *o
	s.tracks, s.jolts, s.past = tracks, jolts, past
}
