package plan

import "time"

// Settings say what a session is, as text: what flags, a settings file, a comparison or a
// tape give. Empty ones are not given.
type Settings struct {
	Scene      string        // as sim.SceneNamed takes it
	Panes      string        // specs, with commas between them
	Network    string        // as link.Network.Parse takes it, and traces by their names
	Seat       string        // client or host
	Seed       string        // a whole number from 0
	Rate       string        // ticks per second
	FaultEvery time.Duration // from one forced fault to the next
	Fault      string        // as lab.ParseFaults takes it
	Seconds    float64       // how long the session lasts
	Tape       string        // a name or a file
	Compare    string        // the name of a comparison
}

// defaults are the settings that nothing else gives. The network is one that makes
// corrections visible.
var defaults = Settings{Scene: "zen", Panes: "rewind", Network: "bursty", Seat: "client", Seed: "1", Rate: "60"}

// overriddenBy returns s with what o gives laid over it.
func (s Settings) overriddenBy(o Settings) Settings {
	pick := func(p *string, v string) {
		if v != "" {
			*p = v
		}
	}
	pick(&s.Scene, o.Scene)
	pick(&s.Panes, o.Panes)
	pick(&s.Network, o.Network)
	pick(&s.Seat, o.Seat)
	pick(&s.Seed, o.Seed)
	pick(&s.Rate, o.Rate)
	pick(&s.Tape, o.Tape)
	pick(&s.Compare, o.Compare)
	pick(&s.Fault, o.Fault)
	if o.FaultEvery != 0 {
		s.FaultEvery = o.FaultEvery
	}
	if o.Seconds != 0 {
		s.Seconds = o.Seconds
	}
	return s
}
