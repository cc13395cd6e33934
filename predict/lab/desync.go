package lab

import (
	"slices"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/sim"
)

// desync is a forced fault of a pane's server: it writes one field of every payload a bit
// wider than clients read it, as after a change of a format that reached one side only.
type desync struct {
	field  string // name, after its group and a dot if it has one; empty: no fault
	buffer []byte // of the last payload
}

// fieldName returns the name of a field, after that of its group.
func fieldName(f *quant.Field) string {
	if f.Group == "" {
		return f.Name
	}
	return f.Group + "." + f.Name
}

// setDesync starts or ends the fault.
func (p *Pane) setDesync(field string) error {
	if field == "off" {
		field = ""
	} else if names := p.downFields(); !slices.Contains(names, field) {
		return &link.UnknownNameError{Kind: "field in packets of " + p.Strategy.Name, Name: field, Choices: names}
	}
	p.desync.field = field
	p.applyDesync()
	return nil
}

// applyDesync makes the server's endpoints rewrite payloads if there is a fault.
func (p *Pane) applyDesync() {
	for i := range p.peers {
		p.peers[i].Endpoint.Rewrite = nil
		if p.desync.field != "" {
			p.peers[i].Endpoint.Rewrite = p.widenField
		}
	}
}

// desyncProbeTicks is the number of ticks whose packets name the fields.
const desyncProbeTicks = 30

// downFields returns the names of the fields in the server's packets, in order of appearance,
// from a short session of the pane's strategy and knobs in which the players move.
func (p *Pane) downFields() (names []string) {
	c := p.lab.Config()
	c.Network = link.Network{}
	l := New(c)
	q, err := l.Open(p.Spec())
	if err != nil {
		panic("lab: a pane's spec does not open: " + err.Error())
	}
	for i := range q.peers {
		q.peers[i].Endpoint.Rewrite = func(payload []byte) []byte {
			_ = q.Strategy.Fields(false, payload, q.ServerWorld.Scene(), func(f quant.Field) {
				if name := fieldName(&f); f.Kind != "Check" && f.Kind != "Align" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			})
			return payload
		}
	}
	e := Entry{Inputs: make([]sim.Input, l.Players())}
	for i := range e.Inputs {
		e.Inputs[i].Buttons = sim.Right
	}
	for range desyncProbeTicks {
		_ = l.Tick(e) // there is no command to refuse
	}
	return names
}

// widenField returns a payload whose first field of the fault's name has one bit more, clear
// and above its others. The field is unchanged, and everything after it is a bit later.
func (p *Pane) widenField(payload []byte) []byte {
	at, end := -1, 0
	err := p.Strategy.Fields(false, payload, p.ServerWorld.Scene(), func(f quant.Field) {
		if end = f.BitOffset + f.Bits; at < 0 && fieldName(&f) == p.desync.field && f.Kind != "Check" && f.Kind != "Align" {
			at = end
		}
	})
	if err != nil || at < 0 || end/8+1 > packet.MaxPayload {
		return payload
	}
	b := append(p.desync.buffer[:0], payload...)
	if end%8 == 0 {
		b = append(b, 0)
	}
	for bit := end; bit > at; bit-- {
		setBit(b, bit, getBit(b, bit-1))
	}
	setBit(b, at, false)
	p.desync.buffer = b
	return b
}

func getBit(b []byte, i int) bool { return b[i/8]>>(i%8)&1 != 0 }

func setBit(b []byte, i int, on bool) {
	b[i/8] &^= 1 << (i % 8)
	if on {
		b[i/8] |= 1 << (i % 8)
	}
}
