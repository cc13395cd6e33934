package score

import "strings"

// unitSuffixes are the ends of measures' names and their units. Of those that fit, the longest counts.
var unitSuffixes = []struct{ suffix, unit string }{
	{"_ms", "ms"}, {"_s", "s"}, {"_m", "m"}, {"_m2", "m²"}, {"_degrees", "degrees"},
	{"_percent", "%"}, {"_per_minute", "1/min"}, {"_kbit_per_second", "kbit/s"}, {"_tick", "tick"},
}

// Unit returns the unit of a measure, in which its name ends, and an empty text for a ratio and for a number of events.
func Unit(measure string) string {
	unit, length := "", 0
	for _, x := range unitSuffixes {
		if len(x.suffix) > length && strings.HasSuffix(measure, x.suffix) {
			unit, length = x.unit, len(x.suffix)
		}
	}
	return unit
}
