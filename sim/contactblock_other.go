//go:build !amd64

package sim

// hasBlocks says that this processor computes blocks of contacts.
const hasBlocks = false

func aligned([]contactBlock) bool { return false }

func warmStartBlocks([]contactBlock, []solverBody) {}

func solveBlocks([]contactBlock, []solverBody, float32, float32, bool) {}

func relaxBlocks([]contactBlock, []solverBody, float32) {}
