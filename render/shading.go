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

	SunLight     = [3]float32{0.84, 0.79, 0.71}
	SkyLight     = [3]float32{0.33, 0.39, 0.47}
	GroundColor  = [3]float32{0.60, 0.64, 0.67} // shown
	HorizonColor = [3]float32{0.80, 0.86, 0.92} // shown; also the fog's
	ZenithColor  = [3]float32{0.50, 0.64, 0.86} // shown
)

// The rest of the look.
const (
	HemisphereContrast = 0.56

	FogStart = 22 // metres; the ground fades into the horizon
	FogRange = 60 // metres
	FogMax   = 0.92

	GridWidth          = 0.02 // metres; lines every metre
	GridShade          = 0.80 // of the ground's light
	GridOpacity        = 0.50 // how much of that
	MajorGridWidth     = 0.05 // metres; lines every five metres
	MajorGridShade     = 0.60
	MajorGridOpacity   = 0.70
	EdgeStart          = 0.88 // of the way from a face's middle to its border: where its border begins to darken
	EdgeEnd            = 0.98
	EdgeDarkening      = 0.24
	ShadowMapHalfWidth = 18   // metres; half the side of the square, seen from the sun, in which shadows fall
	ShadowMapDepth     = 60   // metres along the light
	ShadowSoftness     = 0.07 // metres; half the width of a shadow's border
	LineHalfWidth      = 0.6  // pixels; half the width of a line through space
	GhostEdgeShare     = 0.45 // share of a ghost's opacity that is in its borders alone
)
