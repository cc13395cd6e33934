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
	NoColoring   Coloring = iota
	ByPriority            // accumulated at the server since the body was last sent
	ByAge                 // of the newest state of the body that the client has received
	ByEncoding            // of that state
	ByAuthority           // the player who owns the body
	ByJointDepth          // joints between the body and the root of its joint tree
	ByUpdateRate          // at which the server sends the body, in its area of interest
	ByPrediction          // whether the client predicts the body or interpolates it
	ByBits                // that the body costs in packets to the client
	ByPathError           // distance to the server's body at the moment that the view claims
)

// colorings has the name of each Coloring in show commands, and what its colours mean.
var colorings = [...]struct{ name, meaning string }{
	NoColoring:   {"off", "player"},
	ByPriority:   {"priority", "accumulated priority"},
	ByAge:        {"age", "snapshot age"},
	ByEncoding:   {"encoding", "snapshot encoding"},
	ByAuthority:  {"authority", "authority"},
	ByJointDepth: {"joint-depth", "joint depth"},
	ByUpdateRate: {"rate", "update rate"},
	ByPrediction: {"prediction", "predicted or interpolated"},
	ByBits:       {"bits", "bits a second"},
	ByPathError:  {"path-error", "path error"},
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

// RampColor returns the colour at a share of the ramp in [0, 1].
func RampColor(share float32) render.Color { return MixRamp(colorRamp[:], share) }

// MixRamp returns the colour at a share in [0, 1] of a ramp of equidistant colours.
func MixRamp(ramp []render.Color, share float32) render.Color {
	x := float32(geom.Clamp(share, 0, 1) * (float32(len(ramp)) - 1))
	i := min(int(x), len(ramp)-2)
	return ramp[i].Mix(ramp[i+1], x-float32(i))
}

// Values at the end of the ramp.
const (
	MaxJointDepth = 8         // joints
	maxPriority   = 1_000_000 // accumulated
	MaxAgeSeconds = 2         // seconds
	MaxInterval   = 256       // ticks from one update to the next
	MinBodyBits   = 16        // bits per second
	MaxBodyBits   = 16_000    // bits per second
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

// AgeFraction returns the share of the ramp for an age in ticks. It grows with the square root of the age,
// because most bodies are young.
func AgeFraction(ticks, rate int) float32 {
	return min(geom.Sqrt(float32(ticks)/float32(MaxAgeSeconds*rate)), 1)
}

// rateFraction returns the share of the ramp for a number of ticks from one update to the next, on a
// logarithmic scale: 1 for an update in each tick.
func rateFraction(ticks int) float32 { return 1 - min(log2(int64(max(ticks, 1)))/log2(MaxInterval), 1) }

// bitsFraction returns the share of the ramp for the bits a second of a body, on a logarithmic scale.
func bitsFraction(bits float32) float32 {
	n := int64(min(max(bits, MinBodyBits), MaxBodyBits))
	return (log2(n) - log2(MinBodyBits)) / (log2(MaxBodyBits) - log2(MinBodyBits))
}

// bodyColor returns the colour of body i by a colouring. ok is false if the strategy lacks the data.
func (p *pane) bodyColor(by Coloring, side Side, i int) (c render.Color, ok bool) {
	l := &p.inspection
	switch by {
	case ByPriority:
		if i < len(l.Priority) {
			return RampColor(priorityFraction(l.Priority[i])), true
		}
	case ByAge:
		if i < len(l.Encoding) && l.Encoding[i] == predict.NeverReceived {
			return UnknownColor, true
		}
		if i < len(l.Age) {
			return RampColor(AgeFraction(int(l.Age[i]), p.source.ServerWorld.Rate())), true
		}
	case ByUpdateRate:
		if i < len(l.Interval) && l.Interval[i] == 0 {
			return UnknownColor, true
		}
		if i < len(l.Interval) {
			return RampColor(rateFraction(int(l.Interval[i]))), true
		}
	case ByBits:
		if i < len(l.BodyBits) && l.BodyBits[i] < 1 {
			return UnknownColor, true
		}
		if i < len(l.BodyBits) {
			return RampColor(bitsFraction(l.BodyBits[i])), true
		}
	case ByEncoding:
		if i < len(l.Encoding) {
			return EncodingColors[l.Encoding[i]], true
		}
	case ByJointDepth:
		if i < len(l.JointDepth) {
			return jointDepthColor(int(l.JointDepth[i])), true
		}
	case ByPrediction:
		if predicted := p.source.Clients[p.client].View.Predicted; side != ServerSide && i < len(predicted) {
			if predicted[i] {
				return PredictedColor, true
			}
			return InterpolatedColor, true
		}
	case ByPathError:
		if side != ServerSide && i < len(p.bodyErrors.metres) {
			return errorColor(p.bodyErrors.metres[i]), true
		}
	case ByAuthority:
		if player := p.owner(side, i); player != sim.NoPlayer {
			return PlayerColors[player], true
		}
		return UnownedColor, true
	}
	return c, false
}

// jointDepthColor returns the colour of a body by the number of joints to the root of its tree; -1 is a body
// without joints.
func jointDepthColor(joints int) render.Color {
	switch {
	case joints < 0:
		return UnownedColor
	case joints == 0:
		return RootColor
	}
	return RampColor(float32(joints-1) / (MaxJointDepth - 1))
}

// owner returns the owner of body i as a side of the pane knows it. A client that does not know shows what
// the server knows.
func (p *pane) owner(side Side, i int) int8 {
	if side != ServerSide {
		if i < len(p.inspection.Owner) {
			return p.inspection.Owner[i]
		}
		if known := p.source.Clients[p.client].View.TouchedBy; i < len(known) {
			return known[i]
		}
	}
	return p.source.ServerWorld.Owners()[i]
}
