package hud

import (
	"slices"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/stage"
)

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
func (d footerDrawer) legendEntries(list []legendEntry) []legendEntry {
	show := &d.settings
	switch show.Coloring {
	case stage.ByPriority:
		list = append(list, legendEntry{ramp: true, label: "priority 1", rampEnd: "1,000,000"})
	case stage.ByAge:
		list = append(list, legendEntry{ramp: true, label: "age 0", rampEnd: d.texts.int(stage.MaxAgeSeconds).add(" s").end()})
		if d.anyInspection(func(l *predict.Inspection) bool { return len(l.Encoding) > 0 }) {
			list = append(list, legendEntry{color: stage.UnknownColor, label: encodingNames[predict.NeverReceived]})
		}
	case stage.ByUpdateRate:
		list = append(list, legendEntry{ramp: true, label: d.texts.add("an update in ").int(stage.MaxInterval).add(" ticks").end(), rampEnd: "in each tick"})
	case stage.ByBits:
		list = append(list, legendEntry{ramp: true, label: d.texts.add("at most ").int(stage.MinBodyBits).add(" bit/s").end(),
			rampEnd: d.texts.int(stage.MaxBodyBits / 1000).add(" kbit/s").end()}, legendEntry{color: stage.UnknownColor, label: "no bits"})
	case stage.ByEncoding:
		for _, c := range []predict.Encoding{predict.Absolute, predict.RelativeToPlayer, predict.DeltaEncoded, predict.NeverReceived} {
			list = append(list, legendEntry{color: stage.EncodingColors[c], label: encodingNames[c]})
		}
	case stage.ByJointDepth:
		deepest := d.texts.int(stage.MaxJointDepth).add(" or more").end()
		list = append(list, legendEntry{color: stage.RootColor, label: "root"}, legendEntry{ramp: true, label: "joint depth 1", rampEnd: deepest},
			legendEntry{color: stage.UnownedColor, label: "no joints"})
	case stage.ByPrediction:
		list = append(list, legendEntry{color: stage.PredictedColor, label: "predicted"}, legendEntry{color: stage.InterpolatedColor, label: "interpolated"})
	case stage.ByPathError:
		list = append(list, legendEntry{stops: errorStops[:], label: "path error"}, legendEntry{color: stage.UnknownColor, label: "not compared yet"})
	case stage.ByAuthority:
		for i := range min(d.l.Players(), len(stage.PlayerColors)) {
			list = append(list, legendEntry{color: stage.PlayerColors[i], label: d.texts.add("player ").int(i + 1).end()})
		}
		list = append(list, legendEntry{color: stage.UnownedColor, label: "unowned"})
	}
	if show.Simulated {
		list = append(list, legendEntry{color: stage.SimulatedColor, outline: true, label: "simulated"})
	}
	if show.Parents && d.anyInspection(func(l *predict.Inspection) bool { return len(l.ParentBoxes) > 0 }) {
		list = append(list, legendEntry{color: stage.ParentColor, outline: true, label: "parent"},
			legendEntry{color: stage.CandidateColor, outline: true, label: "parent candidate"})
	}
	if show.Joints && d.anyInspection(func(l *predict.Inspection) bool { return len(l.JointDepth) > 0 }) {
		list = append(list, legendEntry{color: stage.RootColor, outline: true, label: "root"})
	}
	if show.Joints {
		list = append(list, legendEntry{color: stage.OpenJointColor, label: "open joint"})
	}
	if show.Shots && d.anyView(func(v *predict.View) bool { return len(v.Effects) > 0 }) {
		list = append(list, legendEntry{color: stage.TimelineColors.Effects, outline: true, label: "an effect begun"})
	}
	if d.anyView(func(v *predict.View) bool { return len(v.Outside) > 0 }) {
		list = append(list, legendEntry{color: stage.UnknownColor, label: "outside the area of interest"})
	}
	if d.anyView(func(v *predict.View) bool { return len(v.Fallback) > 0 }) {
		list = append(list, legendEntry{color: stage.FallbackColor, label: d.fallbackLabel()})
	}
	return list
}

// fallbackLabel says what the color of bodies means that are not drawn as usual: remote ones that are predicted, or the
// player's cube that is not.
func (d footerDrawer) fallbackLabel() string {
	if d.anyView(func(v *predict.View) bool {
		for i, marked := range v.Fallback {
			if marked && i < len(v.Predicted) && v.Predicted[i] {
				return true
			}
		}
		return false
	}) {
		return "predicted as it is near"
	}
	return "prediction off"
}

// anyView reports whether what the client of any pane shows fulfils a condition.
func (d footerDrawer) anyView(condition func(*predict.View) bool) bool {
	return slices.ContainsFunc(d.l.Panes, func(p *lab.Pane) bool { return condition(&p.Clients[0].View) })
}

// anyInspection reports whether the inspection of any pane fulfils a condition.
func (d footerDrawer) anyInspection(condition func(*predict.Inspection) bool) bool {
	return slices.ContainsFunc(d.hud.panes, func(p *pane) bool { return condition(p.inspection) })
}

// Size of a ramp in the legend.
const (
	rampWidth = 110 // pixels at scale 1
	rampSteps = 55  // rectangles of one colour

	rampPartWidth = 33 // pixels at scale 1, between two stops
	rampPartSteps = 11 // rectangles of one colour between two stops
)

// legendEntryWidth returns the width of an entry.
func (d footerDrawer) legendEntryWidth(e *legendEntry, f render.Font) float32 {
	w := d.px(11) + d.px(6) + f.Width(e.label)
	if e.ramp {
		w = f.Width(e.label) + d.px(rampWidth) + 2*d.px(6) + f.Width(e.rampEnd)
	}
	if len(e.stops) > 0 {
		w = f.Width(e.label) + float32(len(e.stops)-1)*(d.px(rampPartWidth)+d.px(5))
		for _, s := range e.stops {
			w += d.px(5) + f.Width(s)
		}
	}
	return w
}

// drawLegendEntry draws an entry at x in a strip at y of height h.
func (d footerDrawer) drawLegendEntry(e *legendEntry, f render.Font, x, y, h float32) {
	base, box := baseline(f, y, h), d.px(11)
	top := y + (h-box)*0.5
	switch {
	case len(e.stops) > 0:
		d.drawErrorRamp(e, f, x, base, top, box)
		return
	case e.ramp:
		x += d.Text(x, base, f, stage.DimTextColor, e.label) + d.px(6)
		w := d.px(rampWidth)
		d.drawRamp(x, top, w, box, rampSteps, stage.RampColor)
		d.Text(x+w+d.px(6), base, f, stage.DimTextColor, e.rampEnd)
		return
	case e.outline:
		d.Border(x, top, box, box, max(d.px(1.6), 1), e.color)
	default:
		d.Rect(x, top, box, box, e.color)
	}
	d.Text(x+box+d.px(6), base, f, stage.DimTextColor, e.label)
}

// drawRamp draws steps of the colours from share 0 to 1 into a rectangle.
func (d footerDrawer) drawRamp(x, y, w, h float32, steps int, color func(share float32) render.Color) {
	for i := range steps {
		from, to := whole(w*float32(i)/float32(steps)), whole(w*float32(i+1)/float32(steps))
		d.Rect(x+from, y, to-from, h, color(float32(i)/float32(steps-1)))
	}
}

// drawErrorRamp draws the ramp of path errors in parts with the labels of its stops between them.
func (d footerDrawer) drawErrorRamp(e *legendEntry, f render.Font, x, base, top, box float32) {
	x += d.Text(x, base, f, stage.DimTextColor, e.label)
	part := d.px(rampPartWidth)
	for k, stop := range e.stops {
		x += d.px(5)
		x += d.Text(x, base, f, stage.DimTextColor, stop)
		if k == len(e.stops)-1 {
			return
		}
		x += d.px(5)
		d.drawRamp(x, top, part, box, rampPartSteps, func(share float32) render.Color {
			return stage.MixRamp(stage.ErrorRamp[:], (float32(k)+share)/float32(len(e.stops)-1))
		})
		x += part
	}
}

// encodingNames are the labels of the legend.
var encodingNames = [...]string{
	predict.NeverReceived: "never received", predict.Absolute: "absolute", predict.RelativeToPlayer: "relative to player", predict.DeltaEncoded: "delta",
}

// errorStops are the labels of the stops of the ramp of path errors; between two of them lies one of its parts.
var errorStops = [...]string{"0", "1 cm", "10 cm", "1 m"}

// missingText names the data that the settings show and the pane's strategy does not have; empty if it has all.
func (p *pane) missingText(show *stage.Settings, t *texts) string {
	l := p.inspection
	lacks := func(missing bool, noun string) {
		if missing && len(t.b) == 0 {
			t.add("has no ").add(noun)
		} else if missing {
			t.add(", no ").add(noun)
		}
	}
	lacks(show.Coloring == stage.ByPriority && len(l.Priority) == 0, "priorities")
	lacks(show.Coloring == stage.ByEncoding && len(l.Encoding) == 0, "encodings")
	lacks(show.Coloring == stage.ByJointDepth && len(l.JointDepth) == 0, "joint depth")
	lacks(show.Coloring == stage.ByUpdateRate && len(l.Interval) == 0, "update rates")
	lacks(show.Coloring == stage.ByBits && len(l.BodyBits) == 0, "bits by body")
	lacks(show.Coloring == stage.ByPrediction && len(p.source.Clients[0].View.Predicted) == 0, "predicted and interpolated bodies")
	lacks((show.Coloring == stage.ByAge || show.Ages) && len(l.Age) == 0, "ages")
	lacks(show.Parents && len(l.ParentBoxes) == 0, "parents")
	lacks(show.Packet && l.Packet.BudgetBits == 0 && l.Packet.Parts.Bits() == 0, "packet budget")
	lacks(show.Slots && len(l.InputBuffer.Slots) == 0 && len(l.Buffers) == 0, "buffers")
	lacks(show.Latency && p.source.Latency.Recent().Response.Inputs == 0, "latency")
	return t.end()
}

// appendShotLegend appends the colours of shots to the legend while one is shown.
func (d footerDrawer) appendShotLegend(list []legendEntry) []legendEntry {
	now, rate := int64(d.l.Ticks())-1, d.l.Config().Rate
	for _, p := range d.l.Panes {
		if n := p.Shots.Total(); d.settings.Shots && n > 0 {
			x := p.Shots.At(n - 1)
			if _, ok := stage.ShotAgeFraction(now-int64(max(x.FiredTick, x.ResolvedTick)), rate); ok {
				return append(list, legendEntry{color: stage.HitColor, label: "hit"}, legendEntry{color: stage.MissColor, label: "miss"},
					legendEntry{color: stage.UnrewoundColor, label: "not rewound"})
			}
		}
	}
	return list
}
