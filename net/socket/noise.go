package socket

import (
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"

	"github.com/flynn/noise"
	"golang.org/x/crypto/chacha20poly1305"
)

// suite has SHA-256 because the standard library's uses the instructions that processors have for it.
var suite = noise.NewCipherSuite(noise.DH25519, noise.CipherChaChaPoly, noise.HashSHA256)

// agreement is the part of the handshake that makes the keys of a session: the client writes an offer, the server reads
// it and writes an answer, the client reads that. Without a key the offer is the Application and the answer a number.
type agreement struct {
	noise *noise.HandshakeState // nil: insecure
}

// newAgreement returns one side of an agreement. Both authenticate the prologue.
func newAgreement(c *Config, isClient bool, prologue []byte) agreement {
	if c.Insecure {
		return agreement{}
	}
	secret := sha256.Sum256(append([]byte("ghostcube join key "), c.Key[:]...))
	state, err := noise.NewHandshakeState(noise.Config{
		CipherSuite: suite, Random: rand.Reader, Pattern: noise.HandshakeNN, Initiator: isClient,
		Prologue: prologue, PresharedKey: secret[:],
	})
	if err != nil {
		panic("socket: " + err.Error())
	}
	return agreement{state}
}

// offer returns the client's message.
func (a *agreement) offer(application string) (offer [offerBytes]byte) {
	var payload [applicationBytes]byte
	copy(payload[:], application)
	if a.noise == nil {
		copy(offer[:], payload[:])
		return offer
	}
	b, _, _, err := a.noise.WriteMessage(nil, payload[:])
	if err != nil {
		panic("socket: " + err.Error())
	}
	return [offerBytes]byte(b)
}

// readOffer returns the Application of a client's message. It is false if the client has another key.
func (a *agreement) readOffer(offer *[offerBytes]byte) (application string, ok bool) {
	payload := offer[:applicationBytes]
	if a.noise != nil {
		var err error
		if payload, _, _, err = a.noise.ReadMessage(nil, offer[:]); err != nil {
			return "", false
		}
	}
	return applicationText(payload), true
}

// applicationText returns the text in a field of applicationBytes.
func applicationText(field []byte) string {
	for i, b := range field {
		if b == 0 {
			field = field[:i]
			break
		}
	}
	return printable(string(field))
}

// answer returns the server's message, and the keys of the session. It is false if the client's public key is none.
func (a *agreement) answer() (answer []byte, out sealer, in opener, ok bool) {
	if a.noise == nil {
		answer = make([]byte, 4)
		rand.Read(answer)
		session := binary.LittleEndian.Uint32(answer)
		return answer, sealer{session: session}, opener{session: session}, true
	}
	answer, fromClient, fromServer, err := a.noise.WriteMessage(nil, nil)
	if err != nil {
		return nil, out, in, false
	}
	return answer, sealer{aead: newCipher(fromServer)}, opener{aead: newCipher(fromClient)}, true
}

// readAnswer returns the keys of the session. It is false if the server has another key, or has answered another offer.
func (a *agreement) readAnswer(answer []byte) (out sealer, in opener, ok bool) {
	if a.noise == nil {
		if len(answer) != 4 {
			return out, in, false
		}
		session := binary.LittleEndian.Uint32(answer)
		return sealer{session: session}, opener{session: session}, true
	}
	if len(answer) != answerBytes {
		return out, in, false
	}
	_, fromClient, fromServer, err := a.noise.ReadMessage(nil, answer)
	if err != nil {
		return out, in, false
	}
	return sealer{aead: newCipher(fromClient)}, opener{aead: newCipher(fromServer)}, true
}

// newCipher returns the cipher of one direction. That of the library would allocate a nonce for each datagram.
func newCipher(s *noise.CipherState) cipher.AEAD {
	key := s.UnsafeKey()
	aead, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic("socket: " + err.Error())
	}
	return aead
}
