package tidy

import (
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// addition is an example of something that can be added to the program by hand.
type addition struct {
	what  string // in CONTRIBUTING's table
	edits []edit // each of one file
}

// edit changes a file by hand.
type edit struct {
	file    string
	inserts []string // pairs of a text that the file has, and what comes after it; nil for a new file
	text    string   // of a new file
}

// additions are the examples.
func additions(t *testing.T) []addition {
	return []addition{
		{"a strategy", []edit{
			{file: "predict/strategy/latest/latest.go", text: exampleStrategy(t)},
			{file: "predict/lab/strategies.go", inserts: []string{
				"\t\"ghostcube/predict/strategy/historyoffset\"\n", "\t\"ghostcube/predict/strategy/latest\"\n",
				"\trelative.Strategy,\n", "\tlatest.Strategy,\n",
			}},
		}},
		{"a knob", []edit{{file: "predict/strategy/noprediction/noprediction.go", inserts: []string{
			"\tcounters    clientCounters\n", "\tlift        float64 // metres, of everything that is drawn\n",
			"\tc.inputTick = o.inputTick\n", "\tc.lift = o.lift\n",
			"\tc.receiver.Declare(env)\n",
			"\tenv.Knobs.In(predict.PlayoutKnobs).Float(&c.lift, \"lift\", 0, 0, 2, \"how much higher all bodies are drawn, metres\")\n",
			"\tv.Bodies = predict.AppendPoses(v.Bodies, c.env.World.Bodies())\n",
			"\tfor i := range v.Bodies {\n\t\tv.Bodies[i].Pos.Z += float32(c.lift)\n\t}\n",
		}}}},
		{"a scene", []edit{
			{file: "sim/scene/gate.go", text: exampleScene},
			{file: "sim/scene/scene.go", inserts: []string{
				"\t{Name: \"zen\", build: zen, Params: []Param{avatarParam}},\n",
				"\t{Name: \"gate\", build: gate, Params: []Param{{\"width\", \"distance between the posts, m\", 3, 2, 9}}},\n",
			}},
		}},
		{"a measure", []edit{{file: "predict/score/freezes.go", inserts: []string{
			"\tMeasures: []Entry{\n", exampleMeasure,
			"\tticks   int // frozen ticks, in a run or alone\n", "\tinRuns  int // frozen ticks in runs that are a freeze\n",
			"\tif f.run >= minRun {\n", "\t\tf.inRuns++\n",
		}}}},
		{"a comparison", []edit{{file: "assets/comparisons/02-overview.toml", inserts: []string{"# Strategies beside each other.\n", exampleComparison}}}},
		{"a preset", []edit{{file: "assets/presets/late-joiner.toml", text: examplePreset}}},
		{"a lesson", []edit{{file: "assets/lessons/17-input-rate.toml", text: exampleLesson}}},
	}
}

const exampleScene = `package scene

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// gate is a gate to roll through.
func gate(p paramValues) sim.Scene {
	s := baseScene("gate", "two posts with a cube on each")
	for _, side := range []float32{-0.5, 0.5} {
		x := float32(side * float32(p.value("width")))
		s.Static = append(s.Static, staticBox(geom.Vec3{X: x, Y: 4, Z: 0.5}, geom.Vec3{X: 0.3, Y: 0.3, Z: 0.5}, geom.Identity))
		s.Boxes = append(s.Boxes, cube(geom.Vec3{X: x, Y: 4, Z: 1.2}, 0))
	}
	return s
}
`

const exampleMeasure = `		{
			Measure{Name: "freeze_run_percent", Title: "frozen in runs, %", Digits: 2, Better: Lower,
				Help: "share of ticks in freezes of at least 1/20 s"},
			func(c *Score, _ Counts) (float64, bool) {
				return 100 * float64(c.freezes.inRuns) / float64(max(c.Ticks, 1)), c.freezable()
			},
		},
`

const exampleComparison = `
[[comparison]]
name = "prediction-far"
title = "Key to screen at 150 ms: without and with prediction"
headline = "key_to_screen_ms"
moment = 8
order = "2 < 1"
tape = "circle"
scene = "zen"
network = "latency=150ms"
panes = ["noprediction", "rewind"]
`

const examplePreset = `title = "Snapshots, compressed, and a world for newcomers"
doc = "The client draws compressed snapshots in the past. Messages are reliable, so that a newcomer downloads the world."
games = "none"
guide = "compression"
strategy = "snapshot"
knobs = ["compression=delta", "messages=reliable"]

[[source]]
author = "Ghostcube"
title = "Contributing"
year = 2026
`

const exampleLesson = `title = "Rare snapshots make rare pictures"
look = "The left picture is what the client draws: every state as it arrives. The server sends one in each tick."
do = "Set the knob snapshot-every to 12, on the page Strategy."
after = "Now a state arrives five times a second, and the cube stands still in between: the path error counts none of that, the freezes do."
action = "set 1 snapshot-every 12"
figures = ["longest_freeze_ms", "jerk_ratio"]
claims = ["longest_freeze_ms: after > 150", "longest_freeze_ms: before < 100"]
scene = "zen"
network = "csp-75ms"
tape = "circle"
panes = ["noprediction"]
`

// goBlock matches a block of Go in Markdown.
var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// exampleStrategy returns the strategy in docs/extending.md, whose blocks together are its file.
func exampleStrategy(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("docs/extending.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, m := range goBlock.FindAllStringSubmatch(string(page), -1) {
		blocks = append(blocks, m[1])
	}
	code := strings.Join(blocks, "\n")
	if formatted, err := format.Source([]byte(code)); err != nil || string(formatted) != code {
		t.Fatalf("the example is not formatted by gofmt: %v", err)
	}
	lines := 0
	for line := range strings.Lines(code) {
		if line := strings.TrimSpace(line); line != "" && line != "}" && line != ")" {
			lines++
		}
	}
	if lines > 75 {
		t.Errorf("the example has %d lines, want at most 75", lines)
	}
	return code
}

// additionRow matches a row of CONTRIBUTING's table: what is added, and how many files are edited by hand.
var additionRow = regexp.MustCompile(`(?m)^\| (an? [a-z]+) \| (\d) \|`)

// TestAdditions adds an example strategy, knob, scene, measure, comparison, preset and lesson to a copy of the source, each with as many edited
// files as CONTRIBUTING says, and its packages build. With GHOSTCUBE_LONG go generate then writes all generated pages, and the
// ordinary tests that could notice any of it pass.
func TestAdditions(t *testing.T) {
	experiment.Skip(t)
	list := additions(t)
	guide, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, m := range additionRow.FindAllStringSubmatch(string(guide), -1) {
		files[m[1]] = m[2]
	}
	if len(files) != len(list) {
		t.Errorf("CONTRIBUTING counts the files of %v, and there are %d examples", files, len(list))
	}
	dir := copyTree(t)
	for _, a := range list {
		if files[a.what] != strconv.Itoa(len(a.edits)) {
			t.Errorf("%s: CONTRIBUTING says %q files, the example edits %d", a.what, files[a.what], len(a.edits))
		}
		for _, e := range a.edits {
			e.apply(t, dir)
		}
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GHOSTCUBE_CI=", "GHOSTCUBE_LONG=", "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run("build", "./predict/lab", "./ui/plan") // all that an example adds to; .ci/long compiles the rest
	if t.Failed() || !experiment.Long() || testing.Short() {
		return
	}
	run("generate", ".")
	run("test", "-vet=off", "./sim/...", "./predict/score", "./predict/strategy/...", "./internal/texts", "./ui/plan", "./ui/tour", "./ui/cli", "./ui/page")
	concerned := "Conformance|TestServersSendAnyWorld|TestCopiesAreComplete|Knob|Measures|Span|Panel|Strateg|" +
		"Score|Scene|Headline|Counter|Lesson|Tour|Help"
	run("test", "-vet=off", "-run", concerned, "./predict/lab", "./ui/stage", "./ui/window")
	run("test", "-vet=off", "-skip", "TestAdditions", "./internal/tidy")
}

// apply makes the edit in a copy of the source.
func (e *edit) apply(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(e.file))
	text := e.text
	if e.inserts != nil {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = string(b)
	} else if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(e.inserts); i += 2 {
		if !strings.Contains(text, e.inserts[i]) {
			t.Fatalf("%s lacks %q", e.file, e.inserts[i])
		}
		text = strings.Replace(text, e.inserts[i], e.inserts[i]+e.inserts[i+1], 1)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// copyTree copies the source, and returns the folder.
func copyTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, path)
		switch {
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
