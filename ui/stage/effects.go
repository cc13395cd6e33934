package stage

import (
	"ghostcube/predict"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The rings of effects.
const (
	ringSegments  = 16
	ringGap       = 0.22 // metres from one ring of a stack to the next
	maxStackRings = 24   // the newest effects of a player
)

// addEffects adds a ring above a player's body for each effect of that player that began in the last second, the
// newest lowest. Rings fade like shots. One event that begins once is one ring; a stack of rings that appear together
// is one event that began several times.
func (v *Viewport) addEffects(effects []predict.Effect, scene *sim.Scene, rate int) {
	var stacked [sim.MaxPlayers]int
	for i := len(effects) - 1; i >= 0; i-- {
		e := &effects[i]
		share, ok := ShotAgeFraction(int64(e.Age), rate)
		if n := stacked[e.Player]; ok && n < maxStackRings && e.Player < len(v.Scene.Cubes) {
			stacked[e.Player]++
			half := scene.Boxes[e.Player].Half
			radius := half.Len()
			at := v.Scene.Cubes[e.Player].Pose.Pos
			at.Z += radius + float32(ringGap*float32(n+1))
			v.addRing(at, radius, share)
		}
	}
}

// addRing adds a level ring around a point.
func (v *Viewport) addRing(at geom.Vec3, radius, share float32) {
	corner := func(i int) geom.Vec3 {
		angle := float32(geom.TwoPi*float32(i)) / ringSegments
		return at.Add(geom.Vec3{X: float32(radius * geom.Cos(angle)), Y: float32(radius * geom.Sin(angle))})
	}
	for i := range ringSegments {
		v.Scene.Lines = append(v.Scene.Lines, render.Line{A: corner(i), B: corner(i + 1), Color: fadeShot(TimelineColors.Effects, share)})
	}
}
