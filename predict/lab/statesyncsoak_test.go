package lab

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"ghostcube/sim"
)

// Distances in metres at which picture and truth have met: as drawn, and as
// simulated on the coarsest grid, whose steps are of 2 mm. And one that they keep:
// what clients remember of contacts is not what the server does, and is set right
// only after a while.
const (
	metDrawn      = 0.02
	metSimulated  = 0.002
	keepSimulated = 0.05
)

// fading is for how many ticks after they have met an offset of smoothing may be
// seen: at 0.95 a tick half a metre takes 63 to be 2 cm.
const fading = 60

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
	f := &fight{T: t, chance: rand.New(rand.NewPCG(21, 22))}
	var games, clears, congested int
	var slowest [2]int // ticks until they met, without congestion control and with it
	var drawnMost, simulatedMost, restMost float32
	for ; f.made < minutes*3600; games++ {
		able := f.chance.IntN(3) > 0
		spec := fmt.Sprintf("statesync:smoothing=%s:position-steps=%s:rotation-bits=%d:level=",
			f.pick("none", "single", "two-factor"), f.pick("4096", "2048", "1024", "512"), 9+f.chance.IntN(7))
		within, control := 120, 0
		if able {
			level, congestion := f.pick("quantised-both", "relative", "delta"), f.pick("on", "off", "off")
			if congestion == "on" {
				within, control = 600, 1
			}
			spec += fmt.Sprintf("%s:budget=%d:jitter-buffer=%d:congestion=%s", level,
				192+f.chance.IntN(321), 1+f.chance.IntN(10), congestion)
		} else {
			spec += fmt.Sprintf("%s:authority=%s:up-budget=%d:adaptive=%s:budget=%d:jitter-buffer=%d:velocities=%s:inputs=%s:correction=%s:blend-share=0.%d",
				f.pick("uncompressed", "quantised", "quantised-both", "relative", "delta"), f.pick("server", "toucher"), 48+f.chance.IntN(209), f.pick("on", "off"), 32+f.chance.IntN(481), f.chance.IntN(11),
				f.pick("on", "off"), f.pick("on", "on", "off"), f.pick("snap", "blend"), 1+f.chance.IntN(9))
		}
		f.begin(games, spec)
		for range 2 {
			for i := range 1500 {
				switch {
				case i%300 == 299:
					f.play(f.all("weather", "", f.weather()))
				case f.chance.IntN(200) == 0:
					f.play(f.all("nudge", f.pick("x", "y", "z"), strconv.Itoa(f.chance.IntN(7)-3)))
				case f.chance.IntN(900) == 0:
					f.play(f.all("burst", "", f.pick("250ms", "2s", "5s")))
				default:
					f.play()
				}
			}
			was := f.lab.Network().Brief()
			f.play(f.all("weather", "", "perfect"), f.all("burst", "", "1ms"))
			met, seen, drawn, simulated := 0, 0, float32(0), float32(0)
			for i := range within + fading {
				f.play()
				drawn, simulated = f.apart()
				if met == 0 && simulated < metSimulated && f.age() < 20 {
					met = i + 1
				}
				if met != 0 && seen == 0 && drawn < metDrawn {
					seen = i + 1
				}
			}
			if !able {
				continue
			}
			if met == 0 || met > within || seen == 0 || simulated > keepSimulated {
				t.Errorf("%s: %d ticks after the weather has cleared (%s) they are %v m apart as drawn, %v as simulated; they met after %d ticks, and for the eye after %d", f.what, within+fading, was, drawn, simulated, met, seen)
			}
			clears++
			congested += control
			slowest[control] = max(slowest[control], met)
			drawnMost, simulatedMost = max(drawnMost, drawn), max(simulatedMost, simulated)
		}
		f.rests = true
		for range 1200 {
			f.play()
		}
		rest, _ := f.apart()
		if restMost = max(restMost, rest); rest > metSimulated {
			t.Errorf("%s: when all rests a body is drawn %v m from where it is", f.what, rest)
		}
	}
	t.Logf("%d minutes, %d games; the weather cleared %d times, %d of them with congestion control: met after %d ticks at the latest, and %d with it; at the end of that time up to %.2g m apart as drawn, %.2g m as simulated; at rest %.2g m",
		f.made/3600, games, clears, congested, slowest[0], slowest[1], drawnMost, simulatedMost, restMost)
}

// begin begins a game.
func (f *fight) begin(number int, spec string) {
	c := config(f.T, f.pick("two-players", "two-players", "katamari:cubes=25:players=2", "katamari:cubes=64:players=2"), f.weather(), Seat(f.chance.IntN(2)))
	c.Network.Seed = uint64(number)
	f.what = fmt.Sprintf("game %d, %s, %s, %s", number, c.Scene, c.Seat, spec)
	f.lab = open(f.T, c, spec)
	f.pane, f.in, f.rests = f.lab.Panes[0], make([]sim.Input, f.lab.Players()), false
}
