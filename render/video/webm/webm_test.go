package webm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
	"testing"
)

// memory is a file with limited room, in bytes.
type memory struct {
	data []byte
	room int
}

var errFull = errors.New("no space left")

func (m *memory) WriteAt(b []byte, at int64) (int, error) {
	n := max(min(len(b), m.room-int(at)), 0)
	if more := int(at) + n - len(m.data); more > 0 {
		m.data = append(m.data, make([]byte, more)...)
	}
	copy(m.data[at:], b[:n])
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

func (m *memory) Truncate(size int64) error {
	m.data = m.data[:size]
	return nil
}

// node is an element of a file.
type node struct {
	id   uint32
	at   int // place of its identifier
	body []byte
	end  int
}

// children returns the elements of a body that begins at a place of the file.
func children(t *testing.T, body []byte, at int) (list []node) {
	t.Helper()
	for i := 0; i < len(body); {
		start := i
		n := bits.LeadingZeros8(body[i]) + 1
		id := uint32(0)
		for _, b := range body[i : i+n] {
			id = id<<8 | uint32(b)
		}
		i += n
		n = bits.LeadingZeros8(body[i]) + 1
		size := uint64(body[i]) & (1<<(8-n) - 1)
		for _, b := range body[i+1 : i+n] {
			size = size<<8 | uint64(b)
		}
		i += n
		if size == unknownSize {
			size = uint64(len(body) - i)
		}
		if i+int(size) > len(body) {
			t.Fatalf("element %x at %d ends at %d, beyond %d", id, at+start, at+i+int(size), at+len(body))
		}
		list = append(list, node{id, at + start, body[i : i+int(size)], at + i + int(size)})
		i += int(size)
	}
	return list
}

// find returns the elements with an identifier.
func find(list []node, id uint32) (found []node) {
	for _, n := range list {
		if n.id == id {
			found = append(found, n)
		}
	}
	return found
}

func (n *node) number() (v int) {
	for _, b := range n.body {
		v = v<<8 | int(b)
	}
	return v
}

func (n *node) children(t *testing.T) []node { return children(t, n.body, n.end-len(n.body)) }

// frameData returns the data of frame i.
func frameData(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 100+i) }

// write writes frames, with a key frame every keys frames, into a file with limited room.
func write(fps, frames, keys, room int) (*memory, *Writer, error) {
	m := &memory{room: room}
	w, err := NewWriter(m, Track{Codec: "V_VP8", W: 320, H: 180, FPS: fps, App: "test"})
	for i := 0; i < frames && err == nil; i++ {
		err = w.Frame(frameData(i), i%keys == 0)
	}
	return m, w, errors.Join(err, w.Close())
}

// TestStructure checks that every element ends where it says, that the table of parts and the cues point at what
// they name, and that all frames are there, with their times.
func TestStructure(t *testing.T) {
	for _, fps := range []int{24, 25, 30, 60, 240} {
		const frames, keys = 700, 130
		m, _, err := write(fps, frames, keys, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		top := children(t, m.data, 0)
		if len(top) != 2 || top[0].id != idEBML || top[1].id != idSegment {
			t.Fatalf("%v", top)
		}
		segment := &top[1]
		parts, start := segment.children(t), segment.end-len(segment.body)
		for _, seek := range find(parts[0].children(t), idSeek) {
			s := seek.children(t)
			id, at := uint32(s[0].number()), s[1].number()
			if !slices.ContainsFunc(parts, func(n node) bool { return n.id == id && n.at == start+at }) {
				t.Errorf("no element %x at %d", id, at)
			}
		}
		if n := len(find(parts[0].children(t), idSeek)); n != 3 {
			t.Errorf("%d entries in the table of parts", n)
		}
		info := find(parts, idInfo)
		duration := find(info[0].children(t), idDuration)
		if ms := math.Float64frombits(binary.BigEndian.Uint64(duration[0].body)); math.Abs(ms-frames*1000/float64(fps)) > 1e-6 {
			t.Errorf("duration %v ms at %d fps", ms, fps)
		}
		count := 0
		var keyTimes, keyClusters []int
		for _, c := range find(parts, idCluster) {
			list := c.children(t)
			timestamp := list[0].number()
			for k, block := range list[1:] {
				after := int(int16(binary.BigEndian.Uint16(block.body[1:])))
				if want := (count*1000 + fps/2) / fps; timestamp+after != want || after >= 1000 {
					t.Errorf("frame %d is at %d+%d ms, want %d", count, timestamp, after, want)
				}
				if key := block.body[3] == 0x80; key != (count%keys == 0) || key && k > 0 {
					t.Errorf("frame %d: key %v, number %d of its cluster", count, key, k)
				} else if key {
					keyTimes, keyClusters = append(keyTimes, timestamp), append(keyClusters, c.at-start)
				}
				if !bytes.Equal(block.body[4:], frameData(count)) {
					t.Errorf("frame %d has other data", count)
				}
				count++
			}
		}
		if count != frames {
			t.Errorf("%d frames", count)
		}
		for i, p := range find(parts, idCues)[0].children(t) {
			cue := p.children(t)
			place := cue[1].children(t)
			if cue[0].number() != keyTimes[i] || place[1].number() != keyClusters[i] {
				t.Errorf("cue %d: %d ms at %d, want %d at %d", i, cue[0].number(), place[1].number(), keyTimes[i], keyClusters[i])
			}
		}
	}
}

// TestFull checks that a file on a full disk has all whole seconds that fit, and that Frame and Close return the
// error.
func TestFull(t *testing.T) {
	whole, _, _ := write(30, 300, 90, 1<<30)
	for room := 400; room < len(whole.data)-100; room += 997 {
		m, w, err := write(30, 300, 90, room)
		if !errors.Is(err, errFull) {
			t.Fatalf("room for %d of %d bytes: %v", room, len(whole.data), err)
		}
		parts := children(t, m.data, 0)
		if len(parts) < 2 {
			t.Fatalf("room for %d bytes: %d parts", room, len(parts))
		}
		count := 0
		for _, c := range find(parts[1].children(t), idCluster) {
			count += len(find(c.children(t), idSimpleBlock))
		}
		if count != w.Saved() || count%30 != 0 {
			t.Errorf("room for %d bytes: %d frames, %d saved", room, count, w.Saved())
		}
		next := 0 // bytes of the next second
		for i := count; i < min(count+30, 300); i++ {
			next += len(frameData(i)) + 13
		}
		if room-len(m.data) > next+400 {
			t.Errorf("room for %d bytes: only %d are used, though the next second has %d", room, len(m.data), next)
		}
	}
}
