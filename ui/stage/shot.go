package stage

import (
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

const (
	MaxShotsShown  = 4    // the newest of a pane
	raySegments    = 24   // of a drawn ray; a segment that begins behind the eye is not drawn
	maxRayLength   = 60   // metres that are drawn
	minShotOpacity = 0.25 // at the end of the second in which a shot fades
)

// ShotAgeFraction returns the age of an event, in ticks, as a share of the second for which it is shown; ok
// is false after that.
func ShotAgeFraction(ticks int64, rate int) (share float32, ok bool) {
	return float32(ticks) / float32(rate), ticks >= 0 && ticks < int64(rate)
}

// addShots adds the shots of the last second to a picture. The client's picture has what the player saw: the
// ray, and the drawn pose of the body that it hit. The server's picture has the result from the tick in which
// it was resolved: the ray and the hit body in the player's past, and the ray in the present.
func (p *pane) addShots(v *Viewport, l *lab.Lab) {
	s, now, rate := &p.source.Shots, int64(l.Ticks())-1, l.Config().Rate
	for n := max(s.FirstIndex(), s.Total()-MaxShotsShown); n < s.Total(); n++ {
		x := s.At(n)
		if share, ok := ShotAgeFraction(now-int64(x.FiredTick), rate); ok && v.Side != ServerSide {
			v.addRay(&x.ClientRay, shotColor(x.ClientRay.Hit.Body), share)
			p.addHitGhost(v, x.ClientRay.Hit.Body, x.TargetDrawn, share)
		}
		share, ok := ShotAgeFraction(now-int64(x.ResolvedTick), rate)
		if x.ResolvedTick == 0 || !ok || v.Side == ClientSide {
			continue
		}
		d := &x.Result
		v.addRay(&d.Now, UnrewoundColor, share)
		if d.Refused == predict.NotRefused {
			v.addRay(&d.Rewound, shotColor(d.Rewound.Hit.Body), share)
			p.addHitGhost(v, d.Rewound.Hit.Body, d.TargetThen, share)
		}
	}
}

// shotColor returns the colour of a ray that hit a body, or none.
func shotColor(body int) render.Color {
	if body == sim.NoBody {
		return MissColor
	}
	return HitColor
}

// fadeShot returns a colour after a share of the second in which a shot fades.
func fadeShot(c render.Color, share float32) render.Color {
	return c.ScaleAlpha(1 - float32((1-minShotOpacity)*share))
}

// addRay adds a ray.
func (v *Viewport) addRay(r *predict.Ray, c render.Color, share float32) {
	var buffer [raySegments + raySegments/2 + 1]geom.Vec3 // the scene copies the points
	points := buffer[:0]
	for range raySegments / 2 { // the faint half of the trail gets no length
		points = append(points, r.Origin)
	}
	for i := range raySegments + 1 {
		points = append(points, r.Origin.AddScaled(float32(min(r.Hit.Distance, maxRayLength)*float32(i))/raySegments, r.Direction))
	}
	v.Scene.AddTrail(points, fadeShot(c, share))
}

// addHitGhost adds a ghost of the hit body at its pose of that moment.
func (p *pane) addHitGhost(v *Viewport, body int, at geom.Pose, share float32) {
	if body == sim.NoBody {
		return
	}
	c := fadeShot(HitColor, share)
	c.A = min(c.A, 254) // an opaque cube is no ghost
	box := &p.source.ServerWorld.Scene().Boxes[body]
	v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: at, Half: box.Half, Color: c})
	v.addSubShapes(box.SubShapes, at, c)
}
