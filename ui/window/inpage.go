package window

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/ui/platform"
	"ghostcube/ui/timeline"
)

// pageBudget is the memory in bytes for checkpoints of the past in a page. A browser lets a page have less than a desktop
// lets a program, on a phone some hundred megabytes in all.
const pageBudget = 96 << 20

// memoryLimit returns the memory in bytes from which the garbage collector should work harder.
func (g *game) memoryLimit() int64 {
	if g.Embed {
		return embedMemory
	}
	if g.inPage {
		return 2 * pageBudget
	}
	return timeline.MemoryLimit
}

// pauseHidden pauses a session whose tab was hidden for some time; the header says so. A browser calls no Update
// meanwhile.
func (g *game) pauseHidden(away time.Duration) {
	if away == 0 {
		return
	}
	// The time that has passed belongs neither to the session nor to the measures of the machine.
	g.screen.ticksSince, g.screen.tickStart, g.screen.pace.last, g.screen.realTime = time.Time{}, time.Time{}, time.Time{}, realTime{}
	g.accumulator = 0
	if g.paused || g.lab.Ticks() == 0 {
		return
	}
	g.paused = true
	g.away = max(away.Round(time.Second), time.Second)
}

// tapeSoFar returns the tape of the session as if it ended now.
func (g *game) tapeSoFar() ([]byte, error) {
	if g.sessionTape == nil {
		return nil, errors.New("the session has made no tick yet")
	}
	return g.sessionTape.soFar(g.lab)
}

// deliverTape hands the tape of the session so far to the user.
func (g *game) deliverTape() {
	b, err := g.tapeSoFar()
	if err == nil {
		err = g.deliver("tape", ".tape", b)
	}
	if err != nil {
		g.notices.post("there is no tape: " + err.Error())
	}
}

// writeUnnamed writes a file that replaces none, and its folder if there is none. It returns the name that the file got.
func writeUnnamed(name string, b []byte) (string, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return name, err
	}
	f, err := atomicfile.CreateUnnamed(name, nil)
	if err == nil {
		err = f.Fill(func(w io.Writer) error { _, err := w.Write(b); return err })
	}
	if err != nil {
		return name, err
	}
	err = atomicfile.Commit(f)
	return f.Name(), err
}

// deliver hands a new file to the user.
func (g *game) deliver(kind, ext string, b []byte) error {
	name, err := writeUnnamed(g.unusedFilename(kind, ext), b)
	if err != nil {
		return err
	}
	g.notices.post(kind + ": " + platform.Deliver(name))
	return nil
}

// reports makes the reports of sessions by another copy of the program, which runs the session's tape.
type reports struct {
	finished chan report // nil: none is being made
}

// report is a finished report.
type report struct {
	file string
	err  error
}

// start starts a report of the session so far: its scores, as the command play prints them.
func (r *reports) start(g *game) {
	if r.finished != nil {
		g.notices.post("a report is being made")
		return
	}
	b, err := g.tapeSoFar()
	if err != nil {
		g.notices.post("there is no report: " + err.Error())
		return
	}
	finished, name := make(chan report, 1), g.unusedFilename("report", ".json")
	r.finished = finished
	go func() {
		output, _, err := platform.Run([]string{"play", videoTape, "--format", "json"}, map[string][]byte{videoTape: b}, "", func(float64) {})
		if err == nil {
			name, err = writeUnnamed(name, []byte(output+"\n"))
		}
		finished <- report{name, err}
	}()
	g.notices.post("the report is being made")
}

// poll delivers a finished report and returns a message, or an empty text.
func (r *reports) poll() string {
	if r.finished == nil {
		return ""
	}
	select {
	case x := <-r.finished:
		r.finished = nil
		if x.err != nil {
			return "the report failed: " + x.err.Error()
		}
		return "report: " + platform.Deliver(x.file)
	default:
		return ""
	}
}
