package cli

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict"
)

// traceNames returns the names of the example traces.
func (p *program) traceNames() []string { return fileNames(p.Traces, "traces", ".csv") }

// loadTrace reads a trace by its name or from a file. A name with a dot or a
// slash in it is a file.
func (p *program) loadTrace(name string) (*link.Trace, error) {
	var file fs.File
	var err error
	if strings.ContainsAny(name, "./\\") {
		if file, err = os.Open(name); err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
	} else if file, err = p.Traces.Open("traces/" + name + ".csv"); err != nil {
		return nil, &predict.UnknownNameError{Kind: "trace", Name: name, Known: p.traceNames()}
	}
	defer file.Close()
	t, err := link.ReadTrace(file)
	if err != nil {
		return nil, fmt.Errorf("trace: %s: %w", name, err)
	}
	return t, nil
}

// inlineTraces puts the traces that a weather's text names, by file or by name,
// into the text, so that nothing that comes after reads a file: a tape holds
// its weather whole.
func (p *program) inlineTraces(weather string) (string, error) {
	items := strings.Split(weather, ",")
	for i, item := range items {
		key, value, _ := strings.Cut(item, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if k := key[strings.IndexByte(key, '.')+1:]; k != "trace" || value == "none" || strings.HasPrefix(value, "us/") {
			continue
		}
		t, err := p.loadTrace(value)
		if err != nil {
			return "", err
		}
		items[i] = key + "=" + t.String()
	}
	return strings.Join(items, ","), nil
}
