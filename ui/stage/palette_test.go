package stage

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/lab/probe"
	"ghostcube/render"
)

// paletteMeanings are all colours of palette.go and what they mean, by where they appear.
func paletteMeanings() (list []paletteGroup) {
	add := func(group string, meanings []colorMeaning) { list = append(list, paletteGroup{group, meanings}) }
	add("bodies and ghosts", []colorMeaning{
		{ClientColor, "player 1: the client"}, {PlayerColors[1], "player 2"}, {PlayerColors[2], "player 3"}, {PlayerColors[3], "player 4"},
		{ServerColor, "the server: ghosts, and the player's body in the server's picture"}, {ReceivedColor, "ghost of the last received snapshot"},
		{SimulatedColor, "outline of a simulated pose"}, {UnownedColor, "body that nobody touches"},
		{staticColor, "static body"}, {carrierColor, "moving platform"},
		{UnknownColor, "no state received, outside the area of interest, or not compared yet"}, {FallbackColor, "prediction is off (mixed in)"},
	})
	add("bodies while `color` is set", []colorMeaning{
		{PredictedColor, "predicted"}, {InterpolatedColor, "interpolated"}, {RootColor, "root of a joint tree"},
		{EncodingColors[predict.Absolute], "absolute"}, {EncodingColors[predict.RelativeToPlayer], "relative to player"},
		{EncodingColors[predict.DeltaEncoded], "delta"},
	})
	for i, c := range colorRamp {
		list[1].meanings = append(list[1].meanings, colorMeaning{c, fmt.Sprintf("%d %% of the scale of priority, age, joint depth or update rate",
			100*i/(len(colorRamp)-1))})
	}
	for i, c := range ErrorRamp {
		list[1].meanings = append(list[1].meanings, colorMeaning{c, "path error of " + [...]string{"0", "1 cm", "10 cm", "1 m"}[i]})
	}
	add("lines in the picture", []colorMeaning{
		{ParentColor, "box of the player's parent"}, {CandidateColor, "box of a parent candidate"}, {OpenJointColor, "open joint"},
		{HitColor, "ray that hits, and the body then"}, {MissColor, "ray that misses"}, {UnrewoundColor, "ray resolved without rewind"},
		{CalloutColor, "frame of the explained body"}, {beforeColor, "a corrected body, as it was drawn one tick before"}, {FocusColor, "frame of the focused pane"},
	})
	add("texts, keys and graphs", []colorMeaning{
		{TextColor, "text"}, {DimTextColor, "secondary text"}, {AlertColor, "warning"}, {ExplainColor, "sentence about an event"},
		{BackgroundColor, "background"}, {EmptyColor, "key that is up, or empty cell"}, {KeyDownColor, "key that is down"},
		{GridlineColor, "axis of a graph"}, {EventColor, "correction in a graph, and 99th percentile"}, {CurveColor, "curve of a graph"},
		{NoticeColor, "message of the window"}, {NoticeBackground, "background of a message"},
	})
	add("bars of the score", []colorMeaning{
		{BestBarColor, "the best pane, beyond the noise"}, {BarColor, "any other pane"}, {BarBackground, "background of a bar"},
	})
	t := &TimelineColors
	add("marks on the timeline", []colorMeaning{
		{t.Losses, "lost datagrams"}, {t.Corrections, "corrections"}, {t.Shots, "shots"}, {t.Stalls, "stalls"},
		{t.Faults, "forced faults"}, {t.Bookmarks, "bookmarks"}, {t.Track, "no mark"}, {t.Span, "span that is looped"},
	})
	add("parts of a packet", []colorMeaning{
		{HeaderColor, "headers, and other parts"}, {InputColor, "inputs, velocities, or a slice that was sent"}, {UpdateColor, "updates, or positions"},
		{IndexColor, "indices of bodies"}, {RotationColor, "rotations, or a slice that was acknowledged"},
	})
	add("packet lanes", []colorMeaning{
		{LaneColors[predict.AcksOnly], "acknowledgements only"}, {LaneColors[predict.Inputs], "inputs"}, {LaneColors[predict.Snapshots], "snapshot"},
		{LaneColors[predict.StateUpdates], "state updates"}, {LaneColors[predict.Fragments], "fragment of a packet"}, {LaneColors[predict.Messages],
			"messages and slices of blocks"},
	})
	add("slots of the playout buffer", []colorMeaning{
		{WaitingColor, "waits, or arrived"}, {OwnInputColor, "used in its own tick"}, {MissingColor, "missing"}, {RepeatedColor,
			"repeated"}, {LateInputColor, "arrived too late"},
	})
	stages := []colorMeaning{{unmeasuredColor, "not measured (hatched)"}}
	for s := range probe.StageCount {
		if StageColors[s] != unmeasuredColor {
			stages = append(stages, colorMeaning{StageColors[s], probe.StageNames[s]})
		}
	}
	add("stages of the latency", stages)
	return list
}

type paletteGroup struct {
	name     string
	meanings []colorMeaning
}

type colorMeaning struct {
	color   render.Color
	meaning string
}

// hexText returns a colour without its opacity as in HTML.
func hexText(c render.Color) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// TestEveryColorHasAMeaning promises that TestPalette knows what each colour of palette.go means.
func TestEveryColorHasAMeaning(t *testing.T) {
	known := map[string]bool{}
	for _, g := range paletteMeanings() {
		for _, m := range g.meanings {
			known[hexText(m.color)] = true
		}
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
