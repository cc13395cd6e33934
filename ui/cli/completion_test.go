//go:build !js || headless

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// completions are command lines and the words that complete the last one, among others.
var completions = []struct{ line, want string }{
	{"be", "bench"},
	{"--netw", "--network"},
	{"bench --sav", "--save-tape"},
	{"bench --compare lockstep-t", "lockstep-tcp-bad lockstep-timeout"},
	{"sweep --panes re", "rewind relative"},
	{"list me", "measures mechanisms"},
	{"tour pre", "prediction"},
	{"help wo", "worker"},
}

// TestCompletion promises that each shell completes commands, flags and names by its script.
func TestCompletion(t *testing.T) {
	experiment.Skip(t)
	for _, shell := range []struct {
		name     string
		complete func(script, line string) []string // runs the shell; nil for none: the script is read
	}{
		{"bash", func(script, line string) []string {
			words := strings.Fields("ghostcube " + line)
			return []string{"-c", `. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ghostcube; printf '%s\n' "${COMPREPLY[@]}"`, script, strings.Join(words, "\x00")}
		}},
		{"fish", func(script, line string) []string {
			return []string{"-N", "-c", "source $argv[1]; complete -C $argv[2]", script, "ghostcube " + line}
		}},
		{"zsh", nil},
	} {
		t.Run(shell.name, func(t *testing.T) {
			program, err := exec.LookPath(shell.name)
			if err != nil {
				t.Skip(err)
			}
			var out, errs strings.Builder
			if code := Main(testEnvironment([]string{"completion", shell.name}, &out, &errs)); code != 0 {
				t.Fatal(errs.String())
			}
			script := filepath.Join(t.TempDir(), "script")
			need(os.WriteFile(script, []byte(out.String()), 0o666))
			if shell.complete == nil {
				if b, err := exec.Command(program, "-n", script).CombinedOutput(); err != nil {
					t.Errorf("%s\n%v", b, err)
				}
				return
			}
			for _, c := range completions {
				var args []string
				for _, a := range shell.complete(script, c.line) {
					args = append(args, strings.Split(a, "\x00")...)
				}
				b, err := exec.Command(program, args...).CombinedOutput()
				var got []string
				for line := range strings.Lines(string(b)) {
					word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
					got = append(got, word)
				}
				for want := range strings.FieldsSeq(c.want) {
					if err != nil || !slices.Contains(got, want) {
						t.Errorf("%q: %q, want %s among them (%v)", c.line, got, want, err)
					}
				}
			}
		})
	}
}

// TestManual promises a manual page that has every command with its flags, and that mandoc has nothing against.
func TestManual(t *testing.T) {
	var out, errs strings.Builder
	if code := Main(testEnvironment([]string{"man"}, &out, &errs)); code != 0 {
		t.Fatal(errs.String())
	}
	parser := must(newProgram(testEnvironment(nil, &out, &errs)).newParser(&arguments{}))
	for _, n := range parser.Model.Children {
		_, section, ok := strings.Cut(out.String(), ".SS "+n.Name+"\n")
		section, _, _ = strings.Cut(section, "\n.SS ")
		if !ok {
			t.Errorf("%s is missing", n.Name)
		}
		for _, f := range n.Flags {
			if !f.Hidden && !strings.Contains(section, `\-\-`+strings.ReplaceAll(f.Name, "-", `\-`)) {
				t.Errorf("%s: --%s is missing", n.Name, f.Name)
			}
		}
	}
	macros := []string{".TH", ".SH", ".SS", ".B", ".PP", ".TP", ".nf", ".fi"}
	for line := range strings.Lines(out.String()) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(word, ".") && !slices.Contains(macros, word) {
			t.Errorf("%q would be taken for a macro", line)
		}
	}
	t.Run("mandoc", func(t *testing.T) {
		program, err := exec.LookPath("mandoc")
		if err != nil {
			t.Skip(err)
		}
		c := exec.Command(program, "-T", "lint", "-W", "error")
		c.Stdin = strings.NewReader(out.String())
		if b, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s\n%v", b, err)
		}
	})
}
