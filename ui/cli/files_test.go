//go:build linux

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/render/video"
)

// The cases of TestPageOfFiles, and the heads of their columns.
var fileCases = []struct {
	head string
	run  func(t *testing.T, w *workshop, x *writer) (outcome string)
}{
	{"the file exists", tryExisting},
	{"the command reads it", tryRead},
	{"read-only folder", tryReadOnly},
	{"full disk", tryFull},
	{"`kill -9`", tryKill},
	{"Ctrl-C, SIGTERM", tryInterrupt},
	{"two at once", tryTwo},
}

// writer is a way to have a file written.
type writer struct {
	name    string // as the documentation calls it
	args    string // of a short run
	long    string // of one that lasts for seconds, in which it is interrupted
	file    string // that the test watches
	unnamed bool   // the user did not name it
	read    string // flag by which the command reads a file; empty: it reads none
	brief   bool   // its cases are tried by .ci/run; TestOwnInput tries most commands
	silent  bool   // it shows no progress, so no signal meets it at a known moment
	needs   func(t *testing.T)
}

const (
	quickSession = " --scene plain --size 64x64 "
	recordShort  = "record --seconds 0.3" + quickSession
	recordLong   = "record --seconds 200" + quickSession
)

var writers = []writer{
	{name: "`record -o clip.webm`", args: recordShort + "-o clip.webm", long: recordLong + "-o clip.webm", file: "clip.webm", read: "--tape", brief: true},
	{name: "the tape beside it", args: recordShort + "-o clip.webm", long: recordLong + "-o clip.webm", file: "clip.tape", unnamed: true, read: "--tape"},
	{name: "`record --captions`", args: "record --seconds 0.3 --captions" + quickSession + "-o clip.webm",
		long: "record --seconds 200 --captions" + quickSession + "-o clip.webm", file: "clip.vtt", unnamed: true, read: "--tape"},
	{name: "`record -o clip.mp4`", args: recordShort + "-o clip.mp4", long: recordLong + "-o clip.mp4", file: "clip.mp4", read: "--tape", needs: needH264},
	{name: "`record -o clip.gif`", args: recordShort + "-o clip.gif", long: recordLong + "-o clip.gif", file: "clip.gif", read: "--tape"},
	{name: "`record -o %03d.png`", args: "record --seconds 0.1" + quickSession + "-o %03d.png", long: recordLong + "-o %03d.png", file: "000.png", read: "--tape"},
	{name: "`record -o still.png`", args: recordShort + "-o still.png", long: recordLong + "-o still.png", file: "still.png", read: "--tape"},
	{name: "no display, `--out`", args: "--seconds 0.1 --scene plain --out .", long: "--seconds 60 --scene plain --out .",
		file: "lab.tape", unnamed: true, read: "--tape"},
	{name: "`bench --save-tape`", args: "bench --seconds 2 --scene plain --save-tape odd.tape",
		long: "bench --seconds 3600 --scene plain --save-tape odd.tape", file: "odd.tape", read: "--tape"},
	{name: "`bench --ticks`", args: "bench --seconds 2 --scene plain --ticks ticks.csv",
		long: "bench --seconds 3600 --scene plain --ticks ticks.csv", file: "ticks.csv", read: "--tape"},
	{name: "`bench --game-log`", args: "bench --seconds 2 --scene plain --panes rewind --game-log game.jsonl",
		long: "bench --seconds 3600 --scene plain --panes rewind --game-log game.jsonl", file: "game.jsonl", read: "--tape"},
	{name: "`export`", args: "export --tape katamari-ball --ticks 3 ball.bin", long: "export --tape katamari-ball ball.bin", file: "ball.bin", read: "--tape"},
	{name: "`packets --svg`", args: "packets --scene plain --svg packets.svg", long: "packets --scene plain --from 600 --svg packets.svg",
		file: "packets.svg", read: "--tape"},
	{name: "`hash --dump`", args: "hash --scene-file short.scene --dump bodies.txt", long: "hash --scene-file long.scene --dump bodies.txt",
		file: "bodies.txt", read: "--scene-file"},
	{name: "`page`", args: "page -o .", file: "index.html", silent: true},
}

func needH264(t *testing.T) {
	if !video.HaveH264() {
		t.Skip("no ffmpeg with an H.264 encoder here")
	}
}

// partName matches the temporary name of a file.
var partName = regexp.MustCompile("`[^`]*\\.part\\.[^`]*`")

// TestPageOfFiles writes files in every way that the program has, in all circumstances in which something can be lost: nothing
// that existed is, and what remains can be read. docs/recording.md has its table.
func TestPageOfFiles(t *testing.T) {
	experiment.Skip(t)
	w := newWorkshop(t)
	outcomes := make([][]string, len(writers))
	t.Run("cases", func(t *testing.T) {
		for i := range writers {
			x := &writers[i]
			outcomes[i] = make([]string, len(fileCases))
			for k, c := range fileCases {
				t.Run(strings.Trim(x.name, "`")+"/"+c.head, func(t *testing.T) {
					if !x.brief {
						experiment.SkipUnlessLong(t)
					}
					if x.needs != nil {
						x.needs(t)
					}
					t.Parallel()
					outcomes[i][k] = c.run(t, w, x)
				})
			}
		}
	})
	if t.Failed() || slices.ContainsFunc(outcomes, func(row []string) bool { return slices.Contains(row, "") }) {
		return // not all cases have run
	}
	var b strings.Builder
	heads, rule := "| written by |", "|---|"
	names, rows := make([]string, len(writers)), make([]string, len(writers))
	for k, c := range fileCases {
		if !slices.ContainsFunc(outcomes, func(row []string) bool { return row[k] != "error, kept" }) {
			continue // the text above the table says so
		}
		heads, rule = heads+" "+c.head+" |", rule+"---|"
		for i := range rows {
			rows[i] += " " + partName.ReplaceAllString(outcomes[i][k], "a part") + " |"
		}
	}
	fmt.Fprintf(&b, "%s\n%s\n", heads, rule)
	for i := range writers { // equal rows are one
		first := slices.Index(rows, rows[i])
		names[first] += ", " + writers[i].name
	}
	for i, name := range names {
		if name != "" {
			fmt.Fprintf(&b, "| %s |%s\n", name[2:], rows[i])
		}
	}
	golden.Section(t, "../../docs/recording.md", "<!-- files: by TestPageOfFiles -->\n", "\n<!-- end of files -->", b.String())
}

// TestFullAfterSeconds checks that a video for which there is no room is left under its temporary name, as far as it
// plays, and that the message says where.
func TestFullAfterSeconds(t *testing.T) {
	experiment.Skip(t)
	self := must(os.Executable())
	for _, ext := range []string{".gif", ".webm", ".mp4"} {
		if _, err := exec.LookPath("ffmpeg"); ext == ".mp4" && err != nil {
			continue
		}
		dir := t.TempDir()
		program := filepath.Join(dir, "ghostcube")
		if err := os.Symlink(self, program); err != nil {
			t.Skip(err)
		}
		clip := filepath.Join(dir, "clip"+ext)
		cmd := exec.Command("sh", "-c", `ulimit -f 400; exec "$0" record --seconds 600 --size 64x64 -o "$1"`, program, clip)
		out, err := cmd.CombinedOutput()
		part := filepath.Join(dir, "clip.part"+ext)
		if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), clip) || !strings.Contains(string(out), part) {
			t.Errorf("%s: %v, %s", ext, err, out)
		}
		if err := readable(part); err != nil {
			t.Errorf("%s: %v", ext, err)
		}
		if list, _ := filepath.Glob(filepath.Join(dir, "*")); len(list) != 2 {
			t.Errorf("%s: there are %q", ext, list)
		}
	}
}

// TestNewFoldersAreNamed promises that a command says which folder it makes.
func TestNewFoldersAreNamed(t *testing.T) {
	dir := t.TempDir()
	if code, _, errs := runIn(t, dir, "record", "--seconds", "0.1", "--size", "64x64", "-o", "new/x.gif"); code != 0 ||
		!strings.Contains(errs, "ghostcube: -o new/x.gif: makes the folder new\n") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}
