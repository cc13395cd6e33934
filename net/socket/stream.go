//go:build !js || headless

package socket

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// stream carries datagrams over a TCP connection, each preceded by its length in two bytes, little-endian. Like UDP, it
// accepts a datagram without blocking; but if the other side reads too slowly the stream ends, because it cannot drop any.
type stream struct {
	tcp net.Conn

	mutex   sync.Mutex
	waiting []byte        // framed, and not yet passed to the operating system
	wake    chan struct{} // there is something to send; closed at the end
	ended   error         // why nothing more is accepted; nil: the stream is open
	running sync.WaitGroup
}

const (
	frameBytes = 2
	maxWaiting = 1 << 20 // bytes that wait to be sent; as many again may be in a call of the system
	fullQueue  = time.Millisecond

	// When a stream ends, the last datagrams have this time to reach the other side.
	lastWords = time.Second
)

var (
	errFrame = fmt.Errorf("a length that is not 1 to %d", maxWire)
	errSlow  = fmt.Errorf("the other side reads too slowly: %d bytes wait to be sent", maxWaiting)
)

// newStream returns a stream over a connection, which it owns.
func newStream(tcp net.Conn) *stream {
	s := &stream{tcp: tcp, wake: make(chan struct{}, 1)}
	if t, ok := tcp.(interface{ SetNoDelay(bool) error }); ok {
		_ = t.SetNoDelay(true) // that is Go's default, too
	}
	s.running.Go(s.send)
	return s
}

// write queues a datagram. It copies the bytes.
func (s *stream) write(datagram []byte) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ended == nil && len(s.waiting)+frameBytes+len(datagram) > maxWaiting {
		s.endLocked(errSlow)
		s.tcp.Close()
	}
	if s.ended != nil {
		return s.ended
	}
	s.waiting = binary.LittleEndian.AppendUint16(s.waiting, uint16(len(datagram)))
	s.waiting = append(s.waiting, datagram...)
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return nil
}

// endLocked makes the stream accept nothing more, for a reason. Only the first one counts. The caller holds the mutex.
func (s *stream) endLocked(why error) {
	if s.ended == nil {
		s.ended = why
		close(s.wake)
	}
}

// end flushes the queue, for at most a second, and then closes the connection. It does not block.
func (s *stream) end(why error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ended == nil {
		s.endLocked(why)
		_ = s.tcp.SetDeadline(time.Now().Add(lastWords))
	}
}

// reason returns why the stream has ended; nil: it has not.
func (s *stream) reason() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.ended
}

// send writes what is queued, all of it in one call, again and again until the stream ends.
func (s *stream) send() {
	var b []byte
	for more := true; more; {
		_, more = <-s.wake
		s.mutex.Lock()
		b, s.waiting = s.waiting, b[:0]
		s.mutex.Unlock()
		if _, err := s.tcp.Write(b); err != nil {
			s.end(err)
			s.tcp.Close()
			return
		}
	}
	if t, ok := s.tcp.(interface{ CloseWrite() error }); ok && t.CloseWrite() == nil {
		return // the reader closes it, once the other side has
	}
	s.tcp.Close()
}

// receive calls arrive with each datagram until the stream ends, and returns the reason. While isFull it reads nothing, so that
// the other side has to wait.
func (s *stream) receive(isFull func() bool, arrive func(datagram []byte)) error {
	in, b := bufio.NewReader(s.tcp), make([]byte, maxWire)
	err := error(nil)
	for err == nil {
		for isFull() && s.reason() == nil {
			time.Sleep(fullQueue)
		}
		var datagram []byte
		if datagram, err = readFrame(in, b); err == nil {
			arrive(datagram)
		}
	}
	if why := s.reason(); why != nil {
		err = why
	}
	s.end(err)
	s.tcp.Close()
	return err
}

// readFrame reads a datagram into b, of maxWire bytes.
func readFrame(in io.Reader, b []byte) (datagram []byte, err error) {
	if _, err := io.ReadFull(in, b[:frameBytes]); err != nil {
		return nil, err
	}
	n := int(binary.LittleEndian.Uint16(b))
	if n == 0 || n > maxWire {
		return nil, errFrame
	}
	_, err = io.ReadFull(in, b[:n])
	return b[:n], err
}

// whyLeft returns the error of a connection whose stream has ended.
func whyLeft(why error) error {
	if errors.Is(why, errSlow) || errors.Is(why, errFrame) {
		return why
	}
	return ErrLeft
}
