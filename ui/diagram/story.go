package diagram

import (
	"fmt"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab/trace"
	"ghostcube/sim"
)

// side is one of the two lines.
type side int

const (
	client side = iota
	server
)

// receiver returns the side that receives in a direction.
func receiver(d link.Direction) side {
	if d == link.Up {
		return server
	}
	return client
}

// label is a text beside a line.
type label struct {
	side  side
	at    time.Duration
	lines []string
	class string // of its style
}

// mark is an event on a line: a moment, or a span.
type mark struct {
	side  side
	at    time.Duration
	end   time.Duration // of a span; 0: a moment
	class string
}

// story is what a diagram says beside the arrows. Its labels are in order of importance.
type story struct {
	labels      []label
	marks       []mark
	highlighted [2]map[int]bool // datagrams, as indices in their flow, by direction
}

func (s *story) add(at side, t time.Duration, class string, lines ...string) {
	s.labels = append(s.labels, label{at, t, lines, class})
}

// highlight emphasises the arrows of a packet.
func (s *story) highlight(d link.Direction, p *packetInfo) {
	for i := p.first; i < p.end; i++ {
		s.highlighted[d][i] = true
	}
}

// newStory tells the way of one input, or of one state if the client's player gives none, then the events in the
// shown time, and last what the other packets carry.
func (r *Recorder) newStory(log *trace.Log) *story {
	s := &story{highlighted: [2]map[int]bool{{}, {}}}
	if !r.addInputWay(s, log) {
		r.addStateWay(s, log)
	}
	r.addCorrections(s)
	r.addStalls(s)
	r.addNotes(s)
	for _, d := range [...]link.Direction{link.Up, link.Down} {
		last := ""
		for i := range r.packets[d] {
			p := &r.packets[d][i]
			if p.sentAt >= r.from && p.sentAt <= r.to && p.text != last {
				s.add(1-receiver(d), p.sentAt, "dim", p.text)
				last = p.text
			}
		}
	}
	return s
}

// addCorrections adds the client's corrections.
func (r *Recorder) addCorrections(s *story) {
	c := &r.lab.Panes[r.pane].Corrections
	for i := c.FirstIndex(); i < c.Total(); i++ {
		x := c.At(i)
		at := r.timeOf(x.SessionTick)
		if x.Client != 0 || at < r.from || at > r.to {
			continue
		}
		s.marks = append(s.marks, mark{client, at, 0, "fix"})
		text := fmt.Sprintf("corrects by state %d", x.Tick)
		if x.ReplayedTicks > 0 {
			text = "corrects, replays " + plural(x.ReplayedTicks, "tick")
		}
		s.add(client, at, "fix", text, "("+x.Describe()+")")
	}
}

// addStalls adds the times in which a world that should step did not.
func (r *Recorder) addStalls(s *story) {
	simulates := r.lab.Panes[r.pane].Strategy.TicksMatchServer
	r.addSpans(s, server, func(a, b *sample) string { return waits(b.server == a.server && a.server > 0) })
	r.addSpans(s, client, func(a, b *sample) string { return waits(simulates && b.client == a.client && a.client > 0) })
}

func waits(yes bool) string {
	if yes {
		return "waits"
	}
	return ""
}

// addNotes adds the notes of a strategy, such as that it extrapolates.
func (r *Recorder) addNotes(s *story) {
	r.addSpans(s, client, func(a, b *sample) string {
		if waits(b.client == a.client) != "" && r.lab.Panes[r.pane].Strategy.TicksMatchServer {
			return "" // addStalls says so
		}
		return b.note
	})
}

// maxNote is the length of the longest note that is shown, in characters.
const maxNote = 28

// addSpans adds the spans of ticks for which a function of the sample before and a sample returns the same text.
func (r *Recorder) addSpans(s *story, on side, text func(a, b *sample) string) {
	i, _ := r.firstAt(1, func(x *sample) bool { return x.at >= r.from })
	for i > 0 && i < len(r.samples) {
		t := text(&r.samples[i-1], &r.samples[i])
		first := i
		for i++; i < len(r.samples) && text(&r.samples[i-1], &r.samples[i]) == t; i++ {
		}
		if t == "" || len(t) > maxNote {
			continue
		}
		from, end := max(r.samples[first].at, r.from), min(r.samples[i-1].at+r.tick(), r.to)
		s.marks = append(s.marks, mark{on, from, end, "wait"})
		s.add(on, from, "wait", fmt.Sprintf("%s, %s", t, plural(i-first, "tick")))
	}
}

// firstAt returns the first sample for which a function holds, from index i on; ok is false if there is none.
func (r *Recorder) firstAt(i int, holds func(s *sample) bool) (k int, ok bool) {
	for k = i; k < len(r.samples); k++ {
		if holds(&r.samples[k]) {
			return k, true
		}
	}
	return 0, false
}

// carriers returns the first packet from a time on that a function accepts, and of those that arrive the one that does so first;
// each is nil if there is none.
func (r *Recorder) carriers(f *trace.Flow, d link.Direction, from time.Duration, accept func(p *packetInfo) bool) (sent, arrived *packetInfo) {
	best := time.Duration(0)
	for i := range r.packets[d] {
		p := &r.packets[d][i]
		if p.sentAt < from || p.first < f.First() || !accept(p) {
			continue
		}
		if sent == nil {
			sent = p
		}
		if at, ok := arrival(f, p); ok && (arrived == nil || at < best) {
			arrived, best = p, at
		}
	}
	return sent, arrived
}

// arrival returns when the last datagram of a packet arrives; ok is false if one never does.
func arrival(f *trace.Flow, p *packetInfo) (at time.Duration, ok bool) {
	for i := p.first; i < p.end; i++ {
		if x := f.At(i); x.Vanishes() || x.Refused() {
			return 0, false
		}
		at = max(at, f.At(i).Arrival)
	}
	return at, true
}

// addInputWay tells how the first input of the shown time goes to the server and comes back as a state. It returns
// false if the client's player gives no input, or the strategy does not know.
func (r *Recorder) addInputWay(s *story, log *trace.Log) bool {
	k, ok := r.firstAt(1, func(x *sample) bool { return x.at >= r.from })
	if !ok || r.samples[k].progress.Sampled <= r.samples[k-1].progress.Sampled {
		return false
	}
	x := &r.samples[k]
	input := x.progress.Sampled - 1
	up := log.Flow(0, link.Up)
	sent, arrived := r.carriers(up, link.Up, x.at, func(p *packetInfo) bool { return p.has(input) })
	if sent == nil {
		return false
	}
	s.highlight(link.Up, sent)
	lines := []string{sent.text}
	if acts, ok := r.firstAt(k, func(x *sample) bool { return x.progress.Predicts && x.progress.Predicted > input }); ok {
		if acts == k {
			lines = append(lines, "(acts on it at once)")
		} else {
			s.add(client, r.samples[acts].at, "strong", fmt.Sprintf("steps with input %d", input))
			r.addInputsOfOthers(s, log, input)
		}
	}
	s.add(client, sent.sentAt, "strong", lines...)
	if arrived != nil && arrived != sent {
		s.highlight(link.Up, arrived)
		s.add(client, arrived.sentAt, "strong", arrived.text)
	}
	used, ok := r.firstAt(k, func(x *sample) bool { return x.progress.Consumed > input })
	if !ok {
		return true
	}
	y := &r.samples[used]
	text := fmt.Sprintf("steps with input %d", input)
	if arrived != nil {
		if at, _ := arrival(up, arrived); at > y.at {
			arrived = nil
		}
	}
	if arrived == nil {
		text = fmt.Sprintf("steps without input %d", input)
	}
	if y.progress.StateSent == 0 {
		s.add(server, y.at, "strong", text)
		return true
	}
	next := fmt.Sprintf("(to tick %d)", y.server)
	if reply, _ := r.carriers(log.Flow(0, link.Down), link.Down, y.at, func(p *packetInfo) bool { return p.state >= y.server }); reply != nil &&
		reply.sentAt == y.at {
		next = "(" + reply.text + ")"
	}
	s.add(server, y.at, "strong", text, next)
	r.addStateFrom(s, log, used, y.server)
	return true
}

// addInputsOfOthers tells which packet brought the other player's input of a tick, for which the client waited.
func (r *Recorder) addInputsOfOthers(s *story, log *trace.Log, input sim.Tick) {
	if _, arrived := r.carriers(log.Flow(0, link.Down), link.Down, 0, func(p *packetInfo) bool { return p.has(input) }); arrived != nil {
		s.highlight(link.Down, arrived)
		if arrived.sentAt >= r.from {
			s.add(server, arrived.sentAt, "strong", arrived.text)
		}
	}
}

// addStateWay tells how the first state of the shown time goes to the client.
func (r *Recorder) addStateWay(s *story, log *trace.Log) {
	if k, ok := r.firstAt(1, func(x *sample) bool { return x.at >= r.from }); ok {
		r.addStateFrom(s, log, k, r.samples[k].server)
	}
}

// addStateFrom tells how the server's state of a tick, or the first one sent after it, goes to the client. k is the
// sample at which the server has reached the tick.
func (r *Recorder) addStateFrom(s *story, log *trace.Log, k int, tick sim.Tick) {
	down := log.Flow(0, link.Down)
	carries := func(p *packetInfo) bool { return p.state >= tick && p.state > 0 || p.inputCount > 0 && p.has(tick-1) }
	sent, arrived := r.carriers(down, link.Down, r.samples[k].at, carries)
	if sent == nil {
		return
	}
	s.highlight(link.Down, sent)
	if said := len(s.labels) - 1; said < 0 || s.labels[said].at != sent.sentAt || s.labels[said].side != server {
		s.add(server, sent.sentAt, "strong", sent.text)
	}
	if arrived == nil {
		return
	}
	if arrived != sent {
		s.highlight(link.Down, arrived)
		s.add(server, arrived.sentAt, "strong", arrived.text)
	}
	predicts := r.samples[k].progress.Predicts
	if arrived.state > 0 {
		tick = arrived.state
	}
	at, _ := arrival(down, arrived)
	if predicts {
		if i, ok := r.firstAt(k, func(x *sample) bool { return x.at >= at && x.progress.StateReceived >= tick }); ok && !r.corrects(tick) {
			s.add(client, r.samples[i].at, "strong", fmt.Sprintf("state %d: as predicted", tick))
		}
		return
	}
	if i, ok := r.firstAt(k, func(x *sample) bool { return x.at >= at && x.drawn >= tick }); ok {
		s.add(client, r.samples[i].at, "strong", fmt.Sprintf("draws tick %d", tick))
	}
}

// corrects reports whether the first client made a correction by the state of a tick.
func (r *Recorder) corrects(tick sim.Tick) bool {
	c := &r.lab.Panes[r.pane].Corrections
	for i := c.FirstIndex(); i < c.Total(); i++ {
		if x := c.At(i); x.Client == 0 && x.Tick == tick {
			return true
		}
	}
	return false
}
