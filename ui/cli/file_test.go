//go:build !js || headless

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// endlessFlags are the flags of the commands that read a file, and what every such file begins with.
var endlessFlags = []struct{ flags, head string }{
	{"--config FILE list", ""}, {"bench --tape FILE", "ghostcube tape 2\n"}, {"play FILE", "ghostcube tape 2\n"}, {"bench --network trace=FILE", ""},
	{"hash --scene-file FILE", ""}, {"hash --verify FILE", hashFileHeader + "\n"}, {"codec --data FILE", ""}, {"codec --quaternions FILE", ""},
}

// TestDevicesAreRefused checks that no command reads a device, which may never end, as a file.
func TestDevicesAreRefused(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("needs /dev/zero: ", err)
	}
	for _, c := range endlessFlags {
		refused(t, "/dev/zero: it is a device: want a file or a pipe\n", strings.Fields(strings.ReplaceAll(c.flags, "FILE", "/dev/zero"))...)
	}
}

// TestLargeFilesAreRefused checks that every command that reads a file refuses one that is larger than its kind can be.
func TestLargeFilesAreRefused(t *testing.T) {
	for _, c := range endlessFlags {
		file := filepath.Join(t.TempDir(), "huge.csv")
		need(os.WriteFile(file, []byte(c.head), 0o600))
		if err := os.Truncate(file, 1<<40); err != nil { // it takes no room
			t.Skip("needs files with holes: ", err)
		}
		errs := refused(t, "huge.csv: it has more than ", strings.Fields(strings.ReplaceAll(c.flags, "FILE", file))...)
		if !strings.HasSuffix(errs, "B, the largest size\n") {
			t.Errorf("%s: %q", c.flags, errs)
		}
	}
}

// TestEndlessPipes checks that a pipe is read as a file, and that one that never ends is refused at the limit.
func TestEndlessPipes(t *testing.T) {
	experiment.Skip(t)
	pipe := func(text string, endless bool) (name string) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		name = "/dev/fd/" + strconv.Itoa(int(r.Fd()))
		if _, err := os.Stat(name); err != nil {
			t.Skip("needs /dev/fd: ", err)
		}
		go func() {
			defer w.Close()
			for {
				if _, err := io.WriteString(w, text); err != nil || !endless {
					return
				}
			}
		}()
		return name
	}
	comment := "#" + strings.Repeat(" comment", 100) + "\n"
	for _, c := range []struct{ flags, want string }{
		{"--config FILE list", ": it has more than 64 kB, the largest size\n"}, {"bench --tape FILE", ": it has more than 128 MB, the largest size\n"},
		{"bench --network trace=FILE", ": it has more than 4 MB, the largest size\n"},
	} {
		refused(t, c.want, strings.Fields(strings.ReplaceAll(c.flags, "FILE", pipe(comment, true)))...)
	}
	if out := printed(t, "--config", pipe("seed = 7\n", false), "bench", "--seconds", "0.1"); !strings.Contains(out, "seed 7") {
		t.Error(out)
	}
}
