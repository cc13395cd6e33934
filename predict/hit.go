package predict

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Ray is a shot as one side sees it: from where it goes along, and what it meets.
type Ray struct {
	Origin, Direction geom.Vec3 // Along is a unit vector
	Hit               sim.Hit
}

// ShotRange is how far a shot goes, in metres.
const ShotRange = 200

// CastShot returns what a player's shot meets in a picture or a state: bodies at poses,
// at a moment in 1/sim.SeenParts ticks. It begins in the middle of the player's cube.
func CastShot(scene *sim.Scene, s *sim.Shot, from geom.Vec3, poses []geom.Pose, player int, at int64, rate int) Ray {
	r := Ray{Origin: from, Direction: s.Direction()}
	r.Hit = scene.CastRay(from, r.Direction, ShotRange, poses, player, at, rate)
	return r
}

// End returns where the ray ends.
func (r *Ray) End() geom.Vec3 { return r.Origin.AddScaled(r.Hit.Distance, r.Direction) }

// HitResult is what the server makes of a shot.
type HitResult struct {
	Player     int
	Shot       sim.Shot
	Tick       sim.Tick      // of the server, in which it was judged
	Age        int64         // 1/sim.SeenParts ticks by which what the player saw was older
	Refused    RewindRefusal // of the rewound judgement; then Rewound means nothing
	UseRewound bool          // the rewound judgement counts; else the other

	Rewound Ray // in the player's past
	Now     Ray // in the server's present

	// Of the body that was hit, by the rewound judgement if by both: where it was in
	// the player's past, and where it is.
	TargetThen, TargetNow geom.Pose
	BehindCover           bool // it was hit in the past, and its middle, in the shooter's sight then, would not be now
}

// RewindRefusal is why a shot was not judged in the player's past.
type RewindRefusal uint8

// The refusals.
const (
	NotRefused RewindRefusal = iota
	TooOld                   // it is older than what the server remembers
	TooNew                   // it is of a moment that the server will not be at for long
)

// HitBody returns the body that the player has hit by the judgement that counts, or
// sim.Missed.
func (v *HitResult) HitBody() int {
	switch {
	case !v.UseRewound:
		return v.Now.Hit.Body
	case v.Refused != NotRefused:
		return sim.NoBody
	}
	return v.Rewound.Hit.Body
}

// TargetBody returns the body that Was and Is are of, or sim.Missed.
func (v *HitResult) TargetBody() int {
	if v.Refused == NotRefused && v.Rewound.Hit.Body != sim.NoBody {
		return v.Rewound.Hit.Body
	}
	return v.Now.Hit.Body
}
