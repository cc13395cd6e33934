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

// introduction is what a server tells a client about another one, so that they can find a path to each other.
type introduction struct {
	address netip.AddrPort // of the other client, as the server sees it
	local   netip.AddrPort // of the other client behind the same router; the zero value: it is elsewhere
	first   bool           // the other client is told the opposite
	secret  [secretBytes]byte
}

// The size of an introduction, in bytes: 1 if the client is the first, the address as one of IPv6, the port, the local address
// of IPv4 and its port, the secret.
const (
	secretBytes       = 32
	localBytes        = 4 + 2
	introductionBytes = 1 + 16 + 2 + localBytes + secretBytes
)

// Introductions returns what to tell each of two clients about the other, for their Introduce; nil: one of these is not an
// address. The local addresses (LocalAddress) are passed on only if the server sees both clients at the same address: they are
// behind one router, which may not forward between them (hairpinning). Each call makes a new secret: a key must not seal a number
// twice.
func Introductions(first, second string, localOfFirst, localOfSecond []byte) (toFirst, toSecond []byte) {
	a, err := netip.ParseAddrPort(first)
	b, err2 := netip.ParseAddrPort(second)
	if err != nil || err2 != nil {
		return nil, nil
	}
	i := introduction{address: b, first: true}
	rand.Read(i.secret[:])
	other := introduction{address: a, secret: i.secret}
	if a.Addr() == b.Addr() {
		i.local, other.local = parseLocal(localOfSecond), parseLocal(localOfFirst)
	}
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
	b = appendLocal(b, i.local)
	return append(b, i.secret[:]...)
}

// appendLocal appends a local address: zeros if there is none of IPv4.
func appendLocal(b []byte, local netip.AddrPort) []byte {
	if !local.Addr().Is4() {
		return append(b, make([]byte, localBytes)...)
	}
	address := local.Addr().As4()
	return binary.LittleEndian.AppendUint16(append(b, address[:]...), local.Port())
}

// parseLocal parses what appendLocal has written. Other bytes are no address.
func parseLocal(b []byte) (local netip.AddrPort) {
	if len(b) != localBytes || [localBytes]byte(b) == [localBytes]byte{} {
		return local
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b)), binary.LittleEndian.Uint16(b[4:]))
}

// parseIntroduction parses what append has written.
func parseIntroduction(b []byte) (i introduction, ok bool) {
	if len(b) != introductionBytes || b[0] > 1 {
		return i, false
	}
	i.first = b[0] == 1
	i.address = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[1:])).Unmap(), binary.LittleEndian.Uint16(b[17:]))
	i.local = parseLocal(b[19:][:localBytes])
	copy(i.secret[:], b[19+localBytes:])
	return i, true
}

// LocalAddress returns the client's address in its local network, for Introductions; nil if there is none.
func (c *Conn) LocalAddress() []byte {
	if c.peers == nil || !c.peers.local.IsValid() {
		return nil
	}
	return appendLocal(nil, c.peers.local)
}

// checkIntroduced returns why a client does not send to the address of another one. A server could name any address, so a
// loopback or private address is accepted only if the server has one as well.
func checkIntroduced(at, server netip.AddrPort) error {
	a := at.Addr()
	switch {
	case !at.IsValid() || at.Port() == 0 || a.IsUnspecified() || a.IsMulticast() || a.Is4() && a.As4() == [4]byte{255, 255, 255, 255}:
		return fmt.Errorf("%v: not the address of a client", at)
	case at.Port() < 1024:
		return fmt.Errorf("%v: clients have no ports below 1024", at)
	case a.Is4() != server.Addr().Is4():
		return fmt.Errorf("%v: this client has found the server by another version of IP", at)
	case a.IsLoopback() && !server.Addr().IsLoopback(), isInside(a) && !isInside(server.Addr()):
		return fmt.Errorf("%v: only the server can reach this address", at)
	case at == server:
		return fmt.Errorf("%v: this is the address of the server", at)
	}
	return nil
}

// isInside reports whether an address leads nowhere outside its own network.
func isInside(a netip.Addr) bool { return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() }

// checkLocal reports whether a client sends to the local address of another one: only in its own network.
func (p *peers) checkLocal(at netip.AddrPort) bool {
	return at.Port() >= 1024 && p.network.Contains(at.Addr()) && at != p.local && checkIntroduced(at, p.local) == nil
}

// keys returns the ciphers of both directions. Without encryption each direction has its own session number, so a reflected
// datagram belongs to neither.
func (i *introduction) keys(insecure bool) (out sealer, in opener) {
	if insecure {
		first, second := binary.LittleEndian.Uint32(i.secret[:]), binary.LittleEndian.Uint32(i.secret[4:])
		if !i.first {
			first, second = second, first
		}
		return sealer{session: first}, opener{session: second}
	}
	first, second := peerCipher("first", i), peerCipher("second", i)
	if !i.first {
		first, second = second, first
	}
	return sealer{aead: first}, opener{aead: second}
}

// peerCipher returns the cipher for the datagrams of one of the two.
func peerCipher(sender string, i *introduction) cipher.AEAD {
	key := sha256.Sum256(append([]byte("ghostcube peer, from the "+sender+" "), i.secret[:]...))
	aead, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic("socket: " + err.Error())
	}
	return aead
}
