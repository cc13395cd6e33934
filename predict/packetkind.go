package predict

// PacketKind is what a datagram contains.
type PacketKind uint8

// The kinds.
const (
	AcksOnly     PacketKind = iota // acknowledgements, and nothing else
	Inputs                         // inputs of players
	Snapshots                      // states of all bodies, or of those that are due
	StateUpdates                   // states of the bodies of highest priority
	Fragments                      // a part of a packet that does not fit a datagram
	Messages                       // messages, slices of blocks, and their acknowledgements
	PacketKindCount
)

var packetKindNames = [...]string{"acks", "inputs", "snapshots", "state updates", "fragments", "messages"}

// String returns the kind's name.
func (k PacketKind) String() string { return packetKindNames[k] }

// KindOf returns what a payload of the strategy contains, which a client sent if up is set. It is one
// of AcksOnly, Inputs, Snapshots and StateUpdates.
func (s *Strategy) KindOf(up bool, payload []byte, players int) PacketKind {
	switch {
	case len(payload) == 0:
		return AcksOnly
	case s.Kind != nil:
		return s.Kind(up, payload, players)
	case up:
		return Inputs
	}
	return Snapshots
}
