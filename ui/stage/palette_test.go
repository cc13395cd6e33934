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
		colorMeaning{clientColor, "player 1: the client"}, colorMeaning{playerColors[1], "player 2"}, colorMeaning{playerColors[2], "player 3"}, colorMeaning{playerColors[3], "player 4"},
		colorMeaning{serverColor, "the server: ghosts, and the player's body in the server's picture"}, colorMeaning{receivedColor, "ghost of the last received snapshot"},
		colorMeaning{simulatedColor, "outline of a simulated pose"}, colorMeaning{unownedColor, "body that nobody touches"},
		colorMeaning{staticColor, "static body"}, colorMeaning{carrierColor, "moving platform"},
		colorMeaning{unknownColor, "no state received, outside the area of interest, or not compared yet"}, colorMeaning{fallbackColor, "prediction is off (mixed in)"})
	add("bodies while `color` is set",
		colorMeaning{predictedColor, "predicted"}, colorMeaning{interpolatedColor, "interpolated"}, colorMeaning{rootColor, "root of a joint tree"},
		colorMeaning{encodingColors[predict.Absolute], encodingNames[predict.Absolute]}, colorMeaning{encodingColors[predict.RelativeToPlayer], encodingNames[predict.RelativeToPlayer]},
		colorMeaning{encodingColors[predict.DeltaEncoded], encodingNames[predict.DeltaEncoded]})
	for i, c := range colorRamp {
		list[1].meanings = append(list[1].meanings, colorMeaning{c, fmt.Sprintf("%d %% of the scale of priority, age, joint depth or update rate", 100*i/(len(colorRamp)-1))})
	}
	for i, c := range errorRamp {
		list[1].meanings = append(list[1].meanings, colorMeaning{c, "path error of " + errorStops[i]})
	}
	add("lines in the picture",
		colorMeaning{parentColor, "box of the player's parent"}, colorMeaning{candidateColor, "box of a parent candidate"}, colorMeaning{openJointColor, "open joint"},
		colorMeaning{hitColor, "ray that hits, and the body then"}, colorMeaning{missColor, "ray that misses"}, colorMeaning{unrewoundColor, "ray resolved without rewind"},
		colorMeaning{calloutColor, "frame of the explained body"}, colorMeaning{beforeColor, "a corrected body, as it was drawn one tick before"}, colorMeaning{focusColor, "frame of the focused pane"})
	add("texts, keys and graphs",
		colorMeaning{textColor, "text"}, colorMeaning{dimTextColor, "secondary text"}, colorMeaning{alertColor, "warning"}, colorMeaning{explainColor, "sentence about an event"},
		colorMeaning{backgroundColor, "background"}, colorMeaning{emptyColor, "key that is up, or empty cell"}, colorMeaning{keyDownColor, "key that is down"},
		colorMeaning{gridlineColor, "axis of a graph"}, colorMeaning{eventColor, "correction in a graph, and 99th percentile"}, colorMeaning{CurveColor, "curve of a graph"}, colorMeaning{NoticeColor, "message of the window"}, colorMeaning{NoticeBackground, "background of a message"})
	add("bars of the score",
		colorMeaning{BestBarColor, "the best pane, beyond the noise"}, colorMeaning{BarColor, "any other pane"}, colorMeaning{BarBackground, "background of a bar"})
	t := &TimelineColors
	add("marks on the timeline",
		colorMeaning{t.Losses, "lost datagrams"}, colorMeaning{t.Corrections, "corrections"}, colorMeaning{t.Shots, "shots"}, colorMeaning{t.Stalls, "stalls"},
		colorMeaning{t.Faults, "forced faults"}, colorMeaning{t.Bookmarks, "bookmarks"}, colorMeaning{t.Track, "no mark"}, colorMeaning{t.Span, "span that is looped"})
	add("parts of a packet",
		colorMeaning{headerColor, "headers, and other parts"}, colorMeaning{inputColor, "inputs, velocities, or a slice that was sent"}, colorMeaning{updateColor, "updates, or positions"},
		colorMeaning{indexColor, "indices of bodies"}, colorMeaning{rotationColor, "rotations, or a slice that was acknowledged"})
	add("packet lanes",
		colorMeaning{laneColors[predict.AcksOnly], "acknowledgements only"}, colorMeaning{laneColors[predict.Inputs], "inputs"}, colorMeaning{laneColors[predict.Snapshots], "snapshot"},
		colorMeaning{laneColors[predict.StateUpdates], "state updates"}, colorMeaning{laneColors[predict.Fragments], "fragment of a packet"}, colorMeaning{laneColors[predict.Messages], "messages and slices of blocks"})
	add("slots of the playout buffer",
		colorMeaning{waitingColor, "waits, or arrived"}, colorMeaning{ownInputColor, "used in its own tick"}, colorMeaning{missingColor, "missing"}, colorMeaning{repeatedColor, "repeated"}, colorMeaning{lateInputColor, "arrived too late"})
	stages := []colorMeaning{{unmeasuredColor, "not measured (hatched)"}}
	for s := range probe.StageCount {
		if stageColors[s] != unmeasuredColor {
			stages = append(stages, colorMeaning{stageColors[s], probe.StageNames[s]})
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
