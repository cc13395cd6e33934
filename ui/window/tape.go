package window

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
)

// sessionTape writes the tape of a running session. It writes to the file once a second, so a session that
// crashes leaves a tape that lacks a second at most, under its temporary name.
type sessionTape struct {
	file       *atomicfile.File // nil: it could not be created
	writer     *tape.Writer
	tickCount  int
	finalCheck *tape.HashCheck // of the last tick, if commands have been applied since
	failed     bool            // writing has failed; nothing more is written
}

// newSessionTape creates the file, and its folder if there is none. It replaces no file. On an error it returns a tape that writes nothing.
func newSessionTape(name, version string, c lab.Config, open []string) (*sessionTape, error) {
	unwritten := &sessionTape{failed: true}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return unwritten, err
	}
	f, err := atomicfile.CreateUnnamed(name, nil)
	if err != nil {
		return unwritten, err
	}
	return &sessionTape{file: f, writer: tape.NewWriter(f, version, c, open)}, nil
}

// add appends the entry of a tick, which l has just made if checked. Only the first failure is returned.
func (t *sessionTape) add(e lab.Entry, l *lab.Lab, rate int, checked bool) error {
	if t.failed {
		return nil
	}
	t.writer.Add(e)
	t.finalCheck = nil
	if t.tickCount++; !tape.HashCheckDue(t.tickCount, rate) {
		return nil
	}
	if checked {
		t.writer.HashCheck(tape.NewHashCheck(l))
	}
	err := t.writer.Flush()
	t.failed = err != nil
	return err
}

// saveFinalCheck stores the hashes of l before the first command after a tick changes them.
func (t *sessionTape) saveFinalCheck(l *lab.Lab) {
	if t.finalCheck == nil {
		t.finalCheck = tape.NewHashCheck(l)
	}
}

// soFar returns the tape as if the session ended now: l is at its last tick, or reviews its past.
func (t *sessionTape) soFar(l *lab.Lab) ([]byte, error) {
	if t.failed {
		return nil, errors.New("it could not be written")
	}
	t.saveFinalCheck(l)
	if err := t.writer.Flush(); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(t.file.Part())
	return append(b, t.writer.Ending(t.finalCheck)...), err
}

// close writes the last hashes and the end of the tape, and gives the file its name. It returns that name, or the
// temporary one of a tape that could not be written to its end; empty: there is none.
func (t *sessionTape) close(l *lab.Lab) (name string, err error) {
	if t.file == nil {
		return "", nil
	}
	if !t.failed {
		t.saveFinalCheck(l)
		t.writer.HashCheck(t.finalCheck)
		if err = t.writer.Close(); err == nil {
			err = atomicfile.Commit(t.file)
			return t.file.Name(), err
		}
	}
	if info, failed := os.Stat(t.file.Part()); failed == nil && info.Size() > 0 {
		return t.file.Part(), errors.Join(err, t.file.Leave())
	}
	return "", errors.Join(err, t.file.Discard())
}

// endSession stops the recording of a video and closes the tape of the session.
func (g *game) endSession() error {
	if g.videos.recording() {
		g.toggleRecording()
	}
	t := g.sessionTape
	if t == nil {
		return nil
	}
	g.sessionTape = nil
	if g.inPage { // nobody can get at it any more
		return t.file.Discard()
	}
	name, err := t.close(g.lab)
	if name != "" {
		fmt.Fprintf(os.Stdout, "session tape: %s\n", name)
	}
	return err
}

// writeTape appends an entry to the session's tape. The first one creates the file. A tape that cannot be
// written becomes a notice, and the session goes on without it. checked says that the lab is after the entry, so that
// the tape can have its hash. An embedded session has no tape.
func (g *game) writeTape(e lab.Entry, checked bool) {
	if g.Embed {
		return
	}
	var err error
	if g.sessionTape == nil {
		g.sessionTape, err = newSessionTape(g.unusedFilename("session", ".tape"), g.Version, g.plan.Config, g.plan.Panes)
	}
	if err == nil {
		err = g.sessionTape.add(e, g.lab, g.plan.Config.Rate, checked)
	}
	if err != nil {
		text := "the session has no tape: " + err.Error()
		g.notices.post(text)
		fmt.Fprintln(os.Stderr, "ghostcube: "+text)
	}
}

// unusedFilename returns a name in the output folder, made of kind, the present time and the extension ext,
// for which there is neither a file nor a video to be written. Names that differ only in their extension
// count as used.
func (g *game) unusedFilename(kind, ext string) string {
	first := filepath.Join(g.OutDir, kind+"-"+time.Now().Format("20060102-150405"))
	name := first
	for i := 2; ; i++ {
		if used, err := filepath.Glob(name + ".*"); err != nil || len(used) == 0 && !g.videos.hasFile(name+ext) {
			return name + ext
		}
		name = fmt.Sprintf("%s-%d", first, i)
	}
}
