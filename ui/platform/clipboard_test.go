//go:build !js && !windows

package platform

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeTools makes shell scripts the only programs that are found. A # stands for the folder they are in.
func fakeTools(t *testing.T, scripts map[string]string) (folder string) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	folder = t.TempDir()
	for name, script := range scripts {
		text := "#!" + shell + "\nPATH=" + os.Getenv("PATH") + "\n" + strings.ReplaceAll(script, "#", folder) + "\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder)
	return folder
}

// TestClipboard promises that a text comes back as it was copied, by the first tool that works.
func TestClipboard(t *testing.T) {
	fakeTools(t, map[string]string{
		"wl-copy": "exit 1", "wl-paste": "exit 1",
		"xclip": `case "$3" in -out) cat #/text;; *) cat >#/text;; esac`,
		"xsel":  "exit 1",
	})
	for _, text := range []string{"seed", "two\nlines\n", "日本 é"} {
		if err := CopyText(text); err != nil {
			t.Fatal(err)
		}
		if got, err := PasteText(); err != nil || got != text {
			t.Errorf("%q comes back as %q, %v", text, got, err)
		}
	}
}

// TestClipboardFails promises a reason where there is no tool, no text or no answer, and that a very long text ends.
func TestClipboardFails(t *testing.T) {
	defer func(d time.Duration) { clipboardTime = d }(clipboardTime)
	for _, c := range []struct {
		name, script string
		limit        time.Duration
		want         string // part of the error; empty: a long text
	}{
		{"none", "", time.Minute, "none of wl-clipboard, xclip and xsel is installed"},
		{"xclip", "echo 'Error: target STRING not available' >&2; exit 1", time.Minute, "the clipboard has no text"},
		{"xclip", "exec sleep 60", 50 * time.Millisecond, "did not answer within"},
		{"xclip", "while echo abc; do :; done", time.Minute, ""},
	} {
		tools := map[string]string{c.name: c.script}
		if c.name == "none" {
			tools = nil
		}
		t.Run(c.name, func(t *testing.T) {
			fakeTools(t, tools)
			clipboardTime = c.limit
			got, err := PasteText()
			switch {
			case c.want == "" && (err != nil || len(got) != maxPaste || !strings.HasPrefix(got, "abc\nabc\n")):
				t.Errorf("%d bytes, %v", len(got), err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
		})
	}
}
