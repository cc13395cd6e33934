package plan

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/ui/stage"
)

// Library finds tapes, traces, comparisons, presets, claims, terms and mechanisms. Built-in tapes and traces have names; a name
// with a dot or a slash is a file. A tape can also stand for itself, as InlineTape makes it.
type Library struct {
	Tapes           fs.FS  // tapes/NAME.tape
	Traces          fs.FS  // traces/NAME.csv
	ComparisonFiles fs.FS  // comparisons/*.toml
	LessonFiles     fs.FS  // lessons/NN-NAME.toml
	ClaimFiles      fs.FS  // claims/NN-TOPIC.toml
	PresetFiles     fs.FS  // presets/NAME.toml
	TermFile        []byte // terms.toml
	MechanismFile   []byte // mechanisms.toml

	Dropped map[string][]byte // tapes that are no files here, by their names; may be nil

	Files []string // that have been read

	// Warn is called with a warning, such as of a truncated tape. It may be nil.
	Warn func(text string)

	specs       lab.SpecValidator
	validSpecs  map[string]bool // of panes that are valid
	comparisons []Comparison    // nil: not read yet
	lessons     []Lesson        // nil: not read yet
	presets     []Preset        // nil: not read yet
	terms       []Term          // nil: not read yet

	presetFiles map[string]*Preset // that have been read, by the names of their files
}

// TapeNames returns the names of the built-in tapes.
func (l *Library) TapeNames() []string { return fileNames(l.Tapes, "tapes", ".tape") }

// TraceNames returns the names of the built-in traces.
func (l *Library) TraceNames() []string { return fileNames(l.Traces, "traces", ".csv") }

// fileNames returns the names of the files in a folder, without their ending.
func fileNames(from fs.FS, folder, ending string) []string {
	var names []string
	files, err := fs.Glob(from, folder+"/*"+ending)
	if err != nil {
		panic(err) // the pattern is ours
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ending))
	}
	return names
}

// readAll calls read for every TOML file in a folder, in the order of the names.
func readAll(from fs.FS, folder string, read func(name string, text []byte) error) error {
	for _, name := range fileNames(from, folder, ".toml") {
		text, err := fs.ReadFile(from, folder+"/"+name+".toml")
		if err == nil {
			err = read(name+".toml", text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// indexNamed returns the index of an element by its name. Otherwise the error has all names.
func indexNamed[T any](list []T, kind, name string, nameOf func(*T) string) (int, error) {
	var names []string
	for i := range list {
		if names = append(names, nameOf(&list[i])); names[i] == name {
			return i, nil
		}
	}
	return 0, &link.UnknownNameError{Kind: kind, Name: name, Choices: names}
}

// validateSpec validates the specification of a pane, once: the lists of comparisons and lessons repeat many.
func (l *Library) validateSpec(spec string) error {
	if l.validSpecs[spec] {
		return nil
	}
	if _, unnamed := lab.CutTitle(spec); unnamed == spec {
		name, _, _ := strings.Cut(spec, ":")
		if _, err := lab.StrategyNamed(name); err != nil {
			return l.unknownPane(name)
		}
	}
	if err := l.specs.Validate(spec); err != nil {
		return err
	}
	if l.validSpecs == nil {
		l.validSpecs = map[string]bool{}
	}
	l.validSpecs[strings.Clone(spec)] = true
	return nil
}

// isFile reports whether the name of a tape or a trace is that of a file.
func isFile(name string) bool { return strings.ContainsAny(name, "./\\") }

// openTape opens a tape.
func (l *Library) openTape(name string) (io.ReadCloser, error) {
	if strings.HasPrefix(name, inlinePrefix) {
		text, err := expandTape(name)
		return io.NopCloser(bytes.NewReader(text)), err
	}
	if text, ok := l.Dropped[name]; ok {
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	return l.open(l.Tapes, "tapes", name, ".tape")
}

// open opens a built-in file by its name, or any other file.
func (l *Library) open(from fs.FS, folder, name, ending string) (io.ReadCloser, error) {
	if isFile(name) {
		l.Files = append(l.Files, name)
		if ending == ".csv" {
			return OpenFile(name, maxTraceFile)
		}
		return OpenFile(name, maxTapeFile)
	}
	f, err := from.Open(folder + "/" + name + ending)
	if err != nil {
		return nil, &link.UnknownNameError{Kind: strings.TrimSuffix(folder, "s"), Name: name, Choices: fileNames(from, folder, ending)}
	}
	return f, nil
}

// ReadTape reads a tape, which may be truncated. A tape without ticks is an error.
func (l *Library) ReadTape(name string) (*tape.Tape, error) {
	file, err := l.openTape(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	title := TapeTitle(name)
	t, err := tape.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", title, err)
	}
	if len(t.Entries) == 0 {
		return nil, fmt.Errorf("%s: the tape has no ticks", title)
	}
	if err := stage.CheckEntries(t.Entries); err != nil {
		return nil, fmt.Errorf("%s: %w", title, err)
	}
	return t, nil
}

// LoadTape reads a tape and warns if it is truncated.
func (l *Library) LoadTape(name string) (*tape.Tape, error) {
	t, err := l.ReadTape(name)
	if err == nil {
		l.WarnTruncated(name, t)
	}
	return t, err
}

// WarnTruncated warns if a tape is truncated.
func (l *Library) WarnTruncated(name string, t *tape.Tape) {
	if t.Truncated && l.Warn != nil {
		l.Warn(fmt.Sprintf("%s is truncated: only its first %d ticks are used", TapeTitle(name), len(t.Entries)))
	}
}

// LoadTrace reads a trace of a link.
func (l *Library) LoadTrace(name string) (*link.Trace, error) {
	file, err := l.open(l.Traces, "traces", name, ".csv")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t, err := link.ReadTrace(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// InlineTraces replaces the names of traces in the text of a network by their samples, so
// that a tape contains its network completely and later stages read no files.
func (l *Library) InlineTraces(network string) (string, error) {
	items := strings.Split(network, ",")
	for i, item := range items {
		name, ok := traceName(item)
		if !ok {
			continue
		}
		t, err := l.LoadTrace(name)
		if err != nil {
			return "", err
		}
		key, _, _ := strings.Cut(item, "=")
		items[i] = strings.TrimSpace(key) + "=" + t.String()
	}
	return strings.Join(items, ","), nil
}

// traceName returns the name in an item of a network that sets a trace. ok is false for other items, and for a trace
// that is given by its samples.
func traceName(item string) (name string, ok bool) {
	key, value, _ := strings.Cut(item, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if key[strings.IndexByte(key, '.')+1:] != "trace" || value == "none" || strings.HasPrefix(value, "us/") {
		return "", false
	}
	return value, true
}
