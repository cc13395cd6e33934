package packet

// Sequence numbers packets. It wraps around after 65,536 of them, 18.2 minutes
// at 60 a second.
type Sequence uint16

// Newer reports whether a was sent after b, for two that are less than 32,768
// apart.
func (a Sequence) Newer(b Sequence) bool { return int16(a-b) > 0 }
