package plan

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
)

// Settings describe a session as text: what flags, a settings file, a comparison or a tape
// say. An empty setting is not given.
type Settings struct {
	Scene      string        // as scene.Named takes it
	Panes      string        // specs, separated by commas
	Network    string        // as link.Network.Parse takes it; traces may be names or files
	Seat       string        // client or host
	Seed       string        // a whole number from 0
	Rate       string        // ticks per second
	FaultEvery time.Duration // period of the forced fault
	Fault      string        // as lab.ParseFaults takes it
	Seconds    float64       // length of the session
	Tape       string        // name or file
	Compare    string        // name of a comparison
}

// defaults apply where nothing else is given. The network loses enough for corrections to
// be visible.
var defaults = Settings{Scene: "zen", Panes: lab.DefaultSpec, Network: "bursty", Seat: "client", Seed: "1", Rate: "60"}

// SettingError is an error in the value of a setting.
type SettingError struct {
	Name  string // such as fault-every
	Value string // empty where Err quotes it
	Err   error
}

// Error returns name=value: reason.
func (e *SettingError) Error() string {
	if e.Value == "" {
		return e.Name + ": " + e.Err.Error()
	}
	return e.Name + "=" + e.Value + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *SettingError) Unwrap() error { return e.Err }

// texts returns the settings that are texts, by the names that flags, settings files and links share, in a fixed order.
func (s *Settings) texts() []setting {
	return []setting{
		{"compare", &s.Compare}, {"scene", &s.Scene}, {"panes", &s.Panes}, {"network", &s.Network},
		{"seat", &s.Seat}, {"seed", &s.Seed}, {"rate", &s.Rate}, {"tape", &s.Tape}, {"fault", &s.Fault},
	}
}

// setting is a setting that is a text.
type setting struct {
	name  string
	value *string
}

// overriddenBy returns s with what o gives laid over it.
func (s Settings) overriddenBy(o Settings) Settings {
	given := o.texts()
	for i, x := range s.texts() {
		*x.value = cmp.Or(*given[i].value, *x.value)
	}
	if o.FaultEvery != 0 {
		s.FaultEvery = o.FaultEvery
	}
	if o.Seconds != 0 {
		s.Seconds = o.Seconds
	}
	return s
}

// ParseInt reads a whole number in [low, high].
func ParseInt(text string, low, high int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("want a whole number from %d to %d", low, high)
	}
	return n, nil
}

// ParseSeed reads a seed.
func ParseSeed(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("want a whole number from 0 to %d", uint64(math.MaxUint64))
	}
	return n, nil
}

// sessionTable are the settings that a settings file and a comparison share, as TOML.
type sessionTable struct {
	Scene      string   `toml:"scene"`
	Panes      []string `toml:"panes"`
	Network    string   `toml:"network"`
	Seat       string   `toml:"seat"`
	Rate       *int     `toml:"rate"`
	FaultEvery string   `toml:"fault-every"`
	Fault      string   `toml:"fault"`
	Tape       string   `toml:"tape"`
}

// settings returns the table's settings.
func (t *sessionTable) settings() (Settings, error) {
	s := Settings{Scene: t.Scene, Panes: strings.Join(t.Panes, ","), Network: t.Network, Seat: t.Seat, Fault: t.Fault, Tape: t.Tape}
	if t.Rate != nil {
		s.Rate = strconv.Itoa(*t.Rate)
	}
	if t.FaultEvery != "" {
		var err error
		if s.FaultEvery, err = time.ParseDuration(t.FaultEvery); err != nil {
			return s, &SettingError{"fault-every", t.FaultEvery, errors.New("want a duration such as 5s")}
		}
	}
	return s, nil
}

// settingsTable is a settings file.
type settingsTable struct {
	sessionTable
	Seed    *uint64  `toml:"seed"`
	Seconds *float64 `toml:"seconds"`
	Compare string   `toml:"compare"`
}

// ErrNoSeconds is the error of a session of no length.
var ErrNoSeconds = fmt.Errorf("want one tick to %d seconds", MaxSeconds)

// maxSettingNames is the largest number of names of keys and tables in a settings file. No setting needs more than two.
const maxSettingNames = 200

// ReadSettingsFile reads a settings file of a user.
func (l *Library) ReadSettingsFile(name string) (Settings, error) {
	text, err := ReadFile(name, maxSettingsFile)
	if err != nil {
		return Settings{}, err
	}
	return l.ReadSettings(name, text)
}

// ReadFlags reads a settings file whose keys are flags of a command, of which known are the names. It returns the names and their
// values, in the order of the names. Errors name the file and the line.
func ReadFlags(file string, known []string) (list [][2]string, err error) {
	text, err := ReadFile(file, maxSettingsFile)
	if err == nil {
		err = checkKeys(file, text, maxSettingNames)
	}
	if err != nil {
		return nil, err
	}
	var table map[string]any
	d, err := decodeTOML(file, text, &table)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(known, name) {
			return nil, d.errorAt(name, &link.UnknownNameError{Kind: "key", Name: name, Choices: known})
		}
		switch value := table[name].(type) {
		case string, int64, float64, bool:
			list = append(list, [2]string{name, fmt.Sprint(value)})
		default:
			return nil, d.errorAt(name, fmt.Errorf("%s: want a text, a number, or true or false", name))
		}
	}
	return list, nil
}

// ReadSettings reads the text of a settings file, which is TOML. That of a preset stands for a session with its pane. Errors
// name the file and the line.
func (l *Library) ReadSettings(name string, text []byte) (Settings, error) {
	if err := checkKeys(name, text, maxSettingNames); err != nil {
		return Settings{}, err
	}
	if _, preset := keyPositions(text)["strategy"]; preset {
		x, err := l.readPreset(name, text)
		return Settings{Panes: x.Spec(nil)}, err
	}
	var t settingsTable
	d, err := decodeTOML(name, text, &t)
	if err != nil {
		return Settings{}, err
	}
	s, err := t.settings()
	if err == nil {
		s.Compare = t.Compare
		if t.Seconds != nil {
			if s.Seconds = *t.Seconds; s.Seconds == 0 {
				return Settings{}, d.errorAt("", &SettingError{"seconds", "0", ErrNoSeconds})
			}
		}
		if t.Seed != nil {
			s.Seed = strconv.FormatUint(*t.Seed, 10)
		}
		err = l.check(s)
	}
	if err != nil {
		return Settings{}, d.errorAt("", err)
	}
	return s, nil
}

// check reports the first bad value among settings that may be incomplete. It leaves out
// forced faults, because the scene limits them.
func (l *Library) check(s Settings) error {
	s.Fault = ""
	if s.Tape != "" && s.Compare != "" {
		return &SettingError{"tape", "", errors.New("a comparison has its own tape: want tape or compare, not both")}
	}
	if s.Compare != "" {
		if _, err := l.ComparisonNamed(s.Compare); err != nil {
			return &SettingError{"compare", "", err}
		}
	}
	if s.Tape != "" {
		file, err := l.openTape(s.Tape)
		if err != nil {
			return &SettingError{"tape", "", err}
		}
		file.Close()
	}
	return l.apply(&Plan{}, defaults.overriddenBy(s))
}
