//go:build !js || headless

package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
)

// Sweep is a plan of many sessions: each pane on each network with each tape, with consecutive seeds.
type Sweep struct {
	Title    string
	Panes    []string // specs; a knob may have several values, as in rewind:lead=1|3|5
	Networks []string
	Tapes    []string
	Scenes   []string // empty: that of each tape
	Baseline string   // pane that the others are compared with; empty: the first one
	Seeds    int      // 0: DefaultSeeds
	Session  Settings // seat, first seed, rate, faults and length

	place *document // of an error; nil: there is no file
	flags []string  // keys that flags have set
}

// Bounds of a sweep.
const (
	DefaultSeeds  = 10
	MaxSweepSeeds = 1000
	maxCells      = 200_000 // sessions
)

// The words that stand for several panes.
const (
	AllStrategies = "all-strategies"
	AllPresets    = "all-presets"
)

// sweepTable is the file of a sweep.
type sweepTable struct {
	Title      string   `toml:"title"`
	Panes      []string `toml:"panes"`
	Networks   []string `toml:"networks"`
	Tapes      []string `toml:"tapes"`
	Scenes     []string `toml:"scenes"`
	Baseline   string   `toml:"baseline"`
	Seeds      *int     `toml:"seeds"`
	Seed       *uint64  `toml:"seed"`
	Seconds    *float64 `toml:"seconds"`
	Seat       string   `toml:"seat"`
	Rate       *int     `toml:"rate"`
	Fault      string   `toml:"fault"`
	FaultEvery string   `toml:"fault-every"`
}

// ReadSweep reads the file of a sweep. Errors name the file and the line.
func ReadSweep(l *Library, name string) (*Sweep, error) {
	text, err := ReadFile(name, maxSettingsFile)
	if err != nil {
		return nil, err
	}
	l.Files = append(l.Files, name)
	if err := checkKeys(name, text, maxSettingNames); err != nil {
		return nil, err
	}
	var t sweepTable
	d, err := decodeTOML(name, text, &t)
	if err != nil {
		return nil, err
	}
	rest := sessionTable{Seat: t.Seat, Rate: t.Rate, Fault: t.Fault, FaultEvery: t.FaultEvery}
	s := &Sweep{Title: t.Title, Panes: t.Panes, Networks: t.Networks, Tapes: t.Tapes, Scenes: t.Scenes, Baseline: t.Baseline, place: d}
	if s.Session, err = rest.settings(); err != nil {
		return nil, d.errorAt("", err)
	}
	if t.Seed != nil {
		s.Session.Seed = strconv.FormatUint(*t.Seed, 10)
	}
	if t.Seeds != nil {
		if s.Seeds = *t.Seeds; s.Seeds < 1 || s.Seeds > MaxSweepSeeds {
			return nil, s.bad("seeds", &SettingError{"seeds", strconv.Itoa(s.Seeds), fmt.Errorf("want 1 to %d", MaxSweepSeeds)})
		}
	}
	if t.Seconds != nil {
		if s.Session.Seconds = *t.Seconds; s.Session.Seconds == 0 {
			return nil, s.bad("seconds", &SettingError{"seconds", "0", ErrNoSeconds})
		}
	}
	return s, nil
}

// bad adds the place of a key, or of an element of an array as in panes[2], to an error.
func (s *Sweep) bad(key string, err error) error {
	name, _, _ := strings.Cut(key, "[")
	var setting *SettingError
	if !errors.As(err, &setting) {
		err = &SettingError{name, "", err}
	} else if setting.Name+"s" == name { // of one element
		err = &SettingError{name, setting.Value, setting.Err}
	}
	if s.place == nil || slices.Contains(s.flags, name) {
		return fmt.Errorf("--%w", err)
	}
	return s.place.errorAt(key, err)
}

// Given reports whether the sweep says what to run.
func (s *Sweep) Given() bool {
	return len(s.Panes)+len(s.Networks)+len(s.Tapes)+len(s.Scenes)+s.Seeds > 0 || s.Session != Settings{}
}

// OverriddenBy returns the sweep with what flags give laid over it.
func (s *Sweep) OverriddenBy(o *Sweep) *Sweep {
	x := *s
	for _, list := range []struct {
		name      string
		to, given *[]string
	}{
		{"panes", &x.Panes, &o.Panes}, {"networks", &x.Networks, &o.Networks}, {"tapes", &x.Tapes, &o.Tapes}, {"scenes", &x.Scenes, &o.Scenes},
	} {
		if len(*list.given) > 0 {
			*list.to, x.flags = *list.given, append(x.flags, list.name)
		}
	}
	if o.Baseline != "" {
		x.Baseline, x.flags = o.Baseline, append(x.flags, "baseline")
	}
	given := o.Session.texts()
	for i, t := range x.Session.texts() {
		if *given[i].value != "" {
			x.flags = append(x.flags, t.name)
		}
	}
	x.Seeds, x.Session = cmp.Or(o.Seeds, x.Seeds), x.Session.overriddenBy(o.Session)
	return &x
}

// Point is a point of a sweep without its seeds.
type Point struct {
	Pane, Network, Tape, Scene string // as the plan has them; a pane has one value of each knob
	Plan                       *Plan  // with the first seed
}

// Points are the points of a sweep, in the order of its lists: scenes, tapes, networks, panes.
type Points struct {
	List     []Point
	Panes    []string // all panes, one for each combination of values
	Baseline string   // of Panes
	Seeds    int
	LeftOut  []string // sentences that say which panes cannot run in which scenes
}

// Points checks a sweep and returns its points. file are further settings, which the sweep overrides.
func (s *Sweep) Points(l *Library, file Settings) (*Points, error) {
	x := &Points{Seeds: cmp.Or(s.Seeds, DefaultSeeds)}
	specs, err := s.expandPanes(l, x)
	if err != nil {
		return nil, err
	}
	networks, err := s.parseNetworks(l)
	if err != nil {
		return nil, err
	}
	tapes, scenes := s.Tapes, s.Scenes
	if len(tapes) == 0 {
		tapes = []string{"circle"}
	}
	if len(scenes) == 0 {
		scenes = []string{""}
	}
	if n := len(scenes) * len(tapes) * len(networks) * len(specs) * x.Seeds; n > maxCells {
		return nil, s.bad("panes", fmt.Errorf("the plan has %d sessions: want at most %d", n, maxCells))
	}
	runs := map[string]bool{}
	for i, sceneName := range scenes {
		for k, tapeName := range tapes {
			asked := s.Session
			asked.Scene, asked.Tape, asked.Panes, asked.Network = sceneName, tapeName, lab.FallbackSpec, "perfect"
			base, err := l.New(asked, file, "")
			if err != nil {
				return nil, s.bad(keyOf(err, i, k), err)
			}
			x.add(base, specs, networks, s.Networks, sceneName, tapeName, runs)
		}
	}
	for i, pane := range x.Panes {
		if !runs[pane] {
			return nil, s.bad("panes", fmt.Errorf("%s runs in none of the scenes: %s", x.Panes[i], strings.Join(x.LeftOut, "; ")))
		}
	}
	return x, nil
}

// keyOf returns the key of a sweep that an error of a session with scene i and tape k concerns.
func keyOf(err error, i, k int) string {
	var bad *SettingError
	if !errors.As(err, &bad) {
		return ""
	}
	switch bad.Name {
	case "scene":
		return fmt.Sprintf("scenes[%d]", i)
	case "tape":
		return fmt.Sprintf("tapes[%d]", k)
	}
	return bad.Name
}

// add adds the points of a scene and a tape.
func (p *Points) add(base *Plan, specs []string, networks []link.Network, names []string, sceneName, tapeName string, runs map[string]bool) {
	left := map[string]bool{}
	for i, network := range networks {
		for k, spec := range specs {
			if err := lab.CheckBodies(spec, base.Config.Scene); err != nil {
				if text := fmt.Sprintf("%s is left out: %v", p.Panes[k], err); !left[text] && !slices.Contains(p.LeftOut, text) {
					left[text], p.LeftOut = true, append(p.LeftOut, text)
				}
				continue
			}
			m := *base
			seed := m.Config.Network.Seed
			m.Config.Network, m.Panes = network, []string{spec}
			m.Config.Network.Seed = seed
			m.Settings.Panes, m.Settings.Network = spec, names[i]
			runs[p.Panes[k]] = true
			p.List = append(p.List, Point{p.Panes[k], names[i], tapeName, sceneName, &m})
		}
	}
}

// parseNetworks returns the networks of a sweep.
func (s *Sweep) parseNetworks(l *Library) ([]link.Network, error) {
	if len(s.Networks) == 0 {
		return nil, s.bad("networks", errors.New("want at least one network"))
	}
	list := make([]link.Network, len(s.Networks))
	for i, name := range s.Networks {
		text, err := l.InlineTraces(name)
		if err == nil {
			err = list[i].Parse(text)
		}
		if err == nil && slices.Contains(s.Networks[:i], name) {
			err = fmt.Errorf("%s is there twice", name)
		}
		if err != nil {
			if parts := strings.Split(name, ","); slices.ContainsFunc(parts[1:], func(part string) bool { return slices.Contains(link.ProfileNames(), part) }) {
				err = fmt.Errorf("%w; several networks are separated by semicolons, such as '4g;wifi-bad', in a file each has quotes of its own", err)
			}
			return nil, s.bad(fmt.Sprintf("networks[%d]", i), err)
		}
	}
	return list, nil
}

// expandPanes returns the full specs of the panes of a sweep, one for each combination of the values of its knobs, and
// sets their short ones and the baseline.
func (s *Sweep) expandPanes(l *Library, x *Points) (specs []string, err error) {
	if len(s.Panes) == 0 {
		return nil, s.bad("panes", errors.New("want at least one pane"))
	}
	for i, pane := range s.Panes {
		list, err := alternatives(l, pane)
		if err != nil {
			return nil, s.bad(fmt.Sprintf("panes[%d]", i), err)
		}
		for _, one := range list {
			spec := l.ExpandSpec(one)
			if slices.Contains(x.Panes, one) || slices.Contains(specs, spec) {
				continue
			}
			if err := l.validateSpec(spec); err != nil {
				return nil, s.bad(fmt.Sprintf("panes[%d]", i), err)
			}
			x.Panes, specs = append(x.Panes, one), append(specs, spec)
		}
	}
	x.Baseline = cmp.Or(s.Baseline, x.Panes[0])
	if !slices.Contains(x.Panes, x.Baseline) {
		return nil, s.bad("baseline", &link.UnknownNameError{Kind: "pane of the sweep", Name: x.Baseline, Choices: x.Panes})
	}
	return specs, nil
}

// maxAlternatives is the largest number of panes that a spec of a sweep stands for.
const maxAlternatives = 10_000

// alternatives returns the specs that a spec with several values for a knob stands for, the last knob changing first.
func alternatives(l *Library, spec string) ([]string, error) {
	switch spec = strings.TrimSpace(spec); spec {
	case "":
		return nil, errors.New("want the spec of a pane")
	case AllStrategies:
		return lab.StrategyNames(), nil
	case AllPresets:
		presets, err := l.Presets()
		var names []string
		for i := range presets {
			names = append(names, presets[i].Name)
		}
		return names, err
	}
	list := []string{""}
	for item := range strings.SplitSeq(spec, ":") {
		name, values, knob := strings.Cut(item, "=")
		var next []string
		for _, before := range list {
			if before != "" {
				before += ":"
			}
			for value := range strings.SplitSeq(values, "|") {
				if !knob {
					next = append(next, before+name)
					continue
				}
				next = append(next, before+name+"="+value)
			}
		}
		if list = next; len(list) > maxAlternatives {
			return nil, fmt.Errorf("%s stands for more than %d panes", spec, maxAlternatives)
		}
	}
	return list, nil
}

// Trial returns the session of a point with seed number i, from 0.
func (p *Point) Trial(i int) *Plan {
	m := *p.Plan
	m.Config.Network.Seed += uint64(i)
	m.Settings.Seed = strconv.FormatUint(m.Config.Network.Seed, 10)
	return &m
}

// Link returns the session of a point with the first seed, as the query of a link that another machine reads as the same
// session: a tape that is a file travels in it, and so do traces. It is an error if it would be longer than MaxLink.
func (p *Point) Link(l *Library) (string, error) {
	s := p.Plan.Settings
	var err error
	if s.Tape, err = l.PortableTape(s.Tape); err != nil {
		return "", err
	}
	if s.Network, err = l.InlineTraces(s.Network); err != nil {
		return "", err
	}
	s.Network = shortener{l}.networkName(s.Network)
	text := (&Link{Settings: s}).Query()
	_, err = ParseLink(text)
	return text, err
}
