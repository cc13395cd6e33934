package cli

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict/lab"
)

type packetsCommand struct {
	Session `embed:""`
	Most    string `help:"Print this many packets one by one, and then sums of all; all of them unless said." placeholder:"N"`
}

// Run prints packets.
func (c *packetsCommand) Run(p *program) error {
	plan, err := p.plan(c.Session, "circle")
	if err != nil {
		return usage{err}
	}
	most := -1
	if c.Most != "" {
		if most, err = whole("--most", c.Most, 0, math.MaxInt32); err != nil {
			return usage{err}
		}
	}
	out := bufio.NewWriter(p.Stdout)
	d := &dump{out: out, most: most, open: map[wireID]*assembled{}, sums: map[wireID]*sum{}}
	l := lab.New(plan.config)
	l.Tap = d.datagram
	for _, spec := range plan.open {
		if _, err := l.Open(spec); err != nil {
			return usage{err}
		}
	}
	d.lab = l
	n := plan.ticks(10)
	for _, e := range plan.allEntries(n) {
		if err := l.Tick(e); err != nil {
			return usage{err}
		}
	}
	d.summary()
	return out.Flush()
}

// wireID names one direction of one seat of one pane.
type wireID struct {
	pane, seat int
	direction  link.Direction
}

// assembled is a packet of which fragments have been seen.
type assembled struct {
	head      packet.Header // of the first
	payload   []byte
	datagrams int
	bytes     int
}

// dump looks into the packets of a session.
type dump struct {
	out  io.Writer
	lab  *lab.Lab
	most int // packets to print yet; negative: all
	open map[wireID]*assembled
	sums map[wireID]*sum
	bad  int
}

// sum is what one wire carried.
type sum struct {
	packets, datagrams, bytes int
	json, aligned             int
	fields                    []*fieldSum // in order of appearance
}

// fieldSum is what one field took.
type fieldSum struct {
	name        string
	times, bits int
}

// datagram takes in one datagram. The fragments of a packet follow each other.
func (d *dump) datagram(p *lab.Pane, seat int, way link.Direction, now time.Duration, b []byte) {
	head, ok := packet.ParseHeader(b)
	if !ok {
		d.bad++
		return
	}
	id := wireID{d.paneOf(p), seat, way}
	a := d.open[id]
	if a == nil || !head.Fragment || head.ID == 0 {
		a = &assembled{head: head}
		d.open[id] = a
	}
	a.payload = append(a.payload, b[head.Bytes:]...)
	a.datagrams++
	a.bytes += len(b)
	if head.Fragment && head.ID < head.Count-1 {
		return
	}
	var fields []quant.Field
	err := p.Strategy.Fields(way == link.Up, a.payload, p.ServerWorld.Scene(), func(f quant.Field) { fields = append(fields, f) })
	if err != nil {
		d.bad++
	}
	d.packet(id, p, now, a, fields)
}

func (d *dump) paneOf(p *lab.Pane) int {
	for i, x := range d.lab.Panes {
		if x == p {
			return i
		}
	}
	return len(d.lab.Panes)
}

// packet adds a packet to the sums, and prints it.
func (d *dump) packet(id wireID, p *lab.Pane, now time.Duration, a *assembled, fields []quant.Field) {
	s := d.sums[id]
	if s == nil {
		s = &sum{}
		d.sums[id] = s
	}
	asJSON, aligned := len(textOf(fields)), a.head.Bytes
	for _, f := range fields {
		aligned += alignedBytes(f.Bits)
		s.add(&f)
	}
	s.packets, s.datagrams, s.bytes = s.packets+1, s.datagrams+a.datagrams, s.bytes+a.bytes
	s.json, s.aligned = s.json+asJSON, s.aligned+aligned
	if d.most == 0 {
		return
	}
	d.most--
	fmt.Fprintf(d.out, "%.3f s, pane %d %s, seat %d %s: %d bytes in %s; its payload %d bits, as JSON %d bytes, in whole bytes with the head %d\n",
		now.Seconds(), id.pane+1, p.Strategy.Name, id.seat+1, wayName(id.direction), a.bytes, count(a.datagrams, "datagram"), bitsOf(fields), asJSON, aligned)
	h := &a.head
	fmt.Fprintf(d.out, "  head: checksum 32 = %08x, sequence 16 = %d, ack 16 = %d, ack_bits 32 = %08x, hold 15 = %v, fragment 1 = %t",
		h.Checksum, h.Sequence, h.Ack, h.AckBits, h.AckDelay, h.Fragment)
	if h.Fragment {
		fmt.Fprintf(d.out, ", id 8 = %d, count 8 = %d", h.ID, h.Count)
	}
	fmt.Fprintln(d.out)
	for i := 0; i < len(fields); {
		i = d.part(fields, i)
	}
}

// part prints the fields of one part, or of a run of parts of which each is one
// clear bit, and returns where the next begins.
func (d *dump) part(fields []quant.Field, i int) int {
	end := func(i int) (j int) {
		for j = i + 1; j < len(fields) && fields[j].Part == fields[i].Part && fields[j].Index == fields[i].Index; j++ {
		}
		return j
	}
	oneClearBit := func(i, j int) bool {
		return j == i+1 && fields[i].Part != "" && fields[i].Kind == "Bool" && fields[i].Raw == 0
	}
	f := &fields[i]
	j := end(i)
	if oneClearBit(i, j) {
		last := i
		for j < len(fields) && fields[j].Part == f.Part && fields[j].Name == f.Name && oneClearBit(j, end(j)) {
			last, j = j, end(j)
		}
		if last > i {
			fmt.Fprintf(d.out, "  %s %d to %d: %s 1 = false each\n", f.Part, f.Index, fields[last].Index, f.Name)
			return j
		}
	}
	if f.Part == "" {
		fmt.Fprint(d.out, "  payload:")
	} else {
		fmt.Fprintf(d.out, "  %s %d:", f.Part, f.Index)
	}
	for k := i; k < j; k++ {
		comma := ","
		if k == j-1 {
			comma = ""
		}
		fmt.Fprintf(d.out, " %s %d = %s%s", fields[k].Name, fields[k].Bits, valueOf(&fields[k]), comma)
	}
	fmt.Fprintln(d.out)
	return j
}

func (s *sum) add(f *quant.Field) {
	name := f.Name
	if f.Part != "" {
		name = f.Part + "." + f.Name
	}
	for _, x := range s.fields {
		if x.name == name {
			x.times, x.bits = x.times+1, x.bits+f.Bits
			return
		}
	}
	s.fields = append(s.fields, &fieldSum{name, 1, f.Bits})
}

func wayName(d link.Direction) string {
	if d == link.Up {
		return "up"
	}
	return "down"
}

func bitsOf(fields []quant.Field) (n int) {
	for i := range fields {
		n += fields[i].Bits
	}
	return n
}

// alignedBytes is what a field takes that is a whole number of bytes, as a
// struct in memory has it.
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

// valueOf is a field's value in words.
func valueOf(f *quant.Field) string {
	switch f.Kind {
	case "Bool":
		return strconv.FormatBool(f.Raw != 0)
	case "Float":
		return strconv.FormatFloat(float64(math.Float32frombits(f.Raw)), 'g', -1, 32)
	}
	return strconv.FormatUint(uint64(f.Raw), 10)
}

// textOf is a payload as JSON: parts are arrays of objects, and fields of one
// name that follow each other an array.
func textOf(fields []quant.Field) string {
	var b strings.Builder
	b.WriteByte('{')
	part, index := "", -1
	for i := 0; i < len(fields); {
		f := &fields[i]
		switch {
		case f.Part != part:
			if part != "" {
				b.WriteString("}]")
			}
			if i > 0 {
				b.WriteByte(',')
			}
			if f.Part != "" {
				fmt.Fprintf(&b, "%q:[{", f.Part)
			}
		case f.Part != "" && f.Index != index:
			b.WriteString("},{")
		case i > 0:
			b.WriteByte(',')
		}
		part, index = f.Part, f.Index
		j := i + 1
		for j < len(fields) && fields[j].Part == part && fields[j].Index == index && fields[j].Name == f.Name {
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
			b.WriteString(valueOf(&fields[k]))
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

// summary prints the sums.
func (d *dump) summary() {
	for pane := range d.lab.Panes {
		for seat := range d.lab.Panes[pane].Clients {
			for _, way := range []link.Direction{link.Up, link.Down} {
				if s := d.sums[wireID{pane, seat, way}]; s != nil {
					fmt.Fprintf(d.out, "\npane %d %s, seat %d %s: %d packets in %d datagrams, %d bytes; as JSON %d bytes, in whole bytes %d, and %d for IP and UDP\n",
						pane+1, d.lab.Panes[pane].Strategy.Name, seat+1, wayName(way), s.packets, s.datagrams, s.bytes, s.json, s.aligned, s.datagrams*link.HeaderBytes)
					s.table(d.out)
				}
			}
		}
	}
	if d.bad > 0 {
		fmt.Fprintf(d.out, "\n%d packets could not be read\n", d.bad)
	}
}

func (s *sum) table(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "field\ttimes\tbits\tbits a packet\tshare of the payload, %\t")
	total := 0
	for _, f := range s.fields {
		total += f.bits
	}
	for _, f := range s.fields {
		fmt.Fprintf(w, "%s\t%d\t%d\t%.1f\t%.1f\t\n", f.name, f.times, f.bits, float64(f.bits)/float64(s.packets), 100*float64(f.bits)/float64(total))
	}
	w.Flush()
}
