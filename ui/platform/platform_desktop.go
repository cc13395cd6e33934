//go:build !js

package platform

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// InPage says whether the program runs in a page: a program of one thread, whose files are in memory until they are
// downloaded.
const InPage = false

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

// Deliver hands a finished file to the user, and returns the words for where it is. A page downloads it and keeps no
// copy. On a desktop the file is where it belongs.
func Deliver(name string) (where string) { return filepath.ToSlash(name) }

// Keep keeps a file until the next visit, where files are in memory.
func Keep(name string) error { return nil }

// Remember tells the page what to keep of the session. A desktop keeps nothing.
func Remember(link, file, rest, place string) {}

// Kept returns what the page has kept of the session that goes on: tape, place and why. On a desktop all are empty.
func Kept() (tape, place, why string) { return "", "", "" }

// TimeHidden returns for how long the page was hidden since the last call. A window on a desktop is never hidden.
func TimeHidden() time.Duration { return 0 }

// Progress receives the share of a command that is done, in [0, 1], for a program that waits for it (Run).
func Progress(share float64) {}

// Run runs the program once more beside this one, without a window: with arguments, and with files in memory by their
// paths. It returns the output and the wanted file, or the last line of the output as an error. progress receives the share that is done.
// A desktop has threads instead, so there Run is an error.
func Run(args []string, files map[string][]byte, wanted string, progress func(share float64)) (output string, file []byte, err error) {
	return "", nil, errors.ErrUnsupported
}

// Ready says that the first picture has been drawn. A page removes its loading bar.
func Ready() {}

// Report returns where a test wants the report of the frames (ui/window, Options.Report), or nil. On a desktop the test
// passes it to the window.
func Report() io.Writer { return nil }

// Address returns the address of the page without its query; empty on a desktop.
func Address() string { return "" }

// SetAddress makes a query, which begins with a question mark, that of the page's address; the browser's way back leads to the
// address before if another session begins. On a desktop it does nothing. Browsers allow about one call a second.
func SetAddress(query string, another bool) {}

// Describe gives the page a title, and a sentence about the session for screen readers. On a desktop it does nothing.
func Describe(title, state string) {}

// Offer shows controls under an embedded picture. It does nothing on a desktop.
func Offer(controls string, turned func(index int, value float64)) {}

// PrefersTouch reports whether the main pointer of the machine is a finger, as on a phone. On a desktop that shows only
// when the screen is touched.
func PrefersTouch() bool { return false }

// Visible reports whether any of the window can be seen. A desktop does not say.
func Visible() bool { return true }

// OpenLab opens the page of the whole lab with the session of an embedded one. It works in a page only.
func OpenLab() {}

// Mac reports whether the shortcuts of macOS are in use.
func Mac() bool { return runtime.GOOS == "darwin" }

// FocusTyping gives the keys to the browser's input method. On a desktop the window has them.
func FocusTyping() {}
