//go:build !js || headless

package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/lab/trace"
)

// shownBodies is how many bodies a table for readers has; the others are one row.
const shownBodies = 20

// The parts of packets besides their bodies.
const (
	listPart    = iota // lists of the bodies in a packet
	payloadPart        // all else in the strategy's payload
	messagePart        // messages and blocks
	headerPart         // headers of the datagrams, without IP and UDP
	partCount
)

var partNames = [partCount]string{"list of bodies", "other payload", "messages and blocks", "datagram headers"}

// bodyTotals sums the sizes of a flow's packets by body and part.
type bodyTotals struct {
	bodies []bodyTotal // by body
	parts  [partCount]float64
}

// bodyTotal sums the bits of one body.
type bodyTotal struct {
	body, packets int // in which it cost something
	bits          float64
}

// packetShares returns what the bits of a packet were spent on, as its encoder has counted them: bodies, which are none
// in a payload without states (spent is nil), and parts.
func packetShares(a *trace.Packet, fields []quant.Field, spent *predict.PacketBits) (bodies []float64, parts [partCount]float64) {
	parts[headerPart] = float64(8 * (a.Bytes - len(a.Payload)))
	for i := range fields {
		if fields[i].Group == "sideband" {
			parts[messagePart] += float64(fields[i].Bits)
		}
	}
	own := float64(8*len(a.Payload)) - parts[messagePart]
	if spent == nil || math.Abs(spent.Sum()-own) > 0.5 { // or a fault has changed the payload
		parts[payloadPart] = own
		return nil, parts
	}
	parts[listPart], parts[payloadPart] = spent.Indices, spent.Other
	return spent.Bodies, parts
}

// add adds a packet.
func (t *bodyTotals) add(bodies []float64, parts [partCount]float64) {
	for len(t.bodies) < len(bodies) {
		t.bodies = append(t.bodies, bodyTotal{body: len(t.bodies)})
	}
	for i, n := range bodies {
		if n != 0 {
			t.bodies[i].bits += n
			t.bodies[i].packets++
		}
	}
	for i, n := range parts {
		t.parts[i] += n
	}
}

// rows returns a row for each body that cost something, the most expensive first, and for each part: its name, in how
// many packets it is, its bits, those per packet, and its share of all. If limit is positive, the bodies after that many
// are one row.
func (t *bodyTotals) rows(packets, players, limit int) (rows [][5]string) {
	total := 0.0
	row := func(name, count string, bits float64) {
		rows = append(rows, [5]string{name, count, bitsText(bits), fixed(bits/float64(packets), 1), fixed(100*bits/total, 1)})
	}
	bodies := slices.DeleteFunc(slices.Clone(t.bodies), func(b bodyTotal) bool { return b.packets == 0 })
	slices.SortStableFunc(bodies, func(a, b bodyTotal) int { return cmp.Compare(b.bits, a.bits) })
	for _, b := range bodies {
		total += b.bits
	}
	for _, n := range t.parts {
		total += n
	}
	rest := 0.0
	for i, b := range bodies {
		if limit > 0 && i >= limit {
			rest += b.bits
			continue
		}
		name := fmt.Sprintf("body %d", b.body)
		if b.body < players {
			name += fmt.Sprintf(", player %d", b.body+1)
		}
		row(name, fmt.Sprint(b.packets), b.bits)
	}
	if limit > 0 && len(bodies) > limit {
		row(fmt.Sprintf("%d other bodies", len(bodies)-limit), "", rest)
	}
	for i, n := range t.parts {
		if n != 0 {
			row(partNames[i], "", n)
		}
	}
	return rows
}

// writeTable prints the sums of a flow for readers.
func (t *bodyTotals) writeTable(out io.Writer, packets, players int) {
	table := newTable(out)
	table.row("body", "packets", "bits", "bits per packet", "share, %")
	for _, cells := range t.rows(packets, players, shownBodies) {
		table.row(cells[:]...)
	}
	table.close()
}

// bitsText returns a number of bits: whole, or with the fractions of an arithmetic coder.
func bitsText(bits float64) string {
	if bits == math.Trunc(bits) {
		return fixed(bits, 0)
	}
	return fixed(bits, 2)
}

// sharesJSON returns what the bits of a packet were spent on as members of a JSON object.
func sharesJSON(bodies []float64, parts [partCount]float64) string {
	var b strings.Builder
	b.WriteString(`,"body_bits":{`)
	first := true
	for i, n := range bodies {
		if n != 0 {
			if !first {
				b.WriteByte(',')
			}
			first = false
			fmt.Fprintf(&b, `"%d":%s`, i, bitsText(n))
		}
	}
	b.WriteByte('}')
	for i, n := range parts {
		fmt.Fprintf(&b, `,"%s_bits":%s`, [partCount]string{"list", "other", "message", "header"}[i], bitsText(n))
	}
	return b.String()
}
