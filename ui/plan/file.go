package plan

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Largest sizes in bytes of the files that a user names.
const (
	maxSettingsFile = 64 << 10
	maxTapeFile     = 128 << 20
	maxTraceFile    = 4 << 20
)

// OpenFile opens a file that a user names and that may have at most limit bytes, so that nothing is read for ever. It may
// be a pipe, such as /dev/stdin. A folder, or a device such as /dev/zero, is refused.
func OpenFile(name string, limit int64) (io.ReadCloser, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil: // os.Open says why
	case info.IsDir():
		return nil, fmt.Errorf("%s: it is a folder: want a file or a pipe", name)
	case info.Mode()&fs.ModeDevice != 0:
		return nil, fmt.Errorf("%s: it is a device: want a file or a pipe", name)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s: %w", name, tooLong(limit))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &boundedFile{f, limit, tooLong(limit)}, nil
}

// ReadFile reads a file that OpenFile opens.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, err := OpenFile(name, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if _, ok := err.(tooLong); ok {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return text, err
}

// tooLong is the error of a file with more bytes than this limit.
type tooLong int64

func (t tooLong) Error() string {
	if t < 1<<20 {
		return fmt.Sprintf("it has more than %d kB, the largest size", t>>10)
	}
	return fmt.Sprintf("it has more than %d MB, the largest size", t>>20)
}

// boundedFile is a file that can be read up to a number of bytes.
type boundedFile struct {
	*os.File
	left    int64 // bytes
	tooLong error // of more
}

func (f *boundedFile) Read(b []byte) (int, error) {
	if f.left < 0 {
		return 0, f.tooLong
	}
	n, err := f.File.Read(b[:min(int64(len(b)), f.left+1)])
	if f.left -= int64(n); f.left < 0 {
		return 0, f.tooLong
	}
	return n, err
}
