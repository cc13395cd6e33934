package lab

import (
	"strconv"
	"time"

	"ghostcube/sim"
)

// When says in words at which time of the server the pane draws its player's cube, such as drawn 150 ms
// ahead of the server, and where the other bodies are drawn at another time, that one too. It is empty
// until the client draws something.
func (p *Pane) When() string {
	v := &p.Clients[0].View
	if len(v.Bodies) == 0 || v.Others == 0 {
		return ""
	}
	body := p.PlayerBody()
	predicted := body < len(v.Predicted) && v.Predicted[body]
	if !predicted || v.Own == v.Others || countTrue(v.Predicted) == len(v.Bodies) {
		at := v.Others
		if predicted {
			at = v.Own
		}
		return "drawn " + p.fromServer(at, " of the server", " the server")
	}
	return "you " + p.fromServer(v.Own, "", "") + ", others " + p.fromServer(v.Others, " of the server", " the server")
}

// fromServer returns a moment relative to the server's present in words, each followed by an ending.
func (p *Pane) fromServer(at sim.Moment, ahead, behind string) string {
	d := time.Duration(at-p.ServerWorld.Tick().Moment()) * time.Second / time.Duration(sim.MomentsPerTick*p.lab.config.Rate)
	switch ms := int(d.Round(time.Millisecond).Milliseconds()); {
	case ms > 0:
		return strconv.Itoa(ms) + " ms ahead" + ahead
	case ms < 0:
		return strconv.Itoa(-ms) + " ms behind" + behind
	}
	return "at the server's present"
}

// countTrue returns the number of values that are true.
func countTrue(list []bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}
