//go:build !js || headless

package cli

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
)

// packetDiagram returns the diagram that packets draws with some arguments.
func packetDiagram(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "diagram.svg")
	printed(t, append([]string{"packets", "--svg", file}, args...)...)
	b := must(os.ReadFile(file))
	return string(b)
}

// TestPacketDiagrams compares diagrams with golden files, and checks that they tell what happens.
func TestPacketDiagrams(t *testing.T) {
	experiment.Skip(t)
	for _, c := range []struct {
		name, args string
		want       []string
	}{
		{"prediction", "--compare prediction --pane 2 --from 2 --seconds 0.4", []string{
			">inputs 116–130<", ">(acts on it at once)<", ">steps with input 130<", ">(snapshot, tick 131)<", ">state 131: as predicted<"}},
		{"redundancy", "--compare csp-redundancy --pane 1 --from 2", []string{`class="lost"`, ">corrects, replays 16 ticks<", ">lost<", ">correction<"}},
		{"lockstep", "--compare lockstep-slowest --from 2", []string{">inputs 117–120 of player 2<", ">steps with input 120<"}},
		{"tcp", "--compare lockstep-tcp-bad --from 2 --seconds 0.6", []string{">waits, 12 ticks<", ">late<", ">lost<", ">ack of inputs to 106<", ">stalled<"}},
		{"snapshot", "--compare snapshot-jitter --pane 2 --from 2 --seconds 0.3", []string{">draws tick 121<", ">out of order<"}},
		{"statesync", "--compare statesync-smoothing --from 2 --seconds 0.3", []string{">31 states, tick 121<", ">draws tick 121<"}},
		{"torture", "--network torture --from 2 --seconds 0.3", []string{">Packets of rewind, scene zen<", ">second copy<", ">late<"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			svg := packetDiagram(t, strings.Fields(c.args)...)
			for _, want := range c.want {
				if !strings.Contains(svg, want) {
					t.Errorf("the diagram lacks %s", want)
				}
			}
			checkDiagram(t, svg)
			golden.Compare(t, "packets/"+c.name+".svg", svg)
		})
	}
}

// TestDiagramOfEveryComparison draws a diagram of every comparison and checks its texts.
func TestDiagramOfEveryComparison(t *testing.T) {
	experiment.Skip(t)
	if testing.Short() {
		t.Skip("runs all comparisons")
	}
	for i, c := range comparisons(t) {
		if i%experiment.Pick(1, 4, 1) != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			checkDiagram(t, packetDiagram(t, "--compare", c.Name, "--from", "1"))
		})
	}
}

// checkDiagram checks that an SVG is well-formed and refers to nothing outside, and that none of its texts covers
// another one or leaves the picture.
func checkDiagram(t *testing.T, svg string) {
	t.Helper()
	for _, bad := range []string{"href", "url(", "http:", "https:", "NaN", "Inf"} {
		if strings.Contains(strings.Replace(svg, "http://www.w3.org/2000/svg", "", 1), bad) {
			t.Errorf("the diagram has %q", bad)
		}
	}
	var picture struct {
		Height float64 `xml:"height,attr"`
		Texts  []struct {
			X      float64 `xml:"x,attr"`
			Y      float64 `xml:"y,attr"`
			Class  string  `xml:"class,attr"`
			Anchor string  `xml:"text-anchor,attr"`
			Text   string  `xml:",chardata"`
		} `xml:"text"`
	}
	need(xml.Unmarshal([]byte(svg), &picture))
	type box struct {
		x0, y0, x1, y1 float64
		text           string
	}
	var boxes []box
	for _, x := range picture.Texts {
		size := 12.0
		switch x.Class {
		case "title":
			size = 15
		case "head":
			size = 13
		}
		w := 0.56 * size * float64(utf8.RuneCountInString(x.Text))
		left := x.X
		switch x.Anchor {
		case "end":
			left -= w
		case "middle":
			left -= w / 2
		}
		boxes = append(boxes, box{left, x.Y - 0.75*size, left + w, x.Y + 0.2*size, x.Text})
	}
	for i, a := range boxes {
		if a.x0 < 0 || a.x1 > 800 || a.y0 < 0 || a.y1 > picture.Height {
			t.Errorf("%q is outside the picture", a.text)
		}
		for _, b := range boxes[:i] {
			if a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
				t.Errorf("%q covers %q", a.text, b.text)
			}
		}
	}
	if len(boxes) < 8 || !strings.HasPrefix(svg, "<svg ") {
		t.Errorf("%d texts", len(boxes))
	}
}

// TestPacketsOfSpan checks that packets prints the packets of a pane and a span alone.
func TestPacketsOfSpan(t *testing.T) {
	args := strings.Fields("packets --panes rewind,noprediction --from 1 --seconds 0.1 --pane 2")
	out := printed(t, args...)
	for line := range strings.Lines(out) {
		if strings.Contains(line, " s, pane ") && (!strings.Contains(line, "pane 2 noprediction") || line < "1.000 s" || line > "1.1") {
			t.Error(line)
		}
	}
	if !strings.Contains(out, "\npane 2 noprediction, client 1 down: 6 packets in 6 datagrams") {
		t.Error(out)
	}
}
