package session

import (
	"slices"
	"time"
)

// Notices are short messages that disappear after a while.
type Notices struct {
	Clock func() time.Time // nil: the system's

	list []notice
}

type notice struct {
	text  string
	until time.Time // when it disappears
}

// noticeTime is the time for which a message stays, however many Updates the machine makes in it.
const noticeTime = 4 * time.Second

// now returns the present time.
func (n *Notices) now() time.Time {
	if n.Clock != nil {
		return n.Clock()
	}
	return time.Now()
}

// Post shows a message. One that repeats the newest only stays longer.
func (n *Notices) Post(text string) {
	if k := len(n.list); k > 0 && n.list[k-1].text == text {
		n.list[k-1].until = n.now().Add(noticeTime)
		return
	}
	n.list = append(n.list, notice{text, n.now().Add(noticeTime)})
	if len(n.list) > 4 {
		n.list = n.list[1:]
	}
}

// replace changes the text of a message that is still shown, which then stays for its whole time again.
func (n *Notices) replace(text, by string) {
	for i := range n.list {
		if n.list[i].text == text {
			n.list[i] = notice{by, n.now().Add(noticeTime)}
		}
	}
}

// Texts removes the messages whose time is over, and returns the others, the oldest first.
func (n *Notices) Texts() (list []string) {
	now := n.now()
	n.list = slices.DeleteFunc(n.list, func(x notice) bool { return !now.Before(x.until) })
	for _, x := range n.list {
		list = append(list, x.text)
	}
	return list
}
