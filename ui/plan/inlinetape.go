package plan

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"ghostcube/predict/lab/tape"
)

// inlinePrefix begins a tape that stands for itself instead of a name: its text, compressed by DEFLATE with the
// dictionary below, in base64url without padding.
const inlinePrefix = "deflate:"

// tapeDictionary is what tapes have in common, the most frequent last. Links that exist need it as it is.
const tapeDictionary = `
relative historyoffset animated noprediction redundant=off snapshot-every= contact-order=reordered interpolation=linear statesync lockstep snapshot
! close 1 - -
! open all - -
! desync all - -
! seat all host -
! scene all katamari -
! seed all - 1
! restart all - -
! blackout all - 1s
! freeze all - 2s
! network all - wifi-bad
! set all smoothing none
! switch 1 - snapshot
! condition all down.loss 0.05
! condition all up.latency 75ms
! condition all jitter 10ms
! focus 2 - -
! nudge all x 1
1 SA@64
1 SD@192
1 UZE@32
1 WA@128
1 WDU*2048-30
2 WU
3 U
4 S
12 D
15 WD
20 A
30 W
ghostcube tape 2
version 0.1.0
scene zen
rate 60
seat client
seed 1
network latency=75ms,jitter=10ms,loss=0.25,burst=
pane rewind:smoothing=
---
60
end `

// Bounds of a tape that stands for itself.
const (
	maxInlineText = 1 << 20 // bytes of its text

	// MaxTapeLink is the length of the longest link with a tape in it, in characters. Servers refuse longer lines.
	MaxTapeLink = 8000
)

// InlineTape returns the setting that stands for a tape, which is its text as tape.Writer writes it.
func InlineTape(text []byte) (string, error) {
	if len(text) > maxInlineText {
		return "", fmt.Errorf("the tape has %d bytes: a link holds at most %d; send the file instead", len(text), maxInlineText)
	}
	var b bytes.Buffer
	w, err := flate.NewWriterDict(&b, flate.BestCompression, []byte(tapeDictionary))
	if err != nil {
		return "", err
	}
	if _, err := w.Write(text); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return inlinePrefix + base64.RawURLEncoding.EncodeToString(b.Bytes()), nil
}

// expandTape returns the text of a tape that stands for itself.
func expandTape(setting string) ([]byte, error) {
	damaged := errors.New("in the link: it is damaged or cut off: want DEFLATE data as base64url")
	packed, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimPrefix(setting, inlinePrefix))
	if err != nil {
		return nil, damaged
	}
	text, err := io.ReadAll(io.LimitReader(flate.NewReaderDict(bytes.NewReader(packed), []byte(tapeDictionary)), maxInlineText+1))
	if len(text) > maxInlineText {
		return nil, fmt.Errorf("in the link: its text is longer than %d bytes", maxInlineText)
	}
	if err != nil {
		return nil, damaged
	}
	return text, nil
}

// TapeTitle returns a tape as texts name it: its name, or where it is if it stands for itself.
func TapeTitle(name string) string {
	if strings.HasPrefix(name, inlinePrefix) {
		return "in the link"
	}
	return name
}

// PortableTape returns the setting of a tape that means the same everywhere: the name of a built-in one as it is, and
// any other tape itself, without its hashes.
func (l *Library) PortableTape(name string) (string, error) { return l.portableTape(name, 0) }

// portableTape is PortableTape for the first seconds of a tape; 0: for all of it.
func (l *Library) portableTape(name string, seconds float64) (string, error) {
	if _, dropped := l.Dropped[name]; !dropped && !isFile(name) || strings.HasPrefix(name, inlinePrefix) {
		return name, nil
	}
	t, err := l.ReadTape(name)
	if err != nil {
		return "", err
	}
	entries := t.Entries
	if n := seconds * float64(t.Config.Rate); seconds > 0 && n < float64(len(entries)) {
		entries = entries[:max(int(n), 1)]
	}
	var text bytes.Buffer
	w := tape.NewWriter(&text, t.Version, t.Config, t.Panes)
	for _, e := range entries {
		w.Add(e)
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return InlineTape(text.Bytes())
}
