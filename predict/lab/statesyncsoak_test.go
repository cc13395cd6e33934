package lab_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/sim"
)

// Distances in metres at which picture and truth have met: as drawn, and as
// simulated on the coarsest grid, whose steps are of 2 mm. And one that they keep:
// what clients remember of contacts is not what the server does, and is set right
// only after a while.
const (
	convergedDrawn     = 0.02
	convergedSimulated = 0.002
	stayConverged      = 0.05
)

// offsetDecayTicks is for how many ticks after they have met an offset of smoothing may be
// seen: at 0.95 a tick half a metre takes 63 to be 2 cm.
const offsetDecayTicks = 60

// TestStatesyncSoak has two players fight for a pile, in either seat, with random
// keys and knobs, while the weather turns every five seconds, packets stop for
// seconds, and the first player's cube is moved by metres. It says that nothing is
// ever no number or outside the scene; that where the knobs allow it all bodies are
// simulated where they were, and not late, within two seconds after the weather has
// cleared, while the fight goes on, drawn there within a second more, and still
// simulated there when those are over; and that with any knobs that send states they are there when all rests.
// Where congestion control has taken bad weather for a queue it is ten seconds: the
// rate comes back slowly. GHOSTCUBE_SOAK says for how many minutes of play, 5
// without.
func TestStatesyncSoak(t *testing.T) {
	minutes := soakMinutes(t, 5, 2)
	f := &soakSession{T: t, rng: rand.New(rand.NewPCG(21, 22))}
	var games, clears, congested int
	var slowest [2]int // ticks until they met, without congestion control and with it
	var drawnMost, simulatedMost, restMost float32
	for ; f.tickCount < minutes*3600; games++ {
		able := f.rng.IntN(3) > 0
		spec := fmt.Sprintf("statesync:smoothing=%s:position-steps=%s:rotation-bits=%d:compression=",
			f.pick("none", "single", "two-factor"), f.pick("4096", "2048", "1024", "512"), 9+f.rng.IntN(7))
		within, control := 120, 0
		if able {
			level, congestion := f.pick("quantised-both", "relative", "delta"), f.pick("on", "off", "off")
			if congestion == "on" {
				within, control = 600, 1
			}
			spec += fmt.Sprintf("%s:budget=%d:jitter-buffer=%d:congestion=%s", level,
				192+f.rng.IntN(321), 1+f.rng.IntN(10), congestion)
		} else {
			spec += fmt.Sprintf("%s:authority=%s:uplink-budget=%d:adaptive=%s:budget=%d:jitter-buffer=%d:velocities=%s:inputs=%s:correction=%s:blend-share=0.%d",
				f.pick("uncompressed", "quantised", "quantised-both", "relative", "delta"), f.pick("server", "client"), 48+f.rng.IntN(209), f.pick("on", "off"), 32+f.rng.IntN(481), f.rng.IntN(11),
				f.pick("on", "off"), f.pick("on", "on", "off"), f.pick("snap", "blend"), 1+f.rng.IntN(9))
		}
		f.start(games, spec)
		for range 2 {
			for i := range 1500 {
				switch {
				case i%300 == 299:
					f.tick(f.toAll("network", "", f.randomNetwork()))
				case f.rng.IntN(200) == 0:
					f.tick(f.toAll("nudge", f.pick("x", "y", "z"), strconv.Itoa(f.rng.IntN(7)-3)))
				case f.rng.IntN(900) == 0:
					f.tick(f.toAll("blackout", "", f.pick("250ms", "2s", "5s")))
				default:
					f.tick()
				}
			}
			was := f.lab.Network().Summary()
			f.tick(f.toAll("network", "", "perfect"), f.toAll("blackout", "", "1ms"))
			met, seen, drawn, simulated := 0, 0, float32(0), float32(0)
			for i := range within + offsetDecayTicks {
				f.tick()
				drawn, simulated = f.maxPathError()
				if met == 0 && simulated < convergedSimulated && f.maxDelay() < 20 {
					met = i + 1
				}
				if met != 0 && seen == 0 && drawn < convergedDrawn {
					seen = i + 1
				}
			}
			if !able {
				continue
			}
			if met == 0 || met > within || seen == 0 || simulated > stayConverged {
				t.Errorf("%s: %d ticks after the weather has cleared (%s) they are %v m apart as drawn, %v as simulated; they met after %d ticks, and for the eye after %d", f.label, within+offsetDecayTicks, was, drawn, simulated, met, seen)
			}
			clears++
			congested += control
			slowest[control] = max(slowest[control], met)
			drawnMost, simulatedMost = max(drawnMost, drawn), max(simulatedMost, simulated)
		}
		f.idle = true
		for range 1200 {
			f.tick()
		}
		rest, _ := f.maxPathError()
		if restMost = max(restMost, rest); rest > convergedSimulated {
			t.Errorf("%s: when all rests a body is drawn %v m from where it is", f.label, rest)
		}
	}
	t.Logf("%d minutes, %d games; the weather cleared %d times, %d of them with congestion control: met after %d ticks at the latest, and %d with it; at the end of that time up to %.2g m apart as drawn, %.2g m as simulated; at rest %.2g m",
		f.tickCount/3600, games, clears, congested, slowest[0], slowest[1], drawnMost, simulatedMost, restMost)
}

// start begins a game.
func (f *soakSession) start(number int, spec string) {
	c := config(f.T, f.pick("two-players", "two-players", "katamari:cubes=25:players=2", "katamari:cubes=64:players=2"), f.randomNetwork(), Seat(f.rng.IntN(2)))
	c.Network.Seed = uint64(number)
	f.label = fmt.Sprintf("game %d, %s, %s, %s", number, c.Scene, c.Seat, spec)
	f.lab = open(f.T, c, spec)
	f.pane, f.in, f.idle = f.lab.Panes[0], make([]sim.Input, f.lab.Players()), false
}
