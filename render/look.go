package render

import "ghostcube/sim/geom"

// How the world looks. Both renderers take it from here, and a test holds their
// pictures against each other.
//
// Light is added up in linear values: a colour is squared, lit, and its root is
// shown. A surface with normal n gets
//
//	Sun * max(0, n.ToSun) where no shadow falls, and
//	Sky * (1-Hemisphere/2 + Hemisphere/2 * n.z) from all around.
var (
	ToSun = geom.Vec3{X: 0.46, Y: -0.30, Z: 0.84}.Unit()

	SunLight   = [3]float32{0.84, 0.79, 0.71}
	SkyLight   = [3]float32{0.33, 0.39, 0.47}
	GroundHue  = [3]float32{0.60, 0.64, 0.67} // shown
	HorizonHue = [3]float32{0.80, 0.86, 0.92} // shown; also the fog's
	ZenithHue  = [3]float32{0.50, 0.64, 0.86} // shown
)

// The rest of the look.
const (
	Hemisphere = 0.56

	FogFrom = 22 // metres; the ground fades into the horizon
	FogOver = 60 // metres
	FogMost = 0.92

	GridLine   = 0.02 // metres; lines every metre
	GridDark   = 0.80 // of the ground's light
	GridShow   = 0.50 // how much of that
	FieldLine  = 0.05 // metres; lines every five metres
	FieldDark  = 0.60
	FieldShow  = 0.70
	EdgeFrom   = 0.88 // of the way from a face's middle to its border: where its border begins to darken
	EdgeTo     = 0.98
	EdgeDark   = 0.24
	ShadowHalf = 18   // metres; half the side of the square, seen from the sun, in which shadows fall
	ShadowDeep = 60   // metres along the light
	ShadowSoft = 0.07 // metres; half the width of a shadow's border
	LineHalf   = 0.6  // pixels; half the width of a line through space
	GhostEdge  = 0.45 // share of a ghost's opacity that is in its borders alone
)
