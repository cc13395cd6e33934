package packet

import "time"

// Stats are totals and estimates of an Endpoint. They depend only on what was sent and
// received and on the times passed to Update.
type Stats struct {
	PacketsSent, PacketsReceived     uint64 // complete packets
	DatagramsSent, DatagramsReceived uint64 // received: accepted ones
	BytesSent, BytesReceived         uint64 // of those datagrams, including IP and UDP headers

	Expected           uint64 // packets that the other side is known to have sent
	Acked              uint64 // sent packets known to have arrived
	RejectedChecksum   uint64 // datagrams with a wrong checksum: corrupt, or of another program or version
	RejectedRange      uint64 // datagrams whose size or fragment header no side sends
	RejectedFragments  uint64 // fragments for which there is no memory, or that contradict too many others
	Duplicates         uint64 // datagrams received before
	Stale              uint64 // datagrams of packets too old to accept
	Unconfirmed        uint64 // datagrams far ahead of the newest packet that no second one confirmed
	ReassemblyFailures uint64 // packets abandoned without all fragments
	FalseFragments     uint64 // fragments dropped because their packet arrived without them
	InvalidAcks        uint64 // datagrams that acknowledge a packet never sent

	RTT          time.Duration // smoothed round-trip time; 0 before the first
	LastRTT      time.Duration // last sample
	RTTSampledAt time.Duration // when it was taken
	RTTVariation time.Duration // smoothed deviation of samples from RTT

	// Jitter is the smoothed difference between consecutive round trips, by the rule of
	// RFC 3550, 6.4.1. The RFC uses one-way delays, which would need a send time in the
	// header.
	Jitter time.Duration

	// RecentLost of the RecentExpected packets in the loss window have not arrived. The
	// window has up to 256 of the other side's packets and leaves out the newest 64,
	// which may be in flight.
	RecentExpected, RecentLost uint64

	// Rates over the last completed half second, in bits per second including all
	// headers, updated twenty times a second. AckedRate counts sent packets when they
	// are acknowledged.
	SentRate, ReceivedRate, AckedRate uint64
}

// Rejected returns the number of datagrams that were rejected, for any reason.
func (s *Stats) Rejected() uint64 {
	return s.RejectedChecksum + s.RejectedRange + s.RejectedFragments
}

// After an interruption of rttLifetime without a sample, the next sample replaces the RTT, as RFC
// 6298, 5.7, allows. Until then an RTT above queueRTT is not relied on: it was probably that of a
// queue, which has drained meanwhile.
const (
	rttLifetime = time.Second
	queueRTT    = defaultRTTThreshold
)

// RTTKnown reports whether RTT is the round trip of the link at a time, as far as the endpoint knows:
// it has been measured, and there has been no interruption since in which it has become doubtful.
func (s *Stats) RTTKnown(now time.Duration) bool {
	measured := s.RTT > 0 || s.Acked > 0
	return measured && (s.RTT <= queueRTT || s.rttAge(now) <= rttLifetime)
}

// staleRTT is the age of the last sample from which RTT is shown no more.
const staleRTT = 2 * time.Second

// CurrentRTT returns RTT for display; ok is false before the first sample, and after seconds without one.
func (s *Stats) CurrentRTT(now time.Duration) (rtt time.Duration, ok bool) {
	return s.RTT, s.RTT > 0 && s.rttAge(now) <= staleRTT
}

// rttAge returns the time since the last sample.
func (s *Stats) rttAge(now time.Duration) time.Duration { return now - s.RTTSampledAt }

// addRTT adds a round-trip sample with the smoothing of TCP (RFC 6298): an eighth for
// the mean and a quarter for the deviation. Fiedler's article of 2008 uses a tenth.
func (s *Stats) addRTT(sample time.Duration, first bool) {
	sample = max(sample, 0)
	previous := s.LastRTT
	s.LastRTT = sample
	if first {
		s.RTT, s.RTTVariation = sample, sample/2
		return
	}
	deviation := sample - s.RTT
	s.RTT += deviation / 8
	s.RTTVariation += (max(deviation, -deviation) - s.RTTVariation) / 4
	difference := sample - previous
	s.Jitter += (max(difference, -difference) - s.Jitter) / 16
}

// The window of the rates, in slots of 1/20 s: a whole number of ticks at rates of 20,
// 40 and 60, so that a steady stream has a steady rate. The length is that of Fiedler's
// simulator of 2015.
const (
	rateSlot      = time.Second / 20
	rateSlotCount = 10
)

// byteCounts are bytes sent, received and acknowledged.
type byteCounts struct{ sent, received, acked uint64 }

// rates counts bytes in slots of time.
type rates struct {
	started     bool
	slotEnd     time.Duration // when the current slot ends
	current     byteCounts
	slots       [rateSlotCount]byteCounts // ring of completed slots
	nextSlot    int                       // slot to complete next
	filledSlots int                       // number of completed slots in the ring
	sum         byteCounts                // over the ring
}

// advance completes the slots that have ended by now and reports whether there were
// any.
func (r *rates) advance(now time.Duration) bool {
	if !r.started {
		r.started, r.slotEnd = true, now+rateSlot
	}
	if now < r.slotEnd {
		return false
	}
	if idle := (now - r.slotEnd) / rateSlot; idle > rateSlotCount {
		r.slotEnd += (idle - rateSlotCount) * rateSlot // after the ring is empty, further empty slots change nothing
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

// bitsPerSecond converts a sum over the ring to bits per second.
func (r *rates) bitsPerSecond(bytes uint64) uint64 {
	return bytes * 8 * uint64(time.Second/rateSlot) / uint64(r.filledSlots)
}
