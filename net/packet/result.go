package packet

// Result is the outcome of a received datagram.
type Result uint8

// The results.
const (
	Accepted  Result = iota // it was new, or is kept aside until another one confirms it
	Duplicate               // received before
	Stale                   // of a packet too old to accept
	Rejected                // damaged, of another program, or not what any side sends
)

var resultNames = [...]string{"accepted", "duplicate", "stale", "rejected"}

// String returns the result's name.
func (r Result) String() string { return resultNames[r] }

// resultSince returns the result of the datagram that was processed since the statistics were before.
func (s *Stats) resultSince(before *Stats) Result {
	switch {
	case s.Rejected() > before.Rejected():
		return Rejected
	case s.Stale > before.Stale:
		return Stale
	case s.Duplicates > before.Duplicates:
		return Duplicate
	}
	return Accepted
}
