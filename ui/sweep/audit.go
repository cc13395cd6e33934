package sweep

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Audit decides which results of workers go into a store. A worker is not trusted: a share of its results, drawn when
// they are here and its first one among them, is computed by the sweep itself as well and compared, bit by bit. What else it
// has sent is stored after such a check has passed. A worker that was wrong once is believed nothing: all its cells are
// computed again, and stored results that differ are withdrawn. A cell for which two workers have sent different results is
// computed as well, to find the wrong one.
//
// The caller computes the cells that Next returns, and passes them to Computed.
type Audit struct {
	store  *Store
	share  float64        // of results that are checked, in [0, 1]; 0: all workers are trusted
	random func() float64 // in [0, 1)

	cells   map[string]*auditedCell // by key
	workers map[string]*auditedWorker
	wanted  []string // keys of cells to be computed that nobody computes yet
	due     int      // cells to be computed, wanted or begun
	open    int      // cells without a result
	stored  int
	lies    []Lie
}

// auditedCell is a cell whose results are audited.
type auditedCell struct {
	claims []claim
	limit  int   // results of its worker that a passed check of this cell vouches for
	asked  bool  // it is to be computed, or was
	right  *Cell // as computed by the sweep; nil: not yet
	stored bool
}

// claim is the result that a worker has sent for a cell.
type claim struct {
	worker string
	sum    [sha256.Size]byte
	cell   *Cell // nil: no result at all, or stored
}

// auditedWorker is a worker that has sent something.
type auditedWorker struct {
	keys  []string // of cells that it was the first to send
	kept  int      // the first ones of keys are stored, or are computed
	wrong bool
}

// Lie is a wrong result.
type Lie struct {
	Worker, Key string
	Difference  string // from the right result
}

// NewAudit returns an audit of the cells with some keys, which the store lacks.
func NewAudit(store *Store, keys []string, share float64, random func() float64) *Audit {
	a := &Audit{store: store, share: share, random: random, cells: map[string]*auditedCell{}, workers: map[string]*auditedWorker{}}
	for _, key := range keys {
		a.cells[key] = &auditedCell{}
	}
	a.open = len(a.cells)
	return a
}

// sumOfCell returns the checksum by which two results are compared. All bits of all values go into it.
func sumOfCell(c *Cell) (sum [sha256.Size]byte) {
	if c == nil {
		return sum
	}
	text, err := c.Line()
	if err != nil {
		return sum
	}
	return sha256.Sum256(text)
}

// Result takes the result of a worker for a cell; c is nil if it has sent nothing that can be read.
func (a *Audit) Result(worker, key string, c *Cell) error {
	x := a.cells[key]
	if x == nil {
		return nil // of another sweep
	}
	w := a.workers[worker]
	if w == nil {
		w = &auditedWorker{}
		a.workers[worker] = w
	}
	got := claim{worker, sumOfCell(c), c}
	if slices.ContainsFunc(x.claims, func(o claim) bool { return o.worker == worker && o.sum == got.sum }) {
		return nil // a message that came twice
	}
	x.claims = append(x.claims, got)
	switch {
	case x.right != nil:
		a.judge(x, &got)
	case len(x.claims) > 1:
		if got.sum != x.claims[0].sum {
			a.want(key)
		}
	default:
		if !x.asked {
			a.open--
		}
		w.keys = append(w.keys, key)
		switch {
		case c == nil || w.wrong || a.share > 0 && len(w.keys) == 1 || a.random() < a.share:
			x.limit = len(w.keys)
			a.want(key)
		case a.share == 0:
			return a.keep(w, len(w.keys))
		}
	}
	return nil
}

// want has a cell computed by the sweep.
func (a *Audit) want(key string) {
	x := a.cells[key]
	if x.asked {
		return
	}
	if len(x.claims) == 0 {
		a.open--
	}
	x.asked = true
	a.due++
	a.wanted = append(a.wanted, key)
}

// Next returns a cell that the caller has to compute. It stays the next one until Begun.
func (a *Audit) Next() (key string, ok bool) {
	if len(a.wanted) == 0 {
		return "", false
	}
	return a.wanted[0], true
}

// Begun takes the next cell off the list.
func (a *Audit) Begun() { a.wanted = a.wanted[1:] }

// Computed takes the result of a cell that the caller has computed. It decides about all that workers have sent for it.
func (a *Audit) Computed(c *Cell) error {
	x := a.cells[c.Key]
	a.due--
	x.right = c
	sum := sumOfCell(c)
	if x.stored && len(x.claims) > 0 && x.claims[0].sum != sum {
		x.stored = false
		a.stored--
		if err := a.store.Withdraw(c.Key); err != nil {
			return err
		}
	}
	if err := a.add(x, c); err != nil {
		return err
	}
	for i := range x.claims {
		a.judge(x, &x.claims[i])
	}
	if len(x.claims) == 0 || x.claims[0].sum != sum {
		return nil
	}
	return a.keep(a.workers[x.claims[0].worker], x.limit)
}

// judge compares a claim with the right result. All cells of a worker that was wrong are computed anew.
func (a *Audit) judge(x *auditedCell, got *claim) {
	if got.sum == sumOfCell(x.right) {
		return
	}
	lie := Lie{got.worker, x.right.Key, "another one is right"}
	if got.cell != nil || got.sum == sumOfCell(nil) {
		lie.Difference = difference(got.cell, x.right)
	}
	a.lies = append(a.lies, lie)
	w := a.workers[got.worker]
	w.wrong = true
	for _, key := range w.keys {
		a.want(key)
	}
}

// keep stores the first results of a worker up to a number, but those that are being computed.
func (a *Audit) keep(w *auditedWorker, limit int) error {
	if w.wrong {
		return nil
	}
	for ; w.kept < limit; w.kept++ {
		x := a.cells[w.keys[w.kept]]
		if x.asked {
			continue
		}
		if err := a.add(x, x.claims[0].cell); err != nil {
			return err
		}
		x.claims[0].cell = nil
	}
	return nil
}

// add stores a result once.
func (a *Audit) add(x *auditedCell, c *Cell) error {
	if x.stored {
		return nil
	}
	x.stored = true
	a.stored++
	return a.store.Add(c)
}

// Settle draws the last checks when all results are here: one among the results of each worker that no check vouches for.
func (a *Audit) Settle() {
	if a.open > 0 || a.due > 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(a.workers)) {
		w := a.workers[name]
		var left []string
		for _, key := range w.keys[w.kept:] {
			if !a.cells[key].stored {
				left = append(left, key)
			}
		}
		if len(left) > 0 {
			key := left[int(a.random()*float64(len(left)))]
			a.cells[key].limit = len(w.keys)
			a.want(key)
		}
	}
}

// Lost has all cells computed of which there is no result. It returns their number.
func (a *Audit) Lost() (n int) {
	for _, key := range slices.Sorted(maps.Keys(a.cells)) {
		if x := a.cells[key]; len(x.claims) == 0 && !x.asked {
			a.want(key)
			n++
		}
	}
	return n
}

// Has reports whether there is a result of a cell.
func (a *Audit) Has(key string) bool { return a.cells[key] != nil && len(a.cells[key].claims) > 0 }

// Open returns the number of cells that wait for a worker.
func (a *Audit) Open() int { return a.open }

// Stored returns the number of cells that are stored.
func (a *Audit) Stored() int { return a.stored }

// Done reports whether all cells are stored, and all checks have ended.
func (a *Audit) Done() bool { return a.due == 0 && a.stored == len(a.cells) }

// Lies returns the wrong results, in the order in which they were found.
func (a *Audit) Lies() []Lie { return a.lies }

// difference says where a result differs from the right one.
func difference(theirs, right *Cell) string {
	if theirs == nil {
		return "it is not a result of this cell"
	}
	if theirs.Hash != right.Hash {
		return fmt.Sprintf("session_hash is %s, not %s", theirs.Hash, right.Hash)
	}
	for _, name := range slices.Sorted(maps.Keys(right.Values)) {
		switch v, ok := theirs.Values[name]; {
		case !ok:
			return name + " is missing"
		case v != right.Values[name]:
			return fmt.Sprintf("%s is %v, not %v", name, v, right.Values[name])
		}
	}
	return "it has values that there are not"
}

// Line returns the line of a store for a cell, without its end.
func (c *Cell) Line() ([]byte, error) {
	text, err := encode("cell", c)
	if err != nil {
		return nil, err
	}
	return text[:len(text)-1], nil
}

// ParseCell reads a line of a store that comes from elsewhere. It has to be, to the byte, what Line writes, with values in
// columns that there are.
func ParseCell(text []byte, columns func(name string) bool) (*Cell, error) {
	c := &Cell{}
	l, ok := decode(text)
	if !ok || l.Kind != "cell" {
		return nil, errors.New("no line of a cell, or a damaged one")
	}
	if err := json.Unmarshal(l.Body, c); err != nil {
		return nil, err
	}
	for name := range c.Values {
		if !columns(name) {
			return nil, fmt.Errorf("no column %q", name)
		}
	}
	if again, err := c.Line(); err != nil || string(again) != string(text) {
		return nil, errors.New("not as a cell is written")
	}
	return c, nil
}
