package render

import "ghostcube/sim/geom"

// Light and colours of the world, for both renderers; TestMatchesRaster in render/gpu compares their
// pictures.
//
// Lighting works on linear values, with a gamma of 2: a colour is squared, lit, and shown as its square
// root. A surface with normal n receives
//
//	SunLight * max(0, n.ToSun) outside of shadows, and
//	SkyLight * (1 - HemisphereContrast/2 + HemisphereContrast/2 * n.z) from the sky and the ground.
var (
	ToSun = geom.Vec3{X: 0.46, Y: -0.30, Z: 0.84}.Unit()

	SunLight     = [3]float32{0.84, 0.79, 0.71}
	SkyLight     = [3]float32{0.33, 0.39, 0.47}
	GroundColor  = [3]float32{0.58, 0.62, 0.65} // of the light fields; before lighting, not yet squared
	HorizonColor = [3]float32{0.80, 0.86, 0.92} // as shown; also the colour of the fog
	ZenithColor  = [3]float32{0.50, 0.64, 0.86} // as shown
)

const (
	HemisphereContrast = 0.56

	FogStart = 22 // metres from the eye
	FogRange = 60 // metres from FogStart to the full effect
	FogMax   = 0.92

	// Light and dark fields of a metre each, with a line every five metres, show motion and scale however the
	// camera moves.
	DarkFieldShade = 0.78 // factor of the ground's light
	LineSpacing    = 5    // metres
	LineWidth      = 0.06 // metres
	LineShade      = 0.58 // factor of the ground's light

	EdgeStart          = 0.88 // share of the way from a face's centre to its border where the dark edge begins
	EdgeEnd            = 0.98 // share of that way where the edge is darkest
	EdgeDarkening      = 0.32
	ShadowMapHalfWidth = 18   // metres; half the side of the square, perpendicular to the light, that has shadows
	ShadowMapDepth     = 60   // metres along the light
	ContactDarkening   = 0.5  // share of the ground's brightness that a body resting on it takes at its border
	ContactHeight      = 0.5  // metres above the ground from which a body takes none
	LineHalfWidth      = 0.6  // pixels; half the width of a line through the world
	GhostFill          = 0.15 // opacity of the fill of ghosts
	GhostLine          = 0.95 // opacity of the line around them
)
