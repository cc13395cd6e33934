//go:build !amd64

package raster

// hasVectors says that this processor computes four numbers at a time.
const hasVectors = false

func shadeVectors(*float32, float32, float32, float32, float32, float32) float32 { return 0 }

func shadeGroundVectors(*groundVectors) {}

func placeFaceVectors(*faceVectors, *face) {}

func shadeFaceVectors(*faceVectors, *face) {}
