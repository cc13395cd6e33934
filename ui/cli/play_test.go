//go:build !js || headless

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ghostcube/internal/experiment"
)

// TestPlayScoresAsBench checks that playing the tape of a bench gives the same report, except
// for the tape's name and the CPU figures.
func TestPlayScoresAsBench(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.tape")
	was := runBench(t, "--panes", "noprediction,rewind:redundant=off:smoothing=single,lockstep", "--network", "wifi-bad,loss=5%", "--rate", "64",
		"--seed", "9", "--seconds", "8", "--fault-every", "2s", "--corrections", "--save-tape", file)
	var is result
	need(json.Unmarshal([]byte(printed(t, "play", file, "--corrections", "--format", "json")), &is))
	if is.Tape != file || len(is.Panes) != 3 || len(is.Panes[1].Corrections.List) == 0 {
		t.Fatalf("%+v", is)
	}
	for _, r := range []*result{was, &is} {
		r.Tape = ""
		for i := range r.Panes {
			r.Panes[i].CPU = nil
		}
	}
	a, _ := json.Marshal(was)
	b, _ := json.Marshal(&is)
	if string(a) != string(b) {
		t.Errorf("bench\n%s\nplay\n%s", a, b)
	}
}

// TestTapeWithUnknownDisplaySetting promises that every command that reads a tape refuses one
// with an unknown display setting, and names the allowed ones, whether or not the command
// draws anything.
func TestTapeWithUnknownDisplaySetting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "odd.tape")
	const text = "ghostcube tape 2\nscene plain\npane rewind\n---\n30\n! show all color agee\n30\nend 60\n"
	need(os.WriteFile(file, []byte(text), 0o666))
	for _, args := range [][]string{
		{"play", file}, {"play", file, "--verify"}, {"bench", "--tape", file}, {"--tape", file},
		{"record", "--tape", file, "-o", filepath.Join(t.TempDir(), "%d.png")}, {"packets", "--tape", file},
	} {
		refused(t, `tick 30: show all color agee: no color "agee" (there are off, priority,`, args...)
	}
}

// TestTapePath checks the names of tapes beside videos.
func TestTapePath(t *testing.T) {
	for video, want := range map[string]string{
		"clip.mp4": "clip.tape", "a.b/clip.2.gif": "a.b/clip.2.tape", "frames/%05d.png": "frames/session.tape",
		"frames/f-%03d.png": "frames/f.tape", "%d.png": "session.tape", "x_%04d_y.png": "x_y.tape",
	} {
		if got := tapePath(video); got != want {
			t.Errorf("%s: %s, want %s", video, got, want)
		}
	}
}
