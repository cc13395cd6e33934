package probe

import (
	"time"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/sim"
)

// Stage is a part of the path of an input from the key to the screen. The division is that
// of the Space Engineers article.
type Stage int

// The stages, in their order.
const (
	OSInputStage      Stage = iota // the operating system reports the key
	ClientTickStage                // until the client samples the input and sends its packet
	UplinkStage                    // until the server receives the packet, or the next one if it is lost
	ServerBufferStage              // until a server tick consumes the input
	ServerSendStage                // until the server sends the state of that tick
	DownlinkStage                  // until the client receives the state, or the next one if it is lost
	ClientBufferStage              // until a view shows it
	RenderStage                    // until the frame is handed to the display
	DisplayStage                   // until the display shows it
	StageCount                     // number of stages
)

// StageNames are the names of the stages.
var StageNames = [StageCount]string{
	"OS input", "client tick", "uplink", "server buffer", "server send", "downlink", "client buffer", "render", "display",
}

// Measured reports whether a stage happens inside the lab, where it can be measured.
func (s Stage) Measured() bool { return s >= ClientTickStage && s <= ClientBufferStage }

// LatencyStages is the mean duration of each stage.
type LatencyStages struct {
	Stages [StageCount]time.Duration
	Inputs int // number of inputs in the mean; 0: nothing is known
}

// Sum returns the duration of all stages together.
func (b *LatencyStages) Sum() (sum time.Duration) {
	for _, d := range b.Stages {
		sum += d
	}
	return sum
}

// SpaceEngineersLatency returns the latency stages that the Space Engineers article lists
// for 60 Hz and a round trip of rtt. At 50 ms they sum to 214.8 ms, where the article says
// 231.
func SpaceEngineersLatency(rtt time.Duration) LatencyStages {
	const ms = time.Millisecond
	frame := 16600 * time.Microsecond
	return LatencyStages{Inputs: 1, Stages: [StageCount]time.Duration{
		2 * ms, frame, rtt / 2, 4 * frame, frame, rtt / 2, frame, frame, 30 * ms,
	}}
}

// Latency is the mean input latency of the first player, by stages. Every session tick
// samples one input, which is traced to the first view that shows its effect, or the effect
// of a later input if it is lost.
type Latency struct {
	Response  LatencyStages // until the local player's cube responds
	Predicted bool          // it responds by prediction, without the stages between client and server
	Confirmed LatencyStages // until the server's state with the input arrives, if Predicted; else empty
}

// Recent returns the mean of the inputs that were shown in the last second.
func (c *LatencyTracer) Recent() Latency { return c.latency((*stageSums).recentMean) }

// SinceStart returns the mean of all inputs that were shown since the strategy started.
func (c *LatencyTracer) SinceStart() Latency { return c.latency((*stageSums).totalMean) }

func (c *LatencyTracer) latency(mean func(*stageSums, int) LatencyStages) Latency {
	if c.predicts {
		return Latency{Response: mean(&c.predicted, c.rate), Predicted: true, Confirmed: mean(&c.confirmed, c.rate)}
	}
	return Latency{Response: mean(&c.confirmed, c.rate)}
}

// maxTracedInputs is the number of inputs that are traced at once; older ones are given up.
const maxTracedInputs = 512

// MaxRate is the highest tick rate that a LatencyTracer takes, in ticks per second.
const MaxRate = 240

// NewLatencyTracer returns a tracer for a strategy's session at a tick rate.
func NewLatencyTracer(s *predict.Strategy, rate int) LatencyTracer {
	return LatencyTracer{hook: s.Latency, rate: rate}
}

// LatencyTracer traces the inputs of a pane's first player. An input is identified by the
// session tick that samples it. Inputs pass every stage in order, so each stage is described
// by the first input that has not passed it.
type LatencyTracer struct {
	traces [maxTracedInputs]inputTrace
	hook   func(p *predict.InputProgress, server predict.Server, client predict.Client) // Strategy.Latency
	rate   int

	started           bool
	nextSampled       sim.Tick // first input that the client has not sampled
	nextReceived      sim.Tick // first input that the server has not received
	nextConsumed      sim.Tick // first input that no server tick has consumed
	nextStateSent     sim.Tick // first input whose state the server has not sent
	nextStateReceived sim.Tick // first input whose state the client has not received
	nextShown         sim.Tick // first input whose state no view has shown
	nextPredicted     sim.Tick // first input that no view has shown by prediction

	progress, maxProgress predict.InputProgress // latest report, and the maxima of all reports
	predicts              bool
	lastSendTime          time.Duration    // when the client last sent a datagram
	arrivals              [8]packetArrival // packets that the client received in this tick
	arrivalCount          int

	confirmed, predicted stageSums
}

// inputTrace is the progress of an input.
type inputTrace struct {
	clientTick sim.Tick // client tick that sampled it
	serverTick sim.Tick // first server state that contains it

	datagramSentAt time.Duration // by the client's frame, which may precede the session tick

	// Session times.
	sampledAt, sentAt, receivedAt, consumedAt, stateSentAt, stateReceivedAt time.Duration
}

// packetArrival is the arrival of the datagrams that were sent at one moment.
type packetArrival struct{ sentAt, lastReceivedAt time.Duration }

// observedWire is a wire that reports its traffic to a tracer.
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

// WrapClientEnd returns the client's end of the link, observed by the tracer.
func (c *LatencyTracer) WrapClientEnd(w link.Wire) link.Wire {
	return &observedWire{w, func(now time.Duration) { c.lastSendTime = now }, c.onClientReceive}
}

// WrapServerEnd returns the server's end of the link, observed by the tracer.
func (c *LatencyTracer) WrapServerEnd(w link.Wire) link.Wire {
	return &observedWire{w, nil, c.onServerReceive}
}

// onClientReceive records a datagram that the client receives.
func (c *LatencyTracer) onClientReceive(d link.Datagram) {
	for i := range c.arrivals[:c.arrivalCount] {
		if g := &c.arrivals[i]; g.sentAt == d.SentAt {
			g.lastReceivedAt = max(g.lastReceivedAt, d.ReceivedAt)
			return
		}
	}
	if c.arrivalCount == len(c.arrivals) { // a burst after an outage: the newest matter most
		c.arrivalCount = copy(c.arrivals[:], c.arrivals[1:])
	}
	c.arrivals[c.arrivalCount] = packetArrival{d.SentAt, d.ReceivedAt}
	c.arrivalCount++
}

// onServerReceive records a datagram that the server receives. With it every input has
// arrived that was sampled before it was sent, or a later one that replaces it.
func (c *LatencyTracer) onServerReceive(d link.Datagram) {
	for ; c.nextReceived < c.nextSampled; c.nextReceived++ {
		p := c.trace(c.nextReceived)
		if p.datagramSentAt > d.SentAt {
			return
		}
		p.receivedAt = max(d.ReceivedAt, p.sentAt)
	}
}

// ask asks both sides for their progress. ok is false if the strategy does not know it.
func (c *LatencyTracer) ask(server predict.Server, client predict.Client) (report *predict.InputProgress, ok bool) {
	if c.hook == nil {
		return nil, false
	}
	c.progress = predict.InputProgress{}
	c.hook(&c.progress, server, client)
	return &c.progress, true
}

func (c *LatencyTracer) trace(t sim.Tick) *inputTrace { return &c.traces[t%maxTracedInputs] }

// tickTime returns the session time at which a tick begins.
func (c *LatencyTracer) tickTime(t sim.Tick) time.Duration {
	return time.Duration(t) * time.Second / time.Duration(c.rate)
}

// StateInputSentAt returns when the datagram was sent that carried the newest input in a server's state.
// ok is false if the input is not traced any more.
func (c *LatencyTracer) StateInputSentAt(state sim.Tick) (at time.Duration, ok bool) {
	return c.find(c.nextConsumed, func(p *inputTrace) bool { return p.serverTick <= state })
}

// InputSentAt returns when the datagram was sent that carried the input of a client's tick first. ok is
// false if the input is not traced any more.
func (c *LatencyTracer) InputSentAt(clientTick sim.Tick) (at time.Duration, ok bool) {
	return c.find(c.nextSampled, func(p *inputTrace) bool { return p.clientTick <= clientTick })
}

// find returns when the newest input before end that a function accepts was sent.
func (c *LatencyTracer) find(end sim.Tick, accept func(p *inputTrace) bool) (at time.Duration, ok bool) {
	for t, n := end, 0; t > 0 && n < maxTracedInputs && t+maxTracedInputs > c.nextSampled; n++ {
		if t--; c.started && accept(c.trace(t)) {
			return c.trace(t).datagramSentAt, true
		}
	}
	return 0, false
}

// AfterClientTick follows the client's ticks in session tick t, which begins now.
func (c *LatencyTracer) AfterClientTick(server predict.Server, client predict.Client, t sim.Tick, now time.Duration) {
	report, ok := c.ask(server, client)
	if !ok {
		return
	}
	if report.Sampled <= c.maxProgress.Sampled {
		return
	}
	clientTick := c.maxProgress.Sampled
	if c.maxProgress.Sampled = report.Sampled; !c.started {
		c.start(t)
		clientTick = report.Sampled - 1
	}
	sent := now
	if c.lastSendTime > c.tickTime(t)-time.Second/time.Duration(c.rate) {
		sent = c.lastSendTime
	}
	c.addTraces(t, inputTrace{clientTick: clientTick, datagramSentAt: sent, sampledAt: now, sentAt: max(sent, now)})
}

// start starts tracing with the input of tick t.
func (c *LatencyTracer) start(t sim.Tick) {
	c.started, c.nextSampled, c.nextReceived, c.nextConsumed, c.nextStateSent, c.nextStateReceived, c.nextShown, c.nextPredicted = true, t, t, t, t, t, t, t
}

// addTraces adds a trace for every input that was not sampled before, up to that of tick t.
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

// AddHostInput records that the input of session tick t entered the server's world directly.
func (c *LatencyTracer) AddHostInput(t sim.Tick, now time.Duration, state sim.Tick) {
	if !c.started {
		c.start(t)
	}
	c.addTraces(t, inputTrace{serverTick: state, sampledAt: now, sentAt: now, receivedAt: now, consumedAt: now})
	c.nextReceived, c.nextConsumed = c.nextSampled, c.nextSampled
}

// AfterServerTick follows the server's tick, after which its state is labelled state.
func (c *LatencyTracer) AfterServerTick(server predict.Server, client predict.Client, now time.Duration, state sim.Tick) {
	report, ok := c.ask(server, client)
	if !ok {
		return
	}
	c.maxProgress.Consumed, c.maxProgress.StateSent = max(c.maxProgress.Consumed, report.Consumed), max(c.maxProgress.StateSent, report.StateSent)
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

// AfterView follows the client's view of this tick.
func (c *LatencyTracer) AfterView(server predict.Server, client predict.Client, now time.Duration) {
	report, ok := c.ask(server, client)
	if !ok {
		return
	}
	c.maxProgress.StateReceived, c.maxProgress.Shown = max(c.maxProgress.StateReceived, report.StateReceived), max(c.maxProgress.Shown, report.Shown)
	c.maxProgress.Predicted, c.predicts = max(c.maxProgress.Predicted, report.Predicted), report.Predicts
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

// packetReceivedAt returns when the client received all datagrams of the first packet that
// was sent at a moment or later, among the packets of this tick.
func (c *LatencyTracer) packetReceivedAt(sentAt, now time.Duration) time.Duration {
	at := now
	for _, g := range c.arrivals[:c.arrivalCount] {
		if g.sentAt >= sentAt {
			at = min(at, g.lastReceivedAt)
		}
	}
	return at
}

// confirmedStages returns the stages of the input of tick t, which is shown now.
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

// predictedStages returns the stages of the input of tick t, which is shown now by
// prediction.
func (c *LatencyTracer) predictedStages(t sim.Tick, now time.Duration) (s [StageCount]time.Duration) {
	p := c.trace(t)
	s[ClientTickStage] = p.sampledAt - c.tickTime(t)
	s[ClientBufferStage] = now - p.sampledAt
	return s
}

// stageSums sums the stages of inputs that were shown.
type stageSums struct {
	window    [MaxRate][StageCount]time.Duration // ring of the newest inputs
	windowSum [StageCount]time.Duration          // over the last second
	totalSum  [StageCount]time.Duration          // over all inputs
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

// recentMean returns the mean over the last second.
func (t *stageSums) recentMean(rate int) LatencyStages {
	return meanStages(&t.windowSum, min(t.count, rate))
}

// totalMean returns the mean over all inputs.
func (t *stageSums) totalMean(int) LatencyStages { return meanStages(&t.totalSum, t.count) }

func meanStages(sum *[StageCount]time.Duration, n int) (b LatencyStages) {
	for i, d := range sum {
		b.Stages[i] = d / time.Duration(max(n, 1))
	}
	b.Inputs = n
	return b
}
