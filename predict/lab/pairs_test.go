package lab_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
)

// pairSession is the plan of one session.
type pairSession struct {
	number int
	rng    *rand.Rand
	values []*pairValue
	config Config
	spec   string   // of the first pane
	more   []string // specs of further panes
	ticks  int
	at     int // tick at which the copy of the take is made

	// Of one run: payloads refused so far, by pane, and the tick up to which more may be, because their ticks are far
	// from the clock of a client that was frozen.
	refusals     [MaxPanes]int
	refusesUntil int
}

// value returns the name of the session's value of a factor.
func (s *pairSession) value(factor string) string {
	for _, v := range s.values {
		if v.factor == factor {
			return v.name
		}
	}
	return ""
}

// has reports whether the session has an extra.
func (s *pairSession) has(extra string) bool {
	return slices.ContainsFunc(s.values, func(v *pairValue) bool { return v.factor == extraFactor && v.name == extra })
}

// newPairSession draws a session from its number and its values.
func newPairSession(number int, values []*pairValue) (s *pairSession, t *tape.Tape) {
	s = &pairSession{number: number, rng: rand.New(rand.NewPCG(31, uint64(number))), values: values}
	s.spec, s.ticks = s.value(strategyFactor), pairSettleTicks+pairSpanTicks+pairEndTicks
	s.at = pairSettleTicks/2 + s.rng.IntN(pairSpanTicks+pairEndTicks/2)
	rate := []int{60, 60, 20, 30, 75, 45, MinRate, 120}[s.rng.IntN(8)]
	s.config = Config{Scene: s.drawScene(s.value(sceneFactor)), Rate: rate, Seat: Seat(s.rng.IntN(6) / 5)}
	s.config.Network.Seed = uint64(number)
	network := []string{"latency=" + []string{"0ms", "30ms", "60ms", "125ms"}[s.rng.IntN(4)]}
	var commands []pairCommand
	for _, v := range values {
		if v.network != "" {
			network = append(network, v.network)
		}
		if v.add != nil {
			commands = append(commands, v.add(s)...)
		}
	}
	text := strings.Join(network, ",")
	if s.rng.IntN(2) == 0 {
		commands = append(commands, s.command("network", "", text))
		text = network[0]
	}
	if err := s.config.Network.Parse(text); err != nil {
		panic(fmt.Sprintf("%s: %v", text, err))
	}
	t = &tape.Tape{Config: s.config, Panes: append([]string{s.spec}, s.more...), Entries: make([]Entry, s.ticks)}
	slices.SortStableFunc(commands, func(a, b pairCommand) int { return a.tick - b.tick })
	for _, c := range commands {
		t.Entries[c.tick].Commands = append(t.Entries[c.tick].Commands, c.Command)
	}
	s.drawInputs(t)
	return s, t
}

// drawInputs draws the inputs of the players.
func (s *pairSession) drawInputs(t *tape.Tape) {
	shots, actions := s.has("shots"), s.has("actions")
	in := make([]sim.Input, sim.MaxPlayers) // those of players who are not there do nothing
	for i := range t.Entries {
		for p := range in {
			in[p].Shot = sim.Shot{}
			if shots && s.rng.IntN(12) == 0 {
				in[p].Shot = sim.Shot{Fired: true, Yaw: uint16(s.rng.IntN(sim.AimSteps))}
			}
			switch s.rng.IntN(16) {
			case 0, 1:
				in[p].Buttons = sim.Buttons(s.rng.Uint32()) & sim.MoveButtons
			case 2:
				in[p].Heading = uint8(s.rng.Uint32())
			case 3:
				if actions {
					in[p].Buttons ^= sim.Buttons(s.rng.Uint32()) & sim.ActionButtons
				}
			}
		}
		t.Entries[i].Inputs = slices.Clone(in)
	}
}

// TestPairs makes short sessions that combine any two of strategies, scenes, network conditions, faults, attacks,
// commands, knobs, inputs and takes, and checks what holds whatever happens:
//
//   - no side panics, and no body leaves the scene or becomes no number, in any world or on any screen;
//   - without attacks nobody refuses anything, except soon after a client was frozen;
//   - the session of the tape, written, read and run again, has the same hashes, with panes that are stepped at once;
//   - a copy that goes on from a moment within ends with the same hash, and so does the session itself after it went
//     back to that moment, also if it went another way in between, and a session that the first part of the tape tells.
func TestPairs(t *testing.T) {
	experiment.Skip(t)
	n := experiment.Pick(4, 30, 10_000) // -short, with the race detector
	sessions, covered, possible := planPairs(n)
	t.Logf("%d sessions have %d of %d pairs", n, covered, possible)
	parts := max(4, n/500) // for as many processors, or to run one of them alone
	for part := range parts {
		t.Run(strconv.Itoa(part), func(t *testing.T) {
			t.Parallel()
			for i := part; i < n; i += parts {
				runPairs(t, i, sessions[i])
			}
		})
	}
}
