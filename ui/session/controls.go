package session

import (
	"math"
	"slices"
	"strconv"

	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage"
)

// Controls are what keys, buttons and the pointer do to a session, as commands.
type Controls struct {
	session *Session
	tuned   map[tunedKey]string // specs of strategies that have been switched away
}

// NudgeServer moves the server's cube by 1 m, which clients cannot predict. It reports whether that is possible.
func (c *Controls) NudgeServer() bool {
	return c.session.Do(lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"})
}

// FreezeClients stops all clients for 2 s. It reports whether that is possible.
func (c *Controls) FreezeClients() bool {
	return c.session.Do(lab.Command{Verb: "freeze", Pane: lab.AllPanes, Value: "2s"})
}

// KillClient kills and revives the first client of every pane. A pane without messages gets them, because the client
// has to ask for the world. It reports whether that is possible.
func (c *Controls) KillClient() bool {
	for i, p := range c.session.Lab.Panes {
		if p.CanRejoin() != nil {
			c.session.Do(lab.Command{Verb: "set", Pane: i, Name: "messages", Value: "reliable"})
		}
	}
	return c.session.Do(lab.Command{Verb: "rejoin", Pane: lab.AllPanes, Name: "1"})
}

// clockChoices are the values of keys for each setting of the clients' clocks.
var clockChoices = map[string][]string{"skew": {"off", "500", "-500"}, "fps": {"off", "20", "144"}}

// ClockSetting returns a setting of the first client of the focused pane, as a command has it.
func (c *Controls) ClockSetting(name string) string {
	l := c.session.Lab
	fault := l.Panes[l.Focus()].ClockFault(0)
	n := map[string]int{"skew": fault.Skew, "fps": fault.FrameRate}[name]
	if n == 0 {
		return "off"
	}
	return strconv.Itoa(n)
}

// CycleClock gives a setting of all clients' clocks the next of its choices. It reports whether that is possible.
func (c *Controls) CycleClock(name string) bool {
	choices := clockChoices[name]
	next := choices[(slices.Index(choices, c.ClockSetting(name))+1)%len(choices)]
	return c.session.Do(lab.Command{Verb: "clock", Pane: lab.AllPanes, Name: name, Value: next})
}

// ScaleSpeed multiplies the session's speed, within 1/16 and 4.
func (c *Controls) ScaleSpeed(by float64) {
	present := c.session.Settings().Speed
	if speed := min(max(present*by, 1./16), 4); speed != present {
		c.session.Do(stage.Show("speed", strconv.FormatFloat(speed, 'g', -1, 64)))
	}
}

// MoveCamera sets the camera's direction, in degrees, and its distance, in metres, within their bounds.
func (c *Controls) MoveCamera(yaw, pitch, distance float64) {
	show := c.session.Settings()
	c.setCamera("yaw", show.Yaw, math.Mod(yaw, 360))
	c.setCamera("pitch", show.Pitch, min(max(pitch, 4), 80))
	c.setCamera("distance", show.Distance, min(max(distance, 4), 50))
}

// setCamera sets a display setting of the camera to a rounded value, if that differs from the present one.
func (c *Controls) setCamera(name string, present, value float64) {
	value = math.Round(value*100) / 100
	if value != present {
		c.session.Do(stage.Show(name, strconv.FormatFloat(value, 'g', -1, 64)))
	}
}

// Inputs makes the inputs of both players, relative to the camera. Where one player sits here, the second
// player's keys are the first one's as well. An input without buttons has no heading, so that the camera alone
// changes no session.
func (c *Controls) Inputs(first, second sim.Buttons) (inputs [2]sim.Input) {
	s := c.session
	h := cameraHeading(s.Settings().Yaw)
	if s.Lab.Players() < 2 || s.Remote != nil {
		first, second = first|second, 0
	}
	for i, b := range [2]sim.Buttons{first, second} {
		if b != 0 {
			inputs[i] = sim.Input{Buttons: b, Heading: h}
		}
	}
	return inputs
}

// cameraHeading returns the heading of a camera with a yaw in degrees.
func cameraHeading(yaw float64) uint8 {
	return uint8(int(math.Round(yaw*sim.HeadingSteps/360)) & (sim.HeadingSteps - 1))
}

// LevelShot returns a horizontal shot in the direction of the camera.
func (c *Controls) LevelShot() sim.Shot {
	sin, cos := math.Sincos(c.session.Settings().Yaw * math.Pi / 180)
	return sim.Aim(geom.Vec3{X: float32(-sin), Y: float32(cos)})
}

// SwitchStrategy gives the focused pane the strategy of an index in lab.Strategies, if there is one, with the knobs
// that were tuned when the pane last ran it.
func (c *Controls) SwitchStrategy(index int) {
	s := c.session
	if index >= len(lab.Strategies) {
		return
	}
	focus := s.Lab.Focus()
	if s.Do(c.SwitchCommand(focus, lab.Strategies[index].Name)) {
		s.Notices.Post("pane " + strconv.Itoa(focus+1) + ": " + s.Lab.Panes[focus].Spec())
	}
}

// FocusNext moves the focus to the next pane.
func (c *Controls) FocusNext() {
	s := c.session
	if n := len(s.Lab.Panes); n > 1 {
		s.Do(lab.Command{Verb: "focus", Pane: (s.Lab.Focus() + 1) % n})
	}
}

// CycleSetting gives a display setting the next of its options, or the one before.
func (c *Controls) CycleSetting(d *stage.Setting, back bool) {
	s := c.session
	show, options, by := s.Settings(), d.Options(), 1
	if back {
		by = len(options) - 1
	}
	next := (slices.Index(options, d.Value(&show)) + by) % len(options)
	if s.Do(stage.Show(d.Name, options[next])) {
		if now := s.Settings(); d.Value(&now) == d.Value(&show) {
			s.Notices.Post(d.Name + ": a watcher has the server's picture alone")
		}
	}
	if c := s.Settings().Coloring; c != show.Coloring {
		s.Notices.Post("coloured by " + c.Meaning())
	}
}

// NextScreen shows the screen of the next player in the focused pane, or lets a watcher look at that player.
func (c *Controls) NextScreen() {
	s := c.session
	focus, show := s.Lab.Focus(), s.Settings()
	p := s.Lab.Panes[focus]
	switch players := s.Lab.Players(); {
	case s.Lab.Watches() && players > 1:
		next := (show.Followed(focus, s.Lab) + 1) % players
		s.Do(stage.Show("player", show.Screens.With(focus, next+1).String()))
		s.Notices.Post("you look at player " + strconv.Itoa(next+1))
		return
	case s.Lab.Remote() && players > 1:
		s.Notices.Post("the other players' screens are on their machines: who joins with --watch can look at each of them")
		return
	case len(p.Clients) == 1:
		s.Notices.Post("there is one client: scenes such as two-players have more")
		return
	}
	next := (show.Client(focus, p) + 1) % len(p.Clients)
	s.Do(stage.Show("player", show.Screens.With(focus, next+1).String()))
	s.Notices.Post("pane " + strconv.Itoa(focus+1) + ": player " + strconv.Itoa(next+1) + "'s screen")
}

// ZoomLanes changes the time that the lanes show.
func (c *Controls) ZoomLanes(wheel float64) {
	s := c.session
	present := s.Settings().LaneSpan
	span := min(max(present*math.Pow(0.9, wheel), 0.25), 10)
	if span = math.Round(span*100) / 100; span != present {
		s.Do(stage.Show("lane-span", strconv.FormatFloat(span, 'f', -1, 64)))
	}
}

// tunedKey names a strategy or a preset that a pane has run.
type tunedKey struct {
	pane *lab.Pane
	name string
}

// SwitchCommand returns the command that gives a pane another strategy or preset, with the knobs that were tuned when
// the pane last ran it. It remembers the knobs of the present one. The name is that of a strategy or a preset.
func (c *Controls) SwitchCommand(pane int, name string) lab.Command {
	present := c.session.Lab.Panes[pane]
	if c.tuned == nil {
		c.tuned = map[tunedKey]string{}
	}
	c.tuned[tunedKey{present, present.Title()}] = present.Spec()
	spec, ok := c.tuned[tunedKey{present, name}]
	if !ok {
		spec = c.session.Library.ExpandSpec(name)
	}
	return lab.Command{Verb: "switch", Pane: pane, Name: spec}
}
