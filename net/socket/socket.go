// Package socket is a link.Wire over real UDP or TCP, for two machines instead of a simulated link.
//
// A Listener has one socket for all its connections; a Conn from Dial has its own. One goroutine per socket reads, notes
// the time, decrypts, and puts datagrams into a bounded queue, from which Receive takes them. Like UDP it loses,
// duplicates (only without a key) and reorders datagrams; acknowledgements and fragments are left to net/packet.
// Over TCP the same datagrams, framed, all arrive; a full queue makes the sender wait. Two clients of a Listener can open a
// direct path to each other, a Peer, over the sockets that they already have.
// Browsers have no UDP: a Page serves them the program, whose DialPage connects by a data channel of WebRTC.
//
// A connection begins with a handshake: the client proves its address with a cookie, before the server holds any state,
// and both prove that they know the key of the join line (Noise, NNpsk0). After that every datagram is encrypted and
// authenticated, and a copied one is refused. docs/reference/wire.md has the bytes. The idea of a padded request and a
// stateless answer is that of netcode.io (Fiedler) and of QUIC; unlike netcode, no third server hands out tokens.
//
// It is the only package below net that has a clock, goroutines and a random source. Code in it that needs no socket takes
// the time and the random source as arguments, so that tests run it on a simulated link.
package socket

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"
)

// MaxDatagram is the size of the largest datagram that Send takes, in bytes: that of net/packet, and a byte that says
// whose it is. With all headers of a connection, of UDP and of IPv6 it fits into 1280 bytes, which every path has to carry.
const MaxDatagram = 1201

// Overhead is what a connection adds to each datagram, in bytes: one of kind, four of the counter, 16 of the
// authentication tag. OverheadInsecure is the same without a key: kind and session.
const (
	Overhead         = headerBytes + tagBytes
	OverheadInsecure = headerBytes
)

// Key is the secret that both sides share before they meet. Whoever has it may join, and no one else.
type Key [16]byte

// keyText is the encoding of a Key as text: 26 lower-case letters and digits, which begin with no hyphen.
var keyText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewKey returns a random key.
func NewKey() Key {
	var k Key
	rand.Read(k[:])
	return k
}

// ParseKey returns the key of a text that String has returned, in upper or lower case. A text of which no key is printed is none:
// its last character has bits that a key does not have, or all of its bits are zero.
func ParseKey(text string) (Key, error) {
	var k Key
	text = strings.ToLower(strings.TrimSpace(text))
	b, err := keyText.DecodeString(text)
	if err != nil || len(b) != len(k) {
		return k, fmt.Errorf("key: %d characters that are no key: want the %d letters and digits that the server printed", len(text), len(k.String()))
	}
	switch k = Key(b); {
	case k.String() != text:
		return Key{}, fmt.Errorf("key: its last character is %s: want %s, or the key that the server printed", text[len(text)-1:], k.String()[len(text)-1:])
	case k == Key{}:
		return k, errors.New("key: all its bits are zero: want the key that the server printed")
	}
	return k, nil
}

// String returns the key as 26 letters and digits. It is a secret: print it for the players alone.
func (k Key) String() string { return keyText.EncodeToString(k[:]) }

// Transport is what carries the datagrams of a connection.
type Transport byte

// The transports. Over TCP everything arrives once and in order, and a loss delays all that follows.
const (
	UDP Transport = iota
	TCP
)

// Config are the settings of a connection. Both sides need the same Transport, Key, Insecure and Application.
type Config struct {
	Transport Transport // of Listen and Dial

	// Start is the moment that is zero for the now of Send and Receive, and for the times of datagrams. It has to come
	// from time.Now, whose monotonic clock is not moved by whoever sets the clock. Zero: the call of Listen or Dial.
	Start time.Time

	Key      Key  // ignored if Insecure
	Insecure bool // no key, no encryption: anyone may join, listen, and forge datagrams

	// Application is what both sides have to agree on, such as a version and a hash of the scenes: at most 64 bytes of
	// printable ASCII. A client with another one is refused, and its error names both.
	Application string

	// Timeout ends a connection from which nothing has come for so long, and a Dial without an answer. Zero: 15 s, so
	// that an outage of ten seconds is survived; over TCP, which then waits as long again before it sends, 30 s.
	Timeout time.Duration

	QueueLength    int // datagrams received and not yet taken, of each connection; zero: 512
	MaxConnections int // of a Listener; zero: 16

	// Requests are not padded: in a data channel no address is false, SCTP would cut a padded one into two packets, both of which
	// have to arrive, and after a loss it sends no more than one at a time.
	unpadded bool

	behind func(network string) (udpSocket, error) // opens the socket of Dial in a test; nil: the system does
}

// requestSize returns the size of the requests in a handshake.
func (c *Config) requestSize() int {
	if c.unpadded {
		return shortRequestBytes
	}
	return requestBytes
}

// Defaults of a Config.
const (
	defaultTimeout        = 15 * time.Second
	defaultTimeoutTCP     = 30 * time.Second
	defaultQueueLength    = 512
	defaultMaxConnections = 16
)

// check returns the config with its defaults.
func (c Config) check() (Config, error) {
	if c.Start.IsZero() {
		c.Start = time.Now()
	}
	for _, d := range []struct {
		value *int
		zero  int
		name  string
	}{{&c.QueueLength, defaultQueueLength, "QueueLength"}, {&c.MaxConnections, defaultMaxConnections, "MaxConnections"}} {
		if *d.value == 0 {
			*d.value = d.zero
		}
		if *d.value < 1 || *d.value > 1<<16 {
			return c, fmt.Errorf("%s %d: want 1 to %d", d.name, *d.value, 1<<16)
		}
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
		if c.Transport == TCP {
			c.Timeout = defaultTimeoutTCP
		}
	}
	if c.Timeout < time.Second || c.Timeout > time.Hour {
		return c, fmt.Errorf("timeout %v: want %v to %v", c.Timeout, time.Second, time.Hour)
	}
	if c.Key == (Key{}) && !c.Insecure {
		return c, errors.New("no key: want the key of the join line, or Insecure")
	}
	if len(c.Application) > applicationBytes || printable(c.Application) != c.Application {
		return c, fmt.Errorf("application %q: want at most %d characters of ASCII", c.Application, applicationBytes)
	}
	return c, nil
}

// mode returns the byte of the handshake that says whether there is a key.
func (c *Config) mode() byte {
	if c.Insecure {
		return modeInsecure
	}
	return modeNoise
}

// overhead returns what a connection adds to each datagram, in bytes.
func (c *Config) overhead() int {
	if c.Insecure {
		return OverheadInsecure
	}
	return Overhead
}

// printable returns the printable ASCII of a text from the network.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, text)
}

// Errors that end a connection, or a Dial.
var (
	ErrClosed   = errors.New("the connection is closed")
	ErrLeft     = errors.New("the other side has closed the connection")
	ErrTimeout  = errors.New("nothing comes from the other side any more")
	ErrSilent   = errors.New("no answer") // to a Dial
	ErrTooLarge = fmt.Errorf("a datagram of more than %d bytes", MaxDatagram)
)

// Stats counts the datagrams of a connection. Bytes are those of the caller, without Overhead and headers of UDP and IP.
type Stats struct {
	Sent, SentBytes         uint64
	Received, ReceivedBytes uint64
	SendErrors              uint64 // not taken by the operating system, and so lost
	Dropped                 uint64 // received, but the queue was full
	Refused                 uint64 // of another session or a stranger, damaged or forged
	Replayed                uint64 // received a second time, or too old to know
}
