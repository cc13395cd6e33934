//go:build !js || headless

package cli

import (
	"bytes"
	"io"
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

// sceneFile is a scene file of a number of ticks.
func sceneText(ticks string) string {
	return "name x\nsleep 0\ngravity -20\ndt 60\nticks " + ticks +
		"\nfriction 1\nrestitution 0\ndensity 1\nlindamp 0.6\nangdamp 0.6\nmaxlin 32\nmaxang 16\nsleepvel 0.25\nway 30 5 0 0 0\n" +
		"body 0.75 0 0 0.75 1 0 0 0 0 1\n"
}

// filesWritten are the commands that write a file that the user names, by its flag or argument.
var filesWritten = map[string][]string{
	"bench --save-tape": {"bench --seconds 1 --save-tape mine.x"},
	"bench --ticks":     {"bench --seconds 1 --ticks mine.x"},
	"bench --game-log":  {"bench --seconds 1 --panes rewind --game-log mine.x"},
	"record --output":   {"record --seconds 1 -o mine.gif", "record --seconds 1 -o mine.png", "record --seconds 1 -o mine%03d.png"},
	"packets --svg":     {"packets --svg mine.x"},
	"hash --dump":       {"hash --scene-file a.scene --dump mine.x", "hash --scene-file a.scene --dump other"},
	"export <output>":   {"export --tape katamari-ball --ticks 3 mine.x"},
	"probe --out":       {"probe 127.0.0.1:1 --insecure -o mine.csv"},
	"tune --out":        {"tune rewind --networks lan -o mine.toml"},
	"serve --capture":   {"serve 127.0.0.1:0 --seconds 1 --capture mine.capture"},
	"join --capture":    {"join 127.0.0.1:1 --insecure --capture mine.capture"},
	"score --save-tape": {"score game.jsonl --panes rewind --save-tape mine.x"},
	"sweep --out":       nil, // a folder of its own: TestSweepKeepsFiles
	"tune --cells":      nil, // likewise
	"page --out":        nil, // likewise: TestPageOfFiles
	"run --out":         nil, // another name
	"open --out":        nil,
	"tour --out":        nil,
}

// filesRead are the flags and arguments that name a file which is only read.
var filesRead = "--config --tape --data --quaternions --verify --scene-file --results --page-folder <tape> <captures> <log> <server> <plan>"

// TestNoFileIsReplaced promises for every flag of every command that names a file: one that exists is as it was afterwards, no
// other was made, and the exit code is 2.
func TestNoFileIsReplaced(t *testing.T) {
	p := newProgram(testEnvironment(nil, io.Discard, io.Discard))
	parser := must(p.newParser(&arguments{}))
	for _, command := range parser.Model.Children {
		var named []string
		for _, f := range command.Flags {
			if strings.Contains(f.PlaceHolder, "FILE") || strings.Contains(f.PlaceHolder, "DIR") {
				named = append(named, "--"+f.Name)
			}
		}
		for _, a := range command.Positional {
			if text := a.Tag.PlaceHolder; strings.Contains(text, "FILE") {
				named = append(named, "<"+a.Name+">")
			}
		}
		for _, name := range named {
			_, written := filesWritten[command.Name+" "+name]
			if read := strings.Contains(" "+filesRead+" ", " "+name+" "); read == written {
				t.Errorf("%s %s: want it in filesWritten or in filesRead", command.Name, name)
			}
		}
	}
	dir := t.TempDir()
	names := []string{"mine.x", "mine.gif", "mine.png", "mine001.png", "mine-up.csv", "mine-down.csv", "mine.toml", "mine.capture", "other.ms"}
	for _, name := range names {
		need(os.WriteFile(filepath.Join(dir, name), []byte("mine\n"), 0o600))
	}
	need(os.WriteFile(filepath.Join(dir, "a.scene"), []byte(sceneText("90")), 0o600))
	runIn(t, dir, "bench", "--seconds", "0.2", "--panes", "rewind", "--game-log", "game.jsonl")
	before := must(os.ReadDir(dir))
	for flag, lines := range filesWritten {
		for _, args := range lines {
			if code, _, errs := runIn(t, dir, strings.Fields(args)...); code != 2 || !strings.Contains(errs, "there is a file of this name") {
				t.Errorf("%s: %s: exit code %d, %s", flag, args, code, errs)
			}
		}
	}
	for _, name := range names {
		if b, err := os.ReadFile(filepath.Join(dir, name)); string(b) != "mine\n" {
			t.Errorf("%s is lost: %v", name, err)
		}
	}
	if after := must(os.ReadDir(dir)); len(after) != len(before) {
		t.Errorf("there are %d files, were %d: %v", len(after), len(before), after)
	}
}

// TestOtherNumberedImages checks that numbered images may be written beside those of other names.
func TestOtherNumberedImages(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{"007.png": "", "other-007.png": "", "mine-007.jpg": "", "mine-x.png": "", "mine-007.png": "there is a file"} {
		need(os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		p := newProgram(testEnvironment(nil, io.Discard, io.Discard))
		if err := p.checkFrames("--output", filepath.Join(dir, "mine-%03d.png")); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("beside %s: %v", name, err)
		}
		need(os.Remove(filepath.Join(dir, name)))
	}
}

// TestTapeBesideVideo checks that the tape and the captions beside a video are replaced when the video is, and that they are
// the user's own as soon as they are changed, copied beside another video, or read by the command.
func TestTapeBesideVideo(t *testing.T) {
	experiment.Skip(t)
	dir := t.TempDir()
	record := func(want string, args ...string) {
		t.Helper()
		_ = os.Remove(filepath.Join(dir, args[1])) // no command replaces a file
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
	need(os.Remove(filepath.Join(dir, "c.gif")))
	code, out, errs := runIn(t, dir, "record", "--seconds", "0.1", "--size", "64x64", "--tape", "./c.tape", "-o", "c.gif")
	if code != 0 || !strings.Contains(out, "c-2.tape: the session's tape (c.tape is another file, and was left alone)") {
		t.Errorf("exit code %d, %s%s", code, out, errs)
	}
}
