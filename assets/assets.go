// Package assets contains the files that are built into the program: shaders, a font, example tapes and
// network traces. It has no code.
package assets

import "embed"

// Tapes are the example tapes, tapes/NAME.tape. The first comment in each is its description.
//
//go:embed tapes/*.tape
var Tapes embed.FS

// Traces are the example network traces, traces/NAME.csv. They are synthetic and made by go generate; the
// comments in each name the measurements that they imitate.
//
//go:embed traces/*.csv
var Traces embed.FS

// Comparisons are the comparisons, comparisons/NN-TOPIC.toml.
//
//go:embed comparisons/*.toml
var Comparisons embed.FS

// Shaders are the Kage shaders of render/gpu, shaders/NAME.kage.
//
//go:embed shaders/*.kage
var Shaders embed.FS

// FontImage is a grey PNG with the letters of the Go fonts (by Bigelow & Holmes, under the licence of the Go
// project). Grey is the coverage of a pixel.
//
//go:embed font/font.png
var FontImage []byte

// FontTable locates the letters in FontImage: for each face and size a line "face number size ascent descent",
// followed by a line for each letter with its code point, position and size in the image, offset from the pen,
// and advance in 1/64 pixels.
//
//go:embed font/font.txt
var FontTable string

//go:generate go run ./make/tapes
//go:generate go run ./make/traces
//go:generate go run ./make/font
