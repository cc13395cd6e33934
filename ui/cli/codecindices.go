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

// measureIndices returns the bits that a list takes. It is an error if the list is decoded differently.
func measureIndices(s quant.IndexEncoding, list []int, n int) (bits int, err error) {
	var c quant.Coder
	c.BeginWrite(make([]byte, 8*(n/2+16))) // more than any scheme needs
	s.Code(&c, list, n)
	bits = c.BitsProcessed()
	payload := c.FinishWrite()
	c.BeginRead(payload)
	if got := s.Code(&c, nil, n); c.Err() != nil || !slices.Equal(got, list) {
		return 0, fmt.Errorf("%v: %d indices of %d are decoded differently: %w", s, len(list), n, c.Err())
	}
	return bits, nil
}

// indexTotals sums the bits of the lists of a recording, by encoding.
type indexTotals [6]struct{ sum, max int }

// add adds a list.
func (t *indexTotals) add(list []int, n int) error {
	for i, s := range quant.IndexEncodings() {
		bits, err := measureIndices(s, list, n)
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
	for i, s := range quant.IndexEncodings() {
		mean, each := float64(t[i].sum)/float64(snapshots), "-"
		if indices > 0 {
			each = fixed(float64(t[i].sum)/float64(indices), 2)
		}
		table.row(s.String(), fixed(mean, 1), strconv.Itoa(t[i].max), each, fixed(mean*challengeRate/1000, 2), s.Doc())
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
	for _, s := range quant.IndexEncodings() {
		row := []string{s.String()}
		for _, count := range exampleCounts {
			sum := 0
			for k := range exampleLists {
				list := rand.New(rand.NewPCG(uint64(count), uint64(k))).Perm(exampleObjects)[:count]
				slices.Sort(list)
				bits, err := measureIndices(s, list, exampleObjects)
				if err != nil {
					return err
				}
				sum += bits
			}
			row = append(row, fixed(float64(sum)/exampleLists, 0))
		}
		t.row(append(row, s.Doc())...)
	}
	return t.close()
}
