//go:build !js || headless

package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// fullDisk takes a number of bytes and refuses the rest.
type fullDisk struct{ left int }

func (d *fullDisk) Write(b []byte) (int, error) {
	n := min(len(b), d.left)
	if d.left -= n; n < len(b) {
		return n, errors.New("no space left")
	}
	return n, nil
}

// TestOutputErrors checks that a command whose output cannot be written, at once or after some of
// it, fails with exit code 1 and says why.
func TestOutputErrors(t *testing.T) {
	experiment.Skip(t)
	for _, args := range [][]string{{"--version"}, {"--help"}, {"list"}, {"list", "knobs"}, {"list", "measures"}, {"bench", "--seconds", "1"},
		{"bench", "--seconds", "1", "--format", "json"}, {"bench", "--seconds", "1", "--format", "csv"}, {"hash", "--scene", "plain", "--ticks", "10"},
		{"packets", "--seconds", "1"}, {"network", "wifi-bad", "--probes", "100"}, {"list", "scenes", "wrong"}} {
		for _, room := range []int{0, 5} {
			var err bytes.Buffer
			code := Main(testEnvironment(args, &fullDisk{room}, &err))
			if args[len(args)-1] == "wrong" { // prints nothing
				if code != 2 || strings.Contains(err.String(), "no space") {
					t.Errorf("%v: exit code %d, %q", args, code, err.String())
				}
				continue
			}
			if code != 1 || err.String() != "ghostcube: the output is incomplete: no space left\n" {
				t.Errorf("%v with room for %d bytes: exit code %d, %q", args, room, code, err.String())
			}
		}
	}
}

// stutteringDisk refuses its second write.
type stutteringDisk struct {
	bytes.Buffer
	writes int
}

func (d *stutteringDisk) Write(b []byte) (int, error) {
	if d.writes++; d.writes == 2 {
		return 0, errors.New("no space left")
	}
	return d.Buffer.Write(b)
}

// TestOutputStopsAtError checks that nothing is printed after a part that could not be.
func TestOutputStopsAtError(t *testing.T) {
	d := &stutteringDisk{}
	w := &outputWriter{w: d}
	for _, part := range []string{"a", "b", "c"} {
		io.WriteString(w, part)
	}
	if w.err == nil || d.String() != "a" {
		t.Errorf("%v, %q", w.err, d.String())
	}
}

// TestLongLines checks that a line that is too long is reported with file, line and limit.
func TestLongLines(t *testing.T) {
	for _, c := range []struct{ name, text, flags, want string }{
		{"long.tape", "ghostcube tape 2\nscene ", "bench --tape FILE", "FILE: line 2: longer than 65535 bytes"},
		{"long.scene", "name x\nbody ", "hash --scene-file FILE", "FILE: line 2: longer than 65535 bytes"},
		{"long.txt", "", "codec --quaternions FILE", "FILE: line 1: longer than 65535 bytes"},
		{"long.hash", hashFileHeader + "\n", "hash --verify FILE", "FILE, line 2: longer than 1048575 bytes"},
	} {
		file := filepath.Join(t.TempDir(), c.name)
		need(os.WriteFile(file, []byte(c.text+strings.Repeat("1", 2<<20)), 0o600))
		refused(t, strings.ReplaceAll(c.want, "FILE", file), strings.Fields(strings.ReplaceAll(c.flags, "FILE", file))...)
	}
}

// TestReadOnlyFolder checks that a session without a window and without a folder for its files runs and prints
// its scores, and that it fails then, with the folder and the reason. A window with such a folder is refused.
func TestReadOnlyFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	need(os.WriteFile(file, nil, 0o600))
	code, out, errs := runCLI("--seconds", "2", "--out", filepath.Join(file, "below"))
	if code != 1 || !strings.Contains(errs, "no file was written: "+filepath.Join(file, "below")) || !strings.Contains(out, "key to screen") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	var printed, failed strings.Builder
	e := testEnvironment([]string{"--out", filepath.Join(file, "below")}, &printed, &failed)
	e.OpenWindow = func(*WindowOptions) (bool, error) { return true, nil }
	if code := Main(e); code != 2 || !strings.Contains(failed.String(), "below: it cannot be a folder for files: mkdir ") {
		t.Errorf("a window: exit code %d, %q", code, failed.String())
	}
}
