//go:build !js || headless

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/trace"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/gamelog"
)

// gameLog writes what a game would write of itself (docs/gamelog.md): the first client and the server of a pane. A nil
// gameLog does nothing.
type gameLog struct {
	file *atomicfile.File
	lab  *lab.Lab
	text bytes.Buffer // lines that are not in the file yet
	err  error

	start      sim.Tick // of the strategy
	serverTick int64    // of the newest line of the server; -1: there is none
	time       int64    // microseconds, of the newest line of the client
	keys       sim.Buttons
	server     []loggedBody
	client     []loggedBody
	next       [2]int  // first datagram that is not in the log, by direction
	corrected  int     // corrections in the log
	replayed   float64 // ticks in the log
}

// loggedBody is a body as the log has it.
type loggedBody struct {
	pose geom.Pose
	list byte // b or o; 0: it is in no line yet
}

// newGameLog starts the log of the only pane of a session.
func newGameLog(f *atomicfile.File, l *lab.Lab) *gameLog {
	l.TraceDatagrams(true)
	p := l.Panes[0]
	n := len(p.ServerWorld.Bodies())
	g := &gameLog{file: f, lab: l, start: p.StartTick(), serverTick: -1, server: make([]loggedBody, n), client: make([]loggedBody, n)}
	fmt.Fprintf(&g.text, `{"t":"h","v":1,"role":"both","hz":%d,"body":%d,"game":%q}`+"\n", l.Config().Rate, p.PlayerBody(), "ghostcube "+p.Strategy.Name)
	return g
}

// add adds the tick that the lab has just made.
func (g *gameLog) add(e lab.Entry) {
	if g == nil || g.err != nil {
		return
	}
	p, tick := g.lab.Panes[0], g.lab.Ticks()-1
	if p.StartTick() != g.start || len(g.lab.Panes) != 1 {
		g.err = errors.New("--game-log: the strategy starts again, or a pane opens: a game log has one run")
		return
	}
	at := (time.Duration(tick) * time.Second / time.Duration(g.lab.Config().Rate)).Microseconds()
	if len(e.Inputs) > 0 && e.Inputs[0].Buttons != g.keys {
		g.keys = e.Inputs[0].Buttons
		g.line("i", at, `"id":%d,"keys":%q}`, tick, gamelog.KeyText(g.keys))
	}
	all := int(tick)%g.lab.Config().Rate == 0 // bodies; otherwise only those that have moved
	if k := int64(p.ServerWorld.Tick()); k > g.serverTick {
		g.serverTick = k
		fmt.Fprintf(&g.text, `{"t":"s","k":%d,"b":`, k)
		pose := func(i int) (geom.Pose, byte) { return p.ServerWorld.Bodies()[i].Pose, 'b' }
		g.bodies(g.server, 'b', all, pose)
		remember(g.server, pose)
		g.text.WriteString("}\n")
	}
	g.addDatagrams(p)
	g.addCorrections(p, at)
	if v := &p.Clients[0].View; len(v.Bodies) > 0 {
		g.addView(p, v, at, all)
	}
	if g.text.Len() >= tickBufferBytes {
		g.flush()
	}
}

// line begins a line of the client. Its time is not before that of the last one.
func (g *gameLog) line(kind string, at int64, format string, args ...any) {
	g.time = max(g.time, at)
	fmt.Fprintf(&g.text, `{"t":%q,"us":%d,`, kind, g.time)
	fmt.Fprintf(&g.text, format, args...)
	if format[len(format)-1] == '}' {
		g.text.WriteByte('\n')
	}
}

// addView adds the picture of a tick.
func (g *gameLog) addView(p *lab.Pane, v *predict.View, at int64, all bool) {
	listOf := func(i int) byte {
		if len(v.Predicted) == 0 || i < len(v.Predicted) && v.Predicted[i] {
			return 'b'
		}
		return 'o'
	}
	first := v.Own
	if len(v.Predicted) == 0 {
		first = v.Others
	}
	pose := func(i int) (geom.Pose, byte) { return v.Bodies[i], listOf(i) }
	n := min(len(v.Bodies), len(g.client))
	g.line("v", at, `"k":%s,"b":`, momentText(first))
	g.bodies(g.client[:n], 'b', all, pose)
	if len(v.Predicted) > 0 {
		fmt.Fprintf(&g.text, `,"ko":%s,"o":`, momentText(v.Others))
		g.bodies(g.client[:n], 'o', all, pose)
	}
	remember(g.client[:n], pose)
	if t, ok := p.Latency.NewestShown(); ok {
		fmt.Fprintf(&g.text, `,"in":%d`, t)
	}
	g.text.WriteString("}\n")
}

// bodies adds the list of those bodies that it has and that have moved since the log had them, or of all.
func (g *gameLog) bodies(was []loggedBody, list byte, all bool, of func(i int) (geom.Pose, byte)) {
	b := append(g.text.AvailableBuffer(), '[')
	for i := range was {
		pose, in := of(i)
		if in != list || !all && was[i] == (loggedBody{pose, in}) {
			continue
		}
		if b[len(b)-1] != '[' {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), int64(i), 10)
		for _, x := range [...]float32{pose.Pos.X, pose.Pos.Y, pose.Pos.Z, pose.Rot.X, pose.Rot.Y, pose.Rot.Z, pose.Rot.W} {
			b = strconv.AppendFloat(append(b, ','), float64(x), 'f', -1, 32)
		}
		b = append(b, ']')
	}
	g.text.Write(append(b, ']'))
}

// remember remembers the bodies that the log has now.
func remember(was []loggedBody, of func(i int) (geom.Pose, byte)) {
	for i := range was {
		was[i].pose, was[i].list = of(i)
	}
}

// momentText returns a moment in ticks.
func momentText(m sim.Moment) string {
	return strconv.FormatFloat(max(m, 0).Ticks(), 'f', -1, 64)
}

// addDatagrams adds the datagrams of the tick, of both directions in the order of sending.
func (g *gameLog) addDatagrams(p *lab.Pane) {
	type sent struct {
		*trace.Record
		direction link.Direction
	}
	var list []sent
	for _, d := range []link.Direction{link.Up, link.Down} {
		f := p.Datagrams().Flow(0, d)
		for g.next[d] = max(g.next[d], f.First()); g.next[d] < f.Total(); g.next[d]++ {
			list = append(list, sent{f.At(g.next[d]), d})
		}
	}
	slices.SortStableFunc(list, func(a, b sent) int { return int(a.SentAt - b.SentAt) })
	for _, x := range list {
		end := "}"
		switch {
		case x.Vanishes():
			end = `,"lost":true}`
		case x.Arrival >= x.SentAt:
			end = fmt.Sprintf(`,"delay":%d}`, (x.Arrival - x.SentAt).Microseconds())
		}
		g.line("p", x.SentAt.Microseconds(), `"dir":%q,"bytes":%d`+end, directionName(x.direction), x.Size)
	}
}

// addCorrections adds a line if the client has corrected itself or replayed ticks.
func (g *gameLog) addCorrections(p *lab.Pane, at int64) {
	corrected, replayed := p.Corrections.Total(), p.Counters.Total(predict.ReplayedTicks)
	if corrected > g.corrected || replayed > g.replayed {
		g.line("r", at, `"n":%d}`, int(replayed-g.replayed))
	}
	g.corrected, g.replayed = corrected, replayed
}

// flush writes whole lines into the file.
func (g *gameLog) flush() {
	if g.err == nil {
		_, g.err = g.file.Write(g.text.Bytes())
	}
	g.text.Reset()
}

// close gives the file its name.
func (g *gameLog) close() error {
	if g == nil {
		return nil
	}
	if g.flush(); g.err != nil {
		return errors.Join(g.err, g.file.Discard())
	}
	return atomicfile.Commit(g.file)
}

// discard removes the file.
func (g *gameLog) discard() error {
	if g == nil {
		return nil
	}
	return g.file.Discard()
}
