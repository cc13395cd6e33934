package recorder

import (
	"encoding/json"
	"fmt"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// Heading is the title of a session, and the panes that it calls the best. A page gives it as a text to the copy of the program
// that writes its videos, which knows only the session's tape.
type Heading struct {
	Title string
	Best  *stage.Best // nil: none
}

// String returns the heading as ParseHeading takes it.
func (h Heading) String() string {
	b, err := json.Marshal(h)
	if err != nil {
		panic("recorder: a heading: " + err.Error())
	}
	return string(b)
}

// ParseHeading returns the heading of a text, or says what is wrong with it.
func ParseHeading(text string) (h Heading, err error) {
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return Heading{}, err
	}
	if h.Best != nil {
		for _, i := range h.Best.Panes {
			if i < 0 || i >= lab.MaxPanes {
				return Heading{}, fmt.Errorf("pane index %d: want 0 to %d", i, lab.MaxPanes-1)
			}
		}
	}
	return h, nil
}
