package plan

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// Lesson is a part of the tour: a session in which the viewer does one thing, and figures of the time before and
// after that. All words are data.
type Lesson struct {
	Name  string // that of its file, without number and ending
	Title string
	Look  string // what to look at, two or three sentences
	Do    string // what the viewer does, one sentence that begins with a verb
	After string // what it has changed, one or two sentences
	Key   string // label of the key that does it; empty: it takes the panel, or there are several

	Action  Action
	Figures []Figure // over the time before and after the action
	Claims  []Claim  // what After says of the figures; a test runs the lesson and checks them
	Seconds float64  // length of either measurement
	Settle  float64  // seconds after the action that are left out
	Moment  float64  // seconds after the action at which a picture of its effect is taken

	Show     []lab.Command // what sets the display at its start
	Settings Settings      // scene, network, panes, seat, seed, rate, tape, faults
}

// Figure is a measure or a counter of a pane.
type Figure struct {
	Name    string // as the lesson has it: MEASURE, or MEASURE@PANE for another pane than the first
	Measure string
	Pane    int // index
}

// Action is what the viewer does in a lesson. It is a command, or an input if Buttons or Shot is set. Everything
// with the same effect counts as the same action, so it does not matter by which key or control it happens.
type Action struct {
	Command lab.Command
	Reach   Reach       // how a value that is set compares with that of Command
	Buttons sim.Buttons // one of these buttons
	Shot    bool        // a shot
}

// Reach says which values of a knob or a condition count as those of an action.
type Reach uint8

// The values that count.
const (
	Exactly Reach = iota
	OrMore
	OrLess
)

var reachNames = []string{"exactly", "or more", "or less"}

// Input reports whether the action is an input and no command.
func (a *Action) Input() bool { return a.Buttons != 0 || a.Shot }

// rollButtons are the buttons that roll the player's cube.
const rollButtons = sim.Forward | sim.Back | sim.Left | sim.Right

// inputActions are the actions that are inputs.
var inputActions = map[string]Action{"roll": {Buttons: rollButtons}, "lift": {Buttons: sim.Lift}, "shoot": {Shot: true}}

// actionVerbs are the verbs of the commands that can be an action.
var actionVerbs = []string{"switch", "set", "condition", "nudge", "blackout", "freeze"}

// Claim compares a figure of a lesson before and after the action.
type Claim struct {
	Figure      string
	Left, Right Operand
	Less        bool // Left is less than Right; otherwise it is more
}

// Operand is one side of a claim: a number, or a multiple of the figure before or after the action.
type Operand struct {
	Number float64 // the number, or the factor
	Time   string  // before or after; empty: a number
}

// String returns the operand as a lesson has it.
func (o Operand) String() string {
	n := strconv.FormatFloat(o.Number, 'g', -1, 64)
	switch {
	case o.Time == "":
		return n
	case o.Number == 1:
		return o.Time
	}
	return n + " * " + o.Time
}

// Value returns the operand's value for a figure before and after.
func (o Operand) Value(before, after float64) float64 {
	switch o.Time {
	case "before":
		return o.Number * before
	case "after":
		return o.Number * after
	}
	return o.Number
}

// String returns the claim as a lesson has it.
func (c Claim) String() string {
	sign := " > "
	if c.Less {
		sign = " < "
	}
	return c.Figure + ": " + c.Left.String() + sign + c.Right.String()
}

// Uses reports whether the claim needs the figure before or after the action.
func (c Claim) Uses(time string) bool { return c.Left.Time == time || c.Right.Time == time }

// parseClaim parses a claim such as "corrections: after < 0.5 * before".
func parseClaim(text string) (c Claim, err error) {
	bad := fmt.Errorf("want NAME: SIDE < SIDE, or >, where a side is before, after, a number, or a number * before")
	name, rest, _ := strings.Cut(text, ":")
	c.Figure = strings.TrimSpace(name)
	left, right, ok := strings.Cut(rest, "<")
	if c.Less = ok; !ok {
		if left, right, ok = strings.Cut(rest, ">"); !ok {
			return c, bad
		}
	}
	for _, side := range []struct {
		text string
		to   *Operand
	}{{left, &c.Left}, {right, &c.Right}} {
		factor, of, product := strings.Cut(side.text, "*")
		factor, of = strings.TrimSpace(factor), strings.TrimSpace(of)
		if factor == "before" || factor == "after" {
			factor, of = "1", factor
		}
		if side.to.Number, err = strconv.ParseFloat(factor, 64); err != nil || (product || of != "") && of != "before" && of != "after" {
			return c, bad
		}
		side.to.Time = of
	}
	if c.Left.Time == "" && c.Right.Time == "" {
		return c, bad
	}
	return c, nil
}

// Bounds of the texts of a lesson, in characters, so that they fit its card.
const (
	maxLessonLook  = 330
	maxLessonDo    = 130
	maxLessonAfter = 250
	maxFigures     = 4
)

// lessonFile is the file of a lesson.
type lessonFile struct {
	Title   string   `toml:"title"`
	Look    string   `toml:"look"`
	Do      string   `toml:"do"`
	After   string   `toml:"after"`
	Key     string   `toml:"key"`
	Action  string   `toml:"action"`
	Reach   string   `toml:"reach"`
	Figures []string `toml:"figures"`
	Claims  []string `toml:"claims"`
	Seconds float64  `toml:"seconds"`
	Settle  *float64 `toml:"settle"`
	Moment  float64  `toml:"moment"`
	Show    string   `toml:"show"`
	Seed    *uint64  `toml:"seed"`
	sessionTable
}

// Lessons returns all lessons, in the order of their files' names, NN-NAME.toml. Errors name the file and the line.
func (l *Library) Lessons() ([]Lesson, error) {
	if l.lessons != nil {
		return l.lessons, nil
	}
	list := []Lesson{}
	err := readAll(l.LessonFiles, "lessons", func(name string, text []byte) error {
		x, err := l.readLesson(name, text)
		list = append(list, x)
		return err
	})
	if err != nil {
		return nil, err
	}
	l.lessons = list
	return list, nil
}

// LessonNamed returns the index of the lesson called name.
func (l *Library) LessonNamed(name string) (int, error) {
	list, err := l.Lessons()
	if err != nil {
		return 0, err
	}
	return indexNamed(list, "lesson", name, func(x *Lesson) string { return x.Name })
}

// NewLesson plans the session of a lesson.
func (l *Library) NewLesson(x *Lesson) (*Plan, error) {
	m, err := l.New(x.Settings, Settings{}, "")
	if err != nil {
		return nil, err
	}
	m.Lesson, m.display = x, x.Show
	return m, nil
}

// readLesson reads the file of a lesson.
func (l *Library) readLesson(file string, text []byte) (Lesson, error) {
	var f lessonFile
	d, err := decodeTOML(file, text, &f)
	if err != nil {
		return Lesson{}, err
	}
	x, err := f.lesson(l)
	if err == nil {
		err = l.check(x.Settings)
	}
	if err != nil {
		return x, d.errorAt("", err)
	}
	number, name, _ := strings.Cut(strings.TrimSuffix(file, path.Ext(file)), "-")
	if x.Name = name; strings.Trim(number, "0123456789") != "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") != "" || name == "" {
		return x, fmt.Errorf("%s: want NN-NAME.toml, where the name has lower-case letters and dashes", file)
	}
	return x, nil
}

// lesson returns the lesson of a file, or the first error in it.
func (f *lessonFile) lesson(l *Library) (x Lesson, err error) {
	x = Lesson{Title: f.Title, Look: f.Look, Do: f.Do, After: f.After, Key: f.Key}
	if x.Settings, err = f.settings(); err != nil {
		return x, err
	}
	x.Settings = Settings{Seat: defaults.Seat, Rate: defaults.Rate, Seed: defaults.Seed}.overriddenBy(x.Settings)
	if f.Seed != nil {
		x.Settings.Seed = strconv.FormatUint(*f.Seed, 10)
	}
	if err := f.checkTexts(x.Settings.Panes); err != nil {
		return x, err
	}
	if x.Show, err = stage.ParseShow(f.Show); err != nil {
		return x, &SettingError{"show", "", err}
	}
	if err := f.setTimes(&x); err != nil {
		return x, err
	}
	for _, spec := range f.Panes { // before the action, which concerns a pane
		if err := l.validateSpec(l.ExpandSpec(spec)); err != nil {
			return x, &SettingError{"panes", "", err}
		}
	}
	if x.Action, err = f.action(l); err != nil {
		return x, &SettingError{"action", "", err}
	}
	return x, f.checkFigures(&x)
}

// checkTexts checks that what a lesson needs is there, and that its texts fit the card.
func (f *lessonFile) checkTexts(panes string) error {
	for _, text := range [...]struct {
		name, value string
		longest     int
	}{
		{"title", f.Title, MaxTitle}, {"look", f.Look, maxLessonLook}, {"do", f.Do, maxLessonDo}, {"after", f.After, maxLessonAfter},
		{"action", f.Action, 0}, {"scene", f.Scene, 0}, {"tape", f.Tape, 0}, {"network", f.Network, 0}, {"panes", panes, 0},
	} {
		if text.value == "" {
			return &SettingError{text.name, "", errors.New("it is missing")}
		}
		if n := utf8.RuneCountInString(text.value); text.longest > 0 && (n > text.longest || strings.ContainsAny(text.value, "\r\n\t")) {
			return &SettingError{text.name, "", fmt.Errorf("it has %d characters: want one line of at most %d", n, text.longest)}
		}
	}
	return nil
}

// setTimes sets how long a lesson measures, and when.
func (f *lessonFile) setTimes(x *Lesson) error {
	x.Seconds, x.Settle = cmp.Or(f.Seconds, 8), 1
	if f.Settle != nil {
		x.Settle = *f.Settle
	}
	x.Moment = cmp.Or(f.Moment, x.Seconds)
	switch {
	case !(x.Seconds >= 2 && x.Seconds <= 30):
		return &SettingError{"seconds", fmt.Sprint(f.Seconds), errors.New("want 2 to 30")}
	case !(x.Settle >= 0 && x.Settle < x.Seconds):
		return &SettingError{"settle", fmt.Sprint(x.Settle), fmt.Errorf("want seconds from 0 to less than %g", x.Seconds)}
	case !(x.Moment > 0 && x.Moment <= x.Seconds):
		return &SettingError{"moment", fmt.Sprint(f.Moment), fmt.Errorf("want seconds above 0, up to %g", x.Seconds)}
	}
	return nil
}

// checkFigures parses the figures and claims.
func (f *lessonFile) checkFigures(x *Lesson) error {
	if n := len(f.Figures); n == 0 || n > maxFigures {
		return &SettingError{"figures", "", fmt.Errorf("%d names: want 1 to %d", n, maxFigures)}
	}
	for _, text := range f.Figures {
		name, pane, given := strings.Cut(text, "@")
		if err := stage.CheckCommand(stage.Show("headline", name)); err != nil {
			return &SettingError{"figures", "", err}
		}
		number := 1
		if given {
			var err error
			if number, err = ParseInt(pane, 1, len(f.Panes)); err != nil {
				return &SettingError{"figures", "", fmt.Errorf("pane of %s: %w", text, err)}
			}
		}
		x.Figures = append(x.Figures, Figure{text, name, number - 1})
	}
	if len(f.Claims) == 0 {
		return &SettingError{"claims", "", errors.New("it is missing")}
	}
	for _, text := range f.Claims {
		c, err := parseClaim(text)
		if err != nil {
			return &SettingError{"claims", "", fmt.Errorf("%q: %w", text, err)}
		}
		if !slices.Contains(f.Figures, c.Figure) {
			return &SettingError{"claims", "", &link.UnknownNameError{Kind: "figure", Name: c.Figure, Choices: f.Figures}}
		}
		x.Claims = append(x.Claims, c)
	}
	return nil
}

// action parses the action and checks it against the panes.
func (f *lessonFile) action(l *Library) (a Action, err error) {
	if input, ok := inputActions[f.Action]; ok {
		if f.Reach != "" {
			return a, errors.New("reach concerns a knob or a condition")
		}
		return input, nil
	}
	if a.Command, err = lab.ParseCommand(f.Action); err != nil {
		return a, fmt.Errorf("%w; or roll, lift or shoot", err)
	}
	c := &a.Command
	if !slices.Contains(actionVerbs, c.Verb) {
		return a, &link.UnknownNameError{Kind: "action", Name: c.Verb, Choices: slices.Concat(actionVerbs, []string{"roll", "lift", "shoot"})}
	}
	if c.Pane >= len(f.Panes) {
		return a, fmt.Errorf("there is no pane %d: want 1 to %d", c.Pane+1, len(f.Panes))
	}
	if f.Reach != "" {
		i := slices.Index(reachNames, f.Reach)
		if i < 0 {
			return a, &link.UnknownNameError{Kind: "reach", Name: f.Reach, Choices: reachNames}
		}
		a.Reach = Reach(i)
	}
	if _, number := Quantity(c.Value); a.Reach != Exactly && (c.Verb != "set" && c.Verb != "condition" || !number) {
		return a, fmt.Errorf("reach %q needs a number that is set", f.Reach)
	}
	switch c.Verb {
	case "switch":
		c.Name = l.ExpandSpec(c.Name)
		err = l.validateSpec(c.Name)
	case "set":
		for i, spec := range f.Panes {
			if err == nil && (c.Pane == i || c.Pane == lab.AllPanes) {
				err = l.validateSpec(l.ExpandSpec(spec) + ":" + c.Name + "=" + c.Value)
			}
		}
	case "condition":
		var n link.Network
		err = n.Parse(c.Name + "=" + c.Value)
	case "blackout", "freeze":
		_, err = time.ParseDuration(c.Value)
	}
	return a, err
}

// Quantity returns the number that a value of a knob or a condition stands for: a duration in milliseconds, a share
// in percent.
func Quantity(text string) (float64, bool) {
	if v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64); err == nil {
		return v, true
	}
	d, err := time.ParseDuration(text)
	return float64(d) / float64(time.Millisecond), err == nil
}
