package cli

import (
	"fmt"
	"time"

	"ghostcube/ui/plan"
)

// SessionFlags are the flags that describe a session: plan.Settings with their help.
type SessionFlags struct {
	Scene      string        `group:"session" help:"Scene, with parameters after colons: katamari:cubes=100 (see list scenes)." placeholder:"NAME"`
	Panes      string        `group:"session" help:"Strategies to run side by side, each with its knobs: NAME,NAME:KNOB=VALUE (see list strategies, list knobs)." placeholder:"SPEC,..."`
	Network    string        `group:"session" help:"Profile, conditions or both: wifi-bad,loss=5%. Latency is one way (see list networks)." placeholder:"NETWORK"`
	Seat       string        `group:"session" help:"Where players give input: at the clients, or at the host, whose client is a spectator." placeholder:"client|host"`
	Seed       string        `group:"session" help:"Seed of the network's outcomes: the same seed, the same losses." placeholder:"N"`
	Rate       string        `group:"session" help:"Ticks per second, 10 to 240." placeholder:"HZ"`
	FaultEvery time.Duration `group:"session" help:"Interval at which the server's cube is nudged by a metre." placeholder:"DURATION"`
	Fault      string        `group:"session" help:"Faults, as NAME=VALUE@TIME: skew, fps, freeze, blackout, nudge, forge, desync, rejoin and others below." placeholder:"NAME=VALUE@TIME,..."`
	Seconds    float64       `group:"session" help:"Length of the session in seconds." placeholder:"S"`
	Tape       string        `group:"session" help:"Tape to run, by name or file (see list tapes); captures or a game log open too." placeholder:"NAME|FILE"`
	Compare    string        `group:"session" help:"Comparison to run: scene, tape, network and panes under one name (see list comparisons)." placeholder:"NAME"`
}

// sessionHelp is the detailed help of the commands that run a session.
const sessionHelp = `
Flags override a comparison or a tape, which overrides the settings file.

--network takes a profile (wifi-bad), conditions (latency=75ms,jitter=10ms,loss=25%), or a
profile and conditions that replace some of its own. Conditions hold for both directions, or
for one of them (up.loss=5%). rtt=150ms is the same as latency=75ms. trace=NAME or
trace=FILE.csv adds a measured trace.

--fault takes a list such as fps=20,2.freeze=2s@10s. skew, fps and freeze concern the machines
of all clients, or of one client by its number. @ precedes the session time of the fault,
which is 0 if it is left out.

  skew=PPM           clocks run faster than the server's
  fps=N              programs run N frames per second
  freeze=TIME        programs stand still
  blackout=TIME      all packets are lost
  nudge=METRES       the server's cube is moved
  forge=N            both ends receive a forged packet, N packets ahead of the sequence
  replay=TIME        both ends receive a packet again after TIME
  false-fragments=N  both ends receive a false first fragment before each of N packets
  forge-acks=N       both ends receive N packets that acknowledge all that they have sent
  desync=FIELD       the server, or for up.FIELD the clients, write a field a bit wider; off ends it
  rejoin=CLIENT      the client forgets the world and downloads it (needs the knob messages)
  block=KB           the server sends every client a block (needs the knob messages)
`

// newPlan plans the session of the flags and the settings file. tape names the tape to run
// if none is asked for; if it is empty, no tape is run.
func (p *program) newPlan(flags SessionFlags, tape string) (*plan.Plan, error) {
	if isCapture(flags.Tape) {
		return planCaptures(flags)
	}
	if isGameLog(flags.Tape) {
		return p.planGameLog(flags)
	}
	session, err := p.library.New(plan.Settings(flags), p.settings, tape)
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return session, nil
}

// intFlag parses the value of a flag that is a whole number in [low, high].
func intFlag(name, text string, low, high int) (int, error) {
	n, err := plan.ParseInt(text, low, high)
	if err != nil {
		return 0, fmt.Errorf("--%s=%s: %w", name, text, err)
	}
	return n, nil
}
