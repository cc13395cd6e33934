package predict

// Quantity is what a counter counts in terms that strategies share. A side names it where it declares the counter
// (Counter.Of). Captions, explanations, graphs and marks ask for quantities, because they know no strategy and no
// counter by its name.
type Quantity uint8

// The quantities. Those without a unit are numbers of events since the strategy started.
const (
	Unnamed               Quantity = iota // of interest to lists of counters alone
	LateInputs                            // inputs that a side had to do without in their tick, and inputs that arrived later
	InputsOnTime                          // share of the inputs that the server used in their tick, in [0, 1]
	WaitingInputs                         // inputs that wait at the server for their turn, now
	InputBits                             // bits of inputs in InputPackets
	InputPackets                          // packets with inputs, or parts of packets with the inputs of one player
	Stalls                                // times that a side waited for an input
	StallsPerMinute                       // since the first tick was due
	LongestStall                          // ms
	Starvations                           // times that playback ran out of states
	Corrections                           // of the player's cube
	MeanCorrection                        // distance by which one moved the player's cube, m
	MeanLargestCorrection                 // distance by which one moved the body that it moved most, m
	ReplayedTicks                         // ticks that the client stepped again
	EventsShown                           // events that begin an effect, such as shots, which clients have shown, each once
	EventsWithdrawn                       // of these, events that turned out not to have happened in their tick
	EarlyArrival                          // time by which the newest state came before the client expected it, ms, now
	ClockBehind                           // ticks by which the client's clock is behind its aim, now
	OnScreens                             // a measure of the pictures of several players; as a score, it is not part of a session's hash
)

// Of says what the counter counts, and returns it.
func (c Counter) Of(q Quantity) Counter {
	c.counters.counters[c.index].Quantity = q
	return c
}

// Sum returns the sum of the counters of a quantity. ok is false if there is none.
func (c *Counters) Sum(q Quantity) (sum float64, ok bool) {
	for i := range c.counters {
		if m := &c.counters[i]; m.Quantity == q {
			sum, ok = sum+m.Value, true
		}
	}
	return sum, ok
}

// Total returns the sum of the counters of a quantity, or 0 if there is none.
func (c *Counters) Total(q Quantity) float64 {
	sum, _ := c.Sum(q)
	return sum
}
