package packet

import (
	"encoding/binary"
	"hash/crc32"
	"time"
)

// The header of every datagram, by byte offset, little endian:
//
//	0  checksum, 32 bits: CRC-32C of the protocol, its version, and all bytes after the checksum
//	4  sequence, low 16 bits
//	6  ack, low 16 bits: newest packet received completely
//	8  ack bits, 32 bits: bit n: packet ack-n was received completely; bit 0 clear: it was, but refused;
//	   none set and ack 0: nothing was received
//	12 ack delay, 15 bits: time from the arrival of ack to this datagram, in 1/16 ms; all ones: longer
//	   fragment, 1 bit, the highest: a fragment header follows
//
// The fragment header:
//
//	14 fragment id, 8 bits: from 0
//	15 fragment count less 1, 8 bits
//	16 payload checksum, 32 bits: CRC-32C of the protocol, its version, and the whole payload
//
// Bit 0 of the ack bits stands for ack itself, as in Fiedler's article of 2016; in 2008
// it was ack-1. Protocol and version are part of the checksum but not on the wire, so a
// datagram of another program or version is rejected at no cost in bytes (Fiedler,
// Serialization Strategies, 2016). Fiedler's fragments have a header of their own
// without acknowledgements. Here they carry the packet's, so that no acknowledgement is
// lost with the one fragment that happened to carry it. They also carry a checksum of
// the whole payload, by which contradicting fragments are distinguished.
const (
	// HeaderBytes is the size of the header of a datagram without fragments, in bytes.
	HeaderBytes = headerBytes

	headerBytes         = 14
	fragmentHeaderBytes = 6

	ackDelayUnit = time.Millisecond / 16
	maxAckDelay  = 1<<15 - 1
	fragmentBit  = 1 << 15
)

// Protocol, the protocol ID, and Version identify the datagrams. Version changes with the layout of
// headers or payloads.
const (
	Protocol uint32 = 0x42554347 // "GCUB" in little endian
	Version  uint32 = 4
)

// The polynomial is Castagnoli's. It detects every odd number of flipped bits, any 5 in
// a datagram of up to 655 bytes, and any 3 in a longer one. The polynomial of Ethernet
// and zip detects any 4 up to 371 bytes and any 3 beyond, and not every odd number
// (Koopman, 32-Bit Cyclic Redundancy Codes for Internet Applications, 2002). amd64 and
// arm64 have an instruction for CRC-32C, which is the faster of the two below a
// kilobyte. Neither protects against forgery.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksumSeed is the checksum of protocol and version.
var checksumSeed = checksumSeedOf(Protocol, Version)

func checksumSeedOf(protocol, version uint32) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint32(b[:], protocol)
	binary.LittleEndian.PutUint32(b[4:], version)
	return crc32.Checksum(b[:], castagnoli)
}

// header is the header of a datagram.
type header struct {
	sequence, ack uint16
	ackBits       uint32
	ackDelay      uint16 // in ackDelayUnit, at most maxAckDelay

	isFragment                bool
	fragmentID, fragmentCount int    // of a fragment: id < count, count in [2, MaxFragments]
	payloadChecksum           uint32 // of a fragment
}

// size returns the size of the header in bytes.
func (h *header) size() int {
	if h.isFragment {
		return headerBytes + fragmentHeaderBytes
	}
	return headerBytes
}

// encode writes the header into b, with the checksum over it and the payload that
// follows.
func (h *header) encode(b []byte) {
	_ = b[headerBytes-1]
	binary.LittleEndian.PutUint16(b[4:], h.sequence)
	binary.LittleEndian.PutUint16(b[6:], h.ack)
	binary.LittleEndian.PutUint32(b[8:], h.ackBits)
	delay := h.ackDelay
	if h.isFragment {
		delay |= fragmentBit
		b[14], b[15] = byte(h.fragmentID), byte(h.fragmentCount-1)
		binary.LittleEndian.PutUint32(b[16:], h.payloadChecksum)
	}
	binary.LittleEndian.PutUint16(b[12:], delay)
	binary.LittleEndian.PutUint32(b, crc32.Update(checksumSeed, castagnoli, b[4:]))
}

// decoded is the result of decoding a header.
type decoded uint8

const (
	valid         decoded = iota // an intact datagram of this protocol; if a fragment, one that a packet can have
	wrongChecksum                // corrupt, or of another protocol or version
	outOfRange                   // too short, too long, or a fragment that no packet has
)

// decode reads a header.
func (h *header) decode(b []byte) decoded {
	if len(b) < headerBytes || len(b) > MaxDatagram {
		return outOfRange
	}
	if binary.LittleEndian.Uint32(b) != crc32.Update(checksumSeed, castagnoli, b[4:]) {
		return wrongChecksum
	}
	h.sequence = binary.LittleEndian.Uint16(b[4:])
	h.ack = binary.LittleEndian.Uint16(b[6:])
	h.ackBits = binary.LittleEndian.Uint32(b[8:])
	delay := binary.LittleEndian.Uint16(b[12:])
	h.ackDelay, h.isFragment = delay&^fragmentBit, delay&fragmentBit != 0
	if !h.isFragment {
		return valid
	}
	if len(b) < headerBytes+fragmentHeaderBytes {
		return outOfRange
	}
	h.fragmentID, h.fragmentCount = int(b[14]), int(b[15])+1
	h.payloadChecksum = binary.LittleEndian.Uint32(b[16:])
	n := len(b) - headerBytes - fragmentHeaderBytes
	last := h.fragmentID == h.fragmentCount-1
	if h.fragmentCount >= 2 && h.fragmentID < h.fragmentCount && n >= 1 && n <= FragmentBytes && (last || n == FragmentBytes) {
		return valid
	}
	return outOfRange
}

// Header is the header of a datagram, for packet inspection.
type Header struct {
	Checksum                  uint32
	Sequence, Ack             uint16 // low bits
	AckBits                   uint32
	AckDelay                  time.Duration // in steps of 1/16 ms; the largest value: that long or longer
	IsFragment                bool
	FragmentID, FragmentCount int    // of a fragment
	PayloadChecksum           uint32 // of a fragment: of the whole payload
	Size                      int    // of the header
}

// ParseHeader reads the header of a datagram and reports whether the datagram is intact
// and of this protocol.
func ParseHeader(datagram []byte) (Header, bool) {
	var h header
	if h.decode(datagram) != valid {
		return Header{}, false
	}
	return Header{
		Checksum: binary.LittleEndian.Uint32(datagram), Sequence: h.sequence, Ack: h.ack, AckBits: h.ackBits,
		AckDelay: time.Duration(h.ackDelay) * ackDelayUnit, IsFragment: h.isFragment, FragmentID: h.fragmentID, FragmentCount: h.fragmentCount,
		PayloadChecksum: h.payloadChecksum, Size: h.size(),
	}, true
}
