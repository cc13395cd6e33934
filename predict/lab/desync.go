package lab

import (
	"slices"
	"strings"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/sim"
)

// desync is a forced fault of a pane's server or of its clients: they write one field of every payload a
// bit wider than the other side reads it, as after a change of a format that reached one side only.
type desync struct {
	field  string // name, after its group and a dot if it has one, and after up. for the clients; empty: no fault
	buffer []byte // of the last payload
}

// upPrefix begins the names of the fields in the clients' packets.
const upPrefix = "up."

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
	} else if names := p.packetFields(); !slices.Contains(names, field) {
		return &link.UnknownNameError{Kind: "field in packets of " + p.Strategy.Name, Name: field, Choices: names}
	}
	p.desync.field = field
	p.applyDesync()
	return nil
}

// applyDesync makes the server's or the clients' endpoints rewrite payloads if there is a fault.
func (p *Pane) applyDesync() {
	field, up := strings.CutPrefix(p.desync.field, upPrefix)
	widen := func(payload []byte) []byte { return p.widenField(up, field, payload) }
	for i := range p.peers {
		client, server := p.Clients[i].Endpoint, p.peers[i].Endpoint
		client.Rewrite, server.Rewrite = nil, nil
		switch {
		case field == "":
		case up:
			client.Rewrite = widen
		default:
			server.Rewrite = widen
		}
	}
}

// desyncProbeTicks is the number of ticks whose packets name the fields.
const desyncProbeTicks = 30

// packetFields returns the names of the fields in the packets of the server and then of the clients, in order
// of appearance, from a short session of the pane's strategy and knobs in which the players move.
func (p *Pane) packetFields() (names []string) {
	c := p.lab.Config()
	c.Network = link.Network{}
	l := New(c)
	q, err := l.Open(p.Spec())
	if err != nil {
		panic("lab: a pane's spec does not open: " + err.Error())
	}
	var upNames []string
	collect := func(up bool, prefix string, to *[]string) func([]byte) []byte {
		return func(payload []byte) []byte {
			_ = q.Strategy.Fields(up, payload, q.ServerWorld.Scene(), func(f quant.Field) {
				if name := prefix + fieldName(&f); f.Kind != "Check" && f.Kind != "Align" && !slices.Contains(*to, name) {
					*to = append(*to, name)
				}
			})
			return payload
		}
	}
	for i := range q.peers {
		q.Clients[i].Endpoint.Rewrite = collect(true, upPrefix, &upNames)
		q.peers[i].Endpoint.Rewrite = collect(false, "", &names)
	}
	e := Entry{Inputs: make([]sim.Input, l.Players())}
	for i := range e.Inputs {
		e.Inputs[i].Buttons = sim.Right
	}
	for range desyncProbeTicks {
		_ = l.Tick(e) // there is no command to refuse
	}
	return append(names, upNames...)
}

// widenField returns a payload whose first field of a name has one bit more, clear and above its others. up
// says that a client sends it. The field is unchanged, and everything after it is a bit later.
func (p *Pane) widenField(up bool, field string, payload []byte) []byte {
	at, end := -1, 0
	err := p.Strategy.Fields(up, payload, p.ServerWorld.Scene(), func(f quant.Field) {
		if end = f.BitOffset + f.Bits; at < 0 && fieldName(&f) == field && f.Kind != "Check" && f.Kind != "Align" {
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
