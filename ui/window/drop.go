package window

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
)

// drop reads the files that are dropped onto the window.
type drop struct {
	read chan droppedFile // nil: none is being read
}

// droppedFile is a file that has been read.
type droppedFile struct {
	name string
	text []byte
	err  error
}

// dropKinds are the kinds of files that can be dropped, with their largest sizes in bytes.
var dropKinds = map[string]int64{".tape": 16 << 20, ".toml": 64 << 10, ".csv": 4 << 20}

// maxTraceText is the length of the longest trace that a tape can hold, in characters.
const maxTraceText = 30_000

// takeDropped takes the files that have been dropped since the last Update. A page delivers their contents later, so
// they are read beside the session.
func (g *game) takeDropped() {
	d := &g.drop
	if files := ebiten.DroppedFiles(); files != nil && d.read == nil {
		d.read = make(chan droppedFile, 1)
		go func() { d.read <- readDropped(files) }()
	}
	select {
	case f := <-d.read:
		d.read = nil
		g.useDropped(f)
	default:
	}
}

// readDropped reads the first of the dropped files whose kind is known.
func readDropped(files fs.FS) (f droppedFile) {
	list, err := fs.ReadDir(files, ".")
	if err != nil || len(list) == 0 {
		f.err = fmt.Errorf("the dropped file cannot be read: %v", err)
		return f
	}
	for _, entry := range list {
		if limit := dropKinds[kindOf(entry.Name())]; limit > 0 && !entry.IsDir() {
			f.name = entry.Name()
			f.text, f.err = readBounded(files, f.name, limit)
			return f
		}
	}
	f.name = list[0].Name()
	f.err = fmt.Errorf("%s: want a tape (.tape), a settings file (.toml) or a trace (.csv)", f.name)
	return f
}

// kindOf returns the ending of a file's name.
func kindOf(name string) string { return strings.ToLower(path.Ext(name)) }

// readBounded reads a file that has at most limit bytes.
func readBounded(files fs.FS, name string, limit int64) ([]byte, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s: it has more than %d kB", name, limit>>10)
	}
	return text, err
}

// useDropped starts the session of a dropped tape or settings file, or sets the trace of the link. A bad file becomes
// a notice.
func (g *game) useDropped(f droppedFile) {
	err := f.err
	if err == nil {
		switch kindOf(f.name) {
		case ".tape":
			err = g.startDroppedTape(f)
		case ".toml":
			err = g.startDroppedSettings(f)
		case ".csv":
			err = g.setDroppedTrace(f)
		}
	}
	if err != nil {
		g.notices.post(err.Error())
	}
}

func (g *game) startDroppedTape(f droppedFile) error {
	before := g.Library.Dropped
	g.Library.Dropped = map[string][]byte{f.name: f.text}
	p, err := g.Library.New(plan.Settings{Tape: f.name}, plan.Settings{}, "")
	if err != nil {
		g.Library.Dropped = before
		return err
	}
	g.next = p
	g.notices.post("the session of " + f.name)
	return nil
}

func (g *game) startDroppedSettings(f droppedFile) error {
	s, err := g.Library.ReadSettings(f.name, f.text)
	if err != nil {
		return err
	}
	p, err := g.Library.New(s, plan.Settings{}, "")
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	g.next = p
	g.notices.post("the session of " + f.name)
	return nil
}

func (g *game) setDroppedTrace(f droppedFile) error {
	t, err := link.ReadTrace(bytes.NewReader(f.text))
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	if n := len(t.String()); n > maxTraceText {
		return fmt.Errorf("%s: the trace has %d characters as a tape has it: want at most %d", f.name, n, maxTraceText)
	}
	g.execute(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "trace", Value: t.String()})
	g.notices.post("the link has the delays and losses of " + f.name)
	return nil
}
