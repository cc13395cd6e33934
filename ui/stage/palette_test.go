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
	add := func(group string, meanings ...colorMeaning) { list = append(list, paletteGroup{group, meanings}) }
	add("bodies and ghosts",
		colorMeaning{ClientColor, "player 1: the client"}, colorMeaning{PlayerColors[1], "player 2"}, colorMeaning{PlayerColors[2], "player 3"}, colorMeaning{PlayerColors[3], "player 4"},
		colorMeaning{ServerColor, "the server: ghosts, and the player's body in the server's picture"}, colorMeaning{ReceivedColor, "ghost of the last received snapshot"},
		colorMeaning{SimulatedColor, "outline of a simulated pose"}, colorMeaning{UnownedColor, "body that nobody touches"},
		colorMeaning{staticColor, "static body"}, colorMeaning{carrierColor, "moving platform"},
		colorMeaning{UnknownColor, "no state received, outside the area of interest, or not compared yet"}, colorMeaning{FallbackColor, "prediction is off (mixed in)"})
	add("bodies while `color` is set",
		colorMeaning{PredictedColor, "predicted"}, colorMeaning{InterpolatedColor, "interpolated"}, colorMeaning{RootColor, "root of a joint tree"},
		colorMeaning{EncodingColors[predict.Absolute], "absolute"}, colorMeaning{EncodingColors[predict.RelativeToPlayer], "relative to player"},
		colorMeaning{EncodingColors[predict.DeltaEncoded], "delta"})
	for i, c := range colorRamp {
		list[1].meanings = append(list[1].meanings, colorMeaning{c, fmt.Sprintf("%d %% of the scale of priority, age, joint depth or update rate", 100*i/(len(colorRamp)-1))})
	}
	for i, c := range ErrorRamp {
		list[1].meanings = append(list[1].meanings, colorMeaning{c, "path error of " + [...]string{"0", "1 cm", "10 cm", "1 m"}[i]})
	}
	add("lines in the picture",
		colorMeaning{ParentColor, "box of the player's parent"}, colorMeaning{CandidateColor, "box of a parent candidate"}, colorMeaning{OpenJointColor, "open joint"},
		colorMeaning{HitColor, "ray that hits, and the body then"}, colorMeaning{MissColor, "ray that misses"}, colorMeaning{UnrewoundColor, "ray resolved without rewind"},
		colorMeaning{CalloutColor, "frame of the explained body"}, colorMeaning{beforeColor, "a corrected body, as it was drawn one tick before"}, colorMeaning{FocusColor, "frame of the focused pane"})
	add("texts, keys and graphs",
		colorMeaning{TextColor, "text"}, colorMeaning{DimTextColor, "secondary text"}, colorMeaning{AlertColor, "warning"}, colorMeaning{ExplainColor, "sentence about an event"},
		colorMeaning{BackgroundColor, "background"}, colorMeaning{EmptyColor, "key that is up, or empty cell"}, colorMeaning{KeyDownColor, "key that is down"},
		colorMeaning{GridlineColor, "axis of a graph"}, colorMeaning{EventColor, "correction in a graph, and 99th percentile"}, colorMeaning{CurveColor, "curve of a graph"}, colorMeaning{NoticeColor, "message of the window"}, colorMeaning{NoticeBackground, "background of a message"})
	add("bars of the score",
		colorMeaning{BestBarColor, "the best pane, beyond the noise"}, colorMeaning{BarColor, "any other pane"}, colorMeaning{BarBackground, "background of a bar"})
	t := &TimelineColors
	add("marks on the timeline",
		colorMeaning{t.Losses, "lost datagrams"}, colorMeaning{t.Corrections, "corrections"}, colorMeaning{t.Shots, "shots"}, colorMeaning{t.Stalls, "stalls"},
		colorMeaning{t.Faults, "forced faults"}, colorMeaning{t.Bookmarks, "bookmarks"}, colorMeaning{t.Track, "no mark"}, colorMeaning{t.Span, "span that is looped"})
	add("parts of a packet",
		colorMeaning{HeaderColor, "headers, and other parts"}, colorMeaning{InputColor, "inputs, velocities, or a slice that was sent"}, colorMeaning{UpdateColor, "updates, or positions"},
		colorMeaning{IndexColor, "indices of bodies"}, colorMeaning{RotationColor, "rotations, or a slice that was acknowledged"})
	add("packet lanes",
		colorMeaning{LaneColors[predict.AcksOnly], "acknowledgements only"}, colorMeaning{LaneColors[predict.Inputs], "inputs"}, colorMeaning{LaneColors[predict.Snapshots], "snapshot"},
		colorMeaning{LaneColors[predict.StateUpdates], "state updates"}, colorMeaning{LaneColors[predict.Fragments], "fragment of a packet"}, colorMeaning{LaneColors[predict.Messages], "messages and slices of blocks"})
	add("slots of the playout buffer",
		colorMeaning{WaitingColor, "waits, or arrived"}, colorMeaning{OwnInputColor, "used in its own tick"}, colorMeaning{MissingColor, "missing"}, colorMeaning{RepeatedColor, "repeated"}, colorMeaning{LateInputColor, "arrived too late"})
	stages := []colorMeaning{{unmeasuredColor, "not measured (hatched)"}}
	for s := range probe.StageCount {
		if StageColors[s] != unmeasuredColor {
			stages = append(stages, colorMeaning{StageColors[s], probe.StageNames[s]})
		}
	}
	add("stages of the latency", stages...)
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
