package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// Slow motion begins slowBefore seconds before a marked moment and ends slowAfter seconds after it.
const (
	slowBefore = 0.5
	slowAfter  = 1.5
)

// parseSlow parses the --slow flag, a speed such as 1/4 or 0.25, in [1/16, 1).
func parseSlow(text string) (speed float64, err error) {
	numerator, denominator, isFraction := strings.Cut(text, "/")
	speed, err = strconv.ParseFloat(numerator, 64)
	if isFraction && err == nil {
		var d float64
		if d, err = strconv.ParseFloat(denominator, 64); err == nil {
			speed /= d
		}
	}
	if err != nil || !(speed >= 1./16 && speed < 1) {
		return 0, fmt.Errorf("--slow=%s: want a speed from 1/16 to less than 1, such as 1/4", text)
	}
	return speed, nil
}

// markedTicks returns the ticks of a session's marked moments: the moment that its comparison declares, and its forced
// faults.
func markedTicks(session *plan.Plan, entries []lab.Entry) (list []int) {
	if c := session.Comparison; c != nil {
		list = append(list, int(c.Moment*float64(session.Config.Rate)))
	}
	for i := range entries {
		if slices.ContainsFunc(entries[i].Commands, lab.Command.ForcesFault) {
			list = append(list, i)
		}
	}
	return list
}

// slowDown adds commands to entries that show the time around ticks in slow motion. usual is the speed at other times.
// It returns how many ticks are slow.
func slowDown(entries []lab.Entry, marked []int, rate int, speed, usual float64) (slow int) {
	isSlow := make([]bool, len(entries))
	for _, at := range marked {
		for i := max(at-int(slowBefore*float64(rate)), 0); i < min(at+int(slowAfter*float64(rate)), len(entries)); i++ {
			isSlow[i] = true
		}
	}
	before := false
	for i, now := range isSlow {
		if now {
			slow++
		}
		if now == before {
			continue
		}
		before = now
		v := usual
		if now {
			v = speed
		}
		entries[i].Commands = append(slices.Clip(entries[i].Commands), stage.Show("speed", strconv.FormatFloat(v, 'g', -1, 64)))
	}
	return slow
}

// shownSpeed returns the speed that commands set, or 1.
func shownSpeed(commands []lab.Command) float64 {
	speed := 1.
	for _, c := range commands {
		if c.Verb == "show" && c.Name == "speed" {
			speed, _ = strconv.ParseFloat(c.Value, 64) // checked with the other settings
		}
	}
	return speed
}
