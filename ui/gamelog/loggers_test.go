package gamelog

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ghostcube/docs/examples/loggers"
	"ghostcube/internal/experiment"
)

// maxLoggerLines is the most that a logger has, so that somebody copies it.
const maxLoggerLines = 60

// loggerLiterals are the texts of each language, and what its placeholders look like.
var loggerLiterals = map[string]struct{ literal, placeholder *regexp.Regexp }{
	"gamelog.go":  {regexp.MustCompile("`([^`]*)`|\"((?:[^\"\\\\]|\\\\.)*)\""), regexp.MustCompile(`%[.0-9]*[a-z]`)},
	"GameLog.cs":  {regexp.MustCompile(`Line\("([^"]*)"()`), regexp.MustCompile(`[#%$@]`)},
	"GameLog.h":   {regexp.MustCompile(`TEXT\("((?:[^"\\]|\\.)*)"\)()`), regexp.MustCompile(`%[.0-9]*[a-z]+`)},
	"game_log.gd": {regexp.MustCompile(`'(\{[^'\n]*)'|"(\[[^"\n]*)"`), regexp.MustCompile(`%[.0-9]*[a-z]`)},
}

// formatsOf returns the formats of lines, by their kind, and of a body, in the text of a logger. In them %s stands for each
// value.
func formatsOf(name, text string) (lines map[byte]string, body string) {
	l := loggerLiterals[name]
	lines = map[byte]string{}
	for _, m := range l.literal.FindAllStringSubmatch(text, -1) {
		s := strings.ReplaceAll(m[1]+m[2], `\"`, `"`)
		if s = l.placeholder.ReplaceAllString(s, "%s"); strings.HasSuffix(name, ".cs") {
			s = strings.ReplaceAll(s, "'", `"`)
		}
		switch {
		case strings.HasPrefix(s, `{"t":"`):
			lines[s[len(`{"t":"`)]] = s
		case strings.HasPrefix(strings.TrimPrefix(s, ","), "[%s,"):
			body = strings.TrimPrefix(s, ",")
		}
	}
	return lines, body
}

// filled returns a format with values: for each that follows a field, one that the field allows.
func filled(t *testing.T, format, body string) string {
	t.Helper()
	samples := map[string]string{"role": "both", "hz": "60", "fps": "144", "body": "1",
		"k": "3", "us": "1000000", "ko": "2.500", "in": "4", "id": "5", "keys": "WD",
		"dir": "up", "bytes": "33", "rtt": "100000", "n": "3"}
	field := regexp.MustCompile(`"([a-z]+)":(["\[]?)%s`)
	return field.ReplaceAllStringFunc(format, func(s string) string {
		m := field.FindStringSubmatch(s)
		v, ok := samples[m[1]]
		switch {
		case m[2] == "[":
			v, ok = body, true
			if m[1] == "o" {
				v = strings.Replace(body, "[1,", "[2,", 1)
			}
		case m[2] == "" && (m[1] == "role" || m[1] == "dir" || m[1] == "keys"):
			v = `"` + v + `"` // %q
		}
		if !ok {
			t.Errorf("%s: no sample of field %s", format, m[1])
		}
		return strings.Replace(s, "%s", v, 1)
	})
}

// TestLoggersWriteLogs takes the formats of the loggers from their texts, and checks that the lines that they make are a log
// with lines of every kind. No engine is installed here. A logger is short.
func TestLoggersWriteLogs(t *testing.T) {
	files, err := filepath.Glob("docs/examples/loggers/*")
	if err != nil || len(files) != len(loggerLiterals) {
		t.Fatalf("loggers %q, error %v", files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, name := string(b), filepath.Base(file)
		if n := strings.Count(text, "\n"); n > maxLoggerLines {
			t.Errorf("%s has %d lines, more than %d", name, n, maxLoggerLines)
		}
		lines, body := formatsOf(name, text)
		if name == "GameLog.cs" { // which writes numbers one by one
			body = "[%s" + strings.Repeat(",%s", 7) + "]"
		}
		if !strings.Contains(text, `"fps\":`) && !strings.Contains(text, `fps":`) && !strings.Contains(text, "'fps':") {
			t.Errorf("%s: no field fps", name)
		}
		if !regexp.MustCompile(`(?i)key < 0|read < 0|min\(l\.key`).MatchString(text) {
			t.Errorf("%s: inputs do not have the time at which a key was read", name)
		}
		if !regexp.MustCompile(`(?i)\bflush\(\)|log\.New`).MatchString(text) {
			t.Errorf("%s: a crash costs all lines", name)
		}
		if body == "" {
			t.Fatalf("%s: no format of a body", name)
		}
		for i, v := range []string{"1", "0.5000", "-2.0000", "0.0000", "0.00000", "0.00000", "0.00000", "1.00000"} {
			if body = strings.Replace(body, "%s", v, 1); (i == 7) == strings.Contains(body, "%s") {
				t.Errorf("%s: format of a body %q", name, body)
			}
		}
		log := ""
		for _, kind := range []byte("hscivpr") {
			if lines[kind] == "" {
				t.Errorf("%s: no line %c", name, kind)
			}
			log += filled(t, lines[kind], body) + "\n"
		}
		if list := errorsOf(t, log); len(list) > 0 || strings.Contains(log, "%") {
			t.Errorf("%s writes\n%s%v", name, log, list)
		}
		for _, kind := range []byte("hsv") { // and without bodies
			log = strings.Replace(log, filled(t, lines[kind], body), filled(t, lines[kind], ""), 1)
		}
		if list := errorsOf(t, log); len(list) > 0 {
			t.Errorf("%s writes\n%s%v", name, log, list)
		}
	}
}

// sessionScore is the score of the session that the games of these tests log: a body goes on evenly and is drawn six ticks late,
// keys are read a frame before their input.
var sessionScore = map[string]float64{"path_error_rms_all_m": 0, "pops_per_minute": 0, "nominal_delay_mean_ms": 100, "key_to_screen_ms": 7000.0 / 60,
	"lag_error_rms_m": 0.3, "up_kbit_per_second": 50 * 8 * 60 / 1000.0, "down_kbit_per_second": 72, "resimulated_ticks_per_minute": 28 * 60 / (400 / 60.0)}

// checkSession checks the log of that session.
func checkSession(t *testing.T, log string) {
	t.Helper()
	if list := errorsOf(t, log); len(list) > 0 {
		t.Fatal(list)
	}
	r, err := NewReader("log", strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Score(r, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range sessionScore {
		if got := c.value(name); !(math.Abs(got-want) <= 1e-3*want+1e-5) {
			t.Errorf("%s is %v, want %v (%v)", name, got, want, c.Notes)
		}
	}
	if n := strings.Count(log, `{"t":"i"`); n != 7 {
		t.Errorf("%d lines i, want one for each change of the keys, 7", n)
	}
}

// TestGoLogger runs the logger for Go in a game, and checks its score.
func TestGoLogger(t *testing.T) {
	var out strings.Builder
	l, now := loggers.New(&out, "both", 60, 60, 7), int64(0)
	l.Now = func() int64 { return now }
	at := func(tick int) loggers.Bodies {
		x := float64(max(tick, 0)) * 0.05
		return loggers.Bodies{7: {x, 0, 0, 0, 0, 0, 1}, 9: {-x, 1, 0, 0, 0, 0, 1}}
	}
	for frame := range 400 {
		now = int64(frame) * 1e6 / 60
		l.Server(frame, at(frame))
		l.Input(frame, []string{"", "W"}[frame/50%2])
		l.Packet("up", 22)
		l.Packet("down", 122)
		if frame%60 == 0 {
			l.Clock(float64(frame), 100_000)
			l.Correction(4)
		}
		shown := at(frame - 6)
		l.View(float64(frame-6), loggers.Bodies{7: shown[7]}, float64(frame-6), loggers.Bodies{9: shown[9]}, max(frame-6, -1))
		if frame%50 == 49 {
			l.Key()
			now += 4000
			l.Key()
		}
	}
	checkSession(t, out.String())
}

// checkEngine runs a program that writes the log of that session, and one of a broken game whose bodies are nowhere.
func checkEngine(t *testing.T, broken int, command ...string) {
	t.Helper()
	dir := t.TempDir()
	logs := [2]string{filepath.Join(dir, "session.jsonl"), filepath.Join(dir, "broken.jsonl")}
	command = append(command, logs[:]...)
	if b, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, b)
	}
	for i, name := range logs {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			checkSession(t, string(b))
			continue
		}
		list := errorsOf(t, string(b))
		if len(list) != broken {
			t.Errorf("%d errors of %d broken lines:\n%s", len(list), broken, b)
		}
		for _, err := range list {
			if text := strings.ToLower(err.Error()); !strings.Contains(text, "nan") && !strings.Contains(text, "inf") {
				t.Errorf("no reason: %v", err)
			}
		}
	}
}

// compile runs a compiler, which is skipped where there is none.
func compile(t *testing.T, compiler string, args ...string) {
	t.Helper()
	name, err := exec.LookPath(compiler)
	if err != nil {
		t.Skip("needs ", compiler)
	}
	if b, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, b)
	}
}

// TestUnrealLogger compiles the logger for Unreal with a game and what it needs of the engine, and checks the score of its log.
func TestUnrealLogger(t *testing.T) {
	experiment.Skip(t)
	program := filepath.Join(t.TempDir(), "game")
	compile(t, "g++", "-std=c++17", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-Iui/gamelog/testdata/unreal", "-Idocs/examples/loggers",
		"-o", program, "ui/gamelog/testdata/unreal/game.cpp")
	checkEngine(t, 2, program)
}

// TestUnityLogger compiles the logger for Unity with a game in a country with decimal commas, and checks the score of its log.
func TestUnityLogger(t *testing.T) {
	experiment.SkipUnlessLong(t)
	program := filepath.Join(t.TempDir(), "game.exe")
	compile(t, "mcs", "-langversion:7", "-out:"+program, "ui/gamelog/testdata/unity/Game.cs", "docs/examples/loggers/GameLog.cs")
	checkEngine(t, 3, "mono", program)
}
