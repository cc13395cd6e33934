package cli

import (
	"path/filepath"
	"regexp"
	"strings"
)

var frameNumberPattern = regexp.MustCompile(`[-_ ]?%\d*d`)

// tapePath returns the name of the tape beside a video.
func tapePath(video string) string {
	folder, name := filepath.Split(video)
	name = frameNumberPattern.ReplaceAllString(strings.TrimSuffix(name, filepath.Ext(name)), "")
	if name == "" {
		name = "session"
	}
	return folder + name + ".tape"
}
