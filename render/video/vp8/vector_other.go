//go:build !amd64

package vp8

// hasVectors says that this processor computes many pixels at a time.
const hasVectors = false

func sadVectors(*byte, int, *byte, int) int { return 0 }

func sadAverageVectors(*byte, int, *byte, *byte, int) int { return 0 }

func filterVectors(*byte, int, *byte, int, int, int, *taps) {}
