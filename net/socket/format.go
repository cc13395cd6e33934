package socket

import (
	"encoding/binary"
	"errors"
)

// The kinds of datagrams, their first byte. The first five make the handshake.
const (
	kindHello     = 1 // client: a padded request for a cookie
	kindCookie    = 2 // server: the cookie
	kindConnect   = 3 // client: the cookie and the first message of Noise, padded
	kindAccept    = 4 // server: the second message of Noise
	kindRefuse    = 5 // server: why not
	kindData      = 16
	kindKeepalive = 17
	kindConfirm   = 18 // a keepalive that asks for one
	kindClose     = 19
)

// Sizes in bytes. Requests have the size of the largest datagram, so that a path that does not carry those fails in the
// handshake, and not in the middle of a game.
const (
	headerBytes      = 5 // kind, and counter or session
	tagBytes         = 16
	maxWire          = headerBytes + MaxDatagram + tagBytes
	requestBytes     = maxWire
	nonceBytes       = 8
	cookieBytes      = 16
	applicationBytes = 64
	publicKeyBytes   = 32
	offerBytes       = publicKeyBytes + applicationBytes + tagBytes // first message of Noise
	answerBytes      = publicKeyBytes + tagBytes                    // second message of Noise
)

// Offsets in a request. Those before offsetCookie are the same in all versions, as is the whole of a refusal.
const (
	offsetMagic   = 1
	offsetVersion = 5
	offsetMode    = 6
	offsetNonce   = 7
	offsetCookie  = offsetNonce + nonceBytes
	offsetOffer   = offsetCookie + cookieBytes

	shortRequestBytes = offsetOffer + offerBytes
)

// Signal is the path at its server to which a page posts its offer.
const Signal = "/join"

const (
	magic   = 0x42435347 // "GSCB"
	version = 1
)

// The ways to protect a connection.
const (
	modeInsecure = 0
	modeNoise    = 1 // Noise_NNpsk0_25519_ChaChaPoly_SHA256
)

// Reasons of a refusal.
const (
	refusedVersion     = 1 // another version of the handshake
	refusedMode        = 2 // a key on one side only
	refusedKey         = 3 // another key
	refusedApplication = 4 // another Application; its text follows
	refusedFull        = 5
)

// Refusals of a server, as errors of Dial.
var (
	ErrVersion     = errors.New("the server has another version of the handshake: use the same version of the program on both machines")
	ErrMode        = errors.New("one side has a key and the other is insecure")
	ErrKey         = errors.New("the key is not that of the server")
	ErrApplication = errors.New("the server runs another version")
	ErrFull        = errors.New("the server is full")
)

// refusals are the errors by their reason.
var refusals = [...]error{
	refusedVersion: ErrVersion, refusedMode: ErrMode, refusedKey: ErrKey, refusedApplication: ErrApplication, refusedFull: ErrFull,
}

// request is a hello, or a connect, which has a cookie and an offer.
type request struct {
	kind, version, mode byte
	nonce               uint64 // of the client's attempt; the answer repeats it
	cookie              [cookieBytes]byte
	offer               [offerBytes]byte // first message of Noise, or the Application alone
}

// prologue is what both sides know of a request before its offer, and Noise authenticates.
func (r *request) prologue() []byte {
	var b [requestBytes]byte
	r.write(b[:])
	return b[:offsetOffer]
}

// write writes the request, padded with zeros, into b of requestBytes and returns b. Its first shortRequestBytes are all but zeros.
func (r *request) write(b []byte) []byte {
	b = b[:requestBytes]
	clear(b)
	b[0], b[offsetVersion], b[offsetMode] = r.kind, r.version, r.mode
	binary.LittleEndian.PutUint32(b[offsetMagic:], magic)
	binary.LittleEndian.PutUint64(b[offsetNonce:], r.nonce)
	copy(b[offsetCookie:], r.cookie[:])
	copy(b[offsetOffer:], r.offer[:])
	return b
}

// parseRequest parses a request of a size. Over UDP one that is not padded is refused, because its answer could be larger than it.
func parseRequest(b []byte, size int) (r request, ok bool) {
	if len(b) != size || b[0] != kindHello && b[0] != kindConnect || binary.LittleEndian.Uint32(b[offsetMagic:]) != magic {
		return r, false
	}
	r.kind, r.version, r.mode = b[0], b[offsetVersion], b[offsetMode]
	r.nonce = binary.LittleEndian.Uint64(b[offsetNonce:])
	copy(r.cookie[:], b[offsetCookie:])
	copy(r.offer[:], b[offsetOffer:])
	return r, true
}

// reply is a cookie, an acceptance or a refusal: the kind, the nonce of the request, and a body.
type reply struct {
	kind  byte
	nonce uint64
	body  []byte
}

const (
	replyHeaderBytes = 1 + nonceBytes
	maxReply         = replyHeaderBytes + 1 + applicationBytes
)

// append appends the reply to b.
func (r *reply) append(b []byte) []byte {
	b = append(b, r.kind)
	b = binary.LittleEndian.AppendUint64(b, r.nonce)
	return append(b, r.body...)
}

// parseReply parses a reply. Its body shares the memory of b.
func parseReply(b []byte) (r reply, ok bool) {
	if len(b) < replyHeaderBytes || len(b) > maxReply || b[0] < kindCookie || b[0] > kindRefuse || b[0] == kindConnect {
		return r, false
	}
	return reply{b[0], binary.LittleEndian.Uint64(b[1:]), b[replyHeaderBytes:]}, true
}
