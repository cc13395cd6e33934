package trace

import "ghostcube/net/packet"

// Packet is a packet, made of the datagrams in which it was sent.
type Packet struct {
	Header    packet.Header // of the first datagram
	Payload   []byte
	Datagrams int
	Bytes     int // of all datagrams, without the headers of IP and UDP
}

// Add adds a datagram. The fragments of a packet follow each other, and any other datagram begins a new
// packet. complete says that the packet now has all its datagrams; ok is false for bytes that are none.
func (p *Packet) Add(datagram []byte) (complete, ok bool) {
	h, ok := packet.ParseHeader(datagram)
	if !ok {
		return false, false
	}
	if p.Datagrams == 0 || !h.IsFragment || h.FragmentID == 0 {
		*p = Packet{Header: h, Payload: p.Payload[:0]}
	}
	p.Payload = append(p.Payload, datagram[h.Size:]...)
	p.Datagrams++
	p.Bytes += len(datagram)
	return !h.IsFragment || h.FragmentID == h.FragmentCount-1, true
}
