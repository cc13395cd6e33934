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
func (l *LatencyStages) Sum() (sum time.Duration) {
	for _, d := range l.Stages {
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
func (l *LatencyTracer) Recent() Latency { return l.latency((*stageSums).recentMean) }

// SinceStart returns the mean of all inputs that were shown since the strategy started.
func (l *LatencyTracer) SinceStart() Latency { return l.latency((*stageSums).totalMean) }

func (l *LatencyTracer) latency(mean func(*stageSums, int) LatencyStages) Latency {
	if l.predicts {
		return Latency{Response: mean(&l.predicted, l.rate), Predicted: true, Confirmed: mean(&l.confirmed, l.rate)}
	}
	return Latency{Response: mean(&l.confirmed, l.rate)}
}

// NewestShown returns the session tick of the newest input whose effect a view of the first client has shown. ok is false
// before there is one, and for a strategy that cannot tell.
func (l *LatencyTracer) NewestShown() (t sim.Tick, ok bool) {
	next := l.nextShown
	if l.predicts {
		next = l.nextPredicted
	}
	return next - 1, l.started && next > 0
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
	onSend    func(now time.Duration) // may be nil
	onReceive func(d link.Datagram)
}

func (o *observedWire) Send(now time.Duration, b []byte) error {
	if o.onSend != nil {
		o.onSend(now)
	}
	return o.Wire.Send(now, b)
}

func (o *observedWire) Receive(now time.Duration) (link.Datagram, bool) {
	d, ok := o.Wire.Receive(now)
	if ok {
		o.onReceive(d)
	}
	return d, ok
}

// WrapClientEnd returns the client's end of the link, observed by the tracer.
func (l *LatencyTracer) WrapClientEnd(w link.Wire) link.Wire {
	return &observedWire{w, func(now time.Duration) { l.lastSendTime = now }, l.onClientReceive}
}

// WrapServerEnd returns the server's end of the link, observed by the tracer.
func (l *LatencyTracer) WrapServerEnd(w link.Wire) link.Wire {
	return &observedWire{w, nil, l.onServerReceive}
}

// onClientReceive records a datagram that the client receives.
func (l *LatencyTracer) onClientReceive(d link.Datagram) {
	for i := range l.arrivals[:l.arrivalCount] {
		if g := &l.arrivals[i]; g.sentAt == d.SentAt {
			g.lastReceivedAt = max(g.lastReceivedAt, d.ReceivedAt)
			return
		}
	}
	if l.arrivalCount == len(l.arrivals) { // a burst after an outage: the newest matter most
		l.arrivalCount = copy(l.arrivals[:], l.arrivals[1:])
	}
	l.arrivals[l.arrivalCount] = packetArrival{d.SentAt, d.ReceivedAt}
	l.arrivalCount++
}

// onServerReceive records a datagram that the server receives. With it every input has
// arrived that was sampled before it was sent, or a later one that replaces it.
func (l *LatencyTracer) onServerReceive(d link.Datagram) {
	for ; l.nextReceived < l.nextSampled; l.nextReceived++ {
		p := l.trace(l.nextReceived)
		if p.datagramSentAt > d.SentAt {
			return
		}
		p.receivedAt = max(d.ReceivedAt, p.sentAt)
	}
}

// ask asks both sides for their progress. ok is false if the strategy does not know it.
func (l *LatencyTracer) ask(server predict.Server, client predict.Client) (report *predict.InputProgress, ok bool) {
	if l.hook == nil {
		return nil, false
	}
	l.progress = predict.InputProgress{}
	l.hook(&l.progress, server, client)
	return &l.progress, true
}

func (l *LatencyTracer) trace(t sim.Tick) *inputTrace { return &l.traces[t%maxTracedInputs] }

// tickTime returns the session time at which a tick begins.
func (l *LatencyTracer) tickTime(t sim.Tick) time.Duration {
	return time.Duration(t) * time.Second / time.Duration(l.rate)
}

// StateInputSentAt returns when the datagram was sent that carried the newest input in a server's state.
// ok is false if the input is not traced any more.
func (l *LatencyTracer) StateInputSentAt(state sim.Tick) (at time.Duration, ok bool) {
	return l.find(l.nextConsumed, func(p *inputTrace) bool { return p.serverTick <= state })
}

// InputSentAt returns when the datagram was sent that carried the input of a client's tick first. ok is
// false if the input is not traced any more.
func (l *LatencyTracer) InputSentAt(clientTick sim.Tick) (at time.Duration, ok bool) {
	return l.find(l.nextSampled, func(p *inputTrace) bool { return p.clientTick <= clientTick })
}

// find returns when the newest input before end that a function accepts was sent.
func (l *LatencyTracer) find(end sim.Tick, accept func(p *inputTrace) bool) (at time.Duration, ok bool) {
	for t, n := end, 0; t > 0 && n < maxTracedInputs && t+maxTracedInputs > l.nextSampled; n++ {
		if t--; l.started && accept(l.trace(t)) {
			return l.trace(t).datagramSentAt, true
		}
	}
	return 0, false
}

// AfterClientTick follows the client's ticks in session tick t, which begins now.
func (l *LatencyTracer) AfterClientTick(server predict.Server, client predict.Client, t sim.Tick, now time.Duration) {
	report, ok := l.ask(server, client)
	if !ok || report.Sampled <= l.maxProgress.Sampled {
		return
	}
	clientTick := l.maxProgress.Sampled
	if l.maxProgress.Sampled = report.Sampled; !l.started {
		l.start(t)
		clientTick = report.Sampled - 1
	}
	sent := now
	if l.lastSendTime > l.tickTime(t)-time.Second/time.Duration(l.rate) {
		sent = l.lastSendTime
	}
	l.addTraces(t, inputTrace{clientTick: clientTick, datagramSentAt: sent, sampledAt: now, sentAt: max(sent, now)})
}

// start starts tracing with the input of tick t.
func (l *LatencyTracer) start(t sim.Tick) {
	l.started, l.nextSampled, l.nextReceived, l.nextConsumed, l.nextStateSent, l.nextStateReceived, l.nextShown, l.nextPredicted = true, t, t, t, t, t, t, t
}

// addTraces adds a trace for every input that was not sampled before, up to that of tick t.
func (l *LatencyTracer) addTraces(t sim.Tick, p inputTrace) {
	for ; l.nextSampled <= t; l.nextSampled++ {
		*l.trace(l.nextSampled) = p
	}
	if l.nextSampled < maxTracedInputs {
		return
	}
	for _, first := range []*sim.Tick{&l.nextReceived, &l.nextConsumed, &l.nextStateSent, &l.nextStateReceived, &l.nextShown, &l.nextPredicted} {
		*first = max(*first, l.nextSampled-maxTracedInputs)
	}
}

// AddHostInput records that the input of session tick t entered the server's world directly.
func (l *LatencyTracer) AddHostInput(t sim.Tick, now time.Duration, state sim.Tick) {
	if !l.started {
		l.start(t)
	}
	l.addTraces(t, inputTrace{serverTick: state, sampledAt: now, sentAt: now, receivedAt: now, consumedAt: now})
	l.nextReceived, l.nextConsumed = l.nextSampled, l.nextSampled
}

// AfterServerTick follows the server's tick, after which its state is labelled state.
func (l *LatencyTracer) AfterServerTick(server predict.Server, client predict.Client, now time.Duration, state sim.Tick) {
	report, ok := l.ask(server, client)
	if !ok {
		return
	}
	l.maxProgress.Consumed, l.maxProgress.StateSent = max(l.maxProgress.Consumed, report.Consumed), max(l.maxProgress.StateSent, report.StateSent)
	for ; l.nextConsumed < l.nextSampled && l.maxProgress.Consumed > l.trace(l.nextConsumed).clientTick; l.nextConsumed++ {
		p := l.trace(l.nextConsumed)
		if l.nextReceived <= l.nextConsumed {
			p.receivedAt, l.nextReceived = now, l.nextConsumed+1
		}
		p.consumedAt, p.serverTick = now, state
	}
	for ; l.nextStateSent < l.nextConsumed && l.maxProgress.StateSent >= l.trace(l.nextStateSent).serverTick; l.nextStateSent++ {
		l.trace(l.nextStateSent).stateSentAt = now
	}
}

// AfterView follows the client's view of this tick.
func (l *LatencyTracer) AfterView(server predict.Server, client predict.Client, now time.Duration) {
	report, ok := l.ask(server, client)
	if !ok {
		return
	}
	l.maxProgress.StateReceived, l.maxProgress.Shown = max(l.maxProgress.StateReceived, report.StateReceived), max(l.maxProgress.Shown, report.Shown)
	l.maxProgress.Predicted, l.predicts = max(l.maxProgress.Predicted, report.Predicted), report.Predicts
	for ; l.nextStateReceived < l.nextStateSent && l.maxProgress.StateReceived >= l.trace(l.nextStateReceived).serverTick; l.nextStateReceived++ {
		p := l.trace(l.nextStateReceived)
		p.stateReceivedAt = max(l.packetReceivedAt(p.stateSentAt, now), p.stateSentAt)
	}
	l.arrivalCount = 0
	for ; l.nextShown < l.nextStateReceived && l.maxProgress.Shown >= l.trace(l.nextShown).serverTick; l.nextShown++ {
		stages := l.confirmedStages(l.nextShown, now)
		l.confirmed.add(&stages, l.rate)
	}
	for ; l.nextPredicted < l.nextSampled && l.maxProgress.Predicted > l.trace(l.nextPredicted).clientTick; l.nextPredicted++ {
		stages := l.predictedStages(l.nextPredicted, now)
		l.predicted.add(&stages, l.rate)
	}
}

// packetReceivedAt returns when the client received all datagrams of the first packet that
// was sent at a moment or later, among the packets of this tick.
func (l *LatencyTracer) packetReceivedAt(sentAt, now time.Duration) time.Duration {
	at := now
	for _, g := range l.arrivals[:l.arrivalCount] {
		if g.sentAt >= sentAt {
			at = min(at, g.lastReceivedAt)
		}
	}
	return at
}

// confirmedStages returns the stages of the input of tick t, which is shown now.
func (l *LatencyTracer) confirmedStages(t sim.Tick, now time.Duration) (s [StageCount]time.Duration) {
	p := l.trace(t)
	s[ClientTickStage] = p.sentAt - l.tickTime(t)
	s[UplinkStage] = p.receivedAt - p.sentAt
	s[ServerBufferStage] = p.consumedAt - p.receivedAt
	s[ServerSendStage] = p.stateSentAt - p.consumedAt
	s[DownlinkStage] = p.stateReceivedAt - p.stateSentAt
	s[ClientBufferStage] = now - p.stateReceivedAt
	return s
}

// predictedStages returns the stages of the input of tick t, which is shown now by
// prediction.
func (l *LatencyTracer) predictedStages(t sim.Tick, now time.Duration) (s [StageCount]time.Duration) {
	p := l.trace(t)
	s[ClientTickStage] = p.sampledAt - l.tickTime(t)
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

func (s *stageSums) add(t *[StageCount]time.Duration, rate int) {
	at := &s.window[s.count%rate]
	for i, d := range t {
		s.windowSum[i] += d - at[i]
		s.totalSum[i] += d
	}
	*at = *t
	s.count++
}

// recentMean returns the mean over the last second.
func (s *stageSums) recentMean(rate int) LatencyStages {
	return meanStages(&s.windowSum, min(s.count, rate))
}

// totalMean returns the mean over all inputs.
func (s *stageSums) totalMean(int) LatencyStages { return meanStages(&s.totalSum, s.count) }

func meanStages(sum *[StageCount]time.Duration, n int) (b LatencyStages) {
	for i, d := range sum {
		b.Stages[i] = d / time.Duration(max(n, 1))
	}
	b.Inputs = n
	return b
}
