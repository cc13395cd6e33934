package vp8

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/image/vp8"

	"ghostcube/internal/experiment"
)

// testPicture returns picture i of a scene: a chequered ground that slides by fractions of a pixel, a square
// that moves against it, fine detail that stands still, and every eighth picture a change everywhere.
func testPicture(w, h, i int) *image.YCbCr {
	im := image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	for y := range h {
		for x := range w {
			u, v := 4*x+5*i, 4*y+3*i // quarters of a pixel
			// A linear ramp of four pixels at the edges of the chequers.
			edge := func(at int) int { return min(max(at%128-64, -8), 8) - min(max(at%128-120, 0), 8)*2 }
			value := 120 + edge(u)*edge(v)/2
			if y < h/8 {
				value = 30 + (x*y*7+x*x)%11*18
			}
			if dx, dy := x-3*i%w, y-h/2; dx >= 0 && dx < 24 && dy >= 0 && dy < 24 {
				value = 200 - dx
			}
			if i >= 40 {
				value = 255 - value
			}
			im.Y[y*im.YStride+x] = byte(min(max(value, 16), 235))
		}
	}
	for y := range (h + 1) / 2 {
		for x := range (w + 1) / 2 {
			im.Cb[y*im.CStride+x] = byte(128 + (2*x+i)%64/4)
			im.Cr[y*im.CStride+x] = byte(140 - (2*y+i)%64/4)
		}
	}
	return im
}

// encodeAll encodes pictures, and returns the payloads and the luma that the encoder reconstructs.
func encodeAll(c Config, n int) (payloads [][]byte, luma [][]byte) {
	e := NewEncoder(c)
	for i := range n {
		data, _ := e.Encode(nil, testPicture(c.W, c.H, i))
		payloads = append(payloads, data)
		p := &e.reference.y
		if e.frame.discarded {
			e.smooth() // no frame needs it
			p = &e.current.y
		}
		var rows []byte
		for y := range c.H {
			rows = append(rows, p.pix[p.at(0, y):][:c.W]...)
		}
		luma = append(luma, rows)
	}
	return payloads, luma
}

// TestKeyFrames checks that another decoder reconstructs key frames as the encoder does, at sizes that are not
// whole macroblocks too, and that their error is that of the quantiser.
func TestKeyFrames(t *testing.T) {
	for _, size := range [][2]int{{64, 64}, {176, 99}, {33, 17}, {16, 16}, {1, 1}} {
		for _, quality := range []int{0, 24, 127} {
			c := Config{W: size[0], H: size[1], Quality: quality, KeyInterval: 1}
			payloads, luma := encodeAll(c, 3)
			for i, data := range payloads {
				d := vp8.NewDecoder()
				d.Init(bytes.NewReader(data), len(data))
				h, err := d.DecodeFrameHeader()
				if err != nil || !h.KeyFrame || h.Width != c.W || h.Height != c.H {
					t.Fatalf("%+v: %+v, %v", c, h, err)
				}
				im, err := d.DecodeFrame()
				if err != nil {
					t.Fatal(err)
				}
				want := testPicture(c.W, c.H, i)
				var squares int
				for y := range c.H {
					row := im.Y[y*im.YStride:][:c.W]
					if !bytes.Equal(row, luma[i][y*c.W:][:c.W]) {
						t.Fatalf("%+v: row %d of picture %d differs from the encoder's", c, y, i)
					}
					for x, v := range row {
						d := int(v) - int(want.Y[y*want.YStride+x])
						squares += d * d
					}
				}
				if limit := map[int]int{0: 2, 24: 60, 127: 3000}[quality]; squares > limit*c.W*c.H {
					t.Errorf("%+v: mean square error %.1f, want at most %d", c, float64(squares)/float64(c.W*c.H), limit)
				}
			}
		}
	}
}

// writeIVF writes payloads as a file that ffmpeg reads.
func writeIVF(t *testing.T, c Config, payloads [][]byte) string {
	t.Helper()
	head := make([]byte, 32)
	copy(head, "DKIF")
	head[6] = 32
	copy(head[8:], "VP80")
	binary.LittleEndian.PutUint16(head[12:], uint16(c.W))
	binary.LittleEndian.PutUint16(head[14:], uint16(c.H))
	head[16], head[20] = 60, 1
	for i, p := range payloads {
		head = binary.LittleEndian.AppendUint32(head, uint32(len(p)))
		head = binary.LittleEndian.AppendUint64(head, uint64(i))
		head = append(head, p...)
	}
	name := filepath.Join(t.TempDir(), "stream.ivf")
	if err := os.WriteFile(name, head, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestDecodersAgree checks that ffmpeg reconstructs every frame bit by bit as the encoder does.
func TestDecodersAgree(t *testing.T) {
	experiment.Skip(t)
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("ffmpeg is not installed")
	}
	for _, c := range []Config{
		{W: 192, H: 128, Quality: 10, KeyInterval: 30},
		{W: 192, H: 128, Quality: 24, KeyInterval: 60},
		{W: 210, H: 122, Quality: 60, KeyInterval: 7},
		{W: 64, H: 64, Quality: 127, KeyInterval: 60},
	} {
		payloads, luma := encodeAll(c, 60)
		out, err := exec.Command("ffmpeg", "-v", "error", "-nostdin", "-i", writeIVF(t, c, payloads), "-vf", "extractplanes=y", "-f", "rawvideo", "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		if want := bytes.Join(luma, nil); !bytes.Equal(out, want) {
			if len(out) != len(want) {
				t.Fatalf("%+v: %d bytes are decoded, want %d", c, len(out), len(want))
			}
			for i := range out {
				if out[i] != want[i] {
					t.Fatalf("%+v: frame %d differs at pixel %d", c, i/(c.W*c.H), i%(c.W*c.H))
				}
			}
		}
	}
}

// TestGoldenStream checks that a stream has the same bytes on every machine. A change of the encoder changes
// the hash.
func TestGoldenStream(t *testing.T) {
	payloads, _ := encodeAll(Config{W: 210, H: 122, Quality: 24, KeyInterval: 32}, 48)
	h := sha256.New()
	total := 0
	for _, p := range payloads {
		h.Write(p)
		total += len(p)
	}
	const want = "3f6cd6228903a82c"
	if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want {
		t.Errorf("hash %s of %d bytes, want %s", got, total, want)
	}
}

// TestStillPictureIsCheap checks that a picture that does not change takes next to nothing after its key frame.
func TestStillPictureIsCheap(t *testing.T) {
	e := NewEncoder(Config{W: 640, H: 360, Quality: 24, KeyInterval: 100})
	im := testPicture(640, 360, 0)
	for i := range 20 {
		data, key := e.Encode(nil, im)
		if key != (i == 0) {
			t.Errorf("frame %d: key %v", i, key)
		}
		if i > 0 && len(data) > 200 {
			t.Errorf("frame %d has %d bytes", i, len(data))
		}
	}
}

// TestEncodeAllocatesNothing checks that frames cost no memory once the first ones have been made.
func TestEncodeAllocatesNothing(t *testing.T) {
	e := NewEncoder(Config{W: 192, H: 128, Quality: 24, KeyInterval: 16})
	pictures := []*image.YCbCr{testPicture(192, 128, 0), testPicture(192, 128, 1), testPicture(192, 128, 42)}
	var data []byte
	i := 0
	encode := func() {
		data, _ = e.Encode(data[:0], pictures[i%len(pictures)])
		i++
	}
	for range 96 {
		encode()
	}
	if n := testing.AllocsPerRun(96, encode); n > 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// TestRefused checks that NewEncoder panics instead of writing a stream that no decoder reads.
func TestRefused(t *testing.T) {
	for _, c := range []Config{{0, 64, 24, 60}, {64, MaxSide + 1, 24, 60}, {64, 64, MaxQuality + 1, 60}, {64, 64, 24, 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is accepted", c)
				}
			}()
			NewEncoder(c)
		}()
	}
}

// TestBitCosts checks the lengths of bits: one bit at one half, and each halving of a probability one more.
func TestBitCosts(t *testing.T) {
	for p := 1; p <= 128; p++ {
		if d := bitCosts[p] - bitCosts[2*p]; d < 255 || d > 257 {
			t.Errorf("halving %d/256 costs %d/256 bits", 2*p, d)
		}
	}
	if bitCosts[128] != 256 || bitCosts[256] != 0 {
		t.Errorf("%d/256 bits for one half, %d for certainty", bitCosts[128], bitCosts[256])
	}
}

// TestFilter8 checks the filter of eight pixels against the plain formula.
func TestFilter8(t *testing.T) {
	seed := uint32(1)
	for k := range sixTaps {
		for round := range 2000 {
			var in [6][8]byte
			var words [6]uint64
			for i := range in {
				for j := range in[i] {
					seed = seed*1664525 + 1013904223
					if in[i][j] = byte(seed >> 24); round%2 == 0 { // extremes
						in[i][j] = byte(int32(seed) >> 31)
					}
				}
				words[i] = word(in[i][:])
			}
			got := filter8(words[0], words[1], words[2], words[3], words[4], words[5], &sixTaps[k])
			for j := range 8 {
				sum := int32(64)
				for i, sign := range [6]int32{1, -1, 1, 1, -1, 1} {
					sum += sign * int32(sixTaps[k][i]) * int32(in[i][j])
				}
				if want := clamp8(sum >> 7); byte(got>>(8*j)) != want {
					t.Fatalf("filter %d of %v, pixel %d: %d, want %d", k, in, j, byte(got>>(8*j)), want)
				}
			}
		}
	}
}

// TestQuietBlocks checks that a block whose differences are below the quantiser's limit has no coefficient but the
// first, and that the sums of its differences give that one.
func TestQuietBlocks(t *testing.T) {
	seed := uint32(1)
	random := func(n uint32) uint32 {
		seed = seed*1664525 + 1013904223
		return (seed >> 8) % n
	}
	quiet := 0
	for index := 0; index <= MaxQuality; index += 3 {
		q := newQuantisers(index, roundInter)
		for range 300 {
			var source, predicted [4 * 8]byte
			most := 2 + random(2*uint32(q.luma.quiet)/16+2)
			for i := range source {
				predicted[i] = byte(random(256))
				source[i] = byte(min(uint32(predicted[i])+random(most)*random(2), 255))
			}
			size, sum := pairDifferences(source[:], predicted[:], 8)
			for k := range size {
				var coefs [16]int32
				forwardDCT(source[4*k:], 8, predicted[4*k:], 8, &coefs)
				if got := firstCoefficient(sum[k]); got != coefs[0] {
					t.Fatalf("first coefficient %d, want %d", got, coefs[0])
				}
				if size[k] >= q.luma.quiet {
					continue
				}
				quiet++
				var b, short block
				if q.luma.quantise(&coefs, 1, &b); b.end > 0 {
					t.Fatalf("index %d: differences of %d are below %d, but leave %v", index, size[k], q.luma.quiet, b.levels)
				}
				q.chroma.quantise(&coefs, 0, &b)
				q.chroma.quantiseFirst(coefs[0], &short)
				if b.end != short.end || b.levels[0] != short.levels[0] || b.coefs[0] != short.coefs[0] {
					t.Fatalf("index %d: %d becomes %+v, want %+v", index, coefs[0], short, b)
				}
			}
		}
	}
	if quiet < 1000 {
		t.Errorf("%d blocks are below the limit", quiet)
	}
	// The largest coefficients: differences along the steepest waves of the transform.
	q := newQuantisers(60, roundInter)
	for wave := range 16 {
		for size := range int32(60) {
			var source, predicted [4 * 8]byte
			for i := range 16 {
				predicted[i>>2<<3|i&3] = 128
				signs := [4][4]int32{{1, 1, 1, 1}, {1, 0, 0, -1}, {1, -1, -1, 1}, {0, 1, -1, 0}}
				source[i>>2<<3|i&3] = byte(128 + 2*size*signs[wave>>2][i>>2]*signs[wave&3][i&3])
			}
			sizes, _ := pairDifferences(source[:], predicted[:], 8)
			var coefs [16]int32
			var b block
			forwardDCT(source[:], 8, predicted[:], 8, &coefs)
			if q.luma.quantise(&coefs, 1, &b); sizes[0] < q.luma.quiet && b.end > 0 {
				t.Errorf("wave %d: differences of %d leave %v", wave, sizes[0], b.levels)
			}
		}
	}
}
