package lab

import (
	"fmt"
	"math"
	"strconv"

	"ghostcube/predict"
)

// Show is how a session wants to be looked at. No strategy sees it and no hash
// holds it; it is part of the session so that a tape's film shows what its
// player saw.
type Show struct {
	Split    bool    // client left and server right, instead of ghosts in the client's picture
	Ghosts   bool    // the server's cubes and the last snapshot, drawn through
	Trail    bool    // the remembered past
	Graphs   bool    // in films
	Yaw      float64 // degrees counter-clockwise by which the camera's view is turned from +y
	Pitch    float64 // degrees by which it looks down
	Distance float64 // metres from the player
	Speed    float64 // of the session's time, 1 as it is
	Focus    int     // index of the pane that the human plays
}

// DefaultShow is how a session is looked at before anyone says otherwise.
var DefaultShow = Show{Split: true, Ghosts: true, Trail: true, Graphs: true, Yaw: 0, Pitch: 24, Distance: 12, Speed: 1}

// showNames are the things that a show command may set.
var showNames = []string{"split", "ghosts", "trail", "graphs", "yaw", "pitch", "distance", "speed", "focus"}

func (s *Show) set(name, value string) error {
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
		if err != nil || n < 1 || n > MostPanes {
			return fmt.Errorf("focus=%s: want 1 to %d", value, MostPanes)
		}
		s.Focus = n - 1
		return nil
	}
	return &predict.Unknown{Kind: "part of the picture", Name: name, Known: showNames}
}
