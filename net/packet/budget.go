package packet

// Budget is a token bucket that limits the bytes sent per second. Credit is added tick by
// tick and counted in bytes times ticks per second, so no fraction of a byte is lost. Credit
// that is not spent is kept for one more tick.
//
// A sender with variable payloads asks for the credit, fills a packet up to it, and spends
// the size of the packet. One whose smallest packet costs more than two ticks' credit
// reserves that amount, and its credit accumulates over as many ticks as needed.
//
// A Budget is a plain value: assignment copies it.
type Budget struct {
	ticksPerSecond int64
	credit         int64 // bytes times ticks per second; below 0: overspent
	reserved       int64 // additional credit that may accumulate by the next tick
}

// NewBudget returns a budget without credit.
func NewBudget(ticksPerSecond int) Budget { return Budget{ticksPerSecond: int64(ticksPerSecond)} }

// AddTick adds the credit of one tick at a rate in bytes per second.
func (b *Budget) AddTick(bytesPerSecond int) {
	n := int64(bytesPerSecond)
	b.credit = min(b.credit+n, b.reserved+2*n)
	b.reserved = 0
}

// Available returns the number of bytes that may be sent now, including all headers. It is
// negative if more was spent than there was credit for.
func (b *Budget) Available() int { return int(b.credit / b.ticksPerSecond) }

// Reserve lets credit for a number of bytes accumulate by the next tick, beyond the usual
// two ticks' worth.
func (b *Budget) Reserve(bytes int) { b.reserved = int64(bytes) * b.ticksPerSecond }

// Spend takes a number of bytes from the credit, which may become negative.
func (b *Budget) Spend(bytes int) { b.credit -= int64(bytes) * b.ticksPerSecond }
