package lab_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"ghostcube/predict"
	. "ghostcube/predict/lab"
)

// A session of pairs has a strategy, a scene, a take and some extras: network conditions, faults, attacks, commands,
// groups of knobs and kinds of input. Defects of one feature are found by its own tests. What is left are those of two
// together, so planPairs walks over all pairs of these values. Everything else is drawn from the session's number.

// pairValue is a value of a factor, or an extra.
type pairValue struct {
	factor, name string

	// An extra of the network is text for link.Network.Parse. Of others, add returns commands at ticks
	// of the session.
	network string
	add     func(s *pairSession) []pairCommand

	dishonest bool // datagrams arrive that no honest side has sent, so endpoints refuse some
}

// pairCommand is a command before a tick of the session.
type pairCommand struct {
	tick int
	Command
}

// pairSession is the plan of one session.
type pairSession struct {
	number int
	rng    *rand.Rand
	values []*pairValue
	config Config
	spec   string
	ticks  int
	at     int // tick at which the copy of the take is made

	// Of one run: payloads refused so far, by pane, and the tick up to which more may be, because their ticks are far
	// from the clock of a client that was frozen.
	refusals     [MaxPanes]int
	refusesUntil int
}

const (
	pairSettleTicks = 40  // before the first extra
	pairSpanTicks   = 120 // in which extras begin
	pairEndTicks    = 100 // after that
	pairExtras      = 5   // of a session
)

// Factors.
const (
	strategyFactor = "strategy"
	sceneFactor    = "scene"
	takeFactor     = "take"
	extraFactor    = "" // a session has several
)

// The takes: what happens to a session that is made a second time from a moment on.
const (
	copyTake   = "copy"   // a copy goes on
	backTake   = "back"   // the session itself goes back
	branchTake = "branch" // a copy goes another way for a while, and then back
)

var pairScenes = []string{
	"plain", "plain:avatar=1", "zen", "katamari:cubes=25:players=2", "tower:height=6", "two-players", "turntable:aboard=1",
	"ship:platform=1", "ship:jetpack=1", "ship:players=2", "seesaw", "billiards:rows=3", "trailer", "hauler", "walker:mounted=1",
	"convoy:wagons=2", "train:rods=4", "crowd:walkers=12",
}

// pairStrategies returns the specs of all strategies, and of those with a setting that makes another strategy of one.
func pairStrategies() (list []string) {
	for _, s := range Strategies {
		list = append(list, s.Name)
	}
	return append(list, "rewind:others=auto", "historyoffset:others=auto", "statesync:send=dead-reckoning",
		"statesync:authority=client", "rollback:topology=mesh", "snapshot:compression=arithmetic")
}

// pairValues returns all values of all factors. Those of a factor follow each other.
func pairValues() (list []*pairValue) {
	for _, s := range pairStrategies() {
		list = append(list, &pairValue{factor: strategyFactor, name: s})
	}
	for _, s := range pairScenes {
		list = append(list, &pairValue{factor: sceneFactor, name: s})
	}
	for _, s := range []string{copyTake, backTake, branchTake} {
		list = append(list, &pairValue{factor: takeFactor, name: s})
	}
	for _, text := range []string{
		"jitter=25ms,shape=gamma", "loss=12%", "burst=6,loss=8%", "duplicate=15%", "reorder=10%,reorder-delay=60ms",
		"spike-chance=4%,spike=200ms", "swing=40ms,swing-every=2s,swing-loss=20%", "pause=150ms,pause-every=1s",
		"outage=250ms,outage-every=1500ms", "trace=us/20000:15000/21000/40000/-/-/90000/70000/50000/12000",
		"bandwidth=64kbit,bucket=3kB,queue=150ms", "latency-per-player=60ms", "down.latency=220ms",
		"up.latency=140ms,up.loss=10%",
	} {
		name, _, _ := strings.Cut(text, "=")
		list = append(list, &pairValue{name: name, network: text})
	}
	for _, text := range []string{"corrupt=4%", "foreign=6%"} {
		name, _, _ := strings.Cut(text, "=")
		list = append(list, &pairValue{name: name, network: text, dishonest: true})
	}
	command := func(dishonest bool, name string, add func(s *pairSession) []pairCommand) {
		list = append(list, &pairValue{name: name, add: add, dishonest: dishonest})
	}
	one := func(verb, names string, values ...string) func(s *pairSession) []pairCommand {
		return func(s *pairSession) []pairCommand {
			name := strings.Split(names, "|")
			return []pairCommand{s.command(verb, name[s.rng.IntN(len(name))], values[s.rng.IntN(len(values))])}
		}
	}
	command(false, "freeze", one("freeze", "1|1|2|", "50ms", "120ms", "300ms", "700ms"))
	command(false, "blackout", one("blackout", "", "60ms", "250ms", "600ms"))
	command(false, "skew", one("clock", "skew|1.skew|2.skew", "300", "-300", "4000", "-4000"))
	command(false, "fps", one("clock", "fps|1.fps|2.fps", "10", "24", "50", "144"))
	command(false, "nudge", func(s *pairSession) []pairCommand {
		return []pairCommand{
			s.command("nudge", []string{"x", "y", "z"}[s.rng.IntN(3)], "1.5"), s.command("nudge", "x", "-0.4"),
		}
	})
	command(false, "drag", func(s *pairSession) []pairCommand {
		pulled := s.command("drag", "server.0", "0:0:0.5:2:3:2")
		released := s.command("drag", "off", "")
		released.tick = pulled.tick + 40
		return []pairCommand{pulled, released}
	})
	command(false, "rejoin", func(s *pairSession) []pairCommand {
		s.spec += ":messages=reliable"
		return []pairCommand{s.command("rejoin", []string{"1", "1", "2"}[s.rng.IntN(3)], "")}
	})
	command(false, "block", one("block", "", "1", "20"))
	command(true, "forge", one("attack", "forge", "3", "40", "900"))
	command(true, "replay", one("attack", "replay", "50ms", "900ms"))
	command(true, "false-fragments", one("attack", "false-fragments", "2", "9"))
	command(false, "switch", func(s *pairSession) []pairCommand {
		return []pairCommand{s.command("switch", s.anyStrategy(), "")}
	})
	command(false, "open", func(s *pairSession) []pairCommand {
		opened := s.command("open", s.anyStrategy(), "")
		closed := s.command("close", "", "")
		closed.Pane, closed.tick = s.rng.IntN(2), max(closed.tick, opened.tick+20)
		return []pairCommand{opened, closed}
	})
	command(false, "restart", one("restart", "", ""))
	command(false, "scene", func(s *pairSession) []pairCommand {
		return []pairCommand{s.command("scene", pairScenes[s.rng.IntN(len(pairScenes))], "")}
	})
	command(false, "seat", func(s *pairSession) []pairCommand {
		return []pairCommand{s.command("seat", []string{"host", "client"}[s.rng.IntN(2)], "")}
	})
	command(false, "seed", one("seed", "", "9", "10"))
	command(false, "condition", one("condition", "latency", "0ms", "150ms"))
	command(false, "shots", nil)
	command(false, "actions", nil)
	for _, g := range predict.Groups() {
		command(false, "knobs: "+g.String(), func(s *pairSession) []pairCommand { return s.turnKnob(g) })
	}
	return list
}

// command returns a command for all panes before a random tick of the span in which extras begin.
func (s *pairSession) command(verb, name, value string) pairCommand {
	at := pairSettleTicks + s.rng.IntN(pairSpanTicks)
	return pairCommand{at, Command{Verb: verb, Pane: AllPanes, Name: name, Value: value}}
}

// anyStrategy returns the spec of a random strategy.
func (s *pairSession) anyStrategy() string {
	list := pairStrategies()
	return list[s.rng.IntN(len(list))]
}

// turnKnob turns two knobs of a group, one of them twice.
func (s *pairSession) turnKnob(g predict.Group) (list []pairCommand) {
	strategy, _, err := ParseSpec(s.spec)
	if err != nil {
		panic(err)
	}
	knobs, _ := Describe(strategy)
	var of []*predict.Knob
	for _, k := range knobs.All() {
		if k.Group == g {
			of = append(of, k)
		}
	}
	if len(of) == 0 {
		return nil
	}
	for range 3 {
		k := of[s.rng.IntN(len(of))]
		c := s.command("set", k.Name, s.knobValue(k))
		c.Pane = 0
		list = append(list, c)
	}
	return list
}

// knobValue returns a random value of a knob: one of its ends, or any between them.
func (s *pairSession) knobValue(k *predict.Knob) string {
	switch k.Kind {
	case predict.Bool:
		return []string{"off", "on"}[s.rng.IntN(2)]
	case predict.Choice:
		return k.Options[s.rng.IntN(len(k.Options))]
	}
	x := k.Min
	switch s.rng.IntN(4) {
	case 0:
		x = k.Max
	case 1:
		x += (k.Max - k.Min) * s.rng.Float64()
	case 2: // most knobs are far below their largest values
		u := s.rng.Float64()
		x += (k.Max - k.Min) * u * u * u * u
	}
	if k.Kind == predict.Int {
		return strconv.Itoa(int(x))
	}
	if k.Unit == "ms" {
		return strconv.Itoa(int(x)) + "ms"
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// planPairs returns the values of n sessions, chosen one after the other: each time the value that makes the most new
// pairs with those of the session, and of equal ones the one that has most pairs left. It returns too how many different
// pairs the sessions have, and how many there are.
func planPairs(n int) (sessions [][]*pairValue, covered, possible int) {
	values := pairValues()
	fits := func(a, b *pairValue) bool { return a != b && (a.factor == extraFactor || a.factor != b.factor) }
	seen := make([][]int, len(values)) // times that two values were together
	index := map[*pairValue]int{}
	for i, v := range values {
		seen[i], index[v] = make([]int, len(values)), i
		for _, w := range values[:i] {
			if fits(v, w) {
				possible++
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		var chosen []*pairValue
		choose := func(wanted func(*pairValue) bool) {
			order, best, least := rng.Perm(len(values)), -1, 0
			for _, i := range order {
				v := values[i]
				if !wanted(v) || slices.ContainsFunc(chosen, func(c *pairValue) bool { return !fits(v, c) }) {
					continue
				}
				n := 0
				for _, c := range chosen {
					n += min(seen[i][index[c]], 2) << 8
				}
				for j, w := range values {
					if fits(v, w) {
						n += min(seen[i][j], 1)
					}
				}
				if best < 0 || n < least {
					best, least = i, n
				}
			}
			chosen = append(chosen, values[best])
		}
		for range pairExtras {
			choose(func(v *pairValue) bool { return v.factor == extraFactor })
		}
		for _, f := range []string{strategyFactor, sceneFactor, takeFactor} {
			choose(func(v *pairValue) bool { return v.factor == f })
		}
		for _, v := range chosen {
			for _, w := range chosen {
				if v != w {
					seen[index[v]][index[w]]++
				}
			}
		}
		sessions = append(sessions, chosen)
	}
	for i := range values {
		for j := range i {
			if seen[i][j] > 0 {
				covered++
			}
		}
	}
	return sessions, covered, possible
}
