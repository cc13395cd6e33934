// Package capture stores the session of one process, if the sides of a session run in several (lab.NewServer,
// lab.NewClient). A session over a real network does not follow from a seed. A capture is therefore a tape with all
// that the network delivered: each datagram, with its time and the tick that received it. The side runs again from
// it alone, to the same hashes.
//
// The text is that of a tape (package tape) between further lines:
//
//	ghostcube capture 2
//	side server
//	ghostcube tape 2
//	...
//	> 17 1 280113500 BQAAAP8
//	~ 90 1
//
// side is server, or client and the number of its player. > precedes a datagram: the tick that received it, the number
// of the wire, the time of arrival in nanoseconds of the session, and the bytes in base64. Of the server, wire n is that of
// player n; of a client, wire 1 is that to the server, and wire 1+n that to the client of player n. ~ precedes the tick
// before which the server forgot the client of a seat, and that seat. A capture of version 1 has nothing of other clients.
package capture

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"sort"
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
	magic      = "ghostcube capture 2"
	magic1     = "ghostcube capture 1"
	maxLineLen = 64 << 10           // bytes
	maxWires   = 1 + sim.MaxPlayers // of a side
)

// Server is the player of a capture of the server.
const Server = -1

// Capture is a side of a session, from a file.
type Capture struct {
	Player int // of the client, or Server
	Tape   *tape.Tape

	events []event // oldest first
	byWire [maxWires][]*event
}

// event is something that reached the process from outside.
type event struct {
	tick     sim.Tick // of the session, that it came before or in
	wire     int
	reset    bool // the server forgot the client
	datagram link.Datagram
}

// PeerWire returns the index of a client's wire to the client of another player. Its wire to the server has index 0.
func PeerWire(player int) int { return 1 + player }

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
		case n == 1 && line != magic && line != magic1:
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
	for i := range c.events {
		if e := &c.events[i]; !e.reset {
			c.byWire[e.wire] = append(c.byWire[e.wire], e)
		}
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
		return 0, fmt.Errorf("%.60q: want side server, or side client and a number from 1 to %d", line, sim.MaxPlayers)
	}
	return n - 1, nil
}

// addEvent adds the event of a line.
func (c *Capture) addEvent(line string) error {
	f := strings.Fields(line)
	e := event{reset: f[0] == "~"}
	if want := 5; !e.reset && len(f) != want || e.reset && len(f) != 3 {
		return fmt.Errorf("%.60q: want the tick, the wire, the time and the bytes after >, or the tick and the seat after ~", line)
	}
	tick, err := strconv.ParseUint(f[1], 10, 32)
	wire, err2 := strconv.Atoi(f[2])
	if err != nil || err2 != nil || wire < 1 || wire > maxWires {
		return fmt.Errorf("%.60q: want a tick, and a wire from 1 to %d", line, maxWires)
	}
	e.tick, e.wire = sim.Tick(tick), wire-1
	if n := len(c.events); n > 0 && c.events[n-1].tick > e.tick {
		return fmt.Errorf("tick %d after tick %d", e.tick, c.events[n-1].tick)
	}
	if !e.reset {
		at, err := strconv.ParseInt(f[3], 10, 64)
		b, err2 := encoding.DecodeString(f[4])
		if err != nil || err2 != nil || len(b) > packet.MaxDatagram {
			return fmt.Errorf("%.60q: want nanoseconds, and at most %d bytes in base64", line, packet.MaxDatagram)
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
}

// Replay returns the session before its first tick. Call BeforeTick before each one.
func (c *Capture) Replay() (*Replay, error) { return c.replay(nil) }

// replay is Replay; sent is called with each datagram that the side sends, and the index of its wire. It may be nil.
func (c *Capture) replay(sent func(wire int, at time.Duration, datagram []byte)) (*Replay, error) {
	r := &Replay{capture: c}
	for _, e := range c.events {
		if c.Player == Server && e.wire == sim.MaxPlayers || c.Player != Server && (e.wire == PeerWire(c.Player) || e.reset) {
			return nil, fmt.Errorf("tick %d: there is no wire %d", e.tick, e.wire+1)
		}
	}
	wires, replayed := make([]link.Wire, maxWires), make([]*replayWire, maxWires)
	for i := range wires {
		replayed[i] = &replayWire{events: c.byWire[i], index: i, sent: sent}
		wires[i] = replayed[i]
	}
	var err error
	if c.Player == Server {
		r.Lab, err = lab.NewServer(c.Tape.Config, c.Tape.Panes[0], wires)
	} else {
		r.Lab, err = lab.NewClient(c.Tape.Config, c.Tape.Panes[0], c.Player, wires[0], wires[PeerWire(0):]...)
	}
	for _, w := range replayed {
		w.lab = r.Lab
	}
	return r, err
}

// BeforeTick makes the server forget the clients that it forgot before this tick.
func (r *Replay) BeforeTick() { r.capture.beforeTick(r.Lab) }

// beforeTick is BeforeTick for a lab that has run from the capture, or a copy of it.
func (c *Capture) beforeTick(l *lab.Lab) {
	first := sort.Search(len(c.events), func(i int) bool { return c.events[i].tick >= l.Ticks() })
	for i := first; i < len(c.events) && c.events[i].tick == l.Ticks(); i++ {
		if e := &c.events[i]; e.reset && e.wire < l.Players() {
			l.Reset(e.wire)
		}
	}
}

// replayWire delivers the datagrams of a wire in their ticks, and sends nothing. A lab takes all of a tick in that tick, so
// the position follows from the lab's tick, and a copied lab continues independently.
type replayWire struct {
	lab    *lab.Lab
	events []*event
	index  int
	sent   func(wire int, at time.Duration, datagram []byte)
	next   int      // index of the next event
	tick   sim.Tick // in which it is that
}

// CopyFor implements lab.CopiedWire.
func (w *replayWire) CopyFor(l *lab.Lab) link.Wire {
	return &replayWire{lab: l, events: w.events, index: w.index}
}

// Send implements link.Wire.
func (w *replayWire) Send(now time.Duration, b []byte) error {
	if w.sent != nil {
		w.sent(w.index, now, b)
	}
	return nil
}

// Receive implements link.Wire.
func (w *replayWire) Receive(time.Duration) (link.Datagram, bool) {
	if t := w.lab.Ticks(); t != w.tick {
		w.next = sort.Search(len(w.events), func(i int) bool { return w.events[i].tick >= t })
		w.tick = t
	}
	if w.next == len(w.events) || w.events[w.next].tick > w.tick {
		return link.Datagram{}, false
	}
	d := w.events[w.next].datagram
	d.Bytes = slices.Clone(d.Bytes)
	w.next++
	return d, true
}
