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

// progress is a progress bar with the remaining time. It prints to a terminal only. Several
// goroutines may call increment.
type progress struct {
	out       io.Writer
	label     string
	total     int
	terminal  bool
	now       func() time.Duration // nil: the remaining time is not shown
	share     func(float64)        // nil: nobody else waits
	startedAt time.Duration

	mu        sync.Mutex
	completed int
	lastLine  string
}

// newProgress returns a progress bar of total steps.
func (p *program) newProgress(label string, total int) *progress {
	b := &progress{out: p.Stderr, label: label, total: max(total, 1), now: p.Now, share: p.Progress, terminal: isTerminal(p.Stderr)}
	if b.now != nil {
		b.startedAt = b.now()
	}
	return b
}

// isTerminal reports whether what is written appears on a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// set sets the number of completed steps.
func (p *progress) set(n int) {
	if p.share != nil && n*100/p.total != p.completed*100/p.total {
		p.share(float64(n) / float64(p.total))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.completed = n
	p.draw()
}

// increment completes one step.
func (p *progress) increment() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.completed++
	p.draw()
}

func (p *progress) draw() {
	if !p.terminal {
		return
	}
	if line := p.line(); line != p.lastLine {
		p.lastLine = line
		fmt.Fprintf(p.out, "\r%s\x1b[K", line)
	}
}

// line returns the text of the bar.
func (p *progress) line() string {
	const width = 40
	percent := p.completed * 100 / p.total
	filled := percent * width / 100
	return fmt.Sprintf("%-12s [%s%s] %3d %%", p.label, strings.Repeat("=", filled), strings.Repeat(" ", width-filled), percent) + p.left()
}

// timeLeft returns the estimate of the remaining time after a comma, or nothing while it is too early for one.
func (p *progress) timeLeft() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left()
}

func (p *progress) left() string {
	if p.now == nil || p.completed == 0 {
		return ""
	}
	passed := p.now() - p.startedAt
	if passed < time.Second {
		return ""
	}
	left := time.Duration(float64(passed) * float64(p.total-p.completed) / float64(p.completed))
	return ", " + left.Round(time.Second).String() + " left"
}

// finish clears the bar.
func (p *progress) finish() {
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
