// Package assets holds what is built into the program: shaders, letters,
// example tapes. It is data and nothing else.
package assets

import "embed"

// Tapes are the example tapes, tapes/NAME.tape. The first remark in each says
// what it is good for.
//
//go:embed tapes/*.tape
var Tapes embed.FS

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
//go:generate go run ./make/font
