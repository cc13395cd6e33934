// Package advise answers which strategies fit a game, from the results of a sweep. It runs no session, and all that it knows
// about strategies are the hard rules in rules.go; everything else is measured.
package advise

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ghostcube/internal/statistics"
	"ghostcube/net/link"
	"ghostcube/sim/scene"
)

// BuiltIn has the results of the sweeps evidence.toml, alone.toml and ships.toml: the columns that Read needs, with four digits,
// as Rows reads them. By column they take 17 kB of a compressed page.
//
//go:embed evidence.txt
var BuiltIn string

// Measure is the name of a column of the results.
type Measure string

// The measures of the ranking.
const (
	KeyToScreen   Measure = "key_to_screen_ms"
	Pops          Measure = "pops_per_minute"
	PopsAll       Measure = "pops_all_per_minute"
	PathError     Measure = "path_error_rms_m"
	PathErrorRide Measure = "path_error_in_parent_rms_m"
	Down          Measure = "down_kbit_per_second"
	Steps         Measure = "resimulated_ticks_per_minute"
)

// Measures are all of them, in the order of the columns of BuiltIn.
var Measures = []Measure{KeyToScreen, Pops, PopsAll, PathError, PathErrorRide, Down, Steps}

// SessionColumns are the columns that say which session a row is of.
var SessionColumns = []string{"scene", "tape", "network", "pane", "seed"}

// Evidence are the results of a sweep.
type Evidence struct {
	Settings []Setting                                   // in the order of the results
	Networks []Network                                   // likewise
	Panes    []Pane                                      // likewise
	cells    map[cellName]map[Measure]map[uint64]float64 // by seed
}

// Setting is a scene with a tape.
type Setting struct {
	Scene, Tape     string
	Players, Bodies int     // bodies that move, the players' included
	Touches         Touches // "": no answer is known, so the setting fits all
	Seconds         float64 // length of the sessions; 0: the results do not say
}

// Network is a network of the sweep, by its name there.
type Network struct {
	Name       string
	Conditions link.Network
}

// Pane is a pane of the sweep.
type Pane struct {
	Name       string // as the plan has it
	Spec       string // strategy with all knobs
	Strategy   string
	NeedsExact bool // it needs deterministic physics
}

// cellName names a point of a sweep without its seeds.
type cellName struct{ scene, tape, network, pane string }

// maxRows bounds the rows of results.
const maxRows = 1_000_000

// tapeTouches says which answer a tape stands for. Tapes that it lacks fit all answers.
var tapeTouches = map[string]Touches{
	"firefight": OwnAvatar, "circle": OwnAvatar, "turns": OwnAvatar,
	"two-players":  OneThing,
	"four-players": Objects, "eight-players": Objects, "same-pile": Objects, "billiards-break": Objects, "katamari": Objects,
	"jump-off": Ships, "turntable": Ships, "ferry": Ships, "fast-ship": Ships, "boarding": Ships, "boarding-pilot": Ships,
}

// newEvidence returns evidence without results.
func newEvidence() *Evidence { return &Evidence{cells: map[cellName]map[Measure]map[uint64]float64{}} }

// Read reads the results.csv of a sweep. describe returns the description of a pane by its name. Errors name the line.
func Read(in io.Reader, describe func(pane string) Pane) (*Evidence, error) {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("it is no results.csv of a sweep: %w", err)
	}
	at := columnIndices(head)
	for _, name := range SessionColumns {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("it is no results.csv of a sweep: column %s is missing", name)
		}
	}
	for _, m := range Measures {
		if _, ok := at[string(m)]; !ok {
			return nil, fmt.Errorf("column %s is missing: want the results of a sweep of this version", m)
		}
	}
	e := newEvidence()
	for rows := 0; ; rows++ {
		row, err := r.Read()
		switch {
		case errors.Is(err, io.EOF) && rows == 0:
			return nil, errors.New("it has no results")
		case errors.Is(err, io.EOF):
			return e, nil
		case err == nil && rows == maxRows:
			err = fmt.Errorf("want at most %d rows", maxRows)
		case err == nil:
			err = e.add(row, at, describe)
		}
		if err != nil {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// columnIndices returns the indices of the columns by their heads.
func columnIndices(head []string) map[string]int {
	at := map[string]int{}
	for i, name := range head {
		at[strings.Clone(name)] = i
	}
	return at
}

// add adds a row.
func (e *Evidence) add(row []string, at map[string]int, describe func(string) Pane) error {
	of := func(name string) string { return strings.Clone(row[at[name]]) }
	name := cellName{of("scene"), of("tape"), of("network"), of("pane")}
	cell := e.cells[name]
	if cell == nil {
		if err := e.register(name, lengthOf(row, at), describe); err != nil {
			return err
		}
		cell = map[Measure]map[uint64]float64{}
		for _, m := range Measures {
			cell[m] = map[uint64]float64{}
		}
		e.cells[name] = cell
	}
	seed, err := strconv.ParseUint(row[at["seed"]], 10, 64)
	if err != nil {
		return fmt.Errorf("seed: %q is none", row[at["seed"]])
	}
	for _, m := range Measures {
		text := row[at[string(m)]]
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0 && v < 1e12) {
			return fmt.Errorf("%s: %q is no figure", m, text)
		}
		cell[m][seed] = v
	}
	return nil
}

// lengthOf returns the seconds of a row's session, and 0 if the row lacks them.
func lengthOf(row []string, at map[string]int) float64 {
	ticks, ok := at["session_ticks"]
	rate, also := at["rate_hz"]
	if !ok || !also {
		return 0
	}
	n, err := strconv.ParseFloat(row[ticks], 64)
	hz, bad := strconv.ParseFloat(row[rate], 64)
	if err != nil || bad != nil || !(n > 0 && hz > 0) {
		return 0
	}
	return n / hz
}

// register registers the setting, the network and the pane of a cell.
func (e *Evidence) register(name cellName, seconds float64, describe func(string) Pane) error {
	if !slices.ContainsFunc(e.Settings, func(s Setting) bool { return s.Scene == name.scene && s.Tape == name.tape }) {
		sc, err := scene.Named(name.scene)
		if err != nil {
			return err
		}
		touches := tapeTouches[name.tape]
		if touches != "" && sc.Players > 1 && len(sc.Boxes) == sc.Players {
			touches = OwnAvatar // nothing else moves
		}
		e.Settings = append(e.Settings, Setting{name.scene, name.tape, sc.Players, len(sc.Boxes), touches, seconds})
	}
	if !slices.ContainsFunc(e.Networks, func(n Network) bool { return n.Name == name.network }) {
		n := Network{Name: name.network}
		if err := n.Conditions.Parse(name.network); err != nil {
			return fmt.Errorf("network %s: %w", name.network, err)
		}
		e.Networks = append(e.Networks, n)
	}
	if !slices.ContainsFunc(e.Panes, func(p Pane) bool { return p.Name == name.pane }) {
		e.Panes = append(e.Panes, describe(name.pane))
	}
	return nil
}

// figure returns the values of a measure, by seed, and their interval. Its N is 0 if there is no value.
func (e *Evidence) figure(s *Setting, network, pane string, m Measure) (statistics.Interval, map[uint64]float64) {
	values := e.cells[cellName{s.Scene, s.Tape, network, pane}][m]
	return statistics.BySeed(values), values
}

// has reports whether a cell was measured.
func (e *Evidence) has(s *Setting, network, pane string) bool {
	return e.cells[cellName{s.Scene, s.Tape, network, pane}] != nil
}
