// Package delta compresses snapshots of cubes, relative to an earlier snapshot that the
// reader has. Each Level is one step of Fiedler's Snapshot Compression (2015); then
// come the reference program of the public challenge of the same year, and an
// arithmetic coder that predicts each cube from its motion. A Writer and a Reader are
// the two ends of a connection that loses packets.
//
// From level ChangedBits on a snapshot is coded relative to a baseline. What both ends
// know of it must be equal bit for bit, so all arithmetic is in integers, or in unfused
// floats with the operations of package geom.
//
// The package knows snapshots of integers only: no world, no strategy, no clock. Bytes
// from the network are untrusted: a Reader returns an error for a malformed packet and
// keeps what later packets need.
package delta

import "errors"

// baseline is what writer and reader share when a snapshot is coded: earlier snapshots,
// and the model learned up to the newest of them. All snapshots of a connection have
// the same number of cubes.
type baseline struct {
	cubes []Cube // newest known snapshot; nil: none
	age   int    // ticks from cubes to the snapshot coded, at least 1

	olderCubes []Cube // known snapshot before cubes; nil: none
	olderGap   int    // ticks from olderCubes to cubes, at least 1

	// model was learned up to and including cubes; nil: nothing was. Only level
	// Arithmetic uses it.
	model *motionModel
}

// Reasons for rejecting a packet, besides those of packages quant and entropy.
var (
	ErrTrailingBytes = errors.New("delta: trailing bytes")
	ErrNoBaseline    = errors.New("delta: baseline not available")
	ErrStale         = errors.New("delta: duplicate packet, or older than the stored ones")
	ErrHeader        = errors.New("delta: malformed header")
	ErrOrientation   = errors.New("delta: not a rotation")
)
