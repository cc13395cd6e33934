package packet

import "encoding/binary"

// Forge turns a datagram into what an attacker can make of it without keys, for forced
// faults: its sequence number is moved ahead, its payload is the text "forged", and its
// checksum is right. It reports false if the datagram is not intact.
func Forge(datagram []byte, ahead int) (forged []byte, ok bool) {
	var h header
	if h.decode(datagram) != valid {
		return nil, false
	}
	h = header{sequence: h.sequence + uint16(ahead&0xffff), ack: h.ack, ackBits: h.ackBits, ackDelay: h.ackDelay}
	forged = append(make([]byte, headerBytes), "forged"...)
	h.encode(forged)
	return forged, true
}

// ForgeFragment returns a false first fragment of the packet that a datagram begins: its
// first fragment with another byte, or if it is not fragmented, one of 256 fragments. It
// reports false if the datagram is not intact, or not the first of its packet.
func ForgeFragment(datagram []byte) (forged []byte, ok bool) {
	var h header
	if h.decode(datagram) != valid || h.fragmentID != 0 {
		return nil, false
	}
	if h.isFragment {
		forged = append(forged, datagram...)
		forged[len(forged)-1] ^= 0xff
	} else {
		h.isFragment, h.fragmentCount, h.payloadChecksum = true, MaxFragments, binary.LittleEndian.Uint32(datagram)
		forged = make([]byte, h.size()+FragmentBytes)
	}
	h.encode(forged)
	return forged, true
}

// ForgeAcks returns what an attacker can send after a datagram: the next packet, with a payload
// of the attacker's choice, that acknowledges packet newest and the 31 before it. A fragment
// keeps its own payload. It reports false if the datagram is not intact.
func ForgeAcks(datagram, payload []byte, newest uint16) (forged []byte, ok bool) {
	var h header
	if h.decode(datagram) != valid {
		return nil, false
	}
	size := h.size()
	if h.isFragment {
		payload = datagram[size:]
	}
	h.sequence++
	h.ack, h.ackBits = newest, 1<<32-1
	forged = append(make([]byte, size), payload...)
	if len(forged) > MaxDatagram {
		return nil, false
	}
	h.encode(forged)
	return forged, true
}
