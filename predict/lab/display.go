package lab

import "slices"

// DisplaySetting is what one show command asks of the screen. The lab stores the two texts for tapes, forks and videos; what they
// mean, and which there are, only ui/stage knows.
type DisplaySetting struct{ Name, Value string }

// Display returns the display settings of the session, each name once with its newest value, in the order in which the names were
// first set. The slice belongs to the lab and is only to be read.
func (l *Lab) Display() []DisplaySetting { return l.display }

// Focus returns the index of the pane that the human reacts to: the one whose strategy keys and panel change.
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
