//go:build !js || headless

package cli

import (
	"strings"
	"testing"
)

// runCLI runs the program and returns its exit code and what it prints.
func runCLI(args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	code = Main(testEnvironment(args, &o, &e))
	return code, o.String(), e.String()
}

// printed runs the program and returns its output.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := runCLI(args...)
	if code != 0 {
		t.Fatalf("%v: exit code %d: %s", args, code, errs)
	}
	return out
}

// refused checks that the program refuses its arguments, with exit code 2 and an error of one line that contains a text, and
// returns the error.
func refused(t *testing.T, want string, args ...string) (errs string) {
	t.Helper()
	code, _, errs := runCLI(args...)
	if code != 2 || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
		t.Errorf("%v: exit code %d, %q, want %q in it", args, code, errs, want)
	}
	return errs
}

// must returns what a test cannot do without. The trace of the panic names its line.
func must[T any](value T, err error) T {
	need(err)
	return value
}

// need ends a test that cannot go on after an error.
func need(err error) {
	if err != nil {
		panic(err)
	}
}
