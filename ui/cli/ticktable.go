//go:build !js || headless

package cli

import (
	"bytes"
	"encoding/csv"
	"errors"
	"slices"
	"strconv"

	"ghostcube/internal/atomicfile"
	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// tickColumns are the columns of a table of ticks.
var tickColumns = []string{
	"tick", "time_s", "pane", "strategy",
	"drawn_x_m", "drawn_y_m", "drawn_z_m", "server_x_m", "server_y_m", "server_z_m",
	"path_error_m", "lag_error_m", "error_offset_m",
	"corrections", "replayed_ticks", "down_bytes", "up_bytes", "waiting_inputs",
}

// pathErrorColumn is the index of path_error_m, which is known later than the rest of its row.
const pathErrorColumn = 10

// tickBufferBytes is how much text a table collects before it is written, in whole lines.
const tickBufferBytes = 1 << 15

// tickTable writes a row for each tick and pane into a file of comma-separated values. A nil tickTable does nothing.
type tickTable struct {
	file    *atomicfile.File
	lab     *lab.Lab
	text    bytes.Buffer // lines that are not in the file yet
	csv     *csv.Writer  // into text
	panes   []paneTicks  // of all panes that there have been
	waiting []tickRow    // whose path error may still become known, and all after those, in the order of the file
	first   int          // number of the first row of waiting, from 1
	err     error
}

// tickRow is a row of the table.
type tickRow struct {
	tick  sim.Tick
	cells []string
	known bool // it has its path error, or never will
}

// paneTicks are the sums of a pane at the end of the last tick.
type paneTicks struct {
	pane        *lab.Pane
	start       sim.Tick // of the strategy
	corrections int
	replayed    float64
	bytes       [2]uint64 // by direction
	rows        []int     // numbers of the newest rows, at the tick of the score modulo the length
}

// pathErrorSeconds is how long a row waits for its path error: longer than a score does.
const pathErrorSeconds = 4

// newTickTable starts a table of the ticks of a session.
func newTickTable(f *atomicfile.File, l *lab.Lab) *tickTable {
	t := &tickTable{file: f, lab: l, first: 1}
	t.csv = csv.NewWriter(&t.text)
	_ = t.csv.Write(tickColumns) // into memory
	t.flush()
	return t
}

// add adds the rows of the tick that the lab has just made.
func (t *tickTable) add() {
	if t == nil {
		return
	}
	for i, p := range t.lab.Panes {
		t.addRow(i, p, t.sumsOf(p))
	}
	t.writeKnown(false)
	if t.text.Len() >= tickBufferBytes {
		t.flush()
	}
}

// sumsOf returns the sums of a pane at the end of the last tick. They begin again with each strategy.
func (t *tickTable) sumsOf(p *lab.Pane) *paneTicks {
	i := slices.IndexFunc(t.panes, func(x paneTicks) bool { return x.pane == p })
	if i < 0 {
		i = len(t.panes)
		t.panes = append(t.panes, paneTicks{})
	}
	if x := &t.panes[i]; x.pane != p || x.start != p.StartTick() {
		*x = paneTicks{pane: p, start: p.StartTick(), rows: make([]int, (pathErrorSeconds+1)*t.lab.Config().Rate)}
	}
	return &t.panes[i]
}

// addRow adds the row of a pane, and the path errors that have become known to the rows to which they belong.
func (t *tickTable) addRow(i int, p *lab.Pane, was *paneTicks) {
	v, body := &p.Clients[0].View, p.PlayerBody()
	drawn := body < len(v.Bodies)
	cells := []string{strconv.Itoa(int(t.lab.Ticks())), fixed(float64(t.lab.Ticks())/float64(t.lab.Config().Rate), 6), strconv.Itoa(i + 1), p.Strategy.Name}
	position := func(pose *geom.Pose) []string {
		return []string{shortFloat(pose.Pos.X), shortFloat(pose.Pos.Y), shortFloat(pose.Pos.Z)}
	}
	shown, lag, offset := []string{"", "", ""}, "", ""
	if drawn {
		shown, lag = position(&v.Bodies[body]), shortFloat(float32(p.Score.LagError()))
	}
	if drawn && body < len(v.Simulated) {
		offset = shortFloat(v.Bodies[body].Pos.Sub(v.Simulated[body].Pos).Len())
	}
	cells = append(append(cells, shown...), position(&p.ServerWorld.Bodies()[body].Pose)...)
	cells = append(cells, "", lag, offset)

	corrections, replayed := p.Corrections.Total(), p.Counters.Total(predict.ReplayedTicks)
	cells = append(cells, strconv.Itoa(corrections-was.corrections), shortFloat(float32(replayed-was.replayed)))
	was.corrections, was.replayed = corrections, replayed
	for _, d := range []link.Direction{link.Down, link.Up} {
		n := p.Clients[0].WireBytes(d)
		cells = append(cells, strconv.FormatUint(n-was.bytes[d], 10))
		was.bytes[d] = n
	}
	inputs := ""
	if n, ok := p.Counters.Sum(predict.WaitingInputs); ok {
		inputs = shortFloat(float32(n))
	}
	t.waiting = append(t.waiting, tickRow{tick: t.lab.Ticks(), cells: append(cells, inputs)})

	was.rows[p.Score.Added()%len(was.rows)] = t.first + len(t.waiting) - 1
	for _, e := range p.Score.NewPathErrors() {
		if k := was.rows[e.Tick%len(was.rows)] - t.first; k >= 0 {
			t.waiting[k].cells[pathErrorColumn], t.waiting[k].known = shortFloat(float32(e.Metres)), true
		}
	}
}

// shortFloat returns the shortest text of a number that is exact.
func shortFloat(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }

// writeKnown writes the rows at the start of those that wait which wait no longer, or all.
func (t *tickTable) writeKnown(all bool) {
	n := 0
	for n < len(t.waiting) {
		r := &t.waiting[n]
		if age := int(t.lab.Ticks() - r.tick); !all && !r.known && age <= pathErrorSeconds*t.lab.Config().Rate {
			break
		}
		_ = t.csv.Write(r.cells) // into memory
		n++
	}
	t.first += n
	t.waiting = t.waiting[:copy(t.waiting, t.waiting[n:])]
}

// flush writes whole lines into the file.
func (t *tickTable) flush() {
	t.csv.Flush()
	if t.err == nil {
		_, t.err = t.file.Write(t.text.Bytes())
	}
	t.text.Reset()
}

// close writes the last rows, and gives the file its name.
func (t *tickTable) close() error {
	if t == nil {
		return nil
	}
	t.writeKnown(true)
	t.flush()
	if t.err != nil {
		return errors.Join(t.err, t.file.Discard())
	}
	return atomicfile.Commit(t.file)
}

// discard removes the file.
func (t *tickTable) discard() error {
	if t == nil {
		return nil
	}
	return t.file.Discard()
}
