// Package capture stores the session of one process, if the sides of a session run in several (lab.NewServer,
// lab.NewClient). A session over a real network does not follow from a seed. A capture is therefore a tape with all
// that the network delivered: each datagram, with its time and the tick that received it. The side runs again from
// it alone, to the same hashes.
//
// The text is that of a tape (package tape) between further lines:
//
//	ghostcube capture 1
//	side server
//	ghostcube tape 2
//	...
//	> 17 1 280113500 BQAAAP8
//	~ 90 1
//
// side is server, or client and the number of its player. > precedes a datagram: the tick that received it, the number
// of the wire, the time of arrival in nanoseconds of the session, and the bytes in base64. ~ precedes the tick before
// which the server forgot the client of a seat, and that seat.
package capture

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
)

const (
	magic      = "ghostcube capture 1"
	maxLineLen = 64 << 10 // bytes
)

// Server is the player of a capture of the server.
const Server = -1

// Capture is a side of a session, from a file.
type Capture struct {
	Player int // of the client, or Server
	Tape   *tape.Tape

	events []event // oldest first
}

// event is something that reached the process from outside.
type event struct {
	tick     sim.Tick // of the session, that it came before or in
	wire     int
	reset    bool // the server forgot the client
	datagram link.Datagram
}

var encoding = base64.RawStdEncoding

// Read reads a capture. Errors name the line.
func Read(r io.Reader) (*Capture, error) {
	c, text, n := &Capture{}, bytes.Buffer{}, 0
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 4096), maxLineLen)
	for ; in.Scan(); text.WriteByte('\n') { // a line that is not the tape's leaves an empty one, so that numbers agree
		line := in.Text()
		n++
		var err error
		switch {
		case n == 1 && line != magic:
			err = fmt.Errorf("not a capture: the first line is not %q", magic)
		case n == 1:
		case n == 2:
			c.Player, err = parseSide(line)
		case strings.HasPrefix(line, "> ") || strings.HasPrefix(line, "~ "):
			err = c.addEvent(line)
		default:
			text.WriteString(line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if n < 2 {
		return nil, fmt.Errorf("line %d: the capture ends before its tape", n)
	}
	var err error
	if c.Tape, err = tape.Read(&text); err != nil {
		return nil, err
	}
	if n := len(c.Tape.Panes); n != 1 {
		return nil, fmt.Errorf("the capture has %d panes: want 1", n)
	}
	return c, nil
}

func parseSide(line string) (player int, err error) {
	if line == "side server" {
		return Server, nil
	}
	number, ok := strings.CutPrefix(line, "side client ")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 || n > sim.MaxPlayers {
		return 0, fmt.Errorf("%q: want side server, or side client and a number from 1 to %d", line, sim.MaxPlayers)
	}
	return n - 1, nil
}

// addEvent adds the event of a line.
func (c *Capture) addEvent(line string) error {
	f := strings.Fields(line)
	e := event{reset: f[0] == "~"}
	if want := 5; !e.reset && len(f) != want || e.reset && len(f) != 3 {
		return fmt.Errorf("%q: want the tick, the wire, the time and the bytes after >, or the tick and the seat after ~", line)
	}
	tick, err := strconv.ParseUint(f[1], 10, 32)
	wire, err2 := strconv.Atoi(f[2])
	if err != nil || err2 != nil || wire < 1 || wire > sim.MaxPlayers {
		return fmt.Errorf("%q: want a tick, and a wire from 1 to %d", line, sim.MaxPlayers)
	}
	e.tick, e.wire = sim.Tick(tick), wire-1
	if n := len(c.events); n > 0 && c.events[n-1].tick > e.tick {
		return fmt.Errorf("tick %d after tick %d", e.tick, c.events[n-1].tick)
	}
	if !e.reset {
		at, err := strconv.ParseInt(f[3], 10, 64)
		b, err2 := encoding.DecodeString(f[4])
		if err != nil || err2 != nil || len(b) > packet.MaxDatagram {
			return fmt.Errorf("%q: want nanoseconds, and at most %d bytes in base64", line, packet.MaxDatagram)
		}
		e.datagram = link.Datagram{Bytes: b, ReceivedAt: time.Duration(at)}
	}
	c.events = append(c.events, e)
	return nil
}

// Replay is a session that runs again from its capture.
type Replay struct {
	Lab *lab.Lab

	capture *Capture
	next    []int // by wire: the first event of it that has not been read
	resets  int   // events before are done
}

// Replay returns the session before its first tick. Call BeforeTick before each one.
func (c *Capture) Replay() (*Replay, error) {
	r := &Replay{capture: c}
	for _, e := range c.events {
		if c.Player != Server && (e.wire > 0 || e.reset) {
			return nil, fmt.Errorf("tick %d: there is no wire %d", e.tick, e.wire+1)
		}
	}
	r.next = make([]int, sim.MaxPlayers)
	wires := make([]link.Wire, sim.MaxPlayers)
	for i := range wires {
		wires[i] = &replayWire{r, i}
	}
	var err error
	if c.Player == Server {
		r.Lab, err = lab.NewServer(c.Tape.Config, c.Tape.Panes[0], wires)
	} else {
		r.Lab, err = lab.NewClient(c.Tape.Config, c.Tape.Panes[0], c.Player, wires[0])
	}
	return r, err
}

// BeforeTick makes the server forget the clients that it forgot before this tick.
func (r *Replay) BeforeTick() {
	for events := r.capture.events; r.resets < len(events) && events[r.resets].tick <= r.Lab.Ticks(); r.resets++ {
		if e := &events[r.resets]; e.reset && e.wire < r.Lab.Players() {
			r.Lab.Reset(e.wire)
		}
	}
}

// replayWire delivers the datagrams of a wire in their ticks, and sends nothing.
type replayWire struct {
	replay *Replay
	index  int
}

// Send implements link.Wire.
func (w *replayWire) Send(time.Duration, []byte) error { return nil }

// Receive implements link.Wire.
func (w *replayWire) Receive(time.Duration) (link.Datagram, bool) {
	events, next := w.replay.capture.events, &w.replay.next[w.index]
	for *next < len(events) && (events[*next].wire != w.index || events[*next].reset) {
		*next++
	}
	if *next == len(events) || events[*next].tick > w.replay.Lab.Ticks() {
		return link.Datagram{}, false
	}
	d := events[*next].datagram
	d.Bytes = slices.Clone(d.Bytes)
	*next++
	return d, true
}
