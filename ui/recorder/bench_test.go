package recorder

import (
	"image"
	"testing"
	"time"

	"ghostcube/assets"
	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// benchmarkSessions are sessions of all sorts: one pane, comparisons of two and of four, few bodies and hundreds.
var benchmarkSessions = []struct {
	name     string
	settings plan.Settings
}{
	{"zen", plan.Settings{Tape: "circle", Scene: "zen", Panes: "rewind"}},
	{"zen four panes", plan.Settings{Tape: "circle", Scene: "zen", Panes: "noprediction,rewind,snapshot,statesync"}},
	{"katamari", plan.Settings{Tape: "katamari-ball", Scene: "katamari", Panes: "statesync"}},
	{"katamari four panes", plan.Settings{Compare: "statesync-smoothing"}},
	{"prediction", plan.Settings{Compare: "prediction"}},
	{"crowd", plan.Settings{Compare: "crowd"}},
}

// planSession returns a session with its entries for n ticks.
func planSession(t testing.TB, s plan.Settings, n int) (*lab.Lab, []lab.Entry) {
	t.Helper()
	library := &plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons}
	p, err := library.New(s, plan.Settings{}, "")
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	entries := p.Entries(n).All()
	entries[0].Commands = append(p.Display(), entries[0].Commands...)
	return l, entries
}

// BenchmarkPaint measures the painting of one picture of 1280 by 720 after four seconds of a session.
func BenchmarkPaint(b *testing.B) {
	for _, s := range benchmarkSessions {
		b.Run(s.name, func(b *testing.B) {
			l, entries := planSession(b, s.settings, 4*60)
			st := &hud.HUD{}
			for _, e := range entries {
				if err := l.Tick(e); err != nil {
					b.Fatal(err)
				}
				st.Tick(l)
			}
			var p Painter
			var f hud.Frame
			im := image.NewRGBA(image.Rect(0, 0, 1280, 720))
			paint := func() {
				st.Compose(&f, l, stage.Rect{W: 1280, H: 720}, hud.Options{Title: s.name}, 1)
				p.paint(im, &f)
			}
			paint() // allocates what later pictures use again
			b.ReportAllocs()
			for b.Loop() {
				paint()
			}
		})
	}
}

// BenchmarkRecord measures the making of a video of 1280 by 720 at 60 frames per second without the encoding: the
// session, the stage and the pictures of a second from four seconds on. x is the share of real time.
func BenchmarkRecord(b *testing.B) {
	for _, s := range benchmarkSessions {
		b.Run(s.name, func(b *testing.B) {
			frames, spent := 0, time.Duration(0)
			for b.Loop() {
				l, entries := planSession(b, s.settings, 5*60)
				var start time.Time
				j := &Job{Lab: l, Entries: entries, SkipTicks: 4 * 60, Format: video.Format{W: 1280, H: 720, FPS: 60}}
				j.Progress = func(ticks int) {
					if ticks == j.SkipTicks {
						start = time.Now()
					}
				}
				r, err := j.record(discard{})
				if err != nil || r.FrameCount != 60 {
					b.Fatal(r.FrameCount, err)
				}
				spent += time.Since(start)
				frames += r.FrameCount
			}
			b.ReportMetric(spent.Seconds()*1000/float64(frames), "ms/frame")
			b.ReportMetric(float64(frames)/60/spent.Seconds(), "x")
		})
	}
}

// discard is a video that nobody sees.
type discard struct{}

func (discard) Add(*image.RGBA) error              { return nil }
func (discard) Close() ([]*atomicfile.File, error) { return nil, nil }
