package lab

import "slices"

// DisplaySetting is the name and the value of a show command. The lab stores them for tapes, forks and
// videos; only ui/stage knows their meaning.
type DisplaySetting struct{ Name, Value string }

// Display returns the display settings of the session: each name once with its newest value, in the order
// in which the names were first set. The slice is read-only and belongs to the lab.
func (l *Lab) Display() []DisplaySetting { return l.display }

// Focus returns the index of the focused pane: the one that the player watches, and whose strategy and
// knobs the window changes.
func (l *Lab) Focus() int { return l.focus }

// setDisplay stores a display setting.
func (l *Lab) setDisplay(name, value string) {
	i := slices.IndexFunc(l.display, func(s DisplaySetting) bool { return s.Name == name })
	if i < 0 {
		l.display = append(l.display, DisplaySetting{Name: name})
		i = len(l.display) - 1
	}
	l.display[i].Value = value
}
