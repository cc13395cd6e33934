package codec

import (
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/jointtree"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// bitstream reads bits as docs/reference/wire.md describes them and shares no code with the writers.
type bitstream struct {
	b  []byte
	at int
}

func (b *bitstream) bits(n int) (v uint32) {
	for i := range n {
		v |= uint32(b.b[b.at/8]>>(b.at%8)&1) << i
		b.at++
	}
	return v
}

func (b *bitstream) floats(n int) string {
	var words []string
	for range n {
		words = append(words, fmt.Sprintf("%g", math.Float32frombits(b.bits(32))))
	}
	return strings.Join(words, " ")
}

// atEnd reports whether only zero bits up to the end of the byte are left.
func (b *bitstream) atEnd() bool {
	for b.at%8 != 0 {
		if b.bits(1) != 0 {
			return false
		}
	}
	return b.at == 8*len(b.b)
}

// input reads one input; before is the heading of the input before it.
func (b *bitstream) input(before uint32) (text string, heading uint32) {
	buttons := b.bits(6)
	if heading = before; b.bits(1) == 1 {
		heading = b.bits(8)
	}
	return fmt.Sprintf("%d %d", buttons, heading), heading
}

// decodeInputs decodes an inputs payload to the lines of the page.
func decodeInputs(s *bitstream) (lines []string) {
	width := int(s.bits(4)) + 8
	tick := s.bits(width)
	n := int(s.bits(7)) + 1
	important := s.bits(1) == 1
	text, heading := s.input(0)
	list := []string{text}
	if !important {
		for len(list) < n {
			if s.bits(1) == 1 {
				text, heading = s.input(heading)
			}
			list = append(list, text)
		}
	} else {
		placeBits := 0
		for (n-2)>>placeBits > 0 {
			placeBits++
		}
		for s.bits(1) == 1 {
			place := int(s.bits(placeBits)) + 1
			for len(list) < place {
				list = append(list, list[len(list)-1])
			}
			text, heading = s.input(heading)
			list = append(list, text)
		}
		for len(list) < n {
			list = append(list, list[len(list)-1])
		}
	}
	return []string{fmt.Sprintf("tick bits: %d", width), fmt.Sprintf("tick: %d", tick), "inputs: " + strings.Join(list, " / ")}
}

// decodeSnapshot decodes a snapshot of one player and some bodies to the lines of the page.
func decodeSnapshot(s *bitstream, bodies int) (lines []string) {
	lines = append(lines, fmt.Sprintf("tick: %d", s.bits(16)))
	lastInput, _ := s.input(0)
	lines = append(lines, "last input: "+lastInput)
	complete, digest := true, (&bitstream{b: s.b}).bits(16)*2654435761+1
	add := func(words ...uint32) {
		for _, x := range words {
			if x == 1<<31 {
				x = 0 // the two zeros are equal
			}
			digest = (digest ^ x) * 0x85EBCA6B
			digest ^= digest >> 15
		}
	}
	for i := range bodies {
		if s.bits(1) == 0 {
			lines = append(lines, fmt.Sprintf("body %d: not included", i))
			complete = false
			add(append([]uint32{uint32(i)}, make([]uint32, 13)...)...) // it is known to be zero, and awake
			continue
		}
		asleep := s.bits(1) == 1
		raw := &bitstream{s.b, s.at}
		add(uint32(i))
		for range 7 {
			add(raw.bits(32))
		}
		if asleep {
			add(1)
		} else {
			for range 6 {
				add(raw.bits(32))
			}
		}
		text := s.floats(3) + " / " + s.floats(4)
		if asleep {
			lines = append(lines, fmt.Sprintf("body %d: asleep %s", i, text))
			continue
		}
		lines = append(lines, fmt.Sprintf("body %d: awake %s / %s / %s", i, text, s.floats(3), s.floats(3)))
	}
	if !complete {
		sent := s.bits(8)
		lines = append(lines, fmt.Sprintf("digest: %d, computed %d", sent, digest*0xC2B2AE35>>24))
	}
	return lines
}

// decodeChild decodes a body that has a parent, with relative values in steps as on the page.
func decodeChild(s *bitstream, i int) string {
	if s.bits(1) == 0 {
		return fmt.Sprintf("body %d: not included", i)
	}
	if s.bits(1) == 0 {
		return "in the world"
	}
	asleep := s.bits(1) == 1
	ladder := func(large int) string {
		var words []string
		for range 3 {
			n := 0
			if s.bits(1) == 1 {
				n = int(s.bits(8)) - 128
			} else if n = int(s.bits(large)) - 1<<(large-1); n < 0 {
				n -= 128
			} else {
				n += 128
			}
			words = append(words, fmt.Sprint(n))
		}
		return strings.Join(words, " ")
	}
	text := ladder(14) + fmt.Sprintf(" / %d:", s.bits(2))
	for range 3 {
		text += fmt.Sprintf(" %d", int(s.bits(15))-16383)
	}
	if asleep {
		return fmt.Sprintf("body %d: relative, asleep %s", i, text)
	}
	return fmt.Sprintf("body %d: relative, awake %s / %s / %s", i, text, ladder(15), ladder(15))
}

// childByProgram formats a body that the program has decoded in the same way.
func childByProgram(i int, b *sim.Body) string {
	steps := func(v geom.Vec3, per int) string {
		return fmt.Sprintf("%d %d %d", toSteps(v.X, per), toSteps(v.Y, per), toSteps(v.Z, per))
	}
	q := b.Pose.Rot
	p := rotationGrid.Encode([4]float32{q.X, q.Y, q.Z, q.W})
	return fmt.Sprintf("body %d: relative, awake %s / %d: %d %d %d / %s / %s", i, steps(b.Pose.Pos, anchorSteps),
		p.Largest, p.Smallest[0], p.Smallest[1], p.Smallest[2], steps(b.Linear, velocitySteps), steps(b.Angular, velocitySteps))
}

// TestDocumentedPayloads decodes each example in testdata/payloads.txt twice: as docs/reference/wire.md describes it, and with
// the program's readers.
func TestDocumentedPayloads(t *testing.T) {
	data, err := os.ReadFile("testdata/payloads.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "\n\n") // after the comment
	examples := strings.Split(strings.TrimSpace(text), "\n\n")
	if len(examples) != 4 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, x := range examples {
		lines := strings.Split(x, "\n")
		name := strings.TrimPrefix(lines[0], "name: ")
		payload, err := hex.DecodeString(strings.ReplaceAll(strings.TrimPrefix(lines[1], "hex: "), " ", ""))
		if err != nil {
			t.Fatal(name, err)
		}
		want := strings.Join(lines[2:], "\n")
		s := &bitstream{b: payload}
		var got []string
		switch name {
		case "snapshot":
			got = decodeSnapshot(s, 3)
		case "joint tree snapshot":
			got = append(decodeSnapshot(s, 1), decodeChild(s, 1))
		default:
			got = decodeInputs(s)
		}
		if g := strings.Join(got, "\n"); g != want || !s.atEnd() {
			t.Errorf("%s, decoded as described:\n%s\nbut the file has\n%s", name, g, want)
		}
		if g := strings.Join(decodeByProgram(t, name, payload), "\n"); g != want {
			t.Errorf("%s, decoded by the program:\n%s\nbut the file has\n%s", name, g, want)
		}
	}
}

// decodeByProgram decodes a payload with the program's own readers.
func decodeByProgram(t *testing.T, name string, payload []byte) (lines []string) {
	t.Helper()
	say := func(in sim.Input) string { return fmt.Sprintf("%d %d", in.Buttons, in.Heading) }
	if !strings.HasSuffix(name, "snapshot") {
		var c quant.Coder
		c.BeginRead(payload)
		m := input.Message{NewestTick: 300}
		m.Code(&c)
		if c.Err() != nil || !c.AtEnd(len(payload)) {
			t.Fatal(name, c.Err())
		}
		var list []string
		for _, in := range m.Inputs {
			list = append(list, say(in))
		}
		return []string{fmt.Sprintf("tick bits: %d", m.TickBits), fmt.Sprintf("tick: %d", m.NewestTick), "inputs: " + strings.Join(list, " / ")}
	}
	spec, bodies := "katamari:cubes=2", 3
	if name == "joint tree snapshot" {
		spec, bodies = "train:rods=1", 2
	}
	sc := predicttest.Scene(t, spec)
	r := Receiver{HasSnapshot: true, Bodies: make([]sim.Body, bodies)}
	if name == "joint tree snapshot" {
		r.SetTree(jointtree.New(&sc, &sim.Attachments{}, jointtree.HeaviestRoot, -1))
	}
	if fresh, err := r.Read(payload, &sc, 0); !fresh || err != nil {
		t.Fatal(fresh, err)
	}
	lines = append(lines, fmt.Sprintf("tick: %d", r.Tick), "last input: "+say(r.LastInputs[0]))
	for i, b := range r.Bodies {
		p, q, v, w := b.Pose.Pos, b.Pose.Rot, b.Linear, b.Angular
		text := fmt.Sprintf("%g %g %g / %g %g %g %g", p.X, p.Y, p.Z, q.X, q.Y, q.Z, q.W)
		switch {
		case r.isRelative[i]:
			lines = append(lines, childByProgram(i, &r.LocalBodies(true)[i]))
		case b == sim.Body{}:
			lines = append(lines, fmt.Sprintf("body %d: not included", i))
		case b.Asleep:
			lines = append(lines, fmt.Sprintf("body %d: asleep %s", i, text))
		default:
			lines = append(lines, fmt.Sprintf("body %d: awake %s / %g %g %g / %g %g %g", i, text, v.X, v.Y, v.Z, w.X, w.Y, w.Z))
		}
	}
	if r.hasDigest {
		lines = append(lines, fmt.Sprintf("digest: %d, computed %d", r.readDigest, r.readDigest)) // Read has compared them
	}
	return lines
}
