package tape

import (
	"fmt"
	"strconv"
	"strings"

	"ghostcube/sim"
)

var keyLetters = []struct {
	letter byte
	button sim.Buttons
}{{'W', sim.Forward}, {'A', sim.Left}, {'S', sim.Back}, {'D', sim.Right}, {'U', sim.Lift}, {'Z', sim.Pull}, {'E', sim.Use}, {'C', sim.Couple}}

// formatInput returns the text of an input.
func formatInput(in sim.Input) string {
	var b []byte
	for _, k := range keyLetters {
		if in.Buttons&k.button != 0 {
			b = append(b, k.letter)
		}
	}
	if len(b) == 0 {
		b = append(b, '-')
	}
	if in.Heading != 0 {
		b = append(b, '@')
		b = strconv.AppendUint(b, uint64(in.Heading), 10)
	}
	if s := &in.Shot; s.Fired {
		b = append(b, '*')
		b = strconv.AppendUint(b, uint64(s.Yaw), 10)
		if s.Pitch > 0 {
			b = append(b, '+')
		}
		if s.Pitch != 0 {
			b = strconv.AppendInt(b, int64(s.Pitch), 10)
		}
	}
	return string(b)
}

// parseShot parses the part of an input after the asterisk.
func parseShot(s string) (shot sim.Shot, err error) {
	yaw, pitch := s, "+0"
	if i := strings.IndexAny(s, "+-"); i >= 0 {
		yaw, pitch = s[:i], s[i:]
	}
	y, err := strconv.ParseUint(yaw, 10, 16)
	if err != nil || y >= sim.AimSteps {
		return shot, fmt.Errorf("shot %q: yaw: want 0 to %d", s, sim.AimSteps-1)
	}
	n, err := strconv.ParseInt(pitch, 10, 16)
	if err != nil || n < -sim.MaxPitch || n > sim.MaxPitch {
		return shot, fmt.Errorf("shot %q: pitch: want -%d to +%d", s, sim.MaxPitch, sim.MaxPitch)
	}
	return sim.Shot{Fired: true, Yaw: uint16(y), Pitch: int16(n)}, nil
}

// parseInput parses the text of an input.
func parseInput(s string) (in sim.Input, err error) {
	s, aim, fired := strings.Cut(s, "*")
	if fired {
		if in.Shot, err = parseShot(aim); err != nil {
			return in, err
		}
	}
	letters, heading, hasHeading := strings.Cut(s, "@")
	if hasHeading {
		h, err := strconv.ParseUint(heading, 10, 8)
		if err != nil {
			return in, fmt.Errorf("input %q: heading: want 0 to 255", s)
		}
		in.Heading = uint8(h)
	}
	if letters == "-" {
		return in, nil
	}
next:
	for i := range len(letters) {
		for _, k := range keyLetters {
			if letters[i] == k.letter {
				in.Buttons |= k.button
				continue next
			}
		}
		return in, fmt.Errorf("input %q: want letters of WASDUZEC, or -", s)
	}
	if letters == "" {
		return in, fmt.Errorf("input %q: want letters of WASDUZEC, or -", s)
	}
	return in, nil
}
