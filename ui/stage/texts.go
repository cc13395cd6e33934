package stage

import (
	"strconv"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
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

// unchanged keeps what a Stage derives from a session and what seldom changes.
type unchanged struct {
	display  []lab.DisplaySetting // of which settings are
	settings Settings
	known    bool // settings

	network     link.Network // of which networkText is
	networkText string
}

// settingsOf returns SettingsOf(l).
func (s *Stage) settingsOf(l *lab.Lab) Settings {
	k, display := &s.unchanged, l.Display()
	same := k.known && len(display) == len(k.display)
	for i := 0; same && i < len(display); i++ {
		same = display[i] == k.display[i]
	}
	if !same {
		k.display, k.settings, k.known = append(k.display[:0], display...), SettingsOf(l), true
	}
	return k.settings
}

// describeNetwork returns networkText of the session.
func (s *Stage) describeNetwork(n *link.Network) string {
	if k := &s.unchanged; k.networkText == "" || k.network != *n {
		k.network, k.networkText = *n, networkText(n)
	}
	return s.unchanged.networkText
}
