//go:build !js || headless

package cli

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/quant"
)

// TestPackets prints the packets of sessions with every kind of payload and checks that the
// size of a packet is its headers plus its fields, rounded up to whole bytes.
func TestPackets(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	line := regexp.MustCompile(`pane \d (\S+), client \d (up|down): (\d+) bytes in (\d+) datagrams?; ` +
		`payload (\d+) bits, as JSON (\d+) bytes, byte-aligned with header (\d+)`)
	field := regexp.MustCompile(`[a-z_]+ (\d+) = `)
	each := regexp.MustCompile(`(?:bodies|inputs|relayed) (\d+) to (\d+): \w+ 1 = false each`)
	for _, c := range []struct {
		args           string
		seconds, brief string
	}{
		{"--panes rewind,noprediction --network torture", "4", "1"},
		{"--panes rewind:important-moves=on:tick-bits=16 --network csp-25-loss", "3", "1"},
		{"--scene pile:layers=2", "1.5", "1"},
		{"--panes rewind:checks=on,relative:checks=on --tape turns", "5.5", "5.5"},
		{"--scene two-players --tape two-players", "3", "1"},
		{"--scene two-players --tape two-players --panes lockstep,lockstep:contact-order=own-seed --network csp-25-loss", "4", "1"},
		{"--scene katamari:cubes=20 --network csp-25-loss" +
			" --panes snapshot:compression=at-rest,snapshot:compression=quantised,snapshot:compression=arithmetic", "2", "1"},
	} {
		if experiment.Brief() {
			c.seconds = c.brief
		}
		args := c.args + " --seconds " + c.seconds
		out := printed(t, append([]string{"packets"}, strings.Fields(args)...)...)
		if strings.Contains(out, "malformed packet") {
			t.Errorf("%s: %s", args, out[len(out)-200:])
		}
		packets, fragmented := 0, 0
		number := func(s string) int {
			n := must(strconv.Atoi(s))
			return n
		}
		for _, p := range regexp.MustCompile(`(?m)^\d+\.\d+ s, `).Split(out, -1)[1:] {
			p, _, _ = strings.Cut(p, "\npane ") // the sums follow
			first, rest, _ := strings.Cut(p, "\n")
			m := line.FindStringSubmatch(first)
			if m == nil {
				t.Fatalf("%q", first)
			}
			packets++
			bytes, datagrams, bits := number(m[3]), number(m[4]), number(m[5])
			_, fields, _ := strings.Cut(rest, "\n")
			sum := 0
			for line := range strings.Lines(fields) {
				if strings.Contains(line, " each") {
					for _, e := range each.FindAllStringSubmatch(line, -1) {
						sum += number(e[2]) - number(e[1]) + 1
					}
					line = each.ReplaceAllString(line, "")
				}
				for _, f := range field.FindAllStringSubmatch(line, -1) {
					sum += number(f[1])
				}
			}
			if sum != bits {
				t.Fatalf("%s: %q: the fields have %d bits", args, first, sum)
			}
			header := 14
			if datagrams > 1 {
				header, fragmented = 20, fragmented+1
			}
			if want := header*datagrams + (bits+7)/8; bytes != want {
				t.Fatalf("%s: %q: want %d bytes", args, first, want)
			}
			if bits > 0 && (number(m[6]) < bits/8 || number(m[7]) < 14+(bits+7)/8) {
				t.Fatalf("%s: %q", args, first)
			}
		}
		if packets < 100 || strings.Contains(args, "pile") && fragmented == 0 {
			t.Errorf("%s: %d packets, %d in fragments", args, packets, fragmented)
		}
	}
}

// TestPacketsNamesDesync checks that packets names the field at which reader and writer
// diverge, in the packet itself and after the tables, and how many packets are malformed.
func TestPacketsNamesDesync(t *testing.T) {
	args := strings.Fields("packets --panes rewind:checks=on --scene plain --tape turns --network latency=20ms --seconds 3 --fault desync=bodies.rotation@2.5s")
	out := printed(t, args...)
	where := `check "bodies 0 rotation" at bit 386: writer and reader are out of sync since check "bodies 0 position" (bit 258)`
	for _, want := range []string{
		"\n  malformed after bit 418: quant: " + where + "\n",
		"\n30 malformed packets\nthe first: 2.500 s, pane 1, client 1 down: quant: " + where + "\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the output, whose end is %q", want, out[len(out)-300:])
		}
	}
}

// TestPacketsPrintsSidebands checks that packets decodes messages, slices and acks beside the
// packets of a game, and that none is malformed.
func TestPacketsPrintsSidebands(t *testing.T) {
	experiment.Skip(t)
	args := strings.Fields("packets --panes rewind:messages=reliable,snapshot:messages=unreliable" +
		" --scene katamari:cubes=20 --network latency=20ms --seconds 2 --fault rejoin=1@0.5s,block=30@1.5s")
	out := printed(t, args...)
	for _, want := range []string{"sideband.reliable ", "sideband.unreliable ", "sideband.receive_id ",
		"sideband.slice_or_ack ", "sideband.size ", ", size 16 = "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the output", want)
		}
	}
	if strings.Contains(out, "malformed") {
		t.Error(out[len(out)-300:])
	}
}

// TestPacketsOfPartialSnapshots promises that the indices of the bodies in a partial snapshot belong to no player.
func TestPacketsOfPartialSnapshots(t *testing.T) {
	out := printed(t, strings.Fields("packets --panes historyoffset:interest-radius=5 --scene katamari:cubes=20 --seconds 0.5")...)
	if strings.Contains(out, "last_inputs.included") || !strings.Contains(out, " included ") {
		t.Error(out[:min(len(out), 1000)])
	}
}

// TestPayloadAsJSON checks the JSON form of a payload.
func TestPayloadAsJSON(t *testing.T) {
	f := func(part string, i int, name, kind string, raw uint32) quant.Field {
		return quant.Field{Group: part, Index: i, Name: name, Kind: kind, Raw: raw}
	}
	for want, fields := range map[string][]quant.Field{
		`{}`:                                nil,
		`{"tick":7,"heading_changed":true}`: {f("", 0, "tick", "Bits", 7), f("", 0, "heading_changed", "Bool", 1)},
		`{"tick":7,"bodies":[{"included":false},{"included":true,"at":[1,-2]}]}`: {
			f("", 0, "tick", "Int", 7), f("bodies", 0, "included", "Bool", 0), f("bodies", 1, "included", "Bool", 1),
			f("bodies", 1, "at", "Float", 0x3f800000), f("bodies", 1, "at", "Float", 0xc0000000),
		},
		`{"a":[{"x":1}],"b":[{"x":2}],"end":3}`: {f("a", 0, "x", "Bits", 1), f("b", 0, "x", "Bits", 2), f("", 0, "end", "Bits", 3)},
	} {
		if got := payloadJSON(fields); got != want || !json.Valid([]byte(got)) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
