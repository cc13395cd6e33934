package lab

import (
	"slices"
	"strconv"
	"time"

	"ghostcube/sim"
)

// AppendWhen appends to dst in words at which time of the server the pane draws its player's cube, such as drawn
// 150 ms ahead of the server, and where the other bodies are drawn at another time, that one too. It appends nothing
// until the client draws something.
func (p *Pane) AppendWhen(dst []byte) []byte {
	v := &p.Clients[0].View
	if len(v.Bodies) == 0 || v.Others == 0 {
		return dst
	}
	body := p.PlayerBody()
	predicted := body < len(v.Predicted) && v.Predicted[body]
	if !predicted || v.Own == v.Others || !slices.Contains(v.Predicted, false) {
		at := v.Others
		if predicted {
			at = v.Own
		}
		return p.appendFromServer(append(dst, "drawn "...), at, " of the server", " the server")
	}
	dst = append(p.appendFromServer(append(dst, "you "...), v.Own, "", ""), ", others "...)
	return p.appendFromServer(dst, v.Others, " of the server", " the server")
}

// appendFromServer appends a moment relative to the server's present in words, each followed by an ending.
func (p *Pane) appendFromServer(dst []byte, at sim.Moment, ahead, behind string) []byte {
	d := time.Duration(at-p.ServerWorld.Tick().Moment()) * time.Second / time.Duration(sim.MomentsPerTick*p.lab.config.Rate)
	switch ms := int(d.Round(time.Millisecond).Milliseconds()); {
	case ms > 0:
		return append(append(strconv.AppendInt(dst, int64(ms), 10), " ms ahead"...), ahead...)
	case ms < 0:
		return append(append(strconv.AppendInt(dst, int64(-ms), 10), " ms behind"...), behind...)
	}
	return append(dst, "at the server's present"...)
}
