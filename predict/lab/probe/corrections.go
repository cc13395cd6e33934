package probe

import (
	"time"

	"ghostcube/predict"
	"ghostcube/sim"
)

// MaxCorrections is the number of corrections that a pane remembers: the newest ones.
const MaxCorrections = 4096

// Correction is a correction that a client made, and when.
type Correction struct {
	predict.Correction
	Client      int           // index of the client
	SessionTick sim.Tick      // tick of the session in which it was made
	Sent        time.Duration // session time at which its packet was sent; -1: no longer known
	LostBefore  int           // packets missing directly before its packet: lost, or late; at most packet.MaxMissing
	Fault       string        // the forced fault since the client's previous correction; empty: none
}

// Corrections are the corrections of a pane. The zero value is empty.
type Corrections struct{ Log[Correction] }

// Add appends a correction.
func (c *Corrections) Add(x Correction) { c.add(x, MaxCorrections) }
