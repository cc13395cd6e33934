package probe

// Log remembers the newest entries of a list and counts all of them. Entries are numbered
// from 0 in the order in which they are added. The zero value is empty.
type Log[T any] struct {
	ring  []T
	total int
}

// Total returns the number of entries that were added, including those that are forgotten.
func (l *Log[T]) Total() int { return l.total }

// FirstIndex returns the number of the oldest entry that is remembered. Entries FirstIndex
// to Total-1 are remembered.
func (l *Log[T]) FirstIndex() int { return l.total - len(l.ring) }

// At returns entry n, for reading; n is in [FirstIndex, Total).
func (l *Log[T]) At(n int) *T {
	if n < l.FirstIndex() || n >= l.total {
		panic("probe: the entry is not remembered")
	}
	return &l.ring[n%len(l.ring)]
}

// Last returns the newest entry, for reading, or nil if there is none.
func (l *Log[T]) Last() *T {
	if l.total == 0 {
		return nil
	}
	return l.At(l.total - 1)
}

// add appends an entry. Beyond limit entries it overwrites the oldest one.
func (l *Log[T]) add(x T, limit int) {
	if len(l.ring) < limit {
		l.ring = append(l.ring, x)
	} else {
		l.ring[l.total%limit] = x
	}
	l.total++
}

// CopyFrom makes l an equal of o that shares no memory with it.
func (l *Log[T]) CopyFrom(o *Log[T]) { l.ring, l.total = append(l.ring[:0], o.ring...), o.total }
