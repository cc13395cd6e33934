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

// maxMagnitude is the largest magnitude of a Number.
const maxMagnitude = 1<<maxBits - 1

// rawBits codes an n-bit number whose bits are all equally likely.
func (c *Coder) rawBits(v uint32, n int) uint32 {
	var got uint32
	for i := n - 1; i >= 0; i-- {
		got <<= 1
		if c.codeBit(v>>i&1 != 0, 1<<15) {
			got |= 1
		}
	}
	return got
}

// models are the models that scripts learn with.
type models struct {
	bits        [4]BitModel
	mixers      [2]Mixer
	numbers     [3]NumberModel
	numberMixer NumberMixer
}

// operation is one value of a script, with its kind.
type operation struct{ kind, index, value int }

const kindCount = 5

// code reads or writes the value.
func (o *operation) code(c *Coder, m *models) operation {
	switch o.kind {
	case 0:
		o.value = boolInt(c.Bit(o.value != 0, &m.bits[o.index%4]))
	case 1:
		o.value = boolInt(c.MixedBit(o.value != 0, &m.mixers[o.index%2], []*BitModel{&m.bits[o.index%4], &m.bits[3-o.index%4]}))
	case 2:
		o.value = c.MixedNumber(o.value, -5*o.index, maxMagnitude, &m.numberMixer, &m.numbers[o.index%3], &m.numbers[2])
	case 3:
		o.value = c.Number(o.value, -5*o.index, maxMagnitude, &m.numbers[o.index%3])
	case 4:
		o.value = int(c.rawBits(uint32(o.value), o.index%20))
	}
	return *o
}

// parseScript turns bytes into a script without values.
func parseScript(b []byte) (s []operation) {
	for ; len(b) >= 2 && len(s) < 200; b = b[2:] {
		s = append(s, operation{kind: int(b[0]) % kindCount, index: int(b[1])})
	}
	return s
}

// draw chooses a valid value.
func (o *operation) draw(t *rapid.T) {
	switch o.kind {
	case 0, 1:
		o.value = rapid.IntRange(0, 1).Draw(t, "bit")
	case 2, 3:
		most := rapid.SampledFrom([]int{0, 1, 3, 100, maxMagnitude}).Draw(t, "most")
		o.value = max(rapid.IntRange(-most, most).Draw(t, "number"), -5*o.index)
	case 4:
		o.value = rapid.IntRange(0, 1<<(o.index%20)-1).Draw(t, "even")
	}
}

// TestScripts checks, for arbitrary scripts of bits and numbers, that they are read as
// written, that both sides learn the same, and that the encoding is unique.
func TestScripts(t *testing.T) { rapid.Check(t, scriptsRoundTrip) }

func scriptsRoundTrip(t *rapid.T) {
	script := parseScript(rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "plan"))
	for i := range script {
		script[i].draw(t)
	}
	var c Coder
	var m, n models
	c.BeginWrite(make([]byte, 4096))
	for i := range script {
		script[i].code(&c, &m)
	}
	data := bytes.Clone(c.FinishWrite())
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	c.BeginRead(data)
	for _, want := range script {
		got := operation{kind: want.kind, index: want.index}
		if got.code(&c, &n); got != want || c.Err() != nil {
			t.Fatalf("%+v is read as %+v, %v", want, got, c.Err())
		}
	}
	if err := c.FinishRead(); err != nil || m != n {
		t.Fatalf("%v; equal models: %t", err, m == n)
	}

	// Truncated or longer bytes may decode to something else, but not to this script.
	decodes := func(b []byte) bool {
		var m models
		c.BeginRead(b)
		for _, want := range script {
			got := operation{kind: want.kind, index: want.index}
			if got.code(&c, &m); got != want {
				return false
			}
		}
		return c.FinishRead() == nil
	}
	if len(data) > 0 && decodes(data[:rapid.IntRange(0, len(data)-1).Draw(t, "cut")]) || decodes(append(data, 0)) {
		t.Fatal("other bytes decode to the same script")
	}
}

// FuzzRead reads arbitrary bytes with an arbitrary script. The reader must not panic
// and must not pass the end. Data that is read to its end must be written to the same
// bytes.
func FuzzRead(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 1, 2, 3, 9, 2, 0}, []byte{})
	f.Add([]byte{2, 1, 2, 1, 2, 1, 2, 2, 3, 19}, []byte{200, 3, 77, 9})
	f.Add(bytes.Repeat([]byte{2, 0, 0, 1}, 50), bytes.Repeat([]byte{0xff}, 40))
	f.Add(bytes.Repeat([]byte{1, 0}, 100), make([]byte, 3))
	f.Add([]byte("2121212020"), []byte("x")) // one bit makes more bytes final than there are
	f.Fuzz(func(t *testing.T, p, data []byte) {
		script := parseScript(p)
		var c Coder
		var m, n models
		c.BeginRead(data)
		for i := range script {
			script[i].code(&c, &m)
		}
		if c.pos > len(data)+1 {
			t.Fatalf("%d of %d bytes are read", c.pos, len(data))
		}
		if c.FinishRead() != nil {
			return
		}
		c.BeginWrite(make([]byte, len(data)))
		for i := range script {
			script[i].code(&c, &n)
		}
		if out := c.FinishWrite(); c.Err() != nil || !bytes.Equal(out, data) || m != n {
			t.Fatalf("%x is written as %x, %v", data, out, c.Err())
		}
	})
}

// TestGolden holds the bytes: every version reads what another wrote.
func TestGolden(t *testing.T) {
	var c Coder
	var m models
	c.BeginWrite(make([]byte, 100))
	for i := range 60 {
		c.Bit(i%7 == 0, &m.bits[0])
		c.MixedBit(i%3 == 0, &m.mixers[0], []*BitModel{&m.bits[1], &m.bits[i%3]})
		c.MixedNumber(i*i%50-20, -20, 50, &m.numberMixer, &m.numbers[0], &m.numbers[1+i%2])
	}
	c.rawBits(0xabcde, 20)
	for i := range 20 {
		c.Number(i*i%50-20, -20, 50, &m.numbers[2])
	}
	const want = "2ea80483cd1380d5214bec4f5a027df8312103bed992c7b9b50275df83c8e4471bcaf31703f21015" +
		"38f6c6c40238906cbdd6c130b1ef11116da9f92382f890dbbb0f46697f0eed2e0047ea"
	if got := fmt.Sprintf("%x", c.FinishWrite()); got != want {
		t.Errorf("%s", got)
	}
}

// TestCost checks the cost of random bits: at most 0.02 bits above their entropy, and
// next to nothing if they never change, with one model and with a mix of a good one and
// two bad ones.
func TestCost(t *testing.T) {
	const n = 20_000
	buffer := make([]byte, n)
	for _, p1 := range []float64{0, 0.001, 0.02, 0.2, 0.5, 0.9} {
		r := rand.New(rand.NewPCG(1, 2))
		bits := make([]bool, n)
		ones := 0.0
		for i := range bits {
			bits[i] = r.Float64() < p1
			ones += float64(boolInt(bits[i]))
		}
		entropy := 0.0
		for _, p := range []float64{ones / n, 1 - ones/n} {
			if p > 0 {
				entropy -= p * math.Log2(p)
			}
		}
		var c Coder
		var m models
		c.BeginWrite(buffer)
		for _, a := range bits {
			c.Bit(a, &m.bits[0])
		}
		single := float64(len(c.FinishWrite())*8) / n
		m = models{}
		c.BeginWrite(buffer)
		for i, a := range bits {
			m.bits[1], m.bits[2] = BitModel{}, BitModel{}
			if i%2 == 0 {
				m.bits[2].update(!a)
			}
			c.MixedBit(a, &m.mixers[0], []*BitModel{&m.bits[0], &m.bits[1], &m.bits[2]})
		}
		mixed := float64(len(c.FinishWrite())*8) / n
		if single > entropy+0.02 || single < entropy-0.01 || mixed > entropy+0.02 {
			t.Errorf("probability %v: %.4f bits, mixed %.4f, entropy %.4f", p1, single, mixed, entropy)
		}
	}
}

// TestNumberCost checks that numbers from a normal distribution cost less than a tenth
// of a bit above their entropy.
func TestNumberCost(t *testing.T) {
	const n = 20_000
	for _, sigma := range []float64{1, 5, 40} {
		r := rand.New(rand.NewPCG(3, 4))
		var c Coder
		var m models
		count := map[int]int{}
		c.BeginWrite(make([]byte, 2*n))
		for range n {
			v := int(math.Round(r.NormFloat64() * sigma))
			count[v]++
			c.Number(v, -maxMagnitude, maxMagnitude, &m.numbers[0])
		}
		entropy := 0.0
		for _, k := range count {
			p := float64(k) / n
			entropy -= p * math.Log2(p)
		}
		if got := float64(len(c.FinishWrite())*8) / n; got > entropy+0.1 || got < entropy-0.05 {
			t.Errorf("sigma %v: %.3f bits, entropy %.3f", sigma, got, entropy)
		}
	}
}

// TestLimits checks that a number out of range is neither written nor read, that a full
// buffer is an error, and that nothing is coded or learned after a failure.
func TestLimits(t *testing.T) {
	var c Coder
	var m models
	for _, v := range []int{-11, 6, maxMagnitude + 1} {
		c.BeginWrite(make([]byte, 64))
		if c.Number(v, -10, max(v-1, 5), &m.numbers[0]); !errors.Is(c.Err(), ErrRange) {
			t.Errorf("%d is written: %v", v, c.Err())
		}
		c.BeginWrite(make([]byte, 64))
		if c.MixedNumber(v, -10, max(v-1, 5), &m.numberMixer, &m.numbers[0]); !errors.Is(c.Err(), ErrRange) {
			t.Errorf("%d is written with a mix: %v", v, c.Err())
		}
	}
	c.BeginWrite(make([]byte, 2))
	for range 100 {
		c.rawBits(5, 3)
	}
	if c.FinishWrite(); !errors.Is(c.Err(), ErrPastEnd) {
		t.Errorf("300 bits fit into two bytes: %v", c.Err())
	}

	// An empty stream can encode no bits, or bits that are expected.
	c.BeginWrite(nil)
	c.Bit(true, &m.bits[3])
	if data := c.FinishWrite(); len(data) != 0 || c.Err() != nil {
		t.Errorf("%x is written: %v", data, c.Err())
	}

	m = models{}
	c.BeginWrite(make([]byte, 64))
	c.MixedNumber(9, -10, 10, &m.numberMixer, &m.numbers[0])
	data := c.FinishWrite()
	m = models{}
	c.BeginRead(data)
	if got := c.MixedNumber(0, -10, 8, &m.numberMixer, &m.numbers[0]); got != 0 || !errors.Is(c.Err(), ErrRange) {
		t.Errorf("9 is read as %d of [-10, 8]: %v", got, c.Err())
	}
	before := m
	bit := c.Bit(true, &m.bits[0])
	mixed := c.MixedBit(true, &m.mixers[0], []*BitModel{&m.bits[0]})
	number := c.Number(5, 0, 9, &m.numbers[0])
	if bit || mixed || number != 0 || c.rawBits(3, 2) != 0 || m != before {
		t.Error("a reader continues after a failure")
	}
	if c.Reading() != true || c.FinishRead() == nil {
		t.Error("a failure is lost")
	}
}

// TestAllocatesNothing checks that neither writing nor reading allocates.
func TestAllocatesNothing(t *testing.T) {
	var c Coder
	var m models
	buffer := make([]byte, 1024)
	all := func() {
		for i := range 20 {
			c.Bit(i%3 == 0, &m.bits[0])
			c.MixedBit(i%2 == 0, &m.mixers[0], []*BitModel{&m.bits[0], &m.bits[1]})
			c.MixedNumber(i-10, -20, 20, &m.numberMixer, &m.numbers[0], &m.numbers[1])
			c.Number(i-10, -20, 20, &m.numbers[2])
			c.rawBits(9, 5)
		}
	}
	if a := testing.AllocsPerRun(100, func() {
		m = models{}
		c.BeginWrite(buffer)
		all()
		data := c.FinishWrite()
		m = models{}
		c.BeginRead(data)
		all()
		if err := c.FinishRead(); err != nil {
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
			c.MixedBit(i%5 == 0, &m.mixers[0], []*BitModel{&m.bits[0], &m.bits[1], &m.bits[2], &m.bits[3]})
		}
	}
	numbers := func() {
		for i := range n {
			c.MixedNumber(i%17-8, -100, 100, &m.numberMixer, &m.numbers[0], &m.numbers[1], &m.numbers[2])
		}
	}
	number := func() {
		for i := range n {
			c.Number(i%17-8, -100, 100, &m.numbers[0])
		}
	}
	for _, x := range []struct {
		name string
		do   func()
	}{{"bit", all}, {"mix of 4", mix}, {"number", number}, {"number of 3", numbers}} {
		b.Run(x.name+" write", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.BeginWrite(buffer)
				x.do()
				c.FinishWrite()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/each")
		})
		b.Run(x.name+" read", func(b *testing.B) {
			m = models{}
			c.BeginWrite(buffer)
			x.do()
			data := c.FinishWrite()
			b.ReportAllocs()
			for b.Loop() {
				m = models{}
				c.BeginRead(data)
				x.do()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/each")
		})
	}
}

// TestBitsSpent checks BitsSpent at every step against the size of uniform numbers,
// when writing and when reading.
func TestBitsSpent(t *testing.T) {
	var w, r Coder
	b := make([]byte, 4000)
	w.BeginWrite(b)
	bits := 0
	check := func(c *Coder) {
		t.Helper()
		if d := c.BitsSpent() - float64(bits); math.Abs(d) > 0.02 {
			t.Fatalf("%v bits spent, want %d", c.BitsSpent(), bits)
		}
	}
	for i := range 2000 {
		w.rawBits(uint32(i), 11)
		bits += 11
		check(&w)
	}
	r.BeginRead(w.FinishWrite())
	bits = 0
	for range 2000 {
		r.rawBits(0, 11)
		bits += 11
		check(&r)
	}
	var m BitModel
	w.BeginWrite(b)
	for range 3000 {
		w.Bit(true, &m)
	}
	if s := w.BitsSpent(); s < 1 || s > 60 {
		t.Errorf("a constant bit costs %v bits", s)
	}
}
