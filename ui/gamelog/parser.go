package gamelog

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parser reads the JSON of a line without allocating. It knows the fields of a log, so its errors say what is allowed.
type parser struct {
	b     []byte
	at    int  // index into b
	later bool // field t is not the first one, and has not been passed
}

// maxDepth is the depth of the deepest value of an unknown field.
const maxDepth = 16

// errCutOff is the error of a line that ends too early.
var errCutOff = errors.New("the line ends before its object does: want one JSON object a line")

// parse reads a line into l, whose slices it reuses.
func (p *parser) parse(line []byte, l *Line) error {
	*l = Line{Number: l.Number, Unit: 1, Player: -1, Bodies: l.Bodies[:0], Others: l.Others[:0]}
	p.b, p.at, p.later = line, 0, false
	if !utf8.Valid(line) {
		return errors.New("not UTF-8: want JSON in UTF-8")
	}
	if !p.accept('{') {
		return fmt.Errorf("%s: want a JSON object, such as {\"t\":\"s\",\"k\":67,\"b\":[[1,0,0.5,0]]}", p.quoted())
	}
	if err := p.parseKind(l); err != nil {
		return err
	}
	list := fields[strings.IndexByte(kinds, l.Kind)]
	var seen uint32
	for first := p.later; first || p.accept(','); first = false {
		name, err := p.parseName()
		if err != nil {
			return err
		}
		if err := p.parseField(l, list, name, &seen); err != nil {
			return err
		}
	}
	if !p.accept('}') {
		return p.expected("a comma or }")
	}
	if p.skipSpace(); p.at < len(p.b) {
		return fmt.Errorf("%s after the object: want one JSON object a line", p.quoted())
	}
	for i := range list {
		if f := &list[i]; !f.optional && seen&(1<<i) == 0 {
			return fmt.Errorf("field %s: missing: want %s", f.name, f.want())
		}
	}
	return nil
}

// parseKind reads field t. If it is the first one, as in most logs, the parser stays behind it, and otherwise before the first.
func (p *parser) parseKind(l *Line) error {
	want := "want one of " + strings.Join(strings.Split(kinds, ""), " ")
	begin := p.at
	for {
		name, err := p.parseName()
		if err != nil {
			return err
		}
		if name == "t" {
			break
		}
		p.later = true
		if err := p.skipValue(0); err != nil {
			return fmt.Errorf("field %.40s: %w", name, err)
		}
		if !p.accept(',') {
			return fmt.Errorf("field t: missing: %s", want)
		}
	}
	from := p.at
	v, ok, err := p.parseText()
	if err != nil {
		return fmt.Errorf("field t: %w", err)
	}
	if !ok || len(v) != 1 || !strings.Contains(kinds, v) {
		return fmt.Errorf("field t: %s: %s", p.quotedFrom(from), want)
	}
	l.Kind = v[0]
	if p.later {
		p.at = begin
	}
	return nil
}

// parseField reads the value of a field. An unknown one is skipped.
func (p *parser) parseField(l *Line, list []field, name string, seen *uint32) error {
	for i := range list {
		f := &list[i]
		if f.name != name {
			continue
		}
		if *seen&(1<<i) != 0 {
			return fmt.Errorf("field %s: given twice: want it once", name)
		}
		*seen |= 1 << i
		if err := p.parseValue(l, f); err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		return nil
	}
	if name == "t" && !p.later {
		return errors.New("field t: given twice: want it once")
	}
	p.later = p.later && name != "t"
	if err := p.skipValue(0); err != nil {
		return fmt.Errorf("field %.40s: %w", name, err)
	}
	return nil
}

// parseValue reads the value of a field.
func (p *parser) parseValue(l *Line, f *field) (err error) {
	p.skipSpace()
	var v value
	from, ok := p.at, false
	switch f.kind {
	case whole, number:
		v.number, ok, err = p.parseNumber()
		ok = ok && v.number >= f.min && v.number <= f.max && (f.kind == number || v.number == math.Trunc(v.number))
	case truth:
		v.truth, ok = p.acceptWord("true"), true
		ok = v.truth || p.acceptWord("false")
	case bodies:
		list := &l.Bodies
		if f.name == "o" {
			list = &l.Others
		}
		return p.parseBodies(list, f)
	default:
		v.text, ok, err = p.parseText()
		ok = ok && len(v.text) <= maxText && allowed(f, &v)
	}
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%s: want %s", p.quotedFrom(from), f.want())
	}
	f.set(l, &v)
	return nil
}

// allowed reports whether a field allows a text, and turns the letters of keys into buttons.
func allowed(f *field, v *value) bool {
	for _, c := range f.choices {
		if c == v.text {
			return true
		}
	}
	if f.kind != keys {
		return len(f.choices) == 0
	}
	buttons := 0
	for i := range len(v.text) {
		k := strings.IndexByte(keyLetters, v.text[i])
		if k < 0 {
			return false
		}
		buttons |= int(keyButtons[k])
	}
	v.number = float64(buttons)
	return true
}

// parseBodies reads a list of bodies.
func (p *parser) parseBodies(list *[]Body, f *field) error {
	from := p.at
	if !p.accept('[') {
		return fmt.Errorf("%s: want %s", p.quotedFrom(from), f.want())
	}
	if p.accept(']') {
		return nil
	}
	for {
		if len(*list) == MaxBodies {
			return fmt.Errorf("more than %d bodies: want %s", MaxBodies, f.want())
		}
		b, err := p.parseBody(f)
		if err != nil {
			return fmt.Errorf("body %d of the list: %w", len(*list)+1, err)
		}
		*list = append(*list, b)
		if p.accept(']') {
			return nil
		}
		if !p.accept(',') {
			return p.expected("a comma or ]")
		}
	}
}

// parseBody reads a body.
func (p *parser) parseBody(f *field) (b Body, err error) {
	p.skipSpace()
	var numbers [8]float64
	from, n := p.at, 0
	ok := p.accept('[')
	for ok && n < len(numbers) {
		p.skipSpace()
		if numbers[n], ok, err = p.parseNumber(); err != nil {
			return b, err
		}
		if n++; !p.accept(',') {
			break
		}
	}
	if !ok || !p.accept(']') || n != 4 && n != len(numbers) {
		return b, fmt.Errorf("%s: want %s", p.quotedFrom(from), f.want())
	}
	if id := numbers[0]; id != math.Trunc(id) || id < 0 || id > maxTick {
		return b, fmt.Errorf("id %s: want a whole number from 0 to %d", shortest(id), maxTick)
	}
	b.ID, b.Pos, b.Rot = int32(numbers[0]), [3]float64(numbers[1:4]), [4]float32{3: 1}
	const most = maxPlace / minUnit
	for _, x := range b.Pos {
		if math.Abs(x) > most {
			return b, fmt.Errorf("position %s: want -%s to %s", shortest(x), shortest(most), shortest(most))
		}
	}
	if n == 4 {
		return b, nil
	}
	q, square := numbers[4:], 0.0
	for _, x := range q {
		square += float64(x * x)
	}
	if !(square > 0.8 && square < 1.2) {
		return b, fmt.Errorf("quaternion %v: want one of length 1, as x y z w", q)
	}
	for i, x := range q {
		b.Rot[i] = float32(x / math.Sqrt(square))
	}
	return b, nil
}

// skipSpace moves to the next character that is no space.
func (p *parser) skipSpace() {
	for p.at < len(p.b) && (p.b[p.at] == ' ' || p.b[p.at] == '\t' || p.b[p.at] == '\r') {
		p.at++
	}
}

// accept moves beyond a character, if it is the next one.
func (p *parser) accept(c byte) bool {
	if p.skipSpace(); p.at < len(p.b) && p.b[p.at] == c {
		p.at++
		return true
	}
	return false
}

// acceptWord moves beyond a word, if it is the next one.
func (p *parser) acceptWord(word string) bool {
	if strings.HasPrefix(string(p.b[p.at:min(p.at+len(word), len(p.b))]), word) {
		p.at += len(word)
		return true
	}
	return false
}

// parseName reads the name of a field, and its colon.
func (p *parser) parseName() (name string, err error) {
	p.skipSpace()
	name, ok, err := p.parseText()
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", p.expected("the name of a field in quotes")
	case !p.accept(':'):
		return "", p.expected("a colon")
	}
	return name, nil
}

// parseText reads a text. ok is false if there is none.
func (p *parser) parseText() (s string, ok bool, err error) {
	if !p.accept('"') {
		return "", false, nil
	}
	from, escaped := p.at, false
	for ; p.at < len(p.b) && p.b[p.at] != '"'; p.at++ {
		if p.b[p.at] == '\\' {
			escaped = true
			p.at++
		}
	}
	if p.at >= len(p.b) {
		return "", false, errCutOff
	}
	p.at++
	raw := p.b[from-1 : p.at]
	if escaped || !plain(raw) {
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", false, fmt.Errorf("%.40q: want a JSON string", raw)
		}
		return s, true, nil
	}
	return interned(raw[1 : len(raw)-1]), true, nil
}

// plain reports whether a text has no control characters, which JSON does not allow.
func plain(b []byte) bool {
	for _, c := range b {
		if c < ' ' {
			return false
		}
	}
	return true
}

// interned returns a text. Those that logs consist of take no memory.
func interned(b []byte) string {
	for _, s := range [...]string{"t", "k", "us", "b", "v", "s", "i", "p", "c", "r", "in", "id", "ko", "o", "n", "dir", "bytes", "delay", "up", "down", "keys"} {
		if string(b) == s {
			return s
		}
	}
	return string(b)
}

// parseNumber reads a number as JSON has it. ok is false if there is none.
func (p *parser) parseNumber() (v float64, ok bool, err error) {
	from := p.at
	digits := func() bool {
		start := p.at
		for p.at < len(p.b) && p.b[p.at] >= '0' && p.b[p.at] <= '9' {
			p.at++
		}
		return p.at > start
	}
	next := func(set string) bool {
		if p.at < len(p.b) && strings.IndexByte(set, p.b[p.at]) >= 0 {
			p.at++
			return true
		}
		return false
	}
	next("-")
	first := p.at
	ok = digits() && (p.at == first+1 || p.b[first] != '0')
	if ok && next(".") {
		ok = digits()
	}
	if ok && next("eE") {
		next("+-")
		ok = digits()
	}
	if !ok {
		if p.at == len(p.b) {
			return 0, false, errCutOff
		}
		return 0, false, nil
	}
	v, err = strconv.ParseFloat(string(p.b[from:p.at]), 64)
	return v, err == nil, nil
}

// skipValue reads any value.
func (p *parser) skipValue(depth int) error {
	if p.skipSpace(); p.at == len(p.b) {
		return errCutOff
	}
	if depth > maxDepth {
		return fmt.Errorf("deeper than %d values in values", maxDepth)
	}
	switch c := p.b[p.at]; {
	case c == '"':
		_, _, err := p.parseText()
		return err
	case c == '[' || c == '{':
		return p.skipList(c, depth)
	case p.acceptWord("true") || p.acceptWord("false") || p.acceptWord("null"):
		return nil
	}
	_, ok, err := p.parseNumber()
	if err == nil && !ok {
		err = p.expected("a JSON value")
	}
	return err
}

// skipList reads a list or an object.
func (p *parser) skipList(open byte, depth int) error {
	p.at++
	end := open + 2 // ] or }
	if p.accept(end) {
		return nil
	}
	for {
		if open == '{' {
			if _, err := p.parseName(); err != nil {
				return err
			}
		}
		if err := p.skipValue(depth + 1); err != nil {
			return err
		}
		if p.accept(end) {
			return nil
		}
		if !p.accept(',') {
			return p.expected("a comma or " + string(end))
		}
	}
}

// expected returns an error that says what should come next.
func (p *parser) expected(what string) error {
	if p.skipSpace(); p.at == len(p.b) {
		return errCutOff
	}
	return fmt.Errorf("column %d: %s: want %s", p.at+1, p.quoted(), what)
}

// quoted returns the text that comes next.
func (p *parser) quoted() string { return p.quotedFrom(p.at) }

// quotedFrom returns the text from an index on: up to the next comma, or a little more than one number.
func (p *parser) quotedFrom(from int) string {
	s := p.b[min(from, len(p.b)):]
	if len(s) > 0 && s[0] == ' ' {
		s = s[1:]
	}
	if i := strings.IndexAny(string(s[:min(len(s), 24)]), ",}"); i > 0 && s[0] != '[' {
		s = s[:i]
	}
	if len(s) > 24 {
		s = s[:24]
	}
	if len(s) > 0 && s[0] == '"' && utf8.Valid(s) && plain(s) {
		return string(s)
	}
	return strconv.Quote(string(s))
}
