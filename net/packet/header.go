package packet

import (
	"encoding/binary"
	"hash/crc32"
	"time"
)

// The header of a packet, in bytes, little endian:
//
//	0  checksum, 32 bits: CRC-32 of the protocol's name and all bytes after the checksum
//	4  sequence, 16 bits
//	6  ack, 16 bits: the newest sequence that has arrived here
//	8  ack bits, 32 bits: bit n says that ack-n has arrived; none set: nothing has
//	12 hold, 16 bits: how long ack had been here when this was sent, in 1/16 ms; all ones: longer
//
// That bit 0 stands for ack itself is Fiedler's rule of 2016; in 2008 it was
// ack-1. The protocol's name is in the checksum and not on the wire, so that a
// packet of another program, or of another version of this one, is refused
// without spending a byte on it (Fiedler, Serialization Strategies, 2016).
const (
	headerBytes = 14
	holdUnit    = time.Millisecond / 16
	holdLonger  = 0xffff
)

// protocol names what these packets speak. It changes whenever their layout
// does.
const protocol = "ghostcube wire 1"

var protocolSum = crc32.ChecksumIEEE([]byte(protocol))

type header struct {
	sequence, ack Sequence
	ackBits       uint32
	hold          uint16
}

// put writes the header and the checksum over it and what follows it in b.
func (h *header) put(b []byte) {
	binary.LittleEndian.PutUint16(b[4:], uint16(h.sequence))
	binary.LittleEndian.PutUint16(b[6:], uint16(h.ack))
	binary.LittleEndian.PutUint32(b[8:], h.ackBits)
	binary.LittleEndian.PutUint16(b[12:], h.hold)
	binary.LittleEndian.PutUint32(b, crc32.Update(protocolSum, crc32.IEEETable, b[4:]))
}

// get reads a header. It reports whether b is a whole packet of this protocol.
func (h *header) get(b []byte) bool {
	if len(b) < headerBytes || len(b) > MaxDatagram {
		return false
	}
	if binary.LittleEndian.Uint32(b) != crc32.Update(protocolSum, crc32.IEEETable, b[4:]) {
		return false
	}
	h.sequence = Sequence(binary.LittleEndian.Uint16(b[4:]))
	h.ack = Sequence(binary.LittleEndian.Uint16(b[6:]))
	h.ackBits = binary.LittleEndian.Uint32(b[8:])
	h.hold = binary.LittleEndian.Uint16(b[12:])
	return true
}
