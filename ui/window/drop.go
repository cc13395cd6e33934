package window

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/ui/session"
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
		if f.err != nil {
			g.session.Notices.Post(f.err.Error())
		} else {
			g.session.Files.Use(f.name, f.text)
		}
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
		if limit := dropKinds[session.FileKind(entry.Name())]; limit > 0 && !entry.IsDir() {
			f.name = entry.Name()
			f.text, f.err = readBounded(files, f.name, limit)
			return f
		}
	}
	f.name = list[0].Name()
	f.err = fmt.Errorf("%s: want a tape (.tape), a settings file (.toml) or a trace (.csv)", f.name)
	return f
}

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
