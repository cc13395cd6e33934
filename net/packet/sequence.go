package packet

// Sequence numbers packets, from 0 at the start of a session. It has 64 bits in memory
// and its low 16 on the wire, which wrap after 65,536 packets: 18.2 minutes at 60 a
// second (Fiedler's text on fragmentation says 15). Because both ends keep the other
// bits, nothing indexed by sequence needs a wrapping comparison, and a packet from
// before a wrap is never mistaken for a current one.
type Sequence uint64

// low16 returns the bits on the wire.
func (s Sequence) low16() uint16 { return uint16(s) }

// expand returns the sequence number nearest to s with the given low 16 bits: from
// 32,768 before s to 32,767 after it. It reports false if that is before the session's
// start.
func (s Sequence) expand(low uint16) (q Sequence, ok bool) {
	distance := int64(int16(low - uint16(s)))
	return s + Sequence(distance), distance >= 0 || s >= Sequence(-distance)
}
