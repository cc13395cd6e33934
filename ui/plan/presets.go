package plan

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
)

// Preset is a strategy with knobs, under a name of the field, or from a file of the user, whose name has a dot or a slash.
// It stands for a pane wherever a strategy does: shooter, or
// shooter:lead=8 with another knob. A plan has the strategy and all knobs in its place, and the name as that of the
// pane, so a tape or a link runs the same session when the preset has changed.
type Preset struct {
	Name     string // that of its file, without the ending
	Title    string // says what it does, at most MaxTitle characters
	Doc      string // what is predicted, sent and drawn, one or two sentences
	Games    string // that work in this manner according to the sources
	Guide    string // that explains it: docs/guides/NAME.md
	Strategy string
	Knobs    []lab.Setting
	Sources  []PresetSource // the first one first
}

// PresetSource is a publication with its address, which may be empty.
type PresetSource struct {
	Source
	URL string `toml:"url"`
}

// presetFile is the file of a preset.
type presetFile struct {
	Title    string         `toml:"title"`
	Doc      string         `toml:"doc"`
	Games    string         `toml:"games"`
	Guide    string         `toml:"guide"`
	Strategy string         `toml:"strategy"`
	Knobs    []string       `toml:"knobs"`
	Sources  []PresetSource `toml:"source"`
}

// MaxPresetDoc is the length of the longest description of a preset, in characters.
const MaxPresetDoc = 220

// Presets returns all presets, in the order of their names. Errors name the file and the line.
func (l *Library) Presets() ([]Preset, error) {
	if l.presets != nil {
		return l.presets, nil
	}
	list := []Preset{}
	if l.PresetFiles == nil {
		return list, nil
	}
	err := readAll(l.PresetFiles, "presets", func(name string, text []byte) error {
		x, err := l.readPreset(name, text)
		if list = append(list, x); err == nil {
			err = x.check(name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	l.presets = list
	return list, nil
}

// readPreset reads the file of a preset, which has at least a strategy.
func (l *Library) readPreset(file string, text []byte) (x Preset, err error) {
	if err := checkKeys(file, text, maxSettingNames); err != nil {
		return x, err
	}
	var f presetFile
	d, err := decodeTOML(file, text, &f)
	if err != nil {
		return x, err
	}
	x = Preset{Name: strings.TrimSuffix(path.Base(filepath.ToSlash(file)), ".toml"), Title: f.Title, Doc: f.Doc, Games: f.Games, Guide: f.Guide,
		Strategy: f.Strategy, Sources: f.Sources}
	for _, text := range [...]struct {
		name, value string
		longest     int
	}{
		{"title", f.Title, MaxTitle}, {"doc", f.Doc, MaxPresetDoc}, {"games", f.Games, MaxPresetDoc}, {"guide", f.Guide, MaxTitle},
		{"strategy", f.Strategy, MaxTitle},
	} {
		if n := utf8.RuneCountInString(text.value); n > text.longest || strings.ContainsAny(text.value, "\r\n\t") {
			return x, d.errorAt("", &SettingError{text.name, "", fmt.Errorf("it has %d characters: want one line of at most %d", n, text.longest)})
		}
	}
	if f.Strategy == "" {
		return x, d.errorAt("", &SettingError{"strategy", "", errMissing})
	}
	for _, k := range f.Knobs {
		name, value, _ := strings.Cut(k, "=")
		x.Knobs = append(x.Knobs, lab.Setting{Name: name, Value: value})
	}
	if err := l.validateSpec(x.Spec(nil)); err != nil {
		return x, d.errorAt("", &SettingError{"knobs", "", err})
	}
	for i, s := range f.Sources {
		if err := s.check(); err != nil {
			return x, d.errorAt(fmt.Sprintf("source[%d]", i), err)
		}
	}
	return x, nil
}

// errMissing is the error of a setting that a file lacks.
var errMissing = errors.New("it is missing")

// check returns what a preset lacks that stands in the lists.
func (p *Preset) check(file string) error {
	for _, text := range [...][2]string{{"title", p.Title}, {"doc", p.Doc}, {"games", p.Games}, {"guide", p.Guide}} {
		if text[1] == "" {
			return fmt.Errorf("%s: %w", file, &SettingError{text[0], "", errMissing})
		}
	}
	if len(p.Sources) == 0 {
		return fmt.Errorf("%s: %w", file, &SettingError{"source", "", errMissing})
	}
	return nil
}

// Spec returns the spec of a pane with the preset and its name, and with further knobs, which replace its own.
func (p *Preset) Spec(further []lab.Setting) string {
	spec := p.Name + "=" + p.Strategy
	for _, k := range p.Knobs {
		if !slices.ContainsFunc(further, func(s lab.Setting) bool { return s.Name == k.Name }) {
			spec += ":" + k.Name + "=" + k.Value
		}
	}
	for _, k := range further {
		spec += ":" + k.Name + "=" + k.Value
	}
	return spec
}

// PresetNamed returns the preset called name, or that of a file.
func (l *Library) PresetNamed(name string) (*Preset, error) {
	if isFile(name) {
		return presetOfFile(l, name)
	}
	list, err := l.Presets()
	if err != nil {
		return nil, err
	}
	i, err := indexNamed(list, "preset", name, func(x *Preset) string { return x.Name })
	if err != nil {
		return nil, err
	}
	return &list[i], nil
}

// presetOfFile returns the preset of a user's file, which is read once.
func presetOfFile(l *Library, name string) (*Preset, error) {
	if x := l.presetFiles[name]; x != nil {
		return x, nil
	}
	text, err := ReadFile(name, maxSettingsFile)
	if err != nil {
		return nil, err
	}
	l.Files = append(l.Files, name)
	x, err := l.readPreset(name, text)
	if err != nil {
		return nil, err
	}
	if l.presetFiles == nil {
		l.presetFiles = map[string]*Preset{}
	}
	l.presetFiles[name] = &x
	return &x, nil
}

// PresetOf returns the preset whose name and strategy a pane has, or nil.
func (l *Library) PresetOf(p *lab.Pane) *Preset {
	if x, err := l.PresetNamed(p.Name); err == nil && x.Strategy == p.Strategy.Name {
		return x
	}
	return nil
}

// PaneNames returns the names that a spec can begin with: those of all strategies, and of all presets that can be read.
func (l *Library) PaneNames() []string {
	names := lab.StrategyNames()
	list, err := l.Presets()
	if err != nil {
		return names
	}
	for i := range list {
		names = append(names, list[i].Name)
	}
	return names
}

// ExpandSpec returns the spec of a pane with the strategy and the knobs of its preset in the preset's place. Other specs
// stay as they are, also bad ones.
func (l *Library) ExpandSpec(spec string) string {
	spec = strings.TrimSpace(spec)
	name, rest, more := strings.Cut(spec, ":")
	if _, err := lab.StrategyNamed(name); err == nil {
		return spec
	}
	x, err := l.PresetNamed(name)
	if err != nil {
		return spec
	}
	if !more {
		return x.Spec(nil)
	}
	_, further, err := lab.ParseSpec(x.Strategy + ":" + rest)
	if err != nil {
		return x.Spec(nil) + ":" + rest // which its validation refuses
	}
	return x.Spec(further)
}

// unknownPane returns the error of a name that no strategy and no preset has. A term of the field is translated.
func (l *Library) unknownPane(name string) error {
	if isFile(name) {
		_, err := l.PresetNamed(name)
		return err
	}
	if _, err := l.Presets(); err != nil {
		return err
	}
	if list := l.TermsNamed(name); len(list) > 0 {
		return fmt.Errorf("no strategy or preset %q: %s", name, list[0].hint())
	}
	return &link.UnknownNameError{Kind: "strategy or preset", Name: name, Choices: l.PaneNames()}
}
