package probe

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

// SpaceEngineersLatency is the latency of Space Engineers as its account lists it, at 60 Hz and a
// round trip of ping. It says 231 ms at 50 ms where its terms come to 214.8.
func SpaceEngineersLatency(ping time.Duration) LatencyStages {
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
	Response  LatencyStages // until the own cube answers
	Predicted bool          // it does so without the server's word: what is between client and server takes no part
	Confirmed LatencyStages // until the server's word of it is here, where the own cube answers sooner; else empty
}

// Recent returns the mean of the inputs that were seen in the last second.
func (c *LatencyTracer) Recent() Latency { return c.latency((*stageSums).recentMean) }

// SinceStart returns the mean of all inputs that were seen since the pane's strategy
// began.
func (c *LatencyTracer) SinceStart() Latency { return c.latency((*stageSums).totalMean) }

func (c *LatencyTracer) latency(mean func(*stageSums, int) LatencyStages) Latency {
	if c.predicts {
		return Latency{Response: mean(&c.predicted, c.rate), Predicted: true, Confirmed: mean(&c.confirmed, c.rate)}
	}
	return Latency{Response: mean(&c.confirmed, c.rate)}
}

// maxTracedInputs is how many inputs are followed at once; older ones are given up.
const maxTracedInputs = 512

// MaxRate is how many ticks a second a session may have that a LatencyTracer follows.
const MaxRate = 240

// NewLatencyTracer returns a tracer of a session at so many ticks a second.
func NewLatencyTracer(rate int) LatencyTracer { return LatencyTracer{rate: rate} }

// LatencyTracer follows inputs of a pane's first player. Every input has a place by the
// session's tick in which it was pressed. All pass a stage in their order, so for
// each stage there is the first that has not.
type LatencyTracer struct {
	traces [maxTracedInputs]inputTrace
	rate   int

	started           bool
	nextSampled       sim.Tick // the first that has not been made
	nextReceived      sim.Tick // the first that has not come to the server,
	nextConsumed      sim.Tick // been used,
	nextStateSent     sim.Tick // been told of,
	nextStateReceived sim.Tick // been heard of,
	nextShown         sim.Tick // been shown,
	nextPredicted     sim.Tick // and been shown without the server

	progress, maxProgress predict.InputProgress // what a half says now, and the most that both have said
	predicts              bool
	lastSendTime          time.Duration    // when the client last sent a datagram
	arrivals              [8]packetArrival // what came to the client in this tick
	arrivalCount          int

	confirmed, predicted stageSums
}

// inputTrace is an input on its way.
type inputTrace struct {
	clientTick sim.Tick // its number at the client
	serverTick sim.Tick // the first of the server's states that it is in

	datagramSentAt time.Duration // when its packet was sent

	// The session's times.
	sampledAt, sentAt, receivedAt, consumedAt, stateSentAt, stateReceivedAt time.Duration
}

// packetArrival is the datagrams that were sent together.
type packetArrival struct{ sentAt, lastReceivedAt time.Duration }

// observedWire is a wire on which the chain listens.
type observedWire struct {
	link.Wire
	onSend    func(now time.Duration)
	onReceive func(d link.Datagram)
}

func (e *observedWire) Send(now time.Duration, b []byte) error {
	if e.onSend != nil {
		e.onSend(now)
	}
	return e.Wire.Send(now, b)
}

func (e *observedWire) Receive(now time.Duration) (link.Datagram, bool) {
	d, ok := e.Wire.Receive(now)
	if ok {
		e.onReceive(d)
	}
	return d, ok
}

// WrapClientEnd returns the client's end of the link, overheard.
func (c *LatencyTracer) WrapClientEnd(w link.Wire) link.Wire {
	return &observedWire{w, func(now time.Duration) { c.lastSendTime = now }, c.onClientReceive}
}

// WrapServerEnd returns the server's end of the link, overheard.
func (c *LatencyTracer) WrapServerEnd(w link.Wire) link.Wire {
	return &observedWire{w, nil, c.onServerReceive}
}

// onClientReceive notes a datagram that has come to the client.
func (c *LatencyTracer) onClientReceive(d link.Datagram) {
	for i := range c.arrivals[:c.arrivalCount] {
		if g := &c.arrivals[i]; g.sentAt == d.SentAt {
			g.lastReceivedAt = max(g.lastReceivedAt, d.ReceivedAt)
			return
		}
	}
	if c.arrivalCount == len(c.arrivals) { // a heap after a silence: the newest tell most
		c.arrivalCount = copy(c.arrivals[:], c.arrivals[1:])
	}
	c.arrivals[c.arrivalCount] = packetArrival{d.SentAt, d.ReceivedAt}
	c.arrivalCount++
}

// onServerReceive notes a datagram that has come to the server: every input made before it
// was sent is there, or a later one.
func (c *LatencyTracer) onServerReceive(d link.Datagram) {
	for ; c.nextReceived < c.nextSampled; c.nextReceived++ {
		p := c.trace(c.nextReceived)
		if p.datagramSentAt > d.SentAt {
			return
		}
		p.receivedAt = max(d.ReceivedAt, p.sentAt)
	}
}

// resetProgress is what a half may write into.
func (c *LatencyTracer) resetProgress() *predict.InputProgress {
	c.progress = predict.InputProgress{}
	return &c.progress
}

func (c *LatencyTracer) trace(t sim.Tick) *inputTrace { return &c.traces[t%maxTracedInputs] }

// tickTime is the session's time of one of its ticks.
func (c *LatencyTracer) tickTime(t sim.Tick) time.Duration {
	return time.Duration(t) * time.Second / time.Duration(c.rate)
}

// AfterClientTick takes in the client's ticks of the session's tick t, which begins now.
func (c *LatencyTracer) AfterClientTick(client predict.Client, t sim.Tick, now time.Duration) {
	asks, ok := client.(predict.ClientProgress)
	if !ok {
		return
	}
	is := c.resetProgress()
	asks.Progress(is)
	if is.Sampled <= c.maxProgress.Sampled {
		return
	}
	frame := c.maxProgress.Sampled
	if c.maxProgress.Sampled = is.Sampled; !c.started {
		c.start(t)
		frame = is.Sampled - 1
	}
	sent := now
	if c.lastSendTime > c.tickTime(t)-time.Second/time.Duration(c.rate) {
		sent = c.lastSendTime
	}
	c.addTraces(t, inputTrace{clientTick: frame, datagramSentAt: sent, sampledAt: now, sentAt: max(sent, now)})
}

// start begins to follow, with the input of tick t.
func (c *LatencyTracer) start(t sim.Tick) {
	c.started, c.nextSampled, c.nextReceived, c.nextConsumed, c.nextStateSent, c.nextStateReceived, c.nextShown, c.nextPredicted = true, t, t, t, t, t, t, t
}

// addTraces lets the inputs from the last that was made to that of tick t be as p.
func (c *LatencyTracer) addTraces(t sim.Tick, p inputTrace) {
	for ; c.nextSampled <= t; c.nextSampled++ {
		*c.trace(c.nextSampled) = p
	}
	if c.nextSampled < maxTracedInputs {
		return
	}
	for _, first := range []*sim.Tick{&c.nextReceived, &c.nextConsumed, &c.nextStateSent, &c.nextStateReceived, &c.nextShown, &c.nextPredicted} {
		*first = max(*first, c.nextSampled-maxTracedInputs)
	}
}

// AddHostInput takes in that the input of the session's tick t is in the server's world.
func (c *LatencyTracer) AddHostInput(t sim.Tick, now time.Duration, state sim.Tick) {
	if !c.started {
		c.start(t)
	}
	c.addTraces(t, inputTrace{serverTick: state, sampledAt: now, sentAt: now, receivedAt: now, consumedAt: now})
	c.nextReceived, c.nextConsumed = c.nextSampled, c.nextSampled
}

// AfterServerTick takes in the server's tick.
func (c *LatencyTracer) AfterServerTick(server predict.Server, now time.Duration, state sim.Tick) {
	asks, ok := server.(predict.ServerProgress)
	if !ok {
		return
	}
	is := c.resetProgress()
	asks.Progress(is, 0)
	c.maxProgress.Consumed, c.maxProgress.StateSent = max(c.maxProgress.Consumed, is.Consumed), max(c.maxProgress.StateSent, is.StateSent)
	for ; c.nextConsumed < c.nextSampled && c.maxProgress.Consumed > c.trace(c.nextConsumed).clientTick; c.nextConsumed++ {
		p := c.trace(c.nextConsumed)
		if c.nextReceived <= c.nextConsumed {
			p.receivedAt, c.nextReceived = now, c.nextConsumed+1
		}
		p.consumedAt, p.serverTick = now, state
	}
	for ; c.nextStateSent < c.nextConsumed && c.maxProgress.StateSent >= c.trace(c.nextStateSent).serverTick; c.nextStateSent++ {
		c.trace(c.nextStateSent).stateSentAt = now
	}
}

// AfterView takes in the client's picture.
func (c *LatencyTracer) AfterView(client predict.Client, now time.Duration) {
	asks, ok := client.(predict.ClientProgress)
	if !ok {
		return
	}
	is := c.resetProgress()
	asks.Progress(is)
	c.maxProgress.StateReceived, c.maxProgress.Shown = max(c.maxProgress.StateReceived, is.StateReceived), max(c.maxProgress.Shown, is.Shown)
	c.maxProgress.Predicted, c.predicts = max(c.maxProgress.Predicted, is.Predicted), is.Predicts
	for ; c.nextStateReceived < c.nextStateSent && c.maxProgress.StateReceived >= c.trace(c.nextStateReceived).serverTick; c.nextStateReceived++ {
		p := c.trace(c.nextStateReceived)
		p.stateReceivedAt = max(c.packetReceivedAt(p.stateSentAt, now), p.stateSentAt)
	}
	c.arrivalCount = 0
	for ; c.nextShown < c.nextStateReceived && c.maxProgress.Shown >= c.trace(c.nextShown).serverTick; c.nextShown++ {
		stages := c.confirmedStages(c.nextShown, now)
		c.confirmed.add(&stages, c.rate)
	}
	for ; c.nextPredicted < c.nextSampled && c.maxProgress.Predicted > c.trace(c.nextPredicted).clientTick; c.nextPredicted++ {
		stages := c.predictedStages(c.nextPredicted, now)
		c.predicted.add(&stages, c.rate)
	}
}

// packetReceivedAt is when the first packet that was sent at told or later had come whole, of
// those that came in this tick.
func (c *LatencyTracer) packetReceivedAt(told, now time.Duration) time.Duration {
	at := now
	for _, g := range c.arrivals[:c.arrivalCount] {
		if g.sentAt >= told {
			at = min(at, g.lastReceivedAt)
		}
	}
	return at
}

// confirmedStages divides the way of the input of tick t, which has been shown now.
func (c *LatencyTracer) confirmedStages(t sim.Tick, now time.Duration) (s [StageCount]time.Duration) {
	p := c.trace(t)
	s[ClientTickStage] = p.sentAt - c.tickTime(t)
	s[UplinkStage] = p.receivedAt - p.sentAt
	s[ServerBufferStage] = p.consumedAt - p.receivedAt
	s[ServerSendStage] = p.stateSentAt - p.consumedAt
	s[DownlinkStage] = p.stateReceivedAt - p.stateSentAt
	s[ClientBufferStage] = now - p.stateReceivedAt
	return s
}

// predictedStages divides the way of an input that has been shown without the server.
func (c *LatencyTracer) predictedStages(t sim.Tick, now time.Duration) (s [StageCount]time.Duration) {
	p := c.trace(t)
	s[ClientTickStage] = p.sampledAt - c.tickTime(t)
	s[ClientBufferStage] = now - p.sampledAt
	return s
}

// stageSums adds up the stages of inputs that have been shown.
type stageSums struct {
	window    [MaxRate][StageCount]time.Duration // the newest
	windowSum [StageCount]time.Duration          // sum of those of the last second
	totalSum  [StageCount]time.Duration          // sum of all
	count     int
}

func (t *stageSums) add(s *[StageCount]time.Duration, rate int) {
	at := &t.window[t.count%rate]
	for i, d := range s {
		t.windowSum[i] += d - at[i]
		t.totalSum[i] += d
	}
	*at = *s
	t.count++
}

// recentMean is the mean of the last second.
func (t *stageSums) recentMean(rate int) LatencyStages {
	return meanStages(&t.windowSum, min(t.count, rate))
}

// totalMean is the mean of all.
func (t *stageSums) totalMean(int) LatencyStages { return meanStages(&t.totalSum, t.count) }

func meanStages(sum *[StageCount]time.Duration, n int) (b LatencyStages) {
	for i, d := range sum {
		b.Stages[i] = d / time.Duration(max(n, 1))
	}
	b.Inputs = n
	return b
}
