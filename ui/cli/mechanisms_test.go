//go:build !js || headless

package cli

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/ui/plan"
)

// The page that lists all mechanisms with measured figures.
const mechanismPage = "../../docs/reference/mechanisms.md"

func mechanisms(t *testing.T) []plan.Mechanism { return must(testProgram(t).library.Mechanisms()) }

// TestMechanismsAreDeclared checks that the code that the list of mechanisms names exists.
func TestMechanismsAreDeclared(t *testing.T) {
	experiment.Skip(t)
	declared := map[string]map[string]bool{} // by folder
	for _, m := range mechanisms(t) {
		for _, code := range m.Code {
			folder, name := code, ""
			if dot := strings.IndexByte(code[strings.LastIndexByte(code, '/')+1:], '.'); dot >= 0 {
				dot += strings.LastIndexByte(code, '/') + 1
				folder, name = code[:dot], code[dot+1:]
			}
			if declared[folder] == nil {
				declared[folder] = declarations(filepath.Join("../..", folder))
			}
			if !declared[folder][name] {
				t.Errorf("mechanism %d, %s: %s does not exist", m.Number, m.Name, code)
			}
		}
	}
}

// declarations returns the names that the files of a folder declare, methods and fields as
// Type.Name, and "" for the package.
func declarations(folder string) map[string]bool {
	names := map[string]bool{}
	for _, name := range must(filepath.Glob(filepath.Join(folder, "*.go"))) {
		names[""] = true
		ast.Inspect(must(parser.ParseFile(token.NewFileSet(), name, nil, 0)), func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				name := n.Name.Name
				if n.Recv != nil {
					base, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(n.Recv.List[0].Type), "*"), "[")
					name = base + "." + name
				}
				names[name] = true
				return false
			case *ast.TypeSpec:
				names[n.Name.Name] = true
				if st, ok := n.Type.(*ast.StructType); ok {
					for _, field := range st.Fields.List {
						for _, f := range field.Names {
							names[n.Name.Name+"."+f.Name] = true
						}
					}
				}
			case *ast.ValueSpec:
				for _, v := range n.Names {
					names[v.Name] = true
				}
			}
			return true
		})
	}
	return names
}

// TestPageOfMechanisms checks that the page has all mechanisms. With GHOSTCUBE_LONG it runs their commands and compares the
// figures, too, and -update with GHOSTCUBE_CI writes them. Otherwise the page keeps the figures of the mechanisms that it has.
func TestPageOfMechanisms(t *testing.T) {
	list := mechanisms(t)
	written := must(os.ReadFile(mechanismPage))
	kept := map[int]string{} // by number
	var run []plan.Mechanism
	for i := range list {
		m := &list[i]
		_, rest, ok := strings.Cut(string(written), mechanismText(m)+" ")
		if experiment.Long() || experiment.Enabled() && golden.Updating() || !ok {
			run = append(run, *m)
			continue
		}
		kept[m.Number], _, _ = strings.Cut(rest, "\n")
	}
	outputs := mechanismOutputs(t, run)
	var page strings.Builder
	fmt.Fprintf(&page, mechanismHead, len(list))
	for i := range list {
		m := &list[i]
		if i == 0 || list[i-1].Group != m.Group {
			fmt.Fprintf(&page, "\n## %s\n\n", m.Group)
		}
		figures, ok := kept[m.Number]
		if !ok {
			var err error
			if figures, err = outputs[m.Command].fill(m.Figure); err != nil {
				t.Errorf("mechanism %d, %s: %v", m.Number, m.Name, err)
				figures = "?"
			}
		}
		fmt.Fprintf(&page, "%s %s\n", mechanismText(m), figures)
	}
	golden.Page(t, mechanismPage, page.String())
}

const mechanismHead = `# Mechanisms

The %d mechanisms that the articles and talks describe, with the code that has each, and the figures that its command measures:
` + "`ghostcube list mechanisms`" + ` prints the commands. A test runs them all and writes this page.
`

// mechanismText returns what the page says of a mechanism before its figures.
func mechanismText(m *plan.Mechanism) string {
	return fmt.Sprintf("%d. %s (`%s`):", m.Number, m.Name, strings.Join(m.Code, "`, `"))
}

// output is the output of a command.
type output struct {
	text string
	err  error
}

// mechanismOutputs runs the commands of all mechanisms, each once.
func mechanismOutputs(t *testing.T, list []plan.Mechanism) map[string]*output {
	outputs := map[string]*output{}
	work := make(chan *plan.Mechanism)
	var mutex sync.Mutex
	var wait sync.WaitGroup
	folder := t.TempDir()
	for range 2 {
		wait.Go(func() {
			for m := range work {
				command := m.Command
				var out, errs strings.Builder
				args := strings.Fields(strings.ReplaceAll(command, "FOLDER", folder))
				if args[0] == "bench" && !strings.Contains(m.Figure, "{/") {
					args = append(args, "--format", "json")
				}
				o := &output{}
				if code := Main(testEnvironment(args, &out, &errs)); code != 0 {
					o.err = fmt.Errorf("ghostcube %s: exit code %d: %s", command, code, errs.String())
				}
				o.text = out.String()
				mutex.Lock()
				outputs[command] = o
				mutex.Unlock()
			}
		})
	}
	seen := map[string]bool{}
	for i := range list {
		if !seen[list[i].Command] {
			seen[list[i].Command] = true
			work <- &list[i]
		}
	}
	close(work)
	wait.Wait()
	return outputs
}

var placeholder = regexp.MustCompile(`\{(/[^}]*/|(\d+)\.([a-z0-9_]+)(?:\*([0-9.e-]+))?(?::([0-9])|(:%))?)\}`)

// fill replaces the placeholders of a figure by values of the output:
//
//	{2.corrections}      measure, counter or traffic figure of the second pane
//	{2.pops_m*1000:1}    the same times 1000, with one decimal
//	{2.lost_ratio:%}     a share in percent
//	{1.checksum}         datagrams rejected for a reason
//	{/sent: (\d+)/}      the first group of the first match in the text
func (o *output) fill(figure string) (string, error) {
	if o.err != nil {
		return "", o.err
	}
	var report struct {
		Panes []struct {
			Score    measures
			Counters map[string]any
			Traffic  map[string]any
		}
	}
	var bad error
	fail := func(format string, args ...any) string {
		bad = fmt.Errorf(format, args...)
		return ""
	}
	text := placeholder.ReplaceAllStringFunc(figure, func(s string) string {
		m := placeholder.FindStringSubmatch(s)
		if m[2] == "" {
			found := regexp.MustCompile(strings.Trim(m[1], "/")).FindStringSubmatch(o.text)
			if len(found) < 2 {
				return fail("the output lacks %s", s)
			}
			return found[1]
		}
		if report.Panes == nil {
			if err := json.Unmarshal([]byte(o.text), &report); err != nil {
				return fail("%s: %v", s, err)
			}
		}
		pane, _ := strconv.Atoi(m[2])
		if pane < 1 || pane > len(report.Panes) {
			return fail("%s: there are %d panes", s, len(report.Panes))
		}
		p := &report.Panes[pane-1]
		v := p.Score.value(m[3])
		rejected, _ := p.Traffic["rejected"].(map[string]any)
		for _, values := range []map[string]any{p.Counters, p.Traffic, rejected} {
			if x, ok := values[m[3]].(float64); ok {
				v = x
			}
		}
		if math.IsNaN(v) {
			return fail("%s: pane %d has no such value", s, pane)
		}
		if m[4] != "" {
			factor, err := strconv.ParseFloat(m[4], 64)
			if err != nil {
				return fail("%s: %v", s, err)
			}
			v *= factor
		}
		switch {
		case m[6] != "":
			return strings.TrimSuffix(fixed(100*v, 1), ".0") + " %"
		case m[5] != "":
			digits, _ := strconv.Atoi(m[5])
			return fixed(v, digits)
		case v == math.Trunc(v) || math.Abs(v) >= 100:
			return fixed(v, 0)
		}
		return strconv.FormatFloat(v, 'g', 3, 64)
	})
	if bad == nil && strings.ContainsAny(text, "{}") {
		return "", fmt.Errorf("%q has an unknown placeholder", text)
	}
	return text, bad
}
