// Package loggers is for ghostcube score (docs/gamelog.md): copy it. The game calls Server after each tick of the server; in
// the client Input, and View in each frame, as drawn; Packet for each datagram, Clock once a second.
package loggers

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Bodies are poses by id: x y z in metres, and a quaternion x y z w.
type Bodies map[int][7]float64

// Log is a log. Its methods are for one goroutine.
type Log struct {
	Out io.Writer    // a bufio.Writer, flushed at the end
	Now func() int64 // microseconds, of a clock that is never set
}

// New starts the log of a role: client, server or both. hz: ticks a second. player: the player's body.
func New(out io.Writer, role string, hz, player int) *Log {
	start := time.Now()
	fmt.Fprintf(out, `{"t":"h","v":1,"role":%q,"hz":%d,"body":%d}`+"\n", role, hz, player)
	return &Log{Out: out, Now: func() int64 { return time.Since(start).Microseconds() }}
}

func (l *Log) Server(tick int, b Bodies) {
	fmt.Fprintf(l.Out, `{"t":"s","k":%d,"b":[%s]}`+"\n", tick, b)
}

// View takes bodies that are drawn at one server tick, and those at another one. newest: input in the player's pose.
func (l *Log) View(tick float64, own Bodies, otherTick float64, others Bodies, newest int) {
	l.line(`{"t":"v","us":%d,"k":%.3f,"b":[%s],"ko":%.3f,"o":[%s],"in":%d}`, tick, own, otherTick, others, newest)
}

// Input takes the keys that are held from an input on, letters of WASDUZEC, when they change.
func (l *Log) Input(id int, keys string) {
	l.line(`{"t":"i","us":%d,"id":%d,"keys":%q}`, id, keys)
}

// Packet takes a datagram: up or down, and the bytes of its payload.
func (l *Log) Packet(way string, n int) { l.line(`{"t":"p","us":%d,"dir":%q,"bytes":%d}`, way, n) }

func (l *Log) Clock(k float64, rtt int64) { l.line(`{"t":"c","us":%d,"k":%.3f,"rtt":%d}`, k, rtt) }

func (l *Log) Correction(replayed int) { l.line(`{"t":"r","us":%d,"n":%d}`, replayed) }

func (l *Log) line(format string, values ...any) {
	fmt.Fprintf(l.Out, format+"\n", append([]any{l.Now()}, values...)...)
}

func (b Bodies) String() string {
	var list []string
	for id, p := range b {
		list = append(list, fmt.Sprintf("[%d,%.4f,%.4f,%.4f,%.5f,%.5f,%.5f,%.5f]", id, p[0], p[1], p[2], p[3], p[4], p[5], p[6]))
	}
	return strings.Join(list, ",")
}
