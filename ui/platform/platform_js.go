package platform

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
	"syscall/js"
	"time"
)

// InPage says whether the program runs in a page: a program of one thread, whose files are in memory until they are
// downloaded.
const InPage = true

// page is the object with the page's functions, which page.js defines.
var page = js.Global().Get("ghostcube")

// CheckDisplay returns why no window can be opened here, where that is known without an attempt.
func CheckDisplay() error {
	if !page.Truthy() {
		return errors.New("this program runs outside a browser")
	}
	return nil
}

// errShown is the error of a text that is shown instead of copied.
var errShown = errors.New("the browser refused it; the page shows the text")

// CopyText copies a text to the clipboard. The browser may refuse it, and then the page shows the text.
func CopyText(text string) error {
	copied := make(chan bool, 1)
	var settled js.Func
	settled = js.FuncOf(func(_ js.Value, args []js.Value) any {
		settled.Release()
		copied <- args[0].Bool()
		return nil
	})
	page.Call("copy", text).Call("then", settled)
	select {
	case ok := <-copied:
		if ok {
			return nil
		}
		return errShown
	case <-time.After(500 * time.Millisecond): // the browser asks the user
		return nil
	}
}

// errRefused is the error of a text that the browser does not give.
var errRefused = errors.New("the browser does not give the clipboard's text")

// PasteText returns the text in the clipboard: that of the browser's own paste, which the keys for it cause, or else
// the browser asks the user. It may take as long as that.
func PasteText() (string, error) {
	pasted := make(chan js.Value, 1)
	var settled js.Func
	settled = js.FuncOf(func(_ js.Value, args []js.Value) any {
		settled.Release()
		pasted <- args[0]
		return nil
	})
	page.Call("paste").Call("then", settled)
	if text := <-pasted; text.Type() == js.TypeString {
		return text.String(), nil
	}
	return "", errRefused
}

// Mac reports whether the shortcuts of macOS are in use.
func Mac() bool { return mac() }

var mac = sync.OnceValue(func() bool {
	return strings.HasPrefix(js.Global().Get("navigator").Get("platform").String(), "Mac")
})

// FocusTyping gives the keys to the browser's input method, where that needs no touch.
func FocusTyping() { page.Call("focusTyping") }

// Deliver hands a finished file to the user, and returns the words for where it is. A page downloads it and keeps no
// copy. On a desktop the file is where it belongs.
func Deliver(name string) (where string) {
	page.Call("deliver", name)
	return path.Base(name) + ", downloaded"
}

// Keep keeps a file until the next visit, where files are in memory.
func Keep(name string) error {
	if failed := page.Call("keep", name).String(); failed != "" {
		return errors.New(failed)
	}
	return nil
}

// Remember tells the page what to keep of the session (ui/session, Kept) for a reload, a lost picture or a crash: the link of
// its plan and the file of its tape, both empty if they are those of the call before, the rest of the tape, and the place.
// All empty: nothing. A desktop keeps nothing.
func Remember(link, file, rest, place string) { page.Call("remember", link, file, rest, place) }

// Kept returns what the page has kept of the session that goes on: tape, place and why. On a desktop and in a session that
// begins all are empty.
func Kept() (tape, place, why string) {
	k := page.Get("kept")
	if !k.Truthy() {
		return "", "", ""
	}
	return k.Get("tape").String(), k.Get("place").String(), k.Get("why").String()
}

// TimeHidden returns for how long the page was hidden since the last call. A window on a desktop is never hidden.
func TimeHidden() time.Duration {
	return time.Duration(page.Call("hidden").Float() * float64(time.Millisecond))
}

// Progress receives the share of a command that is done, in [0, 1], for a program that waits for it (Run).
func Progress(share float64) {
	if f := js.Global().Get("ghostcubeProgress"); f.Type() == js.TypeFunction {
		f.Invoke(share)
	}
}

// Run runs the program once more beside this one, without a window: with arguments, and with files in memory by their
// paths. It returns the output and the wanted file, or the last line of the output as an error. progress receives the share
// that is done. A desktop has threads instead, so there Run is an error.
func Run(args []string, files map[string][]byte, wanted string, progress func(share float64)) (output string, file []byte, err error) {
	list := js.Global().Get("Array").New()
	for _, a := range args {
		list.Call("push", a)
	}
	pairs := js.Global().Get("Array").New()
	for name, b := range files {
		bytes := js.Global().Get("Uint8Array").New(len(b))
		js.CopyBytesToJS(bytes, b)
		pairs.Call("push", js.Global().Get("Array").New(name, bytes))
	}
	ended := make(chan struct{})
	each := js.FuncOf(func(_ js.Value, args []js.Value) any {
		progress(args[0].Float())
		return nil
	})
	defer each.Release()
	done := js.FuncOf(func(_ js.Value, args []js.Value) any {
		output = args[1].String()
		if code := args[0].Int(); code != 0 {
			lines := strings.Split(strings.TrimSpace(output), "\n")
			err = fmt.Errorf("%s (code %d)", lines[len(lines)-1], code)
		}
		file = make([]byte, args[2].Length())
		js.CopyBytesToGo(file, args[2])
		close(ended)
		return nil
	})
	defer done.Release()
	page.Call("run", list, pairs, wanted, each, done)
	<-ended
	return output, file, err
}

// Ready says that the first picture has been drawn. A page removes its loading bar.
func Ready() { page.Call("ready") }

// Report returns where a test wants the report of the frames (ui/window, Options.Report), or nil. It is the function
// ghostcubeReport, if a test has defined it before the program starts.
func Report() io.Writer {
	f := js.Global().Get("ghostcubeReport")
	if f.Type() != js.TypeFunction {
		return nil
	}
	return reportFunction(f)
}

// reportFunction is a function of the page that takes lines of text.
type reportFunction js.Value

// Write passes whole lines to the function.
func (f reportFunction) Write(b []byte) (int, error) {
	js.Value(f).Invoke(string(b))
	return len(b), nil
}

// Address returns the address of the page without its query; empty on a desktop.
func Address() string { return page.Call("address").String() }

// SetAddress makes a query, which begins with a question mark, that of the page's address; the browser's way back leads to the
// address before if another session begins. On a desktop it does nothing. Browsers allow about one call a second.
func SetAddress(query string, another bool) { page.Call("setAddress", query, another) }

// Describe gives the page a title, and a sentence about the session for screen readers. On a desktop it does nothing.
func Describe(title, state string) { page.Call("describe", title, state) }

// Offer shows controls under an embedded picture, by their text (ui/window, liveKnobs), and calls turned with the number of one and
// the new value whenever the viewer changes one. On a desktop it does nothing.
func Offer(controls string, turned func(index int, value float64)) {
	onTurned = turned
	page.Call("offer", controls, tell)
}

// onTurned is the function of the last call of Offer, which tell calls.
var (
	onTurned func(index int, value float64)
	tell     = js.FuncOf(func(_ js.Value, args []js.Value) any {
		onTurned(args[0].Int(), args[1].Float())
		return nil
	})
)

// PrefersTouch reports whether the main pointer of the machine is a finger, as on a phone.
func PrefersTouch() bool {
	return js.Global().Call("matchMedia", "(pointer: coarse)").Get("matches").Bool()
}

// Visible reports whether any of the window can be seen.
func Visible() bool { return page.Call("visible").Bool() }

// OpenLab opens the page of the whole lab with the session of an embedded one. It works in a page only.
func OpenLab() { page.Call("openLab") }
