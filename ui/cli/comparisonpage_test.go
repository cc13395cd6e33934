//go:build !js || headless

package cli

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/render"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// The page of all comparisons with measured figures, and its stills.
const (
	comparisonPage   = "../../docs/reference/comparisons.md"
	comparisonStills = "../../docs/reference/comparisons"
)

var updateStills = flag.Bool("stills", false, "with -update, paint all pictures of the reference anew")

func comparisons(t *testing.T) []plan.Comparison { return must(testProgram(t).library.Comparisons()) }

// isPlayed reports whether tests play a comparison that their files know: in .ci/run those of less than ten thousand bodies, which
// take a quarter of the time, and in .ci/long all.
func isPlayed(c *plan.Comparison) bool {
	return experiment.Enabled() && !testing.Short() && (c.Settings.Scene != "fleet" || experiment.Long() || golden.Updating())
}

// digestSeconds is the time after which the digests of a comparison are taken.
const digestSeconds = 8

// comparisonRun is what the tests of all comparisons need of one. Each is run once.
type comparisonRun struct {
	digests   []string        // a line for each pane, at digestSeconds
	headlines []score.Measure // of each pane at the comparison's moment
	pictures  float64         // share of the frame that pictures fill at that moment
	gauges    bool            // that it has some
	subject   float64         // largest share of a picture's height that the player's body fills then
	err       error
}

var comparisonRuns sync.Map // func() *comparisonRun, by name

// runComparison runs a comparison to its moment, and at least to digestSeconds, or returns the earlier run.
func runComparison(c *plan.Comparison) *comparisonRun {
	run, _ := comparisonRuns.LoadOrStore(c.Name, sync.OnceValue(func() *comparisonRun {
		r := &comparisonRun{}
		r.err = r.play(c)
		return r
	}))
	return run.(func() *comparisonRun)()
}

func (r *comparisonRun) play(c *plan.Comparison) error {
	p := newProgram(testEnvironment(nil, os.Stderr, os.Stderr))
	session, err := p.newPlan(SessionFlags{Compare: c.Name, Seconds: max(c.Moment, digestSeconds)}, "")
	if err != nil {
		return err
	}
	l := lab.New(session.Config)
	sent := map[*lab.Pane]*uint64{}
	l.Tap = func(p *lab.Pane, seat int, d link.Direction, now time.Duration, datagram []byte) {
		h := sent[p]
		if h == nil {
			h = new(uint64)
			sent[p] = h
		}
		mixHash(h, uint64(seat)<<8|uint64(d))
		mixHash(h, uint64(now))
		mixHash(h, uint64(len(datagram)))
		for _, b := range datagram {
			mixHash(h, uint64(b))
		}
	}
	for _, spec := range session.Panes {
		if _, err := l.Open(spec); err != nil {
			return err
		}
	}
	rate := session.Config.Rate
	var h hud.HUD
	for i, e := range session.ShownEntries(session.Ticks(0), nil) {
		if err := l.Tick(e); err != nil {
			return err
		}
		h.Tick(l)
		if i+1 == digestSeconds*rate {
			r.addDigests(c.Name, l, sent)
		}
		if i+1 == int(c.Moment*float64(rate)) {
			for _, p := range l.Panes {
				r.headlines = append(r.headlines, headlineFigure(p, c.Headline))
			}
			r.look(&h, l, c)
		}
	}
	return nil
}

// look measures the picture of a session at 1280x720.
func (r *comparisonRun) look(h *hud.HUD, l *lab.Lab, c *plan.Comparison) {
	var f hud.Frame
	show := stage.SettingsOf(l)
	r.gauges = show.AnyGauge()
	h.Compose(&f, l, hud.Rect{W: 1280, H: 720}, hud.Options{Title: c.Title}, 1)
	for i := range f.Viewports {
		v := &f.Viewports[i]
		r.pictures += float64(v.W*v.H) / (1280 * 720)
		p := l.Panes[v.Pane]
		body := p.PlayerBody()
		project, view := v.Projection(), &p.Clients[0].View
		if body >= len(view.Bodies) {
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		half := p.ServerWorld.Scene().Boxes[body].Half
		for corner := range 8 {
			at := half
			if corner&1 != 0 {
				at.X = -at.X
			}
			if corner&2 != 0 {
				at.Y = -at.Y
			}
			if corner&4 != 0 {
				at.Z = -at.Z
			}
			_, y, depth := project.Project(view.Bodies[body].Pos.Add(view.Bodies[body].Rot.Rotate(at)))
			if depth > render.NearPlane {
				low, high = min(low, float64(y)), max(high, float64(y))
			}
		}
		r.subject = max(r.subject, (high-low)/float64(v.H))
	}
}

func (r *comparisonRun) addDigests(name string, l *lab.Lab, sent map[*lab.Pane]*uint64) {
	for i, p := range l.Panes {
		var scored uint64
		for _, m := range p.Measures(nil) {
			if !digestedMeasures()[m.Name] {
				continue
			}
			known := uint64(0)
			if m.OK {
				known = 1 + math.Float64bits(m.Value)
			}
			mixHash(&scored, known)
		}
		r.digests = append(r.digests, fmt.Sprintf("%s %d world %016x sent %016x score %016x", name, i+1, p.Hash(), *sent[p], scored))
	}
}

// headlineFigure returns the measure or counter of a pane that has a name.
func headlineFigure(p *lab.Pane, name string) score.Measure {
	for _, m := range p.Measures(p.Headline(nil)) {
		if m.Name == name {
			return m
		}
	}
	v, ok := p.Counters.Lookup(name)
	m := score.Measure{Name: name, Value: v, OK: ok}
	if v != math.Trunc(v) {
		m.Digits = 2
	}
	return m
}

// TestPageOfComparisons checks that the page has all comparisons with their present titles. With GHOSTCUBE_CI it runs them
// to their moments, checks that the headline has the order that the comparison claims, and compares the figures, too.
// The page keeps the figures of those that it does not run.
func TestPageOfComparisons(t *testing.T) {
	list := comparisons(t)
	written := must(os.ReadFile(comparisonPage))
	figures := make([]string, len(list))
	t.Run("play", func(t *testing.T) {
		for i := range list {
			c := &list[i]
			if !isPlayed(c) {
				if figures[i] = figuresAfter(string(written), comparisonHeading(c)); figures[i] != "" {
					continue
				}
			}
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				r := runComparison(c)
				need(r.err)
				for _, o := range c.Order {
					a, b := r.headlines[o.Smaller], r.headlines[o.Larger]
					if !a.OK || !b.OK || a.Value >= b.Value {
						t.Errorf("%s: pane %d has %s, pane %d has %s, want less in pane %d", c.Headline, o.Smaller+1, a.Text(), o.Larger+1, b.Text(), o.Smaller+1)
					}
				}
				var table strings.Builder
				writeComparisonFigures(&table, c, r.headlines)
				figures[i] = table.String()
			})
		}
	})
	var page strings.Builder
	fmt.Fprintf(&page, comparisonPageHead, len(list), digestSeconds)
	for i := range list {
		c := &list[i]
		if i == 0 || list[i-1].Source != c.Source {
			source := c.Source.String()
			if source == "" {
				source = "Without a source"
			}
			fmt.Fprintf(&page, "\n## %s\n", source)
		}
		page.WriteString(comparisonHeading(c))
		page.WriteString(figures[i])
	}
	golden.Page(t, comparisonPage, page.String())
}

// figuresAfter returns what follows a text in a page up to the next heading, or nothing if the page lacks the text.
func figuresAfter(page, text string) string {
	_, rest, ok := strings.Cut(page, text)
	if !ok {
		return ""
	}
	figures, _, _ := strings.Cut(rest, "\n\n#")
	return strings.TrimSuffix(figures, "\n") + "\n"
}

// TestPicturesFillFrames promises that at its moment the frame of every comparison is picture for the most part, less where a
// gauge is what the comparison shows, and that the player's body is large enough to be seen in one of them.
func TestPicturesFillFrames(t *testing.T) {
	experiment.Skip(t)
	for _, c := range comparisons(t) {
		if !isPlayed(&c) {
			continue
		}
		r := runComparison(&c)
		need(r.err)
		least := 0.625
		if len(r.digests) == 4 {
			least = 0.65
		}
		if r.gauges {
			least = 0.57
		}
		if r.pictures < least || r.subject < 0.12 {
			t.Errorf("%s: pictures fill %.3f of the frame, want %v; the subject %.3f of a picture's height, want 0.12", c.Name, r.pictures, least, r.subject)
		}
	}
}

// TestPageStills checks that every comparison has its still; .ci/long also paints them all and compares. go generate paints those
// that are missing.
func TestPageStills(t *testing.T) {
	var names []string
	for _, c := range comparisons(t) {
		names = append(names, c.Name+".png")
	}
	golden.Pictures(t, comparisonStills, names, 6e6, *updateStills, func(name, file string) {
		writeStill(t, strings.TrimSuffix(name, ".png"), file)
	})
	if !experiment.Long() {
		return
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			comparePicture(t, filepath.Join(comparisonStills, name), renderStill(t, strings.TrimSuffix(name, ".png")))
		})
	}
}

const comparisonPageHead = `# Comparisons

The %d comparisons, each with its still and the figure that its panes show in large type, at %d s if nothing else is said.
` + "`ghostcube --compare NAME`" + ` starts a comparison, ` + "`ghostcube bench --compare NAME --seconds 8`" + ` prints all figures. A test runs
them all and checks the order of the figures that a title claims.
`

// comparisonHeading returns what the page says of a comparison before its figures.
func comparisonHeading(c *plan.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n%s.", c.Name, c.Title)
	if c.Moment != digestSeconds {
		fmt.Fprintf(&b, " At %g s.", c.Moment)
	}
	b.WriteString("\n\n")
	fmt.Fprintf(&b, "![%s](comparisons/%s.png)\n\n", c.Name, c.Name)
	return b.String()
}

// writeComparisonFigures writes the figure of each pane.
func writeComparisonFigures(b *strings.Builder, c *plan.Comparison, headlines []score.Measure) {
	title := cmp.Or(headlines[0].Title, strings.ReplaceAll(c.Headline, "_", " "))
	var panes []string
	for i, spec := range strings.Split(c.Settings.Panes, ",") {
		panes = append(panes, fmt.Sprintf("`%s` %s", spec, headlines[i].Text()))
	}
	fmt.Fprintf(b, "**%s**: %s\n", title, strings.Join(panes, ", "))
}

// writeStill writes the still of a comparison.
func writeStill(t *testing.T, comparison, file string) {
	t.Helper()
	writeSmall(file, renderStill(t, comparison))
}

// renderStill returns the still of a comparison at its moment.
func renderStill(t *testing.T, comparison string) image.Image {
	t.Helper()
	var out, errs strings.Builder
	file := filepath.Join(t.TempDir(), "still.png")
	if code := Main(testEnvironment([]string{"record", "--compare", comparison, "--size", "960x540", "-o", file}, &out, &errs)); code != 0 {
		t.Fatalf("%s: %s", comparison, errs.String())
	}
	return must(png.Decode(bytes.NewReader(must(os.ReadFile(file)))))
}

// writeSmall writes a picture with few enough colours for a small file.
func writeSmall(file string, picture image.Image) {
	var small bytes.Buffer
	need((&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, reduceColors(picture, stillColors)))
	need(os.WriteFile(file, small.Bytes(), 0o666))
}

// stillColors is the number of colours of a still.
const stillColors = 128

// reduceColors returns a picture with at most n colours, chosen by median cut.
func reduceColors(picture image.Image, n int) *image.Paletted {
	counts := map[color.RGBA]int{}
	bounds := picture.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	component := func(c color.RGBA, k int) int { return int([3]uint8{c.R, c.G, c.B}[k]) }
	first := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	boxes := [][]color.RGBA{first}
	for len(boxes) < n {
		widest, along, width := -1, 0, 0
		for i, box := range boxes {
			for k := range 3 {
				low, high := 255, 0
				for _, c := range box {
					low, high = min(low, component(c, k)), max(high, component(c, k))
				}
				if high-low > width {
					widest, along, width = i, k, high-low
				}
			}
		}
		if widest < 0 {
			break
		}
		box := boxes[widest]
		slices.SortStableFunc(box, func(a, b color.RGBA) int { return component(a, along) - component(b, along) })
		pixels := 0
		for _, c := range box {
			pixels += counts[c]
		}
		cut, below := 1, counts[box[0]]
		for cut < len(box)-1 && 2*(below+counts[box[cut]]) <= pixels {
			below += counts[box[cut]]
			cut++
		}
		boxes[widest] = box[:cut]
		boxes = append(boxes, box[cut:])
	}
	var palette color.Palette
	index := map[color.RGBA]uint8{}
	for i, box := range boxes {
		var sum [3]int
		pixels := 0
		for _, c := range box {
			for k := range 3 {
				sum[k] += component(c, k) * counts[c]
			}
			pixels += counts[c]
			index[c] = uint8(i)
		}
		palette = append(palette, color.RGBA{uint8(sum[0] / pixels), uint8(sum[1] / pixels), uint8(sum[2] / pixels), 255})
	}
	reduced := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			reduced.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	return reduced
}
