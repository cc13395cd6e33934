package recorder

import (
	"image/gif"
	"os"
	"path/filepath"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/sim"
)

func shot(t *testing.T, rate, ticks, lead, fps int, commands map[int]lab.Command) *Shot {
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
	return &Shot{Lab: l, Entries: entries, Lead: lead, Format: video.Format{File: filepath.Join(t.TempDir(), "clip.gif"), W: 96, H: 64, FPS: fps}}
}

// TestExactSpan says that a film holds as many pictures as its span of ticks
// takes at its rate, no more and no fewer, and has run all of its ticks.
func TestExactSpan(t *testing.T) {
	slow := map[int]lab.Command{0: {Verb: "show", Pane: lab.All, Name: "speed", Value: "0.25"}}
	for _, c := range []struct {
		rate, ticks, lead, fps, want int
		commands                     map[int]lab.Command
	}{
		{60, 60, 0, 20, 20, nil}, {60, 60, 0, 25, 25, nil}, {60, 61, 0, 20, 20, nil}, {64, 128, 0, 25, 50, nil}, {60, 90, 30, 20, 20, nil},
		{25, 25, 0, 50, 50, nil}, {60, 1, 0, 50, 0, nil}, {50, 2, 1, 50, 1, nil}, {50, 25, 0, 50, 100 - 3, slow}, // the first step is made before the command
	} {
		s := shot(t, c.rate, c.ticks, c.lead, c.fps, c.commands)
		r, err := Shoot(s)
		if err != nil {
			t.Fatal(err)
		}
		if r.Pictures != c.want || int(s.Lab.Ticks()) != c.ticks {
			t.Errorf("%d ticks at %d Hz after %d, at %d pictures a second: %d pictures, want %d; %d ticks run", c.ticks, c.rate, c.lead, c.fps, r.Pictures, c.want, s.Lab.Ticks())
		}
		f, err := os.Open(s.Format.File)
		if err != nil {
			t.Fatal(err)
		}
		if r.Pictures > 0 {
			g, err := gif.DecodeAll(f)
			if err != nil || len(g.Image) != r.Pictures {
				t.Errorf("the file does not hold them: %v", err)
			}
		}
		f.Close()
	}
}

// TestStop says that a film that is stopped is whole as far as it goes.
func TestStop(t *testing.T) {
	s := shot(t, 60, 600, 0, 20, nil)
	stop := make(chan struct{})
	s.Stop = stop
	s.Progress = func(done int) {
		if done == 60 {
			close(stop)
		}
	}
	r, err := Shoot(s)
	if err != nil || r.Pictures < 18 || r.Pictures > 21 {
		t.Errorf("%d pictures, %v", r.Pictures, err)
	}
}

// TestFails says that a film that cannot be written, or whose session cannot be
// run, says so.
func TestFails(t *testing.T) {
	s := shot(t, 60, 60, 0, 20, nil)
	s.Format.File = "clip.avi"
	if _, err := Shoot(s); err == nil {
		t.Error("an avi is written")
	}
	s = shot(t, 60, 60, 0, 20, map[int]lab.Command{20: {Verb: "switch", Name: "rewnid"}})
	if _, err := Shoot(s); err == nil {
		t.Error("an unknown strategy is shown")
	}
}

// TestPaint says that the studio paints the whole picture: nothing of what was
// there before is left.
func TestPaint(t *testing.T) {
	s := shot(t, 60, 60, 0, 20, nil)
	r, err := Shoot(s)
	if err != nil {
		t.Fatal(err)
	}
	for y := range r.Last.Rect.Dy() {
		for x := range r.Last.Rect.Dx() {
			if r.Last.RGBAAt(x, y).A != 255 {
				t.Fatalf("pixel %d, %d of the last picture was not painted", x, y)
			}
		}
	}
}
