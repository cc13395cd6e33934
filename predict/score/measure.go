package score

import "strconv"

// Measure is one figure of a score: what a report, a table and the panel show.
type Measure struct {
	Name   string  // of JSON: words joined by underscores and the unit; it never changes
	Title  string  // of a row: words and the unit. Empty: JSON has it, and a row another measure of the same thing
	Help   string  // a sentence: what it measures, and how to read it
	Value  float64 // if OK
	OK     bool    // false where it cannot be told: null in JSON, a dash in a row
	Digits int     // after the point, in a row
	Better Better
}

// Better says which of two values of a measure is the better one.
type Better uint8

// The ways to be better.
const (
	Lower    Better = iota
	NearZero        // on either side
	NearOne         // on either side
	Neither         // it describes, and does not judge
)

// String says in words which is the better one.
func (b Better) String() string {
	return [...]string{"less is better", "nearer to 0 is better", "nearer to 1 is better", "describes"}[b]
}

// Text returns the value as a row shows it.
func (m *Measure) Text() string {
	if !m.OK {
		return "-"
	}
	return strconv.FormatFloat(m.Value, 'f', m.Digits, 64)
}

// KeyToScreen appends to dst the latency of the own input, in ticks of a session
// at a rate in ticks per second. It is no part of a card: it takes runs without
// a key to measure. ok is false if no key showed.
func KeyToScreen(dst []Measure, ticks float64, ok bool, rate int) []Measure {
	return append(dst,
		Measure{"key_to_screen_ticks", "", "ticks from the tick of a key to the first picture that differs from one without the key", ticks, ok, 1, Lower},
		Measure{"key_to_screen_ms", "own input latency, ms", "time from the tick of a key to the first picture that differs from one without the key", ticks * 1000 / float64(rate), ok, 1, Lower},
	)
}

// Measures appends to dst all that the card tells, always the same ones in the
// same order.
func (c *Score) Measures(dst []Measure) []Measure {
	rate, ticks := float64(max(c.rate, 1)), float64(max(c.Ticks, 1))
	milli := func(ticks float64) float64 { return ticks * 1000 / rate }
	popsAll, energyAll := c.PopsAll()
	stale, still := c.DisplayDelay()
	shape, known := c.MotionError()
	loose, loosest, looseTrue, jointed := c.JointSeparation()
	shown, shownMost, labels := c.PathErrorAll()
	stops, settle, settleMost, overshoot := c.Stops()
	stopped := stops > 0
	freezes, longest := c.Freezes()
	jerk, jerks := c.JerkRatio()
	jerkAll, jerksAll := c.JerkRatioAll()
	arc, arcs := c.SpectralArcLength()
	arcTrue, arcsTrue := c.ServerSpectralArcLength()
	deepest, under := c.FloorPenetration()
	deepestTrue, underTrue := c.ServerFloorPenetration()
	inside, pairs := c.Overlap()
	insideTrue, pairsTrue := c.ServerOverlap()
	own, ownPairs := c.PlayerOverlap()
	ownTrue, ownPairsTrue := c.ServerPlayerOverlap()
	lifted, highest := c.GroundClearance()
	liftedTrue, highestTrue := c.ServerGroundClearance()
	updates, gap, updated := c.Updates()
	age, oldest := c.NominalDelay()
	any := c.Ticks > 0
	dst = append(dst,
		Measure{"lag_error_rms_m", "error RMS, m", "distance of the drawn cube from the true one now, root mean square", c.LagErrorRMS(), true, 3, Lower},
		Measure{"lag_error_max_m", "error max, m", "the largest distance of the drawn cube from the true one now", c.LagErrorMax(), true, 3, Lower},
		Measure{"lag_error_rms_all_m", "error RMS, all bodies, m", "distance of drawn bodies from the true ones now, root mean square, over all that have moved", c.LagErrorRMSAll(), true, 3, Lower},
		Measure{"inconsistency_m_s_per_minute", "inconsistency, m s/min", "distance of the drawn cube from the true one now beyond 5 cm, times how long it lasts", c.Inconsistency(), true, 2, Lower},
		Measure{"inconsistency_all_m_s_per_minute", "inconsistency, all, m s/min", "the same, mean of all bodies that have moved", c.InconsistencyAll(), true, 2, Lower},
		Measure{"pops_per_minute", "pops per minute", "jumps of the drawn cube that the true one did not make", c.PopsPerMinute(), true, 1, Lower},
		Measure{"largest_pop_m", "largest pop, m", "the farthest of those jumps", c.LargestPop(), true, 3, Lower},
		Measure{"largest_pop_px", "largest pop, pixels", "the farthest of those jumps across the view of a camera 12 m away, 40 degrees and 720 pixels high", c.LargestPopPixels(), true, 1, Lower},
		Measure{"pop_energy_m2", "pop energy, m2", "sum of the squares of those jumps", c.PopEnergy(), true, 4, Lower},
		Measure{"pops_all_per_minute", "pops, all bodies, per minute", "sudden changes of any drawn body's step by more than 5 cm that the true body did not make", popsAll, true, 1, Lower},
		Measure{"pop_energy_all_m2", "pop energy, all bodies, m2", "sum of the squares of those changes", energyAll, true, 4, Lower},
		Measure{"display_delay_ticks", "", "ticks that the drawn cube moves later than the true one; below 0: ahead of it", float64(stale), still, 0, NearZero},
		Measure{"display_delay_ms", "staleness, ms", "how much later the drawn cube moves than the true one; below 0: ahead of it", milli(float64(stale)), still, 1, NearZero},
		Measure{"path_error_rms_m", "distortion RMS, m", "distance of the drawn cube from where the true one was by the staleness ago, root mean square: error of shape without delay", shape.PathError, known, 3, Lower},
		Measure{"path_error_rms_degrees", "distortion RMS, degrees", "angle between the drawn cube and the true one by the staleness ago, root mean square", shape.AngleError, known, 2, Lower},
		Measure{"path_error_rms_all_m", "distortion RMS, all bodies, m", "distance of drawn bodies from where the true ones were at the tick that the picture claims to show, root mean square, over all that have moved", shown, labels, 4, Lower},
		Measure{"path_error_max_all_m", "distortion max, all bodies, m", "the largest of those distances", shownMost, labels, 3, Lower},
		Measure{"backward_percent", "backward, %", "share of the true cube's motion in which the drawn one, its delay taken away, goes against it", 100 * shape.Backward, known, 2, Lower},
		Measure{"speed_modulation_m_per_s", "speed wobble, m/s", "difference of the drawn cube's speed from the true one's between 1 and 6 Hz, where it is seen best, its delay taken away, root mean square", shape.SpeedModulation, known, 3, Lower},
		Measure{"stops", "stops", "times that the true cube came to rest", float64(stops), true, 0, Neither},
		Measure{"overshoot_m", "overshoot, m", "how far the drawn cube was beyond the true one, along its way, at most, when that had stopped", overshoot, stopped, 3, Lower},
		Measure{"settle_mean_ms", "settling, ms", "time from a stop of the true cube until the drawn one is within 2 cm of it for good, mean of all stops", milli(settle), stopped, 1, Lower},
		Measure{"settle_max_ms", "longest settling, ms", "the longest of those times", milli(float64(settleMost)), stopped, 1, Lower},
		Measure{"freeze_percent", "frozen, %", "share of ticks in which the drawn cube stands while the true one is under way", 100 * c.Frozen(), true, 2, Lower},
		Measure{"freezes", "freezes", "runs of such ticks that last 1/20 s or more", float64(freezes), true, 0, Lower},
		Measure{"longest_freeze_ms", "longest freeze, ms", "how long the longest of those runs lasts", milli(float64(longest)), true, 1, Lower},
		Measure{"jerk_ratio", "jerk, by the truth's", "RMS jerk of the drawn cube by that of the true one: 1 is as smooth, more is rougher", jerk, jerks, 2, NearOne},
		Measure{"jerk_ratio_all", "jerk, all bodies", "RMS jerk of all drawn bodies by that of the true ones: 1 is as smooth, more is rougher", jerkAll, jerksAll, 2, NearOne},
		Measure{"spectral_arc_length", "spectral arc", "length of the spectrum of the drawn cube's speed, negative: nearer to 0 is smoother; read it beside the truth's", arc, arcs, 2, NearZero},
		Measure{"spectral_arc_length_server", "true spectral arc", "length of the spectrum of the true cube's speed, negative: nearer to 0 is smoother", arcTrue, arcsTrue, 2, Neither},
		Measure{"floor_penetration_max_m", "in the floor, m", "the deepest that any drawn body reached below the ground; read it beside the truth's", deepest, true, 3, Lower},
		Measure{"floor_penetration_bodies", "in the floor, bodies", "drawn bodies more than 2 cm below the ground, mean over ticks", under, true, 2, Lower},
		Measure{"floor_penetration_server_max_m", "true in the floor, m", "the deepest that any true body reached below the ground: its contacts are soft", deepestTrue, true, 3, Neither},
		Measure{"floor_penetration_server_bodies", "true in the floor, bodies", "true bodies more than 2 cm below the ground, mean over ticks", underTrue, true, 2, Neither},
		Measure{"overlap_max_m", "in each other, m", "the deepest that a drawn body was seen in another; read it beside the truth's", inside, true, 3, Lower},
		Measure{"overlap_pairs", "in each other, pairs", "pairs of drawn bodies more than 2 cm in each other, mean over ticks, from two bodies a tick in turn", pairs, true, 2, Lower},
		Measure{"overlap_server_max_m", "true in each other, m", "the deepest that a true body was seen in another: its contacts are soft", insideTrue, true, 3, Neither},
		Measure{"overlap_server_pairs", "true in each other, pairs", "pairs of true bodies more than 2 cm in each other, mean over ticks, from two bodies a tick in turn", pairsTrue, true, 2, Neither},
		Measure{"overlap_player_max_m", "own cube in others, m", "the deepest that the player's drawn cube was in another body; read it beside the truth's", own, true, 3, Lower},
		Measure{"overlap_player_bodies", "own cube in others, bodies", "drawn bodies that the player's was in by more than 2 cm, mean over ticks", ownPairs, true, 2, Lower},
		Measure{"overlap_player_server_max_m", "true cube in others, m", "the deepest that the player's true cube was in another body", ownTrue, true, 3, Neither},
		Measure{"overlap_player_server_bodies", "true cube in others, bodies", "true bodies that the player's was in by more than 2 cm, mean over ticks", ownPairsTrue, true, 2, Neither},
		Measure{"ground_clearance_mean_m", "above the ground, m", "how high the lowest corner of the player's drawn cube was above the ground, mean; read it beside the truth's: what is climbed instead of pushed lifts it", lifted, true, 3, Neither},
		Measure{"ground_clearance_max_m", "above the ground, max, m", "the most of that", highest, true, 3, Neither},
		Measure{"ground_clearance_server_mean_m", "true above the ground, m", "how high the lowest corner of the player's true cube was above the ground, mean", liftedTrue, true, 3, Neither},
		Measure{"ground_clearance_server_max_m", "true above the ground, max, m", "the most of that", highestTrue, true, 3, Neither},
		Measure{"joint_separation_rms_m", "joints apart, RMS, m", "how far the two ends of a joint are drawn apart, RMS over all joints and ticks", loose, jointed, 5, Lower},
		Measure{"joint_separation_max_m", "joints apart, max, m", "the most of that", loosest, jointed, 4, Lower},
		Measure{"joint_separation_server_max_m", "true joints apart, max, m", "the farthest that the two ends of a true joint were apart", looseTrue, jointed, 4, Neither},
		Measure{"updates_per_second", "updates per second", "ticks in which a body as last received from the server changed; none where nothing moves", float64(updates) * rate / ticks, updated && any, 1, Neither},
		Measure{"longest_update_gap_ms", "longest update gap, ms", "the longest time from one of those ticks to the next", milli(float64(gap)), updated && any, 1, Lower},
		Measure{"nominal_delay_mean_ms", "age of the picture, ms", "how far the tick that the picture claims to show is behind the server's, mean; below 0: ahead of it", milli(age), any, 1, NearZero},
		Measure{"nominal_delay_max_ms", "oldest picture, ms", "the most of that", milli(float64(oldest)), any, 1, NearZero},
	)
	return c.parentMeasures(c.jointMeasures(dst))
}
