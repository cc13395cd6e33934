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
	up, down := conditionTexts(&w.Up), conditionTexts(&w.Down)
	var s []string
	for i, text := range up {
		if text != down[i] {
			if text != "" {
				s = append(s, text+" up")
			}
			text = down[i]
			if text != "" {
				text += " down"
			}
		}
		if text != "" {
			s = append(s, text)
		}
	}
	if len(s) == 0 {
		return "perfect network"
	}
	return strings.Join(s, ", ")
}

// conditionTexts describes the conditions of one direction, one text for each; empty: it has not that condition.
func conditionTexts(c *link.Conditions) (s []string) {
	add := func(has bool, text string) {
		if !has {
			text = ""
		}
		s = append(s, text)
	}
	add(c.Latency > 0, durationText(c.Latency)+" latency")
	if c.Shape == link.Uniform {
		add(c.Jitter > 0, "jitter ±"+durationText(c.Jitter))
	} else {
		add(c.Jitter > 0, "jitter "+durationText(c.Jitter)+" ("+c.Shape.String()+")")
	}
	loss := percentText(c.Loss)
	if c.Burst > 1 {
		loss += " bursty"
	}
	add(c.Loss > 0, loss+" loss")
	for _, share := range []struct {
		of   float64
		noun string
	}{{c.Duplicate, "duplicated"}, {c.Corrupt, "corrupt"}, {c.Foreign, "foreign"}, {c.Reorder, "reordered"}} {
		add(share.of > 0, percentText(share.of)+" "+share.noun)
	}
	add(c.SpikeChance > 0, "spikes")
	add(c.Swing > 0 || c.SwingLoss > 0, "varying latency")
	trace := ""
	if c.Trace != nil {
		trace = "trace of " + c.Trace.Length().Round(10*time.Millisecond).String()
	}
	add(trace != "", trace)
	add(c.PauseEvery > 0, "pauses")
	add(c.OutageEvery > 0, "outages")
	add(c.Bandwidth > 0, fmt.Sprintf("%d kbit/s", c.Bandwidth/1000))
	return s
}

// durationText returns a duration in milliseconds.
func durationText(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds()*1000, 'g', 4, 64) + " ms"
}

// percentText returns a share in [0, 1] in percent.
func percentText(f float64) string { return strconv.FormatFloat(f*100, 'g', 3, 64) + " %" }
