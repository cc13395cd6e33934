package packet

import "time"

// Stats are running totals and estimates of one Endpoint. They follow from what
// was sent and what arrived, and from the times that Update was told.
type Stats struct {
	PacketsSent, PacketsReceived     uint64 // whole
	DatagramsSent, DatagramsReceived uint64 // a fragment each, or a packet; received: that were of use
	BytesSent, BytesReceived         uint64 // of those datagrams, with all headers, those of IP and UDP included

	Expected           uint64 // packets that the other side is known to have sent
	Acked              uint64 // of ours, known to have arrived
	Rejected           uint64 // datagrams not of this protocol, corrupt, or at odds with an earlier fragment
	Duplicates         uint64 // datagrams that had arrived before
	Stale              uint64 // datagrams of packets too old to tell
	ReassemblyFailures uint64 // packets given up while they lacked fragments
	InvalidAcks        uint64 // datagrams that acknowledged what was never sent

	RTT          time.Duration // smoothed round trip; 0 before the first
	LastRTT      time.Duration // of the last acknowledgement
	RTTVariation time.Duration // smoothed distance of single round trips from RTT

	// Jitter is the smoothed difference of one round trip from the next. The
	// rule is that of RFC 3550, 6.4.1; that takes one-way delays, for which a
	// header would have to say when it was sent, and this takes what there is.
	Jitter time.Duration

	// RecentExpected and Missing are of the loss of late: of the Late newest packets of
	// the other side, at most 256, Missing have not arrived. The newest 64 are
	// left out, for they may be on their way.
	RecentExpected, RecentLost uint64

	// Rates over the last half second that had ended by the last Update, in
	// bits per second, with all headers, brought up to date twenty times a
	// second. Acknowledged are our own packets, when we come to know of it.
	SentRate, ReceivedRate, AckedRate uint64
}

// addRTT takes in one round trip. The smoothing of RTT is that of TCP (RFC 6298):
// an eighth for the mean and a quarter for the distance from it. Fiedler's of
// 2008 takes a tenth.
func (s *Stats) addRTT(trip time.Duration, first bool) {
	trip = max(trip, 0)
	before := s.LastRTT
	s.LastRTT = trip
	if first {
		s.RTT, s.RTTVariation = trip, trip/2
		return
	}
	away := trip - s.RTT
	s.RTT += away / 8
	s.RTTVariation += (max(away, -away) - s.RTTVariation) / 4
	step := trip - before
	s.Jitter += (max(step, -step) - s.Jitter) / 16
}

// The window of the rates, in slots of 1/20 s: a whole number of ticks at 20,
// 40 and 60 a second, so that a steady stream has a steady rate. The window is
// that of Fiedler's simulator of 2015.
const (
	rateSlot      = time.Second / 20
	rateSlotCount = 10
)

// byteCounts is bytes by what became of them.
type byteCounts struct{ sent, received, acked uint64 }

// rates counts bytes in slots of time.
type rates struct {
	started     bool
	slotEnd     time.Duration // when the open slot ends
	current     byteCounts
	slots       [rateSlotCount]byteCounts // a ring
	nextSlot    int                       // slot of the ring to close into
	filledSlots int                       // slots of the ring that were closed
	sum         byteCounts                // of the ring
}

// advance closes the slots that have ended by now and reports whether one has.
func (r *rates) advance(now time.Duration) bool {
	if !r.started {
		r.started, r.slotEnd = true, now+rateSlot
	}
	if now < r.slotEnd {
		return false
	}
	if idle := (now - r.slotEnd) / rateSlot; idle > rateSlotCount {
		r.slotEnd += (idle - rateSlotCount) * rateSlot // more empty slots than the ring has need not be closed
	}
	for ; r.slotEnd <= now; r.slotEnd += rateSlot {
		old := &r.slots[r.nextSlot]
		r.sum.sent += r.current.sent - old.sent
		r.sum.received += r.current.received - old.received
		r.sum.acked += r.current.acked - old.acked
		*old, r.current = r.current, byteCounts{}
		r.nextSlot = (r.nextSlot + 1) % rateSlotCount
		r.filledSlots = min(r.filledSlots+1, rateSlotCount)
	}
	return true
}

// bitsPerSecond returns bytes of the ring as bits per second.
func (r *rates) bitsPerSecond(bytes uint64) uint64 {
	return bytes * 8 * uint64(time.Second/rateSlot) / uint64(r.filledSlots)
}
