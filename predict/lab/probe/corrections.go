package probe

import (
	"time"

	"ghostcube/predict"
	"ghostcube/sim"
)

// MaxCorrections is how many corrections a pane remembers: the newest.
const MaxCorrections = 4096

// Correction is a correction that a client made, and when.
type Correction struct {
	predict.Correction
	Client      int
	SessionTick sim.Tick      // of the session, in which it was made
	Sent        time.Duration // when its packet was sent, in the session's time; -1: no longer known
}

// Corrections are those of a pane, in the order in which they were made. The
// zero value holds none.
type Corrections struct {
	ring  []Correction
	total int
}

// Total returns how many were made, whether they are remembered or not.
func (c *Corrections) Total() int { return c.total }

// FirstIndex returns the number of the oldest that is remembered. The very first of
// a pane has number 0, so they go from First to Total-1.
func (c *Corrections) FirstIndex() int { return c.total - len(c.ring) }

// At returns correction n, for reading; n is in [First, Total).
func (c *Corrections) At(n int) *Correction {
	if n < c.FirstIndex() || n >= c.total {
		panic("probe: a correction that is not remembered")
	}
	return &c.ring[n%MaxCorrections]
}

// Last returns the newest, for reading, or nil.
func (c *Corrections) Last() *Correction {
	if c.total == 0 {
		return nil
	}
	return c.At(c.total - 1)
}

// Add appends a correction.
func (c *Corrections) Add(x Correction) {
	if len(c.ring) < MaxCorrections {
		c.ring = append(c.ring, x)
	} else {
		c.ring[c.total%MaxCorrections] = x
	}
	c.total++
}

// CopyFrom makes c an equal of o that shares no memory with it.
func (c *Corrections) CopyFrom(o *Corrections) {
	c.ring, c.total = append(c.ring[:0], o.ring...), o.total
}
