package video

// hasVectors says that this processor converts eight pixels at a time.
const hasVectors = true

// convertVectors converts groups of eight pixels of two rows.
//
//go:noescape
func convertVectors(y0, y1, u, v, above, below *byte, groups int, m *colorVectors)
