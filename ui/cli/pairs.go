package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"ghostcube/net/delta"
	"ghostcube/net/entropy"
	"ghostcube/net/quant"
)

// pair is a rotation and what it was some frames before.
type pair struct{ now, base delta.Orientation }

// maxPairs is what a file may hold: more would only take longer.
const maxPairs = 5_000_000

// measurePairs prints what the pairs in a file cost by every scheme.
func (p *program) measurePairs(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return usageError{fmt.Errorf("--quaternions: %w", err)}
	}
	defer f.Close()
	pairs, err := readPairs(f)
	if err != nil {
		return usageError{fmt.Errorf("--quaternions=%s: %w", name, err)}
	}
	return printPairs(p.Stdout, name, pairs)
}

// readPairs reads pairs as text, or as text that gzip has packed.
func readPairs(in io.Reader) ([]pair, error) {
	b := bufio.NewReader(in)
	if head, err := b.Peek(2); err == nil && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("packed by gzip, but: %w", err)
		}
		b = bufio.NewReader(z)
	}
	var pairs []pair
	s := bufio.NewScanner(b)
	for s.Scan() {
		x, err := parsePair(s.Text())
		if err != nil {
			if !s.Scan() && s.Err() != nil {
				break // the line is as short as the file
			}
			return nil, fmt.Errorf("line %d: %w", len(pairs)+1, err)
		}
		if len(pairs) == maxPairs {
			return nil, fmt.Errorf("line %d: want %d pairs at most", len(pairs)+1, maxPairs)
		}
		pairs = append(pairs, x)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("after line %d: %w", len(pairs), err)
	}
	if len(pairs) == 0 {
		return nil, errors.New("it has no pairs: want lines of largest,a,b,c now and before")
	}
	return pairs, nil
}

func parsePair(line string) (p pair, err error) {
	fields := strings.Split(strings.TrimSpace(line), ",")
	if len(fields) != 8 {
		return p, fmt.Errorf("%d numbers: want 8, largest,a,b,c now and before", len(fields))
	}
	var n [8]int
	for i, f := range fields {
		most := delta.MaxComponent
		if i%4 == 0 {
			most = 3
		}
		if n[i], err = strconv.Atoi(f); err != nil || n[i] < 0 || n[i] > most {
			return p, fmt.Errorf("number %d: %q: want 0 to %d", i+1, f, most)
		}
	}
	turn := func(n []int) delta.Orientation {
		return delta.Orientation{Largest: uint8(n[0]), Smallest: [3]int16{int16(n[1]), int16(n[2]), int16(n[3])}}
	}
	p = pair{turn(n[:4]), turn(n[4:])}
	if !p.now.Valid() || !p.base.Valid() {
		return p, errors.New("no rotation: its three components leave nothing for the largest")
	}
	return p, nil
}

// printPairs prints what pairs cost.
func printPairs(out io.Writer, name string, pairs []pair) error {
	n := float64(len(pairs))
	fmt.Fprintf(out, "%s: %d pairs; all are read as they were written\n\n", name, len(pairs))
	t := newTextTable(out)
	t.row("SCHEME", "BITS A PAIR", "OF ABSOLUTE", "WHAT IT IS")
	line := func(name string, bits float64, what string) {
		t.row(name, fixed(bits/n, 2), fixed(100*bits/n/29, 1)+" %", what)
	}
	for i := range delta.OrientationSchemes {
		s := &delta.OrientationSchemes[i]
		bits, err := measureScheme(s, pairs)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		line(s.Name, float64(bits), s.Doc)
	}
	line("entropy of differences", differenceEntropy(pairs), "no bits: what no table of codes for single differences can be better than")
	for _, c := range []pairCoding{
		{name: "arithmetic"},
		{name: "arithmetic, in packets", pairsPerPacket: pairsPerPacket},
		{name: "arithmetic, trained", pairsPerPacket: pairsPerPacket, trained: true},
		{name: "with the motion before", motion: true},
		{name: "with the motion, in packets", motion: true, pairsPerPacket: pairsPerPacket},
	} {
		size, err := c.measure(pairs)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		line(c.name, float64(size*8), c.describe())
	}
	return t.close()
}

// measureScheme writes pairs in bits, reads them, and returns the bits.
func measureScheme(s *delta.OrientationScheme, pairs []pair) (int, error) {
	var c quant.Coder
	c.BeginWrite(make([]byte, (len(pairs)*4+64)&^7))
	for _, p := range pairs {
		s.Code(&c, p.now, p.base)
	}
	bits := c.BitsProcessed()
	data := c.FinishWrite()
	if c.Err() != nil {
		return 0, c.Err()
	}
	c.BeginRead(data)
	for i, p := range pairs {
		if got := s.Code(&c, delta.Orientation{}, p.base); got != p.now || c.Err() != nil {
			return 0, fmt.Errorf("pair %d is read as %v: %w", i+1, got, errors.Join(c.Err(), errRoundTrip))
		}
	}
	return bits, nil
}

var errRoundTrip = errors.New("it is not what was written")

// differenceEntropy returns the bits of pairs at the entropy of what the
// article's scheme codes: whether the largest component is the same, and if so
// each of the three differences by itself; else 29 bits.
func differenceEntropy(pairs []pair) float64 {
	var counts [4][2*delta.MaxComponent + 1]int // of each component; and of the largest being another
	whole := 0
	for _, p := range pairs {
		if p.now.Largest != p.base.Largest {
			counts[3][1]++
			whole++
			continue
		}
		counts[3][0]++
		for i := range p.now.Smallest {
			counts[i][delta.MaxComponent+int(p.now.Smallest[i])-int(p.base.Smallest[i])]++
		}
	}
	bits := float64(whole * 29)
	for i := range counts {
		total := 0
		for _, k := range counts[i] {
			total += k
		}
		for _, k := range counts[i] {
			if k > 0 {
				bits -= float64(k) * math.Log2(float64(k)/float64(total))
			}
		}
	}
	return bits
}

// pairsPerPacket is how many pairs a packet is taken to hold: the recording does not
// say, but its rotations come again after about six times as many lines.
const pairsPerPacket = 36

// pairCoding is a way to write pairs with an arithmetic coder.
type pairCoding struct {
	name           string
	pairsPerPacket int  // pairs to a packet; 0: all are one
	trained        bool // no packet knows another: each starts from the half that it is not in
	motion         bool // the rotation before the base is known where it has been sent
}

func (c *pairCoding) describe() string {
	switch {
	case c.trained:
		return fmt.Sprintf("packets of %d pairs, each by itself, after learning from the other half of the file", c.pairsPerPacket)
	case c.pairsPerPacket > 0 && c.motion:
		return fmt.Sprintf("packets of %d pairs; all is known that came %d packets before or earlier", c.pairsPerPacket, baselineDistance)
	case c.pairsPerPacket > 0:
		return fmt.Sprintf("packets of %d pairs, each with what was learned up to the %dth before it", c.pairsPerPacket, baselineDistance)
	case c.motion:
		return "and the rotation before the base, where it has come before"
	}
	return "the pairs one after another, nothing known at first"
}

// measure writes pairs and reads them, and returns the bytes. The reader learns
// from what it has read.
func (c *pairCoding) measure(pairs []pair) (int, error) {
	packet := c.pairsPerPacket
	if packet == 0 {
		packet = len(pairs)
	}
	out, in := c.newCoder(pairs, packet), c.newCoder(pairs, packet)
	got := make([]pair, len(pairs))
	for i := range pairs {
		got[i].base = pairs[i].base
	}
	buffer := make([]byte, packet*8+64)
	size := 0
	for first := 0; first < len(pairs); first += packet {
		last := min(first+packet, len(pairs))
		var w, r entropy.Coder
		w.BeginWrite(buffer)
		out.codePacket(&w, pairs, first, last)
		data := w.FinishWrite()
		if w.Err() != nil {
			return 0, w.Err()
		}
		r.BeginRead(bytes.Clone(data))
		in.codePacket(&r, got, first, last)
		if err := r.FinishRead(); err != nil {
			return 0, fmt.Errorf("pairs %d to %d: %w", first+1, last, err)
		}
		for i := first; i < last; i++ {
			if got[i] != pairs[i] {
				return 0, fmt.Errorf("pair %d: %w", i+1, errRoundTrip)
			}
		}
		size += len(data)
	}
	return size, nil
}

// pairCoder is a writer or a reader of pairs: what it knows.
type pairCoder struct {
	coding         *pairCoding
	pairsPerPacket int
	models         [baselineDistance]delta.OrientationModel // of the last packets
	halfModels     [2]*delta.OrientationModel               // what each half teaches
	firstHalfLen   int                                      // pairs in the first
	lastIndex      map[delta.Orientation]int                // the pair in which a rotation came last
	learnedCount   int                                      // pairs up to here are in seen
}

// newCoder returns an end that knows nothing, or, if it is trained, what each half of
// the pairs teaches.
func (c *pairCoding) newCoder(pairs []pair, packet int) *pairCoder {
	e := &pairCoder{coding: c, pairsPerPacket: packet, lastIndex: map[delta.Orientation]int{}}
	if c.trained {
		e.firstHalfLen = len(pairs) / packet / 2 * packet
		for i, half := range [][]pair{pairs[:e.firstHalfLen], pairs[e.firstHalfLen:]} {
			e.halfModels[i] = train(half)
		}
	}
	return e
}

// train returns what pairs teach.
func train(pairs []pair) *delta.OrientationModel {
	m := new(delta.OrientationModel)
	var c entropy.Coder
	buffer := make([]byte, 4096)
	for _, p := range pairs {
		c.BeginWrite(buffer)
		m.Code(&c, p.now, p.base, nil)
	}
	return m
}

// codePacket writes or reads the pairs of one packet.
func (e *pairCoder) codePacket(c *entropy.Coder, pairs []pair, first, last int) {
	slot := &e.models[first/e.pairsPerPacket%baselineDistance]
	switch {
	case e.coding.trained && first < e.firstHalfLen:
		*slot = *e.halfModels[1]
	case e.coding.trained:
		*slot = *e.halfModels[0]
	}
	for i := first; i < last; i++ {
		if e.coding.pairsPerPacket == 0 {
			e.learn(pairs, i)
		} else if i == first {
			e.learn(pairs, first-(baselineDistance-1)*e.pairsPerPacket)
		}
		pairs[i].now = slot.Code(c, pairs[i].now, pairs[i].base, e.earlierBase(pairs, pairs[i].base))
	}
}

// learn takes in the pairs up to one that is not known yet.
func (e *pairCoder) learn(pairs []pair, known int) {
	for ; e.learnedCount < known; e.learnedCount++ {
		e.lastIndex[pairs[e.learnedCount].now] = e.learnedCount
	}
}

// earlierBase returns what a base was relative to when it came, or nil.
func (e *pairCoder) earlierBase(pairs []pair, base delta.Orientation) *delta.Orientation {
	const reach = 2000 // pairs back: the same rotation of another cube is older than that
	if !e.coding.motion {
		return nil
	}
	if i, ok := e.lastIndex[base]; ok && e.learnedCount-i <= reach {
		return &pairs[i].base
	}
	return nil
}
