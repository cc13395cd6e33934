package packet

import "time"

// The constants of Fiedler's scheme, with the rates of his example: 30 packets a second
// of 256 bytes in good conditions, 10 in bad ones.
const (
	DefaultGoodRate = 30 * 256 // bytes per second
	DefaultBadRate  = 10 * 256

	DefaultRTTThreshold = 250 * time.Millisecond // a longer round trip is bad

	minRecovery  = time.Second
	maxRecovery  = 60 * time.Second
	recoveryStep = 10 * time.Second
)

// FlowControl limits the send rate so that queues along the path do not fill. It is a
// token bucket with two rates, after the flow control in Fiedler's Reliability,
// Ordering and Congestion Avoidance over UDP (2008).
//
// A round trip above RTTThreshold indicates a queue, and the rate drops from GoodRate
// to BadRate at once. It returns once the round trip has been short without
// interruption for the recovery time. That is one second at first. It doubles, up to a
// minute, whenever good conditions have lasted less than ten seconds, and halves, down
// to one second, with every ten seconds that they last. So a link that cannot sustain
// GoodRate is tried less and less often, and one that can is trusted again.
//
// Fiedler counts packets. This counts bytes, because packets differ in size by a factor
// of up to a thousand. His text does not give the initial recovery time: here it is the
// minimum. Only drops that follow a recovery count as short-lived good conditions.
//
// A FlowControl is a plain value: assignment copies it. It sends nothing itself; a
// sender that can leave something out calls Allow first.
type FlowControl struct {
	GoodRate, BadRate int           // bytes per second, above 0
	RTTThreshold      time.Duration // longest round trip of good conditions

	started      bool
	now          time.Duration
	congested    bool
	recovered    bool          // good conditions have followed bad ones
	halvedAt     time.Duration // start of good conditions, or last halving of recovery
	goodSince    time.Duration // start of good conditions
	rttGoodSince time.Duration // in bad conditions: since when the round trip is short
	recovery     time.Duration // how long it must be
	credit       int64         // bytes times nanoseconds per second; below 0: overdrawn
}

// NewFlowControl returns a flow control with rates in bytes per second, headers
// included. It panics unless 0 < bad <= good.
func NewFlowControl(good, bad int) FlowControl {
	if bad <= 0 || good < bad {
		panic("packet: NewFlowControl with rates that are not 0 < bad <= good")
	}
	return FlowControl{GoodRate: good, BadRate: bad, RTTThreshold: DefaultRTTThreshold, recovery: minRecovery}
}

// creditTime is how much unused time may accumulate as credit.
const creditTime = time.Second / 10

// Update sets the time, which must not run backwards, and the current round trip, 0 if
// unknown. Stats.RTT is suitable: it takes a few packets to rise and ignores a single
// late one.
func (f *FlowControl) Update(now, rtt time.Duration) {
	if !f.started {
		f.started, f.now, f.halvedAt, f.goodSince = true, now, now, now
		f.credit = f.maxCredit()
	}
	f.addCredit(int64(now - f.now))
	f.now = now
	switch poor := rtt > f.RTTThreshold; {
	case f.congested && poor:
		f.rttGoodSince = now
	case f.congested && now-f.rttGoodSince >= f.recovery:
		f.congested, f.recovered, f.halvedAt, f.goodSince = false, true, now, now
	case f.congested:
	case poor:
		if f.recovered && now-f.goodSince < recoveryStep {
			f.recovery = min(2*f.recovery, maxRecovery)
		}
		f.congested, f.rttGoodSince = true, now
		f.credit = min(f.credit, f.maxCredit())
	default:
		for ; now-f.halvedAt >= recoveryStep && f.recovery > minRecovery; f.halvedAt += recoveryStep {
			f.recovery = max(f.recovery/2, minRecovery)
		}
		if f.recovery == minRecovery {
			f.halvedAt = now
		}
	}
}

// addCredit adds the credit of a time in nanoseconds, without overflow.
func (f *FlowControl) addCredit(elapsed int64) {
	if rate := int64(f.Rate()); elapsed >= (f.maxCredit()-f.credit)/rate {
		f.credit = f.maxCredit()
	} else {
		f.credit += rate * elapsed
	}
}

// maxCredit returns the largest credit.
func (f *FlowControl) maxCredit() int64 { return int64(f.Rate()) * int64(creditTime) }

// Allow reports whether this many bytes may be sent now, and if so takes them from the
// credit. An amount above the largest credit is allowed when the credit is full, and is
// repaid before anything else is allowed.
func (f *FlowControl) Allow(bytes int) bool {
	cost := int64(bytes) * int64(time.Second)
	if f.credit < min(cost, f.maxCredit()) {
		return false
	}
	f.credit -= cost
	return true
}

// Rate returns the current rate, in bytes per second.
func (f *FlowControl) Rate() int {
	if f.congested {
		return f.BadRate
	}
	return f.GoodRate
}

// Congested reports whether conditions are bad.
func (f *FlowControl) Congested() bool { return f.congested }

// Recovery returns how long the round trip must stay short before conditions count as
// good.
func (f *FlowControl) Recovery() time.Duration { return f.recovery }
