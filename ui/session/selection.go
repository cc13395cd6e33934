package session

import (
	"fmt"
	"strconv"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/probe"
	"ghostcube/ui/hud"
	"ghostcube/ui/timeline"
)

// Selection is the correction that the picture points at while the session is paused.
type Selection struct {
	session *Session

	pane       *lab.Pane // nil: no correction is selected
	index      int       // in the pane's corrections
	correction probe.Correction

	wasPaused bool // before a click on a correction of the last tick, which is no visit to the past
}

// Chosen reports whether correction n of a pane is selected.
func (s *Selection) Chosen(pane *lab.Pane, n int) bool { return s.pane == pane && s.index == n }

// Clear selects no correction.
func (s *Selection) Clear() { *s = Selection{session: s.session} }

// set selects correction n of a pane.
func (s *Selection) set(pane *lab.Pane, n int) {
	s.pane, s.index, s.correction = pane, n, *s.session.Past.Corrections(pane).At(n)
}

// Toggle goes to the moment of correction n of a pane and selects it, or clears the selection if it is
// that one.
func (s *Selection) Toggle(pane *lab.Pane, n int) {
	o := s.session
	if o.refuses(thePast) {
		return
	}
	if s.Chosen(pane, n) {
		s.Clear()
		return
	}
	s.set(pane, n) // before the pane goes to another moment
	s.wasPaused = o.Paused
	o.Past.SeekFully(int(s.correction.SessionTick) + 1)
	o.Paused = true
}

// end ends the selection of a correction of the last tick: the session goes on as before the click.
func (s *Selection) end() {
	if s.pane != nil {
		s.session.Paused = s.wasPaused
		s.Clear()
	}
}

// Callout returns the callout of the selected correction. The selection ends when the session resumes or its
// pane is closed.
func (s *Selection) Callout() *hud.Callout {
	o := s.session
	if !o.Paused {
		s.Clear()
	}
	for i, p := range o.Lab.Panes {
		if c := &s.correction; p == s.pane && c.Body < len(p.ServerWorld.Bodies()) {
			m := &hud.Callout{Pane: i, Body: c.Body, Lines: CorrectionText(c, o.Lab.Config().Rate), Correction: c}
			if m.Corrected = c.SessionTick+1 == o.Lab.Ticks() && c.Client == 0; m.Corrected {
				m.Lines = append(m.Lines, fmt.Sprintf("Pale: drawn one tick before. Magenta: simulated now, %.3g m away", o.HUD.CorrectionOffset(i, c.Body)))
			}
			return m
		}
	}
	return nil
}

// CorrectionSeconds returns the session's time of a correction, in seconds.
func CorrectionSeconds(c *probe.Correction, rate int) float64 {
	return float64(c.SessionTick) / float64(rate)
}

// causeTexts describe each predict.Cause.
var causeTexts = [...]string{
	predict.CauseUnknown: "same inputs, no forced fault, no loss before it: rounding, contacts, which states lack, or other physics",
	predict.LocalInput:   "the player's input reached the server late",
	predict.RemoteInput:  "another player's input differed from the predicted one",
	predict.Again:        "a state had differed less than a second before: contacts, which states lack, or the physics differ",
	predict.ClockReset:   "the client had fallen behind and adopted the server's state",
	predict.Logged:       "the game's log does not say",
}

// ticksText returns a number of ticks with its noun.
func ticksText(n int) string {
	if n == 1 {
		return "1 tick"
	}
	return strconv.Itoa(n) + " ticks"
}

// causeText returns why a correction was made, as far as the client and the laboratory know: the client compares
// inputs, the laboratory knows the forced faults and the packets that did not arrive.
func causeText(c *probe.Correction) string {
	text := causeTexts[c.Cause]
	if c.Cause == predict.CauseUnknown && c.LostBefore > 0 {
		text = "the inputs of that tick were the same: an earlier tick differed, whose state was lost"
	}
	if c.Fault != "" {
		if text = "forced fault: " + c.Fault; c.Cause != predict.CauseUnknown {
			text += "; " + causeTexts[c.Cause]
		}
	}
	switch {
	case c.LostBefore == 1:
		text += "; the packet before it did not arrive"
	case c.LostBefore > 1:
		text += fmt.Sprintf("; %d packets before it did not arrive", c.LostBefore)
	}
	return text
}

// CorrectionText describes a correction in four lines, or one from a log in one.
func CorrectionText(c *probe.Correction, rate int) []string {
	if c.Cause == predict.Logged {
		return []string{fmt.Sprintf("Corrected at %.3f s, as the game's log has it: %s resimulated", CorrectionSeconds(c, rate), ticksText(c.ReplayedTicks))}
	}
	sent := ""
	if c.Sent >= 0 {
		sent = fmt.Sprintf("sent at %.3f s, ", c.Sent.Seconds())
	}
	off := "off in " + c.Describe()
	if c.Field.Unit() == "" {
		off = "asleep on the server, awake on the client"
	}
	return []string{
		fmt.Sprintf("Corrected at %.3f s, client %d: body %d was %s", CorrectionSeconds(c, rate), c.Client+1, c.Body, off),
		fmt.Sprintf("Received in packet %d of tick %d, %sarrived at %.3f s", c.Packet, c.Tick, sent, c.Received.Seconds()),
		fmt.Sprintf("%s replayed, the player's cube shifted %.3g m", ticksText(c.ReplayedTicks), c.Shift),
		"Cause: " + causeText(c),
	}
}

// ShowMark goes to a mark. A correction is explained in the picture.
func (s *Selection) ShowMark(pane int, k timeline.Kind, tick int) {
	o := s.session
	paused := o.Paused
	o.Past.SeekFully(tick)
	if k != timeline.Corrections || pane >= len(o.Lab.Panes) {
		return
	}
	p := o.Lab.Panes[pane]
	for n := p.Corrections.Total() - 1; n >= p.Corrections.FirstIndex(); n-- {
		if int(p.Corrections.At(n).SessionTick)+1 == tick {
			s.set(p, n)
			s.wasPaused = paused
			return
		}
	}
}
