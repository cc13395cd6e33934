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
		b = fmt.Appendf(b, "@%d", in.Heading)
	}
	if s := &in.Shot; s.Fired {
		b = fmt.Appendf(b, "*%d", s.Yaw)
		if s.Pitch != 0 {
			b = fmt.Appendf(b, "%+d", s.Pitch)
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
		return shot, fmt.Errorf("shot %.60q: yaw: want 0 to %d", s, sim.AimSteps-1)
	}
	n, err := strconv.ParseInt(pitch, 10, 16)
	if err != nil || n < -sim.MaxPitch || n > sim.MaxPitch {
		return shot, fmt.Errorf("shot %.60q: pitch: want -%d to +%d", s, sim.MaxPitch, sim.MaxPitch)
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
			return in, fmt.Errorf("input %.60q: heading: want 0 to 255", s)
		}
		in.Heading = uint8(h)
	}
	if letters == "-" {
		return in, nil
	}
	if letters == "" || strings.Trim(letters, "WASDUZEC") != "" {
		return in, fmt.Errorf("input %.60q: want letters of WASDUZEC, or -", s)
	}
	for _, k := range keyLetters {
		if strings.IndexByte(letters, k.letter) >= 0 {
			in.Buttons |= k.button
		}
	}
	return in, nil
}
