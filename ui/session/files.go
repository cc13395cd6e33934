package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
)

// Files are the files that a session reads and writes, apart from its tape and its videos.
type Files struct{ session *Session }

// Folders of the saved sessions, in the output folder. Sessions are saved in the first, and also read from the second, in
// which earlier versions saved them.
const (
	savedFolder   = "sessions"
	earlierFolder = "presets"
)

// savedFile returns the file of a saved session in a folder.
func (f *Files) savedFile(folder, name string) string {
	return filepath.Join(f.session.OutDir, folder, name+".toml")
}

// SaveHelp says where a saved session goes.
func (f *Files) SaveHelp() string {
	if f.session.Platform.InPage {
		return "Keep the session's settings in this browser."
	}
	return "Write the session's settings to " + filepath.ToSlash(f.savedFile(savedFolder, "NAME")) + "."
}

// SavedSessions returns the names of the saved sessions, sorted. The list is not nil.
func (f *Files) SavedSessions() []string {
	list := []string{}
	for _, folder := range []string{savedFolder, earlierFolder} {
		files, err := filepath.Glob(f.savedFile(folder, "*"))
		if err != nil { // the output folder is a bad pattern, so nothing is listed
			return list
		}
		for _, f := range files {
			if !atomicfile.IsPart(f) {
				list = append(list, strings.TrimSuffix(filepath.Base(f), ".toml"))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// SaveSession writes the session's settings to the file of the typed name.
func (f *Files) SaveSession(typed string) {
	s := f.session
	name := f.savedFile(savedFolder, typed)
	text, err := s.settings().TOML()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o777)
	}
	if err == nil {
		err = atomicfile.WriteFile(name, text)
	}
	if err == nil {
		err = s.Platform.Keep(name)
	}
	if err != nil {
		s.Notices.Post("the session was not saved: " + err.Error())
		return
	}
	if s.Platform.InPage {
		s.Notices.Post("saved session: " + typed + ", kept in this browser")
		return
	}
	s.Notices.Post("saved session: " + filepath.ToSlash(name))
}

// LoadSession plans a saved session, which StartNext starts.
func (f *Files) LoadSession(name string) {
	s := f.session
	file := f.savedFile(savedFolder, name)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		file = f.savedFile(earlierFolder, name)
	}
	settings, err := s.Library.ReadSettingsFile(file)
	if err != nil {
		s.Notices.Post(err.Error())
		return
	}
	p, err := s.Library.New(settings, plan.Settings{}, "")
	if err != nil {
		s.Notices.Post(filepath.Base(file) + ": " + err.Error())
		return
	}
	s.Next = p
}

// DeliverSettings hands a file of the session's settings to the user.
func (f *Files) DeliverSettings() {
	text, err := f.session.settings().TOML()
	if err == nil {
		err = f.deliver("settings", ".toml", text)
	}
	if err != nil {
		f.session.Notices.Post("there are no settings: " + err.Error())
	}
}

// tapeSoFar returns the tape of the session as if it ended now.
func (f *Files) tapeSoFar() ([]byte, error) {
	s := f.session
	if s.Remote != nil {
		return nil, errors.New("the server runs in another process; join --capture records the client")
	}
	if s.Plan.Happened() {
		return nil, plan.ErrHappened
	}
	if s.tape == nil {
		return nil, errors.New("the session has made no tick yet")
	}
	return s.tape.soFar()
}

// DeliverTape hands the tape of the session so far to the user.
func (f *Files) DeliverTape() {
	b, err := f.tapeSoFar()
	if err == nil {
		err = f.deliver("tape", ".tape", b)
	}
	if err != nil {
		f.session.Notices.Post("there is no tape: " + err.Error())
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
func (f *Files) deliver(kind, ext string, b []byte) error {
	s := f.session
	name, err := writeUnnamed(f.UnusedName(kind, ext), b)
	if err != nil {
		return err
	}
	s.Notices.Post(kind + ": " + s.Platform.Deliver(name))
	return nil
}

// maxTraceText is the length of the longest trace that a tape can hold, in characters.
const maxTraceText = 30_000

// Use starts the session of a dropped tape or settings file, or sets the trace of the link. A bad file becomes
// a notice.
func (f *Files) Use(name string, text []byte) {
	var err error
	switch FileKind(name) {
	case ".tape":
		err = f.startTape(name, text)
	case ".toml":
		err = f.startSettings(name, text)
	case ".csv":
		err = f.setTrace(name, text)
	}
	if err != nil {
		f.session.Notices.Post(err.Error())
	}
}

func (f *Files) startTape(name string, text []byte) error {
	s := f.session
	before := s.Library.Dropped
	s.Library.Dropped = map[string][]byte{name: text}
	p, err := s.Library.New(plan.Settings{Tape: name}, plan.Settings{}, "")
	if err != nil {
		s.Library.Dropped = before
		return err
	}
	s.Next = p
	s.Notices.Post("the session of " + name)
	return nil
}

func (f *Files) startSettings(name string, text []byte) error {
	s := f.session
	settings, err := s.Library.ReadSettings(name, text)
	if err != nil {
		return err
	}
	p, err := s.Library.New(settings, plan.Settings{}, "")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.Next = p
	s.Notices.Post("the session of " + name)
	return nil
}

func (f *Files) setTrace(name string, text []byte) error {
	s := f.session
	t, err := link.ReadTrace(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if n := len(t.String()); n > maxTraceText {
		return fmt.Errorf("%s: the trace has %d characters as a tape has it: want at most %d", name, n, maxTraceText)
	}
	if s.Do(lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "trace", Value: t.String()}) {
		s.Notices.Post("the link has the delays and losses of " + name)
	}
	return nil
}

// FileKind returns the ending of a file's name.
func FileKind(name string) string { return strings.ToLower(path.Ext(name)) }

// UnusedName returns a name in the output folder, made of kind, the present time and the extension ext,
// for which there is neither a file nor a video to be written. Names that differ only in their extension
// count as used.
func (f *Files) UnusedName(kind, ext string) string {
	s := f.session
	first := filepath.Join(s.OutDir, kind+"-"+time.Now().Format("20060102-150405"))
	name := first
	for i := 2; ; i++ {
		if used, err := filepath.Glob(name + ".*"); err != nil || len(used) == 0 && !s.Videos.hasFile(name+ext) {
			return name + ext
		}
		name = fmt.Sprintf("%s-%d", first, i)
	}
}
