package hud

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/render"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// TestHeadline promises that the quantity of the headline is drawn large in every pane that has it, with its
// unit, its value in the score, and a dash where a strategy does not have it; and nothing while it is off.
func TestHeadline(t *testing.T) {
	experiment.Skip(t)
	l := stagetest.Katamari(t, "latency=50ms,loss=5%", "snapshot", "rewind")
	var s HUD
	stagetest.RollAndPull(t, &s, l, 240)
	large := func(setting string) (texts []string, all string) {
		stagetest.Show(t, l, "headline="+setting)
		stagetest.RollAndPull(t, &s, l, 60)
		f := s.frame(l)
		for _, it := range f.Overlay.Items {
			if it.Kind == render.TextKind {
				if all += it.Text + "\n"; it.Font.Size >= 26 {
					texts = append(texts, it.Text)
				}
			}
		}
		return texts, all
	}
	if texts, _ := large("off"); len(texts) != 0 {
		t.Errorf("without a headline: %q", texts)
	}
	for name, want := range map[string]struct{ unit, label string }{
		"down_kbit_per_second": {"kbit/s", "bandwidth down"}, "pops_all_per_minute": {"per minute", "pops, all bodies"},
		"bits_per_body": {"", "bits per body"}, "snapshot_age_ms": {"ms", "snapshot age"}, "corrections": {"", "corrections"},
	} {
		texts, all := large(name)
		if len(texts) != 2 || want.unit != "" && !strings.Contains(all, "\n"+want.unit+"\n") || !strings.Contains(all, want.label) {
			t.Errorf("%s: %q in\n%s", name, texts, all)
		}
	}
	texts, _ := large("down_kbit_per_second")
	for i, p := range l.Panes {
		for _, m := range p.Headline(nil) {
			if want := strconv.FormatFloat(m.Value, 'f', 0, 64); m.Name == "down_kbit_per_second" && texts[i] != want {
				t.Errorf("pane %d shows %s, and its score has %s", i+1, texts[i], want)
			}
		}
	}
	if texts, _ := large("corrections"); texts[0] != "-" || texts[1] == "-" {
		t.Errorf("corrections of snapshot and rewind: %q", texts)
	}
	stagetest.Apply(t, l, lab.Command{Verb: "switch", Pane: 1, Name: "snapshot"})
	if texts, _ := large("corrections"); texts[1] != "-" {
		t.Errorf("after a switch to snapshot: %q", texts)
	}
}

// TestHeadlineBars promises bars below the captions of several panes that have the lengths of their headlines, the bar and
// the headline of the best pane in another colour if it is better by more than the noise, and none where nothing differs.
func TestHeadlineBars(t *testing.T) {
	l := stagetest.Session(t, "latency=75ms", "noprediction", "rewind", "snapshot")
	var s HUD
	stagetest.Roll(t, &s, l, 300)
	bars := func(headline string) (widths map[render.Color][]float32, best []string) {
		stagetest.Show(t, l, "headline="+headline)
		s.Refresh(l)
		widths = map[render.Color][]float32{}
		f := s.frame(l)
		for i := range f.Overlay.Items {
			switch it := &f.Overlay.Items[i]; {
			case it.Kind == render.RectKind && it.H == headlineBarHeight:
				widths[it.Color] = append(widths[it.Color], it.W)
			case it.Kind == render.TextKind && it.Color == stage.BestTextColor:
				best = append(best, it.Text)
			}
		}
		return widths, best
	}
	widths, best := bars("key_to_screen_ms")
	tracks, others, green := widths[stage.BarBackground], widths[stage.WideBarColor], widths[stage.BestBarColor]
	if len(tracks) != 3 || len(others) != 2 || len(green) != 1 || len(best) != 1 || best[0] != "0" {
		t.Fatalf("tracks %v, bars %v, best %v %q", tracks, others, green, best)
	}
	values := make([]float64, 3)
	for i, p := range l.Panes {
		values[i] = p.Headline(nil)[0].Value
	}
	for i, at := range []int{0, 2} { // the panes without prediction
		want := tracks[i] * float32(values[at]/max(values[0], values[2]))
		if values[1] != 0 || math.Abs(float64(others[i]-want)) > 1.5 {
			t.Errorf("the bars of %v ms are %v wide, want %v", values, others[i], want)
		}
	}
	if green[0] > 4 {
		t.Errorf("the bar of 0 ms is %v wide", green[0])
	}
	for _, headline := range []string{"off", "messages_received"} {
		if widths, best := bars(headline); len(widths) != 0 || len(best) != 0 {
			t.Errorf("%s: bars %v, best %q", headline, widths, best)
		}
	}
	if widths, best := bars("corrections"); len(best) != 0 {
		t.Errorf("a counter's best pane: %v %q", widths, best)
	}
	checkClaims(t, &s, l)
	for pane := range 2 {
		stagetest.Apply(t, l, lab.Command{Verb: "close", Pane: 2 - pane})
	}
	if widths, _ := bars("key_to_screen_ms"); len(widths) != 0 {
		t.Errorf("one pane has bars: %v", widths)
	}
}

// checkClaims checks that panes that a title calls the best are marked while their values agree: with other values, by another
// headline or by a counter without a direction none is.
func checkClaims(t *testing.T, s *HUD, l *lab.Lab) {
	t.Helper()
	for _, c := range []struct {
		headline string
		best     stage.Best
		want     string
	}{
		{"path_error_rms_m", stage.Best{Headline: "path_error_rms_m", Panes: []int{0, 1}}, "[]"}, // all are 0
		{"pops_per_minute", stage.Best{Headline: "path_error_rms_m", Panes: []int{0}}, "[]"},
		{"snapshot_bits", stage.Best{Headline: "snapshot_bits", Panes: []int{0}}, "[]"},
		{"snapshot_bits", stage.Best{Headline: "snapshot_bits", Panes: []int{0, 1}, Counter: stage.Less}, "[0 1]"},
		{"snapshot_bits", stage.Best{Headline: "snapshot_bits", Panes: []int{2}, Counter: stage.More}, "[2]"},
		{"snapshot_bits", stage.Best{Headline: "snapshot_bits", Panes: []int{0, 1, 2}, Counter: stage.Less}, "[]"},
		{"snapshot_bits", stage.Best{Headline: "snapshot_bits", Panes: []int{1, 2}, Counter: stage.Less}, "[]"},
	} {
		stagetest.Show(t, l, "headline="+c.headline)
		s.Refresh(l)
		var f Frame
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{Best: &c.best}, 1)
		var marked []int
		for i, best := range s.bars.best {
			if best {
				marked = append(marked, i)
			}
		}
		if got := fmt.Sprint(marked); got != c.want {
			t.Errorf("%s, %+v: panes %s are marked, want %s: lengths %v", c.headline, c.best, got, c.want, s.bars.lengths)
		}
	}
}

// TestLongHeadlineLabel promises that the longest label of a headline is whole words in a third of a small frame.
func TestLongHeadlineLabel(t *testing.T) {
	l := stagetest.Session(t, "latency=75ms", "rewind", "rewind", "rewind")
	stagetest.Show(t, l, "headline=path_error_vehicle_rms_m")
	var s HUD
	stagetest.Roll(t, &s, l, 2)
	var f Frame
	s.Compose(&f, l, Rect{W: 960, H: 540}, Options{}, 1)
	if texts := f.texts(); !strings.Contains(texts, "path error of the vehicle\n") {
		t.Error(texts)
	}
}

// TestCaptionLeavesHeadlineOut promises that a caption does not repeat the figure of the headline, labels every other one, and
// has bandwidth of one direction, from 1,000 kbit/s as Mbit/s.
func TestCaptionLeavesHeadlineOut(t *testing.T) {
	experiment.Skip(t)
	l := stagetest.Katamari(t, "latency=50ms", "snapshot", "rewind")
	var s HUD
	stagetest.RollAndPull(t, &s, l, 240)
	parts := map[string]string{"key_to_screen_ms": "key to screen now ", "path_error_rms_m": "path error RMS ",
		"pops_per_minute": "pops/min", "down_kbit_per_second": "down "}
	for headline := range parts {
		stagetest.Show(t, l, "graphs=off,headline="+headline)
		stagetest.RollAndPull(t, &s, l, 30)
		f := s.frame(l)
		for i := range l.Panes {
			caption := ""
			for _, line := range s.panes[i].caption.lines {
				caption += line.text + "\n"
			}
			for name, part := range parts {
				if strings.Contains(caption, part) != (name != headline) {
					t.Errorf("headline %s: pane %d has %q, or has it not: %q", headline, i+1, part, caption)
				}
			}
			if i == 0 && headline != "down_kbit_per_second" && !strings.Contains(caption, " Mbit/s") {
				t.Errorf("no Mbit/s: %q", caption)
			}
		}
		if all := f.texts(); headline == "down_kbit_per_second" && (!strings.Contains(all, "\nkbit/s\n") || strings.Contains(all, "\nMbit/s\n")) {
			t.Errorf("headlines in other units than kbit/s: %s", all)
		}
	}
}

// TestBytesAreDrawn promises that panes whose headline is a bandwidth draw the bytes of every tick as blocks on one scale, the
// sum of which is what was sent.
func TestBytesAreDrawn(t *testing.T) {
	l := stagetest.Katamari(t, "latency=50ms", "snapshot:snapshot-every=3", "snapshot:snapshot-every=3:compression=delta")
	var s HUD
	stagetest.RollAndPull(t, &s, l, 240)
	blocks := func() (heights []float32) {
		f := s.frame(l)
		for _, it := range f.Overlay.Items {
			if it.Kind == render.RectKind && it.Color == stage.UpdateColor {
				heights = append(heights, it.H)
			}
		}
		return heights
	}
	if n := len(blocks()); n != 0 {
		t.Fatalf("%d blocks without a headline", n)
	}
	stagetest.Show(t, l, "headline=down_kbit_per_second")
	s.Refresh(l)
	h := blocks()
	if n := 2 * bytesTicks / 3; len(h) != n {
		t.Fatalf("%d blocks of a snapshot every three ticks in two panes, want %d", len(h), n)
	}
	if slices.Max(h) < 10 || h[0] < 8*h[len(h)-1] {
		t.Errorf("the blocks of all states are %v high, those of differences %v", h[0], h[len(h)-1])
	}
	for i, p := range l.Panes {
		before, sum, g := p.Clients[0].WireBytes(link.Down), 0.0, s.Graph(i, BytesDownGraph)
		stagetest.RollAndPull(t, &s, l, 60/len(l.Panes))
		for k := range 60 / len(l.Panes) {
			v, _ := g.At(g.Len() - 1 - k)
			sum += float64(v)
		}
		if sent := p.Clients[0].WireBytes(link.Down) - before; float64(sent) != sum {
			t.Errorf("pane %d drew %v bytes of %d", i+1, sum, sent)
		}
	}
}

// TestLowPanesShowPictures promises that four panes with a headline are pictures for the most part, with the changed knobs
// of each where they are beside its name or below it.
func TestLowPanesShowPictures(t *testing.T) {
	experiment.Skip(t)
	for _, c := range []struct {
		last  string
		knob  string
		share float64
	}{
		{"statesync:budget=64", "budget=64", 0.68},
		{"statesync:compression=uncompressed:budget=64:jitter-buffer=0:smoothing=single:cold-start=on:adaptive=on", "cold-start=on", 0.59},
	} {
		l := stagetest.Katamari(t, "latency=50ms,loss=5%", "snapshot", "snapshot:compression=delta", "rewind", c.last)
		stagetest.Show(t, l, "headline=down_kbit_per_second,split=off")
		var s HUD
		stagetest.RollAndPull(t, &s, l, 120)
		f := s.frame(l)
		area := 0
		for _, v := range f.Viewports {
			area += v.Rect.W * v.Rect.H
		}
		if share := float64(area) / (1280 * 720); share < c.share {
			t.Errorf("%s: pictures fill %.3f of the frame, want %v", c.last, share, c.share)
		}
		for _, want := range []string{"compression=delta", c.knob} {
			if all := f.texts(); !strings.Contains(all, want) {
				t.Errorf("no %q in\n%s", want, all)
			}
		}
	}
}

// headlineNames returns the names that the error for an unknown headline suggests: all, the first of which is none.
func headlineNames(t *testing.T) []string {
	var unknown interface {
		Names() (kind, name string, known []string)
	}
	if err := stage.CheckCommand(stage.Show("headline", "?")); !errors.As(err, &unknown) {
		t.Fatal(err)
	}
	_, _, known := unknown.Names()
	return known
}

// TestHeadlineUnits promises one unit in a row of panes: 25 kbit/s beside 6.06 Mbit/s reads as less than a quarter, not as 1/240.
func TestHeadlineUnits(t *testing.T) {
	pane := func(kbit float64) *pane {
		p := &pane{}
		p.headline.measure = score.Measure{Name: "down_kbit_per_second", Value: kbit, OK: true}
		value, unit, digits := rateUnit(kbit)
		p.headline.unit = unit
		p.headline.value.set(p.headline.texts.fixed(value, digits).end())
		return p
	}
	for _, c := range []struct {
		rates []float64
		want  string
	}{{[]float64{25, 6060}, "25 kbit/s, 6060 kbit/s"}, {[]float64{1200, 6060}, "1.20 Mbit/s, 6.06 Mbit/s"}} {
		h := &HUD{}
		for _, kbit := range c.rates {
			h.panes = append(h.panes, pane(kbit))
		}
		h.alignRates()
		var got []string
		for _, p := range h.panes {
			got = append(got, p.headline.value.text+" "+p.headline.unit)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%v: %s, want %s", c.rates, text, c.want)
		}
	}
}

// TestHeadlineUnitsInSession promises the same of a picture that is drawn after a tick.
func TestHeadlineUnitsInSession(t *testing.T) {
	experiment.Skip(t)
	l := stagetest.Katamari(t, "latency=50ms", "lockstep", "snapshot:snapshot-every=3")
	var s HUD
	stagetest.Show(t, l, "headline=down_kbit_per_second")
	stagetest.RollAndPull(t, &s, l, 120)
	large := &s.panes[1].headline
	if s.frame(l); !(large.measure.Value > 1000) || large.unit != "kbit/s" || s.panes[0].headline.unit != "kbit/s" {
		t.Errorf("%s %s of %v kbit/s, beside %s", large.value.text, large.unit, large.measure.Value, s.panes[0].headline.unit)
	}
}

// TestTitleCardCovers promises that nothing of the picture shows through a title card.
func TestTitleCardCovers(t *testing.T) {
	l := stagetest.Session(t, "perfect", "rewind")
	var s HUD
	stagetest.Roll(t, &s, l, 2)
	var list render.DrawList
	s.DrawTitleCard(&list, l, "Title", Rect{W: 640, H: 360})
	if a := list.Items[0].Color.A; a != 255 {
		t.Errorf("the ground of the card has an alpha of %d of 255", a)
	}
}

// TestHeadlineNames promises that every name works as a headline: it has a label or a unit, and its text is in
// the font.
func TestHeadlineNames(t *testing.T) {
	l := stagetest.Session(t, "perfect", "rewind")
	var s HUD
	stagetest.Roll(t, &s, l, 2)
	if n := len(headlineNames(t)); n < 100 {
		t.Fatalf("%d names", n)
	}
	for _, name := range headlineNames(t)[1:] {
		s.panes[0].updateHeadline(&stage.Settings{Headline: name}, true)
		if h := &s.panes[0].headline; h.name != name || h.value.text == "" || h.label == "" {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

// TestHeadlineTitles promises words for every headline: no underscore, and a unit where the name has one.
func TestHeadlineTitles(t *testing.T) {
	for name, want := range map[string]string{"path_error_rms_m": "path error RMS, m", "corrections": "corrections",
		"snapshot_age_ms": "snapshot age, ms", "down_kbit_per_second": "bandwidth down, kbit/s"} {
		if got := HeadlineTitle(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, name := range headlineNames(t) {
		if title := HeadlineTitle(name); title == "" || strings.Contains(title, "_") {
			t.Errorf("%s: %q", name, title)
		}
	}
}

// TestLowCaptionsKeepLinesApart promises that in low panes the lines of a caption lie below the headline, its label and its
// unit, by the height of a line, in stills, usual windows and large texts.
func TestLowCaptionsKeepLinesApart(t *testing.T) {
	spec := "statesync:smoothing=single:smooth-factor=0.85:smooth-slerp=0.15:position-steps=512"
	l := stagetest.Session(t, "latency=75ms", spec, spec, spec, spec)
	var s HUD
	stagetest.Show(t, l, "headline=pops_all_per_minute")
	stagetest.Roll(t, &s, l, 90)
	for _, size := range []Rect{{W: 960, H: 540}, {W: 930, H: 690}, {W: 1280, H: 720}, {W: 1570, H: 1000}} {
		for _, zoom := range []float32{1, 1.5} {
			var f Frame
			s.Compose(&f, l, size, Options{TextZoom: zoom}, 1)
			lines := 0
			for i := range f.Overlay.Items {
				head := &f.Overlay.Items[i]
				if head.Text != "pops, all bodies" && head.Text != "per minute" {
					continue
				}
				for k := range f.Overlay.Items {
					o := &f.Overlay.Items[k]
					if o.Kind != render.TextKind || o.Y <= head.Y || o.X > head.X+head.Font.Width(head.Text) || o.X+o.Font.Width(o.Text) < head.X {
						continue
					}
					lines++
					if d := o.Y - head.Y; d < 0.85*o.Font.Height() {
						t.Errorf("%v, texts at %v: %q lies %v pixels below %q of %v", size, zoom, o.Text, d, head.Text, head.Font.Height())
					}
				}
			}
			if lines == 0 {
				t.Errorf("%v, texts at %v: no line below a headline", size, zoom)
			}
		}
	}
}
