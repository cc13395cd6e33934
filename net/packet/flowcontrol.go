package packet

import "time"

// The numbers of Fiedler's scheme, and the rates of his example: 30 packets a
// second of 256 bytes while all is well and 10 while it is not.
const (
	DefaultGoodRate = 30 * 256 // bytes per second
	DefaultBadRate  = 10 * 256

	DefaultRTTThreshold = 250 * time.Millisecond // a longer round trip is a bad sign

	minRecovery  = time.Second
	maxRecovery  = 60 * time.Second
	recoveryStep = 10 * time.Second
)

// FlowControl says how much may be sent now without filling the queues on the way.
// It is a token bucket with two rates, after the flow control of Fiedler's
// Reliability, Ordering and Congestion Avoidance over UDP (2008):
//
// A round trip above Trip is the sign of a queue, and the rate drops from Good
// to Bad at once. It comes back after the round trip was short for a while
// without a break. That while is a second at first; it doubles, up to a minute,
// whenever good times have lasted less than ten seconds, and halves with every
// ten seconds that they last, down to a second. So a link that cannot carry Good
// is tried less and less often, and one that can is trusted again.
//
// Fiedler counts packets and we count bytes, because a packet may be a
// thousand times as long as another. His text does not say where the while
// begins; we take its least, and count only falls that follow a return.
//
// A Budget is a plain value: to copy it is to fork it. It sends nothing itself;
// whoever can leave something out asks Allow first.
type FlowControl struct {
	GoodRate, BadRate int           // bytes per second, both above 0
	RTTThreshold      time.Duration // the longest round trip that counts as good

	started      bool
	now          time.Duration
	congested    bool
	recovered    bool          // good times have followed bad ones
	halvedAt     time.Duration // start of the good times, or of the last halving
	goodSince    time.Duration // start of the good times
	rttGoodSince time.Duration // in bad times: since when the round trip is short
	recovery     time.Duration // how long it has to be
	credit       int64         // bytes times nanoseconds of a second; below 0: overdrawn
}

// NewFlowControl returns a budget of so many bytes per second in good and bad times,
// headers included. It panics unless 0 < bad <= good.
func NewFlowControl(good, bad int) FlowControl {
	if bad <= 0 || good < bad {
		panic("packet: NewBudget of rates that are not 0 < bad <= good")
	}
	return FlowControl{GoodRate: good, BadRate: bad, RTTThreshold: DefaultRTTThreshold, recovery: minRecovery}
}

// creditTime is for how long credit may be saved up.
const creditTime = time.Second / 10

// Update tells the budget the time, which never runs backwards, and the round
// trip as it is now known; 0 is no bad sign. Stats.RTT will do: it takes a few
// packets to rise, and does not rise for one that was late.
func (b *FlowControl) Update(now, trip time.Duration) {
	if !b.started {
		b.started, b.now, b.halvedAt, b.goodSince = true, now, now, now
		b.credit = b.maxCredit()
	}
	b.addCredit(int64(now - b.now))
	b.now = now
	switch poor := trip > b.RTTThreshold; {
	case b.congested && poor:
		b.rttGoodSince = now
	case b.congested && now-b.rttGoodSince >= b.recovery:
		b.congested, b.recovered, b.halvedAt, b.goodSince = false, true, now, now
	case b.congested:
	case poor:
		if b.recovered && now-b.goodSince < recoveryStep {
			b.recovery = min(2*b.recovery, maxRecovery)
		}
		b.congested, b.rttGoodSince = true, now
		b.credit = min(b.credit, b.maxCredit())
	default:
		for ; now-b.halvedAt >= recoveryStep && b.recovery > minRecovery; b.halvedAt += recoveryStep {
			b.recovery = max(b.recovery/2, minRecovery)
		}
		if b.recovery == minRecovery {
			b.halvedAt = now
		}
	}
}

// addCredit adds what so many nanoseconds are worth, without a product that would
// overflow.
func (b *FlowControl) addCredit(passed int64) {
	if rate := int64(b.Rate()); passed >= (b.maxCredit()-b.credit)/rate {
		b.credit = b.maxCredit()
	} else {
		b.credit += rate * passed
	}
}

// maxCredit is the credit that may be saved up.
func (b *FlowControl) maxCredit() int64 { return int64(b.Rate()) * int64(creditTime) }

// Allow reports whether so many bytes may be sent now, and if so takes them out
// of the budget. What is more than could ever be saved up is allowed when all
// that can be is there, and is paid back before anything else is.
func (b *FlowControl) Allow(bytes int) bool {
	cost := int64(bytes) * int64(time.Second)
	if b.credit < min(cost, b.maxCredit()) {
		return false
	}
	b.credit -= cost
	return true
}

// Rate returns the rate of now, in bytes per second.
func (b *FlowControl) Rate() int {
	if b.congested {
		return b.BadRate
	}
	return b.GoodRate
}

// Congested reports whether the times are bad.
func (b *FlowControl) Congested() bool { return b.congested }

// Recovery returns how long the round trip has to be short before bad times end.
func (b *FlowControl) Recovery() time.Duration { return b.recovery }
