// Package experiment marks the tests that measure a claim over many seeds, knobs or
// minutes of session time. go test ./... leaves them out, so that it stays quick enough
// to run after every change; .ci/run and .ci/long set GHOSTCUBE_CI and run them. .ci/long also sets
// GHOSTCUBE_LONG, and runs in full what .ci/run takes a part of.
package experiment

import (
	"os"
	"testing"
)

// Enabled reports whether experiments run: GHOSTCUBE_CI is set, or GHOSTCUBE_SOAK, the length
// of a soak.
func Enabled() bool { return os.Getenv("GHOSTCUBE_CI")+os.Getenv("GHOSTCUBE_SOAK") != "" }

// Long reports whether tests run that take too long for .ci/run: .ci/long sets GHOSTCUBE_LONG.
func Long() bool { return os.Getenv("GHOSTCUBE_LONG") != "" }

// Skip skips a test that is an experiment, unless GHOSTCUBE_CI is set.
func Skip(t testing.TB) {
	t.Helper()
	if !Enabled() {
		t.Skip("an experiment: set GHOSTCUBE_CI=1 to run it")
	}
}

// SkipUnlessLong skips a test that takes too long for .ci/run, unless GHOSTCUBE_LONG is set.
func SkipUnlessLong(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("takes too long for .ci/run: GHOSTCUBE_LONG=1 runs it, and .ci/long does")
	}
}

// Pick returns the size of a test: brief where Brief reports so, long for .ci/long, and usual for .ci/run.
func Pick[T any](brief, usual, long T) T {
	switch {
	case Brief():
		return brief
	case Long():
		return long
	}
	return usual
}

// Brief reports whether a test over many samples should take few of them: with -short, and
// wherever experiments do not run.
func Brief() bool { return testing.Short() || !Enabled() }
