// Package gamelog reads what a game wrote of one of its sessions, line by line, and scores it with the measures of
// package score. A log is JSON lines (docs/gamelog.md); one of any length takes the same memory. Logs are untrusted: every
// field has bounds, and an error names the line, the field and what is allowed.
package gamelog

import (
	"fmt"
	"strconv"
	"strings"

	"ghostcube/sim"
)

// Bounds of a log.
const (
	MaxLine   = 256 << 10 // bytes of a line
	MaxBodies = 1024      // bodies in a line, and different bodies in a log

	maxTick    = 1_000_000_000
	maxSeconds = 86_400 // of a log
	maxTime    = 9e15   // microseconds: also of a clock that counts from 1970
	maxPause   = 60     // seconds between two times, or two ticks of the server, of a log
	maxPlace   = 1e7    // metres from the origin, in each direction
	minUnit    = 1e-6
)

// Line is a line of a log. The fields that its kind does not have are zero.
type Line struct {
	Number int  // in its file, from 1
	Kind   byte // its field t

	// Of the head, h.
	Role   string  // "client", "server" or "both"
	Rate   int     // ticks a second
	Frames int     // frames a second
	Unit   float64 // metres
	Player int32   // body of the player whose screen the log has; negative: none
	Above  string  // "y" or "z", the vertical axis; empty: unknown
	Game   string

	Time       int64   // microseconds on the clock of the client
	Tick       float64 // of s: whole; of v: that Bodies claims to show; of c: of the server, now
	Bodies     []Body
	Others     []Body  // of v: bodies that claim to show another tick
	Delayed    float64 // that tick
	HasDelayed bool

	Input     int64 // of i: its number; of v: the newest that Bodies contains, -1 for none
	HasInput  bool
	Keys      sim.Buttons // of i: held from now on
	Up, Lost  bool        // of p
	Bytes     int         // of p, without the headers of IP and UDP
	Delay     int64       // of p: microseconds on the way
	HasDelay  bool
	RoundTrip int64 // of c: microseconds; 0: unknown
	Replayed  int   // of r: ticks
}

// Body is the place of a body.
type Body struct {
	ID  int32
	Pos [3]float64 // in the log's unit of length
	Rot [4]float32 // unit quaternion, x y z w
}

// valueKind is the kind of value that a field has.
type valueKind uint8

const (
	whole  valueKind = iota // number without a fraction
	number                  // any number
	text                    // one of the choices, or any text without them
	keys                    // letters of keyLetters
	truth                   // true or false
	bodies                  // list of bodies
)

// field is a field of a kind of line.
type field struct {
	name     string
	kind     valueKind
	optional bool
	min, max float64
	choices  []string
	set      func(l *Line, v *value)
}

// value is a value of the kind of its field.
type value struct {
	number float64
	text   string
	truth  bool
}

// want says what a field allows.
func (f *field) want() string {
	switch {
	case f.kind == whole && f.min == f.max:
		return shortest(f.min)
	case f.kind == whole || f.kind == number:
		noun := "a number"
		if f.kind == whole {
			noun = "a whole number"
		}
		return fmt.Sprintf("%s from %s to %s", noun, shortest(f.min), shortest(f.max))
	case f.kind == keys:
		return "the keys that are held, such as WD, letters of " + keyLetters + ": forward, left, back, right, jump and three others"
	case f.kind == truth:
		return "true or false"
	case f.kind == bodies:
		return fmt.Sprintf("a list of at most %d bodies, each [id, x, y, z] or [id, x, y, z, qx, qy, qz, qw]", MaxBodies)
	case len(f.choices) > 0:
		return `"` + strings.Join(f.choices, `" or "`) + `"`
	}
	return fmt.Sprintf("a text of at most %d bytes", maxText)
}

func shortest(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// maxText is the length of the longest text of a log, in bytes.
const maxText = 80

// keyLetters are the letters of the keys, as tapes have them.
const keyLetters = "WASDUZEC"

var keyButtons = [len(keyLetters)]sim.Buttons{sim.Forward, sim.Left, sim.Back, sim.Right, sim.Lift, sim.Pull, sim.Use, sim.Couple}

// kinds are the kinds of lines.
const kinds = "hsvipcr"

var (
	timeField = field{name: "us", max: maxTime, set: func(l *Line, v *value) { l.Time = int64(v.number) }}
	tickField = field{name: "k", kind: number, max: maxTick, set: func(l *Line, v *value) { l.Tick = v.number }}
	bodyField = field{name: "b", kind: bodies}
)

// fields are the fields of each kind of line, in the order in which a missing one is named.
var fields = [len(kinds)][]field{
	{ // h
		{name: "v", min: 1, max: 1, set: func(*Line, *value) {}},
		{name: "role", kind: text, choices: []string{"client", "server", "both"}, set: func(l *Line, v *value) { l.Role = v.text }},
		{name: "hz", min: 10, max: 240, set: func(l *Line, v *value) { l.Rate = int(v.number) }},
		{name: "fps", optional: true, min: 10, max: 240, set: func(l *Line, v *value) { l.Frames = int(v.number) }},
		{name: "unit", kind: number, optional: true, min: minUnit, max: 1e4, set: func(l *Line, v *value) { l.Unit = v.number }},
		{name: "body", optional: true, max: maxTick, set: func(l *Line, v *value) { l.Player = int32(v.number) }},
		{name: "up", kind: text, optional: true, choices: []string{"y", "z"}, set: func(l *Line, v *value) { l.Above = v.text }},
		{name: "game", kind: text, optional: true, set: func(l *Line, v *value) { l.Game = v.text }},
	},
	{ // s
		{name: "k", max: maxTick, set: func(l *Line, v *value) { l.Tick = v.number }},
		bodyField,
	},
	{ // v
		timeField, tickField, bodyField,
		{name: "ko", kind: number, optional: true, max: maxTick, set: func(l *Line, v *value) { l.Delayed, l.HasDelayed = v.number, true }},
		{name: "o", kind: bodies, optional: true},
		{name: "in", optional: true, min: -1, max: maxTick, set: func(l *Line, v *value) { l.Input, l.HasInput = int64(v.number), true }},
	},
	{ // i
		timeField,
		{name: "id", max: maxTick, set: func(l *Line, v *value) { l.Input = int64(v.number) }},
		{name: "keys", kind: keys, set: func(l *Line, v *value) { l.Keys = sim.Buttons(v.number) }},
	},
	{ // p
		timeField,
		{name: "dir", kind: text, choices: []string{"up", "down"}, set: func(l *Line, v *value) { l.Up = v.text == "up" }},
		{name: "bytes", max: 65535, set: func(l *Line, v *value) { l.Bytes = int(v.number) }},
		{name: "delay", optional: true, max: maxPause * 1e6, set: func(l *Line, v *value) { l.Delay, l.HasDelay = int64(v.number), true }},
		{name: "lost", kind: truth, optional: true, set: func(l *Line, v *value) { l.Lost = v.truth }},
	},
	{ // c
		timeField, tickField,
		{name: "rtt", optional: true, max: maxPause * 1e6, set: func(l *Line, v *value) { l.RoundTrip = int64(v.number) }},
	},
	{ // r
		timeField,
		{name: "n", optional: true, max: 10_000, set: func(l *Line, v *value) { l.Replayed = int(v.number) }},
	},
}

// KeyText returns the letters of keys.
func KeyText(held sim.Buttons) string {
	var b []byte
	for i, k := range keyButtons {
		if held&k != 0 {
			b = append(b, keyLetters[i])
		}
	}
	return string(b)
}
