//go:build !js || headless

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// runIn runs the program in a folder.
func runIn(t *testing.T, dir string, args ...string) (code int, out, errs string) {
	t.Helper()
	t.Chdir(dir)
	return runCLI(args...)
}

// TestOwnInput checks that no command writes over a file that it reads, wherever the command line or a settings file
// names it: the exit code is 2, and the file is as it was.
func TestOwnInput(t *testing.T) {
	dir := t.TempDir()
	const tapeText = "ghostcube tape 2\nscene plain\nrate 60\nseat client\nseed 1\nnetwork latency=75ms\npane rewind\n---\n60 W\nend 60\n"
	for name, text := range map[string]string{
		"in.tape": tapeText, "in.gif": tapeText, "in.bin": strings.Replace(tapeText, "plain", "katamari", 1),
		"settings.svg": "scene = \"plain\"\n", "names.svg": "tape = \"./in.tape\"\n", "trace.csv": "time_s,rtt_ms,lost\n0,10,0\n1,20,0\n",
	} {
		need(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, c := range []struct{ file, args string }{
		{"settings.svg", "packets --config settings.svg --svg settings.svg"},
		{"settings.svg", "packets --config settings.svg --svg ./sub/../settings.svg"},
		{"in.tape", "bench --config names.svg --seconds 1 --save-tape in.tape"},
		{"trace.csv", "bench --seconds 1 --network lan,trace=trace.csv --save-tape trace.csv"},
		{"trace.csv", "bench --seconds 1 --network lan,up.trace=./trace.csv --save-tape trace.csv"},
		{"in.gif", "record --seconds 1 --tape ./in.gif -o in.gif"},
		{"in.bin", "export --tape ./in.bin --ticks 3 in.bin"},
	} {
		before := must(os.ReadFile(filepath.Join(dir, c.file)))
		os.Mkdir(filepath.Join(dir, "sub"), 0o700)
		code, _, errs := runIn(t, dir, strings.Fields(c.args)...)
		if code != 2 || !strings.Contains(errs, c.file+": the command reads this file: want another name") {
			t.Errorf("%s: exit code %d, %s", c.args, code, errs)
		}
		if after, err := os.ReadFile(filepath.Join(dir, c.file)); !bytes.Equal(before, after) {
			t.Errorf("%s: the file is lost: %v", c.args, err)
		}
	}
}

// TestTapeBesideVideo checks that the tape and the captions beside a video are replaced when the video is, and that they are
// the user's own as soon as they are changed, copied beside another video, or read by the command.
func TestTapeBesideVideo(t *testing.T) {
	experiment.Skip(t)
	dir := t.TempDir()
	record := func(want string, args ...string) {
		t.Helper()
		code, out, errs := runIn(t, dir, append([]string{"record", "--seconds", "0.1", "--size", "64x64", "--captions"}, args...)...)
		if code != 0 || !strings.Contains(out, want+": the session's tape") || !strings.Contains(out, strings.Replace(want, ".tape", ".vtt", 1)+": ") {
			t.Fatalf("%v: exit code %d, %s%s, want %s", args, code, out, errs, want)
		}
		if code, _, errs := runIn(t, dir, "play", "--verify", "./"+want); code != 0 {
			t.Errorf("%s: %s", want, errs)
		}
	}
	read := func(name string) string {
		b := must(os.ReadFile(filepath.Join(dir, name)))
		return string(b)
	}
	record("a.tape", "-o", "a.gif")
	first := read("a.tape")
	record("a.tape", "-o", "a.gif", "--seed", "5")
	if read("a.tape") == first {
		t.Error("the tape of the first video is left beside the second")
	}
	for _, name := range []string{"a.tape", "a.vtt"} {
		need(os.WriteFile(filepath.Join(dir, name), []byte("# mine\n"+read(name)), 0o600))
	}
	mine := read("a.tape") + read("a.vtt")
	record("a-2.tape", "-o", "a.gif")
	record("a-2.tape", "-o", "a.gif", "--seed", "6")
	if read("a.tape")+read("a.vtt") != mine {
		t.Error("a changed file is replaced")
	}
	need(os.WriteFile(filepath.Join(dir, "b.tape"), []byte(first), 0o600)) // of a.gif
	need(os.WriteFile(filepath.Join(dir, "b.vtt"), nil, 0o600))
	record("b-2.tape", "-o", "b.gif")
	record("c.tape", "-o", "c.gif")
	code, out, errs := runIn(t, dir, "record", "--seconds", "0.1", "--size", "64x64", "--tape", "./c.tape", "-o", "c.gif")
	if code != 0 || !strings.Contains(out, "c-2.tape: the session's tape (c.tape is another file, and was left alone)") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
}
