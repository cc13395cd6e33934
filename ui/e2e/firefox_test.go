//go:build e2e && !headless && !js

package e2e

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// TestFirefox promises that the page starts and draws in Firefox, takes a key, keeps the session over a reload, needs no network on
// a second visit, that the session of an idea runs in its page with controls that can be turned, and that nothing is written to
// the console.
func TestFirefox(t *testing.T) {
	experiment.Skip(t)
	if !experiment.Long() {
		t.Skip("starts another browser; .ci/long does")
	}
	name, err := exec.LookPath("firefox-esr")
	if err != nil {
		t.Skip("firefox-esr is not installed; .ci/long installs it")
	}
	if os.Getenv("DISPLAY") == "" {
		t.Skip("DISPLAY is not set, and without one Firefox has no WebGL; .ci/long has one")
	}
	s := servePage(t)
	f := startFirefox(t, name)
	const link = "?compare=csp-clean"
	status := "document.getElementById('session').textContent"
	f.navigate(s.address + link)
	f.wait(status, ", playing")
	if n := f.colours(); n < 100 {
		t.Errorf("the picture has %d colours", n)
	}
	f.key("p")
	f.wait(status, ", paused at")
	f.wait("navigator.serviceWorker.controller !== null", "true") // which a reload by this protocol passes over
	before := f.eval(status)
	f.do("WebDriver:Refresh", nil)
	f.wait(status, before)
	f.checkConsole("lab")

	f.navigate("about:blank")
	s.down.Store(true)
	f.navigate(s.address + link)
	f.wait(status, ", playing")
	s.down.Store(false)
	f.checkConsole("offline")

	f.navigate(s.address + "ideas/prediction.html")
	f.eval("document.querySelector('.play summary').click()")
	const frame = "document.querySelector('iframe').contentDocument"
	f.wait(frame+".querySelectorAll('#knobs input').length", "3")
	knob := frame + ".querySelector('#knobs input')"
	shown := f.eval(knob + ".previousSibling.textContent")
	f.eval(knob + ".focus()")
	f.key("\uE014") // to the right
	f.wait(knob+".previousSibling.textContent !== "+strconv.Quote(shown), "true")
	f.picture("idea")
	f.checkConsole("idea")
}

// checkConsole checks that the pages since the last check have written nothing.
func (f *firefox) checkConsole(what string) {
	f.t.Helper()
	for _, line := range f.console() {
		f.t.Errorf("%s: on the console: %s", what, line)
	}
}

// firefox drives Firefox by its own protocol, Marionette.
type firefox struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	id   int
}

// firefoxSettings are those of a browser that opens no page but ours.
const firefoxSettings = `user_pref("marionette.port", %d);
user_pref("app.update.enabled", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("toolkit.telemetry.server", "");
user_pref("webgl.force-enabled", true);
`

// startFirefox starts the browser, which ends with the test.
func startFirefox(t *testing.T, name string) *firefox {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	profile := t.TempDir()
	settings := fmt.Sprintf(firefoxSettings, free.Addr().(*net.TCPAddr).Port)
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(settings), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile, "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("Firefox says:\n%s", output.String())
		}
	})
	f := &firefox{t: t}
	for range 600 { // a minute
		if f.conn, err = net.Dial("tcp", address); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.conn.Close() })
	f.in = bufio.NewReader(f.conn)
	if _, err := f.read(); err != nil { // a greeting
		t.Fatal(err)
	}
	f.do("WebDriver:NewSession", nil)
	f.do("WebDriver:SetWindowRect", map[string]any{"width": 1000, "height": 800})
	return f
}

// read returns the next message: its length, a colon and JSON.
func (f *firefox) read() (message []byte, err error) {
	f.conn.SetReadDeadline(time.Now().Add(2 * time.Minute))
	length, err := f.in.ReadString(':')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSuffix(length, ":"))
	if err != nil {
		return nil, err
	}
	message = make([]byte, n)
	_, err = io.ReadFull(f.in, message)
	return message, err
}

// command sends a command and returns its value.
func (f *firefox) command(name string, parameters any) (value any, err error) {
	f.id++
	if parameters == nil {
		parameters = struct{}{}
	}
	b, err := json.Marshal([]any{0, f.id, name, parameters})
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(f.conn, "%d:%s", len(b), b); err != nil {
		return nil, err
	}
	answer, err := f.read()
	if err != nil {
		return nil, err
	}
	var parts [4]any
	if err := json.Unmarshal(answer, &parts); err != nil {
		return nil, fmt.Errorf("%s: %w", answer, err)
	}
	if parts[2] != nil {
		return nil, errors.New(name + ": " + fmt.Sprint(parts[2]))
	}
	if object, ok := parts[3].(map[string]any); ok {
		return object["value"], nil
	}
	return parts[3], nil
}

// do sends a command that works.
func (f *firefox) do(name string, parameters any) any {
	f.t.Helper()
	value, err := f.command(name, parameters)
	if err != nil {
		f.t.Fatal(err)
	}
	return value
}

func (f *firefox) navigate(address string) {
	f.t.Helper()
	f.do("WebDriver:Navigate", map[string]any{"url": address})
}

// tryEval evaluates an expression in the page, as text.
func (f *firefox) tryEval(expression string) (string, error) {
	value, err := f.command("WebDriver:ExecuteScript", map[string]any{"script": "return String(" + expression + ")", "args": []any{}, "sandbox": nil})
	return fmt.Sprint(value), err
}

// eval evaluates an expression that has a value.
func (f *firefox) eval(expression string) string {
	f.t.Helper()
	text, err := f.tryEval(expression)
	if err != nil {
		f.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

// wait waits until an expression contains a text. While the page is being replaced it asks again.
func (f *firefox) wait(expression, want string) {
	f.t.Helper()
	text, err := "", error(nil)
	for range 600 { // a minute
		if text, err = f.tryEval(expression); err == nil && strings.Contains(text, want) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	body, _ := f.tryEval("document.body.innerText")
	f.t.Fatalf("%s is %q (%v), want %q; the page says %q; console: %q", expression, text, err, want, body, f.console())
}

// key presses and releases a key.
func (f *firefox) key(value string) {
	f.t.Helper()
	f.do("WebDriver:PerformActions", map[string]any{"actions": []any{map[string]any{"type": "key", "id": "keys", "actions": []any{
		map[string]any{"type": "keyDown", "value": value}, map[string]any{"type": "pause", "duration": 200}, map[string]any{"type": "keyUp", "value": value},
	}}}})
}

// picture returns the picture of the tab as PNG, and saves it where PAGE_PICTURES names a folder.
func (f *firefox) picture(name string) []byte {
	f.t.Helper()
	b, err := base64.StdEncoding.DecodeString(fmt.Sprint(f.do("WebDriver:TakeScreenshot", map[string]any{"full": false})))
	if err != nil {
		f.t.Fatal(err)
	}
	if folder := os.Getenv(pagePictures); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, "firefox "+name+".png"), b, 0o666); err != nil {
			f.t.Fatal(err)
		}
	}
	return b
}

// colours returns how many colours the picture of the tab has.
func (f *firefox) colours() int {
	f.t.Helper()
	picture, err := png.Decode(bytes.NewReader(f.picture("lab")))
	if err != nil {
		f.t.Fatal(err)
	}
	seen := map[any]bool{}
	r := picture.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			seen[picture.At(x, y)] = true
		}
	}
	return len(seen)
}

// console returns what pages have written to the console, and the errors in them, the policy's too.
func (f *firefox) console() (lines []string) {
	f.t.Helper()
	f.do("Marionette:SetContext", map[string]any{"value": "chrome"})
	value := f.do("WebDriver:ExecuteScript", map[string]any{"args": []any{}, "script": `
		const said = Cc["@mozilla.org/consoleAPI-storage;1"].getService(Ci.nsIConsoleAPIStorage).getEvents()
			.filter((e) => /^http/.test(e.filename)).map((e) => e.level + ": " + e.arguments.join(" "));
		const errors = Services.console.getMessageArray().filter((m) => m instanceof Ci.nsIScriptError && /^http/.test(m.sourceName))
			.map(String).filter((m) => !m.includes("clipboard-write") && // which this browser always allows
				!m.includes("Failed to load \u2018\u2019")); // a request whose page has been left
		Services.console.reset();
		Cc["@mozilla.org/consoleAPI-storage;1"].getService(Ci.nsIConsoleAPIStorage).clearEvents();
		return [...said, ...errors].join("\n");`})
	f.do("Marionette:SetContext", map[string]any{"value": "content"})
	if text := fmt.Sprint(value); text != "" {
		lines = strings.Split(text, "\n")
	}
	return lines
}
