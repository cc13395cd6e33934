package command

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// progress is a bar on a terminal, and nothing where there is none but a line
// when it is done.
type progress struct {
	out   io.Writer
	what  string
	total int
	shown int // per cent
	live  bool
}

func newProgress(out io.Writer, what string, total int) *progress {
	f, ok := out.(*os.File)
	return &progress{out: out, what: what, total: max(total, 1), shown: -1, live: ok && term.IsTerminal(int(f.Fd()))}
}

// at says how far the work has come.
func (p *progress) at(n int) {
	percent := n * 100 / p.total
	if !p.live || percent == p.shown {
		return
	}
	p.shown = percent
	const width = 40
	filled := percent * width / 100
	fmt.Fprintf(p.out, "\r%-12s [%s%s] %3d %%", p.what, strings.Repeat("=", filled), strings.Repeat(" ", width-filled), percent)
}

// done clears the bar.
func (p *progress) done() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
