// Package assets embeds the program's data: shaders, fonts, tapes, traces, comparisons and presets. It
// has no code.
package assets

import "embed"

// Tapes are the built-in tapes, tapes/NAME.tape. Their first comment describes them.
//
//go:embed tapes/*.tape
var Tapes embed.FS

// Traces are the built-in traces of a link, traces/NAME.csv. They are synthetic and written by
// go generate; the comments in each name the measurements that it imitates.
//
//go:embed traces/*.csv
var Traces embed.FS

// Comparisons are the built-in comparisons, comparisons/NN-TOPIC.toml, read by ui/plan.
//
//go:embed comparisons/*.toml
var Comparisons embed.FS

// Lessons are the lessons of the tour, lessons/NN-NAME.toml, read by ui/plan.
//
//go:embed lessons/*.toml
var Lessons embed.FS

// Presets are the presets, presets/NAME.toml, read by ui/plan.
//
//go:embed presets/*.toml
var Presets embed.FS

// Terms lists the words of the field and what they are called here, read by ui/plan.
//
//go:embed terms.toml
var Terms []byte

// Shaders are the Kage shaders of render/gpu, shaders/NAME.kage.
//
//go:embed shaders/*.kage
var Shaders embed.FS

// FontImage is the glyph atlas: the coverage of every glyph of the Go fonts (by Bigelow &
// Holmes, under the licence of the Go project), as a grey PNG.
//
//go:embed font/font.png
var FontImage []byte

// FontTable describes the glyph atlas: for each face and size a line "face number size ascent
// descent", and then a line for each glyph with its code point, its place and size in the
// image, its offset from the pen, and its advance. Ascent, descent and advance are in 1/64
// pixels.
//
//go:embed font/font.txt
var FontTable string

//go:generate go run ./make/tapes
//go:generate go run ./make/traces
//go:generate go run ./make/font
