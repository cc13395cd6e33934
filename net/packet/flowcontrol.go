package packet

import "time"

// The constants of Fiedler's scheme.
const (
	defaultRTTThreshold = 250 * time.Millisecond // a longer round trip is bad

	minRecovery  = time.Second
	maxRecovery  = 60 * time.Second
	recoveryStep = 10 * time.Second
)

// FlowControl chooses between two send rates so that queues along the path do not fill,
// after the flow control in Fiedler's Reliability, Ordering and Congestion Avoidance over
// UDP (2008). A Budget limits what is sent to the rate.
//
// A round trip above RTTThreshold indicates a queue, and the rate drops from GoodRate
// to BadRate at once. It returns once the round trip has been short without
// interruption for the recovery time. That is one second at first. It doubles, up to a
// minute, whenever good conditions have lasted less than ten seconds, and halves, down
// to one second, with every ten seconds that they last. So a link that cannot sustain
// GoodRate is tried less and less often, and one that can is trusted again.
//
// Fiedler's rates are packets per second. These are bytes per second, because packets
// differ in size by a factor of up to a thousand. His text does not give the initial
// recovery time: here it is the minimum. Only drops that follow a recovery count as
// short-lived good conditions.
//
// A FlowControl is a plain value: assignment copies it.
type FlowControl struct {
	GoodRate, BadRate int           // bytes per second, above 0
	RTTThreshold      time.Duration // longest round trip of good conditions

	started      bool
	congested    bool
	recovered    bool          // good conditions have followed bad ones
	halvedAt     time.Duration // start of good conditions, or last halving of recovery
	goodSince    time.Duration // start of good conditions
	rttGoodSince time.Duration // in bad conditions: since when the round trip is short
	recovery     time.Duration // how long it must be
}

// NewFlowControl returns a flow control with rates in bytes per second, headers
// included. It panics unless 0 < bad <= good.
func NewFlowControl(good, bad int) FlowControl {
	if bad <= 0 || good < bad {
		panic("packet: NewFlowControl with rates that are not 0 < bad <= good")
	}
	return FlowControl{GoodRate: good, BadRate: bad, RTTThreshold: defaultRTTThreshold, recovery: minRecovery}
}

// Update sets the time, which must not run backwards, and the current round trip, 0 if
// unknown. Stats.RTT is suitable: it takes a few packets to rise and ignores a single
// late one.
func (f *FlowControl) Update(now, rtt time.Duration) {
	if !f.started {
		f.started, f.halvedAt, f.goodSince = true, now, now
	}
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
	default:
		for ; now-f.halvedAt >= recoveryStep && f.recovery > minRecovery; f.halvedAt += recoveryStep {
			f.recovery = max(f.recovery/2, minRecovery)
		}
		if f.recovery == minRecovery {
			f.halvedAt = now
		}
	}
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
