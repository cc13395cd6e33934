//go:build !js

package host

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// CheckDisplay returns why no window can be opened here, where that is known without an attempt.
func CheckDisplay() error {
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" {
		if os.Getenv("WAYLAND_DISPLAY") != "" {
			return errors.New("DISPLAY is not set; under Wayland the window needs XWayland")
		}
		return errors.New("DISPLAY is not set")
	}
	return nil
}

// clipboardTools are the programs that put their input into the clipboard, on Wayland, X11, macOS and Windows.
var clipboardTools = [][]string{{"wl-copy"}, {"xclip", "-selection", "clipboard"}, {"xsel", "--input", "--clipboard"}, {"pbcopy"}, {"clip.exe"}}

// CopyText copies a text to the clipboard. On a desktop it uses the first tool that is installed and works.
func CopyText(text string) error {
	var failed error
	for _, tool := range clipboardTools {
		path, err := exec.LookPath(tool[0])
		if err != nil {
			continue
		}
		cmd := exec.Command(path, tool[1:]...)
		cmd.Stdin = strings.NewReader(text)
		if failed = cmd.Run(); failed == nil {
			return nil
		}
	}
	if failed != nil {
		return failed
	}
	return errors.New("none of wl-copy, xclip and xsel is installed")
}

// Deliver hands a finished file to the user: a page downloads it. On a desktop the file is where it belongs.
func Deliver(name string) {}

// Ready says that the first picture has been drawn. A page removes its loading bar.
func Ready() {}

// Report returns where a test wants the report of the frames (ui/window, Options.Report), or nil. On a desktop the test
// passes it to the window.
func Report() io.Writer { return nil }
