package cli

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"ghostcube/predict/lab"
)

// explained are the corrections of a pane.
type explained struct {
	Made int                `json:"made"` // also those that are no longer remembered
	List []correctionResult `json:"list"` // the newest, oldest first
}

// correctionResult is one correction. Times are the session's.
type correctionResult struct {
	Seat     int      `json:"seat"` // 1, 2, ...
	At       float64  `json:"at_s"`
	Tick     uint32   `json:"tick"` // of the server's state
	Packet   uint64   `json:"packet"`
	Sent     *float64 `json:"sent_s"` // null if it is no longer known
	Came     float64  `json:"arrived_s"`
	Body     int      `json:"body"`
	Field    string   `json:"field"`
	By       float32  `json:"by"`
	Unit     string   `json:"unit"`
	Why      string   `json:"why"`
	Replayed int      `json:"replayed_ticks"`
	Jump     float32  `json:"jump_m"`

	what string // field and by, for a reader
}

// explainPane lists the corrections that a pane remembers, of a session at so many
// ticks a second.
func explainPane(p *lab.Pane, rate int) *explained {
	c := &p.Corrections
	r := &explained{Made: c.Total(), List: []correctionResult{}}
	for i := c.First(); i < c.Total(); i++ {
		x := c.Number(i)
		one := correctionResult{
			Seat: x.Seat + 1, At: float64(x.At) / float64(rate), Tick: uint32(x.Tick), Packet: uint64(x.Packet),
			Came: x.Received.Seconds(), Body: x.Body, Field: x.Field.String(), By: x.Amount, Unit: x.Field.Unit(),
			Why: x.Cause.String(), Replayed: x.Replayed, Jump: x.Shift, what: x.Describe(),
		}
		if x.Sent >= 0 {
			sent := x.Sent.Seconds()
			one.Sent = &sent
		}
		r.List = append(r.List, one)
	}
	return r
}

// mostExplained is how many corrections of a pane a table shows.
const mostExplained = 40

// table prints the corrections of a pane, the first ones of those remembered.
func (e *explained) table(out io.Writer, name string) error {
	fmt.Fprintf(out, "\ncorrections of %s: %d\n", name, e.Made)
	if len(e.List) == 0 {
		return nil
	}
	if gone := e.Made - len(e.List); gone > 0 {
		fmt.Fprintf(out, "the first %d are no longer remembered\n", gone)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "seat\tat, s\ttick\tpacket\tsent, s\tarrived, s\tbody\toff\twhy\treplayed, ticks\tjump, m")
	fixed := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	for i := range min(len(e.List), mostExplained) {
		x := &e.List[i]
		sent := "-"
		if x.Sent != nil {
			sent = fixed(*x.Sent)
		}
		fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%s\t%s\t%d\t%s\t%s\t%d\t%s\n", x.Seat, fixed(x.At), x.Tick, x.Packet, sent, fixed(x.Came),
			x.Body, x.what, x.Why, x.Replayed, fixed(float64(x.Jump)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if more := len(e.List) - mostExplained; more > 0 {
		fmt.Fprintf(out, "and %d more: --format json prints them\n", more)
	}
	return nil
}
