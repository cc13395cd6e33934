//go:build !amd64

package video

// hasVectors says that this processor converts eight pixels at a time.
const hasVectors = false

func convertVectors(y0, y1, u, v, above, below *byte, groups int, m *colorVectors) {}
