package hud

import (
	"strconv"
	"time"

	"ghostcube/net/link"
	"ghostcube/render"
)

// texts builds texts from parts, in memory that it uses again. The texts are valid until Reset.
type texts struct {
	render.Texts
	b []byte // the one that is being built
}

// add appends a part.
func (t *texts) add(s string) *texts {
	t.b = append(t.b, s...)
	return t
}

// int appends a whole number.
func (t *texts) int(n int) *texts {
	t.b = strconv.AppendInt(t.b, int64(n), 10)
	return t
}

// fixed appends a number with a number of digits after the point.
func (t *texts) fixed(v float64, digits int) *texts {
	t.b = strconv.AppendFloat(t.b, v, 'f', digits, 64)
	return t
}

// short appends a number with a number of digits in all.
func (t *texts) short(v float64, digits int) *texts {
	t.b = strconv.AppendFloat(t.b, v, 'g', digits, 64)
	return t
}

// count appends a number with its noun, such as 1 stall or 2 stalls.
func (t *texts) count(n int, noun string) *texts {
	if t.int(n).add(" ").add(noun); n != 1 {
		t.add("s")
	}
	return t
}

// bits appends a number of bits with three digits or more.
func (t *texts) bits(bits float32) *texts {
	digits := 2
	switch {
	case bits >= 99.95:
		digits = 0
	case bits >= 9.995:
		digits = 1
	}
	t.b = strconv.AppendFloat(t.b, float64(bits), 'f', digits, 32)
	return t
}

// bytes appends a size with its unit.
func (t *texts) bytes(n float64) *texts {
	if n >= 1000 {
		return t.short(n/1000, 3).add(" kB")
	}
	return t.short(n, 3).add(" bytes")
}

// rate appends kilobits per second, from 1,000 as megabits.
func (t *texts) rate(kbit float64) *texts {
	value, unit, digits := rateUnit(kbit)
	return t.fixed(value, digits).add(" ").add(unit)
}

// rateUnit returns a number of kilobits per second in the unit that suits it, with the digits of its fraction.
func rateUnit(kbit float64) (value float64, unit string, digits int) {
	switch {
	case kbit < 999.5:
		return kbit, "kbit/s", 0
	case kbit < 9995:
		return kbit / 1000, "Mbit/s", 2
	}
	return kbit / 1000, "Mbit/s", 1
}

// end returns the text and begins the next.
func (t *texts) end() string {
	s := t.Keep(t.b)
	t.b = t.b[:0]
	return s
}

// truncate returns s, or its longest beginning that fits into width pixels with an ellipsis.
func (t *texts) truncate(f render.Font, s string, width float32) string {
	kept := f.Fit(s, width)
	if len(kept) == len(s) || kept == "" {
		return kept
	}
	return t.add(kept).add(render.Ellipsis).end()
}

// keptText is a text in memory of its own.
type keptText struct {
	text  string
	texts render.Texts
}

// set makes k a copy of a text, which may not be k's own.
func (k *keptText) set(s string) {
	k.texts.Reset()
	k.text = k.texts.KeepString(s)
}

// clone returns a copy that shares no memory with k.
func (k *keptText) clone() (c keptText) {
	c.set(k.text)
	return c
}

// keptNetwork keeps the description of the session's network, which seldom changes.
type keptNetwork struct {
	network link.Network
	text    string
}

// describe returns networkText of a network.
func (k *keptNetwork) describe(n *link.Network) string {
	if k.text == "" || k.network != *n {
		k.network, k.text = *n, networkText(n)
	}
	return k.text
}

// gap appends a short distance with its unit: millimetres with a digit more below ten.
func (t *texts) gap(m float64) *texts {
	digits := 0
	if m < 0.00995 {
		digits = 1
	}
	return t.fixed(m*1000, digits).add(" mm")
}

// clock appends a time as minutes and seconds.
func (t *texts) clock(at time.Duration) *texts {
	s := int(at / (100 * time.Millisecond))
	if t.int(s / 600).add(":"); s/10%60 < 10 {
		t.add("0")
	}
	return t.int(s / 10 % 60).add(".").int(s % 10)
}

// countText returns a number with its noun, such as 1 stall or 2 stalls.
func countText(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
