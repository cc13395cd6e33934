package cli

import (
	"fmt"
	"strconv"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/remote"
	"ghostcube/sim"
	"ghostcube/ui/plan"
)

// insecureFragment stands for the key in a page's link to a session without one.
const insecureFragment = "insecure"

// application is what both ends of a connection have to agree on.
func application() string { return "ghostcube " + Version }

// openJoined lets the user play in the window until it is closed. It returns the reason where there is none.
func (p *program) openJoined(j *joined, f *WindowFlags) (reason string, err error) {
	config, pane := j.client.Lab.Config(), j.client.Lab.Panes[0]
	session, err := p.library.New(plan.Settings{
		Scene: config.Scene, Rate: strconv.Itoa(config.Rate), Panes: pane.Spec(), Network: "perfect",
	}, plan.Settings{}, "")
	if err != nil {
		return "", err
	}
	o := WindowOptions{Plan: session}
	o.Session.Remote = j
	if reason, err = p.openWindow(&o, f); reason != "" || err != nil {
		return reason, err
	}
	return "", j.ended
}

// joined is a client on the clock of the process. It implements session.Remote.
type joined struct {
	client *remote.Client
	start  time.Time
	pump   func(now time.Duration) // delivers packets delayed by the conditions of --network
	pumped bool                    // there are some
	typed  <-chan string           // lines to say
	refuse func(err error)         // says why one was not said
	ended  error                   // why the session has ended; nil: it has not
}

// next returns when the client or the conditions over its network have to do something.
func (j *joined) next() time.Duration {
	if !j.pumped {
		return j.client.Next()
	}
	return min(j.client.Next(), time.Since(j.start)+time.Millisecond)
}

// Lab implements session.Remote.
func (j *joined) Lab() *lab.Lab { return j.client.Lab }

// Due implements session.Remote.
func (j *joined) Due() int {
	now := time.Since(j.start)
	j.pump(now)
	j.sayTyped(now)
	return j.client.Due(now)
}

// sayTyped says the lines of the standard input to all.
func (j *joined) sayTyped(now time.Duration) {
	eachLine(j.typed, func(line string) {
		if err := j.client.Say(line, now); err != nil {
			j.refuse(err)
		}
	})
}

// CheckSay implements session.Remote.
func (j *joined) CheckSay(text string) error { return remote.CheckChat(text) }

// Say implements session.Remote.
func (j *joined) Say(text string) error { return j.client.Say(text, time.Since(j.start)) }

// Tick implements session.Remote.
func (j *joined) Tick(in sim.Input) error {
	now := time.Since(j.start)
	j.ended = j.client.Step(now, func(sim.Tick) sim.Input { return in })
	j.pump(now)
	return j.ended
}

// News implements session.Remote.
func (j *joined) News() []string { return j.client.News() }

// Apply implements session.Remote.
func (j *joined) Apply(c lab.Command) error { return j.client.Apply(c) }

// Label implements session.Remote.
func (j *joined) Label() string {
	if j.client.Player < 0 {
		return "the server's world: you watch"
	}
	rtt, ok := j.client.RoundTrip()
	if !ok || j.Silence() > time.Second {
		return fmt.Sprintf("player %d", j.client.Player+1)
	}
	return fmt.Sprintf("player %d, round trip %s ms", j.client.Player+1, fixed(milliseconds(rtt), 0))
}

// Silence implements session.Remote.
func (j *joined) Silence() time.Duration { return j.client.Silence(time.Since(j.start)) }

// eachLine calls do with each line that has been typed since the last call.
func eachLine(lines <-chan string, do func(line string)) {
	for {
		select {
		case line := <-lines:
			do(line)
		default:
			return
		}
	}
}
