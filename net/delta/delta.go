// Package delta writes how many cubes look, frame by frame, in fewer and fewer
// bits: the ladder of Fiedler's Snapshot Compression (2015), rung by rung, then
// the reference program of the public challenge that he set the same year, then
// an arithmetic coder that expects each cube where its motion leads. A Level is a
// rung. A Writer and a Reader are the two ends of a wire on which packets get
// lost; a Codec is one frame, without them.
//
// From level ChangedBits on a frame is written relative to a base: one that the
// reader is known to have. What both ends know is a Past, and in it they must be
// equal, to the bit. So all arithmetic is in whole numbers, or in floats that no
// machine fuses and of which only the operations of package geom are used.
//
// The package knows frames of whole numbers only: no world, no strategy, no
// clock. Bytes that come from a network are untrusted: a reader returns an error
// and changes nothing that a later packet needs.
package delta

import "errors"

// baseline is what writer and reader share when a frame is coded: frames that the
// reader is known to have, and what was learned up to the base. All frames of a
// wire have the same number of cubes.
type baseline struct {
	cubes []Cube // the newest; nil: none
	age   int    // ticks from the base to the frame, 1 or more

	olderCubes []Cube // before the base; nil: none
	olderGap   int    // ticks from it to the base, 1 or more

	// model is what was learned up to and with the base; nil: nothing. Only
	// level Arithmetic asks for it.
	model *motionModel
}

// The reasons for which a packet is refused, besides those of packages quant
// and entropy.
var (
	ErrTrailingBytes = errors.New("delta: bytes are left over")
	ErrNoBaseline    = errors.New("delta: relative to a frame that is not there")
	ErrStale         = errors.New("delta: a packet that is here already, or as old as the oldest that is kept")
	ErrHeader        = errors.New("delta: no packet: its head is impossible")
	ErrOrientation   = errors.New("delta: not a rotation")
)
