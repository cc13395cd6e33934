package packet

import "time"

// The numbers of Fiedler's scheme, and the rates of his example: 30 packets a
// second of 256 bytes while all is well and 10 while it is not.
const (
	BudgetGood = 30 * 256 // bytes per second
	BudgetBad  = 10 * 256

	BudgetTrip = 250 * time.Millisecond // a longer round trip is a bad sign

	recoveryLeast = time.Second
	recoveryMost  = 60 * time.Second
	recoveryStep  = 10 * time.Second
)

// Budget says how much may be sent now without filling the queues on the way.
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
type Budget struct {
	Good, Bad int           // bytes per second, both above 0
	Trip      time.Duration // the longest round trip that counts as good

	begun    bool
	now      time.Duration
	bad      bool
	returned bool          // good times have followed bad ones
	since    time.Duration // start of the good times, or of the last halving
	entered  time.Duration // start of the good times
	calm     time.Duration // in bad times: since when the round trip is short
	recovery time.Duration // how long it has to be
	credit   int64         // bytes times nanoseconds of a second; below 0: overdrawn
}

// NewBudget returns a budget of so many bytes per second in good and bad times,
// headers included. It panics unless 0 < bad <= good.
func NewBudget(good, bad int) Budget {
	if bad <= 0 || good < bad {
		panic("packet: NewBudget of rates that are not 0 < bad <= good")
	}
	return Budget{Good: good, Bad: bad, Trip: BudgetTrip, recovery: recoveryLeast}
}

// burst is for how long credit may be saved up.
const burst = time.Second / 10

// Update tells the budget the time, which never runs backwards, and the round
// trip as it is now known; 0 is no bad sign. Stats.RTT will do: it takes a few
// packets to rise, and does not rise for one that was late.
func (b *Budget) Update(now, trip time.Duration) {
	if !b.begun {
		b.begun, b.now, b.since, b.entered = true, now, now, now
		b.credit = b.most()
	}
	b.save(int64(now - b.now))
	b.now = now
	switch poor := trip > b.Trip; {
	case b.bad && poor:
		b.calm = now
	case b.bad && now-b.calm >= b.recovery:
		b.bad, b.returned, b.since, b.entered = false, true, now, now
	case b.bad:
	case poor:
		if b.returned && now-b.entered < recoveryStep {
			b.recovery = min(2*b.recovery, recoveryMost)
		}
		b.bad, b.calm = true, now
		b.credit = min(b.credit, b.most())
	default:
		for ; now-b.since >= recoveryStep && b.recovery > recoveryLeast; b.since += recoveryStep {
			b.recovery = max(b.recovery/2, recoveryLeast)
		}
		if b.recovery == recoveryLeast {
			b.since = now
		}
	}
}

// save adds what so many nanoseconds are worth, without a product that would
// overflow.
func (b *Budget) save(passed int64) {
	if rate := int64(b.Rate()); passed >= (b.most()-b.credit)/rate {
		b.credit = b.most()
	} else {
		b.credit += rate * passed
	}
}

// most is the credit that may be saved up.
func (b *Budget) most() int64 { return int64(b.Rate()) * int64(burst) }

// Allow reports whether so many bytes may be sent now, and if so takes them out
// of the budget. What is more than could ever be saved up is allowed when all
// that can be is there, and is paid back before anything else is.
func (b *Budget) Allow(bytes int) bool {
	cost := int64(bytes) * int64(time.Second)
	if b.credit < min(cost, b.most()) {
		return false
	}
	b.credit -= cost
	return true
}

// Rate returns the rate of now, in bytes per second.
func (b *Budget) Rate() int {
	if b.bad {
		return b.Bad
	}
	return b.Good
}

// Congested reports whether the times are bad.
func (b *Budget) Congested() bool { return b.bad }

// Recovery returns how long the round trip has to be short before bad times end.
func (b *Budget) Recovery() time.Duration { return b.recovery }
