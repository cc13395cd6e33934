// Package loggers is for ghostcube score (docs/gamelog.md): copy it. Call Server after each tick of the server; in the client Key when
// a key is read, Input in each tick, View in each frame, as drawn; Packet for each datagram; Clock once a second, in role both too.
package loggers

import (
	"fmt"
	"io"
	"log"
	"strings"
	"time"
)

// Bodies are poses by id: x y z in metres, and a quaternion x y z w.
type Bodies map[int][7]float64

type Log struct {
	out  *log.Logger  // one line at a time, so that a crash costs none
	Now  func() int64 // microseconds, of a clock that is never set
	key  int64        // when a key was read first that is in no input yet
	held string
}

// New starts the log of a role: client, server or both, in a file. hz: ticks a second. fps: frames. player: the player's body.
func New(file io.Writer, role string, hz, fps, player int) *Log {
	start := time.Now()
	l := &Log{log.New(file, "", 0), func() int64 { return time.Since(start).Microseconds() }, 1 << 62, ""}
	l.out.Printf(`{"t":"h","v":1,"role":%q,"hz":%d,"fps":%d,"body":%d}`, role, hz, fps, player)
	return l
}

// View takes bodies that are drawn at one server tick, and those at another one. newest: input in the player's pose.
func (l *Log) View(tick float64, own Bodies, otherTick float64, others Bodies, newest int) {
	l.out.Printf(`{"t":"v","us":%d,"k":%.3f,"b":[%s],"ko":%.3f,"o":[%s],"in":%d}`, l.Now(), max(tick, 0), own, max(otherTick, 0), others, newest)
}

// Input takes the keys that are held from an input on, letters of WASDUZEC. Its time is that of Key.
func (l *Log) Input(id int, keys string) {
	if l.Key(); keys != l.held {
		l.out.Printf(`{"t":"i","us":%d,"id":%d,"keys":%q}`, l.key, id, keys)
	}
	l.key, l.held = 1<<62, keys
}

func (l *Log) Key()                      { l.key = min(l.key, l.Now()) }
func (l *Log) Server(tick int, b Bodies) { l.out.Printf(`{"t":"s","k":%d,"b":[%s]}`, tick, b) }
func (l *Log) Correction(n int)          { l.line(`{"t":"r","us":%d,"n":%d}`, n) }

// Packet takes up or down, and the bytes of a payload; Clock the server's tick now, with its fraction, and a round trip in us.
func (l *Log) Packet(way string, n int)   { l.line(`{"t":"p","us":%d,"dir":%q,"bytes":%d}`, way, n) }
func (l *Log) Clock(k float64, rtt int64) { l.line(`{"t":"c","us":%d,"k":%.3f,"rtt":%d}`, k, rtt) }
func (l *Log) line(format string, values ...any) {
	l.out.Printf(format, append([]any{l.Now()}, values...)...)
}

func (b Bodies) String() (list string) {
	for id, p := range b {
		list += fmt.Sprintf(",[%d,%.4f,%.4f,%.4f,%.5f,%.5f,%.5f,%.5f]", id, p[0], p[1], p[2], p[3], p[4], p[5], p[6])
	}
	return strings.TrimPrefix(list, ",")
}
