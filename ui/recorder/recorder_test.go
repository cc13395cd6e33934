package recorder

import (
	"errors"
	"hash/fnv"
	"image"
	"image/gif"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ghostcube/internal/atomicfile"
	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/sim"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// newJob returns a job for a GIF of a session with commands before some ticks; skip is SkipTicks.
func newJob(t *testing.T, rate, ticks, skip, fps int, commands map[int]lab.Command) *Job {
	t.Helper()
	c := lab.Config{Scene: "plain", Rate: rate}
	if err := c.Network.Parse("csp-75ms"); err != nil {
		t.Fatal(err)
	}
	l := lab.New(c)
	if _, err := l.Open("rewind"); err != nil {
		t.Fatal(err)
	}
	entries := make([]lab.Entry, ticks)
	for i := range entries {
		entries[i].Inputs = []sim.Input{{Buttons: sim.Right}}
		if c, ok := commands[i]; ok {
			entries[i].Commands = []lab.Command{c}
		}
	}
	return &Job{Lab: l, Entries: entries, SkipTicks: skip, Format: video.Format{File: filepath.Join(t.TempDir(), "clip.gif"), W: 96, H: 64, FPS: fps}}
}

// TestFrameCount promises that a video has exactly as many frames as its ticks last at its frame rate, and that
// all ticks have been made.
func TestFrameCount(t *testing.T) {
	slow := map[int]lab.Command{0: stage.Show("speed", "0.25")}
	for _, c := range []struct {
		rate, ticks, skip, fps, want int
		commands                     map[int]lab.Command
	}{
		{60, 60, 0, 20, 20, nil}, {60, 60, 0, 25, 25, nil}, {60, 61, 0, 20, 20, nil}, {64, 128, 0, 25, 50, nil}, {60, 90, 30, 20, 20, nil},
		{25, 25, 0, 50, 50, nil}, {60, 1, 0, 50, 0, nil}, {50, 2, 1, 50, 1, nil}, {50, 25, 0, 50, 100 - 3, slow}, // the first frame comes before the command
	} {
		s := newJob(t, c.rate, c.ticks, c.skip, c.fps, c.commands)
		r, err := Record(s)
		if err != nil {
			t.Fatal(err)
		}
		if r.FrameCount != c.want || int(s.Lab.Ticks()) != c.ticks {
			t.Errorf("%d ticks at %d Hz, %d of them skipped, at %d fps: %d frames, want %d; %d ticks made", c.ticks,
				c.rate, c.skip, c.fps, r.FrameCount, c.want, s.Lab.Ticks())
		}
		f, err := os.Open(s.Format.File)
		if err != nil {
			t.Fatal(err)
		}
		if r.FrameCount > 0 {
			g, err := gif.DecodeAll(f)
			if err != nil || len(g.Image) != r.FrameCount {
				t.Errorf("the file has other frames: %v", err)
			}
		}
		f.Close()
	}
}

// TestTitleCard promises that the title card takes its time before the first frame, which is not covered.
func TestTitleCard(t *testing.T) {
	s := newJob(t, 60, 60, 0, 20, nil)
	s.Title, s.CardTicks = "Title", 90
	r, err := Record(s)
	if err != nil || r.FrameCount != 30+20 {
		t.Fatalf("%d frames, %v; want 50", r.FrameCount, err)
	}
	file, err := os.Open(s.Format.File)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	g, err := gif.DecodeAll(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range g.Image { // a frame of which nothing changes is written as one pixel
		if covers := p.Rect.Dx() > 60; (i < 30) != (i == 0 || !covers) && i <= 30 {
			t.Errorf("frame %d covers %v", i, p.Rect)
		}
	}
}

// TestStop promises that a video that is stopped is complete up to there.
func TestStop(t *testing.T) {
	s := newJob(t, 60, 600, 0, 20, nil)
	stop := make(chan struct{})
	s.Stop = stop
	s.Progress = func(ticks int) {
		if ticks == 60 {
			close(stop)
		}
	}
	r, err := Record(s)
	if err != nil || r.FrameCount < 18 || r.FrameCount > 21 {
		t.Errorf("%d frames, %v", r.FrameCount, err)
	}
}

// TestFails promises an error for a format that cannot be written, and for a command that the session or the
// screen refuses.
func TestFails(t *testing.T) {
	s := newJob(t, 60, 60, 0, 20, nil)
	s.Format.File = "clip.avi"
	if _, err := Record(s); err == nil {
		t.Error("an AVI is written")
	}
	s = newJob(t, 60, 60, 0, 20, map[int]lab.Command{20: {Verb: "switch", Name: "rewnid"}})
	if _, err := Record(s); err == nil {
		t.Error("an unknown strategy is accepted")
	}
	s = newJob(t, 60, 60, 0, 20, map[int]lab.Command{20: stage.Show("colr", "age")})
	if _, err := Record(s); err == nil || !strings.Contains(err.Error(), `no display setting "colr" (there are split, ghosts,`) {
		t.Errorf("an unknown display setting: %v", err)
	}
}

// collector is a video of the hashes of its pictures. It fails at the picture with the number failAt, unless that is 0.
type collector struct {
	hashes []uint64
	failAt int
}

func (c *collector) Add(im *image.RGBA) error {
	if c.failAt > 0 && len(c.hashes)+1 == c.failAt {
		return errFull
	}
	h := fnv.New64a()
	h.Write(im.Pix)
	c.hashes = append(c.hashes, h.Sum64())
	return nil
}

func (*collector) Close() ([]*atomicfile.File, error) { return nil, nil }

var errFull = errors.New("no space left")

// TestSamePictures promises that a video has the pictures that a session shows when each is painted before the next
// tick, with any number of workers.
func TestSamePictures(t *testing.T) {
	settings := plan.Settings{Tape: "shots", Scene: "zen", Panes: "noprediction,rewind,snapshot,statesync"}
	const n = 70
	l, entries := planSession(t, settings, n)
	var want collector
	var st hud.HUD
	var p Painter
	var f hud.Frame
	im := image.NewRGBA(image.Rect(0, 0, 320, 180))
	for _, e := range entries {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		st.Tick(l)
		o := hud.Options{Title: "four panes"}
		if len(e.Inputs) > 0 {
			o.Input = e.Inputs[0]
		}
		st.Compose(&f, l, stage.Rect{W: 320, H: 180}, o, 1)
		p.paint(im, &f)
		want.Add(im)
	}
	for _, workers := range []int{1, 2, 3, 7} {
		if experiment.Brief() && workers != 3 {
			continue
		}
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
			l, entries := planSession(t, settings, n)
			var got collector
			j := &Job{Lab: l, Entries: entries, Title: "four panes", Format: video.Format{W: 320, H: 180, FPS: l.Config().Rate}}
			r, err := j.record(&got)
			if err != nil || r.FrameCount != n {
				t.Fatal(r.FrameCount, err)
			}
			for i := range want.hashes {
				if got.hashes[i] != want.hashes[i] {
					t.Fatalf("%d workers: picture %d is another one", workers, i)
				}
			}
			if last := (&collector{}); last.Add(r.LastFrame) != nil || last.hashes[0] != want.hashes[n-1] {
				t.Errorf("%d workers: LastFrame is not the last one", workers)
			}
		}()
	}
}

// TestWriteError promises that an error of the video ends it, with the pictures before it.
func TestWriteError(t *testing.T) {
	for _, at := range []int{1, 5, 120} {
		s := newJob(t, 60, 120, 0, 60, nil)
		out := &collector{failAt: at}
		if r, err := s.record(out); !errors.Is(err, errFull) || r.FrameCount != at-1 || len(out.hashes) != at-1 {
			t.Errorf("an error at picture %d: %d pictures, %d written, %v", at, r.FrameCount, len(out.hashes), err)
		}
		if made := int(s.Lab.Ticks()); made > at+picturesAtWork {
			t.Errorf("an error at picture %d: %d ticks", at, made)
		}
	}
}

// TestEveryPixelIsDrawn promises that a frame covers the picture: no pixel keeps its former colour.
func TestEveryPixelIsDrawn(t *testing.T) {
	s := newJob(t, 60, 60, 0, 20, nil)
	r, err := Record(s)
	if err != nil {
		t.Fatal(err)
	}
	for y := range r.LastFrame.Rect.Dy() {
		for x := range r.LastFrame.Rect.Dx() {
			if r.LastFrame.RGBAAt(x, y).A != 255 {
				t.Fatalf("pixel %d, %d of the last frame was not drawn", x, y)
			}
		}
	}
}

// TestBeside promises that a video of two sessions shows the panes of both at one moment: its last frame is that of a
// picture composed of the two. The shorter one stays at its end.
func TestBeside(t *testing.T) {
	job := newJob(t, 60, 40, 0, 20, nil)
	other := newJob(t, 60, 25, 0, 20, map[int]lab.Command{5: {Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "2"}})
	job.Beside = &Beside{Lab: other.Lab, Entries: other.Entries, Labels: [lab.MaxPanes]string{"take 1", "take 2: nudge"}}
	job.Format.W, job.Format.H = 320, 180
	r, err := Record(job)
	if err != nil {
		t.Fatal(err)
	}
	if job.Lab.Ticks() != 40 || other.Lab.Ticks() != 25 {
		t.Errorf("ticks %d and %d, want 40 and 25", job.Lab.Ticks(), other.Lab.Ticks())
	}
	a, b := newJob(t, 60, 40, 0, 20, nil), newJob(t, 60, 25, 0, 20, map[int]lab.Command{5: {Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "2"}})
	var view lab.Lab
	var st hud.HUD
	var f hud.Frame
	for i := range 39 { // the last frame shows tick 39
		if err := a.Lab.Tick(a.Entries[i]); err != nil {
			t.Fatal(err)
		}
		if i < len(b.Entries) {
			if err := b.Lab.Tick(b.Entries[i]); err != nil {
				t.Fatal(err)
			}
		}
		view.ShowBeside(a.Lab, b.Lab)
		st.Tick(&view)
		if i%3 == 2 { // captions change with the frames
			st.Compose(&f, &view, stage.Rect{W: 320, H: 180}, hud.Options{Input: a.Entries[i].Inputs[0], PaneLabels: job.Beside.Labels}, 1)
		}
	}
	if len(view.Panes) != 2 {
		t.Fatalf("%d panes, want 2", len(view.Panes))
	}
	want := image.NewRGBA(image.Rect(0, 0, 320, 180))
	new(Painter).paint(want, &f)
	differ := 0
	for i := range want.Pix {
		if want.Pix[i] != r.LastFrame.Pix[i] {
			differ++
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d bytes of the last frame differ", differ, len(want.Pix))
	}
}
