package lab

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// A client's program begins a tick as soon as its clock is past the tick before, so in a frame
// between two ticks the newest tick is up to one tick ahead of the clock. The frame is drawn between
// that tick and the one before, at the clock's own time: nothing is delayed, and a client whose clock
// runs 2 % faster moves its picture 2 % further in each frame, not twice as far in every fiftieth. In
// a frame at a whole tick, which is every frame of a client whose clock is never steered and never
// wrong, the picture is that of the tick.

// drawing is what a client needs besides its side to draw between its last two ticks.
type drawing struct {
	before predict.View // of the tick before the newest, if a frame is drawn between the two
	early  int64        // millionths of a tick by which the newest tick is ahead of the last frame's time, in [0, million)
}

// save saves the view of a side that is about to run a tick. The memory is of the size of like, at once.
func (d *drawing) save(side predict.Client, like *predict.View) {
	if len(d.before.Bodies) == 0 {
		d.before.CopyFrom(like)
	}
	d.before.Reset()
	side.View(&d.before)
}

// forget makes the next frames show the newest tick, because the one before it is of another world.
func (d *drawing) forget() { d.before.Reset() }

func (d *drawing) copyFrom(o *drawing) {
	d.before.CopyFrom(&o.before)
	d.early = o.early
}

// maxDrawnStep is the longest step between the moments of two pictures between which a frame is drawn. A
// client that catches up after an outage makes a longer one, and is drawn at the newest tick at once.
const maxDrawnStep = 4 * sim.MomentsPerTick

// move moves v, the view of the newest tick, back to the time of the frame: its moments, and the poses as
// drawn and as simulated. All else, such as received poses and the trail, stays as in the newest tick.
func (d *drawing) move(v *predict.View, scene *sim.Scene, rate int) {
	a := &d.before
	if d.early == 0 || len(a.Bodies) != len(v.Bodies) {
		return
	}
	longest := sim.Moment(0)
	for _, step := range [...]sim.Moment{v.Others - a.Others, v.Own - a.Own, v.Carriers - a.Carriers} {
		longest = max(longest, step, -step)
	}
	if longest > maxDrawnStep {
		return
	}
	share := float32(million-d.early) / million
	// A pose that is a tick more at the scene's highest speed away has jumped: several states can
	// arrive at once, and then the pictures are several ticks apart.
	farthest := scene.MaxLinearSpeed * (max(longest, sim.MomentsPerTick) + sim.MomentsPerTick).Seconds(rate)
	movePoses(v.Bodies, a.Bodies, share, farthest)
	if len(a.Simulated) == len(v.Simulated) {
		movePoses(v.Simulated, a.Simulated, share, farthest)
	}
	v.Others, v.Own, v.Carriers = d.moment(a.Others, v.Others), d.moment(a.Own, v.Own), d.moment(a.Carriers, v.Carriers)
}

// moment returns the moment of the frame between those of the last two ticks.
func (d *drawing) moment(before, newest sim.Moment) sim.Moment {
	early := sim.Moment(d.early) * sim.MomentsPerTick / million
	step := newest - before
	return newest - (step/sim.MomentsPerTick*early + step%sim.MomentsPerTick*early/sim.MomentsPerTick)
}

// movePoses moves poses to a share of the way from those of a tick before. A pose farther away than
// farthest, in metres, has jumped and stays.
func movePoses(poses, before []geom.Pose, share, farthest float32) {
	for i := range poses {
		from, to := &before[i], &poses[i]
		step := to.Pos.Sub(from.Pos)
		if !(step.LenSq() <= farthest*farthest) {
			continue
		}
		to.Pos = from.Pos.AddScaled(share, step)
		if to.Rot != from.Rot {
			to.Rot = geom.Slerp(from.Rot, to.Rot, share)
		}
	}
}
