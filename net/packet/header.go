package packet

import (
	"encoding/binary"
	"hash/crc32"
	"time"
)

// The head of every datagram, in bytes, little endian:
//
//	0  checksum, 32 bits: CRC-32C of the protocol, its version, and all bytes after the checksum
//	4  sequence, 16 low bits
//	6  ack, 16 low bits: the newest sequence that has arrived here whole
//	8  ack bits, 32 bits: bit n says that ack-n has arrived whole; none set: nothing has
//	12 hold, 15 bits: how long ack had been here when this was sent, in 1/16 ms; all ones: longer
//	   fragment, 1 bit, the highest: what follows is a part of a packet
//
// and of a fragment, after that:
//
//	14 id, 8 bits: 0 is the first
//	15 count, 8 bits: fragments of the packet, less 1
//
// That bit 0 of the ack bits stands for ack itself is Fiedler's rule of 2016; in
// 2008 it was ack-1. The protocol and its version are in the checksum and not on
// the wire, so that a packet of another program, or of another version of this
// one, is refused without spending a byte on it (Fiedler, Serialization
// Strategies, 2016). His fragments have a head of their own without
// acknowledgements; ours keep the packet's, so that they are not lost with the
// fragment that happened to carry them.
const (
	headerBytes         = 14
	fragmentHeaderBytes = 2

	ackDelayUnit = time.Millisecond / 16
	maxAckDelay  = 1<<15 - 1
	fragmentBit  = 1 << 15
)

// Protocol and Version name what these datagrams speak. Version changes
// whenever the layout does, or what is in a payload.
const (
	Protocol uint32 = 0x42554347 // "GCUB" on the wire, where it never is
	Version  uint32 = 2
)

// The polynomial is Castagnoli's. It notices every odd number of flipped bits,
// and any 5 of a datagram of up to 655 bytes, any 3 of a longer one; that of
// Ethernet and zip notices any 4 up to 371 bytes and any 3 beyond, and not every
// odd number (Koopman, 32-Bit Cyclic Redundancy Codes for Internet Applications,
// 2002). amd64 and arm64 have an instruction for it, which is the faster of the
// two below a kilobyte. Neither keeps out who means to forge.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksumSeed is where the checksum of this protocol begins.
var checksumSeed = checksumSeedOf(Protocol, Version)

func checksumSeedOf(protocol, version uint32) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint32(b[:], protocol)
	binary.LittleEndian.PutUint32(b[4:], version)
	return crc32.Checksum(b[:], castagnoli)
}

// header is the head of a datagram.
type header struct {
	sequence, ack uint16
	ackBits       uint32
	ackDelay      uint16 // in holdUnit; up to holdLonger

	isFragment                bool
	fragmentID, fragmentCount int // of a fragment: id < count, count in [2, MaxFragments]
}

// size returns the bytes that the header takes.
func (h *header) size() int {
	if h.isFragment {
		return headerBytes + fragmentHeaderBytes
	}
	return headerBytes
}

// encode writes the header and the checksum over it and what follows it in b.
func (h *header) encode(b []byte) {
	_ = b[headerBytes-1]
	binary.LittleEndian.PutUint16(b[4:], h.sequence)
	binary.LittleEndian.PutUint16(b[6:], h.ack)
	binary.LittleEndian.PutUint32(b[8:], h.ackBits)
	hold := h.ackDelay
	if h.isFragment {
		hold |= fragmentBit
		b[14], b[15] = byte(h.fragmentID), byte(h.fragmentCount-1)
	}
	binary.LittleEndian.PutUint16(b[12:], hold)
	binary.LittleEndian.PutUint32(b, crc32.Update(checksumSeed, castagnoli, b[4:]))
}

// decode reads a header. It reports whether b is a whole datagram of this protocol:
// neither damaged nor foreign, and if a fragment, one that a packet could have.
func (h *header) decode(b []byte) bool {
	if len(b) < headerBytes || len(b) > MaxDatagram {
		return false
	}
	if binary.LittleEndian.Uint32(b) != crc32.Update(checksumSeed, castagnoli, b[4:]) {
		return false
	}
	h.sequence = binary.LittleEndian.Uint16(b[4:])
	h.ack = binary.LittleEndian.Uint16(b[6:])
	h.ackBits = binary.LittleEndian.Uint32(b[8:])
	hold := binary.LittleEndian.Uint16(b[12:])
	h.ackDelay, h.isFragment = hold&^fragmentBit, hold&fragmentBit != 0
	if !h.isFragment {
		return true
	}
	if len(b) < headerBytes+fragmentHeaderBytes {
		return false
	}
	h.fragmentID, h.fragmentCount = int(b[14]), int(b[15])+1
	n := len(b) - headerBytes - fragmentHeaderBytes
	last := h.fragmentID == h.fragmentCount-1
	return h.fragmentCount >= 2 && h.fragmentID < h.fragmentCount && n >= 1 && n <= FragmentBytes && (last || n == FragmentBytes)
}

// Header is what stands before a payload, for looking into datagrams.
type Header struct {
	Checksum                  uint32
	Sequence, Ack             uint16 // low bits
	AckBits                   uint32
	AckDelay                  time.Duration // to 1/16 ms; the longest that can be said, or longer
	IsFragment                bool
	FragmentID, FragmentCount int // of a fragment
	Size                      int // of the head itself
}

// ParseHeader reads the head of a datagram, and reports whether it is whole and of
// this protocol.
func ParseHeader(datagram []byte) (Header, bool) {
	var h header
	if !h.decode(datagram) {
		return Header{}, false
	}
	return Header{
		Checksum: binary.LittleEndian.Uint32(datagram), Sequence: h.sequence, Ack: h.ack, AckBits: h.ackBits,
		AckDelay: time.Duration(h.ackDelay) * ackDelayUnit, IsFragment: h.isFragment, FragmentID: h.fragmentID, FragmentCount: h.fragmentCount, Size: h.size(),
	}, true
}
