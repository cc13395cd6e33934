// Package plan turns what a user asks for, by flags, by a settings file, by a comparison's
// name or in the panel, into a session: a plan says what a lab starts from and what
// happens in each of its ticks. The terminal and the window both start sessions from
// plans, so the same words start the same session.
package plan

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Plan is a session made ready: what it starts from and what happens in each tick of it.
type Plan struct {
	Config     lab.Config
	Panes      []string        // specs
	TapeName   string          // where the entries come from; empty: nothing is played
	Comparison *lab.Comparison // nil: none was asked for
	Seconds    float64         // 0: not said

	entries    []lab.Entry // of the tape, as far as it goes
	faultEvery int         // ticks from one forced fault to the next; 0: none
	faults     []lab.Fault // those that come once
}

// MaxSeconds is the longest session that a command makes, in seconds.
const MaxSeconds = 36000

// New turns settings that were asked for, over those of a file, into a plan. What is said
// more closely wins: what was asked for over a comparison, that over a tape, that over the
// file, that over the defaults. tapeName names the tape that is played if none is asked
// for; without one nothing is played.
func (b *Library) New(flags, file Settings, tapeName string) (*Plan, error) {
	if flags.Compare != "" && flags.Tape != "" {
		return nil, errors.New("--compare and --tape: a comparison has a tape of its own; give one of the two")
	}
	asked := file.overriddenBy(flags)
	if flags.Tape != "" {
		asked.Compare = "" // of the file
	}
	if flags.Compare != "" {
		asked.Tape = ""
	}

	made := &Plan{}
	base := defaults.overriddenBy(file)
	if asked.Compare != "" {
		c, err := lab.ComparisonNamed(asked.Compare)
		if err != nil {
			return nil, err
		}
		base = base.overriddenBy(Settings{
			Scene: c.Scene, Panes: strings.Join(c.Panes, ","), Network: c.Network, Rate: fmt.Sprint(c.Rate), Seat: c.Seat.String(),
			FaultEvery: time.Duration(c.FaultEvery) * time.Second / time.Duration(c.Rate),
		})
		tapeName, made.Comparison = c.Tape, c
	}
	if asked.Tape != "" {
		tapeName = asked.Tape
	}
	if tapeName != "" {
		t, err := b.LoadTape(tapeName)
		if err != nil {
			return nil, fmt.Errorf("--tape: %w", err)
		}
		if asked.Tape != "" { // asked for by name: it brings its own session
			base = base.overriddenBy(Settings{
				Scene: t.Config.Scene, Network: t.Config.Network.String(), Seat: t.Config.Seat.String(),
				Seed: fmt.Sprint(t.Config.Network.Seed), Rate: fmt.Sprint(t.Config.Rate), Panes: strings.Join(t.Panes, ","),
			})
		}
		made.entries, made.TapeName = t.Entries, tapeName
	}
	s := base.overriddenBy(flags)
	var err error
	if s.Network, err = b.InlineTraces(s.Network); err != nil {
		return nil, fmt.Errorf("--network: %w", err)
	}
	if err := made.applyFlags(s); err != nil {
		return nil, err
	}
	return made, nil
}

// applyFlags checks what a session says and puts it into the plan.
func (m *Plan) applyFlags(s Settings) error {
	m.Config.Scene = s.Scene
	var err error
	if m.Config.Seat, err = lab.SeatNamed(s.Seat); err != nil {
		return fmt.Errorf("--seat: %w", err)
	}
	if m.Config.Rate, err = ParseInt("--rate", s.Rate, lab.MinRate, lab.MaxRate); err != nil {
		return err
	}
	if m.Config.Network.Seed, err = ParseSeed("--seed", s.Seed); err != nil {
		return err
	}
	if err := m.Config.Network.Parse(s.Network); err != nil {
		return fmt.Errorf("--network: %w", err)
	}
	if err := m.Config.Validate(); err != nil {
		return fmt.Errorf("--scene: %w", err)
	}
	m.Panes = strings.Split(s.Panes, ",")
	if len(m.Panes) > lab.MaxPanes {
		return fmt.Errorf("--panes: %d panes: want 1 to %d", len(m.Panes), lab.MaxPanes)
	}
	for i, spec := range m.Panes {
		m.Panes[i] = strings.TrimSpace(spec)
		if err := lab.ValidateSpec(m.Panes[i]); err != nil {
			return fmt.Errorf("--panes: %w", err)
		}
	}
	tick := time.Second / time.Duration(m.Config.Rate)
	if s.FaultEvery < 0 || s.FaultEvery > time.Hour || s.FaultEvery > 0 && s.FaultEvery < tick {
		return fmt.Errorf("--fault-every=%v: want a duration from one tick (%v) to 1h0m0s", s.FaultEvery, tick)
	}
	m.faultEvery = int(s.FaultEvery / tick)
	if m.faults, err = lab.ParseFaults(s.Fault, m.Config); err != nil {
		return fmt.Errorf("--fault: %w", err)
	}
	if s.Seconds < 0 || s.Seconds > MaxSeconds || s.Seconds != s.Seconds || s.Seconds > 0 && s.Seconds*float64(m.Config.Rate) < 1 {
		return fmt.Errorf("--seconds=%v: want one tick to %d seconds", s.Seconds, MaxSeconds)
	}
	m.Seconds = s.Seconds
	return nil
}

// ParseInt reads a whole number in a range, the value of a flag.
func ParseInt(flag, text string, low, high int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%s=%s: want a whole number from %d to %d", flag, text, low, high)
	}
	return n, nil
}

// ParseSeed reads a seed, the value of a flag.
func ParseSeed(flag, text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s=%s: want a whole number from 0 to %d", flag, text, uint64(math.MaxUint64))
	}
	return n, nil
}

// NewLab returns a lab with the plan's panes.
func (m *Plan) NewLab() (*lab.Lab, error) {
	l := lab.New(m.Config)
	for _, spec := range m.Panes {
		if _, err := l.Open(spec); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Ticks returns how many ticks the session has: as long as was said, or the
// tape, or else standard seconds.
func (m *Plan) Ticks(standard float64) int {
	switch {
	case m.Seconds > 0:
		return int(m.Seconds * float64(m.Config.Rate))
	case len(m.entries) > 0:
		return len(m.entries)
	}
	return int(standard * float64(m.Config.Rate))
}

// Entry returns what happens in tick i. A tape that is too short begins again,
// its keys only; forced faults come on top of it.
func (m *Plan) Entry(i int) lab.Entry {
	var e lab.Entry
	if n := len(m.entries); n > 0 {
		e = m.entries[i%n]
		if i >= n {
			e.Commands = nil
		}
	}
	if c := m.Faults(i); c != nil {
		e.Commands = slices.Concat(e.Commands, c)
	}
	if e.Inputs == nil {
		e.Inputs = make([]sim.Input, 1)
	}
	return e
}

// Faults returns the forced faults of tick i: the one that comes again and again, and
// those that come once, in the first tick at or after their time.
func (m *Plan) Faults(i int) (list []lab.Command) {
	if m.faultEvery > 0 && i > 0 && i%m.faultEvery == 0 {
		list = append(list, lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"})
	}
	tick := func(f lab.Fault) int {
		return int((f.At*time.Duration(m.Config.Rate) + time.Second - 1) / time.Second)
	}
	for _, f := range m.faults {
		if tick(f) == i {
			list = append(list, f.Command)
		}
	}
	return list
}

// Entries returns the entries of the first n ticks.
func (m *Plan) Entries(n int) []lab.Entry {
	list := make([]lab.Entry, n)
	for i := range list {
		list[i] = m.Entry(i)
	}
	return list
}

// TapeNote names the tape that drives the session, or is empty.
func (m *Plan) TapeNote() string {
	if m.TapeName == "" {
		return ""
	}
	return "tape " + strings.TrimSuffix(filepath.Base(m.TapeName), ".tape")
}

// Title is the title of the comparison that was asked for, or empty.
func (m *Plan) Title() string {
	if m.Comparison == nil {
		return ""
	}
	return m.Comparison.Doc
}
