package lab_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"ghostcube/assets"
	"ghostcube/net/link"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/sim/scene"
	"ghostcube/ui/plan"
)

// A session of pairs has a strategy, a scene, a take and some extras: network conditions, faults, attacks, commands,
// knobs and kinds of input. Defects of one feature are found by its own tests. What is left are those of two
// together, so planPairs walks over all pairs of these values. Everything else is drawn from the session's number.
// Strategies, presets, scenes, knobs, their groups and networks come from their registries. Of commands, attacks and
// network parameters TestPairsHaveAll demands a value for each.

// pairValue is a value of a factor, or an extra.
type pairValue struct {
	factor, name string

	// An extra of the network is text for link.Network.Parse. Of others, add returns commands at ticks
	// of the session.
	network string
	add     func(s *pairSession) []pairCommand

	knob      string // an extra that needs a strategy with this knob; empty: any
	knobs     *predict.Knobs
	dishonest bool // datagrams arrive that no honest side has sent, so endpoints refuse some
}

// pairCommand is a command before a tick of the session.
type pairCommand struct {
	tick int
	Command
}

const (
	pairSettleTicks = 40  // before the first extra
	pairSpanTicks   = 120 // in which extras begin
	pairEndTicks    = 100 // after that
	pairExtras      = 5   // of a session
	pairMaxBodies   = 130 // in a scene
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
	onDiskTake = "file"   // its tape is written, read and run up to there, and a copy of that session goes on
)

// pairStrategies returns the specs of all strategies and presets, and of strategies with a knob that restarts them.
var pairStrategies = sync.OnceValue(func() (list []string) {
	library := plan.Library{PresetFiles: assets.Presets}
	presets, err := library.Presets()
	if err != nil {
		panic(err)
	}
	for _, p := range presets {
		list = append(list, p.Spec(nil))
	}
	for _, s := range Strategies {
		list = append(list, s.Name)
		knobs, _ := Describe(s)
		for _, k := range knobs.All() {
			for _, o := range k.Options {
				if k.Restarts() && o != k.Default() {
					list = append(list, s.Name+":"+k.Name+"="+o)
				}
			}
		}
	}
	return list
})

// pairScenes returns the names of all scenes that can be small.
var pairScenes = sync.OnceValue(func() (list []string) {
	for i := range scene.Templates {
		if t := &scene.Templates[i]; bodiesOf(smallest(t)) <= pairMaxBodies {
			list = append(list, t.Name)
		}
	}
	return list
})

// bodiesOf returns the number of bodies of a scene.
func bodiesOf(spec string) int {
	sc, err := scene.Named(spec)
	if err != nil {
		panic(err)
	}
	return len(sc.Boxes)
}

// smallest returns the scene with the smallest value of each parameter.
func smallest(t *scene.Template) string {
	spec := t.Name
	for _, p := range t.Params {
		spec += fmt.Sprintf(":%s=%d", p.Name, p.Min)
	}
	return spec
}

// drawScene returns a scene with random parameters, small ones more often, that has few bodies.
func (s *pairSession) drawScene(name string) string {
	t := &scene.Templates[slices.IndexFunc(scene.Templates, func(t scene.Template) bool { return t.Name == name })]
	for range 20 {
		spec := t.Name
		for _, p := range t.Params {
			u := s.rng.Float64()
			spec += fmt.Sprintf(":%s=%d", p.Name, p.Min+int(float64(p.Max-p.Min+1)*u*u))
		}
		if bodiesOf(spec) <= pairMaxBodies {
			return spec
		}
	}
	return smallest(t)
}

// pairNetworks are conditions that every session may have, and pairDamage some that make endpoints refuse datagrams.
var (
	pairNetworks = []string{
		"loss=12%", "burst=6,loss=8%", "duplicate=15%", "reorder=10%,reorder-delay=60ms",
		"spike-chance=4%,spike=200ms", "swing=40ms,swing-every=2s,swing-loss=20%", "pause=150ms,pause-every=1s",
		"outage=250ms,outage-every=1500ms", "trace=us/20000:15000/21000/40000/-/-/90000/70000/50000/12000",
		"bandwidth=64kbit,bucket=3kB,queue=150ms", "latency-per-player=60ms", "far-player=2,far-latency=90ms",
		"down.latency=220ms", "up.latency=140ms,up.loss=10%",
	}
	pairDamage = []string{"corrupt=4%", "foreign=6%"}
)

// pairValues returns all values of all factors. Those of a factor follow each other.
func pairValues() (list []*pairValue) {
	for _, s := range pairStrategies() {
		strategy, _, err := ParseSpec(s)
		if err != nil {
			panic(err)
		}
		knobs, _ := Describe(strategy)
		list = append(list, &pairValue{factor: strategyFactor, name: s, knobs: knobs})
	}
	for _, s := range pairScenes() {
		list = append(list, &pairValue{factor: sceneFactor, name: s})
	}
	for _, s := range []string{copyTake, backTake, branchTake, onDiskTake} {
		list = append(list, &pairValue{factor: takeFactor, name: s})
	}
	for i, text := range append(slices.Clone(pairNetworks), pairDamage...) {
		name, _, _ := strings.Cut(text, "=")
		list = append(list, &pairValue{name: name, network: text, dishonest: i >= len(pairNetworks)})
	}
	for _, shape := range link.ShapeNames() {
		list = append(list, &pairValue{name: "jitter, " + shape, network: "jitter=25ms,shape=" + shape})
	}
	list = append(list, pairCommands()...)
	for _, g := range predict.Groups() {
		list = append(list, &pairValue{name: "knobs: " + g.String(), add: func(s *pairSession) []pairCommand { return s.turnGroup(g) }})
	}
	var switches []string // the others are turned with their groups
	for _, s := range Strategies {
		knobs, _ := Describe(s)
		for _, k := range knobs.All() {
			if (k.Kind == predict.Bool || k.Kind == predict.Choice) && !slices.Contains(switches, k.Name) {
				switches = append(switches, k.Name)
			}
		}
	}
	for _, name := range switches {
		list = append(list, &pairValue{name: "knob: " + name, knob: name, add: func(s *pairSession) []pairCommand { return s.turnSwitch(name) }})
	}
	return list
}

// pairCommands returns the extras that are commands, or inputs.
func pairCommands() (list []*pairValue) {
	command := func(name string, add func(s *pairSession) []pairCommand) {
		list = append(list, &pairValue{name: name, add: add})
	}
	dishonest := func(name string, add func(s *pairSession) []pairCommand) {
		list = append(list, &pairValue{name: name, add: add, dishonest: true})
	}
	one := func(verb, names string, values ...string) func(s *pairSession) []pairCommand {
		return func(s *pairSession) []pairCommand {
			name := strings.Split(names, "|")
			return []pairCommand{s.command(verb, name[s.rng.IntN(len(name))], values[s.rng.IntN(len(values))])}
		}
	}
	withMessages := func(add func(s *pairSession) []pairCommand) func(s *pairSession) []pairCommand {
		return func(s *pairSession) []pairCommand {
			s.preset("messages", "reliable")
			return add(s)
		}
	}
	command("freeze", one("freeze", "1|1|2|", "50ms", "120ms", "300ms", "700ms"))
	command("blackout", one("blackout", "", "60ms", "250ms", "600ms"))
	command("skew", one("clock", "skew|1.skew|2.skew", "300", "-300", "4000", "-4000", "60000", "-60000"))
	command("fps", one("clock", "fps|1.fps|2.fps", "10", "24", "50", "144"))
	command("nudge", func(s *pairSession) []pairCommand {
		return []pairCommand{
			s.command("nudge", []string{"x", "y", "z"}[s.rng.IntN(3)], "1.5"), s.command("nudge", "x", "-0.4"),
		}
	})
	command("drag", func(s *pairSession) []pairCommand {
		pulled := s.command("drag", []string{"server.0", "server.1", "client.1.0"}[s.rng.IntN(3)], "0:0:0.5:2:3:2")
		released := s.command("drag", "off", "")
		released.tick = pulled.tick + 40
		return []pairCommand{pulled, released}
	})
	command("rejoin", withMessages(one("rejoin", "1|1|2|3", "")))
	command("block", withMessages(one("block", "", "1", "20")))
	dishonest("forge", one("attack", "forge", "3", "40", "900"))
	dishonest("replay", one("attack", "replay", "50ms", "900ms"))
	dishonest("false-fragments", one("attack", "false-fragments", "2", "9"))
	dishonest("forge-acks", one("attack", "forge-acks", "1", "10"))
	dishonest("desync", func(s *pairSession) []pairCommand {
		ended := s.command("desync", "off", "")
		begun := s.command("desync", s.anyField(), "")
		ended.tick = max(ended.tick, begun.tick+20)
		return []pairCommand{begun, ended}
	})
	command("switch", func(s *pairSession) []pairCommand {
		return []pairCommand{s.command("switch", s.anyStrategy(), "")}
	})
	command("open", func(s *pairSession) []pairCommand {
		opened := s.command("open", s.anyStrategy(), "")
		closed := s.command("close", "", "")
		closed.Pane, closed.tick = s.rng.IntN(2), max(closed.tick, opened.tick+20)
		return []pairCommand{opened, closed}
	})
	command("panes", func(s *pairSession) []pairCommand {
		s.more = append(s.more, s.anyStrategy(), s.anyStrategy())
		focused := s.command("focus", "", "")
		focused.Pane = s.rng.IntN(3)
		return []pairCommand{focused}
	})
	command("restart", one("restart", "", ""))
	command("scene", func(s *pairSession) []pairCommand {
		list := pairScenes()
		return []pairCommand{s.command("scene", s.drawScene(list[s.rng.IntN(len(list))]), "")}
	})
	command("seat", one("seat", "host|client", ""))
	command("seed", one("seed", "", "9", "10"))
	command("condition", one("condition", "latency|rtt", "0ms", "150ms"))
	command("profile", func(s *pairSession) []pairCommand {
		return []pairCommand{s.command("network", "", link.Profiles[s.rng.IntN(len(link.Profiles))].Name)}
	})
	command("show", one("show", "ghosts", "on", "off"))
	command("shots", nil)
	command("actions", nil)
	return list
}

// command returns a command for all panes before a random tick of the span in which extras begin.
func (s *pairSession) command(verb, name, value string) pairCommand {
	at := pairSettleTicks + s.rng.IntN(pairSpanTicks)
	return pairCommand{at, Command{Verb: verb, Pane: AllPanes, Name: name, Value: value}}
}

// anyStrategy returns the spec of a random strategy, with messages if the session has any.
func (s *pairSession) anyStrategy() string {
	list := pairStrategies()
	spec := list[s.rng.IntN(len(list))]
	if strings.Contains(s.spec, ":messages=reliable") {
		spec += ":messages=reliable"
	}
	return spec
}

// anyField returns the name of a random field in the packets of the session's strategy.
func (s *pairSession) anyField() string {
	l := New(s.config)
	if _, err := l.Open(s.spec); err != nil {
		panic(err)
	}
	names := l.Panes[0].PacketFields()
	return names[s.rng.IntN(len(names))]
}

// preset sets a knob in the spec of the session's first pane.
func (s *pairSession) preset(name, value string) { s.spec += ":" + name + "=" + value }

// fits reports whether a session can have two of the values.
func fits(a, b *pairValue, values []*pairValue) bool {
	if a == b || a.factor == b.factor && a.factor != extraFactor {
		return false
	}
	has := func(strategy, v *pairValue) bool { return v.knob == "" || strategy.knobs.Lookup(v.knob) != nil }
	switch {
	case a.knobs != nil:
		return has(a, b)
	case b.knobs != nil:
		return has(b, a)
	}
	return slices.ContainsFunc(values, func(v *pairValue) bool { return v.knobs != nil && has(v, a) && has(v, b) })
}

// planPairs returns the values of n sessions, chosen one after the other: each time the value that makes the most new
// pairs with those of the session, and of equal ones the one that has most pairs left. It returns too how many different
// pairs the sessions have, and how many there are.
func planPairs(n int) (sessions [][]*pairValue, covered, possible int) {
	values := pairValues()
	seen, fit := make([][]int, len(values)), make([][]bool, len(values)) // times that two values were together; whether they can be
	left := make([]int, len(values))                                     // values that one was never together with
	index := map[*pairValue]int{}
	for i, v := range values {
		seen[i], fit[i], index[v] = make([]int, len(values)), make([]bool, len(values)), i
		for j, w := range values {
			if fit[i][j] = fits(v, w, values); fit[i][j] {
				left[i]++
			}
		}
		possible += left[i]
	}
	possible /= 2
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		var chosen []*pairValue
		choose := func(factor string) {
			best, least := -1, 0
			for _, i := range rng.Perm(len(values)) {
				if values[i].factor != factor || slices.ContainsFunc(chosen, func(c *pairValue) bool { return !fit[i][index[c]] }) {
					continue
				}
				n := -left[i]
				for _, c := range chosen {
					n += min(seen[i][index[c]], 2) << 12
				}
				if best < 0 || n < least {
					best, least = i, n
				}
			}
			chosen = append(chosen, values[best])
		}
		for _, f := range []string{strategyFactor, sceneFactor, takeFactor} {
			choose(f)
		}
		for range pairExtras {
			choose(extraFactor)
		}
		for k, v := range chosen {
			for _, w := range chosen[:k] {
				i, j := index[v], index[w]
				if seen[i][j] == 0 {
					left[i], left[j], covered = left[i]-1, left[j]-1, covered+1
				}
				seen[i][j]++
				seen[j][i]++
			}
		}
		sessions = append(sessions, chosen)
	}
	return sessions, covered, possible
}

// TestPairsHaveAll demands that every command, every attack and every network parameter is in a value of TestPairs.
func TestPairsHaveAll(t *testing.T) {
	s, _ := newPairSession(1, []*pairValue{{factor: strategyFactor, name: "rewind"}, {factor: sceneFactor, name: "plain"}, {factor: takeFactor, name: copyTake}})
	var networks strings.Builder
	verbs, attacks := map[string]bool{"set": true}, map[string]bool{}
	for _, v := range pairValues() {
		networks.WriteString("," + v.network)
		for range 12 { // some names are drawn
			if v.add == nil || v.knob != "" {
				continue
			}
			for _, c := range v.add(s) {
				verbs[c.Verb] = true
				if c.Verb == "attack" {
					attacks[c.Name] = true
				}
				if c.Verb == "condition" {
					networks.WriteString("," + c.Name + "=")
				}
			}
		}
	}
	for _, v := range Verbs {
		if !verbs[v] {
			t.Errorf("no session has the command %s", v)
		}
	}
	for _, a := range AttackKinds {
		if !attacks[a] {
			t.Errorf("no session has the attack %s", a)
		}
	}
	for _, p := range link.ParamHelp() {
		if !strings.Contains(networks.String(), ","+p[0]+"=") {
			t.Errorf("no session has the network parameter %s", p[0])
		}
	}
}
