// Package plan turns flags, a settings file, the name of a comparison or a choice in the panel into
// a session. A plan holds the configuration of a lab and the entry of each tick. The terminal and
// the window both start sessions from plans, so equal settings start equal sessions.
package plan

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// Plan is a session that has not started: its configuration, its panes and its entries.
type Plan struct {
	Config     lab.Config
	Panes      []string    // specs
	TapeName   string      // tape that the entries come from; empty if there is none
	Comparison *Comparison // nil if the settings name none
	Lesson     *Lesson     // nil if the session is none of the tour
	Seconds    float64     // length of the session; 0: that of its tape, or the caller's default
	Kind       string      // what recorded a session that has happened, such as captures
	Notice     string      // what differs from the settings, for the user; empty: nothing
	Settings   Settings    // all settings of the session, complete

	entries    []lab.Entry // of the tape
	faultEvery int         // period of the repeated forced fault, ticks; 0: none
	faults     []lab.Fault // forced faults at a given time
	display    []lab.Command
	changed    bool            // the settings asked for differ from those of the comparison
	newLab     func() *lab.Lab // of a session that has happened; nil: it follows from the rest
}

// MaxSeconds is the length of the longest session, in seconds.
const MaxSeconds = 36000

// New plans a session. A setting comes from the first source that has it: the settings asked
// for, then the comparison, the tape, the settings file, and the defaults. tapeName names the
// tape to play if none is asked for; if it is empty, no tape is played. An error in a setting
// is a *SettingError.
func (l *Library) New(asked, file Settings, tapeName string) (*Plan, error) {
	if asked.Compare != "" && asked.Tape != "" {
		return nil, &SettingError{"compare", "", errors.New("a comparison has its own tape: want tape or compare, not both")}
	}
	m := &Plan{}
	base := defaults.overriddenBy(file)
	wanted := file.overriddenBy(asked)
	switch {
	case wanted.Compare != "" && asked.Tape == "":
		c, err := l.ComparisonNamed(wanted.Compare)
		if err != nil {
			return nil, &SettingError{"compare", "", err}
		}
		base = base.overriddenBy(c.Settings)
		tapeName, m.Comparison, m.display = c.Settings.Tape, c, c.Show
		if wanted.Compare != c.Name {
			m.Notice = fmt.Sprintf("comparison %s has become part of %s", wanted.Compare, c.Name)
			if l.Warn != nil {
				l.Warn(m.Notice)
			}
		}
	case wanted.Tape != "":
		tapeName = wanted.Tape
	}
	tapeScene := ""
	if tapeName != "" {
		t, err := l.LoadTape(tapeName)
		if err != nil {
			return nil, &SettingError{"tape", "", err}
		}
		if m.Comparison == nil && wanted.Tape != "" { // a named tape sets the session too
			c := &t.Config
			base = base.overriddenBy(Settings{
				Scene: c.Scene, Network: c.Network.String(), Seat: c.Seat.String(), Seed: strconv.FormatUint(c.Network.Seed, 10),
				Rate: strconv.Itoa(c.Rate), Panes: strings.Join(t.Panes, ","),
			})
		}
		m.entries, m.TapeName, tapeScene = t.Entries, tapeName, t.Config.Scene
	}
	s := base.overriddenBy(asked)
	if m.Comparison != nil {
		s.Compare = m.Comparison.Name
	}
	m.changed = m.Comparison != nil && !sameExperiment(s, defaults.overriddenBy(m.Comparison.Settings))
	if panesGiven := m.Comparison != nil || m.TapeName != "" && wanted.Tape != "" || file.Panes+asked.Panes != ""; !panesGiven {
		if err := lab.CheckBodies(s.Panes, s.Scene); err != nil {
			s.Panes = lab.FallbackSpec
			m.Notice = fmt.Sprintf("%v; the pane has %s", err, lab.FallbackSpec)
			if l.Warn != nil {
				l.Warn(m.Notice)
			}
		}
	}
	if err := l.apply(m, s); err != nil {
		return m, err
	}
	if rest := playersWithoutTape(m, tapeScene); rest != "" {
		m.Notice = strings.TrimPrefix(m.Notice+"; "+rest, "; ")
		if l.Warn != nil {
			l.Warn(rest)
		}
	}
	return m, nil
}

// sameExperiment reports whether two settings run the same experiment, at most with another seed or for another time.
func sameExperiment(a, b Settings) bool {
	var of, other link.Network
	if of.Parse(a.Network) == nil && other.Parse(b.Network) == nil && of.String() == other.String() {
		a.Network = b.Network
	}
	a.Seed, a.Seconds, a.Tape, a.Compare = b.Seed, b.Seconds, b.Tape, b.Compare
	return a == b
}

// playersWithoutTape says how many players rest because the tape's own scene has fewer, and nothing if none does.
func playersWithoutTape(m *Plan, tapeScene string) string {
	if tapeScene == "" || m.Comparison != nil {
		return ""
	}
	taped, errTape := lab.PlayerCount(tapeScene)
	here, err := lab.PlayerCount(m.Config.Scene)
	if errTape != nil || err != nil || taped >= here {
		return ""
	}
	return fmt.Sprintf("tape %s moves %d of the %d players of %s; the others rest", TapeTitle(m.TapeName), taped, here, m.Config.Scene)
}

// apply checks complete settings and puts them into a plan.
func (l *Library) apply(m *Plan, s Settings) (err error) {
	bad := func(name, value string, err error) error { return &SettingError{name, value, err} }
	m.Config.Scene = s.Scene
	if m.Config.Seat, err = lab.SeatNamed(s.Seat); err != nil {
		return bad("seat", "", err)
	}
	if m.Config.Rate, err = ParseInt(s.Rate, lab.MinRate, lab.MaxRate); err != nil {
		return bad("rate", s.Rate, err)
	}
	if m.Config.Network.Seed, err = ParseSeed(s.Seed); err != nil {
		return bad("seed", s.Seed, err)
	}
	network, err := l.InlineTraces(s.Network)
	if err == nil {
		err = m.Config.Network.Parse(network)
	}
	if err != nil {
		return bad("network", "", err)
	}
	if err := m.Config.Validate(); err != nil {
		return bad("scene", "", err)
	}
	if m.Panes = strings.Split(s.Panes, ","); len(m.Panes) > lab.MaxPanes {
		return bad("panes", "", fmt.Errorf("%d panes: want 1 to %d", len(m.Panes), lab.MaxPanes))
	}
	for i, spec := range m.Panes {
		m.Panes[i] = l.ExpandSpec(spec)
		if err := l.validateSpec(m.Panes[i]); err != nil {
			return bad("panes", "", err)
		}
	}
	s.Panes = strings.Join(m.Panes, ",")
	tick := time.Second / time.Duration(m.Config.Rate)
	if s.FaultEvery < 0 || s.FaultEvery > time.Hour || s.FaultEvery > 0 && s.FaultEvery < tick {
		return bad("fault-every", s.FaultEvery.String(), fmt.Errorf("want a duration from one tick (%v) to 1h0m0s", tick))
	}
	m.faultEvery = int(s.FaultEvery / tick)
	if m.faults, err = lab.ParseFaults(s.Fault, m.Config); err != nil {
		return bad("fault", "", err)
	}
	if s.Seconds < 0 || s.Seconds > MaxSeconds || s.Seconds != s.Seconds || s.Seconds > 0 && s.Seconds*float64(m.Config.Rate) < 1 {
		return bad("seconds", fmt.Sprint(s.Seconds), ErrNoSeconds)
	}
	m.Seconds, m.Settings = s.Seconds, s
	return nil
}

// Happened returns the plan of a session that has already happened. kind says what recorded it, such as captures. newLab returns
// the session before its first tick.
func Happened(kind string, c lab.Config, panes []string, name string, entries []lab.Entry, newLab func() *lab.Lab) *Plan {
	return &Plan{
		Config: c, Panes: panes, TapeName: name, entries: entries, newLab: newLab, Kind: kind,
		Settings: Settings{
			Scene: c.Scene, Network: c.Network.String(), Seat: c.Seat.String(), Seed: strconv.FormatUint(c.Network.Seed, 10),
			Rate: strconv.Itoa(c.Rate), Panes: strings.Join(panes, ","), Tape: name,
		},
	}
}

// Happened reports whether the session has happened, so that neither a tape nor a link leads to it.
func (p *Plan) Happened() bool { return p.newLab != nil }

// NewLab returns a lab with the plan's panes, which are stepped at once.
func (p *Plan) NewLab() (*lab.Lab, error) {
	if p.newLab != nil {
		return p.newLab(), nil
	}
	l := lab.New(p.Config)
	l.AtOnce = AtOnce
	for _, spec := range p.Panes {
		if _, err := l.Open(spec); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Ticks returns the length of the session in ticks: Seconds if set, otherwise the length of the
// tape, otherwise standard seconds.
func (p *Plan) Ticks(standard float64) int {
	switch {
	case p.Seconds > 0:
		return int(p.Seconds * float64(p.Config.Rate))
	case len(p.entries) > 0:
		return len(p.entries)
	}
	return int(standard * float64(p.Config.Rate))
}

// Entry returns the entry of tick i, with the forced faults of that tick. A tape that is too short
// repeats its inputs, but not its commands.
func (p *Plan) Entry(i int) lab.Entry {
	var e lab.Entry
	if n := len(p.entries); n > 0 {
		e = p.entries[i%n]
		if i >= n {
			e.Commands = nil
		}
	}
	if c := p.Faults(i); c != nil {
		e.Commands = slices.Concat(e.Commands, c)
	}
	if e.Inputs == nil {
		e.Inputs = make([]sim.Input, 1)
	}
	return e
}

// Unattended returns the entry of tick i of a session in which no key is pressed: that of the tape up to its end, then
// the forced faults alone.
func (p *Plan) Unattended(i int) lab.Entry {
	if i < p.Ticks(0) {
		return p.Entry(i)
	}
	return lab.Entry{Inputs: make([]sim.Input, 1), Commands: p.Faults(i)}
}

// UnattendedEntries returns the first n entries of a session in which no key is pressed.
func (p *Plan) UnattendedEntries(n int) lab.Entries { return lab.Entries{Count: n, At: p.Unattended} }

// Faults returns the forced faults of tick i: the repeated one, and those whose time falls to the
// tick, which is the first one at or after that time.
func (p *Plan) Faults(i int) (list []lab.Command) {
	if p.faultEvery > 0 && i > 0 && i%p.faultEvery == 0 {
		list = append(list, lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"})
	}
	tick := func(f lab.Fault) int {
		return int((f.At*time.Duration(p.Config.Rate) + time.Second - 1) / time.Second)
	}
	for _, f := range p.faults {
		if tick(f) == i {
			list = append(list, f.Command)
		}
	}
	return list
}

// Entries returns the entries of the first n ticks.
func (p *Plan) Entries(n int) lab.Entries { return lab.Entries{Count: n, At: p.Entry} }

// ShownEntries returns the entries of the first n ticks, the first of them with the display settings of the plan and the tape, and
// then with further ones, which replace those. A title among them also replaces the tape's later ones.
func (p *Plan) ShownEntries(n int, further []lab.Command) []lab.Entry {
	list := p.Entries(n).All()
	list[0].Commands = slices.Concat(p.Display(), list[0].Commands, further)
	isTitle := func(c lab.Command) bool { return c.Verb == "show" && c.Name == "title" }
	if slices.ContainsFunc(further, isTitle) {
		for i := range list[1:] {
			list[1+i].Commands = slices.DeleteFunc(slices.Clone(list[1+i].Commands), isTitle)
		}
	}
	return list
}

// Display returns the commands that a session begins with: the split view if there is one pane, and
// the display settings of the comparison.
func (p *Plan) Display() []lab.Command {
	split := stage.Show("split", stage.OnOff(len(p.Panes) == 1))
	return append([]lab.Command{split}, p.display...)
}

// TapeNote returns a note that names the tape, or nothing if there is none.
func (p *Plan) TapeNote() string {
	if p.TapeName == "" {
		return ""
	}
	return cmp.Or(p.Kind, "tape") + " " + strings.TrimSuffix(filepath.Base(TapeTitle(p.TapeName)), ".tape")
}

// Best returns the panes that the comparison's title calls the best. It is nil where the plan has no such title.
func (p *Plan) Best() *stage.Best {
	if p.Comparison == nil || p.changed {
		return nil
	}
	return p.Comparison.Best
}

// Title returns the title of the lesson or the comparison. It is empty if there is neither, and if the comparison's title
// may be wrong, because other settings than its own were asked for.
func (p *Plan) Title() string {
	switch {
	case p.Lesson != nil:
		return p.Lesson.Title
	case p.Comparison != nil && !p.changed:
		return p.Comparison.Title
	}
	return ""
}
