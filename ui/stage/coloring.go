package stage

import (
	"math/bits"

	"ghostcube/predict"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Coloring says what the colours of bodies mean.
type Coloring uint8

// The colourings.
const (
	noColoring   Coloring = iota
	byPriority            // accumulated at the server since the body was last sent
	byAge                 // of the newest state of the body that the client has received
	byEncoding            // of that state
	byAuthority           // the player who owns the body
	byJointDepth          // joints between the body and the root of its joint tree
	byUpdateRate          // at which the server sends the body, in its area of interest
	byPrediction          // whether the client predicts the body or interpolates it
	byPathError           // distance to the server's body at the moment that the view claims
)

// colorings are, for each Coloring, its name in show commands and what the colours then mean.
var colorings = [...]struct{ name, meaning string }{
	noColoring:   {"off", "player"},
	byPriority:   {"priority", "accumulated priority"},
	byAge:        {"age", "snapshot age"},
	byEncoding:   {"encoding", "snapshot encoding"},
	byAuthority:  {"authority", "authority"},
	byJointDepth: {"joint-depth", "joint depth"},
	byUpdateRate: {"rate", "update rate"},
	byPrediction: {"prediction", "predicted or interpolated"},
	byPathError:  {"path-error", "path error"},
}

// coloringNames are the names of all colourings; the index is the Coloring.
var coloringNames = func() (names []string) {
	for _, c := range colorings {
		names = append(names, c.name)
	}
	return names
}()

// String returns the name of the colouring in show commands.
func (c Coloring) String() string { return colorings[c].name }

// Meaning returns what the colours of bodies mean, in words.
func (c Coloring) Meaning() string { return colorings[c].meaning }

// rampColor returns the colour at a share of the ramp in [0, 1].
func rampColor(share float32) render.Color { return mixRamp(colorRamp[:], share) }

// mixRamp returns the colour at a share in [0, 1] of a ramp of equidistant colours.
func mixRamp(ramp []render.Color, share float32) render.Color {
	x := float32(geom.Clamp(share, 0, 1) * (float32(len(ramp)) - 1))
	i := min(int(x), len(ramp)-2)
	return ramp[i].Mix(ramp[i+1], x-float32(i))
}

// encodingNames are the labels of the legend.
var encodingNames = [...]string{
	predict.NeverReceived: "never received", predict.Absolute: "absolute", predict.RelativeToPlayer: "relative to player", predict.DeltaEncoded: "delta",
}

// Values at the end of the ramp.
const (
	maxJointDepth = 8         // joints
	maxPriority   = 1_000_000 // accumulated
	maxAgeSeconds = 2         // seconds
	maxInterval   = 256       // ticks from one update to the next
)

// log2 approximates the logarithm of n, at least 1, to base 2: exact for powers of 2, linear between them.
func log2(n int64) float32 {
	whole := bits.Len64(uint64(n)) - 1
	return float32(whole) + float32(float64(n)/float64(int64(1)<<whole)) - 1
}

// priorityFraction returns the share of the ramp for a priority, on a logarithmic scale.
func priorityFraction(n int64) float32 {
	return min(log2(max(n, 1))/log2(maxPriority), 1)
}

// ageFraction returns the share of the ramp for an age in ticks. It grows with the square root of the age,
// because most bodies are young.
func ageFraction(ticks, rate int) float32 {
	return min(geom.Sqrt(float32(ticks)/float32(maxAgeSeconds*rate)), 1)
}

// rateFraction returns the share of the ramp for a number of ticks from one update to the next, on a
// logarithmic scale: 1 for an update in each tick.
func rateFraction(ticks int) float32 { return 1 - min(log2(int64(max(ticks, 1)))/log2(maxInterval), 1) }

// bodyColor returns the colour of body i by a colouring. ok is false if the strategy lacks the data.
func (p *pane) bodyColor(by Coloring, side Side, i int) (c render.Color, ok bool) {
	l := &p.inspection
	switch by {
	case byPriority:
		if i < len(l.Priority) {
			return rampColor(priorityFraction(l.Priority[i])), true
		}
	case byAge:
		if i < len(l.Encoding) && l.Encoding[i] == predict.NeverReceived {
			return unknownColor, true
		}
		if i < len(l.Age) {
			return rampColor(ageFraction(int(l.Age[i]), p.source.ServerWorld.Rate())), true
		}
	case byUpdateRate:
		if i < len(l.Interval) && l.Interval[i] == 0 {
			return unknownColor, true
		}
		if i < len(l.Interval) {
			return rampColor(rateFraction(int(l.Interval[i]))), true
		}
	case byEncoding:
		if i < len(l.Encoding) {
			return encodingColors[l.Encoding[i]], true
		}
	case byJointDepth:
		if i < len(l.JointDepth) {
			return jointDepthColor(int(l.JointDepth[i])), true
		}
	case byPrediction:
		if predicted := p.source.Clients[0].View.Predicted; side != ServerSide && i < len(predicted) {
			if predicted[i] {
				return predictedColor, true
			}
			return interpolatedColor, true
		}
	case byPathError:
		if side != ServerSide && i < len(p.bodyErrors.metres) {
			return errorColor(p.bodyErrors.metres[i]), true
		}
	case byAuthority:
		if player := p.owner(side, i); player != sim.NoPlayer {
			return playerColors[player], true
		}
		return unownedColor, true
	}
	return c, false
}

// jointDepthColor returns the colour of a body by the number of joints to the root of its tree; -1 is a body
// without joints.
func jointDepthColor(joints int) render.Color {
	switch {
	case joints < 0:
		return unownedColor
	case joints == 0:
		return rootColor
	}
	return rampColor(float32(joints-1) / (maxJointDepth - 1))
}

// owner returns the owner of body i as a side of the pane knows it. A client that does not know shows what
// the server knows.
func (p *pane) owner(side Side, i int) int8 {
	if side != ServerSide {
		if i < len(p.inspection.Owner) {
			return p.inspection.Owner[i]
		}
		if known := p.source.Clients[0].View.TouchedBy; i < len(known) {
			return known[i]
		}
	}
	return p.source.ServerWorld.Owners()[i]
}

// missingText names the data that the settings show and the pane's strategy does not have; empty if it has all.
func (p *pane) missingText(show *Settings, t *texts) string {
	l := &p.inspection
	lacks := func(missing bool, noun string) {
		if missing && len(t.b) == 0 {
			t.add("has no ").add(noun)
		} else if missing {
			t.add(", no ").add(noun)
		}
	}
	lacks(show.Coloring == byPriority && len(l.Priority) == 0, "priorities")
	lacks(show.Coloring == byEncoding && len(l.Encoding) == 0, "encodings")
	lacks(show.Coloring == byJointDepth && len(l.JointDepth) == 0, "joint depth")
	lacks(show.Coloring == byUpdateRate && len(l.Interval) == 0, "update rates")
	lacks(show.Coloring == byPrediction && len(p.source.Clients[0].View.Predicted) == 0, "predicted and interpolated bodies")
	lacks((show.Coloring == byAge || show.Ages) && len(l.Age) == 0, "ages")
	lacks(show.Parents && len(l.ParentBoxes) == 0, "parents")
	lacks(show.Packet && l.Packet.BudgetBits == 0 && l.Packet.Parts.Bits() == 0, "packet budget")
	lacks(show.Slots && len(l.InputBuffer.Slots) == 0 && len(l.Buffers) == 0, "buffers")
	lacks(show.Latency && p.source.Latency.Recent().Response.Inputs == 0, "latency")
	return t.end()
}

// legendEntry is an entry of the legend: a square or a ramp with its label.
type legendEntry struct {
	color   render.Color
	ramp    bool
	stops   []string // labels between the parts of the ramp of path errors
	outline bool
	label   string // left of a ramp, right of a square
	rampEnd string // right of a ramp
}

// legendEntries appends entries that explain the colours of bodies, outlines and boxes, to list.
func (d *overlay) legendEntries(list []legendEntry) []legendEntry {
	show := &d.settings
	switch show.Coloring {
	case byPriority:
		list = append(list, legendEntry{ramp: true, label: "priority 1", rampEnd: "1,000,000"})
	case byAge:
		list = append(list, legendEntry{ramp: true, label: "age 0", rampEnd: d.texts.int(maxAgeSeconds).add(" s").end()})
		if d.anyInspection(func(l *predict.Inspection) bool { return len(l.Encoding) > 0 }) {
			list = append(list, legendEntry{color: unknownColor, label: encodingNames[predict.NeverReceived]})
		}
	case byUpdateRate:
		list = append(list, legendEntry{ramp: true, label: d.texts.add("an update in ").int(maxInterval).add(" ticks").end(), rampEnd: "in each tick"})
	case byEncoding:
		for _, c := range []predict.Encoding{predict.Absolute, predict.RelativeToPlayer, predict.DeltaEncoded, predict.NeverReceived} {
			list = append(list, legendEntry{color: encodingColors[c], label: encodingNames[c]})
		}
	case byJointDepth:
		list = append(list, legendEntry{color: rootColor, label: "root"}, legendEntry{ramp: true, label: "joint depth 1", rampEnd: d.texts.int(maxJointDepth).add(" or more").end()}, legendEntry{color: unownedColor, label: "no joints"})
	case byPrediction:
		list = append(list, legendEntry{color: predictedColor, label: "predicted"}, legendEntry{color: interpolatedColor, label: "interpolated"})
	case byPathError:
		list = append(list, legendEntry{stops: errorStops[:], label: "path error"}, legendEntry{color: unknownColor, label: "not compared yet"})
	case byAuthority:
		for i := range min(d.l.Players(), len(playerColors)) {
			list = append(list, legendEntry{color: playerColors[i], label: d.texts.add("player ").int(i + 1).end()})
		}
		list = append(list, legendEntry{color: unownedColor, label: "unowned"})
	}
	if show.Simulated {
		list = append(list, legendEntry{color: simulatedColor, outline: true, label: "simulated"})
	}
	if show.Parents && d.anyParentBoxes() {
		list = append(list, legendEntry{color: parentColor, outline: true, label: "parent"}, legendEntry{color: candidateColor, outline: true, label: "parent candidate"})
	}
	if show.Joints && d.anyInspection(func(l *predict.Inspection) bool { return len(l.JointDepth) > 0 }) {
		list = append(list, legendEntry{color: rootColor, outline: true, label: "root"})
	}
	if show.Joints {
		list = append(list, legendEntry{color: openJointColor, label: "open joint"})
	}
	for _, p := range d.l.Panes {
		if len(p.Clients[0].View.Outside) > 0 {
			list = append(list, legendEntry{color: unknownColor, label: "outside the area of interest"})
			break
		}
	}
	for _, p := range d.l.Panes {
		if len(p.Clients[0].View.Fallback) > 0 {
			return append(list, legendEntry{color: fallbackColor, label: "prediction off"})
		}
	}
	return list
}

// anyInspection reports whether the inspection of any pane fulfils a condition.
func (d *overlay) anyInspection(condition func(*predict.Inspection) bool) bool {
	for _, p := range d.stage.panes {
		if condition(&p.inspection) {
			return true
		}
	}
	return false
}

// Size of a ramp in the legend.
const (
	rampWidth = 110 // pixels at scale 1
	rampSteps = 55  // rectangles of one colour

	rampPartWidth = 33 // pixels at scale 1, between two stops
	rampPartSteps = 11 // rectangles of one colour between two stops
)

// legendEntryWidth returns the width of an entry.
func (d *overlay) legendEntryWidth(e *legendEntry, f render.Font) float32 {
	w := d.px(11) + d.px(6) + f.Width(e.label)
	if e.ramp {
		w = f.Width(e.label) + d.px(rampWidth) + 2*d.px(6) + f.Width(e.rampEnd)
	}
	if len(e.stops) > 0 {
		w = f.Width(e.label) + float32(float32(len(e.stops)-1)*(d.px(rampPartWidth)+d.px(5)))
		for _, s := range e.stops {
			w += d.px(5) + f.Width(s)
		}
	}
	return w
}

// drawLegendEntry draws an entry at x in a strip at y of height h.
func (d *overlay) drawLegendEntry(e *legendEntry, f render.Font, x, y, h float32) {
	base, box := baseline(f, y, h), d.px(11)
	top := y + float32((h-box)*0.5)
	switch {
	case len(e.stops) > 0:
		d.drawErrorRamp(e, f, x, base, top, box)
		return
	case e.ramp:
		x += d.Text(x, base, f, dimTextColor, e.label) + d.px(6)
		w := d.px(rampWidth)
		for i := range rampSteps {
			from, to := float32(int(float32(w*float32(i))/rampSteps)), float32(int(float32(w*float32(i+1))/rampSteps))
			d.Rect(x+from, top, to-from, box, rampColor(float32(i)/(rampSteps-1)))
		}
		d.Text(x+w+d.px(6), base, f, dimTextColor, e.rampEnd)
		return
	case e.outline:
		d.Border(x, top, box, box, max(d.px(1.6), 1), e.color)
	default:
		d.Rect(x, top, box, box, e.color)
	}
	d.Text(x+box+d.px(6), base, f, dimTextColor, e.label)
}

// drawErrorRamp draws the ramp of path errors in parts with the labels of its stops between them.
func (d *overlay) drawErrorRamp(e *legendEntry, f render.Font, x, base, top, box float32) {
	x += d.Text(x, base, f, dimTextColor, e.label)
	part := d.px(rampPartWidth)
	for k, stop := range e.stops {
		x += d.px(5)
		x += d.Text(x, base, f, dimTextColor, stop)
		if k == len(e.stops)-1 {
			return
		}
		x += d.px(5)
		for i := range rampPartSteps {
			from, to := float32(int(float32(part*float32(i))/rampPartSteps)), float32(int(float32(part*float32(i+1))/rampPartSteps))
			share := (float32(k) + float32(i)/(rampPartSteps-1)) / float32(len(e.stops)-1)
			d.Rect(x+from, top, to-from, box, mixRamp(errorRamp[:], share))
		}
		x += part
	}
}
