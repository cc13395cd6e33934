package advise

import (
	"fmt"
	"slices"
	"strings"

	"ghostcube/predict/lab"
)

// nearest says how many panes each rule excludes, and which panes miss only one rule about a figure, by the least, one sentence
// each.
func (a *Advice) nearest() (list []string) {
	alone := map[ruleKind]int{}
	for i := range a.Excluded {
		if x := &a.Excluded[i]; len(x.breaches) == 1 {
			alone[x.breaches[0].rule]++
		}
	}
	var rules []string
	for _, rule := range []ruleKind{byDeterminism, byCheating, byAnswer, byBandwidth, byEvidence} {
		if n := alone[rule]; n > 0 {
			rules = append(rules, fmt.Sprintf("%s alone excludes %d", rule, n))
		}
	}
	if len(rules) > 0 {
		list = append(list, fmt.Sprintf("Of %s, %s.", count(len(a.Excluded), "pane"), strings.Join(rules, ", ")))
	}
	for i, x := range a.nearMisses() {
		figure, limit, _ := strings.Cut(x.breaches[0].text, atMost)
		first := [...]string{"Nearest is", "Then"}[min(i, 1)]
		list = append(list, fmt.Sprintf("%s %s: %s, %.3g times the limit of %s.", first, x.Pane, figure, x.breaches[0].over, limit))
	}
	return list
}

// nearMisses returns the panes that break only one rule, which is about a figure, in the order of how far they exceed it: at most
// as many as the short list has.
func (a *Advice) nearMisses() []Exclusion {
	list := slices.DeleteFunc(slices.Clone(a.Excluded), func(x Exclusion) bool { return len(x.breaches) != 1 || x.breaches[0].over == 0 })
	slices.SortStableFunc(list, func(x, y Exclusion) int {
		switch {
		case x.breaches[0].over < y.breaches[0].over:
			return -1
		case x.breaches[0].over > y.breaches[0].over:
			return 1
		}
		return 0
	})
	list = slices.CompactFunc(list, func(x, y Exclusion) bool { return x.breaches[0] == y.breaches[0] }) // the same figures
	return list[:min(len(list), shortList)]
}

// own returns the commands that measure the game itself and advise by the result; none if it was measured. The panes are the short
// list, or else those that miss a rule by the least, also with fewer snapshots if they miss the bandwidth.
func (e *Evidence) own(a *Advice, g *Game) []string {
	s := a.Setting
	if g.Players == s.Players && g.Bodies == s.Bodies && g.conditions.String() == a.Network.Conditions.String() {
		return nil
	}
	var panes []string
	for i := range a.Best {
		panes = append(panes, a.Best[i].Pane)
	}
	for _, x := range a.nearMisses() {
		if len(a.Best) > 0 {
			break
		}
		pane, knob := e.standIn(a, g, x.Pane), ""
		if _, _, err := lab.ParseSpec(e.spec(x.Pane) + ":snapshot-every=4"); err == nil && x.breaches[0].rule == byBandwidth {
			knob = ":snapshot-every=1|2|4"
		}
		panes = append(panes, x.Pane+knob+strings.TrimPrefix(pane, x.Pane))
	}
	if len(panes) == 0 {
		return nil
	}
	scene, tape := ownScene(g)
	return []string{
		fmt.Sprintf("ghostcube sweep --panes '%s' --networks '%s' --scenes %s --tapes %s --seconds 8 --seeds 5 -o own", strings.Join(panes, ","),
			g.Network, scene, tape),
		g.command() + " --results own",
	}
}

// spec returns the spec of a pane of the evidence.
func (e *Evidence) spec(pane string) string {
	for i := range e.Panes {
		if e.Panes[i].Name == pane {
			return e.Panes[i].Spec
		}
	}
	return pane
}

// ownScene returns the scene and the tape that are closest to a game. In a crowd the server moves the other avatars, so there can be
// more of them than the lab has players.
func ownScene(g *Game) (scene, tape string) {
	const mostPlayers, mostWalkers, mostCubes = 8, 500, 2500 // of the lab's scenes
	players := min(g.Players, mostPlayers)
	switch {
	case g.Touches == Ships:
		return "ship:players=2", "boarding-pilot"
	case g.Touches == OneThing:
		return "two-players", "two-players"
	case g.Touches == OwnAvatar && (g.Players > players || g.Bodies > players || players == 1):
		return fmt.Sprintf("crowd:walkers=%d", min(max(g.Bodies-1, 1), mostWalkers)), "circle"
	case players > 4:
		tape = "eight-players"
	case players > 1:
		tape = "four-players"
	default:
		tape = "katamari"
	}
	return fmt.Sprintf("katamari:cubes=%d:players=%d", min(max(g.Bodies-players, 0), mostCubes), players), tape
}

// Measurement returns the command that gives exactly the figures of a choice: its session with its seeds, on the measured
// network. It is empty if the results do not say how long the sessions were.
func (a *Advice) Measurement(choice int) string {
	s := a.Setting
	if s.Seconds == 0 {
		return ""
	}
	line := fmt.Sprintf("ghostcube bench --scene %s --tape %s --network %s --panes %s --seconds %g --seeds %d", s.Scene, s.Tape, a.Network.Name,
		a.Best[choice].Pane, s.Seconds, a.Seeds)
	if a.firstSeed != 1 {
		line += fmt.Sprintf(" --seed %d", a.firstSeed)
	}
	return line
}
