// Package assets holds what is built into the program: shaders, letters,
// example tapes and traces. It is data and nothing else.
package assets

import "embed"

// Tapes are the example tapes, tapes/NAME.tape. The first remark in each says
// what it is good for.
//
//go:embed tapes/*.tape
var Tapes embed.FS

// Traces are the example traces of a link, traces/NAME.csv. They are synthetic:
// the remarks in each say after whose figures, and go generate makes them.
//
//go:embed traces/*.csv
var Traces embed.FS

// Shaders are what the graphics card runs, shaders/NAME.kage.
//
//go:embed shaders/*.kage
var Shaders embed.FS

// FontImage is the letters of the Go fonts (by Bigelow & Holmes, under the
// licence of the Go project), each as how much it covers, in a PNG of greys.
//
//go:embed font/font.png
var FontImage []byte

// FontTable says where in the image each letter is: for each face and size a
// line "face number size ascent descent", and then for each letter its code,
// its place and size in the image, its offset from the pen, and the way to the
// next letter in 1/64 pixels.
//
//go:embed font/font.txt
var FontTable string

//go:generate go run ./make/tapes
//go:generate go run ./make/traces
//go:generate go run ./make/font
