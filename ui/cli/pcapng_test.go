//go:build !js || headless

package cli

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// captureInterface is an interface of a capture.
type captureInterface struct{ name, description string }

// capturedPacket is a packet of a capture.
type capturedPacket struct {
	captureInterface
	at       time.Duration
	from, to string
	datagram []byte
	comment  string
}

// readCapture reads a file as its format says, independently of the writer, and checks the lengths of the blocks and the
// checksums of IP and UDP.
func readCapture(t *testing.T, file []byte) (comment string, packets []capturedPacket) {
	t.Helper()
	little := binary.LittleEndian
	var interfaces []captureInterface
	for first := true; len(file) > 0; first = false {
		if len(file) < 12 || int(little.Uint32(file[4:])) > len(file) {
			t.Fatalf("%d bytes are left", len(file))
		}
		kind, n := little.Uint32(file), int(little.Uint32(file[4:]))
		if n%4 != 0 || int(little.Uint32(file[n-4:])) != n || first != (kind == 0x0A0D0D0A) {
			t.Fatalf("a block of kind %#x with %d and %d bytes", kind, n, little.Uint32(file[n-4:]))
		}
		body := file[8 : n-4]
		file = file[n:]
		switch kind {
		case 0x0A0D0D0A:
			if little.Uint32(body) != 0x1A2B3C4D || little.Uint16(body[4:]) != 1 || little.Uint16(body[6:]) != 0 {
				t.Fatalf("a section begins with % x", body[:16])
			}
			o := captureOptions(t, body[16:])
			if comment = o[1]; o[4] != "ghostcube "+Version {
				t.Fatalf("options %v", o)
			}
		case 1:
			o := captureOptions(t, body[8:])
			if little.Uint16(body) != 101 || o[9] != "\x09" {
				t.Fatalf("an interface of link type %d, options %v", little.Uint16(body), o)
			}
			interfaces = append(interfaces, captureInterface{o[2], o[3]})
		case 6:
			size := int(little.Uint32(body[12:]))
			p := capturedPacket{captureInterface: interfaces[little.Uint32(body)],
				at:      time.Duration(uint64(little.Uint32(body[4:]))<<32 | uint64(little.Uint32(body[8:]))),
				comment: captureOptions(t, body[20+(size+3)&^3:])[1]}
			p.addIP(t, body[20:20+size])
			packets = append(packets, p)
		default:
			t.Fatalf("a block of kind %d", kind)
		}
	}
	return comment, packets
}

// captureOptions returns the options of a block by code.
func captureOptions(t *testing.T, b []byte) map[uint16]string {
	t.Helper()
	o := map[uint16]string{}
	for {
		code, n := binary.LittleEndian.Uint16(b), int(binary.LittleEndian.Uint16(b[2:]))
		if code == 0 {
			if n != 0 || len(b) != 4 {
				t.Fatalf("options end with % x", b)
			}
			return o
		}
		o[code] = string(b[4 : 4+n])
		b = b[4+(n+3)&^3:]
	}
}

// addIP reads the headers of IP and UDP.
func (p *capturedPacket) addIP(t *testing.T, b []byte) {
	t.Helper()
	big := binary.BigEndian
	sum := func(words ...[]byte) (n int) {
		for _, w := range words {
			for i := range w {
				n += int(w[i]) << (8 * (1 - i%2))
			}
		}
		return n % 0xffff
	}
	udp := b[20:]
	size := []byte{0, 17, byte(len(udp) >> 8), byte(len(udp))}
	if b[0] != 0x45 || int(big.Uint16(b[2:])) != len(b) || b[9] != 17 || int(big.Uint16(udp[4:])) != len(udp) ||
		sum(b[:20]) != 0 || sum(b[12:20], size, udp) != 0 || big.Uint16(udp[6:]) == 0 {
		t.Fatalf("headers % x", b[:28])
	}
	name := func(address []byte, port uint16) string {
		return fmt.Sprintf("%d.%d.%d.%d:%d", address[0], address[1], address[2], address[3], port)
	}
	p.from, p.to, p.datagram = name(b[12:], big.Uint16(udp)), name(b[16:], big.Uint16(udp[2:])), udp[8:]
}

// capture prints a session as a capture and returns its packets.
func captured(t *testing.T, args string) (comment string, packets []capturedPacket) {
	t.Helper()
	return readCapture(t, []byte(printed(t, append([]string{"packets", "--format", "pcapng"}, strings.Fields(args)...)...)))
}

// TestCapture checks captures against the format, and their datagrams, times and losses against those of the text and the
// trace of the same session.
func TestCapture(t *testing.T) {
	experiment.Skip(t)
	summary := regexp.MustCompile(`pane (\d) \S+, client (\d) (up|down): \d+ packets in (\d+) datagrams, (\d+) bytes`)
	for i, args := range []string{
		"--panes rewind:redundant=off,mine=snapshot --network wifi-bad,loss=10% --seconds 1 --seed 7",
		"--panes lockstep,statesync --network torture --seconds 2 --fault 1.freeze=500ms@500ms",
		"--panes rollback,rewind --scene two-players --tape two-players --network latency=80ms,loss=5% --seconds 1",
		"--panes snapshot,lockstep:transport=tcp --scene katamari --tape katamari --network latency=50ms --from 0.5 --seconds 0.5",
	} {
		if i > 0 && experiment.Brief() {
			break
		}
		comment, packets := captured(t, args)
		losses, counted := 0, map[string]int{}
		for k, p := range packets {
			if k > 0 && p.at < packets[k-1].at {
				t.Errorf("%s: sent at %v, after one at %v", args, p.at, packets[k-1].at)
			}
			if p.comment != "" && p.comment != "late" && p.comment != "damaged" {
				losses++
			}
			counted[p.name+" "+p.from+" "+p.to]++
			counted[p.name+" "+p.from+" "+p.to+" bytes"] += len(p.datagram)
		}
		want := map[string]int{}
		text := printed(t, append([]string{"packets", "--limit", "0"}, strings.Fields(args)...)...)
		for _, m := range summary.FindAllStringSubmatch(text, -1) {
			n := must(strconv.Atoi(m[2]))
			server, client := "10."+m[1]+".0.1:40000", fmt.Sprintf("10.%s.0.%d:%d", m[1], n+1, 40000+n)
			if m[3] == "up" {
				server, client = client, server
			}
			flow := "pane " + m[1] + " " + server + " " + client
			want[flow], want[flow+" bytes"] = must(strconv.Atoi(m[4])), must(strconv.Atoi(m[5]))
		}
		if got, want := fmt.Sprint(counted), fmt.Sprint(want); got != want {
			t.Errorf("%s:\n%v, in the text\n%v", args, got, want)
		}
		lost := 0
		for _, e := range readTrace(t, args) {
			if e["cat"] == "loss" {
				lost++
			}
		}
		if losses != lost || i < 3 && lost == 0 {
			t.Errorf("%s: %d losses, %d in the trace", args, losses, lost)
		}
		if last := len(packets) - 1; i == 0 && (packets[0].at != 0 || packets[0].description != "rewind:redundant=off" ||
			packets[last].description != "mine=snapshot" || !strings.HasPrefix(comment, "scene zen, network latency=15ms,") ||
			!strings.HasSuffix(comment, ", seed 7")) {
			t.Errorf("%q, %+v, %+v", comment, packets[0], packets[last])
		}
		if i == 3 && (packets[0].at != 500*time.Millisecond || packets[len(packets)-1].at >= time.Second) {
			t.Errorf("%s: from %v to %v", args, packets[0].at, packets[len(packets)-1].at)
		}
	}
	const pane = "--panes rewind,snapshot,rewind --seconds 0.2 --pane 2"
	if _, packets := captured(t, pane); len(packets) != 24 || packets[0].description != "snapshot" || packets[0].from != "10.2.0.2:40001" {
		t.Errorf("%d packets of pane 2, the first of %+v", len(packets), packets[0].captureInterface)
	}
}

// TestCaptureOfChangingPanes checks that each datagram is on an interface that has its pane and the settings of its time.
func TestCaptureOfChangingPanes(t *testing.T) {
	tape := filepath.Join(t.TempDir(), "changes.tape")
	need(os.WriteFile(tape, []byte("ghostcube tape 2\nscene plain\nnetwork latency=33ms\npane rewind\n---\n30 W\n! set 1 redundant off\n30 W\n"+
		"! open all noprediction -\n! switch 1 snapshot -\n30 W\n! close 1 - -\n30 W\nend 120\n"), 0o666))
	_, packets := captured(t, "--tape "+tape)
	seen := ""
	for _, p := range packets {
		part := int(p.at / (500 * time.Millisecond))
		if s := fmt.Sprintf("%d %s %s, ", part, p.name, p.description); !strings.Contains(seen, s) {
			seen += s
		}
	}
	if want := "0 pane 1 rewind, 1 pane 1 rewind:redundant=off, 2 pane 1 snapshot, 2 pane 2 noprediction, 3 pane 2 noprediction, "; seen != want {
		t.Errorf("%s, want\n%s", seen, want)
	}
}
