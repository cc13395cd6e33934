package score

import "strconv"

// Measure is one figure of a score, as JSON, tables and the panel show it.
type Measure struct {
	Name   string  // key in JSON: words joined by underscores, ending in the unit (Unit); never changes
	Title  string  // label of a table row, with the unit; empty if only JSON shows the measure
	Help   string  // one sentence: what the measure says; assets/measures.toml defines it
	Value  float64 // valid if OK
	OK     bool    // false if the value is undefined: null in JSON, a dash in a row
	Digits int     // digits after the decimal point in a row
	Better Better  // how two values compare
}

// The evidence that a measure needs: scored time, or motion of the server's cube where the measure
// is a share of that. Events a minute need more, because one event in a second is 60 a minute.
const (
	evidenceSeconds = 1 // seconds
	rateSeconds     = 5 // seconds, of events a minute
)

// lasting reports whether the score has lasted long enough for events a minute.
func (c *Score) lasting() bool { return c.Ticks >= rateSeconds*max(c.rate, 1) }

// Better says which of two values of a measure is better.
type Better uint8

// The orders of values.
const (
	Lower    Better = iota
	NearZero        // on either side
	NearOne         // on either side
	Neither         // the measure describes the session and is not a rating
)

// String returns the order in words.
func (b Better) String() string {
	return [...]string{"lower is better", "closer to 0 is better", "closer to 1 is better", "informational"}[b]
}

// Text returns the value as a table row shows it.
func (m *Measure) Text() string { return string(m.AppendText(nil)) }

// AppendText appends what Text returns to dst.
func (m *Measure) AppendText(dst []byte) []byte {
	if !m.OK {
		return append(dst, '-')
	}
	return strconv.AppendFloat(dst, m.Value, 'f', m.Digits, 64)
}

// KeyToScreen appends the latency from a key press to the screen to dst. ticks is its mean; rate is
// in ticks per second; ok is false if no key press was measured. A Score cannot measure it, because
// it takes a second run of the session without the key press.
func KeyToScreen(dst []Measure, ticks float64, ok bool, rate int) []Measure {
	return append(dst,
		Measure{"key_to_screen_ms", "key to screen, ms", "time from a key press to the first frame that differs from a run without the press", ticks * 1000 / float64(rate), ok, 1, Lower},
	)
}

const pathErrorHelp = "distance from the drawn cube to the server's cube at the moment that the view claims to show, RMS"

// Measures appends all measures of the score to dst: the same ones in the same order, whatever the
// score has seen.
func (c *Score) Measures(dst []Measure) []Measure {
	rate := float64(max(c.rate, 1))
	millis := func(ticks float64) float64 { return ticks * 1000 / rate }
	popsAll, energyAll := c.PopsAll()
	delay, delayOK := c.DisplayDelay()
	path, pathOK := c.PathError()
	pathRMSAll, pathMaxAll, pathAllOK := c.PathErrorAll()
	overshoot, stopped := c.Overshoot()
	jerk, jerkOK := c.JerkRatio()
	jerkAll, jerkAllOK := c.JerkRatioAll()
	overlapMax, overlapServerMax := c.Overlap()
	jointRMS, jointMax, jointServerMax, jointOK := c.JointSeparation()
	updateGap, updatesOK := c.LongestUpdateGap()
	scored := c.Ticks >= evidenceSeconds*max(c.rate, 1)
	lasting := c.lasting()
	freezable := c.freezes.moving >= evidenceSeconds*max(c.rate, 1)
	dst = append(dst,
		Measure{"lag_error_rms_m", "lag error RMS, m", "distance from the drawn cube to the server's cube at this moment, root mean square; it includes delay", c.LagErrorRMS(), scored, 3, Lower},
		Measure{"lag_error_rms_all_m", "lag error RMS, all bodies, m", "lag error over all bodies that have moved, root mean square", c.LagErrorRMSAll(), scored, 3, Lower},
		Measure{"pops_per_minute", "pops per minute", "jumps of the drawn cube that the server's cube did not make", c.PopsPerMinute(), lasting, 1, Lower},
		Measure{"largest_pop_m", "largest pop, m", "length of the largest pop", c.LargestPop(), scored, 3, Lower},
		Measure{"pops_all_per_minute", "pops, all bodies, per minute", "sudden changes of step above 5 cm of any drawn body that the server's body did not make", popsAll, lasting, 1, Lower},
		Measure{"pop_energy_all_m2", "pop energy, all bodies, m2", "sum of the squared sudden changes of step of all drawn bodies", energyAll, scored, 4, Lower},
		Measure{"display_delay_ms", "display delay, ms", "time by which the drawn cube moves later than the server's; negative: ahead of the server", millis(float64(delay)), delayOK, 1, NearZero},
		Measure{"path_error_rms_m", "path error RMS, m", pathErrorHelp, path.RMS, pathOK, 3, Lower},
		Measure{"path_error_max_m", "path error max, m", "largest path error of the player's cube", path.Max, pathOK, 3, Lower},
		Measure{"path_error_rms_degrees", "path error RMS, degrees", "angle between the drawn cube and the server's cube at the moment that the view claims to show, RMS", path.Angle, pathOK, 2, Lower},
		Measure{"path_error_rms_all_m", "path error RMS, all bodies, m", "distance from drawn bodies to the server's at the moment that the view claims to show, root mean square", pathRMSAll, pathAllOK, 4, Lower},
		Measure{"path_error_max_all_m", "path error max, all bodies, m", "largest distance from a drawn body to the server's at the moment that the view claims to show", pathMaxAll, pathAllOK, 3, Lower},
		Measure{"overshoot_m", "overshoot, m", "largest distance by which the drawn cube passed the server's cube after a stop", overshoot, stopped, 3, Lower},
		Measure{"freeze_percent", "frozen, %", "share of ticks in which the drawn cube stands still while the server's cube moves", 100 * c.Frozen(), freezable, 2, Lower},
		Measure{"longest_freeze_ms", "longest freeze, ms", "duration of the longest freeze", millis(float64(c.LongestFreeze())), freezable, 1, Lower},
		Measure{"jerk_ratio", "jerk, drawn / server", "RMS jerk of the drawn cube divided by the server cube's: 1 is as smooth, more is rougher", jerk, jerkOK, 2, NearOne},
		Measure{"jerk_ratio_all", "jerk, all bodies, drawn / server", "RMS jerk of all drawn bodies divided by the server's: 1 is as smooth, more is rougher", jerkAll, jerkAllOK, 2, NearOne},
		Measure{"overlap_max_m", "overlap, max, m", "largest depth of a drawn body inside another; compare with the server's", overlapMax, scored, 3, Lower},
		Measure{"overlap_server_max_m", "overlap, max, server, m", "largest depth of a server body inside another; its contacts are soft", overlapServerMax, scored, 3, Neither},
		Measure{"joint_separation_rms_m", "joint separation, RMS, m", "distance between the two anchors of a drawn joint, root mean square over joints and ticks", jointRMS, jointOK, 5, Lower},
		Measure{"joint_separation_max_m", "joint separation, max, m", "largest distance between the two anchors of a drawn joint", jointMax, jointOK, 4, Lower},
		Measure{"joint_separation_server_max_m", "joint separation, max, server, m", "largest distance between the two anchors of a joint on the server", jointServerMax, jointOK, 4, Neither},
		Measure{"longest_update_gap_ms", "longest update gap, ms", "longest time between two updates", millis(float64(updateGap)), updatesOK && scored, 1, Lower},
		Measure{"nominal_delay_mean_ms", "nominal delay, mean, ms", "server time minus the time that the view claims to show, mean; negative: ahead of the server", millis(c.NominalDelay()), scored, 1, NearZero},
	)
	return c.parentMeasures(c.jointMeasures(dst))
}
