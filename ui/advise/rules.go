package advise

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ghostcube/internal/statistics"
)

// reordered is the knob by which a client solves contacts in another order than the server, as an engine without
// determinism does. A pane with it stands for the pane without it in a game whose physics is not deterministic.
const reordered = ":contact-order=reordered"

// Tolerances of the ranking: differences up to these count as none.
const (
	equalPops      = 5    // a minute, of the own player
	equalPopsAll   = 30   // a minute, of all bodies
	equalPathError = 0.02 // metres
	equalDown      = 0.02 // share
)

// shortList is the largest number of recommendations.
const shortList = 3

// Figures are what was measured of a candidate: means of the seeds with half of their 95 % interval.
type Figures map[Measure]statistics.Interval

// Choice is a candidate that keeps to all hard rules.
type Choice struct {
	Pane     string   // that was measured
	Same     []string // panes with the same figures as printed: their difference has no effect in the setting
	Measured Figures
	seeds    map[Measure]map[uint64]float64 // values by seed
	Reason   string                         // why it stands before the next one; empty: it is the last one
}

// Plain returns a text that names panes, without the knob that takes determinism away.
func Plain(text string) string { return strings.ReplaceAll(text, reordered, "") }

// Exclusion is a candidate that breaks a hard rule.
type Exclusion struct {
	Pane, Rule string
	breaches   []breach // of all rules
}

// breach is a hard rule that a candidate breaks.
type breach struct {
	rule ruleKind
	text string
	over float64 // measured value by the largest that the rule allows; 0: the rule is about no figure
}

// atMost stands between a figure that breaks a rule and the limit.
const atMost = ": want at most "

// ruleKind is a kind of hard rules, in words.
type ruleKind string

// The kinds of hard rules.
const (
	byDeterminism ruleKind = "physics without determinism"
	byCheating    ruleKind = "the concern about cheating"
	byAnswer      ruleKind = "the answer to a key in time"
	byBandwidth   ruleKind = "the limit of bandwidth"
	byEvidence    ruleKind = "the missing measurement"
)

// Advice is the answer.
type Advice struct {
	Setting  *Setting
	Network  *Network
	Seeds    int
	Rules    []string    // the hard rules of this game, in words
	Order    []string    // the criteria of the ranking, in words, the first one first
	Best     []Choice    // at most three
	Others   []string    // panes that keep to all rules as well, in their order
	Excluded []Exclusion // in the order of the evidence
	Measured []string    // what was measured, and how the game differs from it
	Limits   []string    // where the evidence ends
	Nearest  []string    // if no pane keeps to all rules: which rules exclude, and the panes that miss least
	Own      []string    // commands that measure the game itself and advise by the result; none if it was measured
	measures []Measure

	firstSeed uint64
}

// Measures returns the measures of the advice in the order of the ranking, key to screen first.
func (a *Advice) Measures() []Measure { return a.measures }

// Advise returns the advice for a game. Its error says that the evidence has no setting for it.
func (e *Evidence) Advise(g *Game) (*Advice, error) {
	a := &Advice{Setting: e.nearestSetting(g), Network: e.nearestNetwork(g), firstSeed: math.MaxUint64}
	if a.Setting == nil {
		return nil, fmt.Errorf("the results have no tape for players who touch %s: their tapes are %s", g.Touches, strings.Join(e.tapes(), ", "))
	}
	criteria := criteriaOf(g)
	a.measures = []Measure{KeyToScreen}
	for _, c := range criteria {
		a.Order = append(a.Order, c.words)
		a.measures = append(a.measures, c.measure)
	}
	a.Rules = constraints(g)
	var list []Choice
	for i := range e.Panes {
		p := &e.Panes[i]
		if strings.Contains(p.Name, reordered) && e.hasPane(Plain(p.Name)) {
			continue // it stands for another one
		}
		c := Choice{Pane: e.standIn(a, g, p.Name), Measured: Figures{}, seeds: map[Measure]map[uint64]float64{}}
		for _, m := range a.measures {
			c.Measured[m], c.seeds[m] = e.figure(a.Setting, a.Network.Name, c.Pane, m)
		}
		a.Seeds = max(a.Seeds, c.Measured[Down].N)
		for seed := range c.seeds[Down] {
			a.firstSeed = min(a.firstSeed, seed)
		}
		broken := breaches(g, p, c.Measured)
		if !e.has(a.Setting, a.Network.Name, c.Pane) {
			broken = []breach{{byEvidence, "it was not measured in this scene", 0}}
		} else if len(broken) == 0 && !g.Deterministic && c.Pane == p.Name && e.simulates(p) {
			broken = []breach{{byEvidence, "it was not measured without determinism", 0}}
		}
		if len(broken) > 0 {
			a.Excluded = append(a.Excluded, Exclusion{p.Name, broken[0].text, broken})
			continue
		}
		list = append(list, c)
	}
	a.rank(list, criteria)
	a.Measured, a.Limits = e.measured(a, g), e.limits(a, g)
	if len(a.Best) == 0 {
		a.Nearest = a.nearest()
	}
	a.Own = e.own(a, g)
	return a, nil
}

// tapes returns the names of the tapes of the evidence.
func (e *Evidence) tapes() (names []string) {
	for _, s := range e.Settings {
		names = append(names, s.Tape)
	}
	return names
}

// hasPane reports whether the evidence has a pane.
func (e *Evidence) hasPane(name string) bool {
	return slices.ContainsFunc(e.Panes, func(p Pane) bool { return p.Name == name })
}

// standIn returns the pane whose figures count for a pane: its variant without determinism, if the game has none and the variant was
// measured.
func (e *Evidence) standIn(a *Advice, g *Game, pane string) string {
	if other := pane + reordered; !g.Deterministic && e.has(a.Setting, a.Network.Name, other) {
		return other
	}
	return pane
}

// simulates reports whether the evidence has a pane with the strategy of a pane, and without determinism: its clients
// simulate then.
func (e *Evidence) simulates(p *Pane) bool {
	return slices.ContainsFunc(e.Panes, func(o Pane) bool {
		return o.Strategy == p.Strategy && strings.Contains(o.Name, reordered)
	}) && !strings.Contains(p.Name, reordered)
}

// hasKnob reports whether a spec sets a knob to a value.
func hasKnob(spec, setting string) bool {
	return slices.Contains(strings.Split(spec, ":")[1:], setting)
}

// constraints returns the hard rules of a game in words.
func constraints(g *Game) []string {
	var list []string
	if !g.Deterministic {
		list = append(list, "physics without determinism: nothing that needs it, since worlds that receive inputs alone would drift apart for good")
	}
	if g.Cheating {
		list = append(list, "cheating is a concern: no client decides where bodies are (authority=client)")
	}
	if at := g.OwnPlayer.latest(); !math.IsInf(at, 1) {
		list = append(list, fmt.Sprintf("keys show within %.0f ms: measured key to screen", at))
	}
	if g.Bandwidth > 0 {
		list = append(list, fmt.Sprintf("at most %g kbit/s down: the measured mean with its interval", g.Bandwidth))
	}
	return list
}

// breaches returns the hard rules that a pane breaks, those that no measurement changes first.
func breaches(g *Game, p *Pane, m Figures) (list []breach) {
	answers, down := m[KeyToScreen], m[Down]
	if !g.Deterministic && p.NeedsExact {
		list = append(list, breach{byDeterminism, "it needs deterministic physics", 0})
	}
	if g.Cheating && hasKnob(p.Spec, "authority=client") {
		list = append(list, breach{byCheating, "clients decide, and cheating is a concern", 0})
	}
	if g.OwnPlayer != Later && answers.N == 0 {
		list = append(list, breach{byAnswer, "no key showed", 0})
	} else if latest := g.OwnPlayer.latest(); answers.Mean > latest {
		list = append(list, breach{byAnswer, fmt.Sprintf("keys show after %.0f ms"+atMost+"%.0f ms", answers.Mean, latest), answers.Mean / latest})
	}
	if most := down.Mean + down.Half(); g.Bandwidth > 0 && most > g.Bandwidth {
		list = append(list, breach{byBandwidth, fmt.Sprintf("%.0f ± %.0f kbit/s down"+atMost+"%g kbit/s", down.Mean, down.Half(), g.Bandwidth), most / g.Bandwidth})
	}
	return list
}

// criterion is a step of the ranking: less is better.
type criterion struct {
	measure Measure
	words   string
	equal   float64 // difference that counts as none
	share   bool    // it is a share of the least
}

// criteriaOf returns the criteria for a game, the first one first.
func criteriaOf(g *Game) []criterion {
	path := criterion{PathError, "", equalPathError, false}
	where := ""
	if g.Touches == Ships {
		path.measure, where = PathErrorRide, " in the ship"
	}
	path.words = fmt.Sprintf("less path error%s; up to %.0f cm more count as none", where, equalPathError*100)
	return []criterion{
		{Pops, fmt.Sprintf("fewer pops of the own player; up to %d a minute more count as none", equalPops), equalPops, false},
		{PopsAll, fmt.Sprintf("fewer pops of all bodies; up to %d a minute more count as none", equalPopsAll), equalPopsAll, false},
		path,
		{Down, fmt.Sprintf("less bandwidth down; up to %.0f %% more count as none", equalDown*100), equalDown, true},
		{Steps, "fewer resimulated ticks", 0, false},
	}
}

// value returns the mean of a choice. A missing value is the worst, except that a strategy without resimulated ticks has 0 of them.
func (c *criterion) value(of *Choice) float64 {
	v := of.Measured[c.measure]
	if v.N == 0 && c.measure != Steps {
		return math.Inf(1)
	}
	return v.Mean
}

// limit returns the largest value that counts as the least one.
func (c *criterion) limit(least float64) float64 {
	if c.share {
		return least * (1 + c.equal)
	}
	return least + c.equal
}

// rank fills the short list: again and again the best of those that are left, with all that have the same figures.
func (a *Advice) rank(list []Choice, criteria []criterion) {
	for len(list) > 0 {
		best := bestOf(list, criteria)
		c := list[best]
		list = slices.Delete(list, best, best+1)
		list = slices.DeleteFunc(list, func(o Choice) bool {
			same := !slices.ContainsFunc(a.measures, func(m Measure) bool { return Text(m, o.Measured[m]) != Text(m, c.Measured[m]) })
			if same {
				c.Same = append(c.Same, o.Pane)
			}
			return same
		})
		if len(a.Best) < shortList {
			a.Best = append(a.Best, c)
		} else {
			a.Others = append(append(a.Others, c.Pane), c.Same...)
		}
	}
	for i := range len(a.Best) - 1 {
		a.Best[i].Reason = difference(&a.Best[i], &a.Best[i+1], criteria)
	}
}

// bestOf returns the index of the choice that is left when each criterion in turn drops those that are worse than the
// least value by more than its tolerance. Of several the first one in the evidence is the best.
func bestOf(list []Choice, criteria []criterion) int {
	left := make([]int, len(list))
	for i := range left {
		left[i] = i
	}
	for _, c := range criteria {
		least := math.Inf(1)
		for _, i := range left {
			least = min(least, c.value(&list[i]))
		}
		left = slices.DeleteFunc(left, func(i int) bool { return c.value(&list[i]) > c.limit(least) })
	}
	return left[0]
}

// difference says which criterion puts a choice before another, and whether the difference, paired by seeds, may be chance.
func difference(c, next *Choice, criteria []criterion) string {
	for _, k := range criteria {
		if k.value(next) <= k.limit(k.value(c)) {
			continue
		}
		if next.Measured[k.measure].N == 0 {
			return fmt.Sprintf("before %s, which has no %s", next.Pane, Title(k.measure))
		}
		text := fmt.Sprintf("before %s by %s, %s against %s", next.Pane, Title(k.measure), Text(k.measure, c.Measured[k.measure]),
			Text(k.measure, next.Measured[k.measure]))
		if d := statistics.PairedDifference(next.seeds[k.measure], c.seeds[k.measure]); d.N < 2 || d.Mean <= d.Half() {
			text += fmt.Sprintf(", which may be chance: %s more, seed by seed, with %s", Text(k.measure, d), count(d.N, "seed"))
		}
		return text
	}
	return "as good as " + next.Pane + ", which the evidence names later"
}

// Title returns the title of a measure.
func Title(m Measure) string {
	switch m {
	case KeyToScreen:
		return "key to screen (ms)"
	case Pops:
		return "pops per minute"
	case PopsAll:
		return "pops per minute of all bodies"
	case PathError:
		return "path error (m)"
	case PathErrorRide:
		return "path error in the ship (m)"
	case Down:
		return "kbit/s down"
	}
	return "resimulated ticks a minute"
}

// Phrase returns a mean in words, with half of its interval unless that rounds to 0; nothing if there is none.
func Phrase(m Measure, v statistics.Interval) string {
	if v.N == 0 {
		return ""
	}
	text := Text(m, v)
	if mean, half, _ := strings.Cut(text, " ± "); strings.Trim(half, "0.") == "" {
		text = mean
	}
	switch m {
	case KeyToScreen:
		return "key to screen " + text + " ms"
	case Pops:
		return text + " pops a minute"
	case PopsAll:
		return text + " of all bodies"
	case PathError:
		return "path error " + text + " m"
	case PathErrorRide:
		return "path error in the ship " + text + " m"
	case Down:
		return text + " kbit/s down"
	}
	return text + " resimulated ticks a minute"
}

// Text returns a mean with half of its interval, a dash if there is none.
func Text(m Measure, v statistics.Interval) string {
	digits := 0
	if m == PathError || m == PathErrorRide {
		digits = 3
	}
	if v.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%.*f ± %.*f", digits, v.Mean, digits, v.Half())
}
