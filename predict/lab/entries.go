package lab

// Entries are the entries of a session. Each is made when it is wanted, so a session of hours takes no memory for them.
type Entries struct {
	Count int
	At    func(i int) Entry // i is in [0, Count)
}

// EntriesOf returns the entries of a list.
func EntriesOf(list []Entry) Entries {
	return Entries{len(list), func(i int) Entry { return list[i] }}
}

// All returns all entries as a list.
func (e Entries) All() []Entry { return e.following(0, e.Count) }

// Following returns the entries from i on as a list, as far as MeasureInputLatency and MeasureRejoin look at rate.
func (e Entries) Following(i, rate int) []Entry {
	return e.following(i, min(i+max(maxLatencySeconds, noticeSeconds)*rate, e.Count))
}

// following returns the entries in [from, to) as a list.
func (e Entries) following(from, to int) []Entry {
	list := make([]Entry, to-from)
	for i := range list {
		list[i] = e.At(from + i)
	}
	return list
}

// FirstKeyPress returns the index of the first entry from start on in which the first player presses a button after a tick
// without any, or -1.
func (e Entries) FirstKeyPress(start int) int {
	before := start > 0 && pressesKey(e.At(start-1))
	for i := start; i < e.Count; i++ {
		now := pressesKey(e.At(i))
		if now && !before {
			return i
		}
		before = now
	}
	return -1
}

func pressesKey(e Entry) bool { return len(e.Inputs) > 0 && e.Inputs[0].Buttons != 0 }
