package lab

import (
	"fmt"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab/probe"
	"ghostcube/predict/part/hit"
	"ghostcube/predict/strategy/animated"
	"ghostcube/predict/strategy/historyoffset"
	"ghostcube/predict/strategy/lockstep"
	"ghostcube/predict/strategy/noprediction"
	"ghostcube/predict/strategy/relative"
	"ghostcube/predict/strategy/rewind"
	"ghostcube/predict/strategy/rollback"
	"ghostcube/predict/strategy/snapshot"
	"ghostcube/predict/strategy/statesync"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// Strategies are all strategies, in the order of their digit keys. A new strategy is a
// folder and a line here.
var Strategies = []*predict.Strategy{
	noprediction.Strategy,
	rewind.Strategy,
	lockstep.Strategy,
	snapshot.Strategy,
	statesync.Strategy,
	animated.Strategy,
	historyoffset.Strategy,
	relative.Strategy,
	rollback.Strategy,
}

// DefaultSpec is the spec of the only pane of a session that names no panes.
const DefaultSpec = "rewind"

// FallbackSpec is the spec of the only pane where DefaultSpec cannot send all bodies of the scene. Its
// strategy predicts the player too and sends bodies in turn.
const FallbackSpec = "historyoffset"

// CheckBodies returns an error if a scene has more bodies than a strategy can send. It leaves unknown
// strategies and scenes to the checks of their names.
func CheckBodies(spec, sceneName string) error {
	s, _, err := ParseSpec(spec)
	if err != nil {
		return nil
	}
	sc, err := scene.Named(sceneName)
	if err != nil {
		return nil
	}
	return checkBodyCount(s, &sc)
}

// PlayerCount returns the number of players of a scene, or an error if there is none of that name.
func PlayerCount(sceneName string) (int, error) {
	sc, err := scene.Named(sceneName)
	return sc.Players, err
}

// StrategyNames returns the names of all strategies.
func StrategyNames() []string {
	var names []string
	for _, s := range Strategies {
		names = append(names, s.Name)
	}
	return names
}

// strategiesThat returns the names of the strategies that a function accepts, for an error.
func strategiesThat(accept func(*predict.Strategy) bool) string {
	var names []string
	for _, s := range Strategies {
		if accept(s) {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, " or ")
}

// StrategyNamed returns the strategy called name.
func StrategyNamed(name string) (*predict.Strategy, error) {
	for _, s := range Strategies {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, &link.UnknownNameError{Kind: "strategy", Name: name, Choices: StrategyNames()}
}

// Setting is one knob of a spec.
type Setting struct{ Name, Value string }

// ParseSpec parses the spec of a pane: the name of a strategy, followed by knobs after
// colons, such as rewind:snapshot-every=4:smoothing=none. A name of the pane and an equals sign may
// precede it, as in shooter=rewind:others=auto. ParseSpec does not check names and
// values of knobs; SpecValidator does.
func ParseSpec(spec string) (*predict.Strategy, []Setting, error) {
	title, unnamed := CutTitle(spec)
	if title != "" || unnamed != spec {
		if err := checkTitle(title); err != nil {
			return nil, nil, err
		}
	}
	name, rest, more := strings.Cut(unnamed, ":")
	s, err := StrategyNamed(name)
	if err != nil {
		return nil, nil, err
	}
	var set []Setting
	for more {
		var item string
		item, rest, more = strings.Cut(rest, ":")
		knob, value, ok := strings.Cut(item, "=")
		if !ok {
			return nil, nil, &SpecError{spec, item}
		}
		set = append(set, Setting{knob, value})
	}
	return s, set, nil
}

// CutTitle returns the name of the pane that a spec begins with, which is empty if it has none, and the rest of the spec.
func CutTitle(spec string) (title, unnamed string) {
	first, _, _ := strings.Cut(spec, ":")
	if title, _, ok := strings.Cut(first, "="); ok {
		return title, spec[len(title)+1:]
	}
	return "", spec
}

// MaxTitle is the length of the longest name of a pane, in characters.
const MaxTitle = 24

// checkTitle returns why a text cannot be the name of a pane. It comes from links, and stands in the place of the strategy's.
func checkTitle(title string) error {
	if title == "" || len(title) > MaxTitle || strings.Trim(title, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fmt.Errorf("pane named %.40q: want a name of 1 to %d lower-case letters, digits and dashes", title, MaxTitle)
	}
	if _, err := StrategyNamed(title); err == nil {
		return fmt.Errorf("pane named %q: that is the name of a strategy", title)
	}
	return nil
}

// SpecError is the error for a part of a spec that is not name=value.
type SpecError struct{ Spec, Item string }

func (e *SpecError) Error() string {
	return "pane \"" + e.Spec + "\": \"" + e.Item + "\": want a knob as name=value, such as snapshot-every=4"
}

// SpecValidator validates specs. It makes the two sides of a strategy, which take much memory, once for all specs that
// set a knob of it. The zero value is ready to use.
type SpecValidator struct {
	knobs map[*predict.Strategy]*predict.Knobs // their values mean nothing
}

// Validate reports an unknown strategy, an unknown knob or a value out of range.
func (v *SpecValidator) Validate(spec string) error {
	s, set, err := ParseSpec(spec)
	if err != nil {
		return err
	}
	return v.validate(s, set)
}

func (v *SpecValidator) validate(s *predict.Strategy, set []Setting) error {
	if len(set) == 0 {
		return nil
	}
	knobs := v.knobs[s]
	if knobs == nil {
		if v.knobs == nil {
			v.knobs = map[*predict.Strategy]*predict.Knobs{}
		}
		knobs, _ = Describe(s)
		v.knobs[s] = knobs
	}
	for _, x := range set {
		if err := knobs.Set(x.Name, x.Value); err != nil {
			return err
		}
	}
	return nil
}

// Describe returns the knobs of a strategy at their defaults, and all counters that its panes can
// have, for lists.
func Describe(s *predict.Strategy) (*predict.Knobs, *predict.Counters) {
	sc, err := scene.Named("plain")
	if err != nil {
		panic(err)
	}
	knobs, counters := &predict.Knobs{}, &predict.Counters{}
	env := func(player int) *predict.Env {
		return &predict.Env{World: predict.NewWorld(sc, 60), Players: 1, Player: player, LastInputs: make([]sim.Input, 1), Knobs: knobs, Counters: counters}
	}
	s.NewServer(env(-1))
	s.NewClient(env(0))
	new(connectionSettings).declare(knobs)
	declareConnectionCounters(counters)
	probe.DeclareShotCounters(counters)
	probe.DeclareSightCounters(counters)
	if knobs.Lookup("lag-compensation") != nil {
		hit.DeclareCounters(counters)
	}
	return knobs, counters
}
