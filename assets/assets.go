// Package assets holds what is built into the program: example tapes. It is
// data and nothing else.
package assets

import "embed"

// Tapes are the example tapes, tapes/NAME.tape. The first remark in each says
// what it is good for.
//
//go:embed tapes/*.tape
var Tapes embed.FS

//go:generate go run tapes/make.go
