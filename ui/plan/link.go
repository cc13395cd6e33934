package plan

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
)

// ParseLink returns the settings of a link to a session. What precedes the question mark is not looked at.
func ParseLink(text string) (Settings, error) {
	var s Settings
	if i := strings.IndexByte(text, '?'); i >= 0 {
		text = text[i+1:]
	}
	text, _, _ = strings.Cut(text, "#")
	values, err := url.ParseQuery(text)
	if err != nil {
		return s, &SettingError{"link", "", err}
	}
	fields := map[string]*string{
		"scene": &s.Scene, "panes": &s.Panes, "network": &s.Network, "seat": &s.Seat, "seed": &s.Seed, "rate": &s.Rate,
		"tape": &s.Tape, "compare": &s.Compare, "fault": &s.Fault,
	}
	for name, list := range values {
		value := list[len(list)-1]
		switch {
		case name == "fault-every":
			if s.FaultEvery, err = time.ParseDuration(value); err != nil {
				return s, &SettingError{name, value, errors.New("want a duration such as 5s")}
			}
		case name == "seconds":
			if s.Seconds, err = strconv.ParseFloat(value, 64); err != nil {
				return s, &SettingError{name, value, errors.New("want a number")}
			}
		case fields[name] != nil:
			*fields[name] = value
		default:
			choices := []string{"fault-every", "seconds"}
			for n := range fields {
				choices = append(choices, n)
			}
			slices.Sort(choices)
			return s, &link.UnknownNameError{Kind: "parameter", Name: name, Choices: choices}
		}
	}
	return s, nil
}
