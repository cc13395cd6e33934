//go:build !js || headless

package cli

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"

	"ghostcube/net/quant"
)

// indexScheme encodes which objects out of n are in a packet: a strictly increasing list of indices.
type indexScheme struct {
	name, doc string
	code      func(c *quant.Coder, list []int, n int) []int
}

// indexSchemes are those of the articles, and the shorter of two for each packet.
var indexSchemes = []indexScheme{
	{"bitmap", "one bit per object", (*quant.Coder).Bitmap},
	{"absolute", "their number, and each index in full", absoluteIndices},
	{"relative", "distances up to 8 in 4 bits, up to 40 in 7 (Snapshot Compression)", relativeIndices(&quant.SnapshotIndexBuckets)},
	{"relative-dense", "distances of 1 in 1 bit, up to 125 in 4 to 12 (Serialization Strategies)", relativeIndices(&quant.DenseIndexBuckets)},
	{"shorter", "bitmap or relative, and a bit that says which", shorterIndices(&quant.SnapshotIndexBuckets)},
	{"shorter-dense", "bitmap or relative-dense, and a bit that says which", shorterIndices(&quant.DenseIndexBuckets)},
}

func absoluteIndices(c *quant.Coder, list []int, n int) []int {
	count := c.Int(len(list), 0, n)
	if c.Reading() {
		list = make([]int, count)
	}
	for i := range list {
		list[i] = c.Int(list[i], 0, n-1)
	}
	return list
}

func relativeIndices(s *quant.IndexBuckets) func(*quant.Coder, []int, int) []int {
	return func(c *quant.Coder, list []int, n int) []int { return c.Indices(list, n, s) }
}

func shorterIndices(s *quant.IndexBuckets) func(*quant.Coder, []int, int) []int {
	return func(c *quant.Coder, list []int, n int) []int { return c.Subset(list, n, s) }
}

// measure returns the bits that a list takes. It is an error if the list is decoded differently.
func (s *indexScheme) measure(list []int, n int) (bits int, err error) {
	var c quant.Coder
	c.BeginWrite(make([]byte, 8*(n/2+16))) // more than any scheme needs
	s.code(&c, list, n)
	bits = c.BitsProcessed()
	payload := c.FinishWrite()
	c.BeginRead(payload)
	if got := s.code(&c, nil, n); c.Err() != nil || !slices.Equal(got, list) {
		return 0, fmt.Errorf("%s: %d indices of %d are decoded differently: %w", s.name, len(list), n, c.Err())
	}
	return bits, nil
}

// indexTotals sums the bits of the lists of a recording, by scheme.
type indexTotals [6]struct{ sum, max int }

// add adds a list.
func (t *indexTotals) add(list []int, n int) error {
	for i := range indexSchemes {
		bits, err := indexSchemes[i].measure(list, n)
		if err != nil {
			return err
		}
		t[i].sum += bits
		t[i].max = max(t[i].max, bits)
	}
	return nil
}

// print prints the totals of some snapshots and indices.
func (t *indexTotals) print(out io.Writer, snapshots, indices int) error {
	fmt.Fprintf(out, "\nWhich of %d cubes have changed:\n\n", challengeCubes)
	table := newTextTable(out)
	table.row("INDICES", "BITS/SNAPSHOT", "MAX BITS", "BITS/INDEX", "KBIT/S AT 60 HZ", "DESCRIPTION")
	for i, s := range indexSchemes {
		mean, each := float64(t[i].sum)/float64(snapshots), "-"
		if indices > 0 {
			each = fixed(float64(t[i].sum)/float64(indices), 2)
		}
		table.row(s.name, fixed(mean, 1), strconv.Itoa(t[i].max), each, fixed(mean*challengeRate/1000, 2), s.doc)
	}
	return table.close()
}

// The article's example: a packet of some out of 4000 objects.
const (
	exampleObjects = 4000
	exampleLists   = 100 // random lists for each number of indices
)

var exampleCounts = []int{1, 10, 50, 100, 200, 500, 1000, 2000}

// printIndexExample prints the bits of lists of random indices out of 4000.
func (p *program) printIndexExample() error {
	fmt.Fprintf(p.Stdout, "Bits of a list of some out of %d objects, mean of %d random lists, all decoded correctly:\n\n", exampleObjects, exampleLists)
	t := newTextTable(p.Stdout)
	header := []string{"INDICES"}
	for _, count := range exampleCounts {
		header = append(header, strconv.Itoa(count))
	}
	t.row(append(header, "DESCRIPTION")...)
	for i := range indexSchemes {
		s := &indexSchemes[i]
		row := []string{s.name}
		for _, count := range exampleCounts {
			sum := 0
			for k := range exampleLists {
				list := rand.New(rand.NewPCG(uint64(count), uint64(k))).Perm(exampleObjects)[:count]
				slices.Sort(list)
				bits, err := s.measure(list, exampleObjects)
				if err != nil {
					return err
				}
				sum += bits
			}
			row = append(row, fixed(float64(sum)/exampleLists, 0))
		}
		t.row(append(row, s.doc)...)
	}
	return t.close()
}
