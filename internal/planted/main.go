// Planted checks the tests: it plants one bug at a time, as a table lists them, and demands that
// the tests of the package fail, those of go test ./... or, with GHOSTCUBE_CI, those of .ci/run. A bug that survives shows a
// promise that no test holds.
//
//	go run ./internal/planted [-only TEXT] [-list] .ci/planted.txt
//
// An entry of the table is a file with a description of the bug, optionally the packages whose
// tests have to find it (arguments of go test; the default is the package of the file), the text to
// replace, and the text to replace it with:
//
//	predict/part/codec/snapshot.go: a state of the same tick is taken as new
//	tests -run Snapshot ./predict/part/codec ./predict/strategy/rewind
//	- tick <= r.Tick
//	+ tick < r.Tick
//
// The replaced text has to occur once in the file; an entry whose text does not is an error that
// names it. The bugs are planted in a copy of the source tree.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	only := flag.String("only", "", "plant only the bugs whose file or description contains this text")
	list := flag.Bool("list", false, "check that all entries apply, and plant nothing")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *only, *list); err != nil {
		fmt.Fprintln(os.Stderr, "planted:", err)
		os.Exit(1)
	}
}

// bug is an entry of the table.
type bug struct {
	line     int // of the table
	file     string
	what     string
	tests    []string // arguments of go test
	old, new []string // lines
}

func run(table, only string, list bool) error {
	bugs, err := readTable(table)
	if err != nil {
		return err
	}
	var wrong []error
	for i := range bugs {
		if _, err := bugs[i].plant(); err != nil {
			wrong = append(wrong, fmt.Errorf("%s:%d: the entry no longer applies: %w", table, bugs[i].line, err))
		}
	}
	if list || len(wrong) > 0 {
		fmt.Printf("%d bugs in %s\n", len(bugs), table)
		return errors.Join(wrong...)
	}
	tree, err := os.MkdirTemp("", "planted")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree)
	if err := copyTree(tree); err != nil {
		return err
	}
	planted, survived := 0, 0
	for i := range bugs {
		b := &bugs[i]
		if !strings.Contains(b.file+": "+b.what, only) {
			continue
		}
		planted++
		start := time.Now()
		found, err := b.test(tree)
		result := "found   "
		switch {
		case err != nil:
			result = "ERROR   "
			wrong = append(wrong, fmt.Errorf("%s:%d: %s: %w", table, b.line, b.what, err))
		case !found:
			result = "SURVIVED"
			survived++
		}
		fmt.Printf("%s %5.1f s  %s: %s\n", result, time.Since(start).Seconds(), b.file, b.what)
	}
	fmt.Printf("%d planted bugs, %d survived\n", planted, survived)
	if survived > 0 {
		wrong = append(wrong, fmt.Errorf("%d of %d bugs survived the tests", survived, planted))
	}
	return errors.Join(wrong...)
}

// readTable reads the table. Errors name the line.
func readTable(name string) (bugs []bug, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		line := s.Text()
		var b *bug
		if len(bugs) > 0 {
			b = &bugs[len(bugs)-1]
		}
		arguments, tests := strings.CutPrefix(line, "tests ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case b != nil && tests:
			b.tests = strings.Fields(arguments)
		case b != nil && (strings.HasPrefix(line, "- ") || line == "-"):
			b.old = append(b.old, strings.TrimPrefix(line[1:], " "))
		case b != nil && (strings.HasPrefix(line, "+ ") || line == "+"):
			b.new = append(b.new, strings.TrimPrefix(line[1:], " "))
		default:
			file, what, ok := strings.Cut(line, ": ")
			if !ok {
				return nil, fmt.Errorf("%s:%d: %q: want a file and a description, tests, - or +", name, n, line)
			}
			bugs = append(bugs, bug{line: n, file: file, what: what, tests: []string{"./" + filepath.ToSlash(filepath.Dir(file))}})
		}
	}
	for i := range bugs {
		if len(bugs[i].old) == 0 {
			return nil, fmt.Errorf("%s:%d: no text to replace", name, bugs[i].line)
		}
	}
	return bugs, s.Err()
}

// plant returns the file with the bug.
func (b *bug) plant() ([]byte, error) {
	text, err := os.ReadFile(b.file)
	if err != nil {
		return nil, err
	}
	old := []byte(strings.Join(b.old, "\n"))
	if n := bytes.Count(text, old); n != 1 {
		return nil, fmt.Errorf("%q occurs %d times in %s, want once", old, n, b.file)
	}
	return bytes.Replace(text, old, []byte(strings.Join(b.new, "\n")), 1), nil
}

// copyTree copies the source tree, except for version control.
func copyTree(to string) error {
	return filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git" && d.IsDir():
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, path), 0o700)
		case !d.Type().IsRegular() || d.Name() == ".git":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), text, 0o600)
	})
}

// test reports whether the tests find the bug, in a copy of the source tree.
func (b *bug) test(tree string) (found bool, err error) {
	text, err := b.plant()
	if err != nil {
		return false, err
	}
	name := filepath.Join(tree, b.file)
	original, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.WriteFile(name, original, 0o600)) }()
	// What go test ./... finds is found quickly; the experiments of .ci/run come only then.
	for _, setting := range []string{"", "GHOSTCUBE_CI=1"} {
		test := exec.Command("go", append([]string{"test", "-failfast", "-vet=off", "-count=1", "-timeout", "10m"}, b.tests...)...)
		test.Dir = tree
		if setting != "" {
			test.Env = append(os.Environ(), setting)
		}
		output, err := test.CombinedOutput()
		var failed *exec.ExitError
		switch {
		case err == nil:
			continue
		case !errors.As(err, &failed):
			return false, err
		case bytes.Contains(output, []byte("[build failed]")):
			return false, fmt.Errorf("the bug does not compile:\n%s", output)
		}
		return true, nil
	}
	return false, nil
}
