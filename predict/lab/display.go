package lab

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ghostcube/predict"
)

// Display is how a session wants to be looked at. No strategy sees it and no hash
// holds it; it is part of the session so that a tape's film shows what its
// player saw.
type Display struct {
	Split     bool     // client left and server right, instead of ghosts in the client's picture
	Ghosts    bool     // the server's cubes and the last snapshot, drawn through
	Trail     bool     // the remembered past
	Graphs    bool     // in films
	Coloring  Coloring // what the bodies are coloured by
	Simulated bool     // the outlines of bodies as they are simulated, where they are drawn otherwise
	Packet    bool     // what the last packet to the client was made of, and what the budget gave it
	Ages      bool     // how old the server's last word of the bodies is, as a histogram
	Latency   bool     // how long what the first player does takes to be seen, stage by stage
	Shots     bool     // what players have shot at in the last second, and what became of it
	Parents   bool     // the boxes in which the player's cube looks for what carries it
	Yaw       float64  // degrees counter-clockwise by which the camera's view is turned from +y
	Pitch     float64  // degrees by which it looks down
	Distance  float64  // metres from the player
	Speed     float64  // of the session's time, 1 as it is
	Focus     int      // index of the pane that the human plays
}

// Coloring is what bodies are coloured by.
type Coloring uint8

// The tints.
const (
	NoColoring   Coloring = iota // as things are
	ByPriority                   // added up at the server
	ByAge                        // of the server's last word
	ByEncoding                   // of that word
	ByAuthority                  // whose body it is
	ByJointDepth                 // how many joints are between it and the root of its tree
)

// ColoringNames are the tints as a show command calls them.
var ColoringNames = []string{"off", "priority", "age", "encoding", "authority", "joint-depth"}

// String returns the tint's name.
func (t Coloring) String() string { return ColoringNames[t] }

// DefaultDisplay is how a session is looked at before anyone says otherwise.
var DefaultDisplay = Display{Split: true, Ghosts: true, Trail: true, Graphs: true, Shots: true, Yaw: 0, Pitch: 24, Distance: 12, Speed: 1}

// displaySettings are the things that a show command may set.
var displaySettings = []string{"split", "ghosts", "trail", "graphs", "color", "simulated", "packet", "ages", "latency", "shots", "parents", "yaw", "pitch", "distance", "speed", "focus"}

func (s *Display) set(name, value string) error {
	flag := func(p *bool) error {
		switch value {
		case "on":
			*p = true
		case "off":
			*p = false
		default:
			return fmt.Errorf("%s=%s: want on or off", name, value)
		}
		return nil
	}
	number := func(p *float64, low, high float64) error {
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(f) || f < low || f > high {
			return fmt.Errorf("%s=%s: want %g to %g", name, value, low, high)
		}
		*p = f
		return nil
	}
	switch name {
	case "split":
		return flag(&s.Split)
	case "ghosts":
		return flag(&s.Ghosts)
	case "trail":
		return flag(&s.Trail)
	case "graphs":
		return flag(&s.Graphs)
	case "color":
		i := slices.Index(ColoringNames, value)
		if i < 0 {
			return &predict.UnknownNameError{Kind: "color", Name: value, Known: ColoringNames}
		}
		s.Coloring = Coloring(i)
		return nil
	case "simulated":
		return flag(&s.Simulated)
	case "packet":
		return flag(&s.Packet)
	case "ages":
		return flag(&s.Ages)
	case "latency":
		return flag(&s.Latency)
	case "shots":
		return flag(&s.Shots)
	case "parents":
		return flag(&s.Parents)
	case "yaw":
		return number(&s.Yaw, -360, 360)
	case "pitch":
		return number(&s.Pitch, 2, 85)
	case "distance":
		return number(&s.Distance, 3, 60)
	case "speed":
		return number(&s.Speed, 1./16, 4)
	case "focus":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > MaxPanes {
			return fmt.Errorf("focus=%s: want 1 to %d", value, MaxPanes)
		}
		s.Focus = n - 1
		return nil
	}
	return &predict.UnknownNameError{Kind: "part of the picture", Name: name, Known: displaySettings}
}

// ParseDisplay reads settings of the picture such as color=age,simulated=on and returns
// the commands that make them. No text is none.
func ParseDisplay(text string) (list []Command, err error) {
	if text == "" {
		return nil, nil
	}
	s := DefaultDisplay
	for _, one := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(one), "=")
		if !ok {
			return nil, fmt.Errorf("%q: want a part of the picture and how it shall be, such as color=age", one)
		}
		if err := s.set(name, value); err != nil {
			return nil, err
		}
		list = append(list, Command{Verb: "show", Pane: AllPanes, Name: name, Value: value})
	}
	return list, nil
}
