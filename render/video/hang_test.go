package video

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// fakeFFmpeg writes a shell script and returns its path.
func fakeFFmpeg(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "ffmpeg")
	// A child that is started meanwhile would inherit the open file, which then could not be executed.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFFmpegHangs checks that an ffmpeg that hangs, at a picture or at the end, itself or with a
// child that has its input open, is stopped after the limit, and that the error names the file and
// says whether there is anything in it. A slow one that makes progress is not stopped.
func TestFFmpegHangs(t *testing.T) {
	experiment.Skip(t)
	for name, c := range map[string]struct{ script, want string }{
		"at a picture":  {"exec sleep 60", "no part of "},
		"with a child":  {"sleep 5", "no part of "},
		"at the end":    {"cat >/dev/null; exec sleep 60", "no part of "},
		"after a while": {"for f; do :; done; { printf '\\0\\0\\0\\010moof\\0\\0\\0\\010mdat'; head -c 50000; } >${f#file:}; exec sleep 60", "part.mp4 plays up to"},
		"slow":          {"for f; do :; done; for i in 1 2 3 4 5 6 7 8; do head -c 50000 >>${f#file:}; sleep 0.1; done; cat >/dev/null", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := Format{File: filepath.Join(t.TempDir(), "clip.mp4"), W: 160, H: 90, FPS: 30}
			path := fakeFFmpeg(t, c.script)
			start := time.Now()
			w, err := startH264(f, []string{path}, timeLimits{stall: 400 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < 20 && err == nil; i++ {
				err = w.Add(testFrame(f.W, f.H, i))
			}
			if _, closed := w.Close(); err == nil {
				err = closed
			}
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), "no progress for 400ms") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q in it", err, c.want)
			}
			if took := time.Since(start); took > 4*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestFFmpegQueryHangs checks that an ffmpeg that does not list its encoders counts as none, with an
// error that says why.
func TestFFmpegQueryHangs(t *testing.T) {
	query := func(path string, limits timeLimits) ([]string, error) {
		t.Setenv("PATH", filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"))
		return queryFFmpeg(limits)
	}
	path := fakeFFmpeg(t, "exec sleep 60")
	_, err := query(path, timeLimits{query: 100 * time.Millisecond})
	if !errors.Is(err, ErrNoFFmpeg) || !strings.Contains(err.Error(), path+" did not list its encoders within 100ms") {
		t.Error(err)
	}
	if encoder, err := query(fakeFFmpeg(t, "echo ' V..... libx264 '"), defaultLimits); err != nil || encoder[2] != "libx264" {
		t.Error(encoder, err)
	}
}
