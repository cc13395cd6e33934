package host

import (
	"errors"
	"io"
	"syscall/js"
)

// page is the object with the page's functions, which page.js defines.
var page = js.Global().Get("ghostcube")

// CheckDisplay returns why no window can be opened here, where that is known without an attempt.
func CheckDisplay() error {
	if !page.Truthy() {
		return errors.New("this program runs outside a browser")
	}
	return nil
}

// CopyText copies a text to the clipboard. The browser may refuse it, and then the page shows the text.
func CopyText(text string) error {
	page.Call("copy", text)
	return nil
}

// Deliver hands a finished file to the user: a page downloads it. On a desktop the file is where it belongs.
func Deliver(name string) { page.Call("deliver", name) }

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
