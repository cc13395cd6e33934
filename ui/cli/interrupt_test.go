package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
	"time"
)

// TestRecordInterrupted checks that an interrupt ends a recording early: video, tape and captions are complete up to
// there, the message says how much there is, and the exit code is not that of success.
func TestRecordInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("no process can be interrupted here")
	}
	file := filepath.Join(t.TempDir(), "clip.webm")
	part := filepath.Join(filepath.Dir(file), "clip.part.webm")
	go func() {
		for { // the interrupt is watched before the file is made
			if info, err := os.Stat(part); err == nil && info.Size() > 1000 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			self.Signal(os.Interrupt)
		}
	}()
	var out, errs bytes.Buffer
	code := Main(testEnvironment([]string{"record", "--seconds", "600", "--size", "128x128", "--captions", "-o", file}, &out, &errs))
	if code != 1 || !regexp.MustCompile(`^ghostcube: interrupted: .*clip\.webm has the first [1-9][0-9]*\.[0-9] s\n$`).MatchString(errs.String()) {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errs.String())
	}
	for _, name := range []string{"clip.tape", "clip.vtt"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), name)); err != nil {
			t.Error(err)
		}
	}
}
