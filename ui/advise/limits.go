package advise

import (
	"fmt"
	"slices"
	"strings"

	"ghostcube/net/link"
)

// measured says what was measured, and how the game differs from it.
func (e *Evidence) measured(a *Advice, g *Game) []string {
	s := a.Setting
	length := ""
	if s.Seconds > 0 {
		length = fmt.Sprintf(" of %g s", s.Seconds)
	}
	list := []string{fmt.Sprintf("Measured: tape %s in %s, %s and %s that move, %s%s; the network %s.", s.Tape, s.Scene,
		count(s.Players, "player"), bodies(s.Bodies), count(a.Seeds, "seed"), length, a.Network.Name)}
	most := 0
	for i := range e.Settings {
		most = max(most, e.Settings[i].Players)
	}
	switch {
	case g.Players > most:
		list = append(list, fmt.Sprintf("These figures are of %s. Nothing was measured with %d: at most %d. Each further one adds states or "+
			"inputs, and who waits for inputs waits for the slowest.", count(s.Players, "player"), g.Players, most))
	case g.Players != s.Players:
		list = append(list, fmt.Sprintf("The nearest scene has %s: you have %d.", count(s.Players, "player"), g.Players))
	}
	return append(list, e.networkLimits(a, g)...)
}

// limits says what the evidence does not cover of a game.
func (e *Evidence) limits(a *Advice, g *Game) (list []string) {
	s := a.Setting
	if s.Players == 1 {
		list = append(list, "With one player nobody else's input is predicted or waited for: with more, both cost something.")
	}
	if ratio := float64(g.Bodies) / float64(s.Bodies); ratio > 1.5 || ratio < 1/1.5 {
		list = append(list, fmt.Sprintf("You have %s, the scene %d: states cost bandwidth for each that moves, inputs do not.", bodies(g.Bodies), s.Bodies))
	}
	if !g.Deterministic {
		list = append(list, "Without determinism was measured by "+strings.TrimPrefix(reordered, ":")+
			" in the panes that say so. The others simulate nothing at the client, or were measured with determinism.")
	}
	return list
}

// networkLimits says how a game's network differs from the nearest measured one.
func (e *Evidence) networkLimits(a *Advice, g *Game) []string {
	if g.conditions.String() == a.Network.Conditions.String() {
		return nil
	}
	asked, most := worstOf(&g.conditions), worst{}
	nearest := worstOf(&a.Network.Conditions)
	for i := range e.Networks {
		w := worstOf(&e.Networks[i].Conditions)
		most = worst{max(most.latency, w.latency), max(most.jitter, w.jitter), max(most.loss, w.loss)}
	}
	list := []string{fmt.Sprintf("Your network, %s (%s), was not measured: these are the figures of %s (%s).",
		g.Network, asked.text(), a.Network.Name, nearest.text())}
	if differences := nearest.against(asked); len(differences) > 0 {
		var texts []string
		promise := map[int]string{-1: "too much", 1: "too little"}
		for _, d := range differences {
			texts = append(texts, d.text)
		}
		is := promise[differences[0].sign]
		if slices.ContainsFunc(differences, func(d contrast) bool { return d.sign != differences[0].sign }) {
			is = "too much or too little"
		}
		list = append(list, fmt.Sprintf("The measured one has %s: the figures may promise %s.", strings.Join(texts, ", "), is))
	}
	if other := otherConditions(&g.conditions, &a.Network.Conditions); other != "" {
		list = append(list, other)
	}
	if beyond := most.better(asked); len(beyond) > 0 {
		list = append(list, "Beyond every measured network: its "+strings.Join(beyond, ", ")+".")
	}
	return list
}

// otherConditions says how two networks differ in conditions other than latency, jitter and loss.
func otherConditions(asked, measured *link.Network) string {
	var rest [2]string
	for i, n := range []link.Network{*asked, *measured} {
		for _, c := range []*link.Conditions{&n.Up, &n.Down} {
			c.Latency, c.Jitter, c.Loss = 0, 0, 0
		}
		n.Seed = 0
		if rest[i] = n.Summary(); rest[i] == (&link.Network{}).Summary() {
			rest[i] = "nothing more"
		}
	}
	if rest[0] == rest[1] {
		return ""
	}
	return fmt.Sprintf("Besides, yours has %s, the measured one %s.", rest[0], rest[1])
}

// text returns the conditions in words.
func (w worst) text() string {
	return fmt.Sprintf("%s one way, %s of jitter, %.3g %% loss", shortDuration(w.latency), shortDuration(w.jitter), w.loss*100)
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// bodies returns a number of bodies.
func bodies(n int) string {
	if n == 1 {
		return "1 body"
	}
	return fmt.Sprintf("%d bodies", n)
}
