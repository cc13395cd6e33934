package stage

import (
	"math/bits"
	"strconv"

	"ghostcube/predict"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Coloring says what the colours of bodies mean.
type Coloring uint8

// The colourings.
const (
	NoColoring   Coloring = iota
	ByPriority            // accumulated at the server since the body was last sent
	ByAge                 // of the newest state of the body that the client has received
	ByEncoding            // of that state
	ByAuthority           // the player who owns the body
	ByJointDepth          // joints between the body and the root of its joint tree
)

// colorings are, for each Coloring, its name in show commands and what the colours then mean.
var colorings = [...]struct{ name, meaning string }{
	NoColoring:   {"off", "player"},
	ByPriority:   {"priority", "accumulated priority"},
	ByAge:        {"age", "snapshot age"},
	ByEncoding:   {"encoding", "snapshot encoding"},
	ByAuthority:  {"authority", "authority"},
	ByJointDepth: {"joint-depth", "joint depth"},
}

// ColoringNames are the names of all colourings; the index is the Coloring.
var ColoringNames = func() (names []string) {
	for _, c := range colorings {
		names = append(names, c.name)
	}
	return names
}()

// String returns the name of the colouring in show commands.
func (c Coloring) String() string { return colorings[c].name }

// Meaning returns what the colours of bodies mean, in words.
func (c Coloring) Meaning() string { return colorings[c].meaning }

// colorRamp are the colours from little to much. They get lighter all the way, so that
// they can be told apart by whoever sees few colours, or none.
var colorRamp = [...]render.Color{
	{R: 82, G: 36, B: 126, A: 255}, {R: 64, G: 84, B: 168, A: 255}, {R: 32, G: 128, B: 160, A: 255},
	{R: 44, G: 172, B: 116, A: 255}, {R: 156, G: 212, B: 60, A: 255}, {R: 253, G: 234, B: 62, A: 255},
}

// rampColor is the colour at a share of the ramp, in [0,1].
func rampColor(share float32) render.Color {
	x := float32(geom.Clamp(share, 0, 1) * (float32(len(colorRamp)) - 1))
	i := min(int(x), len(colorRamp)-2)
	return colorRamp[i].Mix(colorRamp[i+1], x-float32(i))
}

// Colours of classes, after Okabe and Ito (2008), with a darker blue and a purer green:
// whoever sees few colours can tell them apart, and from the ground (TestTellable).
var (
	orange             = render.Color{R: 230, G: 159, B: 0, A: 255}
	vermilion          = render.Color{R: 213, G: 94, B: 0, A: 255}
	blue               = render.Color{R: 0, G: 84, B: 170, A: 255}
	green              = render.Color{R: 0, G: 150, B: 95, A: 255}
	yellow             = render.Color{R: 240, G: 228, B: 66, A: 255}
	neverReceivedColor = render.Color{R: 62, G: 62, B: 66, A: 255}

	encodingColors = [...]render.Color{predict.NeverReceived: neverReceivedColor, predict.Absolute: orange, predict.RelativeToPlayer: blue, predict.DeltaEncoded: green}
	ownerColors    = [4]render.Color{vermilion, blue, green, yellow}
)

var encodingNames = [...]string{
	predict.NeverReceived: "not told yet", predict.Absolute: "absolute", predict.RelativeToPlayer: "relative to the player", predict.DeltaEncoded: "to an earlier state",
}

// rootColor is that of roots. Bodies that hang on them have the ramp's, up to linksMost
// joints away.
var rootColor = vermilion

const maxJointDepth = 8

const (
	maxPriority   = 1_000_000 // at the ramp's end
	maxAgeSeconds = 2         // seconds at the ramp's end
)

// log2 is that of n to base 2, exact for powers of 2 and with straight lines
// between them; n is at least 1.
func log2(n int64) float32 {
	whole := bits.Len64(uint64(n)) - 1
	return float32(whole) + float32(float64(n)/float64(int64(1)<<whole)) - 1
}

// priorityFraction is how far up the ramp a priority is: equal factors are equal ways.
func priorityFraction(n int64) float32 {
	return min(log2(max(n, 1))/log2(maxPriority), 1)
}

// ageFraction is how far up the ramp an age in ticks is: the root of it, so that the
// young, of which there are most, can be told apart.
func ageFraction(ticks, rate int) float32 {
	return min(geom.Sqrt(float32(ticks)/float32(maxAgeSeconds*rate)), 1)
}

// bodyColor is the colour of body i by a tint. ok is false where that is not told.
func (p *pane) bodyColor(by Coloring, side Side, i int) (c render.Color, ok bool) {
	l := &p.inspection
	switch by {
	case ByPriority:
		if i < len(l.Priority) {
			return rampColor(priorityFraction(l.Priority[i])), true
		}
	case ByAge:
		if i < len(l.Encoding) && l.Encoding[i] == predict.NeverReceived {
			return neverReceivedColor, true
		}
		if i < len(l.Age) {
			return rampColor(ageFraction(int(l.Age[i]), p.source.ServerWorld.Rate())), true
		}
	case ByEncoding:
		if i < len(l.Encoding) {
			return encodingColors[l.Encoding[i]], true
		}
	case ByJointDepth:
		if i < len(l.JointDepth) {
			return jointDepthColor(int(l.JointDepth[i])), true
		}
	case ByAuthority:
		if o := p.owner(side, i); o != sim.NoPlayer {
			return ownerColors[o], true
		}
		return UnownedColor, true
	}
	return c, false
}

// jointDepthColor is the colour of a body that is so many joints from the root of its tree, 0 for
// the root and -1 for what is in none.
func jointDepthColor(joints int) render.Color {
	switch {
	case joints < 0:
		return UnownedColor
	case joints == 0:
		return rootColor
	}
	return rampColor(float32(joints-1) / (maxJointDepth - 1))
}

// owner is whose a body is, as a side of the pane knows. What the client does not
// know is as the server knows it.
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

// missingText says what of that which is asked for the pane's strategy does not
// tell; empty if it tells all.
func (p *pane) missingText(show *Settings) string {
	l, s := &p.inspection, ""
	lacks := func(asked bool, what string) {
		if asked && s == "" {
			s = "has no " + what
		} else if asked {
			s += ", no " + what
		}
	}
	lacks(show.Coloring == ByPriority && len(l.Priority) == 0, "priorities")
	lacks(show.Coloring == ByEncoding && len(l.Encoding) == 0, "encodings")
	lacks(show.Coloring == ByJointDepth && len(l.JointDepth) == 0, "joint depths")
	lacks((show.Coloring == ByAge || show.Ages) && len(l.Age) == 0, "ages")
	lacks(show.Parents && len(l.ParentBoxes) == 0, "parents")
	lacks(show.Packet && l.Packet.BudgetBits == 0 && l.Packet.Parts.Bits() == 0, "budget")
	own := p.source.Latency().Response
	lacks(show.Latency && own.Inputs == 0, "latency")
	return s
}

// legendEntry is a part of the legend: a square or a ramp, and words.
type legendEntry struct {
	color   render.Color
	ramp    bool
	outline bool
	label   string // before the ramp; behind the square
	rampEnd string // behind the ramp
}

// legendEntries is what the colours of the bodies mean.
func (d *overlay) legendEntries() (list []legendEntry) {
	show := &d.settings
	switch show.Coloring {
	case ByPriority:
		list = append(list, legendEntry{ramp: true, label: "priority 1", rampEnd: "1,000,000"})
	case ByAge:
		list = append(list, legendEntry{ramp: true, label: "last word 0", rampEnd: strconv.Itoa(maxAgeSeconds) + " s old"})
		if d.anyInspection(func(l *predict.Inspection) bool { return len(l.Encoding) > 0 }) {
			list = append(list, legendEntry{color: neverReceivedColor, label: encodingNames[predict.NeverReceived]})
		}
	case ByEncoding:
		for _, c := range []predict.Encoding{predict.Absolute, predict.RelativeToPlayer, predict.DeltaEncoded, predict.NeverReceived} {
			list = append(list, legendEntry{color: encodingColors[c], label: encodingNames[c]})
		}
	case ByJointDepth:
		list = append(list, legendEntry{color: rootColor, label: "root"}, legendEntry{ramp: true, label: "joints to it 1", rampEnd: strconv.Itoa(maxJointDepth) + " or more"}, legendEntry{color: UnownedColor, label: "by itself"})
	case ByAuthority:
		for i := range min(d.l.Players(), len(ownerColors)) {
			list = append(list, legendEntry{color: ownerColors[i], label: "player " + strconv.Itoa(i+1) + "'s"})
		}
		list = append(list, legendEntry{color: UnownedColor, label: "nobody's"})
	}
	if show.Simulated {
		list = append(list, legendEntry{color: SimulatedColor, outline: true, label: "simulated"})
	}
	if show.Parents && d.anyParentBoxes() {
		list = append(list, legendEntry{color: parentColor, outline: true, label: "parent"}, legendEntry{color: candidateColor, outline: true, label: "may become it"})
	}
	for _, p := range d.l.Panes {
		if len(p.Clients[0].View.Fallback) > 0 {
			return append(list, legendEntry{color: FallbackColor, label: "switched"})
		}
	}
	return list
}

// anyInspection reports whether any pane's strategy tells something.
func (d *overlay) anyInspection(what func(*predict.Inspection) bool) bool {
	for _, p := range d.stage.panes {
		if what(&p.inspection) {
			return true
		}
	}
	return false
}

// rampWidth is how wide a ramp is drawn, and rampSteps of how many pieces.
const (
	rampWidth = 110
	rampSteps = 55
)

// legendEntryWidth is how wide an entry of the legend is.
func (d *overlay) legendEntryWidth(e *legendEntry, f render.Font) float32 {
	w := d.px(11) + d.px(6) + f.Width(e.label)
	if e.ramp {
		w = f.Width(e.label) + d.px(rampWidth) + 2*d.px(6) + f.Width(e.rampEnd)
	}
	return w
}

// drawLegendEntry draws an entry of the legend in a strip.
func (d *overlay) drawLegendEntry(e *legendEntry, f render.Font, x, y, h float32) {
	base, box := baseline(f, y, h), d.px(11)
	top := y + float32((h-box)*0.5)
	switch {
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
