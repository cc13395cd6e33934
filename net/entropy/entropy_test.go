package entropy

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// models are some of each kind, which scripts learn with.
type models struct {
	bits   [4]Bit
	mixer  [2]Mixer
	number [3]Number
	mix    NumberMixer
}

// step is one value of a script: what kind, and what it is.
type step struct{ kind, with, value int }

const kinds = 4

// code moves a step's value through c.
func (s *step) code(c *Coder, m *models) step {
	switch s.kind {
	case 0:
		s.value = one(c.Bit(s.value != 0, &m.bits[s.with%4]))
	case 1:
		s.value = one(c.Mix(s.value != 0, &m.mixer[s.with%2], []*Bit{&m.bits[s.with%4], &m.bits[3-s.with%4]}))
	case 2:
		s.value = c.Number(s.value, -5*s.with, NumberMost, &m.mix, &m.number[s.with%3], &m.number[2])
	case 3:
		s.value = int(c.Even(uint32(s.value), s.with%20))
	}
	return *s
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// plan turns bytes into a script without values.
func plan(b []byte) (s []step) {
	for ; len(b) >= 2 && len(s) < 200; b = b[2:] {
		s = append(s, step{kind: int(b[0]) % kinds, with: int(b[1])})
	}
	return s
}

// draw gives a step a value that can be written.
func (s *step) draw(t *rapid.T) {
	switch s.kind {
	case 0, 1:
		s.value = rapid.IntRange(0, 1).Draw(t, "answer")
	case 2:
		most := rapid.SampledFrom([]int{0, 1, 3, 100, NumberMost}).Draw(t, "most")
		s.value = max(rapid.IntRange(-most, most).Draw(t, "number"), -5*s.with)
	case 3:
		s.value = rapid.IntRange(0, 1<<(s.with%20)-1).Draw(t, "even")
	}
}

// TestScripts writes any script of answers and numbers and reads it: the values
// are equal, both sides have learned the same, and no other bytes say it.
func TestScripts(t *testing.T) { rapid.Check(t, scripts) }

func scripts(t *rapid.T) {
	script := plan(rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "plan"))
	for i := range script {
		script[i].draw(t)
	}
	var c Coder
	var m, n models
	c.Write(make([]byte, 4096))
	for i := range script {
		script[i].code(&c, &m)
	}
	data := bytes.Clone(c.Data())
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	c.Read(data)
	for _, want := range script {
		got := step{kind: want.kind, with: want.with}
		if got.code(&c, &n); got != want || c.Err() != nil {
			t.Fatalf("%+v is read as %+v, %v", want, got, c.Err())
		}
	}
	if err := c.End(); err != nil || m != n {
		t.Fatalf("%v; the same was learned: %t", err, m == n)
	}

	// Fewer bytes, or more, may say something, but nothing else says this.
	says := func(b []byte) bool {
		var m models
		c.Read(b)
		for _, want := range script {
			got := step{kind: want.kind, with: want.with}
			if got.code(&c, &m); got != want {
				return false
			}
		}
		return c.End() == nil
	}
	if len(data) > 0 && says(data[:rapid.IntRange(0, len(data)-1).Draw(t, "cut")]) || says(append(data, 0)) {
		t.Fatal("other bytes say the same")
	}
}

// FuzzRead reads any bytes by any script: it never panics and never goes beyond
// the end, and what was read to its end, written again, gives the same bytes:
// what is said has one form.
func FuzzRead(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 1, 2, 3, 9, 2, 0}, []byte{})
	f.Add([]byte{2, 1, 2, 1, 2, 1, 2, 2, 3, 19}, []byte{200, 3, 77, 9})
	f.Add(bytes.Repeat([]byte{2, 0, 0, 1}, 50), bytes.Repeat([]byte{0xff}, 40))
	f.Add(bytes.Repeat([]byte{1, 0}, 100), make([]byte, 3))
	f.Add([]byte("2121212020"), []byte("x")) // one answer settles more than there is
	f.Fuzz(func(t *testing.T, p, data []byte) {
		script := plan(p)
		var c Coder
		var m, n models
		c.Read(data)
		for i := range script {
			script[i].code(&c, &m)
		}
		if c.at > len(data)+1 {
			t.Fatalf("%d of %d bytes are read", c.at, len(data))
		}
		if c.End() != nil {
			return
		}
		c.Write(make([]byte, len(data)))
		for i := range script {
			script[i].code(&c, &n)
		}
		if out := c.Data(); c.Err() != nil || !bytes.Equal(out, data) || m != n {
			t.Fatalf("%x is written as %x, %v", data, out, c.Err())
		}
	})
}

// TestGolden holds the bytes: what one version writes, all others read.
func TestGolden(t *testing.T) {
	var c Coder
	var m models
	c.Write(make([]byte, 100))
	for i := range 60 {
		c.Bit(i%7 == 0, &m.bits[0])
		c.Mix(i%3 == 0, &m.mixer[0], []*Bit{&m.bits[1], &m.bits[i%3]})
		c.Number(i*i%50-20, -20, 50, &m.mix, &m.number[0], &m.number[1+i%2])
	}
	c.Even(0xabcde, 20)
	const want = "2ea80483cd1380d5214bec4f5a027df8312103bed992c7b9b50275df83c8e4471bcaf31703f2101538f6c6c40238906cbdd6c130b1ef11116da9f91c"
	if got := fmt.Sprintf("%x", c.Data()); got != want {
		t.Errorf("%s", got)
	}
}

// TestCost says what answers cost: those that come up with a chance take their
// entropy and at most two hundredths of a bit more, and those that never change
// next to nothing, with one model and with a mix of a good one and two bad ones.
func TestCost(t *testing.T) {
	const n = 20_000
	buffer := make([]byte, n)
	for _, chance := range []float64{0, 0.001, 0.02, 0.2, 0.5, 0.9} {
		r := rand.New(rand.NewPCG(1, 2))
		answers := make([]bool, n)
		yes := 0.0
		for i := range answers {
			answers[i] = r.Float64() < chance
			yes += float64(one(answers[i]))
		}
		entropy := 0.0
		for _, p := range []float64{yes / n, 1 - yes/n} {
			if p > 0 {
				entropy -= p * math.Log2(p)
			}
		}
		var c Coder
		var m models
		c.Write(buffer)
		for _, a := range answers {
			c.Bit(a, &m.bits[0])
		}
		alone := float64(len(c.Data())*8) / n
		m = models{}
		c.Write(buffer)
		for i, a := range answers {
			m.bits[1], m.bits[2] = Bit{}, Bit{}
			if i%2 == 0 {
				m.bits[2].learn(!a)
			}
			c.Mix(a, &m.mixer[0], []*Bit{&m.bits[0], &m.bits[1], &m.bits[2]})
		}
		mixed := float64(len(c.Data())*8) / n
		if alone > entropy+0.02 || alone < entropy-0.01 || mixed > entropy+0.02 {
			t.Errorf("a chance of %v: %.4f bits, mixed %.4f, entropy %.4f", chance, alone, mixed, entropy)
		}
	}
}

// TestNumberCost says that numbers cost what their spread asks for: those of a
// bell curve their entropy and less than a tenth of a bit.
func TestNumberCost(t *testing.T) {
	const n = 20_000
	for _, sigma := range []float64{1, 5, 40} {
		r := rand.New(rand.NewPCG(3, 4))
		var c Coder
		var m models
		count := map[int]int{}
		c.Write(make([]byte, 2*n))
		for range n {
			v := int(math.Round(r.NormFloat64() * sigma))
			count[v]++
			c.Number(v, -NumberMost, NumberMost, &m.mix, &m.number[0])
		}
		entropy := 0.0
		for _, k := range count {
			p := float64(k) / n
			entropy -= p * math.Log2(p)
		}
		if got := float64(len(c.Data())*8) / n; got > entropy+0.1 || got < entropy-0.05 {
			t.Errorf("sigma %v: %.3f bits, entropy %.3f", sigma, got, entropy)
		}
	}
}

// TestLimits says that a number outside its range, and more than there is memory
// for, is not written, that a number outside its range is not read, and that
// nothing is coded or learned after a failure.
func TestLimits(t *testing.T) {
	var c Coder
	var m models
	for _, v := range []int{-11, 6, NumberMost + 1} {
		c.Write(make([]byte, 64))
		if c.Number(v, -10, max(v-1, 5), &m.mix, &m.number[0]); !errors.Is(c.Err(), ErrRange) {
			t.Errorf("%d is written: %v", v, c.Err())
		}
	}
	c.Write(make([]byte, 2))
	for range 100 {
		c.Even(5, 3)
	}
	if c.Data(); !errors.Is(c.Err(), ErrEnd) {
		t.Errorf("300 bits fit into two bytes: %v", c.Err())
	}

	// What is said by nothing at all: no answer, or yes where that is likely.
	c.Write(nil)
	c.Bit(true, &m.bits[3])
	if data := c.Data(); len(data) != 0 || c.Err() != nil {
		t.Errorf("%x is written: %v", data, c.Err())
	}

	m = models{}
	c.Write(make([]byte, 64))
	c.Number(9, -10, 10, &m.mix, &m.number[0])
	data := c.Data()
	m = models{}
	c.Read(data)
	if got := c.Number(0, -10, 8, &m.mix, &m.number[0]); got != 0 || !errors.Is(c.Err(), ErrRange) {
		t.Errorf("9 is read as %d of [-10, 8]: %v", got, c.Err())
	}
	before := m
	if c.Bit(true, &m.bits[0]) || c.Mix(true, &m.mixer[0], []*Bit{&m.bits[0]}) || c.Number(5, 0, 9, &m.mix, &m.number[0]) != 0 || c.Even(3, 2) != 0 || m != before {
		t.Error("a reader goes on after a failure")
	}
	if c.Reading() != true || c.End() == nil {
		t.Error("a failure is forgotten")
	}
}

// TestAllocatesNothing says that coding allocates nothing, in either direction.
func TestAllocatesNothing(t *testing.T) {
	var c Coder
	var m models
	buffer := make([]byte, 1024)
	all := func() {
		for i := range 20 {
			c.Bit(i%3 == 0, &m.bits[0])
			c.Mix(i%2 == 0, &m.mixer[0], []*Bit{&m.bits[0], &m.bits[1]})
			c.Number(i-10, -20, 20, &m.mix, &m.number[0], &m.number[1])
			c.Even(9, 5)
		}
	}
	if a := testing.AllocsPerRun(100, func() {
		m = models{}
		c.Write(buffer)
		all()
		data := c.Data()
		m = models{}
		c.Read(data)
		all()
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
	}); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

func BenchmarkCoder(b *testing.B) {
	const n = 1000
	buffer := make([]byte, 4*n)
	var c Coder
	var m models
	all := func() {
		for i := range n {
			c.Bit(i%5 == 0, &m.bits[0])
		}
	}
	mix := func() {
		for i := range n {
			c.Mix(i%5 == 0, &m.mixer[0], []*Bit{&m.bits[0], &m.bits[1], &m.bits[2], &m.bits[3]})
		}
	}
	numbers := func() {
		for i := range n {
			c.Number(i%17-8, -100, 100, &m.mix, &m.number[0], &m.number[1], &m.number[2])
		}
	}
	for _, x := range []struct {
		name string
		do   func()
	}{{"bit", all}, {"mix of 4", mix}, {"number of 3", numbers}} {
		b.Run(x.name+" write", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Write(buffer)
				x.do()
				c.Data()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/each")
		})
		b.Run(x.name+" read", func(b *testing.B) {
			m = models{}
			c.Write(buffer)
			x.do()
			data := c.Data()
			b.ReportAllocs()
			for b.Loop() {
				m = models{}
				c.Read(data)
				x.do()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/each")
		})
	}
}

// TestSpent says that what answers are said to have cost is what they cost: of
// even numbers their bits, at every moment, for the writer as for the reader.
func TestSpent(t *testing.T) {
	var w, r Coder
	b := make([]byte, 4000)
	w.Write(b)
	bits := 0
	check := func(c *Coder) {
		t.Helper()
		if d := c.Spent() - float64(bits); math.Abs(d) > 0.02 {
			t.Fatalf("%v bits spent, want %d", c.Spent(), bits)
		}
	}
	for i := range 2000 {
		w.Even(uint32(i), 11)
		bits += 11
		check(&w)
	}
	r.Read(w.Data())
	bits = 0
	for range 2000 {
		r.Even(0, 11)
		bits += 11
		check(&r)
	}
	var m Bit
	w.Write(b)
	for range 3000 {
		w.Bit(true, &m)
	}
	if s := w.Spent(); s < 1 || s > 60 {
		t.Errorf("what is always so costs %v bits", s)
	}
}
