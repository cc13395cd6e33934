package cli

import (
	"fmt"
	"io"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/probe"
)

// correctionList is the list of corrections of a pane.
type correctionList struct {
	Total int                `json:"total"` // with those that are no longer stored
	List  []correctionResult `json:"list"`  // the newest ones, oldest first
}

// correctionResult is a correction. Times are session times.
type correctionResult struct {
	Client        int      `json:"client"` // counted from 1
	At            float64  `json:"at_s"`
	Tick          uint32   `json:"tick"`   // of the server's state
	Packet        uint64   `json:"packet"` // that carried the state
	Sent          *float64 `json:"sent_s"` // null: no longer known
	Received      float64  `json:"received_s"`
	Body          int      `json:"body"`
	Field         string   `json:"field"`
	Amount        float32  `json:"amount"`
	Unit          string   `json:"unit"`
	Cause         string   `json:"cause"`
	ReplayedTicks int      `json:"replayed_ticks"`
	Shift         float32  `json:"shift_m"`
	LostBefore    int      `json:"packets_missing_before"`
	Fault         string   `json:"forced_fault"` // since the correction before; empty: none

	text string // field and amount, for tables
}

// newCorrectionList returns the corrections of a pane in a session at a tick rate.
func newCorrectionList(p *lab.Pane, rate int) *correctionList {
	c := &p.Corrections
	r := &correctionList{Total: c.Total(), List: []correctionResult{}}
	for i := c.FirstIndex(); i < c.Total(); i++ {
		r.List = append(r.List, newCorrectionResult(c.At(i), rate))
	}
	return r
}

// newCorrectionResult returns a correction in a session at a tick rate.
func newCorrectionResult(x *probe.Correction, rate int) correctionResult {
	r := correctionResult{
		Client: x.Client + 1, At: float64(x.SessionTick) / float64(rate), Tick: uint32(x.Tick), Packet: uint64(x.Packet),
		Received: x.Received.Seconds(), Body: x.Body, Field: x.Field.String(), Amount: x.Amount, Unit: x.Field.Unit(),
		Cause: x.Cause.String(), ReplayedTicks: x.ReplayedTicks, Shift: x.Shift, LostBefore: x.LostBefore, Fault: x.Fault, text: x.Describe(),
	}
	if x.Sent >= 0 {
		sent := x.Sent.Seconds()
		r.Sent = &sent
	}
	return r
}

// maxCorrectionRows is the number of corrections in a table.
const maxCorrectionRows = 40

// writeTable prints the oldest of the stored corrections of a pane.
func (c *correctionList) writeTable(out io.Writer, name string) error {
	fmt.Fprintf(out, "\ncorrections of %s: %d\n", name, c.Total)
	if len(c.List) == 0 {
		return nil
	}
	if gone := c.Total - len(c.List); gone > 0 {
		fmt.Fprintf(out, "the first %d are no longer stored\n", gone)
	}
	t := newTextTable(out)
	t.row("client", "time, s", "tick", "packet", "sent, s", "received, s", "body", "difference", "cause",
		"resimulated, ticks", "shift, m", "lost before", "forced fault")
	for i := range min(len(c.List), maxCorrectionRows) {
		x := &c.List[i]
		t.row(fmt.Sprint(x.Client), fixed(x.At, 3), fmt.Sprint(x.Tick), fmt.Sprint(x.Packet), orDash(x.Sent, 3), fixed(x.Received, 3),
			fmt.Sprint(x.Body), x.text, x.Cause, fmt.Sprint(x.ReplayedTicks), fixed(float64(x.Shift), 3), fmt.Sprint(x.LostBefore), x.Fault)
	}
	if err := t.close(); err != nil {
		return err
	}
	if more := len(c.List) - maxCorrectionRows; more > 0 {
		fmt.Fprintf(out, "and %d more: --format json prints them\n", more)
	}
	return nil
}
