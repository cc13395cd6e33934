//go:build !js && !windows

package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopyText checks that a text reaches the first clipboard program that is installed and works, that the error of the
// last one is returned if all fail, and that the error names the programs if there is none.
func TestCopyText(t *testing.T) {
	const text = "ghostcube bench --seconds 5"
	bin, shell := t.TempDir(), "/bin/sh"
	if _, err := os.Stat(shell); err != nil {
		t.Skip("needs a shell: ", err)
	}
	copied := filepath.Join(bin, "copied")
	install := func(name, script string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!"+shell+"\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	if err := CopyText(text); err == nil || !strings.Contains(err.Error(), "none of wl-copy, xclip and xsel is installed") {
		t.Error(err)
	}
	install("wl-copy", "exit 3")
	if err := CopyText(text); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
	install("xclip", `read -r line; echo "$* $line" >`+copied)
	if err := CopyText(text + "\n"); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(copied); err != nil || string(got) != "-selection clipboard "+text+"\n" {
		t.Errorf("%q, %v", got, err)
	}
}
