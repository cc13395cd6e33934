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

// stream carries datagrams over a TCP connection, each after its length in two bytes, little-endian. As UDP does, it takes
// a datagram without waiting; but what the other side does not take in time ends it, because none may be missing.
type stream struct {
	tcp net.Conn

	mutex   sync.Mutex
	waiting []byte        // framed, and not yet given to the operating system
	wake    chan struct{} // something waits; closed when nothing more will
	ended   error         // why nothing more is taken
	running sync.WaitGroup
}

const (
	frameBytes = 2
	maxWaiting = 1 << 20 // bytes that wait to be sent, and at most once more on their way to the system
	fullQueue  = time.Millisecond

	// When a stream ends, the last datagrams have this time to reach the other side.
	lastWords = time.Second
)

var (
	errFrame = fmt.Errorf("a length that is not 1 to %d", maxWire)
	errSlow  = fmt.Errorf("the other side does not take what is sent: %d bytes are waiting", maxWaiting)
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

// write sends a datagram later. It copies the bytes.
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

// endLocked ends the taking of datagrams for a reason, if it has not ended. The caller holds the mutex.
func (s *stream) endLocked(why error) {
	if s.ended == nil {
		s.ended = why
		close(s.wake)
	}
}

// end sends what waits, within a second, and then closes the connection. It does not wait for it.
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

// send gives what waits to the operating system, all at once, until the stream ends.
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

// receive calls arrive with each datagram, until the stream ends, and returns why it did. It reads none while isFull, so that
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
