package cli

import (
	"fmt"
	"io"

	"ghostcube/predict/lab"
)

// correctionList are the corrections of a pane.
type correctionList struct {
	Total int                `json:"total"` // also those that are no longer remembered
	List  []correctionResult `json:"list"`  // the newest, oldest first
}

// correctionResult is one correction. Times are the session's.
type correctionResult struct {
	Client        int      `json:"client"` // 1, 2, ...
	At            float64  `json:"at_s"`
	Tick          uint32   `json:"tick"` // of the server's state
	Packet        uint64   `json:"packet"`
	Sent          *float64 `json:"sent_s"` // null if it is no longer known
	Received      float64  `json:"received_s"`
	Body          int      `json:"body"`
	Field         string   `json:"field"`
	Amount        float32  `json:"amount"`
	Unit          string   `json:"unit"`
	Cause         string   `json:"cause"`
	ReplayedTicks int      `json:"replayed_ticks"`
	Shift         float32  `json:"shift_m"`

	text string // field and by, for a reader
}

// newCorrectionList lists the corrections that a pane remembers, of a session at so many
// ticks a second.
func newCorrectionList(p *lab.Pane, rate int) *correctionList {
	c := &p.Corrections
	r := &correctionList{Total: c.Total(), List: []correctionResult{}}
	for i := c.FirstIndex(); i < c.Total(); i++ {
		x := c.At(i)
		one := correctionResult{
			Client: x.Client + 1, At: float64(x.SessionTick) / float64(rate), Tick: uint32(x.Tick), Packet: uint64(x.Packet),
			Received: x.Received.Seconds(), Body: x.Body, Field: x.Field.String(), Amount: x.Amount, Unit: x.Field.Unit(),
			Cause: x.Cause.String(), ReplayedTicks: x.ReplayedTicks, Shift: x.Shift, text: x.Describe(),
		}
		if x.Sent >= 0 {
			sent := x.Sent.Seconds()
			one.Sent = &sent
		}
		r.List = append(r.List, one)
	}
	return r
}

// maxCorrectionRows is how many corrections of a pane a table shows.
const maxCorrectionRows = 40

// writeTable prints the corrections of a pane, the first ones of those remembered.
func (e *correctionList) writeTable(out io.Writer, name string) error {
	fmt.Fprintf(out, "\ncorrections of %s: %d\n", name, e.Total)
	if len(e.List) == 0 {
		return nil
	}
	if gone := e.Total - len(e.List); gone > 0 {
		fmt.Fprintf(out, "the first %d are no longer remembered\n", gone)
	}
	t := newTextTable(out)
	t.row("seat", "at, s", "tick", "packet", "sent, s", "arrived, s", "body", "off", "why", "replayed, ticks", "jump, m")
	for i := range min(len(e.List), maxCorrectionRows) {
		x := &e.List[i]
		t.row(fmt.Sprint(x.Client), fixed(x.At, 3), fmt.Sprint(x.Tick), fmt.Sprint(x.Packet), orDash(x.Sent, 3), fixed(x.Received, 3),
			fmt.Sprint(x.Body), x.text, x.Cause, fmt.Sprint(x.ReplayedTicks), fixed(float64(x.Shift), 3))
	}
	if err := t.close(); err != nil {
		return err
	}
	if more := len(e.List) - maxCorrectionRows; more > 0 {
		fmt.Fprintf(out, "and %d more: --format json prints them\n", more)
	}
	return nil
}
