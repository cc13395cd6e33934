package packet

// Sequence numbers packets, from 0 at the start of a session. It has 64 bits
// here and its low 16 on the wire, where it comes round after 65,536 packets:
// 18.2 minutes at 60 a second (Fiedler's text on fragmentation says 15). With
// the other bits kept at both ends nothing that is indexed by a sequence needs
// a comparison that wraps, and a packet of the last round is not taken for one
// of this.
type Sequence uint64

// low16 returns what travels of s.
func (s Sequence) low16() uint16 { return uint16(s) }

// expand returns the sequence next to s whose low 16 bits are low: from 32,768
// before s to 32,767 after it. It reports false where that would lie before
// the session's start.
func (s Sequence) expand(low uint16) (q Sequence, ok bool) {
	away := int64(int16(low - uint16(s)))
	return s + Sequence(away), away >= 0 || s >= Sequence(-away)
}
