package stage

// Best says which panes of a session are better than the others by a headline, as its title claims. They are marked only while
// their values agree.
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
