package socket

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
)

// sealer makes the datagrams of one direction of a session.
type sealer struct {
	aead    cipher.AEAD // nil: insecure
	session uint32      // of an insecure session
	counter uint64      // of the next datagram; no two have the same
	nonce   [12]byte
}

// append appends a datagram to b. It allocates nothing if b has room.
func (s *sealer) append(b []byte, kind byte, payload []byte) []byte {
	start := len(b)
	if s.aead == nil {
		b = binary.LittleEndian.AppendUint32(append(b, kind), s.session)
		return append(b, payload...)
	}
	b = binary.LittleEndian.AppendUint32(append(b, kind), uint32(s.counter))
	binary.LittleEndian.PutUint64(s.nonce[4:], s.counter)
	s.counter++
	return s.aead.Seal(b, s.nonce[:], payload, b[start:])
}

// opener reads the datagrams of one direction of a session.
type opener struct {
	aead    cipher.AEAD // nil: insecure
	session uint32
	window  replayWindow
	nonce   [12]byte
}

var (
	errForeign  = errors.New("a datagram of no kind, of another session, damaged or forged")
	errReplayed = errors.New("a datagram received before, or too old to know")
)

// open returns the kind and the payload of a datagram, in the datagram's own memory. Only an authentic one changes the
// opener.
func (o *opener) open(datagram []byte) (kind byte, payload []byte, err error) {
	kind, payload, counter, err := o.check(datagram)
	if err == nil && o.aead != nil {
		o.window.add(counter)
	}
	return kind, payload, err
}

// check returns what open does, and the counter. A datagram may be checked any number of times.
func (o *opener) check(datagram []byte) (kind byte, payload []byte, counter uint64, err error) {
	if len(datagram) < headerBytes || len(datagram) > maxWire || datagram[0] < kindData || datagram[0] > kindClose {
		return 0, nil, 0, errForeign
	}
	kind, payload = datagram[0], datagram[headerBytes:]
	low := binary.LittleEndian.Uint32(datagram[1:])
	if o.aead == nil {
		if low != o.session || len(payload) > MaxDatagram {
			return 0, nil, 0, errForeign
		}
		return kind, payload, 0, nil
	}
	counter = o.counter(low)
	if !o.window.isNew(counter) {
		return 0, nil, 0, errReplayed
	}
	binary.LittleEndian.PutUint64(o.nonce[4:], counter)
	if payload, err = o.aead.Open(payload[:0], o.nonce[:], payload, datagram[:headerBytes]); err != nil {
		return 0, nil, 0, errForeign
	}
	return kind, payload, counter, nil
}

// counter returns the counter nearest to the next expected one that has these low bits.
func (o *opener) counter(low uint32) uint64 {
	distance := int64(int32(low - uint32(o.window.next)))
	if distance < 0 && uint64(-distance) > o.window.next {
		return uint64(low) // of the first 2^32
	}
	return o.window.next + uint64(distance)
}
