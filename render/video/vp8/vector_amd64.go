package vp8

// hasVectors says that this processor computes many pixels at a time.
const hasVectors = true

// sadVectors is sad16 without its limit.
//
//go:noescape
func sadVectors(a *byte, aStride int, b *byte, bStride int) int

// sadAverageVectors is sadAverage16 without its limit.
//
//go:noescape
func sadAverageVectors(a *byte, aStride int, b, c *byte, bStride int) int

// filterVectors filters 8 pixels in each of h rows; step is the distance between the pixels at two taps, and src points at
// the first.
//
//go:noescape
func filterVectors(dst *byte, dstStride int, src *byte, srcStride, step, h int, t *taps)
