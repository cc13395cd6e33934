//go:build !js || headless

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ghostcube/internal/experiment"
)

// TestRecordFooter promises that --footer replaces the note that names the tape, also by nothing, and that whoever waits
// for the program learns how far it is.
func TestRecordFooter(t *testing.T) {
	experiment.Skip(t)
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
		b := must(os.ReadFile(name))
		return b
	}
	standard, same, none, other := still(), still("--footer", "tape circle"), still("--footer="), still("--footer", "another note")
	if !bytes.Equal(standard, same) || bytes.Equal(standard, none) || bytes.Equal(standard, other) || bytes.Equal(none, other) {
		t.Error("footers")
	}
}
