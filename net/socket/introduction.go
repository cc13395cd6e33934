package socket

import (
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/netip"

	"golang.org/x/crypto/chacha20poly1305"
)

// introduction is what a server tells a client of another one, so that they find a path between them.
type introduction struct {
	address netip.AddrPort // of the other client, as the server sees it
	first   bool           // the other client is told the opposite
	secret  [secretBytes]byte
}

// The size of an introduction, in bytes: 1 if the client is the first, the address as one of IPv6, the port, the secret.
const (
	secretBytes       = 32
	introductionBytes = 1 + 16 + 2 + secretBytes
)

// Introductions returns what to tell each of two clients of the other, by the addresses at which the server sees them, for
// their Introduce; nil: they have none. Each call makes another secret, since a key seals no number twice.
func Introductions(first, second string) (toFirst, toSecond []byte) {
	a, err := netip.ParseAddrPort(first)
	b, err2 := netip.ParseAddrPort(second)
	if err != nil || err2 != nil {
		return nil, nil
	}
	i := introduction{address: b, first: true}
	rand.Read(i.secret[:])
	other := introduction{address: a, secret: i.secret}
	return i.append(nil), other.append(nil)
}

func (i *introduction) append(b []byte) []byte {
	first := byte(0)
	if i.first {
		first = 1
	}
	address := i.address.Addr().As16()
	b = append(append(b, first), address[:]...)
	b = binary.LittleEndian.AppendUint16(b, i.address.Port())
	return append(b, i.secret[:]...)
}

// parseIntroduction parses what append has written.
func parseIntroduction(b []byte) (i introduction, ok bool) {
	if len(b) != introductionBytes || b[0] > 1 {
		return i, false
	}
	i.first = b[0] == 1
	i.address = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[1:])).Unmap(), binary.LittleEndian.Uint16(b[17:]))
	copy(i.secret[:], b[19:])
	return i, true
}

// checkIntroduced returns why a client does not send to the address of another one. A server could name any address, so
// a loopback address is accepted only if the server is on the loopback as well.
func checkIntroduced(at, server netip.AddrPort) error {
	a := at.Addr()
	switch {
	case !at.IsValid() || at.Port() == 0 || a.IsUnspecified() || a.IsMulticast() || a.Is4() && a.As4() == [4]byte{255, 255, 255, 255}:
		return fmt.Errorf("%v: not the address of a client", at)
	case a.Is4() != server.Addr().Is4():
		return fmt.Errorf("%v: this client has found the server by another version of IP", at)
	case a.IsLoopback() && !server.Addr().IsLoopback():
		return fmt.Errorf("%v: only the server can reach this address", at)
	case at == server:
		return fmt.Errorf("%v: this is the address of the server", at)
	}
	return nil
}

// keys returns the ciphers of both directions.
func (i *introduction) keys(insecure bool) (out sealer, in opener) {
	if insecure {
		session := binary.LittleEndian.Uint32(i.secret[:])
		return sealer{session: session}, opener{session: session}
	}
	first, second := peerCipher("first", i), peerCipher("second", i)
	if !i.first {
		first, second = second, first
	}
	return sealer{aead: first}, opener{aead: second}
}

// peerCipher returns the cipher of what one of the two sends.
func peerCipher(sender string, i *introduction) cipher.AEAD {
	key := sha256.Sum256(append([]byte("ghostcube peer, from the "+sender+" "), i.secret[:]...))
	aead, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic("socket: " + err.Error())
	}
	return aead
}
