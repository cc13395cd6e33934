//go:build !js || headless

package plan

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ghostcube/net/link"
	"ghostcube/ui/claim"
)

// SourceClaim is a statement of a source with the experiment that tests it.
type SourceClaim struct {
	ID         string
	Topic      string
	Says       string // the claim in our words, at most maxSays characters
	Source     Source
	Mechanisms []int // numbers in the list of mechanisms; empty: of the wider field

	Settings Settings    // the session; zero if Command is set
	Command  string      // arguments of the program whose output is read instead, such as codec --indices
	Values   []TextValue // what is read from it
	Seeds    int         // sessions, each with another seed; 0: the usual number

	Rule claim.Rule
	Why  string // why it does not hold, or holds with a difference
}

// TextValue is a number in the output of a command.
type TextValue struct {
	Name    string
	Pattern *regexp.Regexp // its first group is the number
}

// maxSays is the length of the longest claim, in characters.
const maxSays = 160

// maxClaimSeeds bounds the sessions of a claim.
const maxClaimSeeds = 1000

// claimFile is a file of claims, which all have its topic. Its source holds for those that name none.
type claimFile struct {
	Topic  string       `toml:"topic"`
	Source Source       `toml:"source"`
	Claims []claimTable `toml:"claim"`
}

type claimTable struct {
	ID         string            `toml:"id"`
	Says       string            `toml:"says"`
	Source     *Source           `toml:"source"`
	Mechanisms []int             `toml:"mechanisms"`
	Compare    string            `toml:"compare"`
	Seconds    float64           `toml:"seconds"`
	Seeds      *int              `toml:"seeds"`
	Command    string            `toml:"command"`
	Values     map[string]string `toml:"values"`
	Direction  []string          `toml:"direction"`
	Figure     []string          `toml:"figure"`
	Why        string            `toml:"why"`
	sessionTable
}

// Claims returns all claims of a library, in the order of their files' names and of their places in them. Errors name the file
// and the line.
func Claims(l *Library) (list []SourceClaim, err error) {
	err = readAll(l.ClaimFiles, "claims", func(name string, text []byte) (err error) {
		list, err = readClaims(l, list, name, text)
		return err
	})
	return list, err
}

// readClaims appends the claims of a file to a list.
func readClaims(l *Library, list []SourceClaim, name string, text []byte) ([]SourceClaim, error) {
	var f claimFile
	d, err := decodeTOML(name, text, &f)
	if err != nil {
		return nil, err
	}
	if err := checkID("topic", f.Topic); err != nil {
		return nil, d.errorAt("", err)
	}
	for i := range f.Claims {
		c, err := f.Claims[i].claim(f.Topic, f.Source)
		if err == nil {
			err = c.checkExperiment(l)
		}
		for k := range list {
			if err == nil && (list[k].ID == c.ID || list[k].Topic == c.ID) {
				err = &SettingError{"id", c.ID, errors.New("another claim or topic has this name")}
			}
		}
		if err != nil {
			return nil, d.errorAt(fmt.Sprintf("claim[%d]", i), err)
		}
		list = append(list, c)
	}
	return list, nil
}

// checkID reports a name that cannot be given as an argument.
func checkID(setting, name string) error {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return &SettingError{setting, name, errors.New("want lower-case letters, digits and dashes")}
	}
	return nil
}

// claim returns the claim of a table, or the first error in its texts.
func (t *claimTable) claim(topic string, source Source) (c SourceClaim, err error) {
	c = SourceClaim{ID: t.ID, Topic: topic, Says: t.Says, Source: source, Mechanisms: t.Mechanisms, Command: t.Command, Why: t.Why}
	if t.Source != nil {
		c.Source = *t.Source
	}
	if t.Seeds != nil {
		if c.Seeds = *t.Seeds; c.Seeds < 2 || c.Seeds > maxClaimSeeds || t.Command != "" {
			return c, &SettingError{"seeds", strconv.Itoa(c.Seeds), fmt.Errorf("want 2 to %d sessions, and none of a command", maxClaimSeeds)}
		}
	}
	if err := checkID("id", t.ID); err != nil {
		return c, err
	}
	if n := utf8.RuneCountInString(t.Says); n == 0 || n > maxSays || strings.ContainsAny(t.Says, "\r\n\t|") {
		return c, &SettingError{"says", "", fmt.Errorf("it has %d characters: want one line of at most %d, without |", n, maxSays)}
	}
	if c.Source == (Source{}) {
		return c, &SettingError{"source", "", errors.New("it is missing")}
	}
	if err := c.Source.check(); err != nil {
		return c, &SettingError{"source", "", err}
	}
	if c.Settings, err = t.settings(); err != nil {
		return c, err
	}
	c.Settings.Compare, c.Settings.Seconds = t.Compare, t.Seconds
	for _, name := range slices.Sorted(maps.Keys(t.Values)) {
		pattern, err := regexp.Compile(t.Values[name])
		if err != nil || pattern.NumSubexp() != 1 {
			return c, &SettingError{"values", "", fmt.Errorf("%s: want a regular expression with one group", name)}
		}
		c.Values = append(c.Values, TextValue{name, pattern})
	}
	if c.Rule.Direction, err = parseConditions("direction", t.Direction); err != nil {
		return c, err
	}
	if c.Rule.Figure, err = parseConditions("figure", t.Figure); err != nil {
		return c, err
	}
	if len(t.Direction)+len(t.Figure) == 0 {
		return c, &SettingError{"direction", "", errors.New("want a condition in direction or figure")}
	}
	return c, nil
}

func parseConditions(setting string, texts []string) (list []claim.Condition, err error) {
	for _, text := range texts {
		c, err := claim.ParseCondition(text)
		if err != nil {
			return nil, &SettingError{setting, "", err}
		}
		list = append(list, c)
	}
	return list, nil
}

// checkExperiment checks the experiment of a claim, and that it has what the rule reads.
func (c *SourceClaim) checkExperiment(l *Library) error {
	panes := 0
	if c.Command != "" {
		if c.Settings != (Settings{}) {
			return &SettingError{"command", "", errors.New("want a session or a command, not both")}
		}
	} else {
		if c.Settings.Seconds <= 0 || c.Settings.Seconds > maxMoment {
			return &SettingError{"seconds", "", fmt.Errorf("want a length of at most %d", maxMoment)}
		}
		if c.Settings.Compare+c.Settings.Tape == "" {
			return &SettingError{"tape", "", errors.New("want a tape or a comparison")}
		}
		if err := l.check(c.Settings); err != nil {
			return err
		}
		specs := c.Settings.Panes
		if specs == "" && c.Settings.Compare != "" {
			of, err := l.ComparisonNamed(c.Settings.Compare)
			if err != nil {
				return err
			}
			specs = of.Settings.Panes
		}
		panes = len(strings.Split(specs, ","))
	}
	if err := c.checkFigures(panes, claim.Rule{Direction: c.Rule.Direction}); err != nil {
		return &SettingError{"direction", "", err}
	}
	if err := c.checkFigures(panes, claim.Rule{Figure: c.Rule.Figure}); err != nil {
		return &SettingError{"figure", "", err}
	}
	return nil
}

// checkFigures reports a figure of a rule in a pane that the experiment lacks, or a value that no command prints.
func (c *SourceClaim) checkFigures(panes int, rule claim.Rule) error {
	for _, f := range rule.Figures() {
		switch {
		case f.Pane >= panes:
			return fmt.Errorf("%d.%s: there are %d panes", f.Pane+1, f.Name, panes)
		case f.Pane < 0 && !slices.ContainsFunc(c.Values, func(v TextValue) bool { return v.Name == f.Name }):
			var names []string
			for _, v := range c.Values {
				names = append(names, v.Name)
			}
			return &link.UnknownNameError{Kind: "value", Name: f.Name, Choices: names}
		}
	}
	return nil
}
