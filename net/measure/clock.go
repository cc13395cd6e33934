package measure

import "time"

// point is a difference of two clocks, with the delay between their readings.
type point struct {
	at         time.Duration // by the prober's clock
	difference time.Duration
}

// slope returns the rate at which the smallest differences grow: the slope of the line below all points that is nearest to
// them on average. Delays only add, so what lies at the bottom shows the clocks (Moon, Skelly and Towsley, Estimation and
// Removal of Clock Skew from Network Delay Measurements, 1999). The line is the edge of the lower convex hull that spans
// the mean time. It is 0 of fewer than two points. The points are in order of time.
func slope(points []point) float64 {
	if len(points) < 2 {
		return 0
	}
	var hull []point
	sum := 0.0
	for _, p := range points {
		for len(hull) > 1 && !turnsLeft(hull[len(hull)-2], hull[len(hull)-1], p) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, p)
		sum += float64(p.at)
	}
	mean := sum / float64(len(points))
	i := 1
	for i < len(hull)-1 && float64(hull[i].at) < mean {
		i++
	}
	a, b := hull[i-1], hull[i]
	if b.at == a.at {
		return 0
	}
	return float64(b.difference-a.difference) / float64(b.at-a.at)
}

// turnsLeft reports whether the way from a over b to c turns to the left.
func turnsLeft(a, b, c point) bool {
	left := float64(b.at-a.at) * float64(c.difference-a.difference)
	right := float64(b.difference-a.difference) * float64(c.at-a.at)
	return left > right
}
