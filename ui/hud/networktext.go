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
	if c.Duplicate > 0 {
		s = append(s, percentText(c.Duplicate)+" duplicated")
	}
	if c.Corrupt > 0 {
		s = append(s, percentText(c.Corrupt)+" corrupt")
	}
	if c.Foreign > 0 {
		s = append(s, percentText(c.Foreign)+" foreign")
	}
	if c.Reorder > 0 {
		s = append(s, percentText(c.Reorder)+" reordered")
	}
	if c.SpikeChance > 0 {
		s = append(s, "spikes")
	}
	if c.Swing > 0 || c.SwingLoss > 0 {
		s = append(s, "varying latency")
	}
	if c.Trace != nil {
		s = append(s, "trace of "+c.Trace.Length().String())
	}
	if c.PauseEvery > 0 {
		s = append(s, "pauses")
	}
	if c.OutageEvery > 0 {
		s = append(s, "outages")
	}
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
