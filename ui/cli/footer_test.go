//go:build !js || headless

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// TestRecordFooter promises that --footer replaces the note that names the tape, also by nothing, and that whoever waits
// for the program learns how far it is. The end of a note is not left out in silence.
func TestRecordFooter(t *testing.T) {
	experiment.Skip(t)
	said := ""
	still := func(args ...string) []byte {
		name := filepath.Join(t.TempDir(), "still.png")
		var out, errors bytes.Buffer
		e := testEnvironment(append([]string{"record", "--tape", "circle", "--seconds", "0.5", "--size", "640x360", "-o", name}, args...), &out, &errors)
		var shares []float64
		e.Progress = func(share float64) { shares = append(shares, share) }
		if code := Main(e); code != 0 {
			t.Fatalf("%d: %s", code, &errors)
		}
		if n := len(shares); n < 20 || n > 100 || shares[n-1] != 1 || !slices.IsSorted(shares) {
			t.Errorf("progress %v", shares)
		}
		said += errors.String()
		b := must(os.ReadFile(name))
		return b
	}
	standard, same, none, other := still(), still("--footer", "tape circle"), still("--footer="), still("--footer", "another note")
	if !bytes.Equal(standard, same) || bytes.Equal(standard, none) || bytes.Equal(standard, other) || bytes.Equal(none, other) {
		t.Error("footers")
	}
	if said != "" {
		t.Errorf("errors %q", said)
	}
	still("--footer", "mine, "+strings.Repeat("long ", 20))
	if want := "ghostcube: --footer: the last frame has room for no more than \"mine\"\n"; said != want {
		t.Errorf("errors %q, want %q", said, want)
	}
}

// TestRecordUnusedFlags promises that a flag which the picture cannot follow is an error.
func TestRecordUnusedFlags(t *testing.T) {
	dir := t.TempDir()
	for flags, want := range map[string]string{
		"-o x.png --captions":              "--captions: a still is one moment",
		"-o x.png --from 1":                "--from: a still is one moment",
		"-o x.png --title-card 2s":         "--title-card: a still is one moment",
		"-o x.png --fps 30":                "--fps: a still is one moment",
		"-o x.png --slow 1/2":              "--slow: a still is one moment",
		"-o x.webm --no-hud --footer mine": "--footer: --no-hud leaves it out",
		"-o x.webm --no-hud --title mine":  "--title: --no-hud leaves it out",
	} {
		if code, _, errs := runIn(t, dir, append([]string{"record"}, strings.Fields(flags)...)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s; want %s", flags, code, errs, want)
		}
	}
}
