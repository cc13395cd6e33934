package stage

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"strings"
	"testing"

	"ghostcube/predict"
	"ghostcube/render"
)

// namedColors returns all colours of palette.go by a short name of their meaning.
func namedColors() map[string]render.Color {
	t := &TimelineColors
	named := map[string]render.Color{
		"player 1": PlayerColors[0], "player 2": PlayerColors[1], "player 3": PlayerColors[2], "player 4": PlayerColors[3],
		"server": ServerColor, "received": ReceivedColor, "simulated": SimulatedColor, "unowned": UnownedColor, "static": staticColor, "carrier": carrierColor,
		"unknown": UnknownColor, "fallback": FallbackColor, "predicted": PredictedColor, "interpolated": InterpolatedColor, "root": RootColor,
		"absolute": EncodingColors[predict.Absolute], "relative": EncodingColors[predict.RelativeToPlayer], "delta": EncodingColors[predict.DeltaEncoded],
		"no error": ErrorRamp[0], "1 cm": ErrorRamp[1], "10 cm": ErrorRamp[2], "1 m": ErrorRamp[3],
		"low": colorRamp[0], "high": colorRamp[len(colorRamp)-1],
		"parent": ParentColor, "candidate": CandidateColor, "open joint": OpenJointColor,
		"hit": HitColor, "miss": MissColor, "unrewound": UnrewoundColor, "drag": DragColor, "callout": CalloutColor, "focus": FocusColor,
		"text": TextColor, "dim text": DimTextColor, "alert": AlertColor, "background": BackgroundColor, "empty": EmptyColor, "key": KeyDownColor,
		"gridline": GridlineColor, "event": EventColor, "curve": CurveColor, "explain": ExplainColor,
		"notice": NoticeColor, "best bar": BestBarColor, "best text": BestTextColor, "wide bar": WideBarColor, "bar": BarColor, "bar background": BarBackground,
		"header": HeaderColor, "input": InputColor, "update": UpdateColor, "index": IndexColor, "rotation": RotationColor,
		"snapshot": LaneColors[predict.Snapshots], "fragment": LaneColors[predict.Fragments], "messages": LaneColors[predict.Messages],
		"waiting": WaitingColor, "own": OwnInputColor, "missing": MissingColor, "repeated": RepeatedColor, "late": LateInputColor, "unmeasured": unmeasuredColor,
		"before": beforeColor, "notice background": NoticeBackground, "track": t.Track, "span": t.Span,
		"losses": t.Losses, "corrections": t.Corrections, "shots": t.Shots, "stalls": t.Stalls, "faults": t.Faults, "bookmarks": t.Bookmarks,
		"effects": t.Effects, "withdrawn": t.Withdrawn,
	}
	for i, c := range StageColors[1 : len(StageColors)-1] {
		named[fmt.Sprint("stage ", i+1)] = c
	}
	for i, c := range colorRamp[1 : len(colorRamp)-1] {
		named[fmt.Sprint("ramp ", i+1)] = c
	}
	return named
}

// TestPalette promises that no two meanings share a colour, and that colours that appear together differ from each
// other and from the ground, with normal colour vision and with each of the three deficiencies.
func TestPalette(t *testing.T) {
	named := namedColors()
	meaning := map[render.Color]string{}
	for name, c := range named {
		c.A = 255
		if other, taken := meaning[c]; taken {
			t.Errorf("%s and %s share the colour %v", name, other, c)
		}
		meaning[c] = name
	}
	named["ground"] = render.RGB(render.GroundColor[0], render.GroundColor[1], render.GroundColor[2])
	for _, set := range []struct {
		apart float64 // in CIELAB
		names string
	}{
		{20, "ground,player 1,player 2,player 3,player 4"},
		{20, "unowned,player 1,player 2,player 3,player 4"},
		{15, "server,received,simulated,ground,unowned,static,carrier,player 1,player 2"},
		{20, "ground,player 1,player 2,unowned,unknown,server"},
		{19, "fallback,player 1,player 2,unowned,unknown,server"},
		{20, "unknown,no error,1 cm,10 cm,1 m"}, {15, "ground,1 cm,10 cm,1 m"}, {19, "static,1 cm,10 cm,1 m"}, {19, "server,10 cm,1 m"},
		{20, "ground,root,low,high"}, {20, "unowned,root,low,high"},
		{19, "ground,predicted,interpolated,server,received"},
		{19, "ground,absolute,relative,delta,unknown,server"},
		{15, "ground,parent,candidate,player 1,server,received,unowned"},
		{19, "ground,hit,miss,unrewound,player 1,server"},
		{19, "ground,drag,unowned,player 1,server"},
		{19, "header,input,update,index,rotation,empty"},
		{17, "header,input,update,snapshot,fragment,messages,alert,background"},
		{19, "empty,own,missing,repeated,late,waiting"},
		{19, "best bar,bar,bar background"}, {17, "text,alert,explain,background"},
		{14, "unmeasured,stage 1,stage 2,stage 3,stage 4,stage 5,stage 6,stage 7"},
	} {
		names := strings.Split(set.names, ",")
		for eye, m := range map[string][9]float64{"normal": normalVision, "protanopia": protanopia, "deuteranopia": deuteranopia, "tritanopia": tritanopia} {
			for i, a := range names {
				for _, b := range names[:i] {
					if a == "static" && b == "ground" || a == "carrier" && b == "ground" || a == "unowned" && b == "ground" {
						continue // edges and shadow distinguish these
					}
					l1, a1, b1 := cielab(simulateVision(named[a], m))
					l2, a2, b2 := cielab(simulateVision(named[b], m))
					if d := math.Sqrt((l1-l2)*(l1-l2) + (a1-a2)*(a1-a2) + (b1-b2)*(b1-b2)); d < set.apart {
						t.Errorf("%s: %s and %s are %.0f apart, want %v", eye, a, b, d, set.apart)
					}
				}
			}
		}
	}
}

// Colour vision without one kind of cone, as matrices on linear RGB (Machado and others, 2009).
var (
	normalVision = [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	protanopia   = [9]float64{0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998}
	deuteranopia = [9]float64{0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881}
	tritanopia   = [9]float64{1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}
)

// simulateVision returns a colour as linear RGB through a matrix of colour vision.
func simulateVision(c render.Color, m [9]float64) (rgb [3]float64) {
	linear := func(u uint8) float64 { return math.Pow(float64(u)/255, 2.2) }
	in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	for i := range rgb {
		rgb[i] = min(max(m[3*i]*in[0]+m[3*i+1]*in[1]+m[3*i+2]*in[2], 0), 1)
	}
	return rgb
}

// cielab converts linear RGB to CIELAB.
func cielab(c [3]float64) (l, a, b float64) {
	f := func(x float64) float64 {
		if x > 0.008856 {
			return math.Cbrt(x)
		}
		return 7.787*x + 16./116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2])
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return 116*y - 16, 500 * (x - y), 200 * (y - z)
}

// TestEveryColorHasAMeaning promises that TestPalette knows each colour of palette.go.
func TestEveryColorHasAMeaning(t *testing.T) {
	known := map[string]bool{}
	for _, c := range namedColors() {
		known[fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)] = true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "palette.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	literals := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && len(lit.Elts) == 4 {
			var c [3]int
			for i, key := range []string{"R", "G", "B"} {
				pair, ok := lit.Elts[i].(*ast.KeyValueExpr)
				if !ok || fmt.Sprint(pair.Key) != key {
					return true
				}
				c[i], _ = strconv.Atoi(pair.Value.(*ast.BasicLit).Value)
			}
			literals++
			if hex := fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]); !known[hex] {
				t.Errorf("no meaning of %s", hex)
			}
		}
		return true
	})
	if literals < 60 {
		t.Errorf("palette.go has %d colours: nothing is tested", literals)
	}
}
