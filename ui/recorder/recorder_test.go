package recorder

import (
	"image/gif"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

func newJob(t *testing.T, rate, ticks, lead, fps int, commands map[int]lab.Command) *Job {
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
	return &Job{Lab: l, Entries: entries, SkipTicks: lead, Format: video.Format{File: filepath.Join(t.TempDir(), "clip.gif"), W: 96, H: 64, FPS: fps}}
}

// TestFrameCount says that a film holds as many pictures as its span of ticks
// takes at its rate, no more and no fewer, and has run all of its ticks.
func TestFrameCount(t *testing.T) {
	slow := map[int]lab.Command{0: stage.Show("speed", "0.25")}
	for _, c := range []struct {
		rate, ticks, lead, fps, want int
		commands                     map[int]lab.Command
	}{
		{60, 60, 0, 20, 20, nil}, {60, 60, 0, 25, 25, nil}, {60, 61, 0, 20, 20, nil}, {64, 128, 0, 25, 50, nil}, {60, 90, 30, 20, 20, nil},
		{25, 25, 0, 50, 50, nil}, {60, 1, 0, 50, 0, nil}, {50, 2, 1, 50, 1, nil}, {50, 25, 0, 50, 100 - 3, slow}, // the first step is made before the command
	} {
		s := newJob(t, c.rate, c.ticks, c.lead, c.fps, c.commands)
		r, err := Record(s)
		if err != nil {
			t.Fatal(err)
		}
		if r.FrameCount != c.want || int(s.Lab.Ticks()) != c.ticks {
			t.Errorf("%d ticks at %d Hz after %d, at %d pictures a second: %d pictures, want %d; %d ticks run", c.ticks, c.rate, c.lead, c.fps, r.FrameCount, c.want, s.Lab.Ticks())
		}
		f, err := os.Open(s.Format.File)
		if err != nil {
			t.Fatal(err)
		}
		if r.FrameCount > 0 {
			g, err := gif.DecodeAll(f)
			if err != nil || len(g.Image) != r.FrameCount {
				t.Errorf("the file does not hold them: %v", err)
			}
		}
		f.Close()
	}
}

// TestStop says that a film that is stopped is whole as far as it goes.
func TestStop(t *testing.T) {
	s := newJob(t, 60, 600, 0, 20, nil)
	stop := make(chan struct{})
	s.Stop = stop
	s.Progress = func(done int) {
		if done == 60 {
			close(stop)
		}
	}
	r, err := Record(s)
	if err != nil || r.FrameCount < 18 || r.FrameCount > 21 {
		t.Errorf("%d pictures, %v", r.FrameCount, err)
	}
}

// TestFails says that a film that cannot be written, or whose session cannot be
// run, says so.
func TestFails(t *testing.T) {
	s := newJob(t, 60, 60, 0, 20, nil)
	s.Format.File = "clip.avi"
	if _, err := Record(s); err == nil {
		t.Error("an avi is written")
	}
	s = newJob(t, 60, 60, 0, 20, map[int]lab.Command{20: {Verb: "switch", Name: "rewnid"}})
	if _, err := Record(s); err == nil {
		t.Error("an unknown strategy is shown")
	}
	s = newJob(t, 60, 60, 0, 20, map[int]lab.Command{20: stage.Show("colr", "age")})
	if _, err := Record(s); err == nil || !strings.Contains(err.Error(), `no display setting "colr" (there are split, ghosts,`) {
		t.Errorf("an unknown display setting: %v", err)
	}
}

// TestEveryPixelIsDrawn says that the studio paints the whole picture: nothing of what was
// there before is left.
func TestEveryPixelIsDrawn(t *testing.T) {
	s := newJob(t, 60, 60, 0, 20, nil)
	r, err := Record(s)
	if err != nil {
		t.Fatal(err)
	}
	for y := range r.LastFrame.Rect.Dy() {
		for x := range r.LastFrame.Rect.Dx() {
			if r.LastFrame.RGBAAt(x, y).A != 255 {
				t.Fatalf("pixel %d, %d of the last picture was not painted", x, y)
			}
		}
	}
}
