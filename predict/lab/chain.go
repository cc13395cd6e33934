package lab

import (
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Stage is a part of the way from the player's hand to the player's eyes, as the
// account of Space Engineers divides it.
type Stage int

// The stages, in their order.
const (
	OSInputStage      Stage = iota // the operating system notices the key
	ClientTickStage                // it waits for the client's tick that takes it, and that for sending
	UplinkStage                    // it travels; lost ones wait for the next packet
	ServerBufferStage              // it waits at the server for the tick that uses it
	ServerSendStage                // that tick waits for the packet that tells of it
	DownlinkStage                  // it travels; lost ones wait for the next packet
	ClientBufferStage              // it waits at the client to be drawn
	RenderStage                    // the picture is drawn and handed over
	DisplayStage                   // it is shown
	StageCount                     // how many there are
)

// StageNames are what the stages are called.
var StageNames = [StageCount]string{
	"OS input", "client tick", "way up", "at server", "sending", "way down", "at client", "picture", "display",
}

// Measured reports whether a stage happens inside the lab, so that it can be measured.
// What is before the client's tick and what is after its picture has no place there.
func (s Stage) Measured() bool { return s >= ClientTickStage && s <= ClientBufferStage }

// LatencyStages is how long each stage takes.
type LatencyStages struct {
	Stages [StageCount]time.Duration
	Inputs int // how many it is the mean of; with 0 nothing is known
}

// Sum returns how long all stages take.
func (b *LatencyStages) Sum() (sum time.Duration) {
	for _, d := range b.Stages {
		sum += d
	}
	return sum
}

// Article is the latency of Space Engineers as its account lists it, at 60 Hz and a
// round trip of ping. It says 231 ms at 50 ms where its terms come to 214.8.
func Article(ping time.Duration) LatencyStages {
	const ms = time.Millisecond
	frame := 16600 * time.Microsecond
	return LatencyStages{Inputs: 1, Stages: [StageCount]time.Duration{
		2 * ms, frame, ping / 2, 4 * frame, frame, ping / 2, frame, frame, 30 * ms,
	}}
}

// Latency is how long what the first player does takes until it is seen. It is
// measured on every input: one for each tick of the session, which is followed from
// there to the first picture that shows anything of it, or of a later one if its own
// is lost.
type Latency struct {
	Own       LatencyStages // until the own cube answers
	Predicted bool          // it does so without the server's word: what is between client and server takes no part
	Confirmed LatencyStages // until the server's word of it is here, where the own cube answers sooner; else empty
}

// Latency returns the mean of the inputs that were seen in the last second.
func (p *Pane) Latency() Latency { return p.chain.latency(p.chain.predicts, (*tally).recent) }

// LatencyAll returns the mean of all inputs that were seen since the pane's strategy
// began.
func (p *Pane) LatencyAll() Latency { return p.chain.latency(p.chain.predicts, (*tally).whole) }

func (c *chain) latency(predicts bool, mean func(*tally, int) LatencyStages) Latency {
	if predicts {
		return Latency{Own: mean(&c.mine, c.rate), Predicted: true, Confirmed: mean(&c.word, c.rate)}
	}
	return Latency{Own: mean(&c.word, c.rate)}
}

// followed is how many inputs are followed at once; older ones are given up.
const followed = 512

// chain follows inputs of a pane's first player. Every input has a place by the
// session's tick in which it was pressed. All pass a stage in their order, so for
// each stage there is the first that has not.
type chain struct {
	list [followed]probe
	rate int

	began bool
	next  sim.Tick // the first that has not been made
	came  sim.Tick // the first that has not come to the server,
	used  sim.Tick // been used,
	told  sim.Tick // been told of,
	heard sim.Tick // been heard of,
	shown sim.Tick // been shown,
	own   sim.Tick // and been shown without the server

	is, past predict.InputProgress // what a half says now, and the most that both have said
	predicts bool
	left     time.Duration // when the client last sent a datagram
	groups   [8]group      // what came to the client in this tick
	grouped  int

	word, mine tally
}

// probe is an input on its way.
type probe struct {
	frame sim.Tick // its number at the client
	state sim.Tick // the first of the server's states that it is in

	left time.Duration // when its packet was sent

	// The session's times.
	made, sent, came, used, told, heard time.Duration
}

// group is the datagrams that were sent together.
type group struct{ sent, last time.Duration }

// eavesdropper is a wire on which the chain listens.
type eavesdropper struct {
	link.Wire
	sent func(now time.Duration)
	came func(d link.Datagram)
}

func (e *eavesdropper) Send(now time.Duration, b []byte) error {
	if e.sent != nil {
		e.sent(now)
	}
	return e.Wire.Send(now, b)
}

func (e *eavesdropper) Receive(now time.Duration) (link.Datagram, bool) {
	d, ok := e.Wire.Receive(now)
	if ok {
		e.came(d)
	}
	return d, ok
}

// atClient returns the client's end of the link, overheard.
func (c *chain) atClient(w link.Wire) link.Wire {
	return &eavesdropper{w, func(now time.Duration) { c.left = now }, c.arrived}
}

// atServer returns the server's end of the link, overheard.
func (c *chain) atServer(w link.Wire) link.Wire { return &eavesdropper{w, nil, c.reached} }

// arrived notes a datagram that has come to the client.
func (c *chain) arrived(d link.Datagram) {
	for i := range c.groups[:c.grouped] {
		if g := &c.groups[i]; g.sent == d.Sent {
			g.last = max(g.last, d.At)
			return
		}
	}
	if c.grouped == len(c.groups) { // a heap after a silence: the newest tell most
		c.grouped = copy(c.groups[:], c.groups[1:])
	}
	c.groups[c.grouped] = group{d.Sent, d.At}
	c.grouped++
}

// reached notes a datagram that has come to the server: every input made before it
// was sent is there, or a later one.
func (c *chain) reached(d link.Datagram) {
	for ; c.came < c.next; c.came++ {
		p := c.at(c.came)
		if p.left > d.Sent {
			return
		}
		p.came = max(d.At, p.sent)
	}
}

// asked is what a half may write into.
func (c *chain) asked() *predict.InputProgress {
	c.is = predict.InputProgress{}
	return &c.is
}

func (c *chain) at(t sim.Tick) *probe { return &c.list[t%followed] }

// tick is the session's time of one of its ticks.
func (c *chain) tick(t sim.Tick) time.Duration {
	return time.Duration(t) * time.Second / time.Duration(c.rate)
}

// pressed takes in the client's ticks of the session's tick t, which begins now.
func (c *chain) pressed(client predict.Client, t sim.Tick, now time.Duration) {
	asks, ok := client.(predict.ClientProgress)
	if !ok {
		return
	}
	is := c.asked()
	asks.Progress(is)
	if is.Sampled <= c.past.Sampled {
		return
	}
	frame := c.past.Sampled
	if c.past.Sampled = is.Sampled; !c.began {
		c.begin(t)
		frame = is.Sampled - 1
	}
	sent := now
	if c.left > c.tick(t)-time.Second/time.Duration(c.rate) {
		sent = c.left
	}
	c.make(t, probe{frame: frame, left: sent, made: now, sent: max(sent, now)})
}

// begin begins to follow, with the input of tick t.
func (c *chain) begin(t sim.Tick) {
	c.began, c.next, c.came, c.used, c.told, c.heard, c.shown, c.own = true, t, t, t, t, t, t, t
}

// make lets the inputs from the last that was made to that of tick t be as p.
func (c *chain) make(t sim.Tick, p probe) {
	for ; c.next <= t; c.next++ {
		*c.at(c.next) = p
	}
	if c.next < followed {
		return
	}
	for _, first := range []*sim.Tick{&c.came, &c.used, &c.told, &c.heard, &c.shown, &c.own} {
		*first = max(*first, c.next-followed)
	}
}

// atHost takes in that the input of the session's tick t is in the server's world.
func (c *chain) atHost(t sim.Tick, now time.Duration, state sim.Tick) {
	if !c.began {
		c.begin(t)
	}
	c.make(t, probe{state: state, made: now, sent: now, came: now, used: now})
	c.came, c.used = c.next, c.next
}

// simulated takes in the server's tick.
func (c *chain) simulated(server predict.Server, now time.Duration, state sim.Tick) {
	asks, ok := server.(predict.ServerProgress)
	if !ok {
		return
	}
	is := c.asked()
	asks.Progress(is, 0)
	c.past.Consumed, c.past.StateSent = max(c.past.Consumed, is.Consumed), max(c.past.StateSent, is.StateSent)
	for ; c.used < c.next && c.past.Consumed > c.at(c.used).frame; c.used++ {
		p := c.at(c.used)
		if c.came <= c.used {
			p.came, c.came = now, c.used+1
		}
		p.used, p.state = now, state
	}
	for ; c.told < c.used && c.past.StateSent >= c.at(c.told).state; c.told++ {
		c.at(c.told).told = now
	}
}

// drawn takes in the client's picture.
func (c *chain) drawn(client predict.Client, now time.Duration) {
	asks, ok := client.(predict.ClientProgress)
	if !ok {
		return
	}
	is := c.asked()
	asks.Progress(is)
	c.past.StateReceived, c.past.Shown = max(c.past.StateReceived, is.StateReceived), max(c.past.Shown, is.Shown)
	c.past.Predicted, c.predicts = max(c.past.Predicted, is.Predicted), is.Predicts
	for ; c.heard < c.told && c.past.StateReceived >= c.at(c.heard).state; c.heard++ {
		p := c.at(c.heard)
		p.heard = max(c.whole(p.told, now), p.told)
	}
	c.grouped = 0
	for ; c.shown < c.heard && c.past.Shown >= c.at(c.shown).state; c.shown++ {
		stages := c.stages(c.shown, now)
		c.word.add(&stages, c.rate)
	}
	for ; c.own < c.next && c.past.Predicted > c.at(c.own).frame; c.own++ {
		stages := c.alone(c.own, now)
		c.mine.add(&stages, c.rate)
	}
}

// whole is when the first packet that was sent at told or later had come whole, of
// those that came in this tick.
func (c *chain) whole(told, now time.Duration) time.Duration {
	at := now
	for _, g := range c.groups[:c.grouped] {
		if g.sent >= told {
			at = min(at, g.last)
		}
	}
	return at
}

// stages divides the way of the input of tick t, which has been shown now.
func (c *chain) stages(t sim.Tick, now time.Duration) (s [StageCount]time.Duration) {
	p := c.at(t)
	s[ClientTickStage] = p.sent - c.tick(t)
	s[UplinkStage] = p.came - p.sent
	s[ServerBufferStage] = p.used - p.came
	s[ServerSendStage] = p.told - p.used
	s[DownlinkStage] = p.heard - p.told
	s[ClientBufferStage] = now - p.heard
	return s
}

// alone divides the way of an input that has been shown without the server.
func (c *chain) alone(t sim.Tick, now time.Duration) (s [StageCount]time.Duration) {
	p := c.at(t)
	s[ClientTickStage] = p.made - c.tick(t)
	s[ClientBufferStage] = now - p.made
	return s
}

// tally adds up the stages of inputs that have been shown.
type tally struct {
	list [MaxRate][StageCount]time.Duration // the newest
	last [StageCount]time.Duration          // sum of those of the last second
	all  [StageCount]time.Duration          // sum of all
	n    int
}

func (t *tally) add(s *[StageCount]time.Duration, rate int) {
	at := &t.list[t.n%rate]
	for i, d := range s {
		t.last[i] += d - at[i]
		t.all[i] += d
	}
	*at = *s
	t.n++
}

// recent is the mean of the last second.
func (t *tally) recent(rate int) LatencyStages { return mean(&t.last, min(t.n, rate)) }

// whole is the mean of all.
func (t *tally) whole(int) LatencyStages { return mean(&t.all, t.n) }

func mean(sum *[StageCount]time.Duration, n int) (b LatencyStages) {
	for i, d := range sum {
		b.Stages[i] = d / time.Duration(max(n, 1))
	}
	b.Inputs = n
	return b
}
