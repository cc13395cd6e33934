package gamelog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Reader reads a log.
type Reader struct {
	Head Line // valid after NewReader

	in     *bufio.Reader
	name   string // before each error
	number int    // of the last line
	long   []byte // a line that is longer than the buffer of in
	parser parser
	line   Line

	bodies map[int32]int // number of the last line that has each body

	time, tick         int64 // of the newest line with one
	timeLine, tickLine int   // its number; 0: there is none yet
	firstTime          int64 // microseconds, of the first line with one
	frame              int64 // time of the last line v
	frameLine          int
	input              int64 // of the newest line i
	inputLine          int
	firstTick          int64

	ended   bool // the newest line has no end
	cut     int  // number of the last line, if it is cut off; 0: it is whole
	against int  // number of the line that the newest one contradicts; 0: none

	broken func(error) // is called with the error of a broken line, which is skipped; nil: Next returns the error
}

// LineError is an error in a line.
type LineError struct {
	Name    string // of the log
	Line    int    // from 1
	Err     error
	Against int // number of the line before that it contradicts; 0: none
	Lines   int // the number of lines that it is about; 0: one
}

func (e *LineError) Error() string { return fmt.Sprintf("%s: line %d: %v", e.Name, e.Line, e.Err) }

// Unwrap returns the error without its place.
func (e *LineError) Unwrap() error { return e.Err }

// NewReader returns a reader that has read the head of the log called name.
func NewReader(name string, r io.Reader) (*Reader, error) {
	l := &Reader{in: bufio.NewReaderSize(r, 64<<10), name: name, bodies: map[int32]int{}}
	if first, _ := l.in.Peek(4); foreign(first) != "" { // an error comes again from Next
		return nil, &LineError{Name: name, Line: 1, Err: errors.New(foreign(first))}
	}
	head, err := l.Next()
	if err == io.EOF {
		err = &LineError{Name: name, Line: 1, Err: errors.New("the log is empty: want a head, t=h")}
	}
	if err != nil {
		return nil, err
	}
	l.Head = *head
	l.line.Bodies, l.line.Others = nil, nil
	return l, nil
}

// foreign returns what a file is, by its first bytes, if it is no text in UTF-8.
func foreign(b []byte) string {
	for _, f := range [...]struct{ begin, what string }{
		{"\x1f\x8b", "compressed by gzip"}, {"\x28\xb5\x2f\xfd", "compressed by zstd"}, {"PK\x03\x04", "a zip archive"},
		{"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"}, {"{\x00", "UTF-16"}, {"\x00{", "UTF-16"},
	} {
		if strings.HasPrefix(string(b), f.begin) {
			return f.what + ": want JSON lines in UTF-8"
		}
	}
	return ""
}

// Next returns the next line, which is valid until the next call. The error is io.EOF at the end, also before a last line that is
// cut off, as after a crash. It is a *LineError for a broken line, after which reading can continue with the next one, and any
// other error if nothing more can be read.
func (r *Reader) Next() (*Line, error) {
	for {
		l, err := r.next()
		if _, ok := err.(*LineError); !ok || r.broken == nil {
			return l, err
		}
		r.broken(err)
	}
}

// next returns the next line, or its error.
func (r *Reader) next() (*Line, error) {
	for {
		b, err := r.nextText()
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(b)) == 0 || r.ended && len(bytes.Trim(b, "\x00")) == 0 {
			continue
		}
		r.line.Number, r.against = r.number, 0
		err = r.parser.parse(b, &r.line)
		if err != nil && r.ended && r.number > 1 && b[0] == '{' && b[len(b)-1] != '}' {
			r.cut = r.number
			r.number--
			return nil, io.EOF
		}
		if err == nil {
			err = r.check(&r.line)
		}
		if err != nil {
			return nil, &LineError{Name: r.name, Line: r.number, Err: err, Against: r.against}
		}
		return &r.line, nil
	}
}

// nextText returns the next line without its end.
func (r *Reader) nextText() ([]byte, error) {
	r.number++
	b, err := r.in.ReadSlice('\n')
	for r.long = r.long[:0]; err == bufio.ErrBufferFull; b, err = r.in.ReadSlice('\n') {
		if len(r.long) <= MaxLine { // the rest of a longer line is skipped
			r.long = append(r.long, b...)
		}
	}
	if len(r.long) > 0 {
		b = append(r.long, b...)
		r.long = b
	}
	switch {
	case len(b) > MaxLine+1 && (err == nil || err == io.EOF):
		return nil, &LineError{Name: r.name, Line: r.number, Err: fmt.Errorf("longer than %d bytes, the longest line of a log", MaxLine)}
	case err == io.EOF && len(b) == 0:
		r.number--
		return nil, io.EOF
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("%s: after line %d: %w", r.name, r.number-1, err)
	}
	r.ended = err == io.EOF
	b = bytes.TrimSuffix(b, []byte("\n"))
	if r.number == 1 {
		b = bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF")) // byte order mark
	}
	return b, nil
}

// check checks a line against those before it.
func (r *Reader) check(l *Line) error {
	if r.Head.Kind == 0 {
		return r.checkHead(l)
	}
	if l.Kind == 'h' {
		return errors.New(`field t: "h": a second head: want one log a file`)
	}
	if role := r.Head.Role; l.Kind == 's' && role == "client" || l.Kind != 's' && role == "server" {
		return fmt.Errorf(`field t: "%c": not in a log whose role is %q`, l.Kind, role)
	}
	if l.Kind == 's' {
		return r.checkTick(l)
	}
	switch at := l.Time; {
	case l.Kind == 'v' && r.frameLine > 0 && at < r.frame:
		return r.contradicts(r.frameLine, "field us: %d: want at least %d, as in line %d", at, r.frame, r.frameLine)
	case r.timeLine > 0 && (at > r.time+maxPause*1e6 || at < r.time-maxPause*1e6):
		return r.contradicts(r.timeLine, "field us: %d: want at most %d s before or after the %d of line %d", at, maxPause, r.time, r.timeLine)
	case r.timeLine > 0 && at > r.firstTime+maxSeconds*1e6:
		return fmt.Errorf("field us: %d: want less than a day after the first, %d", at, r.firstTime)
	case l.Kind == 'i' && r.inputLine > 0 && l.Input <= r.input:
		return r.contradicts(r.inputLine, "field id: %d: want more than the %d of line %d", l.Input, r.input, r.inputLine)
	case len(l.Others) > 0 && !l.HasDelayed:
		return errors.New("field ko: missing: want the tick that the bodies of field o claim to show")
	}
	if err := r.checkBodies(l); err != nil {
		return err
	}
	if r.timeLine == 0 {
		r.firstTime = l.Time
	}
	if r.timeLine == 0 || l.Time > r.time {
		r.time, r.timeLine = l.Time, l.Number
	}
	switch l.Kind {
	case 'i':
		r.input, r.inputLine = l.Input, l.Number
	case 'v':
		r.frame, r.frameLine = l.Time, l.Number
	}
	return nil
}

// contradicts returns an error of a line that contradicts an earlier one.
func (r *Reader) contradicts(line int, format string, args ...any) error {
	r.against = line
	return fmt.Errorf(format, args...)
}

// checkHead checks the first line.
func (r *Reader) checkHead(l *Line) error {
	switch {
	case l.Kind != 'h':
		return fmt.Errorf(`field t: "%c": want "h": a log begins with its head`, l.Kind)
	case l.Role != "server" && l.Player < 0:
		return errors.New("field body: missing: want the id of the player's body, whose picture the log has")
	}
	if l.Frames == 0 {
		l.Frames = l.Rate
	}
	return nil
}

// checkTick checks a line of the server.
func (r *Reader) checkTick(l *Line) error {
	tick := int64(l.Tick)
	most := r.tick + int64(maxPause*r.Head.Rate)
	switch {
	case r.tickLine > 0 && tick <= r.tick:
		return r.contradicts(r.tickLine, "field k: %d: want more than the %d of line %d", tick, r.tick, r.tickLine)
	case r.tickLine > 0 && tick > most:
		return r.contradicts(r.tickLine, "field k: %d: want at most %d, %d s after line %d", tick, most, maxPause, r.tickLine)
	case r.tickLine > 0 && tick > r.firstTick+int64(maxSeconds*r.Head.Rate):
		return fmt.Errorf("field k: %d: want less than a day after the first, %d", tick, r.firstTick)
	}
	if err := r.checkBodies(l); err != nil {
		return err
	}
	if r.tickLine == 0 {
		r.firstTick = tick
	}
	r.tick, r.tickLine = tick, l.Number
	return nil
}

// checkBodies checks that bodies are in the world, in metres, that a line has each once, and that there are not too many.
func (r *Reader) checkBodies(l *Line) error {
	for _, list := range [...][]Body{l.Bodies, l.Others} {
		for i := range list {
			b := &list[i]
			for _, x := range b.Pos {
				if x := x * r.Head.Unit; x > maxPlace || x < -maxPlace {
					return fmt.Errorf("field b: body %d: position %s m: want at most %s from the origin", b.ID, shortest(x), shortest(maxPlace))
				}
			}
			line, known := r.bodies[b.ID]
			switch {
			case line == l.Number:
				return fmt.Errorf("field b: body %d: given twice: want it once", b.ID)
			case !known && len(r.bodies) == MaxBodies:
				return fmt.Errorf("field b: body %d: want at most %d different bodies in a log", b.ID, MaxBodies)
			}
			r.bodies[b.ID] = l.Number
		}
	}
	return nil
}
