package cli

import (
	"fmt"
	"time"

	"ghostcube/ui/plan"
)

// SessionFlags are the flags that say what a session is. Empty ones are not given.
type SessionFlags struct {
	Scene      string        `help:"Where it takes place (see list scenes)." placeholder:"NAME"`
	Panes      string        `help:"Strategies side by side, with commas between them and knobs behind colons, such as rewind:snapshot-every=4:smoothing=off,noprediction (see list strategies, list knobs)." placeholder:"SPEC,..."`
	Network    string        `help:"The link: a name (see list networks), numbers such as latency=75ms,jitter=10ms,loss=25%,duplicate=1%, or a name and numbers. Latency is one way; rtt=150ms says the same. trace=FILE.csv lays a measured path under it, from a file or by a name (see list traces)." placeholder:"WEATHER"`
	Seat       string        `help:"Where the player sits: at the client, or at the host, whose client only watches." placeholder:"client|host"`
	Seed       string        `help:"Of all fates of packets: the same seed, the same losses." placeholder:"N"`
	Rate       string        `help:"Ticks per second, 10 to 240." placeholder:"60"`
	FaultEvery time.Duration `help:"Move the server's cube aside by a metre this often." placeholder:"5s"`
	Fault      string        `help:"Forced faults: skew=PPM of the clients' clocks, fps=N at which their programs go round, freeze=TIME for which they stand still, burst=TIME in which all is lost, nudge=METRES of the server's cube; behind @ when, such as fps=20,freeze=2s@10s. 2.skew is that of the second client alone." placeholder:"NAME=VALUE@TIME,..."`
	Seconds    float64       `help:"How long the session lasts." placeholder:"S"`
	Tape       string        `help:"A tape to play: a file, or a name (see list tapes)." placeholder:"FILE|NAME"`
	Compare    string        `help:"A named comparison: scene, tape, weather and panes at once (see list comparisons)." placeholder:"NAME"`
}

// newPlan turns flags, over the settings of a file, into a plan. tape names the tape that
// is played if none is asked for; without one nothing is played.
func (p *program) newPlan(flags SessionFlags, tape string) (*plan.Plan, error) {
	session, err := p.library.New(plan.Settings(flags), p.settings, tape)
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return session, nil
}

// intFlag reads the value of a flag that is a whole number in [low, high].
func intFlag(name, text string, low, high int) (int, error) {
	n, err := plan.ParseInt(text, low, high)
	if err != nil {
		return 0, fmt.Errorf("--%s=%s: %w", name, text, err)
	}
	return n, nil
}
