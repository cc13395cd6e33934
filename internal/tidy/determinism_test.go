package tidy

import (
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// forbiddenCalls are the functions that read or wait for a clock, which pure folders may not
// use. allowedMath matches the functions and constants of package math that they may use: the
// others differ between machines.
var forbiddenCalls = []string{
	"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.Tick",
	"time.NewTimer", "time.NewTicker",
}

var allowedMath = regexp.MustCompile(`^math\.(Sqrt|Abs|Floor|Ceil|Trunc|Copysign|IsNaN|IsInf|Float(32|64)(bits|frombits)|(Max|Min|Smallest).*|Inf|NaN)$`)

// TestNoClockNoRandomness checks that the pure and the repeatable folders use no clock, no random
// source and no goroutine, that the pure ones use no function that differs between machines, and
// that sim uses no maps, whose order differs from run to run. It guards every hash, and has caught nothing yet.
func TestNoClockNoRandomness(t *testing.T) {
	for _, dir := range foldersThat(t, repeatable) {
		keeps := folders[starred(dir)].promise
		if keeps == exact {
			continue
		}
		for _, file := range goFilesIn(t, dir) {
			for _, p := range importsOf(t, file) {
				if strings.HasPrefix(p, "math/rand") || strings.HasPrefix(p, "math/cmplx") || p == "crypto/rand" || p == "unsafe" || p == "os" || p == "runtime" {
					t.Errorf("%s imports %s", file, p)
				}
			}
			visitNodes(t, file, func(at token.Position, n ast.Node) {
				switch n := n.(type) {
				case *ast.MapType:
					if dir == "sim" || strings.HasPrefix(dir, "sim/") {
						t.Errorf("%v: map type", at)
					}
				case *ast.GoStmt:
					t.Errorf("%v: go statement", at)
				case *ast.SelectStmt:
					t.Errorf("%v: select statement", at)
				case *ast.SelectorExpr:
					x, ok := n.X.(*ast.Ident)
					if !ok {
						return
					}
					name := x.Name + "." + n.Sel.Name
					if slices.Contains(forbiddenCalls, name) || keeps == pure && x.Name == "math" && !allowedMath.MatchString(name) {
						t.Errorf("%v: use of %s", at, name)
					}
				}
			})
		}
	}
}

// fusedInstruction matches the instructions that multiply and add with one rounding, as
// the compiler lists them for arm64 and for amd64 v3.
var fusedInstruction = regexp.MustCompile(`\s(FN?M(ADD|SUB)[SD]|VFN?M(ADD|SUB)\d+[SP][SD])\s`)

// TestNoFusedMultiplyAdd checks that the machine code of the exact folders has no such
// instructions, for an architecture that has them, with GHOSTCUBE_LONG for two. Two products of the local replay were fused.
func TestNoFusedMultiplyAdd(t *testing.T) {
	experiment.Skip(t)
	if testing.Short() {
		t.Skip("compiles everything again")
	}
	for _, env := range [][]string{{"GOARCH=arm64"}, {"GOARCH=amd64", "GOAMD64=v3"}}[:experiment.Pick(1, 1, 2)] {
		args := []string{"build", "-tags", "headless"}
		for _, dir := range foldersThat(t, exact) {
			args = append(args, "-gcflags="+module+dir+"=-S")
		}
		for _, dir := range foldersThat(t, exact) {
			args = append(args, "./"+dir)
		}
		cmd := exec.Command("go", args...)
		cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux"), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", env, err, out[:min(len(out), 2000)])
		}
		if !strings.Contains(string(out), "STEXT") {
			t.Fatalf("%v: the compiler listed no code", env)
		}
		for line := range strings.Lines(string(out)) {
			if fusedInstruction.MatchString(line) {
				t.Errorf("%v: %s", env, strings.TrimSpace(line))
			}
		}
	}
}
