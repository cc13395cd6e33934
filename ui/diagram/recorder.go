// Package diagram draws the packets between a server and its first client as a timeline, as textbooks do: the
// client is a line at the left, the server one at the right, time runs down, and every datagram is an arrow. The
// picture is an SVG of a session that was really run.
//
// It knows nothing of files and flags. The same session gives the same bytes on every machine.
package diagram

import (
	"fmt"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/trace"
	"ghostcube/sim"
)

// The least and the greatest time that a diagram shows.
const (
	MinSpan = 50 * time.Millisecond
	MaxSpan = 2 * time.Second
)

// reach is how long before the shown time a datagram can have been sent that is still under way in it. Longer ones
// are not drawn.
const reach = 3 * time.Second

// Recorder collects what a diagram shows of the first client of a pane, while its session runs.
type Recorder struct {
	lab      *lab.Lab
	pane     int
	from, to time.Duration // session time that is shown

	samples []sample
	packets [2][]packetInfo // by direction, in order of sending
	next    [2]int          // index in its flow of the first datagram that is not decoded yet, by direction
	pending [2]trace.Packet
}

// sample is the state of a pane after a session tick.
type sample struct {
	at             time.Duration
	server, client sim.Tick // of their worlds
	drawn          sim.Tick // server tick that the player's drawn cube claims to show
	progress       predict.InputProgress
	note           string
}

// packetInfo is a packet, of one datagram or of several fragments.
type packetInfo struct {
	first, end int // its datagrams, as indices in the flow
	sentAt     time.Duration
	text       string // what it carries

	inputCount int
	lastInput  sim.Tick // newest of its inputs, if inputCount > 0
	state      sim.Tick // tick of the server's state in it; 0: none
}

// has reports whether the packet carries the input of a tick.
func (p *packetInfo) has(input sim.Tick) bool {
	return p.inputCount > 0 && input <= p.lastInput && int64(input) > int64(p.lastInput)-int64(p.inputCount)
}

// NewRecorder returns a recorder of the time from from to to in the pane with an index. The session must not have
// begun. The caller calls AfterTick after each tick, and then WriteSVG.
func NewRecorder(l *lab.Lab, pane int, from, to time.Duration) *Recorder {
	l.TraceDatagrams(true)
	return &Recorder{lab: l, pane: pane, from: from, to: to}
}

// AfterTick records what the last tick has done. A session whose commands closed the pane records nothing more.
func (r *Recorder) AfterTick() {
	if r.pane >= len(r.lab.Panes) {
		return
	}
	p := r.lab.Panes[r.pane]
	c := p.Clients[0]
	s := sample{at: r.timeOf(r.lab.Ticks() - 1), server: p.ServerWorld.Tick(), client: c.World.Tick(), drawn: c.View.TickOf(p.PlayerBody()), note: c.View.Note}
	s.progress = p.Progress()
	for _, d := range [...]link.Direction{link.Up, link.Down} {
		f := p.Datagrams().Flow(0, d)
		r.next[d] = max(r.next[d], f.First())
		for ; r.next[d] < f.Total(); r.next[d]++ {
			if s.at >= r.from-reach && s.at <= r.to {
				r.addDatagram(p, f, d, r.next[d], &s)
			}
		}
	}
	if s.at >= r.from-2*r.tick() && s.at <= r.to {
		r.samples = append(r.samples, s)
	}
}

// tick returns the length of a session tick.
func (r *Recorder) tick() time.Duration { return time.Second / time.Duration(r.lab.Config().Rate) }

// timeOf returns the session time of a session tick, as datagrams have it.
func (r *Recorder) timeOf(t sim.Tick) time.Duration {
	return time.Duration(t) * time.Second / time.Duration(r.lab.Config().Rate)
}

// addDatagram adds a datagram to its packet, and decodes that if it is complete.
func (r *Recorder) addDatagram(p *lab.Pane, f *trace.Flow, d link.Direction, i int, s *sample) {
	record := f.At(i)
	bytes, _ := f.AppendBytes(nil, i)
	a := &r.pending[d]
	complete, ok := a.Add(bytes)
	if !ok || !complete {
		return
	}
	x := packetInfo{first: i - a.Datagrams + 1, end: i + 1, sentAt: record.SentAt}
	var fields []quant.Field
	if p.Fields(d, a.Payload, func(f quant.Field) { fields = append(fields, f) }) != nil {
		x.text = "malformed packet"
	} else {
		x.describe(d, record.Kind, fields, s)
	}
	r.packets[d] = append(r.packets[d], x)
}

// describe says what a packet carries, by its fields and by what the two sides know after the tick that sent it.
func (p *packetInfo) describe(d link.Direction, kind predict.PacketKind, fields []quant.Field, s *sample) {
	if kind == predict.Messages {
		p.text = "messages"
		return
	}
	if players, ok := streamText(p, fields, s.server); ok {
		p.text = players
		return
	}
	switch {
	case len(fields) == 0:
		p.text = "ack"
	case d == link.Up:
		p.text = "packet"
		if n := elements(fields, "inputs"); n > 0 && s.progress.Sampled > 0 {
			p.inputCount, p.lastInput = n, s.progress.Sampled-1
			p.text = inputText(p)
		}
	default:
		p.state = s.server
		if kind == predict.Inputs {
			p.text = fmt.Sprintf("inputs of all to %d", max(p.state, 1)-1)
			return
		}
		name := "snapshot"
		if n := elements(fields, "updates"); kind == predict.StateUpdates {
			name = plural(n, "state")
		}
		p.text = fmt.Sprintf("%s, tick %d", name, p.state)
		if n := p.end - p.first; n > 1 {
			p.text += fmt.Sprintf(", %d parts", n)
		}
	}
}

// streamText describes a packet that has a stream of inputs for each player, as lockstep's: the inputs of the first
// player of whom it has some, or which ones its sender has received.
func streamText(x *packetInfo, fields []quant.Field, near sim.Tick) (text string, ok bool) {
	for i := range fields {
		f := &fields[i]
		if f.Group != "players" || f.Name != "has_inputs" || i+1 >= len(fields) {
			continue
		}
		next := unwrap(fields[i+1].Raw, fields[i+1].Bits, near)
		if f.Raw == 0 {
			if !ok && next > 0 {
				text, ok = fmt.Sprintf("ack of inputs to %d", next-1), true
			}
			continue
		}
		n := 0
		for k := i + 1; k < len(fields) && (fields[k].Group != "players" || fields[k].Index == f.Index); k++ {
			if fields[k].Group == "inputs" {
				n = max(n, fields[k].Index+1)
			}
		}
		if n > 0 && next > 0 {
			x.inputCount, x.lastInput = n, next-1
			text = inputText(x)
		} else {
			text = fmt.Sprintf("key events to tick %d", max(next, 1)-1)
		}
		if f.Index > 0 {
			text += fmt.Sprintf(" of player %d", f.Index+1)
		}
		return text, true
	}
	return text, ok
}

// inputText says which inputs a packet carries.
func inputText(x *packetInfo) string {
	if first := int64(x.lastInput) - int64(x.inputCount) + 1; x.inputCount > 1 {
		return fmt.Sprintf("inputs %d–%d", max(first, 0), x.lastInput)
	}
	return fmt.Sprintf("input %d", x.lastInput)
}

// unwrap returns the tick near another one of which only the low bits are known.
func unwrap(low uint32, bits int, near sim.Tick) sim.Tick {
	if bits <= 0 || bits >= 32 {
		return sim.Tick(low)
	}
	size := int64(1) << bits
	t := int64(near) - int64(near)%size + int64(low)
	switch {
	case t-int64(near) > size/2 && t >= size:
		t -= size
	case int64(near)-t > size/2:
		t += size
	}
	return sim.Tick(t)
}

// elements returns the number of elements of a group of fields.
func elements(fields []quant.Field, group string) (n int) {
	for i := range fields {
		if fields[i].Group == group {
			n = max(n, fields[i].Index+1)
		}
	}
	return n
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
