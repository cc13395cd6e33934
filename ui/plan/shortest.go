package plan

import (
	"errors"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
)

// Shortest returns the settings without those that the comparison, the tape or the defaults have anyway. New plans the
// same session from either. Profiles and built-in traces of a network have their names.
func (l *Library) Shortest(s Settings) (Settings, error) {
	base, err := l.New(Settings{Compare: s.Compare, Tape: s.Tape}, Settings{}, "")
	if err != nil {
		return s, err
	}
	usual, by := &base.Settings, shortener{l}
	same := map[string]func(a, b string) bool{"panes": by.samePanes, "network": by.sameNetwork}
	texts := usual.texts()
	for i, x := range s.texts() {
		switch equal := same[x.name]; {
		case x.name == "compare" || x.name == "tape" || *x.value == "":
		case *x.value == *texts[i].value, equal != nil && equal(*x.value, *texts[i].value):
			*x.value = ""
		}
	}
	if s.FaultEvery == usual.FaultEvery {
		s.FaultEvery = 0
	}
	if s.Seconds == usual.Seconds {
		s.Seconds = 0
	}
	s.Network = by.networkName(s.Network)
	return s, nil
}

// shortener compares and shortens texts of settings by what they mean.
type shortener struct{ library *Library }

// samePanes reports whether two lists of specs open the same panes.
func (s shortener) samePanes(a, b string) bool {
	x, y := strings.Split(a, ","), strings.Split(b, ",")
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if s.fullSpec(x[i]) != s.fullSpec(y[i]) {
			return false
		}
	}
	return true
}

// fullSpec returns a spec with the knobs that differ from their defaults, in the order of the strategy.
func (s shortener) fullSpec(spec string) string {
	spec = s.library.ExpandSpec(spec)
	title, _ := lab.CutTitle(spec)
	strategy, set, err := lab.ParseSpec(spec)
	if err != nil {
		return spec
	}
	knobs, _ := lab.Describe(strategy)
	for _, x := range set {
		if err := knobs.Set(x.Name, x.Value); err != nil {
			return spec
		}
	}
	return strings.Join(append([]string{title + "=" + strategy.Name}, knobs.Changed()...), ":")
}

// parseNetwork returns the conditions of a network's text. ok is false if it has an error.
func (s shortener) parseNetwork(text string) (n link.Network, ok bool) {
	text, err := s.library.InlineTraces(text)
	return n, err == nil && n.Parse(text) == nil
}

// sameNetwork reports whether two texts have the same conditions.
func (s shortener) sameNetwork(one, other string) bool {
	x, ok := s.parseNetwork(one)
	y, also := s.parseNetwork(other)
	return ok && also && x.String() == y.String()
}

// networkName returns the name of the profile that a network is, or its text with the names of the traces in it.
func (s shortener) networkName(text string) string {
	n, ok := s.parseNetwork(text)
	if text == "" || !ok {
		return text
	}
	for i := range link.Profiles {
		if p := (link.Network{Up: link.Profiles[i].Up, Down: link.Profiles[i].Down}); p.String() == n.String() {
			return link.Profiles[i].Name
		}
	}
	if !strings.Contains(text, "trace=us/") {
		return text
	}
	for _, name := range s.library.TraceNames() {
		if t, err := s.library.LoadTrace(name); err == nil {
			text = strings.ReplaceAll(text+",", "trace="+t.String()+",", "trace="+name+",")
			text = strings.TrimSuffix(text, ",")
		}
	}
	return text
}

// ErrHappened is the error for a link or a tape of a session that has happened.
var ErrHappened = errors.New("this session is in its captures or its log alone: give others those files")

// LinkTo returns the link to a session that follows its plan, with the shortest settings. A tape that is a file travels in
// it. It is an error if the link would name a file, or be longer than MaxTapeLink.
func (l *Library) LinkTo(m *Plan) (*Link, error) {
	if m.Happened() {
		return nil, ErrHappened
	}
	s := m.Settings
	s.Tape = m.TapeName // also one that nobody asked for
	if m.Comparison != nil {
		s.Compare, s.Tape = m.Comparison.Name, ""
	}
	if s.Tape != "" {
		var err error
		if s.Tape, err = l.portableTape(s.Tape, m.Seconds); err != nil {
			return nil, err
		}
	}
	s, err := l.Shortest(s)
	if err != nil {
		return nil, err
	}
	x := &Link{Settings: s}
	if err := x.CheckLength(); err != nil {
		return nil, err
	}
	_, err = ParseLink(x.String())
	return x, err
}
