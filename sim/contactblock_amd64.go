package sim

// hasBlocks says that this processor computes blocks of contacts.
const hasBlocks = true

// aligned reports whether the blocks lie at addresses that are multiples of 16, as the instructions need.
//
//go:noescape
func aligned(blocks []contactBlock) bool

// warmStartBlocks is warmStartContacts for blocks.
//
//go:noescape
func warmStartBlocks(blocks []contactBlock, bodies []solverBody)

// solveBlocks is solveContacts for blocks.
//
//go:noescape
func solveBlocks(blocks []contactBlock, bodies []solverBody, invH, minBias float32, first bool)

// relaxBlocks is relaxContacts for blocks.
//
//go:noescape
func relaxBlocks(blocks []contactBlock, bodies []solverBody, invH float32)
