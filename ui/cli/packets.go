//go:build !js || headless

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/trace"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
)

type packetsCommand struct {
	SessionFlags `embed:""`
	Format       string  `group:"output" help:"text, json (a line per packet), csv or markdown (sums), perfetto (ui.perfetto.dev) or pcapng (Wireshark)." default:"text" placeholder:"text"`
	Limit        string  `group:"output" help:"Number of packets to print; the sums still cover all. The default is all." placeholder:"N"`
	From         float64 `group:"output" help:"Session time of the first packets; --seconds is the length from then on." placeholder:"S"`
	Pane         string  `group:"output" help:"Only the packets of this pane, counted from 1. A diagram has pane 1 if this is left out." placeholder:"N"`
	Bodies       bool    `group:"output" help:"Sum by body instead of by field, the most expensive first; json has the bits of each packet by body."`
	Dissector    bool    `group:"output" help:"Print a dissector for Wireshark and tshark in Lua instead. It needs no session."`
	SVG          string  `name:"svg" group:"output" help:"Draw the packets as a timeline of client and server, of 0.05 to 2 s, into this file instead." placeholder:"FILE.svg"`
}

// Help returns the detailed help.
func (c *packetsCommand) Help() string {
	return sessionHelp + `
A packet is printed with its header and the fields of its payload: name, size in bits, value.
The tables at the end sum the sizes of all packets by field. --format json prints each packet as a
line of JSON, csv and markdown only the sums.

--bodies sums by body what the encoders spent on each, with fractions of bits at level arithmetic. Lists of
the bodies in a packet, all else in payloads, messages, and headers have rows of their own; the rows add up
to all datagrams. Tables have the 20 most expensive bodies, csv has all.

--svg draws the packets of the first client of a pane as arrows between two lines, with marks for
losses, corrections and stalls. The thick arrows are the way of the first input, and of the state
that answers it. Without --seconds it shows 0.4 s.

--format perfetto prints JSON in Chrome's trace event format. A pane is a process with threads for
server, clients and replays. Datagrams are slices from sending to arrival, with arrows; losses and
corrections are instants. In session time: a tick lasts until the next one.

--format pcapng writes a capture for Wireshark: UDP datagrams as and when they are sent, in session
time, with comments on those that are lost, damaged or late. Pane P is an interface, described by its
strategy and knobs, with the server at 10.P.0.1:40000 and clients from 10.P.0.2:40001 on. --dissector
prints the dissector, generated from docs/reference/wire.md: headers, and how payloads begin.

Examples:
  ghostcube packets --panes snapshot:compression=delta --seconds 2 --limit 5
  ghostcube packets --compare prediction --pane 2 --from 2 --seconds 0.4 --svg prediction.svg
  ghostcube packets --compare prediction --seconds 5 --format perfetto > trace.json
  ghostcube packets --compare prediction --seconds 5 --format pcapng > session.pcapng
  ghostcube packets --panes snapshot --seconds 5 --format markdown
  ghostcube packets --panes statesync --scene katamari --seconds 5 --bodies --limit 0
  ghostcube packets --dissector > ghostcube.lua
`
}

// Run prints the packets of a session.
func (c *packetsCommand) Run(p *program) error {
	if err := c.checkFlags(); err != nil {
		return err
	}
	if c.Dissector {
		_, err := io.WriteString(p.Stdout, dissector)
		return err
	}
	flags := c.SessionFlags
	if c.SVG != "" && flags.Seconds == 0 {
		flags.Seconds = diagramSeconds
	}
	if !(c.From >= 0) || c.From > plan.MaxSeconds {
		return usageError{fmt.Errorf("--from=%v: want seconds from 0 to %d", c.From, plan.MaxSeconds)}
	}
	planned, err := p.newPlan(flags, "circle")
	if err != nil {
		return usageError{err}
	}
	only := -1
	if c.Pane != "" {
		if only, err = intFlag("pane", c.Pane, 1, len(planned.Panes)); err != nil {
			return usageError{err}
		}
		only--
	}
	lead := int(c.From * float64(planned.Config.Rate))
	if c.SVG != "" {
		return c.writeDiagram(p, planned, lead, max(only, 0))
	}
	switch c.Format {
	case "perfetto":
		return c.writeTrace(p, planned, lead, only)
	case "pcapng":
		return c.writeCapture(p, planned, lead, only)
	}
	limit := -1
	if c.Limit != "" {
		if limit, err = intFlag("limit", c.Limit, 0, math.MaxInt32); err != nil {
			return usageError{err}
		}
	}
	out := bufio.NewWriter(p.Stdout)
	d := &packetDump{out: out, format: c.Format, from: time.Duration(lead) * time.Second / time.Duration(planned.Config.Rate),
		only: only, byBody: c.Bodies, remaining: limit, pending: map[flowID]*trace.Packet{}, totals: map[flowID]*flowTotals{}}
	l := lab.New(planned.Config)
	l.Tap = d.addDatagram
	for _, spec := range planned.Panes {
		if _, err := l.Open(spec); err != nil {
			return usageError{err}
		}
	}
	d.lab = l
	n, err := c.ticks(planned, lead)
	if err != nil {
		return err
	}
	if err := session.Run(context.Background(), l, planned.Entries(n), nil, nil); err != nil {
		return usageError{err}
	}
	if err := d.printSums(); err != nil {
		return err
	}
	return out.Flush()
}

// checkFlags refuses flags that do not go together.
func (c *packetsCommand) checkFlags() error {
	if err := checkChoice("format", c.Format, "text", "json", "csv", "markdown", "perfetto", "pcapng"); err != nil {
		return err
	}
	text, file := c.Format == "text", c.Format == "perfetto" || c.Format == "pcapng"
	switch {
	case c.SVG != "" && c.Limit != "":
		return usageError{errors.New("--svg and --limit: a diagram shows all packets of its time")}
	case c.SVG != "" && !text:
		return usageError{errors.New("--svg and --format: a diagram is an SVG file")}
	case c.Bodies && (file || c.SVG != ""):
		return usageError{errors.New("--bodies sums packets: want --format text, json, csv or markdown, and no --svg")}
	case file && c.Limit != "":
		return usageError{fmt.Errorf("--format=%s and --limit: such a file has all packets of its time", c.Format)}
	case c.Dissector && (c.SVG != "" || !text || c.Limit != "" || c.Bodies):
		return usageError{errors.New("--dissector prints a dissector and no packets: leave out --format, --limit, --bodies and --svg")}
	}
	return nil
}

// ticks returns the number of ticks of a session of which the packets after the first lead ticks are printed.
func (c *packetsCommand) ticks(planned *plan.Plan, lead int) (n int, err error) {
	n = planned.Ticks(10)
	if planned.Seconds > 0 {
		n += lead
	}
	if lead >= n {
		err = usageError{fmt.Errorf("--from=%v: want less than the session's %v s, or --seconds", c.From, float64(n)/float64(planned.Config.Rate))}
	}
	return n, err
}

// flowID identifies one direction of one client of one pane.
type flowID struct {
	pane, client int
	direction    link.Direction
}

// packetDump decodes and prints the packets of a session.
type packetDump struct {
	out       io.Writer
	format    string // text, json, csv or markdown
	lab       *lab.Lab
	from      time.Duration // session time of the first packets
	only      int           // pane; negative: all
	byBody    bool          // the sums are by body, not by field
	remaining int           // packets still to print; negative: all
	pending   map[flowID]*trace.Packet
	totals    map[flowID]*flowTotals
	malformed int

	firstError string // of the first malformed payload
}

// flowTotals sums the packets of a flow.
type flowTotals struct {
	packets, datagrams, bytes int
	jsonBytes, alignedBytes   int
	fields                    []fieldTotal // in order of appearance
	bodyTotals
}

// fieldTotal sums the sizes of a field.
type fieldTotal struct {
	name        string
	count, bits int
}

// addDatagram decodes a datagram. The fragments of a packet follow each other.
func (d *packetDump) addDatagram(p *lab.Pane, client int, direction link.Direction, now time.Duration, b []byte) {
	id := flowID{slices.Index(d.lab.Panes, p), client, direction}
	a := d.pending[id]
	if a == nil {
		a = &trace.Packet{}
		d.pending[id] = a
	}
	complete, ok := a.Add(b)
	if !ok && now >= d.from {
		d.malformed++
	}
	if !complete {
		return
	}
	spent, _ := p.PacketBits(direction, client)
	if now < d.from || d.only >= 0 && d.only != id.pane {
		return
	}
	var fields []quant.Field
	err := p.Fields(direction, a.Payload, func(f quant.Field) { fields = append(fields, f) })
	if err != nil {
		if d.malformed++; d.firstError == "" {
			d.firstError = fmt.Sprintf("%.3f s, pane %d, client %d %s: %v", now.Seconds(), id.pane+1, id.client+1, directionName(direction), err)
		}
	}
	d.addPacket(id, p, now, a, fields, spent, err)
}

// addPacket adds a packet to the sums and prints it, with the reason if it is malformed. spent are the bits of its states, nil
// if it has none.
func (d *packetDump) addPacket(id flowID, p *lab.Pane, now time.Duration, a *trace.Packet, fields []quant.Field,
	spent *predict.PacketBits, malformed error) {
	s := d.totals[id]
	if s == nil {
		s = &flowTotals{}
		d.totals[id] = s
	}
	asJSON, aligned, bits := len(payloadJSON(fields)), a.Header.Size, 0
	for _, f := range fields {
		aligned, bits = aligned+alignedBytes(f.Bits), bits+f.Bits
		s.addField(&f)
	}
	s.packets, s.datagrams, s.bytes = s.packets+1, s.datagrams+a.Datagrams, s.bytes+a.Bytes
	s.jsonBytes, s.alignedBytes = s.jsonBytes+asJSON, s.alignedBytes+aligned
	shares := ""
	if d.byBody {
		bodies, parts := packetShares(a, fields, spent)
		s.bodyTotals.add(bodies, parts)
		shares = sharesJSON(bodies, parts)
	}
	if d.remaining == 0 || d.format == "csv" || d.format == "markdown" {
		return
	}
	d.remaining--
	if d.format == "json" {
		d.printJSON(id, p, now, a, fields, shares, bits, malformed)
		return
	}
	fmt.Fprintf(d.out, "%.3f s, pane %d %s, client %d %s: %d bytes in %s; payload %d bits, as JSON %d bytes, byte-aligned with header %d\n",
		now.Seconds(), id.pane+1, p.Strategy.Name, id.client+1, directionName(id.direction), a.Bytes,
		plural(a.Datagrams, "datagram"), bits, asJSON, aligned)
	fmt.Fprintf(d.out, "  header: %s\n", trace.HeaderText(&a.Header))
	for i := 0; i < len(fields); {
		var text string
		text, i = trace.FieldText(fields, i)
		fmt.Fprintf(d.out, "  %s\n", text)
	}
	if malformed != nil {
		end := 0 // of the last field
		if n := len(fields); n > 0 {
			end = fields[n-1].BitOffset + fields[n-1].Bits
		}
		fmt.Fprintf(d.out, "  malformed after bit %d: %v\n", end, malformed)
	}
}

// printJSON prints a packet as a line of JSON.
func (d *packetDump) printJSON(id flowID, p *lab.Pane, now time.Duration, a *trace.Packet, fields []quant.Field, shares string, bits int, malformed error) {
	fmt.Fprintf(d.out, `{"seconds":%.3f,"pane":%d,"strategy":%q,"client":%d,"direction":%q,"bytes":%d,"datagrams":%d,`,
		now.Seconds(), id.pane+1, p.Strategy.Name, id.client+1, directionName(id.direction), a.Bytes, a.Datagrams)
	fmt.Fprintf(d.out, `"header":%q,"payload_bits":%d,"payload":%s%s`, trace.HeaderText(&a.Header), bits, payloadJSON(fields), shares)
	if malformed != nil {
		fmt.Fprintf(d.out, `,"malformed":%q`, malformed.Error())
	}
	fmt.Fprintln(d.out, "}")
}

func (f *flowTotals) addField(field *quant.Field) {
	name := field.Name
	if field.Group != "" {
		name = field.Group + "." + field.Name
	}
	i := slices.IndexFunc(f.fields, func(x fieldTotal) bool { return x.name == name })
	if i < 0 {
		i = len(f.fields)
		f.fields = append(f.fields, fieldTotal{name: name})
	}
	f.fields[i].count++
	f.fields[i].bits += field.Bits
}

func directionName(d link.Direction) string {
	if d == link.Up {
		return "up"
	}
	return "down"
}

// alignedBytes returns the size of a field in whole bytes, as in a struct.
func alignedBytes(bits int) int {
	switch {
	case bits <= 8:
		return 1
	case bits <= 16:
		return 2
	case bits <= 32:
		return 4
	}
	return (bits + 7) / 8
}

// payloadJSON returns a payload as JSON. Groups become arrays of objects, and consecutive
// fields of one name become an array.
func payloadJSON(fields []quant.Field) string {
	var b strings.Builder
	b.WriteByte('{')
	part, index := "", -1
	for i := 0; i < len(fields); {
		f := &fields[i]
		switch {
		case f.Group != part:
			if part != "" {
				b.WriteString("}]")
			}
			if i > 0 {
				b.WriteByte(',')
			}
			if f.Group != "" {
				fmt.Fprintf(&b, "%q:[{", f.Group)
			}
		case f.Group != "" && f.Index != index:
			b.WriteString("},{")
		case i > 0:
			b.WriteByte(',')
		}
		part, index = f.Group, f.Index
		j := i + 1
		for j < len(fields) && fields[j].Group == part && fields[j].Index == index && fields[j].Name == f.Name {
			j++
		}
		fmt.Fprintf(&b, "%q:", f.Name)
		if j > i+1 {
			b.WriteByte('[')
		}
		for k := i; k < j; k++ {
			if k > i {
				b.WriteByte(',')
			}
			b.WriteString(trace.ValueText(&fields[k]))
		}
		if j > i+1 {
			b.WriteByte(']')
		}
		i = j
	}
	if part != "" {
		b.WriteString("}]")
	}
	b.WriteByte('}')
	return b.String()
}

// printSums prints the sums of all flows.
func (d *packetDump) printSums() error {
	switch d.format {
	case "text":
		d.printSummary()
		return nil
	case "json":
		return nil
	}
	t, err := newListing(d.out, d.format, table{})
	if err != nil {
		return err
	}
	what, count := "FIELD", "COUNT"
	if d.byBody {
		what, count = "BODY", "PACKETS"
	}
	t.row("PANE", "STRATEGY", "CLIENT", "DIRECTION", what, count, "BITS", "BITS PER PACKET", "SHARE PERCENT")
	d.eachFlow(func(id flowID, s *flowTotals) {
		rows := s.rows()
		if d.byBody {
			limit := 0
			if d.format == "markdown" {
				limit = shownBodies
			}
			rows = s.bodyTotals.rows(s.packets, d.lab.Players(), limit)
		}
		for _, cells := range rows {
			flow := []string{fmt.Sprint(id.pane + 1), d.lab.Panes[id.pane].Strategy.Name, fmt.Sprint(id.client + 1), directionName(id.direction)}
			t.row(append(flow, cells[:]...)...)
		}
	})
	return t.close()
}

// eachFlow calls f with the sums of each flow that has some, in order.
func (d *packetDump) eachFlow(f func(flowID, *flowTotals)) {
	for pane := range d.lab.Panes {
		for client := range d.lab.Panes[pane].Clients {
			for _, direction := range []link.Direction{link.Up, link.Down} {
				id := flowID{pane, client, direction}
				if s := d.totals[id]; s != nil {
					f(id, s)
				}
			}
		}
	}
}

// printSummary prints the sums of all flows as tables.
func (d *packetDump) printSummary() {
	d.eachFlow(func(id flowID, s *flowTotals) {
		p := d.lab.Panes[id.pane]
		fmt.Fprintf(d.out, "\npane %d %s, client %d %s: %d packets in %d datagrams, %d bytes; as JSON %d bytes, byte-aligned %d, %s\n",
			id.pane+1, p.Strategy.Name, id.client+1, directionName(id.direction), s.packets, s.datagrams,
			s.bytes, s.jsonBytes, s.alignedBytes, headerBytes(s, p.Clients[id.client].LinkCounters(id.direction)))
		if d.byBody {
			s.bodyTotals.writeTable(d.out, s.packets, d.lab.Players())
		} else {
			s.writeTable(d.out)
		}
	})
	if d.malformed > 0 {
		fmt.Fprintf(d.out, "\n%s\n", plural(d.malformed, "malformed packet"))
		if d.firstError != "" {
			fmt.Fprintf(d.out, "the first: %s\n", d.firstError)
		}
	}
}

// headerBytes returns what the layers below add to the datagrams of a flow, as text.
func headerBytes(s *flowTotals, m *link.Counters) string {
	more := m.WireBytes - uint64(s.bytes)
	if more == uint64(s.datagrams*link.UDPIPHeaderBytes) {
		return fmt.Sprintf("IP and UDP headers %d more", more)
	}
	return fmt.Sprintf("IP and TCP %d more, with %s and %s", more,
		plural(int(m.Retransmitted), "retransmission"), plural(int(m.PureAcks), "acknowledgement")+" without data")
}

func (f *flowTotals) writeTable(out io.Writer) {
	t := newTable(out)
	t.row("field", "count", "bits", "bits per packet", "share of payload, %")
	for _, cells := range f.rows() {
		t.row(cells[:]...)
	}
	t.close()
}

// rows returns a row for each field: its name, how often it was sent, its bits, those per packet, and its share of all.
func (f *flowTotals) rows() (rows [][5]string) {
	total := 0
	for _, field := range f.fields {
		total += field.bits
	}
	for _, field := range f.fields {
		perPacket, share := float64(field.bits)/float64(f.packets), 100*float64(field.bits)/float64(total)
		rows = append(rows, [5]string{field.name, fmt.Sprint(field.count), fmt.Sprint(field.bits), fixed(perPacket, 1), fixed(share, 1)})
	}
	return rows
}
