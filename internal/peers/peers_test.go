package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/source"
)

func TestMain(m *testing.M) {
	source.EnterRoot()
	os.Exit(m.Run())
}

// TestOverlap has cubes whose overlap is known.
func TestOverlap(t *testing.T) {
	eighth, turn := math.Pi/8, [4]float64{1, 0, 0, 0}
	turned := [4]float64{math.Cos(eighth), 0, 0, math.Sin(eighth)} // by 45 degrees about the vertical
	across := 0.4 - 0.005/math.Sqrt2
	for _, c := range []struct {
		what string
		at   [3]float64
		q    [4]float64
		want float64
	}{
		{"beside", [3]float64{0.39, 0.1, 0}, turn, 0.01},
		{"apart", [3]float64{0.41, 0.1, 0}, turn, 0},
		{"above", [3]float64{0.1, 0.1, 0.38}, turned, 0.02},
		{"an edge against a face", [3]float64{0.2 + 0.2*math.Sqrt2 - 0.005, 0, 0}, turned, 0.005},
		{"edges across each other", [3]float64{across, 0, across}, [4]float64{(2 + math.Sqrt2) / 4, math.Sqrt2 / 4, math.Sqrt2 / 4, (math.Sqrt2 - 2) / 4}, 0.005},
		{"far", [3]float64{3, 3, 3}, turned, 0},
	} {
		a, b := pose{axes: rotation(turn), half: 0.2}, pose{at: c.at, axes: rotation(c.q), half: 0.2}
		if got, back := overlap(&a, &b), overlap(&b, &a); math.Abs(got-c.want) > 1e-9 || math.Abs(back-c.want) > 1e-9 {
			t.Errorf("%s: %v and %v, want %v", c.what, got, back, c.want)
		}
	}
}

// TestEqualWork checks what marks unequal work, and the writing of tables.
func TestEqualWork(t *testing.T) {
	for _, c := range []struct {
		n    int
		mark string
	}{{100, ""}, {125, ""}, {126, `\*`}, {80, ""}, {79, `\*`}} {
		if got := unequal(c.n, 100, 1.25); got != c.mark {
			t.Errorf("%d beside 100: %q", c.n, got)
		}
	}
	for ms, want := range map[float64]string{0.00142: "1.42", 0.0999: "99.9", 0.1234: "123", 4.371: "4371"} {
		if got := micros(ms); got != want {
			t.Errorf("%v ms: %s µs, want %s", ms, got, want)
		}
	}
	got, err := replaceTables("a\n"+tablesBegin+"old\n"+tablesEnd+"\nb\n", "new\n")
	if want := "a\n" + tablesBegin + "new\n" + tablesEnd + "\nb\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replaceTables(string(data), ""); err != nil {
		t.Errorf("%s: %v", page, err)
	}
}

// TestWorse checks that a body below the ground, one that is no number, and a run that differs are refused.
func TestWorse(t *testing.T) {
	s := resting(1, 4)
	s.ticks = 120
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	run := func(r *result, z string, ticks int) error {
		line := "1 2 " + z + " 1 0 0 0 0 0 0 0 0 0\n"
		for name, text := range map[string]string{out: strings.Repeat("0 0 "+line, 8), out + ".ms": strings.Repeat("1\n", ticks)} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return r.add(&s, []string{"sh", "-c", `echo '{"ticks":120,"awake":1,"contacts":16}'`}, out)
	}
	var r result
	if err := run(&r, "0.2", 120); err != nil || r.contacts != 16 || r.drift() != 0 || r.mean(&s) != 1 {
		t.Fatal(err, r)
	}
	for z, want := range map[string]string{"-0.3": "fell through", "nan": "fell through", "x": "15 numbers"} {
		if err := run(new(result), z, 120); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", z, err, want)
		}
	}
	if err := run(&r, "0.3", 120); err == nil || !strings.Contains(err.Error(), "two runs differ") {
		t.Error(err)
	}
	if err := run(new(result), "0.2", 119); err == nil || !strings.Contains(err.Error(), "119 times") {
		t.Error(err)
	}
}

// TestMissing checks that a missing compiler, library or source is reported in one line.
func TestMissing(t *testing.T) {
	none := t.TempDir()
	for _, c := range []struct{ want, path, engines, address string }{
		{"no compiler of C ", none, "ode", ""},
		{"no engine \"oda\"", none, "oda", ""},
	} {
		t.Setenv("PATH", c.path)
		err := run(strings.Split(c.engines, ","), 1, c.address, false)
		if _, is := err.(missing); !is || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if err := run([]string{"ode", "ode", "ode"}, 1, "", true); err == nil || !strings.Contains(err.Error(), "all engines") {
		t.Error(err)
	}
	if _, err := pkgConfig("bullet", "libbullet-dev"); err == nil || !strings.Contains(err.Error(), "libbullet-dev") {
		t.Error(err)
	}
	if _, err := compileBox3D("cc", none, "file:///no/such/place"); err == nil || !strings.Contains(err.Error(), "cannot be fetched") {
		t.Error(err)
	}
}

// TestPeers steps all scenes with the engines that Debian has, twice, and checks that ours takes at most
// 1.5 times their time: two rounds on a busy machine are no closer.
func TestPeers(t *testing.T) {
	if !experiment.Long() {
		t.Skip("compiles and runs other engines: set GHOSTCUBE_LONG=1")
	}
	for _, name := range []string{"c++", "pkg-config"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	engines, err := build(dir, []string{"bullet", "ode"}, "")
	if err != nil {
		t.Fatal(err)
	}
	results, err := measure(dir, engines, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + tables(engines, results, "twice"))
	scenes := benchScenes()
	if n := results[1][0].standing(&scenes[1]); n != 900 {
		t.Errorf("pile: %d of 900 stand", n)
	}
	for i := range scenes {
		for k, e := range engines[1:] {
			if ours, theirs := results[i][0].mean(&scenes[i]), results[i][k+1].mean(&scenes[i]); ours > 1.5*theirs {
				t.Errorf("%s: %.4f ms, %s %.4f", scenes[i].name, ours, e.name, theirs)
			}
		}
	}
}
