package raster

// hasVectors says that this processor computes four numbers at a time.
const hasVectors = true

// shadeVectors returns the weighted number of the texels around a point that do not shade it, as visibilityAt does.
// texels is the first of sixteen; d, gu and gv are the point's height and its surface's slope, fu and fv the share of
// the way to the next texel.
//
//go:noescape
func shadeVectors(texels *float32, d, gu, gv, fu, fv float32) float32

// shadeGroundVectors colours four pixels of ground, as lightGround does.
//
//go:noescape
func shadeGroundVectors(v *groundVectors)

// placeFaceVectors computes all that shadeFace does of four pixels before the sun's light.
//
//go:noescape
func placeFaceVectors(v *faceVectors, f *face)

// shadeFaceVectors colours four pixels of a face in a share of the sun's light.
//
//go:noescape
func shadeFaceVectors(v *faceVectors, f *face)
