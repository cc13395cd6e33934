package packet

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ghostcube/net/link"
)

// The decoder in this file is written from docs/reference/wire.md alone. It takes the layout from
// the tables there, has its own checksum and bit reader, and shares nothing with the
// package but the test that compares them.

// field is a row of a table in the document.
type field struct {
	name       string
	bit, width int // from the start of the datagram
}

// wireDoc is the content of the document.
type wireDoc struct {
	numbers          map[string]uint32
	header, fragment []field
	vectors          []vector
}

// vector is an example: bytes on the wire, and either their fields or the reason for
// rejecting them.
type vector struct {
	name, refused, payload string
	wire                   []byte
	fields                 map[string]uint32
}

var tableRow = regexp.MustCompile(`^\| *([^|]*?) *\| *([^|]*?) *\| *([^|]*?) *\|(?: *([^|]*?) *\|)?`)

func readWireDoc(t *testing.T) *wireDoc {
	t.Helper()
	text, err := os.ReadFile("../../docs/reference/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	p := &wireDoc{numbers: map[string]uint32{}}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch m := tableRow.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "## "):
			section = line[3:]
		case m == nil:
		case section == "Numbers":
			if n, err := strconv.ParseUint(m[2], 0, 32); err == nil {
				p.numbers[m[1]] = uint32(n)
			}
		case section == "Datagram header", section == "Fragment header":
			at, err := strconv.Atoi(m[1])
			if err != nil {
				continue // the table's header
			}
			bit, _ := strconv.Atoi(m[2])
			width, _ := strconv.Atoi(m[3])
			f := field{m[4], at*8 + bit, width}
			if section == "Fragment header" {
				p.fragment = append(p.fragment, f)
			} else {
				p.header = append(p.header, f)
			}
		}
	}
	if text, err = os.ReadFile("testdata/vectors.txt"); err != nil {
		t.Fatal(err)
	}
	_, examples, _ := strings.Cut(string(text), "\n\n") // after the comment
	for example := range strings.SplitSeq(examples, "\n\n") {
		v := vector{fields: map[string]uint32{}}
		for line := range strings.Lines(example) {
			v.addLine(t, strings.TrimSpace(line))
		}
		p.vectors = append(p.vectors, v)
	}
	if len(p.numbers) != 6 || len(p.header) != 6 || len(p.fragment) != 3 || len(p.vectors) < 18 {
		t.Fatalf("the document has %d numbers, %d and %d fields, %d examples", len(p.numbers), len(p.header), len(p.fragment), len(p.vectors))
	}
	return p
}

// addLine parses one line of an example.
func (v *vector) addLine(t *testing.T, line string) {
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch key {
	case "name":
		v.name = value
	case "refused":
		v.refused = value
	case "payload":
		v.payload = value
	case "hex":
		v.wire = decodeHex(t, value)
	default:
		n, err := strconv.ParseUint(value, 0, 32)
		if err != nil {
			t.Fatalf("%s: %s", v.name, line)
		}
		v.fields[key] = uint32(n)
	}
}

func decodeHex(t *testing.T, text string) (b []byte) {
	for _, s := range strings.Fields(text) {
		digits, times, many := strings.Cut(s, "*")
		n := 1
		if many {
			n, _ = strconv.Atoi(times)
		}
		x, err := strconv.ParseUint(digits, 16, 8)
		if err != nil || n < 1 {
			t.Fatalf("no bytes: %s", s)
		}
		b = append(b, bytes.Repeat([]byte{byte(x)}, n)...)
	}
	return b
}

// read returns a field, bit by bit.
func (f field) read(b []byte) (v uint32) {
	for i := range f.width {
		if at := f.bit + i; b[at/8]>>(at%8)&1 == 1 {
			v |= 1 << i
		}
	}
	return v
}

// checksum is the documented checksum, bit by bit.
func (w *wireDoc) checksum(b []byte) uint32 {
	four := func(n uint32) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)} }
	crc := ^uint32(0)
	for _, x := range slices.Concat(four(w.numbers["protocol"]), four(w.numbers["version"]), b) {
		crc ^= uint32(x)
		for range 8 {
			low := crc & 1
			crc >>= 1
			if low == 1 {
				crc ^= w.numbers["polynomial"]
			}
		}
	}
	return ^crc
}

// decode reads a datagram as documented.
func (w *wireDoc) decode(b []byte) (fields map[string]uint32, payload []byte, refused string) {
	if len(b) < 14 {
		return nil, nil, "short"
	}
	if len(b) > int(w.numbers["max datagram"]) {
		return nil, nil, "long"
	}
	fields = map[string]uint32{}
	for _, f := range w.header {
		fields[f.name] = f.read(b)
	}
	if fields["checksum"] != w.checksum(b[4:]) {
		return nil, nil, "checksum"
	}
	if fields["fragment"] == 0 {
		return fields, b[14:], ""
	}
	if len(b) < 20 {
		return nil, nil, "short"
	}
	for _, f := range w.fragment {
		fields[f.name] = f.read(b)
	}
	id, count, n := int(fields["fragment id"]), int(fields["fragment count less 1"])+1, len(b)-20
	limit := int(w.numbers["fragment"])
	if count < 2 || id >= count || n < 1 || n > limit || id < count-1 && n != limit {
		return nil, nil, "fragment"
	}
	return fields, b[20:], ""
}

// TestDocumentedExamples decodes every example of testdata/vectors.txt with the independent
// decoder. The result must be what the document says; the package must read the same,
// reject what the document says is rejected, and write the same bytes.
func TestDocumentedExamples(t *testing.T) {
	p := readWireDoc(t)
	reasons := map[string]bool{}
	for _, v := range p.vectors {
		fields, payload, refused := p.decode(v.wire)
		if refused != v.refused {
			t.Errorf("%s: rejected for %q, the document says %q", v.name, refused, v.refused)
			continue
		}
		var h header
		want := map[string]decoded{"": valid, "checksum": wrongChecksum, "short": outOfRange, "long": outOfRange, "fragment": outOfRange}[v.refused]
		if got := h.decode(v.wire); got != want {
			t.Errorf("%s: the package decodes it with result %d, want %d", v.name, got, want)
			continue
		}
		if reasons[refused] = true; refused != "" {
			continue
		}
		if !maps.Equal(fields, v.fields) || !bytes.Equal(payload, decodeHex(t, v.payload)) {
			t.Errorf("%s: %v % x, the document says %v %s", v.name, fields, payload, v.fields, v.payload)
		}
		expected := header{
			sequence: uint16(fields["sequence"]), ack: uint16(fields["ack"]), ackBits: fields["ack bits"],
			ackDelay: uint16(fields["ack delay"]), isFragment: fields["fragment"] == 1, fragmentID: int(fields["fragment id"]),
		}
		if expected.isFragment {
			expected.fragmentCount, expected.payloadChecksum = int(fields["fragment count less 1"])+1, fields["payload checksum"]
		}
		if h != expected || !bytes.Equal(v.wire[h.size():], payload) {
			t.Errorf("%s: the package reads %+v, the decoder %+v", v.name, h, want)
		}
		again := append(make([]byte, expected.size()), payload...)
		if expected.encode(again); !bytes.Equal(again, v.wire) {
			t.Errorf("%s: the package writes % x", v.name, again)
		}
	}
	for _, r := range []string{"", "short", "long", "checksum", "fragment"} {
		if !reasons[r] {
			t.Errorf("no example of %q", r)
		}
	}
}

// TestDocumentedNumbers compares the numbers in the document with the constants.
func TestDocumentedNumbers(t *testing.T) {
	want := map[string]uint32{"protocol": Protocol, "version": Version, "polynomial": 0x82f63b78,
		"max datagram": MaxDatagram, "fragment": FragmentBytes, "max fragments": MaxFragments}
	p := readWireDoc(t)
	if !maps.Equal(p.numbers, want) {
		t.Errorf("%v, want %v", p.numbers, want)
	}
	for _, say := range []struct{ text, want string }{
		{"payload follows, up to %d bytes", fmt.Sprint(maxUnfragmented)}, {"%d or more below the newest complete\npacket", fmt.Sprint(historyLen)},
		{"its packet is %d or more below", fmt.Sprint(reassemblyWindow)}, {"After %d seconds without any datagram", fmt.Sprint(resyncTimeout.Seconds())},
		{"acknowledged for %d seconds", fmt.Sprint(ackLifetime.Seconds())},
	} {
		text, err := os.ReadFile("../../docs/reference/wire.md")
		if s := strings.Replace(say.text, "%d", say.want, 1); err != nil || !strings.Contains(string(text), s) {
			t.Errorf("the document does not say %q (%v)", s, err)
		}
	}
}

// TestDocumentedSession checks that a new endpoint writes the first packet and the
// fragments of the document, and that the independent decoder reads every datagram of a
// session over a bad link.
func TestDocumentedSession(t *testing.T) {
	p := readWireDoc(t)
	var w recorder
	e := NewEndpoint(&w)
	e.Send([]byte("hello"))
	e.Send(bytes.Repeat([]byte("Z"), 2050))
	for i, name := range []string{"first packet", "fragment 0 of 3", "fragment 1 of 3", "fragment 2 of 3"} {
		k := slices.IndexFunc(p.vectors, func(v vector) bool { return v.name == name })
		if k < 0 || i >= len(w.sent) || !bytes.Equal(p.vectors[k].wire, w.sent[i]) {
			t.Errorf("%s is not what an endpoint writes", name)
		}
	}
	network := &link.Network{Seed: 2}
	if err := network.Parse("torture,burst=0"); err != nil {
		t.Fatal(err)
	}
	ca, cb := link.Pair(network, 0)
	var fromA, fromB recorder
	a, b := NewEndpoint(teeConn{ca, &fromA}), NewEndpoint(teeConn{cb, &fromB})
	a.next, b.next = 65500, 40
	sent := map[string]bool{}
	payloads := map[string][]byte{}
	for i := range 600 {
		for k, e := range []*Endpoint{a, b} {
			e.Update(time.Duration(i) * tick)
			payload := pattern(i*i*7%4000, byte(i+k))
			sent[string(payload)] = true
			e.Send(payload)
		}
	}
	for k, r := range []*recorder{&fromA, &fromB} {
		for _, d := range r.sent {
			fields, payload, refused := p.decode(d)
			if refused != "" {
				t.Fatalf("%s: % x", refused, d)
			}
			if fields["ack bits"] != 0 && fields["ack bits"]&1 == 0 {
				t.Fatalf("ack bits %08x without bit 0", fields["ack bits"])
			}
			if fields["fragment"] == 1 {
				key := fmt.Sprint(k, fields["sequence"])
				payloads[key] = append(payloads[key], payload...)
				if fields["fragment id"] != fields["fragment count less 1"] {
					continue
				}
				payload = payloads[key]
				if fields["payload checksum"] != p.checksum(payload) {
					t.Fatalf("payload checksum %08x, computed %08x", fields["payload checksum"], p.checksum(payload))
				}
			}
			if !sent[string(payload)] {
				t.Fatalf("a payload of %d bytes that was not sent", len(payload))
			}
		}
	}
}

// teeConn sends into a wire and a recorder.
type teeConn struct {
	link.Wire
	copy *recorder
}

func (t teeConn) Send(now time.Duration, b []byte) error {
	if err := t.copy.Send(now, b); err != nil {
		return err
	}
	return t.Wire.Send(now, b)
}
