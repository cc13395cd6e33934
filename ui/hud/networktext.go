package hud

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
)

// networkText describes network conditions in words.
func networkText(w *link.Network) string {
	if w.Up == w.Down {
		return conditionsText(&w.Up)
	}
	return "up: " + conditionsText(&w.Up) + " / down: " + conditionsText(&w.Down)
}

// conditionsText describes the conditions of one direction.
func conditionsText(c *link.Conditions) string {
	var s []string
	if c.Latency > 0 {
		s = append(s, durationText(c.Latency)+" latency")
	}
	switch {
	case c.Jitter == 0:
	case c.Shape == link.Uniform:
		s = append(s, "jitter ±"+durationText(c.Jitter))
	default:
		s = append(s, "jitter "+durationText(c.Jitter)+" ("+c.Shape.String()+")")
	}
	if c.Loss > 0 {
		loss := percentText(c.Loss) + " loss"
		if c.Burst > 1 {
			loss += ", bursty"
		}
		s = append(s, loss)
	}
	for _, share := range []struct {
		of   float64
		noun string
	}{{c.Duplicate, "duplicated"}, {c.Corrupt, "corrupt"}, {c.Foreign, "foreign"}, {c.Reorder, "reordered"}} {
		if share.of > 0 {
			s = append(s, percentText(share.of)+" "+share.noun)
		}
	}
	add := func(has bool, text string) {
		if has {
			s = append(s, text)
		}
	}
	add(c.SpikeChance > 0, "spikes")
	add(c.Swing > 0 || c.SwingLoss > 0, "varying latency")
	if c.Trace != nil {
		s = append(s, "trace of "+c.Trace.Length().String())
	}
	add(c.PauseEvery > 0, "pauses")
	add(c.OutageEvery > 0, "outages")
	if c.Bandwidth > 0 {
		s = append(s, fmt.Sprintf("%d kbit/s", c.Bandwidth/1000))
	}
	if len(s) == 0 {
		return "perfect network"
	}
	return strings.Join(s, ", ")
}

// durationText returns a duration in milliseconds.
func durationText(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds()*1000, 'g', 4, 64) + " ms"
}

// percentText returns a share in [0, 1] in percent.
func percentText(f float64) string { return strconv.FormatFloat(f*100, 'g', 3, 64) + " %" }
