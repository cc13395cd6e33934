package socket

import (
	"net/netip"
	"sync"
	"time"

	"ghostcube/net/link"
)

// Conn is one side of a connection. It is a link.Wire. All methods may be called by any goroutine, but the bytes of a
// received datagram are valid only until the next Receive, whichever goroutine calls it.
type Conn struct {
	remote netip.AddrPort
	config *Config
	write  func([]byte) error // writes a datagram to remote
	finish func()             // releases the socket of a client; nil: a server's connection
	peers  *peers             // of a client with a UDP socket; nil: it cannot have any

	sending struct {
		sync.Mutex
		sealer
		begun  bool          // there are keys
		at     time.Duration // of the last datagram
		count  uint64        // of the caller's datagrams
		bytes  uint64
		errors uint64
		ended  error // why nothing is sent any more
		buffer [maxWire]byte
	}
	receiving struct {
		sync.Mutex
		opener
		queue
		at    time.Duration // of the last authentic datagram
		stats Stats
	}
}

// udpSocket is the socket of a client: a net.UDPConn, or that of a test behind a router.
type udpSocket interface {
	ReadFromUDPAddrPort(b []byte) (n int, from netip.AddrPort, err error)
	WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error)
	SetReadDeadline(t time.Time) error
	Close() error
}

// Times of a living connection.
const (
	keepaliveAfter = time.Second // of silence
	closeCopies    = 10
	housekeeping   = 50 * time.Millisecond // interval of looking at keepalives, timeouts and retries
)

func newConn(remote netip.AddrPort, config *Config, write func([]byte) error) *Conn {
	c := &Conn{remote: remote, config: config, write: write}
	c.receiving.slots = make([]queued, config.QueueLength)
	return c
}

// begin gives the connection the keys of its session.
func (c *Conn) begin(now time.Duration, out sealer, in opener) {
	c.sending.sealer, c.sending.at, c.sending.begun = out, now, true
	c.receiving.opener, c.receiving.at = in, now
}

// Send sends a datagram of at most MaxDatagram bytes. It copies the bytes. The error is ErrTooLarge, or why the
// connection has ended. A datagram that the operating system refuses is lost, as in the network, and counted.
func (c *Conn) Send(now time.Duration, datagram []byte) error {
	if len(datagram) > MaxDatagram {
		return ErrTooLarge
	}
	s := &c.sending
	s.Lock()
	defer s.Unlock()
	if s.ended != nil {
		return s.ended
	}
	s.count++
	s.bytes += uint64(len(datagram))
	c.send(now, kindData, datagram)
	return nil
}

// send sends a datagram of any kind. The caller holds the lock of sending.
func (c *Conn) send(now time.Duration, kind byte, payload []byte) {
	s := &c.sending
	s.at = max(s.at, now)
	if c.write(s.append(s.buffer[:0], kind, payload)) != nil {
		s.errors++
	}
}

// Receive returns the next datagram that had arrived by now. Its bytes are valid until the next call of Receive. Datagrams
// that arrived before the connection ended can still be received.
func (c *Conn) Receive(now time.Duration) (link.Datagram, bool) {
	r := &c.receiving
	r.Lock()
	defer r.Unlock()
	d, ok := r.take(now)
	if ok {
		r.stats.Received++
		r.stats.ReceivedBytes += uint64(len(d.Bytes))
	}
	return d, ok
}

// arrive handles a datagram from the network, and overwrites its bytes. It reports whether the datagram is authentic.
func (c *Conn) arrive(now time.Duration, datagram []byte) bool {
	kind, _, ok := c.accept(now, datagram)
	switch {
	case !ok:
	case c.Err() != nil && kind != kindClose:
		c.sayClosed(now, 1) // it does not know yet
	case kind == kindClose:
		c.end(ErrLeft)
	case kind == kindConfirm:
		c.sending.Lock()
		c.send(now, kindKeepalive, nil)
		c.sending.Unlock()
	}
	return ok
}

// recognises reports whether a datagram has been sealed for this connection, and is new. It changes neither.
func (c *Conn) recognises(datagram []byte) bool {
	var b [maxWire]byte
	if len(datagram) > len(b) {
		return false
	}
	c.receiving.Lock()
	defer c.receiving.Unlock()
	_, _, _, err := c.receiving.check(append(b[:0], datagram...)) // which decrypts in place
	return err == nil
}

// accept opens a datagram and puts its data into the queue. The payload has the datagram's memory.
func (c *Conn) accept(now time.Duration, datagram []byte) (kind byte, payload []byte, ok bool) {
	r := &c.receiving
	r.Lock()
	defer r.Unlock()
	kind, payload, err := r.open(datagram)
	switch err {
	case nil:
	case errReplayed:
		r.stats.Replayed++
		return 0, nil, false
	default:
		r.stats.Refused++
		return 0, nil, false
	}
	r.at = now
	if kind == kindData && !r.put(now, payload) {
		r.stats.Dropped++
	}
	return kind, payload, true
}

// isFull reports whether the queue is full, so that the next datagram would be lost. A connection that has ended is never
// full: nothing waits for room.
func (c *Conn) isFull() bool {
	if c.Err() != nil {
		return false
	}
	c.receiving.Lock()
	defer c.receiving.Unlock()
	return c.receiving.used == len(c.receiving.slots)
}

// tick sends a keepalive after a silence, and ends a connection whose other side has been silent for the timeout.
func (c *Conn) tick(now time.Duration) {
	c.receiving.Lock()
	silence := now - c.receiving.at
	c.receiving.Unlock()
	if silence > c.config.Timeout {
		c.end(ErrTimeout)
	}
	c.sending.Lock()
	defer c.sending.Unlock()
	if c.sending.ended == nil && now-c.sending.at >= keepaliveAfter {
		c.send(now, kindKeepalive, nil)
	}
}

// end ends the connection for a reason. It reports whether that is the first one, which stays.
func (c *Conn) end(why error) (first bool) {
	c.sending.Lock()
	defer c.sending.Unlock()
	first = c.sending.ended == nil
	if first {
		c.sending.ended = why
	}
	return first
}

// sayClosed tells the other side that the connection is closed.
func (c *Conn) sayClosed(now time.Duration, copies int) {
	c.sending.Lock()
	defer c.sending.Unlock()
	for range copies {
		c.send(now, kindClose, nil)
	}
}

// Close ends the connection and tells the other side ten times, because each may be lost. It returns nil.
func (c *Conn) Close() error {
	if c.end(ErrClosed) && c.sending.begun {
		c.sayClosed(0, closeCopies)
	}
	if c.finish != nil {
		c.finish()
	}
	return nil
}

// Err returns nil while the connection is alive, and then the reason why it ended: ErrClosed, ErrLeft or ErrTimeout.
func (c *Conn) Err() error {
	c.sending.Lock()
	defer c.sending.Unlock()
	return c.sending.ended
}

// RemoteAddr returns the address of the other side.
func (c *Conn) RemoteAddr() netip.AddrPort { return c.remote }

// Overhead returns what the connection adds to each datagram, in bytes, without the headers of UDP and IP.
func (c *Conn) Overhead() int { return c.config.overhead() }

// Stats returns the counts so far.
func (c *Conn) Stats() Stats {
	c.receiving.Lock()
	s := c.receiving.stats
	c.receiving.Unlock()
	c.sending.Lock()
	defer c.sending.Unlock()
	s.Sent, s.SentBytes, s.SendErrors = c.sending.count, c.sending.bytes, c.sending.errors
	return s
}
