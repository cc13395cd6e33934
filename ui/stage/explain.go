package stage

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/probe"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// explanation says in plain words what happens in a pane: an event for two seconds of shown time, and between
// events what the strategy does.
type explanation struct {
	event  string
	weight float32  // of the event: a heavier one replaces it at once
	since  sim.Tick // of the session

	next       string // the heaviest event that waits; empty: none
	nextWeight float32

	corrections int      // total so far
	faultTick   sim.Tick // session tick of the last forced fault that was explained
	hasFault    bool
	lateInputs  float64    // total so far, of all counters of lateInputCounters
	stalls      float64    // total so far
	state       sim.Tick   // newest one received
	stateAt     sim.Tick   // session tick at which it arrived
	usualGap    int        // ticks between the two states before
	lines       textWrap   // scratch
	status      string     // what the strategy does
	drawn       geom.Vec3  // the drawn player's body after the last tick, metres
	shown       sim.Moment // that it claimed to show
}

// How long events are shown, and after which time any event replaces another, in seconds of shown time.
const (
	eventSeconds      = 2
	eventShortSeconds = 0.7
)

// The weights of events. That of a correction is the distance by which it moved the cube, in metres.
const (
	lateInputWeight = 0.2
	stallWeight     = 0.5
	noStateWeight   = 50
	faultWeight     = 100
)

// leastShift is the distance in metres below which a correction without a known cause is not worth a sentence.
const leastShift = 0.01

// silenceSeconds is the time without a state from which it is an event.
const silenceSeconds = 0.2

// lateInputCounters count ticks that the server stepped without the input for it.
var lateInputCounters = [...]string{"late_inputs", "input_starved_ticks", "missing_inputs"}

// update follows the pane by one tick.
func (e *explanation) update(p *pane, l *lab.Lab, show *Settings) {
	now, rate := l.Ticks(), l.Config().Rate
	shown := float32(float32(rate) * float32(show.Speed)) // session ticks in a second of shown time
	if e.event != "" && float32(now-e.since) >= float32(eventSeconds*shown) {
		e.event = ""
	}
	replaceable := e.event == "" || float32(now-e.since) >= float32(eventShortSeconds*shown)
	if replaceable && e.next != "" {
		e.event, e.weight, e.since, e.next = e.next, e.nextWeight, now, ""
		replaceable = false
	}
	post := func(weight float32, text string) {
		switch {
		case replaceable || weight >= e.weight:
			e.event, e.weight, e.since = text, weight, now
		case e.next == "" || weight >= e.nextWeight:
			e.next, e.nextWeight = text, weight
		}
	}
	source := p.source
	e.followInputs(source, post)
	e.followCorrections(source, rate, post)
	e.followStates(p, now, rate, post)
	if f, ok := source.LastFault(); ok && (!e.hasFault || f.SessionTick != e.faultTick) {
		e.hasFault, e.faultTick = true, f.SessionTick
		post(faultWeight, "forced fault: "+f.Describe())
	}
	if due := max(rate/headlineChangesPerSecond, 1); e.status == "" || int(now)%due == 0 {
		e.status = p.statusText()
	}
	v := &source.Clients[0].View
	if body := source.PlayerBody(); body < len(v.Bodies) {
		e.drawn = v.Bodies[body].Pos
	}
	e.shown = v.Others
}

// followInputs posts inputs that the server did not have in time, and stops for a missing input.
func (e *explanation) followInputs(source *lab.Pane, post func(float32, string)) {
	late := 0.0
	for _, name := range lateInputCounters {
		late += source.Counters.Value(name)
	}
	if late > e.lateInputs {
		if k := source.Knobs.Lookup("keep-last"); k != nil && k.Value() == "off" {
			post(lateInputWeight, "input late: the server stepped without it")
		} else {
			post(lateInputWeight, "input late: the server repeated the last one")
		}
	}
	e.lateInputs = late
	stalls := source.Counters.Value("stalls")
	if stalls > e.stalls {
		post(stallWeight, "input missing: the simulation waits for it")
	}
	e.stalls = stalls
}

// followCorrections posts the largest correction of the tick.
func (e *explanation) followCorrections(source *lab.Pane, rate int, post func(float32, string)) {
	c := &source.Corrections
	var largest *probe.Correction
	for n := max(e.corrections, c.FirstIndex()); n < c.Total(); n++ {
		if x := c.At(n); x.Client == 0 && (largest == nil || x.Shift > largest.Shift) {
			largest = x
		}
	}
	e.corrections = c.Total()
	if largest != nil && (largest.Shift >= leastShift || largest.Cause != predict.CauseUnknown || largest.Fault != "") {
		post(largest.Shift, correctionEvent(largest, source.Knobs, rate))
	}
}

// followStates posts the time without a state from the server.
func (e *explanation) followStates(p *pane, now sim.Tick, rate int, post func(float32, string)) {
	progress := p.source.Progress()
	if progress.StateReceived != e.state {
		e.usualGap = int(now - e.stateAt)
		e.state, e.stateAt = progress.StateReceived, now
		return
	}
	gap := int(now - e.stateAt)
	if e.state == 0 || float32(gap) < max(float32(silenceSeconds*float32(rate)), float32(2*e.usualGap)) {
		return
	}
	post(noStateWeight, "no state for "+strconv.Itoa(gap*1000/rate/10*10)+" ms: "+e.withoutState(p, &progress))
}

// withoutState says what the client draws while no state arrives.
func (e *explanation) withoutState(p *pane, progress *predict.InputProgress) string {
	v, body := &p.source.Clients[0].View, p.source.PlayerBody()
	moved := body < len(v.Bodies) && v.Bodies[body].Pos != e.drawn
	switch {
	case progress.Predicts:
		return "prediction goes on unchecked"
	case v.Others > e.shown && v.Others <= e.state.Moment():
		return "playing what the buffer has"
	case moved || v.Others > e.shown:
		return "extrapolating"
	}
	return "the picture stands still"
}

// correctionEvent describes a correction in one sentence.
func correctionEvent(c *probe.Correction, k *predict.Knobs, rate int) string {
	var b strings.Builder
	switch {
	case c.Fault != "":
		b.WriteString("after the forced fault, ")
	case c.Cause == predict.LocalInput:
		b.WriteString("input late: ")
	case c.Cause == predict.RemoteInput:
		b.WriteString("remote input differed: ")
	case c.Cause == predict.ClockReset:
		b.WriteString("the client had fallen behind: ")
	case c.LostBefore > 0:
		b.WriteString(countText(c.LostBefore, "state") + " lost: ")
	}
	b.WriteString("packet " + strconv.FormatUint(uint64(c.Packet), 10) + " disagreed")
	switch c.Field {
	case predict.Position:
		fmt.Fprintf(&b, " by %.2f m", c.Amount)
	case predict.Asleep:
		b.WriteString(": the server's body sleeps")
	default:
		fmt.Fprintf(&b, " in the %s by %.2g %s", fieldNames[c.Field], c.Amount, c.Field.Unit())
	}
	if c.ReplayedTicks > 0 {
		b.WriteString(": " + countText(c.ReplayedTicks, "tick") + " replayed, ")
	} else {
		b.WriteString(": ")
	}
	if gradual := k.Lookup("correct-by"); gradual != nil && c.ReplayedTicks == 0 && c.Shift >= leastShift {
		b.WriteString("the cube follows gradually")
	} else {
		b.WriteString(offsetText(c.Shift, k, rate))
	}
	return b.String()
}

var fieldNames = [...]string{predict.Rotation: "rotation", predict.Linear: "velocity", predict.Angular: "spin"}

// offsetText says what becomes of an error offset of a length in metres: it is drawn at once, or fades.
func offsetText(shift float32, k *predict.Knobs, rate int) string {
	s, ok := smoothingOf(k)
	switch {
	case shift < leastShift:
		return "no visible jump"
	case !ok:
		return fmt.Sprintf("the cube moves by %.2f m", shift)
	case s.Mode == smoothing.None || float64(shift) >= s.SnapDistance:
		return fmt.Sprintf("a jump of %.2f m", shift)
	}
	ticks := fadeTicks(&s, shift, rate)
	return fmt.Sprintf("the offset fades in %.1f s", float64(ticks)/float64(rate))
}

// fadedShare is the share of an error offset below which it has faded.
const fadedShare = 0.05

// fadeTicks returns the number of ticks in which an error offset fades, at most ten seconds.
func fadeTicks(s *smoothing.Settings, shift float32, rate int) (ticks int) {
	o := smoothing.ErrorOffset{Pos: geom.Vec3{X: shift}}
	for ticks < 10*rate && o.Pos.X > float32(fadedShare*shift) {
		s.Decay(&o, rate)
		ticks++
	}
	return ticks
}

// smoothingOf returns the smoothing of a strategy; ok is false if it has none.
func smoothingOf(k *predict.Knobs) (s smoothing.Settings, ok bool) {
	mode := k.Lookup("smoothing")
	if mode == nil {
		return s, false
	}
	s = smoothing.DefaultSettings
	for _, f := range []struct {
		name  string
		value *float64
	}{
		{"smooth-factor", &s.PositionFactor}, {"smooth-factor-small", &s.SmallFactor}, {"smooth-factor-large", &s.LargeFactor},
		{"smooth-error-small", &s.SmallError}, {"smooth-error-large", &s.LargeError}, {"snap-distance", &s.SnapDistance},
	} {
		if knob := k.Lookup(f.name); knob != nil {
			*f.value = knob.Number()
		}
	}
	for i, name := range smoothing.ModeNames {
		if mode.Value() == name {
			s.Mode = smoothing.Mode(i)
		}
	}
	return s, true
}

// leastOffset is the error offset in metres from which the status mentions it.
const leastOffset = 0.02

// statusText says what the strategy of a pane does now, from what the client draws and has received.
func (p *pane) statusText() string {
	source := p.source
	v, progress, body := &source.Clients[0].View, source.Progress(), source.PlayerBody()
	rate := source.ServerWorld.Rate()
	millis := func(d sim.Moment) string {
		return strconv.Itoa(int(time.Duration(d)*1000/time.Duration(sim.MomentsPerTick*rate))) + " ms"
	}
	if len(v.Bodies) == 0 || v.Others == 0 {
		return "waits for the first state"
	}
	_, waits := source.Counters.Lookup("stalls")
	newest := progress.StateReceived.Moment()
	var text string
	switch _, simulatesAll := source.Counters.Lookup("updates_per_packet"); {
	case waits:
		text = "steps the same inputs as the server; no state is sent"
	case progress.Predicts:
		at := v.Others
		if body < len(v.Predicted) && v.Predicted[body] {
			at = v.Own
		}
		text = "predicts the cube " + millis(at-newest) + " beyond the newest state, and checks it"
	case simulatesAll:
		text = "simulates all bodies; updates correct the most urgent"
	case progress.StateReceived == 0:
		text = "waits for the first state"
	case v.Others > newest:
		text = "extrapolates " + millis(v.Others-newest) + " beyond the newest state"
	case v.Others < newest:
		text = "interpolates between states, " + millis(newest-v.Others) + " before the newest"
	default:
		text = "draws the newest state that has arrived"
	}
	if body < len(v.Simulated) && body < len(v.Bodies) {
		if offset := v.Bodies[body].Pos.Sub(v.Simulated[body].Pos).Len(); offset >= leastOffset {
			text += fmt.Sprintf("; hides an offset of %.2f m", offset)
		}
	}
	return text
}

// textWrap is a text broken into at most two lines for a width.
type textWrap struct {
	text  string
	width float32
	size  int
	lines [2]string
}

// wrap breaks a text, unless it is the last one.
func (t *textWrap) wrap(text string, f render.Font, width float32) *[2]string {
	if t.text == text && t.width == width && t.size == f.Size {
		return &t.lines
	}
	t.text, t.width, t.size, t.lines = text, width, f.Size, [2]string{}
	lines := f.Wrap(strings.Fields(text), " ", width)
	for i := range min(len(lines), 2) {
		t.lines[i] = f.Truncate(lines[i], width)
	}
	if len(lines) > 2 {
		t.lines[1] = f.Truncate(strings.Join(lines[1:], " "), width)
	}
	return &t.lines
}

// explainColor is the colour of events.
var explainColor = render.Color{R: 255, G: 190, B: 110, A: 255}

// drawExplanation writes what happens in pane i into a strip.
func (d *overlay) drawExplanation(i int, x, y, w, h float32) {
	e := &d.stage.panes[i].explain
	text, color := e.event, explainColor
	if text == "" {
		text, color = e.status, dimTextColor
	}
	f := d.font(13, false)
	if h < d.px(2*captionLineHeight) {
		d.Text(x, baseline(f, y, h), f, color, f.Truncate(text, w))
		return
	}
	for k, line := range e.lines.wrap(text, f, w) {
		if line != "" {
			d.Text(x, y+d.px(16)+float32(d.px(captionLineHeight)*float32(k)), f, color, line)
		}
	}
}
