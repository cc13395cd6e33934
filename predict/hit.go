package predict

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Ray is a shot as one side sees it: its line and the first body on it.
type Ray struct {
	Origin, Direction geom.Vec3 // metres, world frame; a unit vector
	Hit               sim.Hit   // Hit.Body is sim.NoBody for a miss
}

// ShotRange is the range of a shot, in metres.
const ShotRange = 200

// CastShot casts the ray of a player's shot against bodies at the given poses. at is the server time
// of the poses in subticks, at rate ticks per second. The shot starts at from, the centre of the
// player's cube, which it cannot hit.
func CastShot(scene *sim.Scene, s *sim.Shot, from geom.Vec3, poses []geom.Pose, player int, at int64, rate int) Ray {
	r := Ray{Origin: from, Direction: s.Direction()}
	r.Hit = scene.CastRay(from, r.Direction, ShotRange, poses, player, SubtickMoment(at), rate)
	return r
}

// End returns the end point of the ray.
func (r *Ray) End() geom.Vec3 { return r.Origin.AddScaled(r.Hit.Distance, r.Direction) }

// HitResult is the server's decision about one shot, with and without lag compensation.
type HitResult struct {
	Player     int
	Shot       sim.Shot
	Tick       sim.Tick      // server tick in which the shot was resolved
	Age        int64         // subticks by which the player's view was older than Tick
	MaxAge     int64         // subticks; older views are refused
	Refused    RewindRefusal // why the server did not rewind; then Rewound is undefined
	UseRewound bool          // the rewound result counts, not the present one

	Rewound Ray // among bodies as the player saw them
	Now     Ray // among the server's present bodies

	// Poses of TargetBody when the player saw it and in Tick.
	TargetThen, TargetNow geom.Pose
	BehindCover           bool // the body was hit in the past, but its centre, visible to the shooter then, is hidden now
}

// RewindRefusal is the reason for which the server did not rewind for a shot.
type RewindRefusal uint8

// The reasons.
const (
	NotRefused RewindRefusal = iota
	TooOld                   // the view is older than the server's history
	TooNew                   // the view is further ahead of the server than a client can be
)

// Body returns the body that the shot has hit by the result that counts, or sim.NoBody. A refused shot
// hits nothing, unless the present one counts.
func (h *HitResult) Body() int {
	switch {
	case !h.UseRewound:
		return h.Now.Hit.Body
	case h.Refused != NotRefused:
		return sim.NoBody
	}
	return h.Rewound.Hit.Body
}

// TargetBody returns the body whose poses TargetThen and TargetNow are, or sim.NoBody.
func (h *HitResult) TargetBody() int {
	if h.Refused == NotRefused && h.Rewound.Hit.Body != sim.NoBody {
		return h.Rewound.Hit.Body
	}
	return h.Now.Hit.Body
}
