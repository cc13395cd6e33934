package hud

import (
	"time"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/probe"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
	"ghostcube/ui/stage"
)

// explanation says in plain words what happens in a pane: an event for two seconds of shown time, and between
// events what the strategy does.
type explanation struct {
	event  keptText
	weight float32  // of the event: a heavier one replaces it at once
	since  sim.Tick // of the session

	next       keptText // the heaviest event that waits; empty: none
	nextWeight float32

	corrections int      // total so far
	faultTick   sim.Tick // session tick of the last forced fault that was explained
	hasFault    bool
	lateInputs  float64    // total so far
	stalls      float64    // total so far
	state       sim.Tick   // newest one received
	stateAt     sim.Tick   // session tick at which it arrived
	usualGap    int        // ticks between the two states before
	lines       textWrap   // scratch
	status      keptText   // what the strategy does
	texts       texts      // scratch
	drawn       geom.Vec3  // the drawn player's body after the last tick, metres
	shown       sim.Moment // that it claimed to show
}

// clone returns a copy that shares no memory with e.
func (e *explanation) clone() explanation {
	c := *e
	c.event, c.next, c.status = e.event.clone(), e.next.clone(), e.status.clone()
	c.lines, c.texts = textWrap{}, texts{}
	return c
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

// update follows the pane by one tick.
func (e *explanation) update(p *pane, l *lab.Lab, show *stage.Settings) {
	now, rate := l.Ticks(), l.Config().Rate
	e.texts.Reset()
	shown := float32(rate) * float32(show.Speed) // session ticks in a second of shown time
	if e.event.text != "" && float32(now-e.since) >= eventSeconds*shown {
		e.event.set("")
	}
	replaceable := e.event.text == "" || float32(now-e.since) >= eventShortSeconds*shown
	if replaceable && e.next.text != "" {
		e.event.set(e.next.text)
		e.next.set("")
		e.weight, e.since = e.nextWeight, now
		replaceable = false
	}
	post := func(weight float32, text string) {
		switch {
		case replaceable || weight >= e.weight:
			e.event.set(text)
			e.weight, e.since = weight, now
		case e.next.text == "" || weight >= e.nextWeight:
			e.next.set(text)
			e.nextWeight = weight
		}
	}
	source := p.source
	e.followInputs(source, post)
	e.followCorrections(source, p.client, rate, post)
	if p.client == 0 { // what a strategy reports is about the first client
		e.followStates(p, now, rate, post)
	}
	if f, ok := source.LastFault(); ok && (!e.hasFault || f.SessionTick != e.faultTick) {
		e.hasFault, e.faultTick = true, f.SessionTick
		post(faultWeight, "forced fault: "+f.Describe())
	}
	if due := max(rate/headlineChangesPerSecond, 1); e.status.text == "" || int(now)%due == 0 {
		e.status.set(p.statusText(&e.texts))
	}
	v := &source.Clients[0].View
	if body := source.PlayerBody(); body < len(v.Bodies) {
		e.drawn = v.Bodies[body].Pos
	}
	e.shown = v.Others
}

// followInputs posts inputs that the server did not have in time, and stops for a missing input.
func (e *explanation) followInputs(source *lab.Pane, post func(float32, string)) {
	late := source.Counters.Total(predict.LateInputs)
	if late > e.lateInputs {
		if source.Progress().DropsMissing {
			post(lateInputWeight, "input late: the server stepped without it")
		} else {
			post(lateInputWeight, "input late: the server repeated the last one")
		}
	}
	e.lateInputs = late
	stalls := source.Counters.Total(predict.Stalls)
	if stalls > e.stalls {
		post(stallWeight, "input missing: the simulation waits for it")
	}
	e.stalls = stalls
}

// followCorrections posts the largest correction of the tick.
func (e *explanation) followCorrections(source *lab.Pane, client, rate int, post func(float32, string)) {
	c := &source.Corrections
	var largest *probe.Correction
	for n := max(e.corrections, c.FirstIndex()); n < c.Total(); n++ {
		if x := c.At(n); x.Client == client && (largest == nil || x.Shift > largest.Shift) {
			largest = x
		}
	}
	e.corrections = c.Total()
	if largest != nil && (largest.Shift >= leastShift || largest.Cause != predict.CauseUnknown || largest.Fault != "") {
		post(largest.Shift, correctionEvent(&e.texts, largest, source.Knobs, rate))
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
	if e.state == 0 || float32(gap) < max(silenceSeconds*float32(rate), float32(2*e.usualGap)) {
		return
	}
	post(noStateWeight, e.texts.add("no state for ").int(gap*1000/rate/10*10).add(" ms: ").add(e.withoutState(p, &progress)).end())
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
func correctionEvent(t *texts, c *probe.Correction, k *predict.Knobs, rate int) string {
	switch {
	case c.Cause == predict.Logged:
		return t.add("the game's log has a correction: ").count(c.ReplayedTicks, "tick").add(" resimulated").end()
	case c.Fault != "":
		t.add("after the forced fault, ")
	case c.Cause == predict.LocalInput:
		t.add("input late: ")
	case c.Cause == predict.RemoteInput:
		t.add("remote input differed: ")
	case c.Cause == predict.Again:
		t.add("again: ")
	case c.Cause == predict.ClockReset:
		t.add("the client had fallen behind: ")
	case c.LostBefore > 0:
		t.count(c.LostBefore, "state").add(" lost: ")
	}
	t.add("packet ").int(int(c.Packet)).add(" disagreed")
	switch c.Field {
	case predict.Position:
		t.add(" by ").short(float64(c.Amount), 3).add(" m")
	case predict.Asleep:
		t.add(": the server's body sleeps")
	default:
		t.add(" in the ").add(c.Field.Words()).add(" by ").short(float64(c.Amount), 3).add(" ").add(c.Field.Unit())
	}
	if t.add(": "); c.ReplayedTicks > 0 {
		t.count(c.ReplayedTicks, "tick").add(" replayed, ")
	}
	if c.Gradual && c.Shift >= leastShift {
		t.add("the cube follows gradually")
	} else {
		t.offset(c.Shift, k, rate)
	}
	return t.end()
}

// offset appends what becomes of an error offset of a length in metres: it is drawn at once, or fades.
func (t *texts) offset(shift float32, k *predict.Knobs, rate int) {
	s, ok := k.SmoothingSettings()
	switch {
	case shift < leastShift:
		t.add("no visible jump")
	case !ok:
		t.add("the cube moves by ").short(float64(shift), 3).add(" m")
	case s.Mode == smoothing.None || float64(shift) >= s.SnapDistance:
		t.add("a jump of ").short(float64(shift), 3).add(" m")
	default:
		t.add("the offset fades in ").fixed(float64(fadeTicks(&s, shift, rate))/float64(rate), 1).add(" s")
	}
}

// fadedShare is the share of an error offset below which it has faded.
const fadedShare = 0.05

// fadeTicks returns the number of ticks in which an error offset fades, at most ten seconds.
func fadeTicks(s *smoothing.Settings, shift float32, rate int) (ticks int) {
	o := smoothing.ErrorOffset{Pos: geom.Vec3{X: shift}}
	for ticks < 10*rate && o.Pos.X > fadedShare*shift {
		s.Decay(&o, rate)
		ticks++
	}
	return ticks
}

// leastOffset is the error offset in metres from which the status mentions it.
const leastOffset = 0.02

// statusText says what the strategy of a pane does now, from what the client draws and has received.
func (p *pane) statusText(t *texts) string {
	source := p.source
	if p.client > 0 {
		return t.add("screen, packets and path error of player ").int(p.client + 1).add("; the other figures are player 1's").end()
	}
	if source.Recorded() {
		return "server and screen of your game, as its log has them; nothing is simulated here"
	}
	if source.Watched() {
		return "draws the poses that the server sends beside the strategy; nothing is simulated here"
	}
	v, progress, body := &source.Clients[0].View, source.Progress(), source.PlayerBody()
	rate := source.ServerWorld.Rate()
	millis := func(d sim.Moment) *texts {
		return t.int(int(time.Duration(d) * 1000 / time.Duration(sim.MomentsPerTick*rate))).add(" ms")
	}
	if len(v.Bodies) == 0 || v.Others == 0 {
		return "waits for the first state"
	}
	newest := progress.StateReceived.Moment()
	switch motion := source.Strategy.Motion; {
	case motion == predict.FromInputs:
		t.add("steps the same inputs as the server; no state is sent")
	case progress.Predicts:
		t.add("predicts the cube ")
		millis(v.MomentOf(body) - newest).add(" beyond the newest state, and checks it")
	case progress.Extrapolates:
		t.add("extrapolates each body from its last state")
	case motion == predict.SimulatedAll:
		t.add("simulates all bodies; updates correct the most urgent")
	case progress.StateReceived == 0:
		t.add("waits for the first state")
	case v.Others > newest:
		t.add("extrapolates ")
		millis(v.Others - newest).add(" beyond the newest state")
	case v.Others < newest:
		t.add("interpolates between states, ")
		millis(newest - v.Others).add(" before the newest")
	default:
		t.add("draws the newest state that has arrived")
	}
	if body < len(v.Simulated) && body < len(v.Bodies) {
		if offset := v.Bodies[body].Pos.Sub(v.Simulated[body].Pos).Len(); offset >= leastOffset {
			t.add("; hides an offset of ").fixed(float64(offset), 2).add(" m")
		}
	}
	return t.end()
}

// textWrap is a text broken into at most two lines for a width.
type textWrap struct {
	text  keptText
	width float32
	size  int
	lines [2]string
	texts texts
}

// wrap breaks a text, unless it is the last one.
func (t *textWrap) wrap(text string, f render.Font, width float32) *[2]string {
	if t.text.text == text && t.width == width && t.size == f.Size {
		return &t.lines
	}
	t.text.set(text)
	t.texts.Reset()
	t.width, t.size = width, f.Size
	line, rest := f.Break(t.text.text, " ", width)
	t.lines = [2]string{t.texts.truncate(f, line, width), t.texts.truncate(f, rest, width)}
	return &t.lines
}

// eventText returns the sentence about what has just happened in pane i, or about the correction that the callout explains.
func (d *drawing) eventText(i int) string {
	if c := d.callout; c != nil && c.Pane == i && c.Correction != nil {
		return correctionEvent(d.texts, c.Correction, d.l.Panes[i].Knobs, d.l.Config().Rate)
	}
	return d.hud.panes[i].explain.event.text
}

// drawExplanation writes what happens in pane i into a strip.
func (d frameDrawer) drawExplanation(i int, x, y, w, h float32) {
	e := &d.hud.panes[i].explain
	text, color := d.eventText(i), stage.ExplainColor
	if text == "" {
		text, color = e.status.text, stage.DimTextColor
	}
	f := d.font(13, false)
	if h < d.px(2*explainLineHeight) {
		d.Text(x, baseline(f, y, h), f, color, d.texts.truncate(f, text, w))
		return
	}
	for k, line := range e.lines.wrap(text, f, w) {
		if line != "" {
			d.Text(x, y+d.px(15)+d.px(explainLineHeight)*float32(k), f, color, line)
		}
	}
}
