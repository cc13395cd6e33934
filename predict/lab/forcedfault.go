package lab

import (
	"strings"

	"ghostcube/predict/lab/probe"
	"ghostcube/sim"
)

// ForcedFault is a fault that a command has forced on a pane.
type ForcedFault struct {
	Command     Command
	SessionTick sim.Tick // of the session in which it was forced
	ServerTick  sim.Tick // of the server's world then
	Until       sim.Tick // the last of the server's ticks before which it acted
}

// forcedFaultVerbs are the verbs of the commands that force a fault.
const forcedFaultVerbs = " nudge blackout clock freeze attack desync rejoin drag "

// ForcesFault reports whether a command forces a fault.
func (c Command) ForcesFault() bool { return strings.Contains(forcedFaultVerbs, " "+c.Verb+" ") }

// recordFault remembers a command that was applied, if it forces a fault. Those by which the client of a server in another
// process joins, and catches up after a pause of its machine, are nobody's.
func (l *Lab) recordFault(c Command) {
	if !c.ForcesFault() || l.remote != nil && (c.Verb == "rejoin" || c.Verb == "freeze") {
		return
	}
	for i, p := range l.Panes {
		if concerned := c.Pane == AllPanes || c.Pane == i; concerned && (c.Verb != "drag" || p.dragged.held && !p.dragged.pulled) {
			now := p.ServerWorld.Tick()
			p.forced = ForcedFault{c, l.tick, now, now}
		}
	}
}

// LastFault returns the last fault that was forced on the pane since its strategy started. ok is false if there
// was none.
func (p *Pane) LastFault() (f ForcedFault, ok bool) { return p.forced, p.forced.Command.Verb != "" }

// Describe says in words what the fault does.
func (f *ForcedFault) Describe() string {
	c := &f.Command
	switch c.Verb {
	case "nudge":
		return "the server's cube was moved by " + c.Value + " m along " + c.Name
	case "blackout":
		return "all packets are lost for " + c.Value
	case "drag":
		side, body, _ := cutLast(c.Name, ".")
		if side == "server" {
			return "the server's body " + body + " is dragged"
		}
		return "the client's own body " + body + " is dragged"
	case "freeze":
		return "the client's program stands still for " + c.Value
	case "clock":
		return "the client's clock: " + c.Name + " " + c.Value
	case "attack":
		return "an attacker sends datagrams: " + c.Name
	case "desync":
		if field, up := strings.CutPrefix(c.Name, upPrefix); up {
			return "the clients write " + field + " one bit wider"
		}
		return "the server writes " + c.Name + " one bit wider"
	}
	return "the client forgets everything and joins again"
}

// faultSeconds is how long after a fault a correction can be its effect.
const faultSeconds = 8

// faultBefore describes the forced fault between the state that a client corrects itself by and its correction
// before; empty if there was none.
func (p *Pane) faultBefore(x *probe.Correction) string {
	f := &p.forced
	end := f.SessionTick + f.Until - f.ServerTick
	if f.Command.Verb == "" || f.ServerTick >= x.Tick || int(x.SessionTick)-int(end) > faultSeconds*p.lab.config.Rate {
		return ""
	}
	for n := p.Corrections.Total() - 1; n >= p.Corrections.FirstIndex(); n-- {
		if before := p.Corrections.At(n); before.Client == x.Client {
			if before.Tick > f.Until {
				return ""
			}
			break
		}
	}
	return f.Describe()
}
