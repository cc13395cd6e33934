// Package webm writes WebM files with one track of video. The file is playable at any time: what has been
// written plays up to the last second, also if it is never closed.
package webm

import (
	"encoding/binary"
	"io"
	"math"
)

// File is what a video is written to; an *os.File is one.
type File interface {
	io.WriterAt
	Truncate(size int64) error
}

// Track describes the video.
type Track struct {
	Codec string // V_VP8
	W, H  int    // pixels
	FPS   int    // frames per second
	App   string // the program that writes the file
}

// Writer writes a video. After its first error it writes no more frames, and the file ends with the last whole
// second.
type Writer struct {
	file   File
	track  Track
	size   int64 // of the whole parts of the file
	err    error
	frames int // added
	saved  int // frames in the file

	cluster      []byte // the cluster that is being collected, at most a second
	clusterStart int    // frame
	cues         []cue

	segment, seekHead, duration int64 // places in the file
}

// cue is the place of a key frame.
type cue struct {
	ms     int
	offset int64 // of its cluster, from the start of the segment
}

// Identifiers of elements, as the Matroska specification (RFC 9559) lists them.
const (
	idEBML            = 0x1A45DFA3
	idEBMLVersion     = 0x4286
	idEBMLReadVersion = 0x42F7
	idMaxIDLength     = 0x42F2
	idMaxSizeLength   = 0x42F3
	idDocType         = 0x4282
	idDocTypeVersion  = 0x4287
	idDocTypeRead     = 0x4285
	idVoid            = 0xEC

	idSegment      = 0x18538067
	idSeekHead     = 0x114D9B74
	idSeek         = 0x4DBB
	idSeekID       = 0x53AB
	idSeekPosition = 0x53AC

	idInfo           = 0x1549A966
	idTimestampScale = 0x2AD7B1
	idDuration       = 0x4489
	idMuxingApp      = 0x4D80
	idWritingApp     = 0x5741

	idTracks          = 0x1654AE6B
	idTrackEntry      = 0xAE
	idTrackNumber     = 0xD7
	idTrackUID        = 0x73C5
	idTrackType       = 0x83
	idFlagLacing      = 0x9C
	idCodecID         = 0x86
	idDefaultDuration = 0x23E383
	idVideo           = 0xE0
	idPixelWidth      = 0xB0
	idPixelHeight     = 0xBA
	idColour          = 0x55B0
	idMatrix          = 0x55B1
	idRange           = 0x55B9
	idTransfer        = 0x55BA
	idPrimaries       = 0x55BB

	idCluster     = 0x1F43B675
	idTimestamp   = 0xE7
	idSimpleBlock = 0xA3

	idCues            = 0x1C53BB6B
	idCuePoint        = 0xBB
	idCueTime         = 0xB3
	idCueTrack        = 0xF7
	idCueClusterPos   = 0xF1
	idCueTrackPos     = 0xB7
	seekHeadRoom      = 128               // bytes
	unknownSize       = 1<<56 - 1         // of a segment that has not ended
	clusterHeaderSize = 4 + 8 + 1 + 1 + 8 // identifier and size of the cluster, and its timestamp
)

// NewWriter starts a file.
func NewWriter(file File, t Track) (*Writer, error) {
	w := &Writer{file: file, track: t}
	head := element(idEBML,
		number(idEBMLVersion, 1), number(idEBMLReadVersion, 1), number(idMaxIDLength, 4), number(idMaxSizeLength, 8),
		text(idDocType, "webm"), number(idDocTypeVersion, 4), number(idDocTypeRead, 2))
	head = append(appendID(head, idSegment), sizeField(unknownSize)...)
	w.segment = int64(len(head))
	w.seekHead = w.segment
	info := element(idInfo, number(idTimestampScale, 1e6), text(idMuxingApp, t.App), text(idWritingApp, t.App),
		element(idDuration, make([]byte, 8)))
	w.duration = w.segment + seekHeadRoom + int64(len(info)) - 8
	tracks := element(idTracks, element(idTrackEntry,
		number(idTrackNumber, 1), number(idTrackUID, 1), number(idTrackType, 1), number(idFlagLacing, 0),
		text(idCodecID, t.Codec), number(idDefaultDuration, uint64(1e9/t.FPS)),
		element(idVideo, number(idPixelWidth, uint64(t.W)), number(idPixelHeight, uint64(t.H)),
			// BT.601 in limited range, as VP8 has it; transfer and primaries are those of BT.709, which
			// are sRGB's.
			element(idColour, number(idMatrix, 6), number(idRange, 1), number(idTransfer, 1), number(idPrimaries, 1)))))
	head = append(head, seekHead(int64(len(info)), 0)...)
	head = append(append(head, info...), tracks...)
	w.append(head)
	return w, w.err
}

// seekHead returns the table of the parts of the segment. cues is the offset of the cues; 0: there are none yet.
func seekHead(infoSize, cues int64) []byte {
	entry := func(id uint32, offset int64) []byte {
		return element(idSeek, element(idSeekID, appendID(nil, id)), number(idSeekPosition, uint64(offset)))
	}
	parts := [][]byte{entry(idInfo, seekHeadRoom), entry(idTracks, seekHeadRoom+infoSize)}
	if cues > 0 {
		parts = append(parts, entry(idCues, cues))
	}
	head := element(idSeekHead, parts...)
	return append(head, element(idVoid, make([]byte, seekHeadRoom-len(head)-2))...)
}

// ms returns the time of a frame in milliseconds.
func (w *Writer) ms(frame int) int { return (frame*1000 + w.track.FPS/2) / w.track.FPS }

// Frame adds a frame. The file gets it with the others of its second. data belongs to the caller.
func (w *Writer) Frame(data []byte, key bool) error {
	if w.err != nil {
		return w.err
	}
	now := w.ms(w.frames)
	if len(w.cluster) > 0 && (key || now-w.ms(w.clusterStart) >= 1000) {
		w.flush()
	}
	if len(w.cluster) == 0 {
		w.clusterStart = w.frames
		w.cluster = append(w.cluster, make([]byte, clusterHeaderSize)...)
		if key {
			w.cues = append(w.cues, cue{now, w.size - w.segment})
		}
	}
	flags, after := byte(0), now-w.ms(w.clusterStart)
	if key {
		flags = 0x80
	}
	w.cluster = appendID(w.cluster, idSimpleBlock)
	w.cluster = binary.BigEndian.AppendUint64(w.cluster, uint64(len(data)+4)|1<<56)
	w.cluster = append(w.cluster, 0x81, byte(after>>8), byte(after), flags)
	w.cluster = append(w.cluster, data...)
	w.frames++
	return w.err
}

// flush writes the cluster and notes the duration so far.
func (w *Writer) flush() {
	if len(w.cluster) == 0 || w.err != nil {
		return
	}
	h := appendID(w.cluster[:0], idCluster)
	h = binary.BigEndian.AppendUint64(h, uint64(len(w.cluster)-12)|1<<56)
	h = append(h, idTimestamp, 0x88)
	binary.BigEndian.AppendUint64(h, uint64(w.ms(w.clusterStart)))
	w.append(w.cluster)
	w.cluster = w.cluster[:0]
	if w.err == nil {
		w.saved = w.frames
		w.writeDuration()
	}
}

// append appends a whole part to the file, or removes the part of it that was written.
func (w *Writer) append(b []byte) {
	if w.err != nil {
		return
	}
	if _, w.err = w.file.WriteAt(b, w.size); w.err != nil {
		w.file.Truncate(w.size) // if that fails, players ignore the part
		return
	}
	w.size += int64(len(b))
}

// overwrite changes bytes.
func (w *Writer) overwrite(b []byte, at int64) {
	if _, err := w.file.WriteAt(b, at); w.err == nil {
		w.err = err
	}
}

// writeDuration writes the duration of the frames in the file.
func (w *Writer) writeDuration() {
	milliseconds := float64(w.saved) * 1000 / float64(w.track.FPS)
	w.overwrite(binary.BigEndian.AppendUint64(nil, math.Float64bits(milliseconds)), w.duration)
}

// Saved returns the number of frames that the file has. Those of the present second are not among them.
func (w *Writer) Saved() int { return w.saved }

// Close writes the rest of the frames and the table of key frames, and ends the segment. It does not close the
// file.
func (w *Writer) Close() error {
	w.flush()
	failed := w.err
	var points [][]byte
	for _, c := range w.cues {
		if c.offset < w.size-w.segment {
			points = append(points, element(idCuePoint, number(idCueTime, uint64(c.ms)),
				element(idCueTrackPos, number(idCueTrack, 1), number(idCueClusterPos, uint64(c.offset)))))
		}
	}
	w.err = nil // with a full disk there may be room for the cues, after the last part was taken away
	at := w.size
	if len(points) > 0 {
		w.append(element(idCues, points...))
		if w.err == nil {
			infoSize := w.duration + 8 - w.segment - seekHeadRoom
			w.overwrite(seekHead(infoSize, at-w.segment), w.seekHead)
		}
	}
	w.overwrite(sizeField(uint64(w.size-w.segment)), w.segment-8)
	if failed != nil {
		w.err = failed
	}
	return w.err
}

// appendID appends an identifier, which contains its own length.
func appendID(dst []byte, id uint32) []byte {
	for shift := 24; shift >= 0; shift -= 8 {
		if b := id >> shift; b != 0 {
			dst = append(dst, byte(b))
		}
	}
	return dst
}

// sizeField returns a size in eight bytes.
func sizeField(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n|1<<56) }

// element returns an element with a body.
func element(id uint32, body ...[]byte) []byte {
	n := 0
	for _, b := range body {
		n += len(b)
	}
	e := appendID(nil, id)
	if n < 127 {
		e = append(e, byte(0x80|n))
	} else {
		e = append(e, sizeField(uint64(n))...)
	}
	for _, b := range body {
		e = append(e, b...)
	}
	return e
}

// number returns an element with an unsigned integer.
func number(id uint32, v uint64) []byte {
	b := binary.BigEndian.AppendUint64(nil, v)
	for len(b) > 1 && b[0] == 0 {
		b = b[1:]
	}
	return element(id, b)
}

// text returns an element with a text.
func text(id uint32, s string) []byte { return element(id, []byte(s)) }
