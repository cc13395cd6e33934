package stage

// Best says which panes of a session are the best by a headline, as its title claims. A claim holds from the first tick to the
// last, so that a pane is marked only while its value agrees.
type Best struct {
	Headline string // measure or counter
	Panes    []int  // their indices
	Counter  Better // of a counter; a measure has its own
}

// Better says which values of a counter are better.
type Better int8

// The directions of a counter.
const (
	Neither Better = iota
	Less
	More
)
