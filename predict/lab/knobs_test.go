package lab_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// knobSessions are the sessions in one of which every knob has to matter: with other players,
// carriers, joints and piles, over a network with every condition, with shots, nudges, freezes, few
// frames and outages.
var knobSessions = []struct{ scene, network string }{
	{"two-players", "latency=60ms,jitter=30ms,loss=10%,duplicate=5%,reorder=5%,reorder-delay=40ms,down.outage=400ms,down.outage-every=3s"},
	{"katamari:cubes=100:players=2", "latency=60ms,jitter=30ms,loss=10%,latency-per-player=80ms"},
	{"trailer", "latency=40ms,jitter=20ms,down.outage=300ms,down.outage-every=2s"},
	{"ship:platform=1", "latency=60ms,loss=5%"},
	{"train:rods=8", "latency=40ms,jitter=20ms,loss=10%"},
	{"turntable:aboard=1", "latency=150ms,jitter=40ms,loss=15%"},
	{"katamari:cubes=100:players=2", "latency=60ms,bandwidth=40kbit,queue=2s"},
	{"two-players", "latency=60ms,outage=2500ms,outage-every=7s"},
	{"two-players", "latency=60ms"},
	{"turntable", "latency=60ms"},
	{"walker:mounted=1", "latency=60ms,jitter=10ms,loss=5%"},
	{"ship:players=2", "latency=60ms"},
	{"katamari:cubes=9:players=3", "latency=40ms,far-player=3,far-latency=150ms"},
}

// knobValuesOf are the values of knobs whose ends of the range mean what the default means, or cannot
// be reached.
var knobValuesOf = map[string][]string{
	"chain-joints-max":     {"2"}, // 0, the default, is no limit
	"interest-radius":      {"3"}, // no scene is 500 m wide
	"interest-cutoff":      {"8"},
	"fallback-corrections": {"1"},    // 120 are not made in a second
	"gradual-position-max": {"0.01"}, // no correction is 50 m long
	"hit-history":          {"1ms"},  // no view is a second old
	"dirty-recover":        {"0ms"},  // the sessions are shorter than 30 s
}

// knobsWithoutEffect are settings that have no effect and do not say so: the servers of these
// strategies use the newest input, so that of older ones only shots matter.
var knobsWithoutEffect = []string{
	"noprediction:redundant-max=128", "snapshot:redundant-max=128", "statesync:redundant-max=128", "animated:redundant-max=128",
}

// knobSettings are other settings with which a knob matters in the sessions.
var knobSettings = map[string]string{
	"input-delay-grows": "input-delay=15", // more than some of the round trips
	"gradual-remainder": "gradual-position-max=0.01",
	"fallback-window":   "fallback-corrections=3:fallback-correction-min=0.3",
	"fallback-blend":    "fallback-corrections=3",
	"fallback-recover":  "fallback-corrections=1:fallback-correction-min=0.3",
	"dirty-recover":     "fallback-dirty-ticks=1",
	"keep-expired":      "snapshot-every=6:validity=0ms",
	"joint-root":        "joint-tree=relative",
	"loop-iterations":   "joint-tree=relative",
}

// knobHash runs a session of eleven seconds and returns its hash, with those of the shots' results.
func knobHash(t *testing.T, session int, spec string) uint64 {
	t.Helper()
	x := knobSessions[session]
	l := labtest.Open(t, labtest.Config(t, x.scene, x.network, AtClient), spec)
	in := make([]sim.Input, l.Players())
	buttons := [...]sim.Buttons{sim.Forward, sim.Right | sim.Pull, sim.Lift, sim.Back, sim.Left | sim.Lift, 0}
	for i := range 660 {
		for p := range in {
			in[p] = sim.Input{Buttons: buttons[(i/37+2*p)%len(buttons)], Heading: uint8(i / 90 * 32)}
		}
		if i > 60 && i%23 == 0 {
			in[0].Shot = sim.Shot{Fired: true, Yaw: uint16(i * 37 % 4096)}
		}
		switch i {
		case 130, 400:
			labtest.Apply(t, l, "nudge all x 0.7")
		case 210:
			labtest.Apply(t, l, "nudge all y -4")
		case 250:
			labtest.Apply(t, l, "freeze all 1 600ms")
		case 330:
			labtest.Apply(t, l, "clock all fps 10")
		case 380:
			labtest.Apply(t, l, "clock all fps off")
		case 440:
			labtest.Apply(t, l, "freeze all 1 1.5s")
		}
		labtest.Tick(t, l, Entry{Inputs: in})
	}
	h := l.Hash()
	for i := l.Panes[0].Shots.FirstIndex(); i < l.Panes[0].Shots.Total(); i++ {
		r := &l.Panes[0].Shots.At(i).Result
		counts := r.Now
		if r.UseRewound && r.Refused == predict.NotRefused {
			counts = r.Rewound
		}
		h = (h ^ uint64(math.Float32bits(counts.Hit.Distance))) * 0x9E3779B97F4A7C15
	}
	return h
}

// knobHashes remembers the hashes of specs.
type knobHashes map[string]uint64

func (k knobHashes) of(t *testing.T, session int, spec string) uint64 {
	t.Helper()
	key := fmt.Sprint(session, spec)
	h, ok := k[key]
	if !ok {
		h = knobHash(t, session, spec)
		k[key] = h
	}
	return h
}

// differ reports whether two specs differ in any session.
func (k knobHashes) differ(t *testing.T, a, b string) bool {
	t.Helper()
	for session := range knobSessions {
		if k.of(t, session, a) != k.of(t, session, b) {
			return true
		}
	}
	return false
}

// knobValues returns the values of a knob that are tried: the ends of a range, every other option of
// a choice.
func knobValues(k *predict.Knob) (values []string) {
	if values, ok := knobValuesOf[k.Name]; ok {
		return values
	}
	switch k.Kind {
	case predict.Bool:
		values = []string{"on", "off"}
	case predict.Choice:
		values = slices.Clone(k.Options)
	case predict.Int:
		values = []string{strconv.Itoa(int(k.Min)), strconv.Itoa(int(k.Max))}
	default:
		values = []string{fmt.Sprint(k.Min) + k.Unit, fmt.Sprint(k.Max) + k.Unit}
	}
	return slices.DeleteFunc(values, func(v string) bool { return v == k.Default() })
}

// TestEveryKnobMatters turns every knob of every strategy to the ends of its range or to every option.
// Each must change a session or declare that it has no effect. A knob that declares no effect must leave
// the session unchanged, and must change it once the settings that it needs are made.
func TestEveryKnobMatters(t *testing.T) {
	if os.Getenv("GHOSTCUBE_LONG") == "" {
		t.Skip("a thousand sessions: set GHOSTCUBE_LONG=1 to run it")
	}
	for _, s := range Strategies {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			knobs, _ := Describe(s)
			hashes := knobHashes{}
			for _, k := range knobs.All() {
				t.Run(k.Name, func(t *testing.T) {
					base, reason := s.Name, knobs.NoEffect(k)
					if more := knobSettings[k.Name]; more != "" {
						base += ":" + more
					} else if reason != "" {
						base = withEffect(t, s, k.Name)
					}
					for _, value := range knobValues(k) {
						turned := ":" + k.Name + "=" + value
						if reason != "" && hashes.differ(t, s.Name, s.Name+turned) {
							t.Errorf("%s%s changes a session, but says %q", s.Name, turned, reason)
						}
						changes := hashes.differ(t, base, base+turned)
						if dead := slices.Contains(knobsWithoutEffect, base+turned); changes == dead {
							t.Errorf("%s%s changes a session: %v", base, turned, changes)
						}
					}
				})
			}
		})
	}
}

// withEffect returns the spec of a strategy with the settings that a knob needs.
func withEffect(t *testing.T, s *predict.Strategy, name string) string {
	t.Helper()
	knobs, _ := Describe(s)
	k, spec := knobs.Lookup(name), s.Name
	for knobs.NoEffect(k) != "" {
		setting, _, _ := strings.Cut(strings.TrimPrefix(knobs.NoEffect(k), "no effect without "), " or ")
		needed, value, ok := strings.Cut(setting, "=")
		if !ok { // above 0
			needed, _, _ = strings.Cut(setting, " ")
			value = "4"
		}
		setting = needed + "=" + value
		if err := knobs.Set(needed, value); err != nil {
			t.Fatal(err)
		}
		spec += ":" + setting
	}
	return spec
}
