package main

import (
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// TestRepeated checks which tests of a package are repeated: those that ask for something, in a function, a method, a
// variable or a text, and no others. .ci/long repeats those that ask for GHOSTCUBE_LONG.
func TestRepeated(t *testing.T) {
	names := map[string]map[string]bool{}
	for _, text := range []string{`package x
func TestMain() { os.Getenv("A") }
func TestAsks() { experiment.Skip(t) }
func TestByFunction() { helper() }
func TestPlain() { plain() }
func TestText() { run("clip.mp4") }
func TestLong() { if experiment.Long() { more() } }
func TestLonger() { seconds() }
func TestPicksMore() { n := experiment.Pick(1, 2, 3) }
func TestPicksMoreSeeds() { n := experiment.Pick[uint64](1, 2, 3) }
func TestPicksTheSame() { n := experiment.Pick(1, 2, 2) }
func plain() { t.Run("experiments", nil) }`, `package x
func helper() { server{}.start() }
func (server) start() { exec.LookPath("node") }
var brief = func() bool { return experiment.Brief() }()
func TestByVariable() { _ = brief }
type length int
func (length) get() int { return len(plain) }
func TestOtherMethod() { length(0).get() }
func seconds() int { return len(os.Getenv("GHOSTCUBE_LONG")) }`} {
		file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		addUses(names, file)
	}
	want := []string{"TestAsks", "TestByFunction", "TestByVariable", "TestLong", "TestLonger", "TestPicksMore", "TestPicksMoreSeeds",
		"TestPicksTheSame", "TestText"}
	if got := repeated(names, asked); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := repeated(names, askedLong); !slices.Equal(got, want[3:7]) {
		t.Errorf("with -long: %q, want %q", got, want[3:7])
	}
}
