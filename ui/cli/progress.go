package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress is a bar on a terminal with the time that is left, and nothing where
// there is none but a line when it is done. Several may work on what it shows.
type progress struct {
	out   io.Writer
	what  string
	total int
	live  bool
	now   func() time.Duration // nil: no time is told
	began time.Duration

	lock  sync.Mutex
	made  int
	shown string
}

// newProgress returns the bar of a work of total steps.
func (p *program) newProgress(what string, total int) *progress {
	f, ok := p.Stderr.(*os.File)
	b := &progress{out: p.Stderr, what: what, total: max(total, 1), now: p.Now, live: ok && term.IsTerminal(int(f.Fd()))}
	if b.now != nil {
		b.began = b.now()
	}
	return b
}

// at says how far the work has come.
func (p *progress) at(n int) {
	if !p.live {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.made = n
	p.show()
}

// step says that the work has come one step farther.
func (p *progress) step() {
	if !p.live {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.made++
	p.show()
}

func (p *progress) show() {
	if line := p.line(); line != p.shown {
		p.shown = line
		fmt.Fprintf(p.out, "\r%s\x1b[K", line)
	}
}

// line is what the bar shows now.
func (p *progress) line() string {
	const width = 40
	percent := p.made * 100 / p.total
	filled := percent * width / 100
	s := fmt.Sprintf("%-12s [%s%s] %3d %%", p.what, strings.Repeat("=", filled), strings.Repeat(" ", width-filled), percent)
	if p.now == nil || p.made == 0 {
		return s
	}
	passed := p.now() - p.began
	if passed < time.Second { // too early to tell
		return s
	}
	left := time.Duration(float64(passed) * float64(p.total-p.made) / float64(p.made))
	return s + ", " + left.Round(time.Second).String() + " left"
}

// done clears the bar.
func (p *progress) done() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
