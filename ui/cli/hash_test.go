//go:build !js || headless

package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHashNamesTheBody moves one body by the smallest difference of its type and checks that
// the tick and the body are named, and not the next tick, in which others may differ.
func TestHashNamesTheBody(t *testing.T) {
	p := testProgram(t)
	lines := func(nudge int) (all []string) {
		h := must(p.newHashRun("zen", "60", "300", "circle"))
		for i := range h.ticks {
			h.step()
			if i == nudge {
				b := h.world.Bodies()[7]
				b.Pose.Pos.X = math.Float32frombits(math.Float32bits(b.Pose.Pos.X) + 1)
				h.world.SetBody(7, b)
			}
			all = append(all, h.line())
		}
		return all
	}
	there, here := lines(149), lines(-1)
	for i := range here {
		if there[i] == here[i] {
			continue
		}
		if got := describeDifference(there[i], here[i]); got != "tick 150 differs in 1 body, the first is body 7" {
			t.Error(got)
		}
		return
	}
	t.Error("the difference was not found")
}

// TestDescribeDifference checks the description of lines that differ: the number of bodies and
// the first of them, whichever line lists it.
func TestDescribeDifference(t *testing.T) {
	for _, c := range []struct{ there, here, want string }{
		{"9 a b 3:x 12:y", "9 c b 12:z 700:w", "tick 9 differs in 3 bodies, the first is body 3"},
		{"9 a b 12:y", "9 c b 12:z", "tick 9 differs in 1 body, the first is body 12"},
		{"9 a b 12:y", "9 c b 12:y", "tick 9 differs in bodies that the file does not list"},
		{"9 a b", "9 a c", "tick 9 differs in its contacts; the bodies are equal"},
		{"8 a b", "9 a b", `the line of tick 9 is "8 a b"`},
	} {
		if got := describeDifference(c.there, c.here); got != c.want {
			t.Errorf("%q and %q: %s", c.there, c.here, got)
		}
	}
}

// TestVerify verifies hashes as they were written, with the hash of a body or of the contacts
// changed, and damaged.
func TestVerify(t *testing.T) {
	text := printed(t, "hash", "--scene", "katamari:cubes=16", "--ticks", "120")
	file := filepath.Join(t.TempDir(), "hashes")
	check := func(what, text string, code int, want string) {
		t.Helper()
		need(os.WriteFile(file, []byte(text), 0o666))
		if got, out, errs := runCLI("hash", "--verify", file); got != code || !strings.Contains(out+errs, want) {
			t.Errorf("%s: exit code %d, %s%s", what, got, out, errs)
		}
	}
	lines := strings.Split(text, "\n")
	change := func(tick, field int) string {
		l := append([]string(nil), lines...)
		f := strings.Fields(l[5+tick])
		last := f[field][len(f[field])-1]
		f[field] = f[field][:len(f[field])-1] + map[bool]string{true: "1", false: "0"}[last == '0']
		l[5+tick] = strings.Join(f, " ")
		return strings.Join(l, "\n")
	}
	check("as it is", text, 0, "120 ticks of katamari:cubes=16 match")
	check("a body", change(40, 3), 1, "tick 40 differs in 1 body, the first is body 0")
	check("the contacts", change(90, 2), 1, "tick 90 differs in its contacts")
	check("cut", strings.Join(lines[:60], "\n"), 2, "line 61: the file ends before tick 55 of 120")
	check("something else", "hello", 2, "line 1: not a hash file")
	check("a strange word", strings.Replace(text, "rate 60", "rota 60", 1), 2, "line 3: ")
	check("a strange scene", strings.Replace(text, "katamari", "katamary", 1), 2, "no scene \"katamary\"")
}

// TestSceneFile steps a scene file as the benchmark of other engines does. Bodies keep their
// order in the file, wherever the player stands among them.
func TestSceneFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.scene")
	const head = "name x\nsleep 0\ngravity -20\ndt 60\nticks 90\n" +
		"friction 1\nrestitution 0\ndensity 1\nlindamp 0.6\nangdamp 0.6\n" +
		"maxlin 32\nmaxang 16\nsleepvel 0.25\nway 30 5 0 0 0\n"
	body := func(half, x, z float64, player int) string {
		return fmt.Sprintf("body %g %g 0 %g 1 0 0 0 0 %d\n", half, x, z, player)
	}
	write := func(text string) {
		need(os.WriteFile(name, []byte(text), 0o666))
	}
	write(head + body(0.2, -3, 0.2, 0) + body(0.75, 0, 0.75, 1) + body(0.2, 30, 0.2, 0))
	dump := filepath.Join(dir, "dump")
	if out := printed(t, "hash", "--scene-file", name, "--dump", dump); !strings.Contains(out, `"engine":"ghostcube"`) || !strings.Contains(out, `"ticks":90`) {
		t.Error(out)
	}
	times, err := os.ReadFile(dump + ".ms")
	if err != nil || strings.Count(string(times), "\n") != 90 {
		t.Errorf("%v, times %q", err, times)
	}
	data := must(os.ReadFile(dump))
	var x [3]float64
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, l := range lines[len(lines)-3:] {
		var tick, id int
		var at float64
		if _, err := fmt.Sscan(l, &tick, &id, &at); err != nil || tick != 90 {
			t.Fatal(l, err)
		}
		x[id] = at
	}
	if len(lines) != 6 || math.Abs(x[0]+3) > 0.01 || math.Abs(x[2]-30) > 0.01 || x[1] < 0.5 {
		t.Errorf("%d lines; the bodies ended at x = %v", len(lines), x)
	}
	write(head + body(0.2, -3, 0.2, 0) + strings.Replace(body(0.2, 3, 0.2, 0), "0 0\n", "1 0\n", 1))
	if out := printed(t, "hash", "--scene-file", name); !strings.Contains(out, `"awake":1`) {
		t.Errorf("where nothing falls asleep, a body that begins asleep: %s", out)
	}
	for text, want := range map[string]string{
		"":                    "gravity is missing",
		head:                  "0 bodies",
		head + "body 1 2 3\n": "line 15",
		head + "wind 3\n":     "line 15",
		head + "gravity x\n":  "line 15",
		head + body(1, 0, 1, 1) + body(1, 3, 1, 1):                                    "at most one player",
		strings.Replace(head, "restitution 0", "restitution 1", 1) + body(1, 0, 1, 0): "restitution 1",
	} {
		write(text)
		refused(t, want, "hash", "--scene-file", name)
	}
}
