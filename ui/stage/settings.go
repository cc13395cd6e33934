package stage

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Settings say what of a session is drawn, and from where. They come from the session's show commands; the
// lab stores those without reading them, no strategy sees them, and no hash contains them.
type Settings struct {
	Split     bool // client left and server right, instead of both in one picture
	Ghosts    bool
	Trail     bool
	Graphs    bool
	Explain   bool
	Simulated bool
	Packet    bool
	Ages      bool
	Latency   bool
	Slots     bool
	NetGraph  bool
	Lanes     LaneMode
	LaneSpan  float64 // seconds that the packet lanes show
	LanePeer  float64 // number of the player whose link with the pane's client the lanes show; 0: the server
	Ticks     bool
	Shots     bool
	Parents   bool
	Joints    bool
	Coloring  Coloring
	Screens   Screens // whose screen each pane shows
	Title     Title   // the viewer's own, in the head; empty: that of the comparison, or the scene
	Headline  string  // name of the quantity that is drawn large in each pane, or NoHeadline
	Yaw       float64 // degrees counter-clockwise from +y, of the camera's view
	Pitch     float64 // degrees below the horizon
	Distance  float64 // metres from the camera to the player's body
	Speed     float64 // session seconds per second of video or window; 1 is real time
}

// LaneMode says where a pane shows its packets.
type LaneMode uint8

// The modes.
const (
	NoLanes      LaneMode = iota
	lanesBelow            // below the picture, time from left to right
	LanesBetween          // between the client's and the server's picture, time from top to bottom
)

var laneModeNames = []string{"off", "on", "between"}

// DefaultSettings apply to a session without show commands, but for the camera of some scenes (DefaultsOf).
var DefaultSettings = Settings{
	Split: true, Ghosts: true, Trail: true, Graphs: true, Explain: true, Shots: true, Headline: NoHeadline,
	Pitch: 24, Distance: 12, Speed: 1, LaneSpan: 1, Screens: firstScreens,
}

// Setting is one row of SettingTable.
type Setting struct {
	Name     string // in show commands, in --show and in the panel
	Key      string // letter, semicolon or F4, which changes it in the window; empty: none
	Help     string // what it draws, or its meaning and unit; without a full stop
	Min, Max float64

	// field returns a pointer to the setting's value: *bool, *Coloring, *LaneMode, *Screens, *Title, *string for the name
	// of a quantity, or *float64 for a number in [Min, Max].
	field func(*Settings) any
}

// SettingTable are all settings, in the order in which lists show them. This table feeds the show command,
// --show, list display, the panel, the keys of the window, its help and the check of the table in docs/keys.md. A
// new switch needs a row here, its field in Settings, and code that draws it.
var SettingTable = []Setting{
	{Name: "split", Key: "V", Help: "client and server side by side, or both in one picture", field: func(s *Settings) any { return &s.Split }},
	{Name: "ghosts", Key: "G", Help: "ghosts of the server's bodies and of the last received snapshot", field: func(s *Settings) any { return &s.Ghosts }},
	{Name: "trail", Key: "T", Help: "trail of the player's remembered positions", field: func(s *Settings) any { return &s.Trail }},
	{Name: "graphs", Help: "graph of the path error in each pane, with its corrections", field: func(s *Settings) any { return &s.Graphs }},
	{Name: "explain", Help: "what happens in each pane in plain words: corrections, late inputs, silence, forced faults",
		field: func(s *Settings) any { return &s.Explain }},
	{Name: "simulated", Key: "O", Help: "outlines of simulated poses that differ from the drawn ones", field: func(s *Settings) any { return &s.Simulated }},
	{Name: "packet", Key: "K", Help: "contents and budget of the last packet to the client", field: func(s *Settings) any { return &s.Packet }},
	{Name: "ages", Key: "L", Help: "histogram of snapshot ages of the moving bodies", field: func(s *Settings) any { return &s.Ages }},
	{Name: "latency", Key: "U", Help: "latency from key to screen by stage, mean of 1 s", field: func(s *Settings) any { return &s.Latency }},
	{Name: "slots", Help: "buffers as slots: playout and jitter buffer, snapshot ring, inputs; what the server used in the last ticks",
		field: func(s *Settings) any { return &s.Slots }},
	{Name: "net-graph", Key: "F4", Help: "net graph on the picture: round trip, bandwidth, waiting inputs, resimulated ticks, on one scale in all panes",
		field: func(s *Settings) any { return &s.NetGraph }},
	{Name: "lanes", Key: ";", Help: "packet lanes: every packet as an arrow between client and server; below the picture, or between the two sides",
		field: func(s *Settings) any { return &s.Lanes }},
	{Name: "lane-span", Help: "time that the packet lanes show, s", Min: 0.25, Max: 10, field: func(s *Settings) any { return &s.LaneSpan }},
	{Name: "lane-peer", Help: "packet lanes of a mesh: the link with this player, 0: with the server; player chooses the other end",
		Max: sim.MaxPlayers, field: func(s *Settings) any { return &s.LanePeer }},
	{Name: "ticks", Help: "tick counters: the client's, the server's, and that of the newest received state", field: func(s *Settings) any { return &s.Ticks }},
	{Name: "shots", Key: "Y", Help: "shots of the last second and their results, and effects", field: func(s *Settings) any { return &s.Shots }},
	{Name: "parents", Key: "I", Help: "boxes in which the player's cube looks for a parent", field: func(s *Settings) any { return &s.Parents }},
	{Name: "joints", Help: "marks at open joints, the largest gap in the caption, and the roots of joint trees",
		field: func(s *Settings) any { return &s.Joints }},
	{Name: "color", Key: "C", Help: "colour bodies by priority, age, encoding, authority, joint depth, update rate, prediction, bits or path error",
		field: func(s *Settings) any { return &s.Coloring }},
	{Name: "player", Help: "player whose screen the panes show, or one for each pane, such as 1:2; the figures stay player 1's",
		field: func(s *Settings) any { return &s.Screens }},
	{Name: "headline", Help: "the measure or counter that each pane shows in large type, such as down_kbit_per_second",
		field: func(s *Settings) any { return &s.Headline }},
	{Name: "title", Help: "a title of your own in the head of window and videos, such as Two+cubes; the panel has it on the page Session",
		field: func(s *Settings) any { return &s.Title }},
	{Name: "yaw", Help: "camera direction, degrees counter-clockwise from +y; scenes have their own default", Min: -360, Max: 360,
		field: func(s *Settings) any { return &s.Yaw }},
	{Name: "pitch", Help: "camera pitch, degrees below the horizon; scenes have their own default", Min: 2, Max: 85,
		field: func(s *Settings) any { return &s.Pitch }},
	{Name: "distance", Help: "camera distance, m; scenes have their own default. Farther while client and server are apart", Min: 3, Max: 60,
		field: func(s *Settings) any { return &s.Distance }},
	{Name: "speed", Help: "session speed; 1 is real time", Min: 1. / 16, Max: 4, field: func(s *Settings) any { return &s.Speed }},
}

// SettingsOf returns the display settings of a session. A setting that CheckCommand refuses has its default:
// whoever passes commands from outside to a lab checks them first.
func SettingsOf(l *lab.Lab) Settings {
	s := DefaultsOf(l.Config().Scene)
	for _, d := range l.Display() {
		if row, err := settingNamed(d.Name); err == nil {
			row.parse(&s, d.Value)
		}
	}
	if l.Watches() { // there is one picture, and nothing to compare it with
		s.Split, s.Ghosts, s.Trail, s.Graphs, s.NetGraph = false, false, false, false, false
	}
	return s
}

// keptSettings keeps the settings that a session's display settings gave.
type keptSettings struct {
	display  []lab.DisplaySetting
	settings Settings
	known    bool
}

// Settings returns SettingsOf(l), and derives it anew only when the session's display settings have changed.
func (s *Stage) Settings(l *lab.Lab) Settings {
	k, display := &s.settings, l.Display()
	if !k.known || !slices.Equal(display, k.display) {
		k.display, k.settings, k.known = append(k.display[:0], display...), SettingsOf(l), true
	}
	return k.settings
}

// Apply sets what a show command says. Other commands, and those that CheckCommand refuses, change nothing.
func (s *Settings) Apply(c lab.Command) {
	if c.Verb != "show" {
		return
	}
	if row, err := settingNamed(c.Name); err == nil {
		row.parse(s, c.Value)
	}
}

// AnyGauge reports whether a gauge is shown.
func (s *Settings) AnyGauge() bool { return s.Packet || s.Ages || s.Latency || s.Slots }

// Options returns the values of a switch or of a choice of names, and nil for a number,
// a list of players, a title or the name of a quantity.
func (s *Setting) Options() []string {
	if _, ok := s.field(&Settings{}).(*bool); ok {
		return []string{"off", "on"}
	}
	_, names := s.choice(&Settings{})
	return names
}

// choice returns the index of the setting's value and the names of all values; nil if it has no names to choose from.
func (s *Setting) choice(of *Settings) (index *uint8, names []string) {
	switch p := s.field(of).(type) {
	case *Coloring:
		return (*uint8)(p), coloringNames
	case *LaneMode:
		return (*uint8)(p), laneModeNames
	}
	return nil, nil
}

// Value returns the setting's value as show commands have it.
func (s *Setting) Value(of *Settings) string {
	if index, names := s.choice(of); names != nil {
		return names[*index]
	}
	switch p := s.field(of).(type) {
	case *bool:
		return OnOff(*p)
	case *Screens:
		return p.String()
	case *Title:
		return p.String()
	case *string:
		return *p
	case *float64:
		return strconv.FormatFloat(*p, 'g', -1, 64)
	}
	panic("stage: a display setting of another type: " + s.Name)
}

// Allowed describes the values that the setting takes.
func (s *Setting) Allowed() string {
	if options := s.Options(); options != nil {
		return strings.Join(options, ", ")
	}
	switch s.field(&Settings{}).(type) {
	case *Screens:
		return screensAllowed
	case *Title:
		return titleAllowed
	case *string:
		return NoHeadline + ", or a name of list measures or list counters"
	}
	return fmt.Sprintf("%g to %g", s.Min, s.Max)
}

// parse sets the setting to what a text says. A text that it refuses changes nothing.
func (s *Setting) parse(of *Settings, value string) error {
	if index, names := s.choice(of); names != nil {
		i := slices.Index(names, value)
		if i < 0 {
			return &link.UnknownNameError{Kind: s.Name, Name: value, Choices: names}
		}
		*index = uint8(i)
	}
	switch p := s.field(of).(type) {
	case *bool:
		if value != "on" && value != "off" {
			return fmt.Errorf("%s=%s: want on or off", s.Name, value)
		}
		*p = value == "on"
	case *Screens:
		screens, err := parseScreens(value)
		if err != nil {
			return fmt.Errorf("%s=%s: want %s", s.Name, value, s.Allowed())
		}
		*p = screens
	case *Title:
		title, err := parseTitle(value)
		if err != nil {
			return fmt.Errorf("%s=%s: %w: want %s", s.Name, value, err, s.Allowed())
		}
		*p = title
	case *string:
		if err := checkHeadline(value); err != nil {
			return err
		}
		*p = value
	case *float64:
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(v) || v < s.Min || v > s.Max {
			return fmt.Errorf("%s=%s: want %s", s.Name, value, s.Allowed())
		}
		*p = v
	}
	return nil
}

// Choosable returns the display setting of a name that is a switch or a choice of names.
func Choosable(name string) (*Setting, error) {
	if s, err := settingNamed(name); err == nil && s.Options() != nil {
		return s, nil
	}
	var known []string
	for i := range SettingTable {
		if s := &SettingTable[i]; s.Options() != nil {
			known = append(known, s.Name)
		}
	}
	return nil, &link.UnknownNameError{Kind: "display setting", Name: name, Choices: known}
}

// settingNamed returns the row of a name.
func settingNamed(name string) (*Setting, error) {
	for i := range SettingTable {
		if SettingTable[i].Name == name {
			return &SettingTable[i], nil
		}
	}
	var known []string
	for i := range SettingTable {
		known = append(known, SettingTable[i].Name)
	}
	return nil, &link.UnknownNameError{Kind: "display setting", Name: name, Choices: known}
}

// Show returns the command that sets a display setting.
func Show(name, value string) lab.Command {
	return lab.Command{Verb: "show", Pane: lab.AllPanes, Name: name, Value: value}
}

// ShowTitle returns the command that sets the viewer's title; an empty one is none.
func ShowTitle(title string) lab.Command { return Show("title", Title(title).String()) }

// OnOff returns the value of a switch as show commands have it.
func OnOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// CheckCommand returns why the screen refuses a show command, with the settings or values that there are. It
// returns nil for all other commands.
func CheckCommand(c lab.Command) error {
	if c.Verb != "show" {
		return nil
	}
	d, err := settingNamed(c.Name)
	if err != nil {
		return err
	}
	return d.parse(&Settings{}, c.Value)
}

// CheckEntries returns why the screen refuses the first of the entries' show commands that it refuses.
func CheckEntries(entries []lab.Entry) error {
	for i, e := range entries {
		for _, c := range e.Commands {
			if err := CheckCommand(c); err != nil {
				return fmt.Errorf("tick %d: %s: %w", i, c, err)
			}
		}
	}
	return nil
}

// ParseShow returns the show commands for settings such as color=age,simulated=on, and none for an empty text.
func ParseShow(text string) (list []lab.Command, err error) {
	if text == "" {
		return nil, nil
	}
	for setting := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(setting), "=")
		if !ok {
			return nil, fmt.Errorf("%q: want a display setting and its value, such as color=age", setting)
		}
		c := Show(name, value)
		if err := CheckCommand(c); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}
