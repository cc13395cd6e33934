//go:build !js || headless

package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/packet"
)

// pdmlField is a field, or a protocol, as tshark prints it.
type pdmlField struct {
	Name     string      `xml:"name,attr"`
	ShowName string      `xml:"showname,attr"`
	Show     string      `xml:"show,attr"`
	Position int         `xml:"pos,attr"`
	Size     int         `xml:"size,attr"`
	Fields   []pdmlField `xml:"field"`
}

// dissectedField is a field of the dissector.
type dissectedField struct {
	name         string // as shown
	filter       string
	bits         int
	value        uint64
	first, bytes int // in the datagram
}

// dissection is what the dissector says of a datagram.
type dissection struct {
	ours            bool
	header, payload []dissectedField
	notes           []string // experts'
}

// shownField matches a field's text: name, value, bits.
var shownField = regexp.MustCompile(`^([a-z0-9 ]+): (0x[0-9a-f]+|\d+) \((\d+) bits?\)$`)

// dissect returns what tshark says of the packets of a file with the dissector that the program prints.
func dissect(t *testing.T, file []byte, options ...string) (list []dissection) {
	t.Helper()
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("no tshark here")
	}
	dir := t.TempDir()
	script, capture := filepath.Join(dir, "ghostcube.lua"), filepath.Join(dir, "session.pcapng")
	need(os.WriteFile(script, []byte(printed(t, "packets", "--dissector")), 0o666))
	need(os.WriteFile(capture, file, 0o666))
	c := exec.Command(tshark, append([]string{"-n", "-X", "lua_script:" + script, "-r", capture, "-T", "pdml"}, options...)...)
	c.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil || strings.Contains(strings.ToLower(errs.String()+out.String()), "lua error") {
		t.Fatalf("%v: %s", err, errs.String())
	}
	var pdml struct {
		Packets []struct {
			Protocols []pdmlField `xml:"proto"`
		} `xml:"packet"`
	}
	need(xml.Unmarshal(out.Bytes(), &pdml))
	for _, p := range pdml.Packets {
		var d dissection
		for _, x := range p.Protocols {
			if x.Name == "ghostcube" {
				d.ours = true
				d.addFields(t, &d.header, x.Fields, x.Position)
			}
		}
		list = append(list, d)
	}
	return list
}

// addFields adds fields of a datagram that begins at a byte of the packet.
func (d *dissection) addFields(t *testing.T, to *[]dissectedField, fields []pdmlField, begin int) {
	for _, f := range fields {
		m := shownField.FindStringSubmatch(f.ShowName)
		switch {
		case f.Name == "ghostcube.payload":
			d.addFields(t, &d.payload, f.Fields, begin)
		case strings.HasPrefix(f.Name, "_ws"):
			for _, x := range f.Fields {
				if strings.HasPrefix(x.Name, "ghostcube.") {
					d.notes = append(d.notes, x.ShowName)
				}
			}
		case m == nil:
			t.Fatalf("a field %q: %q", f.Name, f.ShowName)
		default:
			*to = append(*to, dissectedField{name: m[1], filter: f.Name, bits: must(strconv.Atoi(m[3])),
				value: must(strconv.ParseUint(m[2], 0, 64)), first: f.Position - begin, bytes: f.Size})
		}
	}
}

// printedField matches a field as packets prints it.
var printedField = regexp.MustCompile(`([a-z_]+) (\d+) = ([^,\n]+)`)

// printedPacket is a packet as packets prints it.
type printedPacket struct {
	datagrams       int
	header, payload [][]string // name, bits and value
}

// printedPackets returns the packets of a session by their flows: pane, client and direction.
func printedPackets(t *testing.T, args ...string) map[string][]printedPacket {
	t.Helper()
	flows := map[string][]printedPacket{}
	head := regexp.MustCompile(`^[\d.]+ s, pane (\d) \S+, client (\d) (up|down): \d+ bytes in (\d+) datagram`)
	flow := ""
	for line := range strings.Lines(printed(t, append([]string{"packets"}, args...)...)) {
		m := head.FindStringSubmatch(line)
		list := flows[flow]
		switch {
		case m != nil:
			flow = strings.Join(m[1:4], " ")
			flows[flow] = append(flows[flow], printedPacket{datagrams: must(strconv.Atoi(m[4]))})
		case strings.HasPrefix(line, "  header: "):
			list[len(list)-1].header = withoutFirst(printedField.FindAllStringSubmatch(line, -1))
		case strings.HasPrefix(line, "  sideband"): // the dissector does not show it
		case strings.HasPrefix(line, "  "):
			list[len(list)-1].payload = append(list[len(list)-1].payload, withoutFirst(printedField.FindAllStringSubmatch(line, -1))...)
		}
	}
	return flows
}

// withoutFirst returns the groups of matches.
func withoutFirst(matches [][]string) [][]string {
	for i := range matches {
		matches[i] = matches[i][1:]
	}
	return matches
}

// equalsPrinted reports whether a field of the dissector is what packets prints, whose names have no "less 1".
func (f *dissectedField) equalsPrinted(name, bits, value string) bool {
	base, less, _ := strings.Cut(f.name, " less ")
	v := f.value
	if name == "fragment_count" {
		v += uint64(must(strconv.Atoi(less)))
	}
	if strings.ReplaceAll(base, " ", "_") != name || bits != strconv.Itoa(f.bits) {
		return false
	}
	switch {
	case value == "true" || value == "false":
		return f.bits == 1 && (value == "true") == (v == 1)
	case strings.HasSuffix(name, "checksum") || name == "ack_bits":
		return value == fmt.Sprintf("%08x", v)
	case name == "ack_delay":
		return must(time.ParseDuration(value)) == time.Duration(v)*time.Millisecond/16
	}
	return value == strconv.FormatUint(v, 10)
}

// TestDissector checks with tshark what the dissector says of sessions with every strategy: each header has the fields of
// the wire reference, in its places and sizes, and the values that packets prints; and what it says of a payload is how
// that begins.
func TestDissector(t *testing.T) {
	experiment.Skip(t)
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("no tshark here")
	}
	layout, shown := readWireLayout(t), map[string]bool{}
	for i, args := range [][]string{
		{"--panes", "rewind,snapshot,statesync,noprediction:messages=reliable", "--seconds", "0.5", "--network", "wifi-bad,loss=10%"},
		{"--panes", "rollback,lockstep,historyoffset,relative", "--from", "1.9", "--seconds", "0.3", "--network", "wifi-bad",
			"--tape", "firefight"},
		{"--panes", "snapshot:compression=at-rest:rotation-bits=7,snapshot:compression=delta:index-encoding=bitmap," +
			"statesync:inputs=off:compression=delta:authority=client",
			"--seconds", "0.2", "--scene", "katamari", "--tape", "katamari"},
		{"--panes", "noprediction:checks=on:messages=reliable,historyoffset:checks=on:messages=reliable,rewind:messages=unreliable", "--seconds", "1",
			"--network", "torture", "--fault", "rejoin=1@700ms"},
	} {
		if i > 0 && experiment.Brief() {
			break
		}
		file := []byte(printed(t, append([]string{"packets", "--format", "pcapng"}, args...)...))
		_, packets := readCapture(t, file)
		all := dissect(t, file)
		if len(all) != len(packets) {
			t.Fatalf("tshark has %d packets of %d", len(all), len(packets))
		}
		flows, begun, payloadFields := printedPackets(t, args...), map[string]int{}, map[string]int{}
		for i := range packets {
			d, p := &all[i], &packets[i]
			flow, direction := p.flow()
			want := flows[flow][0]
			d.checkHeader(t, layout)
			d.checkAsPrinted(t, flow, &want, begun[flow])
			strategy, _, _ := strings.Cut(p.description, ":")
			payloadFields[strategy+" "+direction] += len(d.payload)
			for _, f := range d.payload {
				shown[f.name] = true
			}
			if begun[flow]++; begun[flow] == want.datagrams {
				flows[flow], begun[flow] = flows[flow][1:], 0
			}
		}
		for _, n := range strings.Split(args[1], ",") {
			strategy, _, _ := strings.Cut(n, ":")
			if payloadFields[strategy+" up"] == 0 || payloadFields[strategy+" down"] == 0 {
				t.Errorf("%s: fields of %v", args, payloadFields)
			}
		}
	}
	for _, byStrategy := range layout.payloads {
		for _, fields := range byStrategy {
			for _, f := range fields {
				rare := f.name == "resync age" || f.name == "has query"
				if !f.stop && !shown[f.name] && !rare && !experiment.Brief() {
					t.Errorf("no payload has a field %q", f.name)
				}
			}
		}
	}
}

// flow returns the pane, client and direction of a packet, as printedPackets names them.
func (p *capturedPacket) flow() (name, direction string) {
	direction, address := "up", p.from
	if strings.HasSuffix(p.from, ":40000") {
		direction, address = "down", p.to
	}
	_, port, _ := strings.Cut(address, ":")
	return fmt.Sprintf("%s %d %s", strings.TrimPrefix(p.name, "pane "), must(strconv.Atoi(port))-40000, direction), direction
}

// checkAsPrinted checks a datagram, which is a fragment of a packet or all of it, against the packet as packets prints it.
func (d *dissection) checkAsPrinted(t *testing.T, flow string, want *printedPacket, fragment int) {
	t.Helper()
	if len(d.notes) > 0 || !d.ours || len(d.header) != len(want.header) {
		t.Fatalf("%s: %q, %d fields", flow, d.notes, len(d.header))
	}
	if fragment > 0 {
		if len(d.payload) > 0 {
			t.Fatalf("%s: fragment %d has fields", flow, fragment)
		}
		return
	}
	for i, x := range want.header {
		if !d.header[i].equalsPrinted(x[0], x[1], x[2]) {
			t.Fatalf("%s: %+v, packets prints %s", flow, d.header, x)
		}
	}
	at := 0
	for i, f := range d.payload {
		if i == 0 {
			at = 8 * f.first
		}
		if x := want.payload[i]; !f.equalsPrinted(x[0], x[1], x[2]) || f.first != at/8 || f.first+f.bytes != (at+f.bits+7)/8 ||
			f.filter != "ghostcube.payload."+strings.ReplaceAll(f.name, " ", "_") {
			t.Fatalf("%s: %+v, begins at bit %d, packets prints %s", flow, f, at, x)
		}
		at += f.bits
	}
	if len(want.payload) > 0 && len(d.payload) == 0 {
		t.Fatalf("%s: a payload without fields", flow)
	}
}

// checkHeader checks names, sizes and places of the fields of a header against the wire reference.
func (d *dissection) checkHeader(t *testing.T, w *wireLayout) {
	t.Helper()
	want := w.header
	if n := len(want); len(d.header) > n {
		want = append(want[:n:n], w.fragment...)
	}
	for i, f := range d.header {
		if x := want[i]; len(want) != len(d.header) || f.name != x.name || f.bits != x.bits || f.first != x.at/8 ||
			f.first+f.bytes != (x.at+x.bits+7)/8 || f.filter != "ghostcube."+strings.ReplaceAll(x.name, " ", "_") {
			t.Fatalf("%+v, the wire reference has %+v", f, x)
		}
	}
}

// captureOf returns a file with datagrams, each to or from the server's port, on an interface with a description.
func captureOf(datagrams []testDatagram) []byte {
	var file bytes.Buffer
	w := &captureWriter{out: &file}
	b := beginBlock(nil, sectionBlock)
	b = binary.LittleEndian.AppendUint32(b, byteOrderMagic)
	b = binary.LittleEndian.AppendUint32(b, 1)
	w.write(binary.LittleEndian.AppendUint64(b, ^uint64(0)))
	server, client := captureEndpoints(1, 0)
	for i, d := range datagrams {
		b := binary.LittleEndian.AppendUint64(beginBlock(nil, interfaceBlock), linkTypeRaw)
		w.write(appendOption(b, descriptionOption, d.description))
		server.port = serverPort
		if d.port != 0 {
			server.port = d.port
		}
		ip := appendIP(nil, client, server, d.bytes)
		if d.down {
			ip = appendIP(nil, server, client, d.bytes)
		}
		cut := ip[:len(ip)-d.cut]
		b = binary.LittleEndian.AppendUint32(beginBlock(nil, packetBlock), uint32(i))
		b = binary.LittleEndian.AppendUint64(b, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(cut)))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(ip)))
		w.write(appendPadded(b, cut))
	}
	return file.Bytes()
}

// testDatagram is a datagram of a capture.
type testDatagram struct {
	description string
	bytes       []byte
	down        bool
	port        uint16 // the server's, if it is not the usual one
	cut         int    // bytes that the capture lacks
}

// TestDissectorReadsExamples checks with tshark what the dissector says of the wire reference's examples: their fields, or
// the reason for which they are refused.
func TestDissectorReadsExamples(t *testing.T) {
	experiment.Skip(t)
	_, examples, _ := strings.Cut(string(must(os.ReadFile("../../net/packet/testdata/vectors.txt"))), "\n\n")
	var datagrams []testDatagram
	var lines []map[string]string
	for example := range strings.SplitSeq(strings.TrimSpace(examples), "\n\n") {
		x := map[string]string{}
		for line := range strings.Lines(example) {
			key, value, _ := strings.Cut(line, ":")
			x[key] = strings.TrimSpace(value)
		}
		var b []byte
		for word := range strings.FieldsSeq(x["hex"]) {
			digits, times, many := strings.Cut(word, "*")
			n := 1
			if many {
				n = must(strconv.Atoi(times))
			}
			b = append(b, bytes.Repeat([]byte{byte(must(strconv.ParseUint(digits, 16, 8)))}, n)...)
		}
		datagrams, lines = append(datagrams, testDatagram{description: "rewind", bytes: b}), append(lines, x)
	}
	reasons := map[string]bool{}
	for i, d := range dissect(t, captureOf(datagrams)) {
		x := lines[i]
		notes := strings.Join(d.notes, " ")
		if why := x["refused"]; why != "" {
			if reasons[why] = true; !strings.Contains(notes, "rejected: "+why) {
				t.Errorf("%s: %q, want %s", x["name"], notes, why)
			}
			continue
		}
		if strings.Contains(notes, "rejected") {
			t.Errorf("%s: %s", x["name"], notes)
		}
		d.checkHeader(t, readWireLayout(t))
		for _, f := range d.header {
			if v := must(strconv.ParseUint(x[f.name], 0, 32)); v != f.value {
				t.Errorf("%s: %s is %d, want %s", x["name"], f.name, f.value, x[f.name])
			}
		}
	}
	if len(reasons) != 4 {
		t.Errorf("only %v", reasons)
	}
}

// TestDissectorOfBrokenPackets feeds the dissector datagrams cut anywhere, payloads of noise with the right checksum for
// every strategy, descriptions that name none, and what is not a datagram of this protocol: it says what is wrong, and no
// error of Lua occurs. A request of rewind, which is a whole payload, is one.
func TestDissectorOfBrokenPackets(t *testing.T) {
	experiment.Skip(t)
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("no tshark here")
	}
	_, packets := captured(t, "--panes rewind,snapshot --seconds 0.1")
	valid := packets[0].datagram
	forged := func(payload []byte) []byte {
		b, _ := packet.ForgeAcks(valid, payload, 7)
		return b
	}
	var list []testDatagram
	for n := range len(valid) + 1 {
		list = append(list, testDatagram{description: "rewind", bytes: valid[:n]})
	}
	checked := len(list)
	fragment, _ := packet.ForgeFragment(valid)
	for n := range 25 {
		list = append(list, testDatagram{description: "snapshot", bytes: fragment[:n], down: true},
			testDatagram{description: "rewind", bytes: fragment, cut: len(fragment) - n})
	}
	for _, strategy := range []string{"", "wrong", "=:::", "x=rewind:messages=reliable", "noprediction:messages=", "snapshot:messages=off",
		"rewind", "snapshot", "statesync", "lockstep", "rollback", "historyoffset", "relative", "animated"} {
		for n := range 8 {
			for _, fill := range []byte{0, 0x55, 0xff} {
				b := forged(bytes.Repeat([]byte{fill}, n))
				list = append(list, testDatagram{description: strategy, bytes: b}, testDatagram{description: strategy, bytes: b, down: true},
					testDatagram{description: strategy, bytes: b, down: n%2 == 0, port: 53001})
			}
		}
	}
	incomplete := 0
	for i, d := range dissect(t, captureOf(list)) {
		x := list[i]
		_, intact := packet.ParseHeader(x.bytes)
		notes := strings.Join(d.notes, " ")
		empty := len(x.bytes) == x.cut
		if x.cut == 0 && !empty && strings.Contains(notes, "rejected") == intact || d.ours == empty {
			t.Errorf("%d: %q, % x, without %d bytes: %q, dissected: %t", i, x.description, x.bytes[:min(len(x.bytes), 30)],
				x.cut, notes, d.ours)
		}
		if strings.Contains(notes, "incomplete") || strings.Contains(notes, "ends before") {
			incomplete++
		}
		if x.description == "rewind" && !x.down && i >= checked && len(x.bytes) == 16 && x.port == 0 &&
			(len(d.payload) != 1 || d.payload[0].name != "resync state" || d.payload[0].bits != 16) {
			t.Errorf("a request is %v", d.payload)
		}
		if (i < checked || x.cut > 0 || x.port != 0) && len(d.payload) > 0 {
			t.Errorf("%d: fields %v in a payload that is not known", i, d.payload)
		}
	}
	if incomplete < 20 {
		t.Errorf("%d payloads end too early", incomplete)
	}
	noise := captureOf([]testDatagram{{bytes: bytes.Repeat([]byte{7}, 40), port: 53001}, {bytes: valid, port: 53001}})
	if d := dissect(t, noise, "-o", "ghostcube.strategy:rewind"); d[0].ours || !d[1].ours {
		t.Errorf("on another port: %v", d)
	}
}
