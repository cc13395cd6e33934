package trace

import (
	"bytes"
	"slices"
	"time"
)

// Flow is the recorded datagrams of one client in one direction, by the time of sending. They are
// numbered from 0 since the log's beginning, and keep their index; those from First to Total-1 are
// remembered. The zero value is empty.
type Flow struct {
	first, total int
	next         int      // index of the next datagram; below total in a session that runs again
	newestNumber uint32   // Number of record next-1
	ring         []Record // record i is at i modulo its length, a power of two

	// The bytes of the datagrams from firstKept to total-1.
	firstKept int
	bytes     []byte   // ring; its length is a power of two
	written   uint64   // bytes so far
	starts    []uint64 // by record, as ring: written before its bytes
}

// Least sizes of the rings.
const (
	minRecords = 1 << 8
	minBytes   = 1 << 14
)

// First returns the index of the oldest record.
func (f *Flow) First() int { return f.first }

// Total returns the index after the newest record: the number of datagrams since the log's beginning. In a
// session that runs again, the newest records are of moments that it has not reached again.
func (f *Flow) Total() int { return f.total }

// At returns record i, for reading; i is in [First, Total). It is valid until the next datagram is sent.
func (f *Flow) At(i int) *Record {
	if i < f.first || i >= f.total {
		panic("trace: the datagram is not remembered")
	}
	return f.slot(i)
}

// slot returns the place of record i.
func (f *Flow) slot(i int) *Record { return &f.ring[i&(len(f.ring)-1)] }

// Span returns the index of the first record that was sent at from or later, and that of the first one
// sent at to or later.
func (f *Flow) Span(from, to time.Duration) (first, end int) {
	return f.search(from), f.search(to)
}

// search returns the index of the first record sent at a time or later.
func (f *Flow) search(at time.Duration) int {
	low, high := f.first, f.total
	for low < high {
		middle := int(uint(low+high) >> 1)
		if f.slot(middle).SentAt < at {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Find returns the index of the newest datagram, sent by a time, of a packet with a sequence number (its low 16 bits). Of a
// packet in fragments it is the last one.
func (f *Flow) Find(sequence uint16, at time.Duration) (i int, ok bool) {
	for i = f.search(at+1) - 1; i >= f.first; i-- {
		if f.slot(i).Sequence == sequence {
			return i, true
		}
	}
	return 0, false
}

// PacketOf returns the indices of the remembered datagrams of the packet that datagram i belongs to.
func (f *Flow) PacketOf(i int) (first, end int) {
	r := f.At(i)
	first = max(i-int(r.FragmentID), f.first)
	return first, min(i-int(r.FragmentID)+int(r.LastFragment)+1, f.total)
}

// AppendBytes appends the bytes of datagram i to dst; ok is false if they are not kept any more.
func (f *Flow) AppendBytes(dst []byte, i int) (b []byte, ok bool) {
	if i < f.firstKept || i >= f.total {
		return dst, false
	}
	at := int(f.starts[i&(len(f.ring)-1)]) & (len(f.bytes) - 1)
	n := int(f.slot(i).Size)
	head := min(n, len(f.bytes)-at)
	dst = append(dst, f.bytes[at:at+head]...)
	return append(dst, f.bytes[:n-head]...), true
}

// add appends a record and the bytes of its datagram. In a session that runs again it only confirms a record
// that is the same as before; from one on that differs, the old records are forgotten.
func (f *Flow) add(r Record, datagram []byte) {
	if f.next < f.total {
		if f.slot(f.next).sameSending(&r) && f.sameBytes(f.next, datagram) {
			f.next, f.newestNumber = f.next+1, r.Number
			return
		}
		f.truncate()
	}
	f.makeRoom(r.SentAt)
	f.makeRoomForBytes(r.SentAt, len(datagram))
	i := f.total
	*f.slot(i) = r
	f.starts[i&(len(f.ring)-1)] = f.written
	at := int(f.written) & (len(f.bytes) - 1)
	copy(f.bytes, datagram[copy(f.bytes[at:], datagram):])
	f.written += uint64(len(datagram))
	f.total, f.next, f.newestNumber = i+1, i+1, r.Number
}

// sameBytes reports whether the bytes of datagram i, if they are still kept, are those.
func (f *Flow) sameBytes(i int, datagram []byte) bool {
	if i < f.firstKept {
		return true
	}
	at := int(f.starts[i&(len(f.ring)-1)]) & (len(f.bytes) - 1)
	head := min(len(datagram), len(f.bytes)-at)
	return bytes.Equal(f.bytes[at:at+head], datagram[:head]) && bytes.Equal(f.bytes[:len(datagram)-head], datagram[head:])
}

// rewind makes the datagram after those sent before a time the next one.
func (f *Flow) rewind(at time.Duration) {
	if f.next, f.newestNumber = f.search(at), 0; f.next > f.first {
		f.newestNumber = f.slot(f.next - 1).Number
	}
}

// truncate forgets the records from next on.
func (f *Flow) truncate() {
	if f.total = f.next; f.total >= f.firstKept {
		f.written = f.starts[f.total&(len(f.ring)-1)]
	} else {
		f.firstKept = f.total
	}
}

// makeRoom makes room for another record: it takes more memory while the oldest record is young, and otherwise drops that.
func (f *Flow) makeRoom(now time.Duration) {
	if n := len(f.ring); f.total-f.first < n {
		return
	} else if n < MaxRecords && (n == 0 || now-f.slot(f.first).SentAt < MaxAge) {
		larger, starts := make([]Record, max(2*n, minRecords)), make([]uint64, max(2*n, minRecords))
		for i := f.first; i < f.total; i++ {
			larger[i&(len(larger)-1)], starts[i&(len(larger)-1)] = f.ring[i&(n-1)], f.starts[i&(n-1)]
		}
		f.ring, f.starts = larger, starts
		return
	}
	f.first++
	f.firstKept = max(f.firstKept, f.first)
}

// makeRoomForBytes forgets the oldest bytes until there is room for more, unless they are young enough
// for more memory.
func (f *Flow) makeRoomForBytes(now time.Duration, more int) {
	for f.firstKept < f.total {
		used := int(f.written - f.starts[f.firstKept&(len(f.ring)-1)])
		if used+more <= len(f.bytes) {
			return
		}
		if len(f.bytes) < MaxBytes && now-f.slot(f.firstKept).SentAt < MaxAge {
			break
		}
		f.firstKept++
	}
	if f.firstKept == f.total && more <= len(f.bytes) {
		return
	}
	larger := make([]byte, max(2*len(f.bytes), minBytes))
	if n := len(f.bytes); n > 0 {
		for at := f.written - min(uint64(n), f.written); at < f.written; at++ {
			larger[at&uint64(len(larger)-1)] = f.bytes[at&uint64(n-1)]
		}
	}
	f.bytes = larger
}

// reset forgets all records and keeps their memory.
func (f *Flow) reset() {
	*f = Flow{ring: f.ring, starts: f.starts, bytes: f.bytes}
}

// copyFrom makes f an equal of o that shares no memory with it.
func (f *Flow) copyFrom(o *Flow) {
	*f = *o
	f.ring, f.starts, f.bytes = slices.Clone(o.ring), slices.Clone(o.starts), slices.Clone(o.bytes)
}
